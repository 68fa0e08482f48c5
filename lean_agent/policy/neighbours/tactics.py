"""The tactics that worked at goals like one at hand, in its own names, for a model to be shown beside it.

Owns which traced steps a theorem may be shown: those of other repositories, of files that its own imports and of what
stands before it in its file. Knows no model; prompts are written in :mod:`lean_agent.prompts`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lean_agent.database import StoredTheorem
from lean_agent.database.near_duplicates import near_pairs, normal_form
from lean_agent.policy.base import TacticExample
from lean_agent.policy.neighbours.goals import ParsedGoal, parse_goal
from lean_agent.policy.neighbours.index import GoalIndex
from lean_agent.policy.neighbours.policy import carried_votes, merged, tactic_examples
from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus, place_of_stored

PLACES_AT_ONCE = 64
"""Theorems that are searched for at a time."""
VOTERS = 16
"""Goals whose tactics are carried over: a quarter of what the policy asks, since a prompt has room for a few."""


@dataclass(frozen=True, slots=True)
class PlacedStep:
    """A step of a traced proof, and where its theorem stands."""

    place: Place
    example: TacticExample


def placed_steps(theorems: Iterable[StoredTheorem]) -> Iterator[PlacedStep]:
    """Yield the steps of traced proofs, as :func:`~lean_agent.policy.neighbours.policy.tactic_examples`."""
    for stored in theorems:
        place = place_of_stored(stored)
        for example in tactic_examples([stored]):
            yield PlacedStep(place, example)


def near_duplicates(statements: Mapping[Place, str]) -> dict[Place, frozenset[Place]]:
    """Return for each theorem the others whose statements are nearly the same, where there are such."""
    near: dict[Place, set[Place]] = {}
    places = list(statements)
    forms = ((str(number), normal_form(statements[place])) for number, place in enumerate(places))
    for first, second in near_pairs(forms):
        pair = places[int(first)], places[int(second)]
        near.setdefault(pair[0], set()).add(pair[1])
        near.setdefault(pair[1], set()).add(pair[0])
    return {place: frozenset(others) for place, others in near.items()}


class NearTactics:
    """Finds the tactics of the goals that are most similar to one, as
    :class:`~lean_agent.policy.neighbours.policy.NeighbourPolicy` rewrites and ranks them.

    Args:
        steps: traced proofs.
        corpus: says which files import which, and which names there are.
        hidden: for a theorem others whose steps it is not shown, for training: its near-duplicates.
    """

    def __init__(
        self,
        steps: Iterable[PlacedStep],
        corpus: PremiseCorpus,
        *,
        hidden: Mapping[Place, Collection[Place]] | None = None,
    ) -> None:
        self._corpus = corpus
        self._hidden = hidden or {}
        self._index = GoalIndex()
        self._steps: list[tuple[ParsedGoal, str]] = []  # by their numbers in the index
        theorems: dict[Place, int] = {}
        theorem_of: list[int] = []
        known: set[PlacedStep] = set()
        for step in steps:
            if step not in known:
                known.add(step)
                goal = parse_goal(step.example.goal)
                self._index.add(goal.features)
                self._steps.append((goal, step.example.tactic))
                theorem_of.append(theorems.setdefault(step.place, len(theorems)))
        self._theorems = theorems
        self._theorem_of = np.array(theorem_of, dtype=np.int64)
        self._names = {*corpus.by_name, *(name.rpartition(".")[2] for name in corpus.by_name)}
        self._visible_at = lru_cache(maxsize=PLACES_AT_ONCE)(self._find_visible)

    def __len__(self) -> int:
        return len(self._steps)

    def tactics(self, goal: str, place: Place, k: int) -> list[str]:
        """Return up to ``k`` different tactics for a goal of the theorem at ``place``, the best first."""
        parsed = parse_goal(goal)
        nearest = self._index.nearest(parsed.features, VOTERS, self._visible_at(place))
        sources = ((similarity, *self._steps[number]) for similarity, number in nearest)
        votes = dict(merged(carried_votes(sources, parsed, self._names), parsed.types))
        return sorted(votes, key=lambda tactic: -votes[tactic])[:k]

    def _find_visible(self, place: Place) -> NDArray[np.bool_]:
        """Return which steps a theorem may be shown, ``[steps]``."""
        imported, hidden = self._corpus.imported_at(place), self._hidden.get(place, ())
        theorems = [
            other not in hidden and _may_be_shown(other, place, self._corpus.number_of(other) in imported)
            for other in self._theorems
        ]
        return np.array(theorems, dtype=np.bool_)[self._theorem_of]


def _may_be_shown(other: Place, place: Place, is_imported: bool) -> bool:
    """Return whether a theorem's steps may be shown at ``place``: another commit of its repository's may not."""
    if other.url != place.url:
        return True
    if other.commit != place.commit:
        return False
    return is_imported or (other.file_path == place.file_path and other.start < place.start)
