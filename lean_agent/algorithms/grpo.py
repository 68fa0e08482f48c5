"""GRPO: completions are compared with the others of their group, and no value function is needed.

Group Relative Policy Optimization, arXiv 2402.03300. ``A = (r − mean) / std`` within the group; the clipped loss is
averaged over each completion's tokens, then over completions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from lean_agent.algorithms.base import AlgorithmConfig, RLAlgorithm


@dataclass(frozen=True, kw_only=True)
class GRPOConfig(AlgorithmConfig):
    """The common settings, as they are; GRPO has none of its own."""


class GRPO(RLAlgorithm[GRPOConfig]):
    """See the module's docstring."""

    config_class = GRPOConfig
    full_name = "Group Relative Policy Optimization"
    best_for = "General use"

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        return self.group_advantages(rewards)
