"""Which premises the proofs of similar goals have used.

Owns what is remembered of proofs for that; how much it counts is for the rankers that look at it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_agent.database import StoredTheorem
from lean_agent.policy.neighbours.goals import parse_goal
from lean_agent.policy.neighbours.index import GoalIndex
from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus, place_of, place_of_stored, premise_names
from lean_agent.prompts import main_goal

NEAREST = 32
"""Goals that are asked what their proofs have used."""


@dataclass(frozen=True, slots=True)
class ProofPremises:
    """A proof: where its theorem stands, the goal that it begins with, and the premises that it names."""

    place: Place
    goal: str
    names: Collection[str]


def premises_of_stored(theorems: Iterable[StoredTheorem]) -> Iterator[ProofPremises]:
    """Yield what the traced proofs of the database use."""
    for stored in theorems:
        tactics = stored.theorem.tactics
        names = {premise.full_name for tactic in tactics for premise in tactic.premises}
        if names:
            yield ProofPremises(place_of_stored(stored), main_goal(tactics[0].state_before), names)


def premises_of_entries(theorems: Iterable[Mapping[str, Any]]) -> Iterator[ProofPremises]:
    """Yield what the proofs of a split of LeanDojo Benchmark 4 use."""
    for theorem in theorems:
        tactics = theorem["traced_tactics"]
        names = {name for tactic in tactics for name in premise_names(tactic)}
        if names:
            yield ProofPremises(place_of(theorem), main_goal(tactics[0]["state_before"]), names)


class NearProofs:
    """The proofs that are known, found by how similar the goals are that they prove.

    Args:
        corpus: the premises.
        proofs: a theorem's own is never looked at for its goals.
    """

    def __init__(self, corpus: PremiseCorpus, proofs: Iterable[ProofPremises]) -> None:
        self._size = len(corpus.documents)
        self._index = GoalIndex()
        self._used: list[NDArray[np.int64]] = []  # numbers of documents, by the numbers of goals in the index
        self._proofs_of: dict[Place, list[int]] = {}
        self._counts = np.zeros(self._size, dtype=np.float32)
        for proof in proofs:
            numbers = [number for name in sorted(proof.names) for number in corpus.by_name.get(name, ())]
            used = np.array(numbers, dtype=np.int64)
            self._proofs_of.setdefault(proof.place, []).append(self._index.add(parse_goal(proof.goal).features))
            self._used.append(used)
            self._counts[used] += 1

    def __len__(self) -> int:
        return len(self._used)

    def at(self, goal: str, place: Place) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Return of each document how many proofs use it, and the similarity of the goals nearest to this one whose
        proofs do, in all and of the nearest; each ``[documents]``."""
        own = self._proofs_of.get(place, [])
        counts = self._counts.copy()
        for number in own:
            counts[self._used[number]] -= 1
        together, nearest = (np.zeros(self._size, dtype=np.float32) for _ in range(2))
        for similarity, number in self._index.nearest(parse_goal(goal).features, NEAREST + len(own)):
            if number not in own:
                used = self._used[number]
                together[used] += similarity
                nearest[used] = np.maximum(nearest[used], similarity)
        return counts, together, nearest
