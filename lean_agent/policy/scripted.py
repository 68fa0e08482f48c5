"""A policy without a model: the same list of tactics for every goal. The baseline that a model has to beat."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lean_agent.errors import ConfigError
from lean_agent.policy.base import ProofRequest, Suggestion

CLOSING_TACTICS = (
    "rfl",
    "assumption",
    "trivial",
    "contradiction",
    "decide",
    "simp",
    "simp_all",
    "omega",
    "grind",
    "constructor",
    "intros; rfl",
    "intros; assumption",
    "intros; simp_all",
    "intros; omega",
    "intros; grind",
)
"""Tactics of core Lean that close a goal, or fail, without being told anything about it; cheap ones first."""


class ScriptedPolicy:
    """Proposes the first ``k`` of ``tactics`` for every goal.

    Rank ``i`` (from 0) has log-probability ``log(1/2) * (i + 1)``: a geometric distribution, so that a search that
    ranks by log-probability tries them in the order of the list.

    Args:
        tactics: what to propose, best first, without repetition.

    Raises:
        ConfigError: ``tactics`` is empty or repeats itself.
    """

    samples = False

    def __init__(self, tactics: Sequence[str] = CLOSING_TACTICS) -> None:
        if not tactics or len(set(tactics)) != len(tactics):
            raise ConfigError(f"A scripted policy needs a list of different tactics; it was given {list(tactics)}.")
        self._suggestions = [
            Suggestion(tactic, logprob=math.log(0.5) * (rank + 1), tokens=0) for rank, tactic in enumerate(tactics)
        ]

    @property
    def identity(self) -> str:
        """See :attr:`lean_agent.policy.base.Identified.identity`."""
        return repr([suggestion.tactic for suggestion in self._suggestions])

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Propose the first ``k`` tactics of the list for every goal."""
        return [self._suggestions[:k] for _ in goals]

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        """Offer each entry as a script; none can be repaired."""
        return [self._suggestions[:k] if request.attempt is None else [] for request in requests]
