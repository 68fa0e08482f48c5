"""A portfolio: several searches one after the other, each with its share of the budget and what was left before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from typing_extensions import override

from lean_agent.errors import ConfigError
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.prover.config import Cost, SearchBudget, SearchResult, SearchSettings, settings_class
from lean_agent.prover.searches.base import Question, Search, SearchContext, Trial, TrialResult, make_search
from lean_agent.prover.tree.graph import Node, ProofGraph
from lean_agent.registry import SEARCHES
from lean_agent.settings import setting_fields


@dataclass(frozen=True)
class PortfolioSettings(SearchSettings):
    """Settings of a portfolio; those of its searches are taken, too.

    Attributes:
        portfolio: the searches that divide the budget, in their order.
        of_searches: settings of these searches, by name.
    """

    portfolio: tuple[str, ...] = ("best_step", "mcts")
    of_searches: tuple[tuple[str, Any], ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        if not self.portfolio or "portfolio" in self.portfolio:
            raise ConfigError("A portfolio is a list of searches, and not of portfolios.")
        for name in self.portfolio:
            SEARCHES.find(name)

    @override
    @property
    def uses_drafts(self) -> bool:
        return bool(dict(self.of_searches).get("drafts", True))

    @override
    @classmethod
    def create(cls, given: Mapping[str, Any], search: str) -> Self:
        searches = given.get("portfolio", cls.portfolio)
        known = [] if isinstance(searches, str) else [settings_class(name) for name in searches if name != search]
        theirs = {name for kind in known for name in _names(kind)}.intersection(given)
        settings = super().create({name: value for name, value in given.items() if name not in theirs}, search)
        for kind, name in zip(known, settings.portfolio, strict=True):
            kind.create({setting: given[setting] for setting in theirs.intersection(_names(kind))}, name)
        object.__setattr__(settings, "of_searches", tuple((name, given[name]) for name in given if name in theirs))
        return settings

    @override
    def changed(self) -> dict[str, Any]:
        return {**super().changed(), **dict(self.of_searches)}


def _names(kind: type[SearchSettings]) -> set[str]:
    return {field.name for field in setting_fields(kind)}


class Portfolio:
    """Divide the budget among several searches (a :class:`~lean_agent.prover.searches.base.Search`).

    Args:
        root, context: as for :class:`~lean_agent.prover.searches.tree_search.TreeSearch`.
        budget: what all of them together may cost; by default the one of the config.
    """

    name = "portfolio"
    settings_class: ClassVar[type[SearchSettings]] = PortfolioSettings

    def __init__(self, root: GoalState, context: SearchContext, budget: SearchBudget | None = None) -> None:
        self._root = root
        self._context = context
        self._budget = budget or context.config.budget
        self._waiting = list(context.config.portfolio)
        self._ended: list[Search] = []
        self._seconds_before = 0.0
        self._stopped = False
        self._current = self._next()

    @property
    def seconds(self) -> float:
        """What was spent of the budget's seconds."""
        return self._seconds_before + self._current.seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        self._current.seconds = value - self._seconds_before

    @property
    def seconds_left(self) -> float:
        """What is left of the present search's seconds."""
        return self._current.seconds_left

    @property
    def graphs(self) -> Sequence[ProofGraph]:
        """The graphs of all searches so far."""
        return [graph for search in self._searches for graph in search.graphs]

    @property
    def is_over(self) -> bool:
        """Whether a proof was found, or no search or budget is left."""
        while self._current.is_over:
            if self._stopped or not self._waiting or self._current.result().status == "proved":
                return True
            if self._budget.is_reached(self.cost):  # the first rounds may have taken it all
                return True
            self._ended.append(self._current)
            self._seconds_before += self._current.seconds
            self._current = self._next()
        return False

    def ask(self) -> list[Question]:
        """Return what the present search asks."""
        return self._current.ask()

    def propose(self, answers: Sequence[Sequence[Suggestion]], tokens: int) -> list[Trial]:
        """Return the present search's tactics."""
        return self._current.propose(answers, tokens)

    def absorb(self, results: Sequence[TrialResult]) -> list[GoalState]:
        """Take in Lean's answers; the first state is needed to the end."""
        return self._current.absorb(results)

    def unvalued(self) -> list[Node]:
        """Return the nodes that the value model has not rated yet."""
        return self._current.unvalued()

    def stop(self) -> None:
        """Be over."""
        self._stopped = True
        self._current.stop()

    def live_states(self) -> list[GoalState]:
        """Return the states that Lean still keeps; the first one, which all share, once."""
        states = {id(state): state for search in self._searches for state in search.live_states()}
        return list(states.values())

    def result(self) -> SearchResult:
        """Return the sums, with the proof of the search that found it."""
        results = [search.result() for search in self._searches]
        status = results[-1].status
        if status == "failed" and (self._waiting or any(result.status == "budget" for result in results)):
            status = "budget"
        drafts = [result.filled_draft for result in (results if status != "proved" else results[-1:])]
        return SearchResult(
            status,
            steps=results[-1].steps,
            cost=self.cost,
            states=sum(result.states for result in results),
            failures=sum(result.failures for result in results),
            filled_draft=max(filter(None, drafts), key=lambda draft: draft.filled, default=None),
            message=next((result.message for result in results if status != "proved" and result.message), ""),
            axioms=results[-1].axioms,
            assumed=results[-1].assumed,
        )

    @property
    def cost(self) -> Cost:
        """What all searches so far have spent; the states that they begin with count once."""
        again = self._begins_with * (len(self._searches) - 1)
        return sum((search.cost for search in self._searches), Cost(lean_calls=-again))

    @property
    def _begins_with(self) -> int:
        """How many states there are to begin with."""
        return 1 + (len(self._context.begun.states) if self._context.begun else 0)

    @property
    def _searches(self) -> list[Search]:
        return [*self._ended, self._current]

    def _next(self) -> Search:
        """Return the next search, with an even share of what is left."""
        spent = sum((search.cost for search in self._ended), Cost(lean_calls=-self._begins_with * len(self._ended)))
        shares = len(self._waiting)
        budget = self._budget
        tokens = None if budget.tokens is None else budget.tokens - spent.tokens
        share = SearchBudget(
            expansions=max(1, (budget.expansions - spent.expansions) // shares),
            lean_calls=self._begins_with + max(0, (budget.lean_calls - self._begins_with - spent.lean_calls) // shares),
            seconds=max(0.001, (budget.seconds - spent.seconds) / shares),
            tokens=None if tokens is None else max(1, tokens // shares),
        )
        config = self._context.config.with_search(self._waiting.pop(0))
        search = make_search(self._root, replace(self._context, config=config), share)
        if self._ended:  # what a value model has said of the first state stands
            search.graphs[0].root.value = self._ended[-1].graphs[0].root.value
        return search
