"""Algorithms for many attempts at a theorem, which keep answers diverse: pass@k, unlikeliness, negative samples.

GRPO makes likely proofs likelier and hardly touches rare ones: pass@1 rises, and pass@k for a large ``k`` falls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import ClassVar, Literal

import torch

from lean_agent.algorithms import functional
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
    """Pass@k training: a completion is worth what it adds to the best of ``k`` (arXiv 2508.10751).

    Of all ways to take ``k`` completions of a group, what does the best of them get? Where a completion takes part, on
    average more or less than otherwise: that difference is its advantage, in standard deviations of the best of ``k``.
    So a goal that is nearly always proved teaches little, and one of many proofs of a theorem less than the only one.
    The paper derives it for rewards of 0 and 1 (its equations 14 and 15); taken as here it holds for any rewards.
    """

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


@dataclass(frozen=True, kw_only=True)
class UnlikelinessConfig(AlgorithmConfig):
    """The common settings, and more.

    Attributes:
        unlikeliness: how much of a success's reward its likelihood can cost, in [0, 1]; 0 is GRPO.
        success_above: rewards above this one are successes; the scorers of this package give a proof at least 0.6, and
            anything else at most 0.5.
        rank_by: ``mean`` ranks by the log-probability of a token on average, so that length has no say; ``sum`` by that
            of the whole completion, which calls long ones unlikely.
    """

    updates_per_batch: int = 2
    beta: float = 0.1
    unlikeliness: float = 0.25
    success_above: float = 0.5
    rank_by: Literal["mean", "sum"] = "mean"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(0 <= self.unlikeliness <= 1, "unlikeliness must lie in [0, 1]")

    def idle_settings(self) -> dict[str, str]:
        idle = super().idle_settings()
        if self.unlikeliness == 0:
            idle |= dict.fromkeys(("success_above", "rank_by"), "unlikeliness is 0")
        return idle


class Unlikeliness(RLAlgorithm[UnlikelinessConfig]):
    """A rare success is worth more than a likely one (arXiv 2506.02355).

    GRPO makes likely proofs likelier and hardly touches rare ones, which sharpens the policy: pass@1 rises and pass@k
    for a large ``k`` falls. The remedy ranks the completions of a group by their log-probability under the policy that
    sampled them, from 0 for the least likely, and multiplies the reward of a success by

        1 − unlikeliness · rank / G

    before the advantages are computed as GRPO's. The paper trains twice on each batch, with a KL weight of 0.1.
    """

    config_class = UnlikelinessConfig
    full_name = "GRPO with unlikeliness reward"
    best_for = "Many attempts at a theorem, search"
    needs_logprobs = True

    def shape_rewards(
        self, rewards: torch.Tensor, lengths: torch.Tensor, max_length: int, logprobs: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Return the rewards of successes less what their likelihood costs, then as :meth:`RLAlgorithm.shape_rewards`.

        Raises:
            ValueError: no ``logprobs``.
        """
        if logprobs is None:
            raise ValueError("The unlikeliness reward needs the log-probabilities of the completions.")
        values = logprobs / lengths.clamp(min=1) if self.config.rank_by == "mean" else logprobs
        # Ranks from −1 to 1 among the known; rank / G as the paper counts them, from 0 to (G − 1) / G.
        known = rewards.isfinite()
        ranks = functional.ranks(torch.where(known, values.float(), torch.nan))
        count = known.sum(dim=1, keepdim=True)
        place = torch.nan_to_num((ranks + 1) / 2, nan=0.0) * (count - 1) / count.clamp(min=1)
        kept = torch.where(rewards > self.config.success_above, 1 - self.config.unlikeliness * place, 1.0)
        return super().shape_rewards(rewards * kept, lengths, max_length, logprobs)

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        return self.group_advantages(rewards)


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
    """Learns most of all from what failed (arXiv 2506.01347).

    A success has the advantage ``positive_weight``, a failure ``−negative_weight``, whatever the others of its group
    did: no baseline, no deviation. Pushing failures down leaves the probability to whatever else the policy believes
    in, so that pass@k holds up to a large ``k``, where rewarding successes alone narrows the policy. The paper's
    W-REINFORCE weighs successes with 0.1; weight 0 is its negative sample reinforcement.
    """

    config_class = NSRConfig
    full_name = "Negative-weighted REINFORCE (W-REINFORCE)"
    best_for = "Keeping answers diverse, many attempts at a theorem"

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        success, failure = self.config.positive_weight, -self.config.negative_weight
        weights = torch.where(rewards > self.config.success_above, success, failure)
        return torch.where(rewards.isfinite(), weights, torch.nan)
