"""Policies without a model: a list of tactics for every goal. The baseline that a model has to beat.

An entry of a list is a tactic, or a scheme: a tactic with a placeholder for what a goal's text names. Owns the lists
and what schemes stand for; asks Lean nothing, so some of what a scheme stands for may not be possible at a goal.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from typing_extensions import override

from lean_agent.errors import ConfigError
from lean_agent.policy.base import ProofRequest, Suggestion, TacticExample, rank_suggestions
from lean_agent.policy.neighbours.goals import ParsedGoal, parse_goal, tokens
from lean_agent.policy.neighbours.index import GoalIndex
from lean_agent.prompts import shown_premises, without_help

CLOSING_TACTICS = (
    "rfl",
    "assumption",
    "trivial",
    "contradiction",
    "decide",
    "simp",
    "simp_all",
    "omega",
    "grind",
    "constructor",
    "intros; rfl",
    "intros; assumption",
    "intros; simp_all",
    "intros; omega",
    "intros; grind",
)
"""Tactics of core Lean that close a goal, or fail, without being told anything about it; cheap ones first."""

CLOSING_SCHEMES = (
    "rfl",
    "simp_all!",
    "omega",
    "grind",
    "trivial",
    "simp_all [{functions}]",
    "induction {local} <;> simp_all!",
    "grind [{premises}]",
    "grind [{definitions}]",
    "induction {local} <;> grind [{premises}]",
    "induction {local} <;> simp_all [{functions}]",
    "cases {local} <;> simp_all!",
    "induction {local} <;> grind [{functions}]",
    "simp",
    "intros; rfl",
    "constructor",
    "simp_all [{definitions}]",
    "simp_all [{definitions}, {premises}]",
    "induction {local} <;> simp_all [{premises}]",
    "simp_all [{premises}]",
    "exact {premise} ..",
    "induction {local} generalizing {others} <;> simp_all [{functions}]",
    "induction {local} generalizing {others} <;> grind [{functions}]",
    "cases {local} <;> grind [{functions}]",
    "intro x",
    "intro x; induction x <;> simp_all!",
    "funext x; simp_all!",
    "exact ⟨_, rfl⟩",
    "rw [{premise}]",
    "cases {local} <;> grind [{premises}]",
    "constructor <;> grind [{premises}]",
    "split <;> simp_all",
    "induction {local}",
    "cases {local}",
    "simp_all",
    "decide",
    "assumption",
    "contradiction",
    "intros; simp_all",
    "intros; grind",
    "intros; omega",
    "intros; assumption",
)
"""Tactics and schemes (:func:`tactics_of`), those first that prove much for few Lean calls. What proves a goal at once
comes before what leaves smaller ones; all of
:data:`CLOSING_TACTICS` are among them."""

MOST_LOCALS = 4
"""A scheme stands for at most so many tactics for its ``{local}``: the first hypotheses and variables of the goal."""

NEAREST = 32
"""Goals that vote on which entries of a list come first."""
PRIOR_GOALS = 20.0
"""The order of a list counts as much as so many goals at which its entries have worked."""
UNLEARNT = 0.1
"""The share of probability that a list that learns leaves as the list's order has it."""

_PLACEHOLDER = re.compile(r"\{(?:local|others|functions|definitions|premises?)\}")
_DOTTED = re.compile(r"[^\W\d][\w.'!?✝]*")
_NOTHING_TO_TAKE_APART = re.compile(r"^(?:Type|Sort|Prop)\b|[=≠≤<≥>↔∀¬→]")
_NOT_UNFOLDED = frozenset(
    {"fun", "if", "then", "else", "let", "have", "match", "with", "do", "Type", "Sort", "Prop"}
    | {"True", "False", "Nat", "Int", "List", "Bool", "Option", "some", "none", "true", "false"}
)


