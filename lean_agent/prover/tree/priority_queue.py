"""Keep what a best-first search has still to do, in the order of its cost.

Owns when something waits: what cannot help the root is set aside when it comes first, and is looked at again when the
graph has changed so that it may help after all. Knows nothing of where costs come from.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from typing import NamedTuple

from lean_agent.policy.base import Suggestion
from lean_agent.prover.tree.graph import Node, ProofGraph


class QueueEntry(NamedTuple):
    """Something to do at a node, the least ``cost`` first: run a tactic, or ask the policy where there is none."""

    cost: float
    number: int
    node: int
    tactic: Suggestion | None


class PriorityQueue:
    """The entries of one search.

    Args:
        graph: says which nodes may help the root.
        in_turn: as in :meth:`~lean_agent.prover.tree.graph.ProofGraph.is_relevant`.
    """

    def __init__(self, graph: ProofGraph, *, in_turn: bool = False) -> None:
        self._graph = graph
        self._in_turn = in_turn
        self._entries: list[QueueEntry] = []  # sorted, and no heap: it is also read from the middle
        self._set_aside: list[QueueEntry] = []
        self._looked_at = graph.turns
        self._place: dict[int, int] = {}  # of each node: the entry that asks about it; older ones are void
        self._last = 0

    def put(self, cost: float, node: Node, tactic: Suggestion | None = None) -> None:
        """Add something to do; to ask about a node takes the place of an earlier entry that asks about it."""
        self._last += 1
        if tactic is None:
            self._place[node.id] = self._last
        insort(self._entries, QueueEntry(cost, self._last, node.id, tactic))

    def next(self, after: QueueEntry | None = None, *, tactics: bool = False) -> QueueEntry | None:
        """Return the first entry behind ``after`` that may help the root; it stays in the queue.

        Args:
            tactics: nothing but tactics to run.
        """
        if self._looked_at != self._graph.turns:
            self._look_again()
        at = 0 if after is None else bisect_right(self._entries, after)
        while at < len(self._entries):
            entry = self._entries[at]
            if tactics and entry.tactic is None:
                at += 1
            elif entry.tactic is None and self._place[entry.node] != entry.number:
                del self._entries[at]
            elif not self.may_help(entry.node):
                self._set_aside.append(self._entries.pop(at))
            else:
                return entry
        return None

    def remove(self, entry: QueueEntry) -> None:
        """Take out an entry that is done, or has another place."""
        del self._entries[bisect_left(self._entries, entry)]

    def may_help(self, node: int) -> bool:
        """Return whether work on that node is worth anything now."""
        return self._graph.is_relevant(self._graph.nodes[node], in_turn=self._in_turn)

    def _look_again(self) -> None:
        self._looked_at = self._graph.turns
        aside, self._set_aside = self._set_aside, []
        for entry in aside:
            if self.may_help(entry.node):
                insort(self._entries, entry)
            else:
                self._set_aside.append(entry)
