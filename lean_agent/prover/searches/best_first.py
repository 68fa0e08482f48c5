"""Best-first search: the open state of the highest priority comes next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from lean_agent.prover.config import TreeSettings
from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Node
from lean_agent.prover.tree.priorities import PRIORITIES
from lean_agent.prover.tree.priority_queue import PriorityQueue
from lean_agent.settings import NotNegative


@dataclass(frozen=True)
class BestFirstSettings(TreeSettings):
    """Settings of searches that rank states.

    Attributes:
        priority: what states are ranked by, a name in :data:`lean_agent.registry.PRIORITIES`, or ``module:function``.
        length_exponent: of the priority ``logprob``: 0 ranks by the plain sum of log-probabilities, 1 by their mean per
            tactic.
        value_weight: of the priority ``logprob``: nats for each step that a value model, if there is one, says a proof
            has left.
    """

    priority: str = "logprob"
    length_exponent: NotNegative = 1.0
    value_weight: NotNegative = 0.1

    def __post_init__(self) -> None:
        PRIORITIES.find(self.priority)


class BestFirstSearch(TreeSearch[BestFirstSettings]):
    """Expand the open states of the highest priority, with all that the policy proposes there."""

    name = "best_first"
    settings_class = BestFirstSettings

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._priority = PRIORITIES.find(self.settings.priority)
        self._queue = PriorityQueue(self.graph)

    @override
    def opened(self, node: Node) -> None:
        self._queue.put(-self._priority(node, self.config), node)

    @override
    def choose(self, limit: int) -> list[Node]:
        chosen: list[Node] = []
        while len(chosen) < limit and (entry := self._queue.next()):
            self._queue.remove(entry)
            chosen.append(self.graph.nodes[entry.node])
        return chosen
