"""What every search is: a machine that says what it wants to know, and is told.

A round is :meth:`Search.ask` -> the policy's answers -> :meth:`Search.propose` -> Lean's answers ->
:meth:`Search.absorb`. So one driver (:mod:`lean_agent.prover.driver`) serves many searches of any kind with the same
policy calls and batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lean_agent.errors import LeanError
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.prover.config import SearchResult
from lean_agent.prover.tree.graph import Node, ProofGraph


@dataclass(frozen=True, slots=True)
class Question:
    """What the policy is asked.

    Attributes:
        goal: the main goal as Lean prints it.
        whole_proof: whether a script that proves it is wanted, and not the next tactic.
        attempt, error: a script that failed, and what Lean said of it.
    """

    goal: str
    whole_proof: bool = False
    attempt: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A tactic to run.

    Attributes:
        apart: goals that share no metavariable become states of their own.
        tactics: how many tactics it is put together from; it may take as long as so many.
    """

    state: GoalState
    tactic: str
    apart: bool = False
    tactics: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """A tactic that worked: the state after it, and the states to prove (that one alone where nothing was taken
    apart; none when no goal is left)."""

    state: GoalState
    parts: tuple[GoalState, ...]


Outcome = Step | LeanError


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
    def spent(self) -> SearchResult:
        """What was counted so far; the status says nothing yet."""
        ...

    def ask(self) -> list[Question]:
        """What to ask the policy now; nothing where only Lean is needed."""
        ...

    def propose(self, answers: Sequence[Sequence[Suggestion]], tokens: int) -> list[Trial]:
        """The tactics to run, given an answer to each question; ``tokens`` is what the answers cost."""
        ...

    def absorb(self, outcomes: Sequence[Outcome]) -> list[GoalState]:
        """Take in Lean's answer to each trial, in order; returns the states that are needed no more."""
        ...

    def unvalued(self) -> list[Node]:
        """Nodes that wait for the value model's word, where there is one."""
        ...

    def stop(self) -> None:
        """Be over: a limit of the whole run was reached."""
        ...

    def live_states(self) -> list[GoalState]:
        """The states that Lean still keeps for this search."""
        ...

    def result(self) -> SearchResult:
        """What has come out; final once :attr:`is_over`."""
        ...
