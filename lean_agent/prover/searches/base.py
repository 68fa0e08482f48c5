"""A search as a state machine: ask, propose, absorb.

A round is :meth:`Search.ask` -> the policy's answers -> :meth:`Search.propose` -> Lean's answers ->
:meth:`Search.absorb`. So one driver (:mod:`lean_agent.prover.driver`) serves many searches of any kind with the same
policy calls and batches. A search over states derives from :class:`~lean_agent.prover.searches.tree_search.TreeSearch`
instead of writing all of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lean_agent.errors import LeanError
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.prompts import GoalNames
from lean_agent.prover.config import Cost, SearchBudget, SearchConfig, SearchResult
from lean_agent.prover.refusals import Refusals
from lean_agent.prover.tree.drafts import Begun
from lean_agent.prover.tree.graph import Node, ProofGraph
from lean_agent.prover.tree.proof_cache import ProvedGoals
from lean_agent.registry import SEARCHES


@dataclass(frozen=True, slots=True)
class Question:
    """What the policy is asked.

    Attributes:
        goal: the main goal as Lean prints it.
        names: what it names, whether or not its text says so.
        whole_proof: whether a script that proves it is wanted, and not the next tactic.
        attempt, error: a script that failed, and what Lean said of it.
        width: how many times as many answers as usual are wanted.
    """

    goal: str
    names: GoalNames | None = None
    whole_proof: bool = False
    attempt: str | None = None
    error: str | None = None
    width: int = 1


@dataclass(frozen=True, slots=True)
class Trial:
    """A tactic to run.

    Attributes:
        apart: goals that share no metavariable become states of their own.
        tactics: how many tactics it is put together from; it may take as long as so many.
        limit_s: the seconds that it may take, where they are fewer than the limit of a tactic.
    """

    state: GoalState
    tactic: str
    apart: bool = False
    tactics: int = 1
    limit_s: float = math.inf


@dataclass(frozen=True, slots=True)
class Success:
    """A tactic that worked: the state after it, and the states to prove (that one alone where nothing was taken
    apart; none when no goal is left)."""

    state: GoalState
    parts: tuple[GoalState, ...]


TrialResult = Success | LeanError


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What a search is given.

    Attributes:
        config: how to search.
        samples: whether the policy draws at random, so that asking again gives other answers.
        memory: goals proved earlier in the run.
        refusals: what Lean refused earlier in the run.
        valued: whether a value model rates each state.
        begun: the proof of this theorem that its author has begun; a search for whole proofs makes nothing of it.
    """

    config: SearchConfig = field(default_factory=SearchConfig)
    samples: bool = False
    memory: ProvedGoals = field(default_factory=ProvedGoals)
    refusals: Refusals = field(default_factory=Refusals)
    valued: bool = False
    begun: Begun | None = None


class Search(Protocol):
    """The search for one theorem."""

    seconds: float
    """What was spent of the budget's seconds: the driver counts them."""

    @property
    def name(self) -> str:
        """Its name in the registry."""
        ...

    @property
    def is_over(self) -> bool:
        """A proof was found, a limit was reached, or nothing is left to try."""
        ...

    @property
    def seconds_left(self) -> float:
        """What is left of the budget's seconds."""
        ...

    @property
    def graphs(self) -> Sequence[ProofGraph]:
        """All that was seen."""
        ...

    @property
    def cost(self) -> Cost:
        """What was spent so far."""
        ...

    def ask(self) -> list[Question]:
        """Return what to ask the policy now; nothing where only Lean is needed."""
        ...

    def propose(self, answers: Sequence[Sequence[Suggestion]], tokens: int) -> list[Trial]:
        """Return the tactics to run, given an answer to each question; ``tokens`` is what the answers cost."""
        ...

    def absorb(self, results: Sequence[TrialResult]) -> list[GoalState]:
        """Take in Lean's answer to each trial, in order; returns the states that are needed no more."""
        ...

    def unvalued(self) -> list[Node]:
        """Return the nodes that a value model has to rate, where there is one."""
        ...

    def stop(self) -> None:
        """Be over: a limit of the whole run was reached."""
        ...

    def live_states(self) -> list[GoalState]:
        """Return the states that Lean still keeps for this search."""
        ...

    def result(self) -> SearchResult:
        """Return what has come out; final once :attr:`is_over`."""
        ...


MakeSearch = Callable[[GoalState, SearchContext, SearchBudget | None], Search]
"""What stands in the registry: makes the search for one theorem of its first state, what it may use, and its share of
the budget (by default the config's)."""


def make_search(root: GoalState, context: SearchContext, budget: SearchBudget | None = None) -> Search:
    """Make the search that the config names for one theorem."""
    make: MakeSearch = SEARCHES.find(context.config.search)
    return make(root, context, budget)
