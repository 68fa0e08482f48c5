"""What a search has seen: an AND/OR graph of exact proof states.

A node is a state: goals that have to be proved together. An edge is a tactic that worked on it, with the states that it
leads to: none when it closed everything, one in most cases, several when it left goals that share no metavariable. A
node is solved when one of its edges leads to solved nodes only. Two states are one node when their goals have the same
keys (:attr:`lean_agent.lean.types.Goal.key`), or when they are twins (:mod:`~lean_agent.prover.tree.twins`): then the
names of the first are kept, and a proof that comes from the other is renamed.

Owns which state is known already, what is solved, and the proof. Knows no policy, no Lean server and no budget. Ids are
never used again, and :meth:`ProofGraph.check_invariants` says what must hold.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lean_agent.lean.types import GoalState
from lean_agent.prover.tree.drafts import Begun, FilledDraft
from lean_agent.prover.tree.steps import Groups, Step, join
from lean_agent.prover.tree.twins import Renaming, rename, renaming, shape_of

StateKey = tuple[str, ...]
Proposer = Literal["policy", "closer", "memory", "author"]
WHOLE_PROOFS: tuple[Proposer, ...] = ("memory", "author")
"""Who proposes more than a tactic: what is known of a goal's twin, or what the theorem's author has left unfinished."""
NodeStatus = Literal["open", "expanded", "dead"]
"""``open``: the policy was not asked yet; ``expanded``: it was, and some tactic worked; ``dead``: none did."""


@dataclass(slots=True, eq=False)
class Edge:
    """A tactic that worked.

    Attributes:
        targets: the nodes that it leads to, all of which have to be proved.
        logprob: the tactic's own, in nats; 0 for what no policy proposed.
        proposed_by: who proposed it.
        groups: which goals of the state after the tactic each target is, where there are several.
        steps: what stands in a proof for it, where that is another text: the tactics of a proof of several, or the
            alternatives that have worked.
        broken: it may not be used: a proof that leant on it did not hold when it was run as a whole.
        renamings: for each target, what its hypotheses are called where this tactic leads; empty where no target is
            known by other names.
        begun: a proof that its author has begun, which is the tactic; the targets are the goals of its holes.
    """

    source: int
    targets: tuple[int, ...]
    tactic: str
    logprob: float
    proposed_by: Proposer = "policy"
    groups: Groups = ()
    steps: tuple[Step, ...] = ()
    broken: bool = False
    renamings: tuple[Renaming, ...] = ()
    begun: Begun | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A tactic that did not work. ``kind`` is that of :class:`~lean_agent.errors.TacticFailure`, or ``lean``."""

    tactic: str
    logprob: float
    kind: str
    message: str
    proposed_by: Proposer = "policy"


@dataclass(slots=True, eq=False)
class Node:
    """A proof state.

    Attributes:
        id: index in :attr:`ProofGraph.nodes`.
        logprob: sum over the tactics from the root to here, in nats, by the likeliest way known.
        depth: how many tactics that way has.
        parent: the last edge of that way; ``None`` for the root.
        parents: every edge that leads here.
        edges: every tactic that worked here.
        failures: every tactic that did not.
        value: what a value model says of it, if there is one.
        solved_by: the edge that its proof begins with.
    """

    id: int
    state: GoalState
    key: StateKey
    logprob: float
    depth: int
    parent: Edge | None
    status: NodeStatus = "open"
    parents: list[Edge] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    value: float | None = None
    solved_by: Edge | None = None

    @property
    def is_solved(self) -> bool:
        """Whether its goals are proved."""
        return self.solved_by is not None


@dataclass(frozen=True, slots=True)
class Arrival:
    """What became of a tactic's result.

    Attributes:
        edge: the tactic.
        fresh: nodes that were not known.
        improved: known nodes, still open, that have a likelier way now.
        solved: nodes that this solved, each before those that it helped to solve.
        superfluous: states that nobody needs any more.
    """

    edge: Edge
    fresh: tuple[Node, ...]
    improved: tuple[Node, ...]
    solved: tuple[Node, ...]
    superfluous: tuple[GoalState, ...]


def _proof_by(edge: Edge, parts: Sequence[Sequence[Step]]) -> list[Step]:
    """Return the proof that an edge begins, given those of its targets."""
    if edge.begun is not None:
        return [edge.begun.draft.filled(parts)]
    rest = join(edge.groups, parts) if edge.groups else [step for part in parts for step in part]
    return [*(edge.steps or (edge.tactic,)), *rest]


def key_of(state: GoalState) -> StateKey:
    """Return what a state is known by; states of the same key have the same proofs."""
    return tuple(goal.key for goal in state.goals)


