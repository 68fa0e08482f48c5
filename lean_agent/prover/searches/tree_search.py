"""What the searches over states have in common: the graph, the budget, closers, memory, and the proof's last check.

Owns everything but the choice of what comes next. A search of a new kind writes two methods:
:meth:`TreeSearch.opened`, which tells it of a state that may be chosen, and :meth:`TreeSearch.choose`, which names the
states that the policy is asked about next. A proof that was put together from parts is run in one piece before it
counts as found; when Lean refutes it, its joints are taken out of the graph and the search goes on. The judge of
:mod:`lean_agent.prover.provers` still comes after that.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Generic, TypeVar, cast

from lean_agent.errors import CRASHES, LeanError, TacticFailure
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prover.config import Cost, SearchBudget, SearchResult, SearchSettings, SearchStatus, TreeSettings
from lean_agent.prover.searches.base import Question, SearchContext, Success, Trial, TrialResult
from lean_agent.prover.tree import laws
from lean_agent.prover.tree.alternatives import all_tried, alone, tracing, without_unused
from lean_agent.prover.tree.graph import Edge, Failure, Node, ProofGraph, Proposer
from lean_agent.prover.tree.steps import Step, count_steps, head, render, separable
from lean_agent.prover.tree.twins import tactic_shape

MAX_MESSAGE_CHARS = 400
"""Of what Lean said to a tactic that failed, so much is kept."""

S = TypeVar("S", bound=SearchSettings)


@dataclass(frozen=True, slots=True)
class _Proposal:
    """A tactic under way. ``node`` is ``None`` for the last check of a proof; ``steps`` as in
    :class:`~lean_agent.prover.tree.graph.Edge`."""

    node: Node | None
    tactic: str
    logprob: float
    proposed_by: Proposer
    steps: tuple[Step, ...] = ()


class TreeSearch(ABC, Generic[S]):
    """A search for one theorem over its states (a :class:`~lean_agent.prover.searches.base.Search`).

    A search of a new kind derives from it and writes :meth:`opened` and :meth:`choose`. :meth:`select`, :meth:`reword`,
    :meth:`expanded`, :meth:`failed`, :meth:`worked`, :meth:`reopen` and :meth:`may_help` have defaults that suit most
    searches. It is called by its class's name unless it has a ``name``.

    Args:
        root: the state to prove.
        context: what it may use.
        budget: its share; by default the one of the config.

    Attributes:
        graph: all states seen so far, and what is known of them.
        settings: the search's own settings, of :attr:`settings_class`.
        config: the settings of the run.
        random: to draw from, seeded by the config.
        times_asked: how often the policy was asked about a node, by its id, since all was opened anew.
        tried: the tactics that were run at a node, by its id; none of them is run there again.
        resamples_left: how often :meth:`reopen` may still be called.
        width: how many times as many tactics as the config says the policy is asked for.
    """

    name: ClassVar[str]
    settings_class: ClassVar[type[SearchSettings]] = TreeSettings
    keeps_states: ClassVar[bool] = False
    """Whether a node may be expanded more than once, so that its state has to live on."""
    keeps_tactics: ClassVar[bool] = False
    """Whether tactics that :meth:`select` leaves out wait for a later round; otherwise they are forgotten."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def __init__(self, root: GoalState, context: SearchContext, budget: SearchBudget | None = None) -> None:
        config, kind = context.config, self.settings_class
        given = config.settings
        self.settings = cast(S, given if isinstance(given, kind) else kind(**given.shared_with(kind)))
        self._tree_settings = (
            self.settings if isinstance(self.settings, TreeSettings) else TreeSettings(nodes_per_round=1)
        )
        self.graph = ProofGraph(root, twins=bool(self._tree_settings.twins))
        self.seconds = 0.0
        self.config = config
        self.context = context
        self.budget = budget or config.budget
        self.random = random.Random(config.seed)
        self.times_asked: Counter[int] = Counter()
        self.tried: defaultdict[int, set[str]] = defaultdict(set)
        self.resamples_left = config.resamples if context.samples else 0
        self.width = 1
        self._expansions = self._failures = self._tokens = 0
        self._refused_for_axioms = ""
        self._lean_calls = 1
        self._keeps_states = self.keeps_states or self.resamples_left > 0
        self._was_cut = self._stopped = self._requested = False
        self._proved = root.is_solved
        self._checked = True  # whether the proof that is there holds in one piece
        self._next: list[Node] = []  # chosen, but not asked about yet
        self._round: list[Node] = []
        self._running: list[_Proposal] = []
        self._unselected: dict[int, set[str]] = {}  # tactics that were not selected yet, by node
        self._passed_over: list[Node] = []  # in this round; it may be that nothing is left to try there
        self._fresh: list[Node] = [] if root.is_solved else [self.graph.root]  # not yet seen by closers or memory
        self._opened: set[int] = set()
        self._released: set[int] = set()
        if context.begun is not None and self._tree_settings.drafts and not root.is_solved:
            # before the root: of what is as likely, the author's way comes first
            self._fresh = [*self.graph.begin(context.begun).fresh, *self._fresh]
            self._lean_calls += len(context.begun.states)

    # What a search of a new kind writes

    @abstractmethod
    def choose(self, limit: int) -> list[Node]:
        """Return up to ``limit`` nodes to ask the policy about now, the best first; none when none is left.

        Only a node that :meth:`may_help` is worth it.
        """

    def opened(self, node: Node) -> None:
        """Take in that a node may be chosen: it is new, has a likelier way, or is open once more."""
        return

    # What it may write, too

    def select(self, answers: Sequence[tuple[Node, Sequence[Suggestion]]]) -> list[tuple[Node, Suggestion]]:
        """Return the tactics to run now, given what the policy has just proposed at some nodes and is new there: all.

        With :attr:`keeps_tactics` those of earlier rounds may be among them.
        """
        return [(node, suggestion) for node, suggestions in answers for suggestion in suggestions]

    def reword(self, node: Node, suggestions: Sequence[Suggestion]) -> Sequence[Suggestion]:
        """Return what the policy has proposed at ``node`` as it is to be tried: as it is."""
        return suggestions

    def expanded(self, node: Node, edges: Sequence[Edge]) -> None:
        """Take in that the tactics of a round at ``node`` have run; those that worked are ``edges``."""
        return

    def failed(self, node: Node, failure: Failure) -> None:
        """Take in that a tactic did not work at ``node``."""
        return

    def worked(self, node: Node, tactic: str, *, is_news: bool) -> None:
        """Take in that a tactic of the policy worked at ``node``; ``is_news``: it led to a state that was not known, or
        to none."""
        return

    def reopen(self) -> None:
        """Open all nodes once more, since none is left and the policy's next answers are others."""
        for node in self.graph.nodes:
            self.opened(node)

    @property
    def limit_s(self) -> float:
        """How long the next tactics may take, if that is less than :attr:`SearchConfig.tactic_timeout_s`."""
        return math.inf

    def may_help(self, node: Node) -> bool:
        """Return whether solving ``node`` may help to solve the root."""
        return self.graph.is_relevant(node)

    def question(self, node: Node) -> Question:
        """Return what to ask the policy about ``node``."""
        goal = node.state.goals[0]
        return Question(goal.text, names_of(goal), width=self.width)

    # What it may use

    def was_opened(self, node: int) -> bool:
        """Return whether the node of that id has ever been there to be chosen."""
        return node in self._opened

    @property
    def all_opened(self) -> bool:
        """Whether no node waits for closers or for what is remembered."""
        return not self._fresh

    @property
    def may_ask(self) -> bool:
        """Whether the budget allows another question to the policy."""
        return self._expansions < self.budget.expansions

    def keep(self, node: Node, tactic: str) -> bool:
        """Note that :meth:`select` may return one more tactic at ``node`` later; whether it was not there before.

        Only where :attr:`keeps_tactics`.
        """
        if tactic in self.known_tactics(node):
            return False
        self._unselected.setdefault(node.id, set()).add(tactic)
        return True

    def known_tactics(self, node: Node) -> set[str]:
        """Return what was tried at ``node``, and what waits there (where :attr:`keeps_tactics`)."""
        return self.tried[node.id] | self._unselected.get(node.id, set())

    def drop(self, node: Node, tactic: str) -> None:
        """Note that :meth:`select` will never return a tactic that waits at ``node``."""
        self._unselected[node.id].remove(tactic)
        self._passed_over.append(node)

    # What the driver asks

    @property
    def seconds_left(self) -> float:
        """What is left of the budget's seconds."""
        return self.budget.seconds - self.seconds

    @property
    def graphs(self) -> Sequence[ProofGraph]:
        """The one graph."""
        return (self.graph,)

    @property
    def is_over(self) -> bool:
        """Whether a proof was found, a limit was reached, or nothing is left to try."""
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
        """Return what to ask the policy now."""
        if self._proved:
            return []
        limit = min(self._tree_settings.nodes_per_round, self.budget.expansions - self._expansions)
        if limit > 0 and self._prepare():
            self._round, self._next = self._next[:limit], self._next[limit:]
            for late in self._next:
                self._open(late)
            self._next = []
        self._expansions += len(self._round)
        self.times_asked.update(node.id for node in self._round)
        return [self.question(node) for node in self._round]

    def propose(self, answers: Sequence[Sequence[Suggestion]], tokens: int) -> list[Trial]:
        """Return the tactics to run, given an answer to each question."""
        self._tokens += tokens
        if self._proved:
            proof = tuple(self.graph.proof(self.graph.root))
            self._running = [_Proposal(None, "\n".join(render(proof)), 0.0, "policy", proof)]
        else:
            self._running = self._closing() + self._suggested(answers)
        left = max(0, self.budget.lean_calls - self._lean_calls)
        self._was_cut = len(self._running) > left
        del self._running[left:]
        self._lean_calls += len(self._running)
        for proposal in self._running:
            if proposal.node is not None:
                self.tried[proposal.node.id].add(proposal.tactic)
        apart = self.config.and_or
        return [
            Trial(
                self.graph.root.state if proposal.node is None else proposal.node.state,
                proposal.tactic if proposal.steps else tracing(proposal.tactic),
                apart and bool(proposal.node),
                laws.TIME if laws.is_request(proposal.tactic) else max(1, count_steps(proposal.steps)),
                math.inf if proposal.node is None else self.limit_s,
            )
            for proposal in self._running
        ]

    def absorb(self, results: Sequence[TrialResult]) -> list[GoalState]:
        """Take in Lean's answer to each trial; returns the states that are needed no more."""
        if self._proved:
            (result,) = results
            self._checked = True
            if _refutes(result):
                self._retract()
            return [] if isinstance(result, LeanError) else [result.state]
        superfluous: list[GoalState] = []
        worked: defaultdict[int, list[Edge]] = defaultdict(list)
        for proposal, result in zip(self._running, results, strict=True):
            if proposal.node is None:
                continue
            if isinstance(result, LeanError):
                self._failed(proposal, proposal.node, result)
                continue
            edge, unneeded = self._worked(proposal, proposal.node, result)
            superfluous += unneeded
            if proposal.proposed_by == "policy":
                worked[proposal.node.id].append(edge)
        for node in self._tried_out():
            self.graph.close(node)
        for node in self._round:
            self.expanded(node, worked[node.id])
        superfluous += self._done_with()
        self._round = []
        return superfluous

    def unvalued(self) -> list[Node]:
        """Return the nodes that the value model has not rated yet."""
        if not self.context.valued:
            return []
        return [node for node in self.graph.nodes if node.value is None and node.state.goals]

    def stop(self) -> None:
        """Be over."""
        self._stopped = True

    def live_states(self) -> list[GoalState]:
        """Return the states that Lean still keeps."""
        return [node.state for node in self.graph.nodes if node.id not in self._released]

    def result(self) -> SearchResult:
        """Return what has come out."""
        is_proof = self._proved and self._checked
        unfinished = self._proved or self._stopped or self._was_cut or self._needs_lean_alone() or self._prepare()
        status: SearchStatus = "proved" if is_proof else "budget" if unfinished else "failed"
        root = self.graph.root
        return SearchResult(
            status,
            steps=tuple(self.graph.proof(root)) if is_proof and root.is_solved else (),
            cost=self.cost,
            states=len(self.graph.nodes),
            failures=self._failures,
            message="" if is_proof else self._refused_for_axioms,
            filled_draft=self.graph.filled_draft() if is_proof or not self._proved else None,
            axioms=root.state.axioms,
            assumed=root.state.assumed if self.config.settings.assume_open else (),
        )

    @property
    def cost(self) -> Cost:
        """What was spent so far."""
        return Cost(self._expansions, self._lean_calls, self._tokens, self.seconds)

    # Steps of a round

    def _needs_lean_alone(self) -> bool:
        """Return whether a round can do without the policy: the last check of a proof, closing tactics, what waits."""
        return not self._checked or any(self._closing_for(node) for node in self._fresh) or self._has_waiting()

    def _has_waiting(self) -> bool:
        """Return whether tactics of earlier rounds are still worth running."""
        return any(self.may_help(self.graph.nodes[node]) for node in self._unselected)

    def _tried_out(self) -> Sequence[Node]:
        """Return the nodes whose tactics have all run with this round; where none of them worked the node is dead."""
        if not self.keeps_tactics:
            return self._round
        tried = (proposal.node for proposal in self._running if proposal.node is not None)
        nodes = {node.id: node for node in (*self._round, *tried, *self._passed_over)}.values()
        self._passed_over = []
        return [node for node in nodes if node.edges or node.id not in self._unselected]

    def _open(self, node: Node) -> None:
        self._opened.add(node.id)
        self.opened(node)

    def _prepare(self) -> bool:
        """Have the next nodes chosen, if there are any."""
        self._welcome()
        if not self._next:
            self._next = self.choose(self._tree_settings.nodes_per_round)
        while not self._next and self.resamples_left and not self._proved:
            self.resamples_left -= 1
            self.times_asked.clear()
            self.reopen()
            self._next = self.choose(self._tree_settings.nodes_per_round)
        return bool(self._next)

    def _welcome(self) -> None:
        """Open the nodes that closers and memory have nothing for."""
        for node in [node for node in self._fresh if not self._closing_for(node)]:
            self._fresh.remove(node)
            self._open(node)

    def _closing_for(self, node: Node) -> list[_Proposal]:
        """Return what to try at a new node before the policy is asked about it."""
        if node.is_solved:
            return []
        goal = node.state.goals[0].text
        closers = dict.fromkeys(tactic for closer in self.config.closers for tactic in tactics_of(closer, goal))
        closing = [_Proposal(node, closer, 0.0, "closer") for closer in closers]
        steps = self.context.memory.find(node.key) if self.config.remember else None
        if steps is not None:
            closing.insert(0, _Proposal(node, "\n".join(render(steps)), 0.0, "memory", steps))
        return [proposal for proposal in closing if proposal.tactic not in self.tried[node.id]]

    def _closing(self) -> list[_Proposal]:
        return [proposal for node in self._fresh for proposal in self._closing_for(node)]

    def _suggested(self, answers: Sequence[Sequence[Suggestion]]) -> list[_Proposal]:
        fresh = []
        for node, suggestions in zip(self._round, answers, strict=True):
            fresh.append((node, self._unknown(node, self._with_one_request(self.reword(node, suggestions)))))
        if self.keeps_tactics:
            for node, suggestions in fresh:
                self._unselected.setdefault(node.id, set()).update(suggestion.tactic for suggestion in suggestions)
        selected = self.select(fresh)
        if self.keeps_tactics:
            for node, suggestion in selected:
                self._unselected[node.id].remove(suggestion.tactic)
            self._unselected = {node: tactics for node, tactics in self._unselected.items() if tactics}
        return [_Proposal(node, suggestion.tactic, suggestion.logprob, "policy") for node, suggestion in selected]

    def _unknown(self, node: Node, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
        """Return what was not proposed at ``node`` before. Of twins the likeliest, with the probabilities of all."""
        goal = node.state.goals[0]
        shape = partial(tactic_shape, goal=goal) if self._tree_settings.twins else str
        known = set(map(shape, self.known_tactics(node)))
        twins: defaultdict[str, list[Suggestion]] = defaultdict(list)
        for suggestion in suggestions:
            twins[shape(suggestion.tactic)].append(suggestion)
        unknown = [united(alike) for of_shape, alike in twins.items() if of_shape not in known]
        return self._with_few_heads(node, unknown)

    def _with_one_request(self, suggestions: Sequence[Suggestion]) -> Sequence[Suggestion]:
        """Return the suggestions, without a request for laws where the search has one already: they are of all values,
        so that they are the same at its other states."""
        if self._requested:
            return [each for each in suggestions if not laws.is_request(each.tactic)]
        self._requested = any(laws.is_request(each.tactic) for each in suggestions)
        return suggestions

    def _with_few_heads(self, node: Node, suggestions: list[Suggestion]) -> list[Suggestion]:
        """Return the suggestions without those whose first word enough others at ``node`` have."""
        most = self._tree_settings.tactics_per_head
        if most is None:
            return suggestions
        heads = Counter(map(head, self.known_tactics(node)))
        kept = []
        for suggestion in suggestions:
            heads[head(suggestion.tactic)] += 1
            if heads[head(suggestion.tactic)] <= most:
                kept.append(suggestion)
        return kept

    def _failed(self, proposal: _Proposal, node: Node, error: LeanError) -> None:
        self._failures += 1
        kind = error.kind if isinstance(error, TacticFailure) else "lean"
        message = str(error)[:MAX_MESSAGE_CHARS]
        if kind == "axiom":
            self._refused_for_axioms = self._refused_for_axioms or message
        failure = Failure(proposal.tactic, proposal.logprob, kind, message, proposal.proposed_by)
        node.failures.append(failure)
        self.failed(node, failure)

    def _worked(self, proposal: _Proposal, node: Node, step: Success) -> tuple[Edge, list[GoalState]]:
        """Take in a tactic that worked; returns its edge and the states that are not needed."""
        groups = separable(step.state.groups)
        tactic = proposal.tactic
        shorter = without_unused(tactic, step.state.messages)
        if shorter in map(alone, all_tried(tactic)):  # it is a tactic by itself, and the other alternatives did nothing
            tactic = shorter
        is_request = laws.is_request(tactic)
        written = laws.said(step.state.messages) if is_request else (() if shorter == tactic else (shorter,))
        arrival = self.graph.reach(
            node,
            tactic,
            0.0 if is_request else proposal.logprob,  # with laws a goal is as likely to be proved as without
            step.parts,
            groups=groups,
            proposed_by=proposal.proposed_by,
            steps=proposal.steps or written,
        )
        if proposal.proposed_by == "policy":
            self.worked(node, proposal.tactic, is_news=bool(arrival.fresh) or not arrival.edge.targets)
        self._fresh += arrival.fresh
        for known in arrival.improved:
            if known not in self._fresh:
                self._open(known)
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
                self._open(node)

    def _done_with(self) -> list[GoalState]:
        """Return the states that nothing can grow from any more; the root's stays for the last check."""
        if self._keeps_states:
            return []
        done = [node for node in self._round if node is not self.graph.root and node.id not in self._released]
        self._released.update(node.id for node in done)
        return [node.state for node in done]


def united(alike: Sequence[Suggestion]) -> Suggestion:
    """Return the first of several suggestions, with the probabilities of all."""
    if len(alike) == 1:
        return alike[0]
    probability = math.fsum(math.exp(suggestion.logprob) for suggestion in alike)
    logprob = math.log(probability) if 0 < probability < 1 else max(suggestion.logprob for suggestion in alike)
    return replace(alike[0], logprob=logprob, tokens=sum(suggestion.tokens for suggestion in alike))


def _refutes(result: TrialResult) -> bool:
    """Return whether the run of a whole proof says that it does not hold. That Lean ran out of time, or broke down,
    says nothing: the judge decides."""
    if isinstance(result, LeanError):
        return isinstance(result, TacticFailure) and result.kind not in ("timeout", *CRASHES)
    return not result.state.is_solved