def tactics_of(scheme: str, goal: str) -> list[str]:
    """Return the tactics that a scheme stands for at a goal: none where the goal has nothing for a placeholder.

    ==================  ===================================================================
    ``{local}``         a hypothesis or variable that may be taken apart: a tactic for each
    ``{others}``        the other ones, with a space between them
    ``{functions}``     the functions that the target names, with a comma between them
    ``{definitions}``   the same with what is written with a capital (``Injective``), and of hypotheses, too
    ``{premise}``       a premise that stands above the goal: a tactic for each, the best one first
    ``{premises}``      all of them, with a comma between them
    ==================  ===================================================================

    Args:
        scheme: a tactic; one without placeholders stands for itself.
        goal: as Lean prints it, with or without premises above it (:func:`lean_agent.prompts.with_help`).
    """
    placeholders = set(_PLACEHOLDER.findall(scheme))
    if not placeholders:
        return [scheme]
    parsed = parse_goal(without_help(goal))
    premises = [line.partition(":")[0] for line in shown_premises(goal)]
    locals_ = _locals(parsed)
    values = {
        "{functions}": ", ".join(name for name in _named(parsed, [parsed.target]) if _is_lower(name)),
        "{definitions}": ", ".join(_named(parsed, [parsed.target, *_facts(parsed)])),
        "{premises}": ", ".join(premises),
    }
    tactics = []
    for local in locals_[:MOST_LOCALS] if placeholders & {"{local}", "{others}"} else [""]:
        values["{local}"] = local
        values["{others}"] = " ".join(name for name in locals_ if name != local)
        for values["{premise}"] in premises if "{premise}" in placeholders else [""]:
            if all(values[placeholder] for placeholder in placeholders):
                tactics.append(_PLACEHOLDER.sub(lambda match: values[match[0]], scheme))
    return tactics


def scheme_of(tactic: str, goal: str, schemes: Sequence[str]) -> str | None:
    """Return the first of the schemes that stands for the tactic at a goal, whichever premises there were; ``None``
    where none does."""
    goal = without_help(goal)
    likely = [scheme for scheme in schemes if _pattern(scheme).fullmatch(tactic)]
    alone = (scheme for scheme in likely if tactic in tactics_of(scheme, goal))
    return next(alone, next((scheme for scheme in likely if "{premise" in scheme), None))


@lru_cache(maxsize=1000)
def _pattern(scheme: str) -> re.Pattern[str]:
    """Return what all tactics look like that a scheme stands for."""
    return re.compile(".+".join(map(re.escape, _PLACEHOLDER.split(scheme))), re.DOTALL)


def _locals(goal: ParsedGoal) -> list[str]:
    """Return the names that may be taken apart: not types, instances, functions, equations, elements of a variable."""
    return [
        name
        for name, kind in goal.types.items()
        if not ("✝" in name or name.startswith("inst") or kind in goal.types or _NOTHING_TO_TAKE_APART.search(kind))
    ]


def _facts(goal: ParsedGoal) -> list[str]:
    """Return the types of hypotheses that nothing else mentions: propositions, as a rule."""
    texts = (goal.target, *goal.types.values())
    mentioned = {token.partition(".")[0] for text in texts for token in tokens(text)}
    return [kind for name, kind in goal.types.items() if name not in mentioned and not name.startswith("inst")]


def _named(goal: ParsedGoal, texts: Sequence[str]) -> list[str]:
    """Return the constants that texts name: by their own names, or by a dot after a variable (``xs.map``)."""
    names: dict[str, None] = {}
    for name in (name for text in texts for name in _DOTTED.findall(text)):
        first, _, fields = name.partition(".")
        kind = next(iter(_DOTTED.findall(goal.types.get(first, ""))), "")
        if kind and fields:  # of `p.scale.eval` it is not known what `p.scale` is, nor so whose `eval`
            names[f"{kind}.{fields.partition('.')[0]}"] = None
        elif first not in goal.types and len(name) > 1 and name not in _NOT_UNFOLDED:
            names[name] = None
    return list(names)


def _is_lower(name: str) -> bool:
    return name.rpartition(".")[2][:1].islower()


