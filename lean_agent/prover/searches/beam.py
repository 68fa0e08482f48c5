"""Beam search: of the states at one depth the best few are expanded, and none of the others, ever."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from lean_agent.prover.searches.best_first import BestFirstSettings
from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Node
from lean_agent.prover.tree.priorities import PRIORITIES
from lean_agent.settings import Count


@dataclass(frozen=True)
class BeamSettings(BestFirstSettings):
    """Settings of beam search.

    Attributes:
        beam_width: states kept at each depth.
    """

    beam_width: Count = 8


class BeamSearch(TreeSearch[BeamSettings]):
    """Expand the best states of each depth, by a priority."""

    name = "beam"
    settings_class = BeamSettings

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._priority = PRIORITIES.find(self.settings.priority)
        self._beam: list[Node] = []  # of this depth
        self._left: list[Node] = []  # of the beam, not yet expanded
        self._below: dict[int, Node] = {}  # one step deeper
        self._seen: set[int] = set()  # were in the beam since it last began at the root

    @override
    def opened(self, node: Node) -> None:
        if node.id not in self._seen:
            self._below[node.id] = node

    @override
    def choose(self, limit: int) -> list[Node]:
        if not self._left:
            self._descend()
        chosen, self._left = self._left[:limit], self._left[limit:]
        return chosen

    def _descend(self) -> None:
        """Make a beam of the states below; states that were known before belong to it when they are reached again."""
        for target in (target for node in self._beam for edge in node.edges for target in edge.targets):
            if self.was_opened(target):
                self.opened(self.graph.nodes[target])
        relevant = [node for node in self._below.values() if self.graph.is_relevant(node)]
        relevant.sort(key=lambda node: (-self._priority(node, self.config), node.id))
        self._beam = self._left = relevant[: self.settings.beam_width]
        self._below = {}
        self._seen.update(node.id for node in self._beam)

    @override
    def reopen(self) -> None:
        """Begin at the root once more: other tactics make another beam."""
        self._beam = []
        self._seen = set()
        self._below = {0: self.graph.root}
