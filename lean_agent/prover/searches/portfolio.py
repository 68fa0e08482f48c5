"""A portfolio: several searches one after the other, each with its share of the budget and what was left before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.prover.config import SearchBudget, SearchResult
from lean_agent.prover.searches.base import Outcome, Question, Search, Trial
from lean_agent.prover.searches.tree_search import SearchContext
from lean_agent.prover.tree.graph import Node, ProofGraph

Make = Callable[[str, GoalState, SearchContext, SearchBudget], Search]


class Portfolio:
    """See :class:`~lean_agent.prover.searches.base.Search`.

    Args:
        root, context: as for :class:`~lean_agent.prover.searches.tree_search.TreeSearch`.
        budget: what all of them together may cost; by default the one of the config.
        make: makes a search by name.
    """

    name = "portfolio"

    def __init__(
        self, root: GoalState, context: SearchContext, budget: SearchBudget | None = None, *, make: Make
    ) -> None:
        self._root = root
        self._context = context
        self._budget = budget or context.config.budget
        self._make = make
        self._waiting = list(context.config.portfolio)
        self._ended: list[Search] = []
        self._seconds_before = 0.0
        self._stopped = False
        self._current = self._next()

    @property
    def seconds(self) -> float:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return self._seconds_before + self._current.seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        self._current.seconds = value - self._seconds_before

    @property
    def seconds_left(self) -> float:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return self._current.seconds_left

    @property
    def graphs(self) -> Sequence[ProofGraph]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return [graph for one in [*self._ended, self._current] for graph in one.graphs]

    @property
    def is_over(self) -> bool:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        while self._current.is_over:
            if self._stopped or not self._waiting or self._current.result().status == "proved":
                return True
            if self.spent.reaches(self._budget):  # the first rounds may have taken it all
                return True
            self._ended.append(self._current)
            self._seconds_before += self._current.seconds
            self._current = self._next()
        return False

    def ask(self) -> list[Question]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return self._current.ask()

    def propose(self, answers: Sequence[Sequence[Suggestion]], tokens: int) -> list[Trial]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return self._current.propose(answers, tokens)

    def absorb(self, outcomes: Sequence[Outcome]) -> list[GoalState]:
        """See :class:`~lean_agent.prover.searches.base.Search`; the first state is needed to the end."""
        return self._current.absorb(outcomes)

    def unvalued(self) -> list[Node]:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        return self._current.unvalued()

    def stop(self) -> None:
        """See :class:`~lean_agent.prover.searches.base.Search`."""
        self._stopped = True
        self._current.stop()

    def live_states(self) -> list[GoalState]:
        """See :class:`~lean_agent.prover.searches.base.Search`; the first state, which all share, once."""
        states = {id(state): state for one in [*self._ended, self._current] for state in one.live_states()}
        return list(states.values())

    def result(self) -> SearchResult:
        """The sums, with the proof of the one that found it."""
        last = self._current.result()
        unfinished = bool(self._waiting) or any(one.result().status == "budget" for one in self._ended)
        status = "budget" if last.status == "failed" and unfinished else last.status
        return replace(self.spent, status=status, steps=last.steps)

    @property
    def spent(self) -> SearchResult:
        """The sums."""
        results = [one.spent for one in [*self._ended, self._current]]
        return replace(
            results[-1],
            states=sum(one.states for one in results),
            expansions=sum(one.expansions for one in results),
            lean_calls=sum(one.lean_calls for one in results) - len(results) + 1,  # the first state counts once
            failures=sum(one.failures for one in results),
            tokens=sum(one.tokens for one in results),
            seconds=self.seconds,
        )

    def _next(self) -> Search:
        """The next search, with an even share of what is left."""
        spent = [one.result() for one in self._ended]
        shares = len(self._waiting)
        budget = self._budget
        calls = budget.lean_calls - 1 - sum(one.lean_calls - 1 for one in spent)
        tokens = None if budget.tokens is None else budget.tokens - sum(one.tokens for one in spent)
        share = SearchBudget(
            expansions=max(1, (budget.expansions - sum(one.expansions for one in spent)) // shares),
            lean_calls=1 + max(0, calls // shares),
            seconds=max(0.001, (budget.seconds - self._seconds_before) / shares),
            tokens=None if tokens is None else max(1, tokens // shares),
        )
        search = self._make(self._waiting.pop(0), self._root, self._context, share)
        if self._ended:  # what a value model has said of the first state stands
            search.graphs[0].root.value = self._ended[-1].graphs[0].root.value
        return search