class ScriptedPolicy:
    """Proposes the first ``k`` of the tactics that a list stands for at a goal.

    The tactic of rank ``i`` (from 0) has a probability in proportion to ``1 / (i + 1)``; those of all that the list
    stands for at a goal sum up to 1. So the last ones are unlikely and not impossible: a search that ranks steps at
    different states by log-probability goes deeper before it comes to the end of a list.

    Args:
        tactics: what to propose, best first, without repetition; tactics and schemes (:func:`tactics_of`).

    Raises:
        ConfigError: ``tactics`` is empty or repeats itself.
    """

    samples = False

    def __init__(self, tactics: Sequence[str] = CLOSING_SCHEMES) -> None:
        if not tactics or len(set(tactics)) != len(tactics):
            raise ConfigError(f"A scripted policy needs a list of different tactics; it was given {list(tactics)}.")
        self._tactics = tuple(tactics)

    @property
    def identity(self) -> str:
        """See :attr:`lean_agent.policy.base.Identified.identity`."""
        return repr([*self._tactics])

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Propose the first ``k`` tactics of the list for every goal."""
        return [self._suggest(goal, k) for goal in goals]

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        """Offer each entry as a script; none can be repaired."""
        return [self._suggest(request.goal, k) if request.attempt is None else [] for request in requests]

    def _suggest(self, goal: str, k: int) -> list[Suggestion]:
        probabilities = self._probabilities(goal, self._tactics_at(goal))
        return rank_suggestions(
            (Suggestion(tactic, math.log(probability), 0) for tactic, probability in probabilities.items()), k
        )

    def _tactics_at(self, goal: str) -> dict[str, str]:
        """Return the tactics that the list stands for at a goal, in its order, and the entry that each comes from."""
        tactics: dict[str, str] = {}
        for entry in self._tactics:
            for tactic in tactics_of(entry, goal):
                tactics.setdefault(tactic, entry)
        return tactics

    def _probabilities(self, goal: str, tactics: Mapping[str, str]) -> dict[str, float]:
        """Return how likely each tactic is, given the entries that they come from."""
        total = math.fsum(1 / (rank + 1) for rank in range(len(tactics)))
        return {tactic: 1 / ((rank + 1) * total) for rank, tactic in enumerate(tactics)}


class LearningClosers(ScriptedPolicy):
    """Closing tactics and schemes that learn at which goals each of them is a step of a proof.

    What has worked at similar goals comes first. The list's order counts as :data:`PRIOR_GOALS` goals at which its
    entries have worked. The nearest goals vote by their similarity
    (:class:`~lean_agent.policy.neighbours.index.GoalIndex`), and one vote more, or several while few goals are known,
    is divided as all of these are. The share :data:`UNLEARNT` of all probability stays as the list's order has it,
    since what comes late there has rarely been tried. So the shape of a tactic is chosen first, and its arguments from
    the goal afterwards (arXiv 2104.05207).

    Args:
        tactics: as in :class:`ScriptedPolicy`.
        steps: of proofs, to begin with; those that no entry stands for teach nothing.
    """

    def __init__(self, tactics: Sequence[str] = CLOSING_SCHEMES, steps: Iterable[TacticExample] = ()) -> None:
        super().__init__(tactics)
        self._index = GoalIndex()
        self._worked: list[str] = []  # entries, by the numbers of goals in the index
        self._counts: Counter[str] = Counter()
        self._known: set[TacticExample] = set()
        self._digest = hashlib.sha256()
        self.add(steps)

    def __len__(self) -> int:
        return len(self._worked)

    @property
    def identity(self) -> str:
        return f"{super().identity} {self._digest.hexdigest()[:16]}"

    def add(self, steps: Iterable[TacticExample]) -> None:
        """Take in steps of proofs; one that is known is not taken in again."""
        for step in steps:
            scheme = scheme_of(step.tactic, step.goal, self._tactics)
            if scheme is not None and step not in self._known:
                self._known.add(step)
                self._index.add(parse_goal(step.goal).features)
                self._worked.append(scheme)
                self._counts[scheme] += 1
                self._digest.update(repr(step).encode())

    @override
    def _probabilities(self, goal: str, tactics: Mapping[str, str]) -> dict[str, float]:
        listed = super()._probabilities(goal, tactics)
        if not self._worked:
            return listed
        of_entries: defaultdict[str, float] = defaultdict(float)
        for tactic, entry in tactics.items():
            of_entries[entry] += listed[tactic]
        known = PRIOR_GOALS + sum(self._counts[entry] for entry in of_entries)
        votes = 1 + PRIOR_GOALS / len(self)
        shares = {
            entry: votes * (PRIOR_GOALS * probability + self._counts[entry]) / known
            for entry, probability in of_entries.items()
        }
        for similarity, number in self._index.nearest(parse_goal(without_help(goal)).features, NEAREST):
            if self._worked[number] in shares:
                shares[self._worked[number]] += similarity
        total = math.fsum(shares.values())
        return {
            tactic: listed[tactic] * (UNLEARNT + (1 - UNLEARNT) * shares[entry] / (total * of_entries[entry]))
            for tactic, entry in tactics.items()
        }
