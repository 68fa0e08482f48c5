"""Depth-first search with one tactic at a time, drawn at random from the policy's suggestions.

What LeanDojo-v2 does, as a baseline: a stack of states; at the one on top the policy is asked, one of its tactics is
drawn and tried; when it works its state goes on top, when as many have failed as are allowed the state is given up.
With a policy that draws at random it begins again when the stack is empty, until the budget is spent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from lean_agent.policy.base import Suggestion
from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Edge, Node


class DepthFirstSearch(TreeSearch):
    """See :class:`~lean_agent.prover.searches.tree_search.TreeSearch`."""

    name = "depth_first"
    keeps_states = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._stack: list[Node] = []
        self._trials: Counter[int] = Counter()

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`."""
        self._stack.append(node)

    def proposals(self, answers: Sequence[tuple[Node, Sequence[Suggestion]]]) -> list[tuple[Node, Suggestion]]:
        """One of them."""
        return [(node, self.random.choice(suggestions)) for node, suggestions in answers if suggestions]

    def expanded(self, node: Node, edges: Sequence[Edge]) -> None:
        """A tactic that leads nowhere new has failed."""
        self._trials[node.id] += 1

    def choose(self, limit: int) -> list[Node]:
        """See :meth:`TreeSearch.choose`."""
        while self._stack:
            top = self._stack[-1]
            if self._trials[top.id] < self.config.trials and self.graph.is_relevant(top):
                return [top]
            self._stack.pop()
        return []

    def reopen(self) -> None:
        """From the root once more, as if nothing had been tried; as often as the budget allows."""
        self._resamples_left = 1
        self._trials.clear()
        self._tried.clear()
        self._stack = [self.graph.root]