class ProofGraph:
    """All states that a search has seen, the root first.

    Args:
        root: the state before the first tactic.
        twins: whether states that differ in the names of hypotheses alone are one node.
    """

    def __init__(self, root: GoalState, *, twins: bool = True) -> None:
        self.nodes: list[Node] = []
        self.turns = 0
        """Grows whenever a node that was irrelevant may have become relevant."""
        self._by_key: dict[StateKey, Node] = {}
        self._twins = twins
        self._by_shape: dict[tuple[str, ...], Node] = {}
        self._add(root, None, 0.0, 0)

    @property
    def root(self) -> Node:
        """The state before the first tactic."""
        return self.nodes[0]

    def reach(
        self,
        source: Node,
        tactic: str,
        logprob: float,
        parts: Sequence[GoalState],
        *,
        groups: Groups = (),
        proposed_by: Proposer = "policy",
        steps: tuple[Step, ...] = (),
    ) -> Arrival:
        """Record that ``tactic`` led from ``source`` to ``parts``, one state for each of ``groups``.

        A node keeps its first state, since all of one key are alike; its way is the likeliest that is known, until it
        has been expanded.
        """
        edge = Edge(source.id, (), tactic, logprob, proposed_by, groups if len(parts) > 1 else (), steps)
        return self._reached(source, edge, parts)

    def begin(self, begun: Begun) -> Arrival:
        """Record that the author of the root's theorem has begun a proof, which leaves the goals of its holes."""
        return self._reached(
            self.root, Edge(self.root.id, (), begun.draft.text, 0.0, "author", begun=begun), begun.states
        )

    def _reached(self, source: Node, edge: Edge, parts: Sequence[GoalState]) -> Arrival:
        total, depth = source.logprob + edge.logprob, source.depth + 1
        targets, fresh, improved, superfluous = [], [], [], []
        for part in parts:
            node = self._known(part)
            if node is None:
                node = self._add(part, edge, total, depth)
                fresh.append(node)
            else:
                self.turns += 1
                superfluous.append(part)
                if node.status == "open" and not node.edges and total > node.logprob and node is not self.root:
                    node.logprob, node.depth, node.parent = total, depth, edge
                    improved.append(node)
            targets.append(node)
        edge.targets = tuple(node.id for node in targets)
        names = tuple(
            {} if node.key == key_of(part) else renaming(node.state, part)
            for node, part in zip(targets, parts, strict=True)
        )
        edge.renamings = names if any(names) else ()
        source.edges.append(edge)
        for node in {node.id: node for node in targets}.values():
            node.parents.append(edge)
        return Arrival(edge, tuple(fresh), tuple(improved), tuple(self._settle(edge)), tuple(superfluous))

    def close(self, node: Node) -> None:
        """Take in that tactics for ``node`` have been tried: without any edge it is dead."""
        self.turns += node.status == "dead" and bool(node.edges)
        node.status = "expanded" if node.edges else "dead"

    def path(self, node: Node) -> list[Edge]:
        """Return the edges of the likeliest way from the root to ``node``."""
        edges: list[Edge] = []
        while node.parent is not None:
            edges.append(node.parent)
            node = self.nodes[node.parent.source]
        return edges[::-1]

    def value_beside(self, node: Node) -> float:
        """Return the sum of the values of goals that are still to be proved beside the likeliest way to ``node``; 0
        for those that have none."""
        total, below = 0.0, node
        while below.parent is not None:
            beside = (self.nodes[target] for target in below.parent.targets if target != below.id)
            total += sum(other.value for other in beside if other.value is not None and not other.is_solved)
            below = self.nodes[below.parent.source]
        return total

    def is_relevant(self, node: Node, *, in_turn: bool = False) -> bool:
        """Return whether solving ``node`` may help the root: it is not solved, nor is anything that needs it, and
        nothing that is needed beside it is dead. Each hole of a proof that was begun counts by itself.

        Args:
            in_turn: of the goals that a tactic leaves, only the first that is not solved counts. All of them have to
                be proved, so work on the others is for nothing where that one is never solved.
        """
        seen: set[int] = set()
        waiting = [node]
        while waiting:
            reached = waiting.pop()
            if reached.id in seen or reached.is_solved:
                continue
            seen.add(reached.id)
            if reached is self.root:
                return True
            waiting += [self.nodes[edge.source] for edge in reached.parents if self._may_hold(edge, reached, in_turn)]
        return False

    def _may_hold(self, edge: Edge, without: Node, in_turn: bool) -> bool:
        if edge.begun is not None:  # to the author each hole fewer is worth something
            return not edge.broken
        if in_turn and without.id != next((t for t in edge.targets if not self.nodes[t].is_solved), without.id):
            return False
        return not edge.broken and all(
            self.nodes[target].status != "dead" for target in edge.targets if target != without.id
        )

    def proof(self, node: Node) -> list[Step]:
        """Return the proof of a solved node."""
        proofs: dict[int, list[Step]] = {}
        for edge in reversed([*self.proof_edges(node)]):  # what an edge leads to comes after it
            parts = [proofs[target] for target in edge.targets]
            if edge.renamings:
                parts = [rename(part, names) for part, names in zip(parts, edge.renamings, strict=True)]
            proofs[edge.source] = _proof_by(edge, parts)
        return proofs[node.id]

    def filled_draft(self) -> FilledDraft | None:
        """Return what is known of the holes of the proof that the root's author has begun; ``None`` where no hole is
        filled, or the root is proved without it."""
        edge = next((edge for edge in self.root.edges if edge.begun is not None), None)
        if edge is None or edge.begun is None or self.root.solved_by not in (None, edge):
            return None
        nodes = [self.nodes[target] for target in edge.targets]
        names = edge.renamings or ({},) * len(nodes)
        proofs = tuple(
            tuple(rename(self.proof(node), renamed)) if node.is_solved else None
            for node, renamed in zip(nodes, names, strict=True)
        )
        filled = FilledDraft(edge.begun.draft, tuple(state.origin for state in edge.begun.states), proofs)
        return filled if filled.filled else None

    def proof_edges(self, node: Node) -> Iterator[Edge]:
        """Yield the edges of a solved node's proof, in its order."""
        waiting = [node]  # no recursion: a proof may have more steps than Python allows calls
        while waiting:
            edge = waiting.pop().solved_by
            assert edge is not None, "only a solved node has a proof"
            yield edge
            waiting += [self.nodes[target] for target in reversed(edge.targets)]

    def solved_steps(self) -> Iterator[tuple[str, str]]:
        """Yield the main goal and the tactic of every solved node whose proof begins with a tactic proposed for it."""
        for node in self.nodes:
            edge = node.solved_by
            if edge is not None and node.state.goals and edge.proposed_by not in WHOLE_PROOFS:
                yield node.state.goals[0].text, edge.tactic

    def leaps(self) -> list[Edge]:
        """Return the edges of the root's proof whose proofs were put together from parts, and not run in one piece."""
        return [
            edge
            for edge in self.proof_edges(self.root)
            if edge.groups or edge.begun or any(self.nodes[target].parents[0] is not edge for target in edge.targets)
        ]

    def retract(self) -> None:
        """Take back the proof of the root, which did not hold when it was run: what it put together is not used
        again."""
        for edge in self.leaps():
            edge.broken = True
        for node in self.nodes:
            node.solved_by = None
        self.turns += 1
        while any(self._settle(edge) for node in self.nodes for edge in node.edges):
            pass

    def _settle(self, edge: Edge) -> list[Node]:
        """Return the nodes that are solved because ``edge`` is there; each names an edge whose targets were solved
        before, so that no proof goes in a circle."""
        solved: list[Node] = []
        waiting = deque([edge])
        while waiting:
            proving = waiting.popleft()
            source = self.nodes[proving.source]
            if (
                source.is_solved
                or proving.broken
                or not all(self.nodes[target].is_solved for target in proving.targets)
            ):
                continue
            source.solved_by = proving
            self.turns += 1
            solved.append(source)
            waiting += source.parents
        return solved

    def check_invariants(self) -> None:
        """Check what must hold between any two rounds of a search.

        Raises:
            AssertionError: it does not; a defect of the search, not of its input.
        """
        for index, node in enumerate(self.nodes):
            assert node.id == index
            assert self._by_key[node.key] is node
            assert (node.parent is None) == (index == 0)
            assert (node.status == "expanded") <= bool(node.edges)
            assert abs(sum(edge.logprob for edge in self.path(node)) - node.logprob) < 1e-6 * max(1, abs(node.logprob))
            for edge in node.edges:
                assert edge.source == index
                assert len(edge.renamings) in (0, len(edge.targets))
                assert all(edge in self.nodes[target].parents for target in edge.targets)
                assert len(edge.groups) in (0, len(edge.targets))
            if node.solved_by is not None:
                assert node.solved_by in node.edges and not node.solved_by.broken
                assert len(self.proof(node)) > 0

    def _known(self, state: GoalState) -> Node | None:
        """Return the node of that key, or of a twin."""
        node = self._by_key.get(key_of(state))
        if node is None and self._twins and (shape := shape_of(state)) is not None:
            node = self._by_shape.get(shape)
        return node

    def _add(self, state: GoalState, parent: Edge | None, logprob: float, depth: int) -> Node:
        node = Node(len(self.nodes), state, key_of(state), logprob, depth, parent)
        self.nodes.append(node)
        self._by_key[node.key] = node
        if self._twins and (shape := shape_of(state)) is not None:
            self._by_shape.setdefault(shape, node)
        return node
