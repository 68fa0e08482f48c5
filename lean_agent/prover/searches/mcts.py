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
from typing import Any

from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Edge, Node


class MonteCarloTreeSearch(TreeSearch):
    """See :class:`~lean_agent.prover.searches.tree_search.TreeSearch`.

    The value of a state is ``exp`` of the value model's word where there is one; else ``1 / (1 + goals)`` for a state
    that was reached, and 0 for one where all tactics failed.
    """

    name = "mcts"
    keeps_states = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._visits: Counter[int] = Counter()
        self._sums: defaultdict[int, float] = defaultdict(float)
        self._edge_visits: Counter[int] = Counter()  # by the edge's own identity
        self._ways: defaultdict[int, list[list[Edge]]] = defaultdict(list)  # descents under way, by their last node
        self._known: set[int] = set()
        self._asked_about: Counter[int] = Counter()

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`."""
        self._known.add(node.id)

    def choose(self, limit: int) -> list[Node]:
        """See :meth:`TreeSearch.choose`; descents of one round keep out of each other's way by their visits."""
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

    def expanded(self, node: Node, edges: Sequence[Edge]) -> None:
        """The value of the best of what came out goes up the way that was taken."""
        self._asked_about[node.id] += 1
        value = max((self._value_of(edge) for edge in edges), default=0.0)
        for way in self._ways.pop(node.id, []):
            self._back_up(node, way, value)

    def _back_up(self, node: Node, way: Sequence[Edge], value: float) -> None:
        self._sums[node.id] += value
        for edge in reversed(way):
            value *= math.prod(self._mean(self.graph.nodes[target]) for target in {*edge.targets} - {node.id})
            node = self.graph.nodes[edge.source]
            self._sums[node.id] += value

    def reopen(self) -> None:
        """Every node may be asked about once more."""
        self._asked_about.clear()

    def _descend(self, taken: Sequence[Node]) -> tuple[Node | None, list[Edge]]:
        """A node to ask about and the way there; ``None`` when every way is closed."""
        node, way = self.graph.root, list[Edge]()
        closed: set[int] = {one.id for one in taken}
        on_way: set[int] = {node.id}
        while True:
            if node.id not in closed and node.id in self._known and self._wants_more(node):
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
        asked = self._asked_about[node.id]
        if asked == 0:
            return True
        again = self.context.samples and asked <= self.config.resamples
        return again and len(node.edges) < self._visits[node.id] ** self.config.widening

    def _best_edge(self, node: Node, closed: set[int], on_way: set[int]) -> tuple[Edge, Node] | None:
        """The edge to follow and the goal of it; cycles and what is proved or closed are left out."""
        total = math.sqrt(max(1, self._visits[node.id]))
        mass = sum(math.exp(edge.logprob) for edge in node.edges) or 1.0
        best: tuple[float, Edge, Node] | None = None
        for edge in node.edges:
            targets = [self.graph.nodes[target] for target in edge.targets]
            unsolved = [one for one in targets if not one.is_solved]
            if edge.broken or not unsolved or any(one.id in closed or one.id in on_way for one in unsolved):
                continue
            seldom = self.config.exploration * math.exp(edge.logprob) / mass * total
            score = math.prod(map(self._mean, unsolved)) + seldom / (1 + self._edge_visits[id(edge)])
            if best is None or score > best[0]:
                best = score, edge, min(unsolved, key=lambda one: (self._visits[one.id], one.id))
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
