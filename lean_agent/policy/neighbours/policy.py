"""A policy without training: the tactics that worked at the most similar goals, rewritten for the goal at hand.

Takes a proof in at once. After Tactician's online k-nearest neighbours (arXiv 2008.00120) and Graph2Tac (arXiv
2401.02949). Knows nothing of searches.
"""

from __future__ import annotations

import copy
import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from lean_agent.database import StoredTheorem
from lean_agent.database.exports.entries import has_hole
from lean_agent.database.records import FoundProof
from lean_agent.lean.types import is_conv
from lean_agent.policy.base import Suggestion, TacticExample, rank_suggestions
from lean_agent.policy.neighbours.binders import binders, with_fresh_names
from lean_agent.policy.neighbours.goals import ParsedGoal, parse_goal
from lean_agent.policy.neighbours.index import GoalIndex
from lean_agent.policy.neighbours.rewriting import ListedNames, carried_over, proved_by_hypotheses
from lean_agent.prompts import main_goal, without_help

LEAST_SIMILARITY = 0.2
"""Of the first neighbour's; who is less similar has no vote: to the fourth power, it would be 0.0016 of the first's."""
SHARPNESS = 4.0
"""The power of a neighbour's similarity that its vote is."""
FILLED = 0.5
"""The vote for a tactic whose list of names was filled in anew, for one of those that it was made of."""
BY_HYPOTHESES = 0.1
"""The share of all votes for a tactic that uses a hypothesis which concludes what is to be proved."""


_LOOKS_ONLY = re.compile(r"(guard_\w+|trace(_state)?|fail_if_success)\b")
"""Tactics of tests and of people at work: they look at the goal, and leave it as it is."""


def tactic_examples(theorems: Iterable[StoredTheorem]) -> Iterator[TacticExample]:
    """Yield the steps of traced proofs, but for those inside ``conv``, those with a hole, and those that do nothing."""
    for stored in theorems:
        for tactic in stored.theorem.tactics:
            is_step = bool(tactic.step) and not is_conv(tactic.state_before) and not _LOOKS_ONLY.match(tactic.step)
            if is_step and not has_hole(tactic.step):
                yield TacticExample(main_goal(tactic.state_before), tactic.step)


def found_examples(proofs: Iterable[FoundProof]) -> Iterator[TacticExample]:
    """Yield the steps of proofs that practice has found, but for those whose states are not known."""
    for proof in proofs:
        for tactic in proof.tactics:
            if tactic.step and tactic.state_before:
                yield TacticExample(main_goal(tactic.state_before), tactic.step)


class NeighbourPolicy:
    """Proposes the tactics of the most similar goals, rewritten for the goal that is asked about.

    A tactic's probability is its share of the votes; a neighbour votes with ``similarity ** sharpness``, less where
    names had to be guessed.

    Args:
        steps: proofs to begin with; :meth:`add` takes in more at any time.
        names: declarations that a tactic may name; what the steps themselves name need not be there.
        neighbours: how many goals vote.
        sharpness: 0 counts all neighbours alike.
    """

    samples = False

    def __init__(
        self,
        steps: Iterable[TacticExample] = (),
        *,
        names: Collection[str] = (),
        neighbours: int = 64,
        sharpness: float = SHARPNESS,
    ) -> None:
        self._index = GoalIndex()
        self._steps: list[tuple[ParsedGoal, str]] = []  # by their numbers in the index
        self._known: dict[TacticExample, int] = {}  # with their numbers
        self._listed = ListedNames()
        self.may_name(names)
        self._digest = hashlib.sha256()
        self.neighbours = neighbours
        self.sharpness = sharpness
        self.add(steps)

    def __len__(self) -> int:
        return len(self._known)

    @property
    def identity(self) -> str:
        return f"neighbours {self.neighbours} {self.sharpness} {self._digest.hexdigest()[:16]}"

    def add(self, steps: Iterable[TacticExample]) -> None:
        """Take in steps of proofs; one that is known is not taken in again."""
        for step in steps:
            if step not in self._known:
                goal = parse_goal(step.goal)
                self._known[step] = self._index.add(goal.features)
                self._steps.append((goal, step.tactic))
                self._listed.add(step.tactic)
                self._digest.update(repr(step).encode())

    def forget(self, steps: Iterable[TacticExample]) -> None:
        """Propose from now on as if these steps had never been taken in."""
        for step in steps:
            number = self._known.pop(step, None)
            if number is not None:
                self._index.discard(number)
                self._listed.discard(step.tactic)
                self._digest.update(f"not {step!r}".encode())

    def may_name(self, names: Collection[str]) -> None:
        """Let tactics name these declarations and no others, beside those that the steps name themselves."""
        self._names = {*names, *(name.rpartition(".")[2] for name in names)}

    def copy(self) -> NeighbourPolicy:
        """Return a policy of the same steps that goes its own way from here on, in milliseconds."""
        other = copy.copy(self)
        other._index, other._steps, other._known = self._index.copy(), list(self._steps), dict(self._known)
        other._listed, other._digest = ListedNames(self._listed.counts.copy()), self._digest.copy()
        return other

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        return [self._suggest(parse_goal(without_help(goal)), k) for goal in goals]

    def _suggest(self, goal: ParsedGoal, k: int) -> list[Suggestion]:
        nearest = self._index.nearest(goal.features, self.neighbours)
        sources = ((similarity, *self._steps[number]) for similarity, number in nearest)
        votes = carried_votes(sources, goal, self._names, self.sharpness)
        for tactic, vote in [*self._listed.filled(votes, goal)]:
            votes[tactic] += FILLED * vote
        share = BY_HYPOTHESES * math.fsum(votes.values())
        for tactic in proved_by_hypotheses(goal):
            votes[tactic] += share
        total = math.fsum(votes.values())
        return rank_suggestions(
            (Suggestion(tactic, math.log(vote / total), 0) for tactic, vote in merged(votes, goal.types) if vote > 0), k
        )


def carried_votes(
    nearest: Iterable[tuple[float, ParsedGoal, str]],
    goal: ParsedGoal,
    names: Collection[str],
    sharpness: float = SHARPNESS,
) -> defaultdict[str, float]:
    """Return the tactics of similar goals in the names of ``goal``, with their votes.

    Args:
        nearest: (similarity, goal, tactic that worked there), the most similar first.
        names: declarations that a tactic may name.
    """
    votes: defaultdict[str, float] = defaultdict(float)
    first = 0.0
    for similarity, source, worked in nearest:
        first = first or similarity
        if similarity < LEAST_SIMILARITY * first:
            break
        for tactic, fit in carried_over(worked, source, goal, names):
            votes[tactic] += fit * similarity**sharpness
    return votes


def merged(votes: Mapping[str, float], local: Collection[str]) -> Iterator[tuple[str, float]]:
    """Yield the tactics with their votes; those that differ only in what they call what they bind are one.

    Of these the one with most votes stays, with fresh names where it would hide a hypothesis.
    """
    alike: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    for tactic, vote in votes.items():
        alike[binders(tactic).shape(local)].append((vote, tactic))
    for group in alike.values():
        yield with_fresh_names(max(group)[1], local), math.fsum(vote for vote, _ in group)
