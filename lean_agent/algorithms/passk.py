"""Pass@k training: a completion is worth what it adds to the best of ``k`` (arXiv 2508.10751).

Of all ways to take ``k`` completions of a group, what does the best of them get? Where a completion takes part, on
average more or less than otherwise: that difference is its advantage, in standard deviations of the best of ``k``. So a
goal that is nearly always proved teaches little, and one of many proofs of a theorem less than the only one. The paper
derives it for rewards of 0 and 1 (its equations 14 and 15); taken as here it holds for any rewards.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import torch

from lean_agent.algorithms.base import AlgorithmConfig, RLAlgorithm
from lean_agent.algorithms.functional import ADVANTAGE_EPS


@dataclass(frozen=True, kw_only=True)
class PassAtKConfig(AlgorithmConfig):
    """The common settings, and more.

    Attributes:
        k: attempts of which the best counts; 1 is GRPO (with the population's standard deviation). In a group of no
            more than ``k`` known rewards, one less than there are.
    """

    k: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(self.k >= 1, "k must be at least 1")


class PassAtK(RLAlgorithm[PassAtKConfig]):
    """See the module's docstring."""

    config_class = PassAtKConfig
    full_name = "Pass@k training"
    best_for = "Several attempts at a theorem"

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        advantages = torch.full_like(rewards, torch.nan)
        for group, result in zip(rewards, advantages, strict=True):
            known = group.isfinite()
            result[known] = self._of_group(group[known])
        return advantages

    def _of_group(self, rewards: torch.Tensor) -> torch.Tensor:
        """Compute the advantages of a group's known rewards, ``[G] -> [G]``."""
        count = len(rewards)
        k = min(self.config.k, count - 1)
        if k < 1 or rewards.min() == rewards.max():
            return torch.zeros_like(rewards)
        ordered, places = rewards.double().sort()
        # Sets of k in which place j is the best; and those of them that a given lower place is in.
        counted = [comb(j, k - 1) for j in range(count)]
        with_one = [comb(j - 1, k - 2) if k > 1 and j >= 1 else 0 for j in range(count)]
        best, best_over = torch.tensor([counted, with_one], dtype=torch.double, device=rewards.device)
        mean = (best * ordered).sum() / comb(count, k)
        spread = ((best * (ordered - mean).square()).sum() / comb(count, k)).sqrt()
        above = (best_over * ordered).sum() - (best_over * ordered).cumsum(0)
        advantages = (best * ordered + above) / comb(count - 1, k - 1) - mean
        if self.config.normalize_advantages:
            advantages = advantages / (spread + ADVANTAGE_EPS)
        return torch.zeros_like(rewards).scatter(0, places, advantages.to(rewards.dtype))
