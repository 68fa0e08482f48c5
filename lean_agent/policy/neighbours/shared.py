"""Neighbours for many searches: a database is read into one index, and each search has a copy of its own.

Reading the goals of 10,000 proofs takes seconds, and copying what came of it milliseconds. When the database has
changed, what is new in it is taken in, and what has gone is forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from threading import Lock

from lean_agent.database.records import FoundProof, StoredTheorem
from lean_agent.policy.base import TacticExample
from lean_agent.policy.neighbours.policy import NeighbourPolicy, found_examples, tactic_examples


class SharedNeighbours:
    """Steps of proofs, each with the theorems that it proves. Threads may share it."""

    def __init__(self) -> None:
        self._policy = NeighbourPolicy()
        self._steps: dict[str, list[TacticExample]] = {}  # by the full names of theorems
        self._uses: Counter[TacticExample] = Counter()
        self._lock = Lock()

    def update(
        self, theorems: Iterable[StoredTheorem], practised: Iterable[FoundProof] = (), names: Collection[str] = ()
    ) -> None:
        """Know these proofs and no others.

        Args:
            theorems: with traced proofs.
            practised: proofs that practice has found.
            names: declarations that a tactic may name.
        """
        steps: dict[str, list[TacticExample]] = {}
        for stored in theorems:
            steps.setdefault(stored.full_name, []).extend(tactic_examples([stored]))
        for proof in practised:
            steps.setdefault(proof.full_name, []).extend(found_examples([proof]))
        uses = Counter(step for of_theorem in steps.values() for step in of_theorem)
        with self._lock:
            self._policy.forget(self._uses.keys() - uses.keys())
            self._policy.add(uses)
            self._policy.may_name(names)
            self._steps, self._uses = steps, uses

    def without(self, hidden: Collection[str] = ()) -> NeighbourPolicy:
        """Return a policy of one's own that has seen no proof of these theorems.

        Args:
            hidden: full names.
        """
        with self._lock:
            policy, uses = self._policy.copy(), self._uses
            theirs = Counter(step for name in set(hidden) for step in self._steps.get(name, ()))
        policy.forget(step for step, times in theirs.items() if times == uses[step])
        return policy
