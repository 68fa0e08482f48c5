"""Depth-first search with one tactic at a time, drawn at random from the policy's suggestions.

What LeanDojo-v2 does, as a baseline: a stack of states; at the one on top the policy is asked, one of its tactics is
drawn and tried; when it works its state goes on top, when as many have failed as are allowed the state is given up.
With a policy that draws at random it begins again when the stack is empty, until the budget is spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from lean_agent.policy.base import Suggestion
from lean_agent.prover.config import SearchSettings
from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Node
from lean_agent.settings import Count


@dataclass(frozen=True)
class DepthFirstSettings(SearchSettings):
    """Settings of depth-first search.

    Attributes:
        trials: tactics that may fail at a state before it is given up; one that leads nowhere new has failed.
    """

    trials: Count = 5


class DepthFirstSearch(TreeSearch[DepthFirstSettings]):
    """Try one tactic at the newest state."""

    name = "depth_first"
    settings_class = DepthFirstSettings
    keeps_states = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._stack: list[Node] = []

    @override
    def opened(self, node: Node) -> None:
        self._stack.append(node)

    @override
    def choose(self, limit: int) -> list[Node]:
        while self._stack:
            top = self._stack[-1]
            if self.times_asked[top.id] < self.settings.trials and self.graph.is_relevant(top):
                return [top]
            self._stack.pop()
        return []

    @override
    def select(self, answers: Sequence[tuple[Node, Sequence[Suggestion]]]) -> list[tuple[Node, Suggestion]]:
        """Draw one of them."""
        return [(node, self.random.choice(suggestions)) for node, suggestions in answers if suggestions]

    @override
    def reopen(self) -> None:
        """Begin at the root as if nothing had been tried, as often as the budget allows."""
        self.resamples_left = 1
        self.tried.clear()
        self._stack = [self.graph.root]
