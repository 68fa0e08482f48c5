"""Find searches by name. One more is a module and a line of :mod:`lean_agent.registry`."""

from __future__ import annotations

from collections.abc import Callable

from lean_agent import registry
from lean_agent.lean.types import GoalState
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.searches.base import Search
from lean_agent.prover.searches.portfolio import Portfolio
from lean_agent.prover.searches.tree_search import SearchContext
from lean_agent.registry import Registry

MakeSearch = Callable[[GoalState, SearchContext, SearchBudget | None], Search]

SEARCHES: Registry[MakeSearch] = registry.SEARCHES


def make_search(name: str, root: GoalState, context: SearchContext, budget: SearchBudget | None = None) -> Search:
    """Make the search of that name, or at ``module:Class``, for one theorem."""
    return SEARCHES.find(name)(root, context, budget)


def make_portfolio(root: GoalState, context: SearchContext, budget: SearchBudget | None = None) -> Portfolio:
    """Divide the budget among several searches."""
    return Portfolio(root, context, budget, make=make_search)
