"""The search tree: nodes are exact proof states, edges are tactics that worked.

Owns which state is known already, how each was reached, and at what log-probability. Knows no policy, no Lean server
and no budget. Two states are one node when all their goals print alike. What a node says about its way is the script of
its own state, so a printed proof always replays, whatever other ways lead to a state that looks the same. Habits of
ReProver's search tree: ids are never used again, and :meth:`SearchTree.check_invariants` says what must hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lean_agent.lean.types import GoalState

NodeStatus = Literal["open", "expanded", "dead", "solved"]
"""``open``: not yet expanded; ``expanded``: its tactics are being tried, or some worked; ``dead``: none did;
``solved``: no goal is left."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A tactic that led from one node to another. ``logprob`` is the tactic's own, in nats."""

    source: int
    target: int
    tactic: str
    logprob: float


@dataclass(slots=True, eq=False)
class Node:
    """A proof state.

    Attributes:
        id: index in :attr:`SearchTree.nodes`.
        logprob: sum over the tactics of the state's own script, in nats.
        parent: the edge that the state came by; ``None`` for the root.
        children: every edge that leaves the node, known targets included.
    """

    id: int
    state: GoalState
    logprob: float
    parent: Edge | None
    status: NodeStatus
    children: list[Edge] = field(default_factory=list)

    @property
    def depth(self) -> int:
        """How many tactics lead from the root to the state."""
        return len(self.state.script)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What became of a state that a tactic led to.

    Attributes:
        node: the node that stands for the state.
        improved: the node is new, or was reached by a likelier way: its place in a queue has changed.
        superfluous: the state that nobody needs any more, if any.
    """

    node: Node
    improved: bool
    superfluous: GoalState | None


class SearchTree:
    """All states that a search has seen."""

    def __init__(self, root: GoalState) -> None:
        self.nodes: list[Node] = []
        self._by_text: dict[str, Node] = {}
        self._add(root, 0.0, None)

    @property
    def root(self) -> Node:
        """The state before the first tactic."""
        return self.nodes[0]

    def reach(self, source: Node, tactic: str, logprob: float, state: GoalState) -> Arrival:
        """Record that ``tactic`` led from ``source`` to ``state``.

        A known node that is still open moves to the new way when that is likelier; one that has been expanded keeps its
        own, since its children grew from there.
        """
        total = source.logprob + logprob
        known = self._by_text.get(state.text)
        target = known.id if known else len(self.nodes)
        edge = Edge(source.id, target, tactic, logprob)
        source.children.append(edge)
        if known is None:
            return Arrival(self._add(state, total, edge), improved=True, superfluous=None)
        if known.status != "open" or total <= known.logprob:
            return Arrival(known, improved=False, superfluous=state)
        replaced, known.state, known.logprob, known.parent = known.state, state, total, edge
        return Arrival(known, improved=True, superfluous=replaced)

    def begin(self, node: Node) -> None:
        """Tactics for ``node`` are about to be tried: from here on it keeps the way that it came by."""
        node.status = "expanded"

    def close(self, node: Node) -> None:
        """All tactics for ``node`` have been tried: without any edge it is dead."""
        if not node.children:
            node.status = "dead"

    def path(self, node: Node) -> list[Edge]:
        """The edges from the root to ``node``."""
        edges: list[Edge] = []
        while node.parent is not None:
            edges.append(node.parent)
            node = self.nodes[node.parent.source]
        return edges[::-1]

    def check_invariants(self) -> None:
        """What must hold between any two rounds of a search.

        Raises:
            AssertionError: it does not; a defect of the search, not of its input.
        """
        for index, node in enumerate(self.nodes):
            assert node.id == index
            assert self._by_text[node.state.text] is node
            assert (node.parent is None) == (index == 0)
            assert (node.status == "solved") == node.state.is_solved
            assert bool(node.children) == (node.status == "expanded")
            path = self.path(node)
            assert tuple(edge.tactic for edge in path) == node.state.script[self.root.depth :]
            assert abs(sum(edge.logprob for edge in path) - node.logprob) < 1e-6 * max(1.0, abs(node.logprob))
            for edge in node.children:
                assert edge.source == index
                assert 0 <= edge.target < len(self.nodes)

    def _add(self, state: GoalState, logprob: float, parent: Edge | None) -> Node:
        node = Node(len(self.nodes), state, logprob, parent, "solved" if state.is_solved else "open")
        self.nodes.append(node)
        self._by_text[state.text] = node
        return node
