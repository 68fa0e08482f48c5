"""What the searches over states have in common: the graph, the budget, closers, memory, and the proof's last check.

Owns everything but the choice of what comes next, which is :meth:`TreeSearch.choose` of each search. A proof that was
put together from parts is run in one piece before it counts as found; when Lean refutes it, its joints are taken out of
the graph and the search goes on. The judge of :mod:`lean_agent.prover.provers` still comes after that.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from lean_agent.errors import CRASHES, LeanError, TacticFailure
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.prover.config import SearchBudget, SearchConfig, SearchResult, SearchStatus
from lean_agent.prover.searches.base import Outcome, Question, Step, Trial
from lean_agent.prover.tree.graph import Edge, Failure, Node, ProofGraph, Proposer
from lean_agent.prover.tree.proof_cache import ProvedGoals
from lean_agent.prover.tree.steps import Step as PlainStep
from lean_agent.prover.tree.steps import count_steps, render, separable

MAX_MESSAGE_CHARS = 400
"""Of what Lean said to a tactic that failed, so much is kept."""


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What a search is given.

    Attributes:
        config: how to search.
        samples: whether the policy draws at random, so that asking again gives other answers.
        memory: goals proved earlier in the run.
        valued: whether a value model says something of each state.
    """

    config: SearchConfig = field(default_factory=SearchConfig)
    samples: bool = False
    memory: ProvedGoals = field(default_factory=ProvedGoals)
    valued: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A tactic under way. ``node`` is ``None`` for the last check of a proof; ``steps`` as in
    :class:`~lean_agent.prover.tree.graph.Edge`."""

    node: Node | None
    tactic: str
    logprob: float
    proposed_by: Proposer
    steps: tuple[PlainStep, ...] = ()


class TreeSearch(ABC):
    """A search for one theorem over its states; see :class:`~lean_agent.prover.searches.base.Search`.

    A search of a new kind derives from it and chooses the nodes to expand. It is called by its class's name unless it
    has a ``name``.

    Args:
        root: the state to prove.
        context: what it may use.
        budget: its share; by default the one of the config.
    """

    name: ClassVar[str]
    keeps_states: ClassVar[bool] = False
    """Whether a node may be expanded more than once, so that its state has to live on."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def __init__(self, root: GoalState, context: SearchContext, budget: SearchBudget | None = None) -> None:
        self.graph = ProofGraph(root)
        self.seconds = 0.0
        self.config = context.config
        self.context = context
        self.budget = budget or context.config.budget
        self.random = random.Random(context.config.seed)
        self._expansions = self._failures = self._tokens = 0
        self._lean_calls = 1
        self._resamples_left = context.config.resamples if context.samples else 0
        self._keeps_states = self.keeps_states or self._resamples_left > 0
        self._was_cut = self._stopped = False
        self._proved = root.is_solved
        self._checked = True  # whether the proof that is there holds in one piece
        self._next: list[Node] = []  # chosen, but not asked about yet
        self._round: list[Node] = []
        self._asked: list[Asked] = []
        self._tried: defaultdict[int, set[str]] = defaultdict(set)
        self._fresh: list[Node] = [] if root.is_solved else [self.graph.root]  # not yet seen by closers or memory
        self._arrived: list[Node] = []  # not yet told to the search that chooses
        self._released: set[int] = set()

    # What a search of a new kind says

    @abstractmethod
    def choose(self, limit: int) -> list[Node]:
        """Up to ``limit`` relevant nodes to ask the policy about now, the best first; none when none is left."""

    @abstractmethod
    def opened(self, node: Node) -> None:
        """A node is there to be chosen: it is new, has a likelier way, or is open once more."""

    def expanded(self, node: Node, edges: Sequence[Edge]) -> None:
        """The tactics that the policy proposed for ``node`` have run; those that worked are ``edges``."""
        return

    def proposals(self, answers: Sequence[tuple[Node, Sequence[Suggestion]]]) -> list[tuple[Node, Suggestion]]:
        """Which tactics to run now, given what the policy has just said of some nodes and was not tried there: all."""
        return [(node, suggestion) for node, suggestions in answers for suggestion in suggestions]

    def has_waiting(self) -> bool:
        """Whether tactics that the policy has proposed before are still to be run."""
        return False

    def tried_out(self) -> Sequence[Node]:
        """The nodes whose tactics have all run with this round; where none of them worked the node is dead."""
        return self._round

    def question(self, node: Node) -> Question:
        """What to ask the policy about ``node``."""
        return Question(node.state.goals[0].text)

    def reopen(self) -> None:
        """Nothing is left: every node may be expanded once more, with a policy whose next answers are others."""
        for node in self.graph.nodes:
            self.opened(node)

    # What the driver asks

    @property
    def seconds_left(self) -> float:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return self.budget.seconds - self.seconds

    @property
    def graphs(self) -> Sequence[ProofGraph]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return (self.graph,)

    @property
    def is_over(self) -> bool:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        if self._proved:
            return self._checked
        budget = self.budget
        return (
            self._stopped
            or self._lean_calls >= budget.lean_calls
            or (self._expansions >= budget.expansions and not self._needs_lean_alone())
            or (budget.tokens is not None and self._tokens >= budget.tokens)
            or self.seconds_left <= 0
            or not (self._needs_lean_alone() or self._prepare())
        )

    def ask(self) -> list[Question]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        if self._proved:
            return []
        limit = min(self.config.nodes_per_round, self.budget.expansions - self._expansions)
        if limit > 0 and self._prepare():
            self._round, self._next = self._next[:limit], self._next[limit:]
            for late in self._next:
                self.opened(late)
            self._next = []
        self._expansions += len(self._round)
        return [self.question(node) for node in self._round]

    def propose(self, answers: Sequence[Sequence[Suggestion]], tokens: int) -> list[Trial]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        self._tokens += tokens
        if self._proved:
            proof = tuple(self.graph.proof(self.graph.root))
            self._asked = [Asked(None, "\n".join(render(proof)), 0.0, "policy", proof)]
        else:
            self._asked = self._closing() + self._suggested(answers)
        left = max(0, self.budget.lean_calls - self._lean_calls)
        self._was_cut = len(self._asked) > left
        del self._asked[left:]
        self._lean_calls += len(self._asked)
        for asked in self._asked:
            if asked.node is not None:
                self._tried[asked.node.id].add(asked.tactic)
        apart = self.config.and_or
        return [
            Trial(
                self.graph.root.state if asked.node is None else asked.node.state,
                asked.tactic,
                apart and bool(asked.node),
                max(1, count_steps(asked.steps)),
            )
            for asked in self._asked
        ]

    def absorb(self, outcomes: Sequence[Outcome]) -> list[GoalState]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        if self._proved:
            (outcome,) = outcomes
            self._checked = True
            if _refutes(outcome):
                self._retract()
            return [] if isinstance(outcome, LeanError) else [outcome.state]
        superfluous: list[GoalState] = []
        worked: defaultdict[int, list[Edge]] = defaultdict(list)
        for asked, outcome in zip(self._asked, outcomes, strict=True):
            if asked.node is None:
                continue
            if isinstance(outcome, LeanError):
                self._failed(asked, asked.node, outcome)
                continue
            edge, unneeded = self._worked(asked, asked.node, outcome)
            superfluous += unneeded
            if asked.proposed_by == "policy":
                worked[asked.node.id].append(edge)
        for node in self.tried_out():
            self.graph.close(node)
        for node in self._round:
            self.expanded(node, worked[node.id])
        superfluous += self._spent()
        self._round = []
        return superfluous

    def unvalued(self) -> list[Node]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        if not self.context.valued:
            return []
        return [node for node in self.graph.nodes if node.value is None and node.state.goals]

    def stop(self) -> None:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        self._stopped = True

    def live_states(self) -> list[GoalState]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return [node.state for node in self.graph.nodes if node.id not in self._released]

    def result(self) -> SearchResult:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        is_proof = self._proved and self._checked
        unfinished = self._proved or self._stopped or self._was_cut or self._needs_lean_alone() or self._prepare()
        status: SearchStatus = "proved" if is_proof else "budget" if unfinished else "failed"
        root = self.graph.root
        return replace(
            self.spent, status=status, steps=tuple(self.graph.proof(root)) if is_proof and root.is_solved else ()
        )

    @property
    def spent(self) -> SearchResult:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return SearchResult(
            status="failed",
            states=len(self.graph.nodes),
            expansions=self._expansions,
            lean_calls=self._lean_calls,
            failures=self._failures,
            tokens=self._tokens,
            seconds=self.seconds,
        )

    # Steps of a round

    def _needs_lean_alone(self) -> bool:
        """Whether a round can do without the policy: the last check of a proof, closing tactics, what still waits."""
        return not self._checked or any(self._closing_for(node) for node in self._fresh) or self.has_waiting()

    def _prepare(self) -> bool:
        """Have the next nodes chosen, if there are any."""
        self._welcome()
        if not self._next:
            self._next = self.choose(self.config.nodes_per_round)
        while not self._next and self._resamples_left and not self._proved:
            self._resamples_left -= 1
            self.reopen()
            self._next = self.choose(self.config.nodes_per_round)
        return bool(self._next)

    def _welcome(self) -> None:
        """Nodes that closers and memory have nothing for are there to be chosen."""
        for node in [node for node in self._fresh if not self._closing_for(node)]:
            self._fresh.remove(node)
            self.opened(node)

    def _closing_for(self, node: Node) -> list[Asked]:
        """What to try at a new node before the policy is asked about it."""
        if node.is_solved:
            return []
        closing = [Asked(node, closer, 0.0, "closer") for closer in self.config.closers]
        steps = self.context.memory.find(node.key) if self.config.remember else None
        if steps is not None:
            closing.insert(0, Asked(node, "\n".join(render(steps)), 0.0, "memory", steps))
        return [asked for asked in closing if asked.tactic not in self._tried[node.id]]

    def _closing(self) -> list[Asked]:
        return [asked for node in self._fresh for asked in self._closing_for(node)]

    def _suggested(self, answers: Sequence[Sequence[Suggestion]]) -> list[Asked]:
        untried = [
            (node, [suggestion for suggestion in suggestions if suggestion.tactic not in self._tried[node.id]])
            for node, suggestions in zip(self._round, answers, strict=True)
        ]
        return [Asked(node, tactic.tactic, tactic.logprob, "policy") for node, tactic in self.proposals(untried)]

    def _failed(self, asked: Asked, node: Node, error: LeanError) -> None:
        self._failures += 1
        kind = error.kind if isinstance(error, TacticFailure) else "lean"
        message = str(error)[:MAX_MESSAGE_CHARS]
        node.failures.append(Failure(asked.tactic, asked.logprob, kind, message, asked.proposed_by))

    def _worked(self, asked: Asked, node: Node, step: Step) -> tuple[Edge, list[GoalState]]:
        """Take in a tactic that worked; returns its edge and the states that are not needed."""
        groups = separable(step.state.groups)
        arrival = self.graph.reach(
            node,
            asked.tactic,
            asked.logprob,
            step.parts,
            groups=groups,
            proposed_by=asked.proposed_by,
            steps=asked.steps,
        )
        self._fresh += arrival.fresh
        for known in arrival.improved:
            if known not in self._fresh:
                self.opened(known)
        for solved in arrival.solved:
            self._remember(solved)
        if self.graph.root.is_solved:
            self._proved = True
            # with no call left for it, the judge alone decides
            self._checked = not self.graph.leaps() or self._lean_calls >= self.budget.lean_calls
        unneeded = list(arrival.superfluous)
        if step.state not in step.parts:
            unneeded.append(step.state)
        return arrival.edge, unneeded

    def _remember(self, node: Node) -> None:
        if self.config.remember:
            self.context.memory.add(node.key, tuple(self.graph.proof(node)))

    def _retract(self) -> None:
        self.graph.retract()
        self._proved = False
        for node in self.graph.nodes:
            if node.status == "open" and node not in self._fresh:
                self.opened(node)

    def _spent(self) -> list[GoalState]:
        """States that nothing can grow from; the root's stays for the last check."""
        if self._keeps_states:
            return []
        spent = [node for node in self._round if node is not self.graph.root and node.id not in self._released]
        self._released.update(node.id for node in spent)
        return [node.state for node in spent]


def _refutes(outcome: Outcome) -> bool:
    """Whether the run of a whole proof says that it does not hold. That Lean ran out of time, or broke down, says
    nothing: the judge decides."""
    if isinstance(outcome, LeanError):
        return isinstance(outcome, TacticFailure) and outcome.kind not in ("timeout", *CRASHES)
    return not outcome.state.is_solved
