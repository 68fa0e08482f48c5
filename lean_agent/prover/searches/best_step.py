"""Best-first search over single steps: the likeliest tactic that was not run yet comes next, at whatever state.

Best-first search over states runs all that the policy says of a state at once, and most of that is unlikely. Here every
tactic waits in one queue, in a place of its own: by the log-probability of the whole way to where it would lead,
divided by ``length ** exponent``. So Lean's calls go where the policy puts its probability, as in partial-expansion A*
(Yoshizumi et al. 2000) and in the order of Levin's search (arXiv 1811.10928). Tactics with unknown names come later
(:mod:`~lean_agent.prover.unknown_names`). To ask the policy about a state stands in the same queue. A policy that draws
at random has not said everything: what it has not said of a state has the probability that is left, and the state is
asked about again when that comes first. Of goals that a tactic leaves apart one is worked on, and the next when it is
solved.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from lean_agent.errors import LeanError
from lean_agent.policy.base import Suggestion
from lean_agent.prover.searches.tree_search import Asked, TreeSearch
from lean_agent.prover.tree.graph import Node
from lean_agent.prover.tree.priority_queue import Entry, PriorityQueue
from lean_agent.prover.unknown_names import UnknownNameFilter

UNKNOWN_NAME_PENALTY = 3.0
"""Nats by which a tactic is taken for less likely than the policy says when a name in it is not there."""
AGAIN = 2.0
"""Nats by which a state moves back each time that it is asked about: what is left to say is spread more thinly."""
LEAST_LEFT = 1e-3
"""The probability that is always taken to be left: a state of which all seems said comes last, but it comes."""


class BestStepSearch(TreeSearch):
    """Expand the best step first; a state is asked about again ``resamples`` times."""

    name = "best_step"
    keeps_states = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._most_asked = 1 + self._resamples_left
        self._resamples_left = 0
        self._queue = PriorityQueue(self.graph, in_turn=True)
        self._asked_about: Counter[int] = Counter()
        self._said: defaultdict[int, dict[str, Suggestion]] = defaultdict(dict)
        self._waiting: Counter[int] = Counter()  # tactics in the queue, by their node
        self._unknown_names = UnknownNameFilter()

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`. What the policy has not said of it yet has a place in the queue."""
        mass = math.fsum(math.exp(suggestion.logprob) for suggestion in self._said[node.id].values())
        asked = self._asked_about[node.id]
        if asked < self._most_asked:
            left = math.log(max(1 - mass, LEAST_LEFT)) - AGAIN * asked
            self._queue.put(self._cost(node, left), node)

    def choose(self, limit: int) -> list[Node]:
        """The states to ask about that come before the next tactics of a round."""
        chosen: list[Node] = []
        passed = 0
        entry: Entry | None = None
        while len(chosen) < limit and passed < self.config.tactics_per_round and (entry := self._next_entry(entry)):
            if entry.tactic is None:
                self._queue.remove(entry)
                chosen.append(self.graph.nodes[entry.node])
            else:
                passed += 1
        return chosen

    def proposals(self, answers: Sequence[tuple[Node, Sequence[Suggestion]]]) -> list[tuple[Node, Suggestion]]:
        """The next tactics of the queue, up to the first state that is to be asked about before them."""
        for node, suggestions in answers:
            self._asked_about[node.id] += 1
            for suggestion in suggestions:
                if suggestion.tactic not in self._said[node.id]:
                    self._said[node.id][suggestion.tactic] = suggestion
                    self._waiting[node.id] += 1
                    self._queue.put(self._tactic_cost(node, suggestion), node, suggestion)
            self.opened(node)
        may_ask = self._expansions < self.budget.expansions
        chosen: list[tuple[Node, Suggestion]] = []
        entry = self._next_entry(tactics=True)
        while len(chosen) < self.config.tactics_per_round and entry and entry.tactic is not None:
            self._queue.remove(entry)
            self._waiting[entry.node] -= 1
            if not self._waiting[entry.node]:
                del self._waiting[entry.node]
            chosen.append((self.graph.nodes[entry.node], entry.tactic))
            entry = self._next_entry(entry, tactics=not may_ask)
        return chosen

    def has_waiting(self) -> bool:
        """See :meth:`TreeSearch.has_waiting`."""
        return any(map(self._queue.may_help, self._waiting))

    def tried_out(self) -> Sequence[Node]:
        """See :meth:`TreeSearch.tried_out`."""
        touched = {node.id: node for node in [*self._round, *(one.node for one in self._asked)] if node is not None}
        return [node for node in touched.values() if node.edges or not self._waiting[node.id]]

    def _failed(self, asked: Asked, node: Node, error: LeanError) -> None:
        super()._failed(asked, node, error)
        self._unknown_names.learn(str(error))

    def _cost(self, node: Node, logprob: float) -> float:
        """Of a step from ``node`` with that log-probability."""
        length: float = (node.depth + 1) ** self.config.length_exponent
        return -(node.logprob + logprob) / length

    def _tactic_cost(self, node: Node, tactic: Suggestion) -> float:
        hypotheses = [one.name for one in node.state.goals[0].variables]
        penalty = UNKNOWN_NAME_PENALTY if self._unknown_names.rejects(tactic.tactic, hypotheses) else 0.0
        return self._cost(node, tactic.logprob - penalty)

    def _next_entry(self, after: Entry | None = None, *, tactics: bool = False) -> Entry | None:
        """See :meth:`PriorityQueue.next`; a tactic that is penalized since it was put there moves back first."""
        while (entry := self._queue.next(after, tactics=tactics)) and entry.tactic is not None:
            node = self.graph.nodes[entry.node]
            cost = self._tactic_cost(node, entry.tactic)
            if cost <= entry.cost + 1e-9:
                break
            self._queue.remove(entry)
            self._queue.put(cost, node, entry.tactic)
        return entry
