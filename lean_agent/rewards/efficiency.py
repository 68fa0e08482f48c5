"""Short, quick and sparing proofs pay more."""

from __future__ import annotations

from typing import Any

from lean_agent.errors import ConfigError
from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.trajectory import ProofTrajectory


class EfficiencyScorer(BaseRewardScorer):
    """Of a proof, the mean of three parts, each ``half / (half + spent)``: 1 for nothing spent, 1/2 at ``half``.

    An attempt that proves nothing is worth 0 at any price: to fail quickly is no virtue.

    Args:
        half_steps: of tactics after the first.
        half_seconds: of Lean's wall time.
        half_tokens: of tokens that the policy generated.
    """

    def __init__(self, *, half_steps: float = 8.0, half_seconds: float = 5.0, half_tokens: float = 256.0) -> None:
        if min(half_steps, half_seconds, half_tokens) <= 0:
            raise ConfigError("half_steps, half_seconds and half_tokens must be above 0.")
        self._half = {"length": half_steps, "time": half_seconds, "tokens": half_tokens}

    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        """See :meth:`BaseRewardScorer.score`."""
        spent = {
            "length": max(len(trajectory.steps) - 1, 0),
            "time": trajectory.seconds,
            "tokens": trajectory.tokens,
        }
        parts = {name: half / (half + spent[name]) for name, half in self._half.items()}
        quality = sum(parts.values()) / len(parts) if trajectory.is_proved else 0.0
        return self.normalize_reward(self.graded(trajectory, quality)), parts
