"""Best-first search: the open state of the highest priority comes next."""

from __future__ import annotations

import heapq
from typing import Any

from lean_agent.prover.graph import Node
from lean_agent.prover.priorities import priority
from lean_agent.prover.tree_search import TreeSearch


class BestFirstSearch(TreeSearch):
    """See :class:`~lean_agent.prover.tree_search.TreeSearch`. The priority is the config's."""

    name = "best_first"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._priority = priority(self.config.priority)
        self._queue: list[tuple[float, int]] = []
        self._place: dict[int, float] = {}  # of each node in the queue; older entries of it are void

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`."""
        self._place[node.id] = -self._priority(node, self.config)
        heapq.heappush(self._queue, (self._place[node.id], node.id))

    def choose(self, limit: int) -> list[Node]:
        """See :meth:`TreeSearch.choose`."""
        chosen: list[Node] = []
        while self._queue and len(chosen) < limit:
            place, node_id = heapq.heappop(self._queue)
            if self._place.get(node_id) != place:
                continue
            del self._place[node_id]
            node = self.graph.nodes[node_id]
            if self.graph.is_relevant(node):
                chosen.append(node)
        return chosen
