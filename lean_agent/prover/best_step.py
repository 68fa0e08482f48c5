"""Best-first search over single steps: the likeliest tactic that was not run yet comes next, at whatever state.

Best-first search over states runs all that the policy says of a state at once, and most of that is unlikely. Here every
tactic waits in one queue, in a place of its own: by the log-probability of the whole way to where it would lead,
divided by ``length ** exponent``. So Lean's calls go where the policy puts its probability, as in partial-expansion A*
(Yoshizumi et al. 2000) and in the order of Levin's search (arXiv 1811.10928). Tactics whose names are not there come
later (:mod:`.foresight`). To ask the policy about a state stands in the same queue. A policy that draws at random has
not said everything: what it has not said of a state has the probability that is left, and the state is asked about
again when that comes first. Of goals that a tactic leaves apart one is worked on, and the next when it is solved.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from lean_agent.errors import LeanError
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.prover.foresight import Foresight
from lean_agent.prover.graph import Edge, Node
from lean_agent.prover.search import Step
from lean_agent.prover.tree_search import Asked, TreeSearch

MISTRUST = 3.0
"""Nats by which a tactic is taken for less likely than the policy says when a name in it is not there."""
AGAIN = 2.0
"""Nats by which a state moves back each time that it is asked about: what is left to say is spread more thinly."""
LEAST_LEFT = 1e-3
"""The probability that is always taken to be left: a state of which all seems said comes last, but it comes."""


class _Entry(NamedTuple):
    """Something to do at a node, the least ``cost`` first: run a tactic, or ask the policy where there is none."""

    cost: float
    number: int
    node: int
    tactic: Suggestion | None


class BestStepSearch(TreeSearch):
    """See :class:`~lean_agent.prover.tree_search.TreeSearch`; a state is asked about again ``resamples`` times."""

    name = "best_step"
    keeps_states = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._most_asked = 1 + self._resamples_left
        self._resamples_left = 0
        self._queue: list[_Entry] = []
        self._set_aside: list[_Entry] = []  # could not help the root when they came first
        self._place: dict[int, int] = {}  # of each node: the entry that asks about it; older ones are void
        self._entries = 0
        self._asked_about: Counter[int] = Counter()
        self._said: defaultdict[int, dict[str, Suggestion]] = defaultdict(dict)
        self._waiting: Counter[int] = Counter()  # tactics in the queue, by their node
        self._foresight = Foresight()

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`. What the policy has not said of it yet has a place in the queue."""
        said = math.fsum(math.exp(one.logprob) for one in self._said[node.id].values())
        asked = self._asked_about[node.id]
        if asked < self._most_asked:
            left = math.log(max(1 - said, LEAST_LEFT)) - AGAIN * asked
            self._place[node.id] = self._put(self._cost(node, left), node, None)

    def choose(self, limit: int) -> list[Node]:
        """The states to ask about that come before the next tactics of a round."""
        chosen: list[Node] = []
        passed: list[_Entry] = []
        while len(chosen) < limit and len(passed) < self.config.tactics_per_round and (entry := self._next_entry()):
            if entry.tactic is None:
                chosen.append(self.graph.nodes[entry.node])
            else:
                passed.append(entry)
        for entry in passed:
            heapq.heappush(self._queue, entry)
        return chosen

    def proposals(self, said: Sequence[tuple[Node, Sequence[Suggestion]]]) -> list[tuple[Node, Suggestion]]:
        """The next tactics of the queue, up to the first state that is to be asked about before them."""
        for node, suggestions in said:
            self._asked_about[node.id] += 1
            for one in suggestions:
                if one.tactic not in self._said[node.id]:
                    self._said[node.id][one.tactic] = one
                    self._waiting[node.id] += 1
                    self._put(self._tactic_cost(node, one), node, one)
            self.opened(node)
        may_ask = self._expansions < self.budget.expansions
        chosen: list[tuple[Node, Suggestion]] = []
        to_ask: list[_Entry] = []
        while len(chosen) < self.config.tactics_per_round and (entry := self._next_entry()):
            if entry.tactic is not None:
                self._waiting[entry.node] -= 1
                chosen.append((self.graph.nodes[entry.node], entry.tactic))
                continue
            to_ask.append(entry)
            if chosen and may_ask:
                break
        for entry in to_ask:
            heapq.heappush(self._queue, entry)
        return chosen

    def has_waiting(self) -> bool:
        """See :meth:`TreeSearch.has_waiting`."""
        if not self._waiting.total():
            return False
        held = []
        while (entry := self._next_entry()) and entry.tactic is None:
            held.append(entry)
        for one in [*held, *([entry] if entry else [])]:
            heapq.heappush(self._queue, one)
        return entry is not None

    def tried_out(self) -> Sequence[Node]:
        """See :meth:`TreeSearch.tried_out`."""
        touched = {node.id: node for node in [*self._round, *(one.node for one in self._asked)] if node is not None}
        return [node for node in touched.values() if node.edges or not self._waiting[node.id]]

    def _worked(self, asked: Asked, node: Node, step: Step) -> tuple[Edge, list[GoalState]]:
        edge, unneeded = super()._worked(asked, node, step)
        # What was set aside may have waited for this goal, or have another way to help now.
        if node.is_solved or any(len(self.graph.nodes[target].parents) > 1 for target in edge.targets):
            for entry in self._set_aside:
                heapq.heappush(self._queue, entry)
            self._set_aside = []
        return edge, unneeded

    def _failed(self, asked: Asked, node: Node, error: LeanError) -> None:
        super()._failed(asked, node, error)
        self._foresight.learn(str(error))

    def _cost(self, node: Node, logprob: float) -> float:
        """Of a step from ``node`` with that log-probability."""
        length: float = (node.depth + 1) ** self.config.length_exponent
        return -(node.logprob + logprob) / length

    def _tactic_cost(self, node: Node, tactic: Suggestion) -> float:
        hypotheses = [one.name for one in node.state.goals[0].variables]
        mistrust = MISTRUST if self._foresight.mistrusts(tactic.tactic, hypotheses) else 0.0
        return self._cost(node, tactic.logprob - mistrust)

    def _put(self, cost: float, node: Node, tactic: Suggestion | None) -> int:
        self._entries += 1
        heapq.heappush(self._queue, _Entry(cost, self._entries, node.id, tactic))
        return self._entries

    def _next_entry(self) -> _Entry | None:
        """Take the first entry that may help the root; what was set aside comes back when nothing else is left."""
        while True:
            while self._queue:
                entry = heapq.heappop(self._queue)
                node = self.graph.nodes[entry.node]
                if entry.tactic is None and self._place[entry.node] != entry.number:
                    continue
                if not self.graph.is_relevant(node, in_turn=True):
                    self._set_aside.append(entry)
                elif entry.tactic is not None and (cost := self._tactic_cost(node, entry.tactic)) > entry.cost + 1e-9:
                    self._put(cost, node, entry.tactic)  # mistrusted since it was put there
                else:
                    return entry
            back = [one for one in self._set_aside if self.graph.is_relevant(self.graph.nodes[one.node], in_turn=True)]
            if not back:
                return None
            self._set_aside = [one for one in self._set_aside if one not in back]
            for one in back:
                heapq.heappush(self._queue, one)
