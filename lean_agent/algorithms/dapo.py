"""DAPO: lean-grpo's Decoupled Advantage Policy Optimization; and DAPO as published (arXiv 2503.14476).

Two things of one name. lean-grpo's decouples the advantage from the group: a reward is compared with the population of
rewards seen lately, good and bad completions weigh differently, and rewards that are nearly all zero are spread out.
The paper's, Decoupled Clip and Dynamic sAmpling, is GRPO with a higher upper clip bound, groups without spread sampled
again, the mean over all tokens, and care for completions that are too long; ``preset="published"`` sets that and turns
lean-grpo's parts off.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from lean_agent.algorithms.base import AlgorithmConfig, RLAlgorithm
from lean_agent.algorithms.functional import ADVANTAGE_EPS


@dataclass(frozen=True, kw_only=True)
class DAPOConfig(AlgorithmConfig):
    """The common settings, and more.

    Attributes:
        updates_per_batch: twice on the same completions, or no ratio would reach a bound.
        use_population: compare with the population; otherwise with the group, as GRPO does.
        population_size: newest known rewards that make the population, at least 2.
        advantage_ema_decay: of the population's mean and deviation from batch to batch, in [0, 1): 0 takes them as they
            are now. The first two moments are what is smoothed, so that the deviation is that of all the rewards that
            the mean is of; and it is never less than the population's own.
        use_asymmetric_loss: clip at ``epsilon`` below and ``epsilon_high`` (0.28 unless set) above, and scale
            advantages by their sign.
        positive_advantage_scale, negative_advantage_scale: these scales.
        use_reward_shaping: while rewards are sparse, add ``shaping_weight`` times the share of the population that a
            reward beats (ties count half), so that the little that tells failures apart is felt beside rare successes.
            The order of rewards stays.
        sparse_reward_threshold: rewards are sparse while at least this share of the population is not above 0.
        shaping_weight: see above.
    """

    updates_per_batch: int = 2
    use_population: bool = True
    population_size: int = 100
    advantage_ema_decay: float = 0.9
    use_asymmetric_loss: bool = True
    positive_advantage_scale: float = 1.0
    negative_advantage_scale: float = 0.8
    use_reward_shaping: bool = True
    sparse_reward_threshold: float = 0.8
    shaping_weight: float = 0.2

    PUBLISHED: ClassVar[dict[str, Any]] = {
        "use_population": False,
        "use_reward_shaping": False,
        "epsilon_high": 0.28,
        "positive_advantage_scale": 1.0,
        "negative_advantage_scale": 1.0,
        "loss_aggregation": "token",
        "dynamic_sampling": 3,
        "mask_truncated": True,
        "overlong_cache": 16,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(self.population_size >= 2, "population_size must be at least 2")
        self._require(0 <= self.advantage_ema_decay < 1, "advantage_ema_decay must lie in [0, 1)")
        scales = (self.positive_advantage_scale, self.negative_advantage_scale)
        self._require(min(scales) >= 0, "scales must be at least 0")
        self._require(0 < self.sparse_reward_threshold <= 1, "sparse_reward_threshold must lie in (0, 1]")
        self._require(self.shaping_weight >= 0, "shaping_weight must be at least 0")
        self._require(self.use_asymmetric_loss or self.epsilon_high is None, "epsilon_high needs use_asymmetric_loss")

    def idle_settings(self) -> dict[str, str]:
        idle = super().idle_settings()
        if not self.use_reward_shaping:
            idle |= dict.fromkeys(("sparse_reward_threshold", "shaping_weight"), "use_reward_shaping is false")
        if not self.use_population:
            idle["advantage_ema_decay"] = "use_population is false"
            if not self.use_reward_shaping:
                idle["population_size"] = "use_population and use_reward_shaping are false"
        if not self.use_asymmetric_loss:
            scales = ("positive_advantage_scale", "negative_advantage_scale", "epsilon_high")
            idle |= dict.fromkeys(scales, "use_asymmetric_loss is false")
        return idle


class DAPO(RLAlgorithm[DAPOConfig]):
    """See the module's docstring. It remembers the population and its smoothed statistics."""

    config_class = DAPOConfig
    full_name = "Decoupled Advantage Policy Optimization"
    best_for = "Sparse rewards"

    def __init__(self, config: DAPOConfig | None = None, **settings: Any) -> None:
        super().__init__(config, **settings)
        self._population: deque[float] = deque(maxlen=self.config.population_size)
        self._smoothed: tuple[float, float] | None = None

    @property
    def is_sparse(self) -> bool:
        """True while the population has too few rewards above 0."""
        failures = sum(reward <= 0 for reward in self._population)
        return bool(self._population) and failures / len(self._population) >= self.config.sparse_reward_threshold

    @property
    def clip_bounds(self) -> tuple[float, float]:
        low, high = super().clip_bounds
        return (low, 0.28) if self.config.use_asymmetric_loss and self.config.epsilon_high is None else (low, high)

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        self._population.extend(rewards[rewards.isfinite()].tolist())
        shaped = self._shaped(rewards) if self.config.use_reward_shaping and self.is_sparse else rewards
        if not self.config.use_population:
            return self.group_advantages(shaped)
        mean, deviation = self._statistics(shaping=shaped is not rewards)
        return (shaped - mean) / (deviation + ADVANTAGE_EPS if self.config.normalize_advantages else 1.0)

    def _shaped(self, rewards: torch.Tensor) -> torch.Tensor:
        """Compute ``r + shaping_weight · (share of the population below r + half the share equal to r)``."""
        population = torch.tensor(list(self._population), dtype=rewards.dtype, device=rewards.device)
        below = (population < rewards.unsqueeze(-1)).float().mean(dim=-1)
        equal = (population == rewards.unsqueeze(-1)).float().mean(dim=-1)
        return rewards + self.config.shaping_weight * (below + equal / 2)

    def _statistics(self, *, shaping: bool) -> tuple[float, float]:
        """Return mean and unbiased deviation of the population, smoothed over batches; the latter at least as it is."""
        # In float32 the mean of equal rewards is not their value, and what is off is divided by next to nothing.
        population = torch.tensor([list(self._population)], dtype=torch.double)
        if population.numel() == 0:
            return 0.0, 0.0
        values = self._shaped(population) if shaping else population
        mean, deviation = values.mean().item(), values.std().item() if values.numel() > 1 else 0.0
        old_mean, old_deviation = self._smoothed or (mean, deviation)
        decay = self.config.advantage_ema_decay
        # The variance of a mixture: what its parts have, and what lies between their means.
        variance = decay * old_deviation**2 + (1 - decay) * deviation**2 + decay * (1 - decay) * (mean - old_mean) ** 2
        self._smoothed = (decay * old_mean + (1 - decay) * mean, math.sqrt(variance))
        # After many batches without a success the smoothed deviation is small for long; the first success is worth
        # what it is in the population, and not 1 / √(1 - decay) times that.
        return self._smoothed[0], max(self._smoothed[1], deviation)

    def _scaled(self, advantages: torch.Tensor) -> torch.Tensor:
        if not self.config.use_asymmetric_loss:
            return advantages
        positive, negative = self.config.positive_advantage_scale, self.config.negative_advantage_scale
        return advantages * torch.where(advantages > 0, positive, negative)

    def state_dict(self) -> dict[str, Any]:
        return {"population": list(self._population), "smoothed": self._smoothed and list(self._smoothed)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._population = deque(state["population"], maxlen=self.config.population_size)
        smoothed = state["smoothed"]
        self._smoothed = (smoothed[0], smoothed[1]) if smoothed else None
