"""Short and sparing proofs pay more, and quick ones where that is asked for."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from lean_agent.errors import ConfigError
from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.trajectory import ProofTrajectory


class EfficiencyScorer(BaseRewardScorer):
    """Of a proof, the mean of its parts, each ``half / (half + spent)``: 1 for nothing spent, 1/2 at ``half``.

    An attempt that proves nothing is worth 0 at any price: to fail quickly is no virtue.

    Args:
        half_steps: of tactics after the first.
        half_tokens: of tokens that the policy generated.
        half_seconds: of Lean's wall time. ``None`` leaves time out: it depends on the machine and on what else that
            does, and no two runs would end alike.
    """

    def __init__(
        self, *, half_steps: float = 8.0, half_tokens: float = 256.0, half_seconds: float | None = None
    ) -> None:
        halves = {"length": half_steps, "tokens": half_tokens, "time": half_seconds}
        self._half = {name: half for name, half in halves.items() if half is not None}
        if min(self._half.values()) <= 0:
            raise ConfigError("half_steps, half_seconds and half_tokens must be above 0.")

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        spent = {
            "length": max(len(trajectory.steps) - 1, 0),
            "time": trajectory.seconds,
            "tokens": trajectory.tokens,
        }
        parts = {name: half / (half + spent[name]) for name, half in self._half.items()}
        quality = sum(parts.values()) / len(parts) if trajectory.is_proved else 0.0
        return self.normalize_reward(self.graded(trajectory, quality)), parts
