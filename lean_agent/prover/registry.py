"""The searches by name. One more is a module and a line here."""

from __future__ import annotations

from collections.abc import Callable

from lean_agent.lean.types import GoalState
from lean_agent.prover.beam import BeamSearch
from lean_agent.prover.best_first import BestFirstSearch
from lean_agent.prover.best_step import BestStepSearch
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.depth_first import DepthFirstSearch
from lean_agent.prover.mcts import MonteCarloTreeSearch
from lean_agent.prover.portfolio import Portfolio
from lean_agent.prover.search import Search
from lean_agent.prover.tree_search import SearchContext
from lean_agent.prover.whole_proof import WholeProofSearch

MakeSearch = Callable[[GoalState, SearchContext, SearchBudget | None], Search]


def make_search(name: str, root: GoalState, context: SearchContext, budget: SearchBudget | None = None) -> Search:
    """The search of that name for one theorem."""
    return SEARCHES[name](root, context, budget)


SEARCHES: dict[str, MakeSearch] = {
    "best_step": BestStepSearch,
    "best_first": BestFirstSearch,
    "beam": BeamSearch,
    "mcts": MonteCarloTreeSearch,
    "depth_first": DepthFirstSearch,
    "whole_proof": WholeProofSearch,
    "portfolio": lambda root, context, budget: Portfolio(root, context, budget, make=make_search),
}
