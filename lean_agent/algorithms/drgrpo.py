"""DrGRPO: GRPO made robust, after lean-grpo; and Dr. GRPO as published, "GRPO Done Right" (arXiv 2503.20783).

Two things of one name. lean-grpo's: a choice of importance-sampling level and KL estimator, advantages that outliers do
not bend, two clip bounds, the divergence without bias, log-ratios that cannot overflow. The paper's: neither the
standard deviation nor a completion's length divides, since both favour some goals and some answers over others;
``preset="published"`` sets that and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import torch

from lean_agent.algorithms import functional
from lean_agent.algorithms.base import AlgorithmConfig, RLAlgorithm

AdvantageNorm = Literal["standard", "winsorized", "rank"]


@dataclass(frozen=True, kw_only=True)
class DrGRPOConfig(AlgorithmConfig):
    """The common settings, and more.

    Attributes:
        advantage_norm_method: ``standard`` is GRPO's; ``winsorized`` first holds rewards near two quantiles of their
            group (see :func:`lean_agent.algorithms.functional.winsorized`), unless that would make all of them equal,
            as it does to one success among equal failures: it is no outlier then, but all that there is to learn from;
            ``rank`` takes ranks from −1 to 1, whatever the distances, and needs no deviation.
        winsor_quantile: the lower of these quantiles, in [0, 0.5); 0 holds nothing.
        updates_per_batch, beta: twice on the same completions, and a divergence to the reference model as GRPO's paper
            weighs it: without a second update no ratio is clipped, and without a weight no divergence is estimated.
        use_asymmetric_clip: bounds ``epsilon`` below and ``epsilon_high`` (0.28 unless set) above; otherwise
            ``epsilon`` on both sides.
    """

    updates_per_batch: int = 2
    beta: float = 0.04
    use_unbiased_kl: bool = True
    advantage_norm_method: AdvantageNorm = "winsorized"
    winsor_quantile: float = 0.1
    use_asymmetric_clip: bool = True

    PUBLISHED: ClassVar[dict[str, Any]] = {
        "updates_per_batch": 1,
        "beta": 0.0,
        "normalize_advantages": False,
        "loss_aggregation": "constant",
        "advantage_norm_method": "standard",
        "use_asymmetric_clip": False,
        "use_unbiased_kl": False,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(0 <= self.winsor_quantile < 0.5, "winsor_quantile must lie in [0, 0.5)")
        self._require(self.use_asymmetric_clip or self.epsilon_high is None, "epsilon_high needs use_asymmetric_clip")
        self._require(
            self.normalize_advantages or self.advantage_norm_method != "rank",
            "normalize_advantages would change nothing: ranks are divided by no deviation",
        )

    def idle_settings(self) -> dict[str, str]:
        idle = super().idle_settings()
        if self.advantage_norm_method == "rank":
            idle["normalize_advantages"] = "ranks are divided by no deviation"
        if self.advantage_norm_method != "winsorized":
            idle["winsor_quantile"] = f"advantage_norm_method is {self.advantage_norm_method}"
        if self.updates_per_batch == 1:
            idle["use_asymmetric_clip"] = idle["epsilon"]
        if not self.use_asymmetric_clip:
            idle["epsilon_high"] = "use_asymmetric_clip is false"
        return idle


class DrGRPO(RLAlgorithm[DrGRPOConfig]):
    """See the module's docstring."""

    config_class = DrGRPOConfig
    full_name = "Dr. GRPO (GRPO Done Right)"
    best_for = "When GRPO is unstable"

    @property
    def clip_bounds(self) -> tuple[float, float]:
        low, high = super().clip_bounds
        return (low, 0.28) if self.config.use_asymmetric_clip and self.config.epsilon_high is None else (low, high)

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        if self.config.advantage_norm_method == "rank":
            return functional.ranks(rewards)
        if self.config.advantage_norm_method == "winsorized":
            held = functional.winsorized(rewards, self.config.winsor_quantile)
            return self.group_advantages(torch.where(functional.has_spread(held).unsqueeze(1), held, rewards))
        return self.group_advantages(rewards)
