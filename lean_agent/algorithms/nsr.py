"""Negative-weighted REINFORCE: learn most of all from what failed (arXiv 2506.01347).

A success has the advantage ``positive_weight``, a failure ``−negative_weight``, whatever the others of its group did:
no baseline, no deviation. Pushing failures down leaves the probability to whatever else the policy believes in, so that
pass@k holds up to a large ``k``, where rewarding successes alone narrows the policy. The paper's W-REINFORCE weighs
successes with 0.1; weight 0 is its negative sample reinforcement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch

from lean_agent.algorithms.base import AlgorithmConfig, RLAlgorithm


@dataclass(frozen=True, kw_only=True)
class NSRConfig(AlgorithmConfig):
    """The common settings but ``normalize_advantages``, and more.

    Attributes:
        positive_weight: advantage of a success, at least 0.
        negative_weight: how far below 0 the advantage of a failure lies.
        success_above: rewards above this one are successes; the scorers of this package give a proof at least 0.6, and
            anything else at most 0.5.
    """

    positive_weight: float = 0.1
    negative_weight: float = 1.0
    success_above: float = 0.5

    UNUSED: ClassVar[Mapping[str, str]] = {"normalize_advantages": "nsr divides advantages by nothing"}

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(
            self.positive_weight >= 0 and self.negative_weight >= 0 and self.positive_weight + self.negative_weight > 0,
            "positive_weight and negative_weight must be at least 0, and one of them above",
        )


class NSR(RLAlgorithm[NSRConfig]):
    """Negative-weighted REINFORCE, as the module's docstring has it."""

    config_class = NSRConfig
    full_name = "Negative-weighted REINFORCE (W-REINFORCE)"
    best_for = "Keeping answers diverse, many attempts at a theorem"

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        weights = torch.where(
            rewards > self.config.success_above, self.config.positive_weight, -self.config.negative_weight
        )
        return torch.where(rewards.isfinite(), weights, torch.nan)
