"""Monte-Carlo tree search with progressive widening.

Each descent starts at the root and follows, at every node, the edge of the highest PUCT score
``Q + c * p * sqrt(N) / (1 + n)`` (AlphaZero, arXiv 1712.01815), p being the policy's probabilities of the tactics that
worked, made to sum up to 1; of an edge's goals it follows the least visited. It ends at a node that was not asked about
yet, or that has fewer than ``N ** widening`` tactics that worked (Couëtoux et al. 2011), where the policy is asked. The
value of what comes out goes up along the way; that of an edge is the product of its goals' values, so on its way up a
value is multiplied by the means of the goals beside it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from typing_extensions import override

from lean_agent.prover.config import TreeSettings
from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Edge, Node
from lean_agent.settings import Bound, NotNegative


@dataclass(frozen=True)
class MonteCarloSettings(TreeSettings):
    """Settings of Monte-Carlo tree search.

    Attributes:
        exploration: weight of what was seldom visited.
        widening: a state visited n times is asked about again when it has fewer than ``n ** widening`` tactics that
            worked.
    """

    exploration: NotNegative = 1.0
    widening: Annotated[float, Bound("a number above 0 and at most 1", lambda value: 0 < value <= 1)] = 0.5


class MonteCarloTreeSearch(TreeSearch[MonteCarloSettings]):
    """Descend from the root by PUCT, and back values up.

    The value of a state is ``exp`` of the value model's word where there is one; else ``1 / (1 + goals)`` for a state
    that was reached, and 0 for one where all tactics failed.
    """

    name = "mcts"
    settings_class = MonteCarloSettings
    keeps_states = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._visits: Counter[int] = Counter()
        self._sums: defaultdict[int, float] = defaultdict(float)
        self._edge_visits: Counter[int] = Counter()  # by the edge's own identity
        self._ways: defaultdict[int, list[list[Edge]]] = defaultdict(list)  # descents under way, by their last node

    @override
    def choose(self, limit: int) -> list[Node]:
        """Descend up to ``limit`` times; descents of one round keep out of each other's way by their visits."""
        chosen: list[Node] = []
        for _ in range(limit):
            node, way = self._descend(chosen)
            if node is None:
                break
            chosen.append(node)
            self._ways[node.id].append(way)
            for visited in {node.id, *(edge.source for edge in way)}:
                self._visits[visited] += 1
            for edge in way:
                self._edge_visits[id(edge)] += 1
        return chosen

    @override
    def expanded(self, node: Node, edges: Sequence[Edge]) -> None:
        """Back the value of the best of what came out up the way that was taken."""
        best = max((self._value_of(edge) for edge in edges), default=0.0)
        for way in self._ways.pop(node.id, []):
            self._back_up(node, way, best)

    @override
    def reopen(self) -> None:
        """Leave the tree as it is: every node may be asked about once more."""

    def _back_up(self, node: Node, way: Sequence[Edge], value: float) -> None:
        self._sums[node.id] += value
        for edge in reversed(way):
            value *= math.prod(self._mean(self.graph.nodes[target]) for target in {*edge.targets} - {node.id})
            node = self.graph.nodes[edge.source]
            self._sums[node.id] += value

    def _descend(self, taken: Sequence[Node]) -> tuple[Node | None, list[Edge]]:
        """Return a node to ask about and the way there; ``None`` when every way is closed."""
        node, way = self.graph.root, list[Edge]()
        closed = {other.id for other in taken}
        on_way = {node.id}
        while True:
            if node.id not in closed and self.was_opened(node.id) and self._wants_more(node):
                return node, way
            step = self._best_edge(node, closed, on_way)
            if step is None:
                closed.add(node.id)
                if not way:
                    return None, way
                on_way.discard(node.id)
                node = self.graph.nodes[way.pop().source]
                continue
            edge, node = step
            way.append(edge)
            on_way.add(node.id)

    def _wants_more(self, node: Node) -> bool:
        asked = self.times_asked[node.id]
        if asked == 0:
            return True
        again = self.context.samples and asked <= self.config.resamples
        return again and len(node.edges) < self._visits[node.id] ** self.settings.widening

    def _best_edge(self, node: Node, closed: set[int], on_way: set[int]) -> tuple[Edge, Node] | None:
        """Return the edge to follow and the goal of it; cycles and what is proved or closed are left out."""
        total = math.sqrt(max(1, self._visits[node.id]))
        mass = sum(math.exp(edge.logprob) for edge in node.edges) or 1.0
        best: tuple[float, Edge, Node] | None = None
        for edge in node.edges:
            targets = [self.graph.nodes[target] for target in edge.targets]
            unsolved = [goal for goal in targets if not goal.is_solved]
            if edge.broken or not unsolved or any(goal.id in closed or goal.id in on_way for goal in unsolved):
                continue
            seldom = self.settings.exploration * math.exp(edge.logprob) / mass * total
            score = math.prod(map(self._mean, unsolved)) + seldom / (1 + self._edge_visits[id(edge)])
            if best is None or score > best[0]:
                best = score, edge, min(unsolved, key=lambda goal: (self._visits[goal.id], goal.id))
        return best[1:] if best else None

    def _mean(self, node: Node) -> float:
        visits = self._visits[node.id]
        return self._sums[node.id] / visits if visits and not node.is_solved else self._guess(node)

    def _value_of(self, edge: Edge) -> float:
        return math.prod(self._guess(self.graph.nodes[target]) for target in edge.targets)

    def _guess(self, node: Node) -> float:
        if node.is_solved:
            return 1.0
        if node.status == "dead":
            return 0.0
        return min(1.0, math.exp(node.value)) if node.value is not None else 1 / (1 + len(node.state.goals))
