"""Best-first search: the open state of the highest priority comes next."""

from __future__ import annotations

from typing import Any

from lean_agent.prover.agenda import Agenda
from lean_agent.prover.graph import Node
from lean_agent.prover.priorities import PRIORITIES
from lean_agent.prover.tree_search import TreeSearch


class BestFirstSearch(TreeSearch):
    """See :class:`~lean_agent.prover.tree_search.TreeSearch`. The priority is the config's."""

    name = "best_first"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._priority = PRIORITIES.find(self.config.priority)
        self._agenda = Agenda(self.graph)

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`."""
        self._agenda.put(-self._priority(node, self.config), node)

    def choose(self, limit: int) -> list[Node]:
        """See :meth:`TreeSearch.choose`."""
        chosen: list[Node] = []
        while len(chosen) < limit and (entry := self._agenda.next()):
            self._agenda.remove(entry)
            chosen.append(self.graph.nodes[entry.node])
        return chosen
