"""Beam search: of the states at one depth the best few are expanded, and none of the others, ever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Edge, Node
from lean_agent.prover.tree.priorities import PRIORITIES


class BeamSearch(TreeSearch):
    """Beam search; its width and the priority of states are the config's."""

    name = "beam"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._priority = PRIORITIES.find(self.config.priority)
        self._waiting: list[Node] = []  # of this depth's beam, not yet expanded
        self._running = 0  # of this depth's beam, being expanded
        self._below: dict[int, Node] = {}  # one step deeper
        self._seen: set[int] = set()  # were in the beam since it last began at the root
        self._opened: set[int] = set()

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`."""
        self._opened.add(node.id)
        if node.id not in self._seen:
            self._below[node.id] = node

    def expanded(self, node: Node, edges: Sequence[Edge]) -> None:
        """Known states belong to the next depth too, when they are expanded once more."""
        self._running -= 1
        for target in (target for edge in node.edges for target in edge.targets):
            if target in self._opened and target not in self._seen:
                self._below[target] = self.graph.nodes[target]

    def choose(self, limit: int) -> list[Node]:
        """See :meth:`TreeSearch.choose`."""
        if not self._waiting and not self._running:
            relevant = [node for node in self._below.values() if self.graph.is_relevant(node)]
            relevant.sort(key=lambda node: (-self._priority(node, self.config), node.id))
            self._waiting = relevant[: self.config.beam_width]
            self._below = {}
            self._seen.update(node.id for node in self._waiting)
        chosen = self._waiting[:limit]
        self._waiting = self._waiting[limit:]
        self._running += len(chosen)
        return chosen

    def reopen(self) -> None:
        """From the root once more: other tactics make another beam."""
        self._seen = set()
        self._below = {0: self.graph.root}
