"""Scorers of how an attempt goes: parts of proofs, hard theorems, a domain, short, new and well-formed answers.

What they go by is in the goals, as Lean prints them, and in what Lean did to them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from typing_extensions import override

from lean_agent.errors import ConfigError
from lean_agent.lean.types import Goal
from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.rewards.goals import closed_share, goal_symbols, tokens
from lean_agent.trajectory import ProofStep, ProofTrajectory

CLOSED, USED, CHANGED = 0.7, 0.2, 0.1
"""Weights of the parts of a shaped reward."""
UNPROVED = 0.1
"""Most that a new attempt without a proof is worth."""
MALFORMED = -0.1
TYPICAL_SYMBOLS = 20
"""A goal of so many symbols has difficulty ``1 - 1/e``; in repos/ half of all statements have between 10 and 30."""

_COMMENT = re.compile(r"/-.*?(?:-/|\Z)|--[^\n]*", re.DOTALL)
_SYMBOLS = {
    "logic": "∧ ∨ ¬ → ↔ ∀ ∃ True False And Or Not Iff Exists Xor Decidable",
    "algebra": "+ - * / ^ • ⁻ ∑ ∏ add sub mul div pow neg inv smul zero one succ Monoid Group Ring Field Hom",
    "number_theory": "∣ % ∤ dvd mod gcd lcm Coprime Prime Even Odd factorial testBit log2 emod ediv toNat natAbs",
    "lists_and_sets": (
        "∈ ∉ ⊆ ⊂ ∪ ∩ ∅ :: ++ [ ] List Array Set mem nil cons append map filter length reverse foldl foldr flatMap join "
        "zip take drop head tail getLast replicate sum contains insert erase union inter range"
    ),
    "order": "≤ < ≥ > ⊔ ⊓ ⊤ ⊥ le lt max min sup inf compare Monotone StrictMono Ordering",
}

DOMAINS: dict[str, frozenset[str]] = {name: frozenset(text.split()) for name, text in _SYMBOLS.items()}
"""Domain -> its symbols: operators as Lean prints them, and last parts of names (``Nat.gcd`` counts as ``gcd``)."""


class ShapedScorer(BaseRewardScorer):
    """A proof is worth 1; short of that, ``0.5 * (0.7 * closed + 0.2 * used + 0.1 * changed)``, each in [0, 1].

    - ``closed``: how much of the goal is closed, see :func:`lean_agent.rewards.goals.closed_share`;
    - ``used``: hypotheses that a tactic which Lean ran speaks of, comments aside, among all that the goals in view had;
    - ``changed``: tactics that changed the goals, among all that were tried.

    A policy can still earn by goals of its own that only look new: ``refine (?_ : True ∧ (p ∧ p)).2.1`` at ``p`` has an
    easy half. All of it stays below any proof; ``proved`` pays for nothing of the kind.
    """

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        closed = closed_share(trajectory, lambda goal: 1.0)
        used = _share_used(trajectory)
        changed = sum(step.changed for step in trajectory.steps) / max(len(trajectory.steps), 1)
        quality = 1.0 if trajectory.is_proved else CLOSED * closed + USED * used + CHANGED * changed
        details = {
            "closed": closed,
            "goals_opened": float(sum(max(0, step.goal_delta) for step in trajectory.steps)),
            "goals_left": float(len(trajectory.end)),
            "hypotheses_used": used,
            "steps_changed": changed,
        }
        return self.normalize_reward(self.graded(trajectory, quality)), details


def _share_used(trajectory: ProofTrajectory) -> float:
    """Return the share of the accessible hypotheses of main goals that a step which changed something names."""
    seen: set[str] = set()
    used: set[str] = set()
    for step in trajectory.steps:
        names = {v.name for v in step.before[0].variables if not v.is_inaccessible} if step.before else set()
        seen |= names
        if step.changed:
            used |= names & {token.split(".")[0] for token in tokens(_COMMENT.sub(" ", step.tactic))}
    return len(used) / len(seen) if seen else 0.0


class DifficultyBasedScorer(BaseRewardScorer):
    """A proof is worth ``0.6 + 0.4 * difficulty``; a part of one, ``0.5 * difficulty * closed`` (see
    :func:`lean_agent.rewards.goals.closed_share`).

    The difficulty is the theorem's own where the data names it; else ``1 - pass_rate``, the share of attempts at it
    that failed, where there was more than one; else it is guessed from the statement: ``1 - exp(-symbols / 20)``.
    """

    @override
    def score(
        self, trajectory: ProofTrajectory, *, pass_rate: float | None = None, **kwargs: Any
    ) -> tuple[float, Details]:
        difficulty = trajectory.difficulty
        if difficulty is None:
            difficulty = statement_difficulty(trajectory) if pass_rate is None else 1 - pass_rate
        closed = 1.0 if trajectory.is_proved else closed_share(trajectory, lambda goal: 1.0)
        quality = difficulty * closed
        return self.normalize_reward(self.graded(trajectory, quality)), {"difficulty": difficulty}


def statement_difficulty(trajectory: ProofTrajectory) -> float:
    """Guess in [0, 1) by the number of symbols in the goals that an attempt began with."""
    symbols = sum(len(goal_symbols(goal)) for goal in trajectory.start)
    return 1 - math.exp(-symbols / TYPICAL_SYMBOLS)


class DomainScorer(BaseRewardScorer):
    """Pays for proving what belongs to a domain. A goal's weight in it is the number of the domain's symbols in its
    target and in the types of its hypotheses; the tactics' text is not looked at.

    Of a theorem that is not proved, the share that is closed, goals counted by their weight (see
    :func:`lean_agent.rewards.goals.closed_share`); a proof is worth 1 when the theorem has at least one symbol of
    the domain at the start, and 0.6 otherwise.

    Args:
        name: in the details.
        symbols: what belongs to the domain.
    """

    def __init__(self, name: str, symbols: frozenset[str]) -> None:
        self.name = name
        self._symbols = symbols

    def weight(self, goal: Goal) -> float:
        """Count the symbols of the domain that a goal has."""
        return float(sum(symbol in self._symbols for symbol in goal_symbols(goal)))

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        start = sum(map(self.weight, trajectory.start))
        closed = closed_share(trajectory, self.weight)
        quality = float(start > 0) if trajectory.is_proved else closed
        details = {"weight_at_start": start, "weight_left": sum(map(self.weight, trajectory.end)), "closed": closed}
        return self.normalize_reward(self.graded(trajectory, quality)), details


def _of_domain(name: str, summary: str) -> Callable[[], DomainScorer]:
    """Make the maker of a domain's scorer; ``summary`` is its docstring."""

    def make() -> DomainScorer:
        return DomainScorer(name, DOMAINS[name])

    make.__doc__ = summary
    return make


