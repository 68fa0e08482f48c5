"""Best-first search: the open state of the highest priority comes next."""

from __future__ import annotations

from typing import Any

from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Node
from lean_agent.prover.tree.priorities import PRIORITIES
from lean_agent.prover.tree.priority_queue import PriorityQueue


class BestFirstSearch(TreeSearch):
    """See :class:`~lean_agent.prover.searches.tree_search.TreeSearch`. The priority is the config's."""

    name = "best_first"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._priority = PRIORITIES.find(self.config.priority)
        self._queue = PriorityQueue(self.graph)

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`."""
        self._queue.put(-self._priority(node, self.config), node)

    def choose(self, limit: int) -> list[Node]:
        """See :meth:`TreeSearch.choose`."""
        chosen: list[Node] = []
        while len(chosen) < limit and (entry := self._queue.next()):
            self._queue.remove(entry)
            chosen.append(self.graph.nodes[entry.node])
        return chosen
