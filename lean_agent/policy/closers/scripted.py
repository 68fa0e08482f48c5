"""Policies without a model: a list of tactics for every goal, in its order or in one that is learnt. The baseline that
a model has to beat."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from typing_extensions import override

from lean_agent.errors import ConfigError
from lean_agent.policy.base import ProofRequest, Suggestion, TacticExample, rank_suggestions
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, LAWS_REQUEST, scheme_of, tactics_of
from lean_agent.policy.neighbours.goals import parse_goal
from lean_agent.policy.neighbours.index import GoalIndex
from lean_agent.prompts import without_help

NEAREST = 32
"""Goals that vote on which entries of a list come first."""
PRIOR_VOTES = 5.0
"""What a list says of its entries counts as much as so many goals like the one at hand at which an entry has worked."""
VALUE_DISCOUNT = 0.4
"""Each tactic that an entry stands for at a goal is so many times as likely as the one before it: of inductions in
searches for 361 theorems of public projects the first was a step of the proof in 23 % of its calls, the second in 11,
the third in 3, and later ones in 1."""


class ScriptedPolicy:
    """Proposes the ``k`` likeliest of the tactics that a list stands for at a goal.

    A tactic is as likely as its entry, in proportion, :data:`VALUE_DISCOUNT` times for each tactic of that entry before
    it; the probabilities of all that the list stands for at a goal sum up to 1. An entry of rank ``i`` (from 0) counts
    ``1 / (i + 1)`` where the list does not say how likely it is. So the last ones are unlikely and not impossible: a
    search that ranks steps at different states by log-probability goes deeper before it comes to the end of a list.

    Args:
        tactics: what to propose, without repetition; tactics and schemes (:func:`tactics_of`), the best one first, or
            each with how likely it is to be a step of a proof where it can be tried.

    Raises:
        ConfigError: ``tactics`` is empty or repeats itself.
    """

    samples = False

    def __init__(self, tactics: Sequence[str] | Mapping[str, float] = CLOSING_SCHEMES) -> None:
        if not tactics or len(set(tactics)) != len(tactics):
            raise ConfigError(f"A scripted policy needs a list of different tactics; it was given {list(tactics)}.")
        self._worth = (
            dict(tactics) if isinstance(tactics, Mapping) else {each: 1 / (i + 1) for i, each in enumerate(tactics)}
        )
        if min(self._worth.values()) <= 0:
            raise ConfigError(f"Each tactic of a list has to be likely to some degree; they are {self._worth}.")

    @property
    def identity(self) -> str:
        """See :attr:`lean_agent.policy.base.Identified.identity`."""
        return repr(self._worth)

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Propose the ``k`` likeliest tactics of the list for every goal."""
        return [self._suggest(goal, k) for goal in goals]

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        """Offer each entry as a script, but what asks Lean for laws: that is no proof. None can be repaired."""
        offered = (self._suggest(request.goal, k) if request.attempt is None else [] for request in requests)
        return [[each for each in suggestions if each.tactic != LAWS_REQUEST] for suggestions in offered]

    def _suggest(self, goal: str, k: int) -> list[Suggestion]:
        probabilities = self._probabilities(goal, self._tactics_at(goal))
        return rank_suggestions(
            (Suggestion(tactic, math.log(probability), 0) for tactic, probability in probabilities.items()), k
        )

    def _tactics_at(self, goal: str) -> dict[str, str]:
        """Return the tactics that the list stands for at a goal, in its order, and the entry that each comes from."""
        tactics: dict[str, str] = {}
        for entry in self._worth:
            for tactic in tactics_of(entry, goal):
                tactics.setdefault(tactic, entry)
        return tactics

    def _probabilities(self, goal: str, tactics: Mapping[str, str]) -> dict[str, float]:
        """Return how likely each tactic is, given the entries that they come from."""
        before: Counter[str] = Counter()
        worth = {}
        for tactic, entry in tactics.items():
            worth[tactic] = self._worth[entry] * VALUE_DISCOUNT ** before[entry]
            before[entry] += 1
        total = math.fsum(worth.values())
        return {tactic: each / total for tactic, each in worth.items()}


class LearningClosers(ScriptedPolicy):
    """Closing tactics and schemes that learn at which goals each of them is a step of a proof.

    What has worked at similar goals comes first. The list counts as :data:`PRIOR_VOTES` goals; the nearest goals at
    which an entry has worked vote by their similarity (:class:`~lean_agent.policy.neighbours.index.GoalIndex`). So the
    shape of a tactic is chosen first, and its arguments from the goal afterwards (arXiv 2104.05207).

    Args:
        tactics: as in :class:`ScriptedPolicy`.
        steps: of proofs, to begin with; those that no entry stands for teach nothing.
    """

    def __init__(
        self, tactics: Sequence[str] | Mapping[str, float] = CLOSING_SCHEMES, steps: Iterable[TacticExample] = ()
    ) -> None:
        super().__init__(tactics)
        self._index = GoalIndex()
        self._worked: list[str] = []  # entries, by the numbers of goals in the index
        self._known: set[TacticExample] = set()
        self._schemes: dict[TacticExample, str | None] = {}  # the entries that steps come from
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
            if step in self._known:
                continue
            self._known.add(step)
            scheme = self._scheme_of(step)
            if scheme is not None:
                self._index.add(parse_goal(step.goal).features)
                self._worked.append(scheme)
                self._digest.update(repr(step).encode())

    def remakes(self, step: TacticExample) -> bool:
        """Return whether an entry with a list of names stands for the tactic of a step."""
        return "[" in step.tactic and self._scheme_of(step) not in (None, step.tactic)

    def _scheme_of(self, step: TacticExample) -> str | None:
        if step not in self._schemes:
            self._schemes[step] = scheme_of(step.tactic, step.goal, self._worth)
        return self._schemes[step]

    @override
    def _probabilities(self, goal: str, tactics: Mapping[str, str]) -> dict[str, float]:
        listed = super()._probabilities(goal, tactics)
        shares: defaultdict[str, float] = defaultdict(float)
        for tactic, entry in tactics.items():
            shares[entry] += listed[tactic]
        votes: defaultdict[str, float] = defaultdict(float)
        if self._worked:
            for similarity, number in self._index.nearest(parse_goal(without_help(goal)).features, NEAREST):
                if (entry := self._worked[number]) in shares:
                    votes[entry] += similarity
        total = PRIOR_VOTES + math.fsum(votes.values())
        return {
            tactic: listed[tactic] * (PRIOR_VOTES + votes[entry] / shares[entry]) / total
            for tactic, entry in tactics.items()
        }