logic = _of_domain("logic", "Pay for proofs of logic: connectives and quantifiers.")
algebra = _of_domain("algebra", "Pay for proofs of algebra: arithmetic operations and algebraic structures.")
number_theory = _of_domain(
    "number_theory", "Pay for proofs of number theory: divisibility, remainders, primes, parity."
)
lists_and_sets = _of_domain(
    "lists_and_sets", "Pay for proofs about lists and sets: membership, and the operations of lists, arrays and sets."
)
order = _of_domain("order", "Pay for proofs about order: inequalities, extrema, lattices.")


class EfficiencyScorer(BaseRewardScorer):
    """Of a proof, the mean of its parts, each ``half / (half + spent)``: 1 for nothing spent, 1/2 at ``half``.

    An attempt that proves nothing is worth 0 at any price: to fail quickly is no virtue.

    Args:
        half_steps: of tactics after the first.
        half_tokens: of tokens that the policy generated.
        half_seconds: of Lean's wall time. ``None`` leaves time out: it depends on the machine and on what else that
            does, and no two runs would end alike.
    """

    def __init__(
        self, *, half_steps: float = 8.0, half_tokens: float = 256.0, half_seconds: float | None = None
    ) -> None:
        halves = {"length": half_steps, "tokens": half_tokens, "time": half_seconds}
        self._half = {name: half for name, half in halves.items() if half is not None}
        if min(self._half.values()) <= 0:
            raise ConfigError("half_steps, half_seconds and half_tokens must be above 0.")

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        length = max(len(trajectory.steps) - 1, 0)
        spent = {"length": length, "time": trajectory.seconds, "tokens": trajectory.tokens}
        parts = {name: half / (half + spent[name]) for name, half in self._half.items()}
        quality = sum(parts.values()) / len(parts) if trajectory.is_proved else 0.0
        return self.normalize_reward(self.graded(trajectory, quality)), parts


class FormatScorer(BaseRewardScorer):
    """A proof is worth 0.6, and 0.4 times the share of answers that are well-formed; an attempt that proves nothing is
    worth -0.1 times the share of those that are not: to write neatly is no progress.

    An answer is well-formed when Lean can parse its tactic, the model ended it by itself, and it holds nothing but the
    tactic: no fences, no leading ``by``, no words around it.
    """

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        share = sum(map(is_well_formed, trajectory.steps)) / max(len(trajectory.steps), 1)
        reward = self.graded(trajectory, share)
        if not (trajectory.is_proved or trajectory.cheats):
            reward = MALFORMED * (1 - share)
        return self.normalize_reward(reward), {"well_formed": share}


def is_well_formed(step: ProofStep) -> bool:
    """Return whether an answer is one tactic of Lean's grammar and nothing else."""
    if not step.tactic or step.failure == "parse":
        return False
    answer = step.completion
    return answer is None or (answer.finished and answer.text.strip() == step.tactic)


class NoveltyScorer(BaseRewardScorer):
    """The ``n``-th time that a theorem is attempted by the same script counts ``1 / n``.

    Scripts are the tactics that Lean ran, white space aside. An attempt that changed nothing is not new; one that
    proves nothing is worth at most 0.1.
    """

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        """Count the attempt, and score it."""
        script = "\n".join(" ".join(tactic.split()) for tactic in trajectory.script)
        key = f"{trajectory.theorem}\n{script}"
        self._seen[key] += 1
        changed = trajectory.is_proved or any(step.changed for step in trajectory.steps)
        quality = 1 / self._seen[key] if changed else 0.0
        reward = self.graded(trajectory, quality, unproved=UNPROVED)
        return self.normalize_reward(reward), {"times_seen": float(self._seen[key])}

    def state_dict(self) -> dict[str, Any]:
        """Return how often each script was seen."""
        return dict(self._seen)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with what :meth:`state_dict` gave."""
        self._seen = Counter(state)
