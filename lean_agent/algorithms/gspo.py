"""GSPO: lean-grpo's Group-Synchronized Policy Optimization; and GSPO as published (arXiv 2507.18071).

Two things of one name. lean-grpo's lets the groups of a batch know of one another: gradients of several batches make
one update, a part of the advantage compares a completion with those of all groups, and groups grow while too few of
them have any spread. The paper's, Group Sequence Policy Optimization, is GRPO whose probability ratio is that of the
whole completion, to the power of one over its length, with bounds as narrow as that ratio asks for;
``preset="published"`` sets that and turns lean-grpo's parts off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from lean_agent.algorithms import functional
from lean_agent.algorithms.base import AlgorithmConfig, RLAlgorithm


@dataclass(frozen=True, kw_only=True)
class GSPOConfig(AlgorithmConfig):
    """The common settings, and more.

    Attributes:
        sync_frequency: batches whose gradients make one update; on several devices they are exchanged as seldom.
        use_consensus: mix what a completion is worth among all completions of the batch into its advantage.
        consensus_weight: how much of it, in [0, 1].
        use_dynamic_groups: double the group size after a batch in which fewer than ``diversity_low`` of the groups had
            any spread, halve it after one in which more than ``diversity_high`` had.
        min_group_size, max_group_size: the bounds of that.
        diversity_low, diversity_high: shares in [0, 1].
    """

    sync_frequency: int = 4
    use_consensus: bool = True
    consensus_weight: float = 0.3
    use_dynamic_groups: bool = True
    min_group_size: int = 2
    max_group_size: int = 64
    diversity_low: float = 0.25
    diversity_high: float = 0.75

    PUBLISHED: ClassVar[dict[str, Any]] = {
        "is_level": "geometric_mean",
        "epsilon": 3e-4,
        "epsilon_high": 4e-4,
        "updates_per_batch": 2,
        "sync_frequency": 1,
        "use_consensus": False,
        "use_dynamic_groups": False,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(self.sync_frequency >= 1, "sync_frequency must be at least 1")
        self._require(0 <= self.consensus_weight <= 1, "consensus_weight must lie in [0, 1]")
        self._require(
            1 <= self.min_group_size <= self.group_size <= self.max_group_size or not self.use_dynamic_groups,
            "group_size must lie between min_group_size, at least 1, and max_group_size",
        )
        self._require(
            0 <= self.diversity_low <= self.diversity_high <= 1, "0 <= diversity_low <= diversity_high <= 1 must hold"
        )

    def idle_settings(self) -> dict[str, str]:
        idle = super().idle_settings()
        if not self.use_consensus:
            idle["consensus_weight"] = "use_consensus is false"
        if not self.use_dynamic_groups:
            bounds = ("min_group_size", "max_group_size", "diversity_low", "diversity_high")
            idle |= dict.fromkeys(bounds, "use_dynamic_groups is false")
        return idle


class GSPO(RLAlgorithm[GSPOConfig]):
    """See the module's docstring. It remembers the group size."""

    config_class = GSPOConfig
    full_name = "Group-Synchronized Policy Optimization"
    best_for = "Distributed training, updates of several batches"

    def __init__(self, config: GSPOConfig | None = None, **settings: Any) -> None:
        super().__init__(config, **settings)
        self._group_size = self.config.group_size

    @property
    def batches_per_update(self) -> int:
        return self.config.sync_frequency

    def next_group_size(self) -> int:
        return self._group_size

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        if self.config.use_dynamic_groups:
            self._resize(functional.has_spread(rewards).float().mean().item())
        own = self.group_advantages(rewards)
        if not self.config.use_consensus:
            return own
        # A group of one known reward has no advantage of its own, but stands among the others all the same.
        consensus = self.group_advantages(rewards.reshape(1, -1)).view_as(rewards)
        weight = self.config.consensus_weight
        return (1 - weight) * torch.nan_to_num(own, nan=0.0) + weight * consensus

    def _resize(self, diversity: float) -> None:
        if diversity < self.config.diversity_low:
            self._group_size = min(2 * self._group_size, self.config.max_group_size)
        elif diversity > self.config.diversity_high:
            self._group_size = max(self._group_size // 2, self.config.min_group_size)

    def state_dict(self) -> dict[str, Any]:
        return {"group_size": self._group_size}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._group_size = int(state["group_size"])
