"""The contract of every policy, and the one way in which candidates are ranked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A tactic that a policy proposes for a goal.

    Attributes:
        tactic: the tactic's text, multi-line tactics whole.
        logprob: natural logarithm of the probability of the whole answer, its end included; at most 0.
        tokens: tokens generated for it, the end-of-turn token included; 0 where no model was asked.
    """

    tactic: str
    logprob: float
    tokens: int


@runtime_checkable
class Policy(Protocol):
    """What proposes tactics."""

    @property
    def samples(self) -> bool:
        """Whether it draws at random, so that asking again about a goal gives other answers."""
        ...

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Up to ``k`` different tactics for each goal, in as few model calls as memory allows.

        Args:
            goals: main goals as Lean prints them.
            k: how many candidates to draw for each goal.

        Returns:
            For each goal its suggestions, no tactic twice, the most probable first; fewer than ``k``, even none, where
            the policy has no more to say.

        Raises:
            PolicyError: the model could not answer.
        """
        ...


def rank_suggestions(candidates: Iterable[Suggestion], k: int) -> list[Suggestion]:
    """The ``k`` best candidates, most probable first; a tactic that occurs twice counts at its best log-probability.

    Empty tactics are dropped. Candidates of equal log-probability keep their order.
    """
    best: dict[str, Suggestion] = {}
    for candidate in candidates:
        if candidate.tactic and (candidate.tactic not in best or candidate.logprob > best[candidate.tactic].logprob):
            best[candidate.tactic] = candidate
    return sorted(best.values(), key=lambda suggestion: -suggestion.logprob)[:k]
