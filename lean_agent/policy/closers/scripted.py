"""Policies without a model: a list of tactics for every goal, in its order or in one that is learnt. The baseline that
a model has to beat."""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from typing_extensions import override

from lean_agent.errors import ConfigError
from lean_agent.policy.base import ProofRequest, Suggestion, TacticExample, rank_suggestions
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, scheme_of, tactics_of
from lean_agent.policy.neighbours.goals import parse_goal
from lean_agent.policy.neighbours.index import GoalIndex
from lean_agent.prompts import without_help

NEAREST = 32
"""Goals that vote on which entries of a list come first."""
PRIOR_GOALS = 20.0
"""The order of a list counts as much as so many goals at which its entries have worked."""
UNLEARNT = 0.2
"""The share of probability that a list that learns leaves as the list's order has it."""


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
        untried: entries that were not tried where these come from. Until one has worked it keeps the probability that
            the list's order gives it: of the others it is known that they could have worked.
    """

    def __init__(
        self,
        tactics: Sequence[str] = CLOSING_SCHEMES,
        steps: Iterable[TacticExample] = (),
        *,
        untried: Collection[str] = (),
    ) -> None:
        super().__init__(tactics)
        self._untried = set(untried)
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
        return f"{super().identity} {self._digest.hexdigest()[:16]} {sorted(self._untried)}"

    def add(self, steps: Iterable[TacticExample]) -> None:
        """Take in steps of proofs; one that is known is not taken in again."""
        for step in steps:
            if step in self._known:
                continue
            self._known.add(step)
            scheme = scheme_of(step.tactic, step.goal, self._tactics)
            if scheme is not None:
                self._index.add(parse_goal(step.goal).features)
                self._worked.append(scheme)
                self._counts[scheme] += 1
                self._untried.discard(scheme)
                self._digest.update(repr(step).encode())

    @override
    def _probabilities(self, goal: str, tactics: Mapping[str, str]) -> dict[str, float]:
        listed = super()._probabilities(goal, tactics)
        if not self._worked:
            return listed
        of_entries: defaultdict[str, float] = defaultdict(float)
        for tactic, entry in tactics.items():
            of_entries[entry] += 0.0 if entry in self._untried else listed[tactic]
        tried = math.fsum(of_entries.values())
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
            tactic: listed[tactic]
            * (
                1.0
                if entry in self._untried
                else UNLEARNT + (1 - UNLEARNT) * tried * shares[entry] / (total * of_entries[entry])
            )
            for tactic, entry in tactics.items()
        }
