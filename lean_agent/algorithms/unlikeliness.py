"""Unlikeliness reward: a rare success is worth more than a likely one (arXiv 2506.02355).

GRPO makes likely proofs likelier and hardly touches rare ones, which sharpens the policy: pass@1 rises and pass@k for a
large ``k`` falls. The remedy ranks the completions of a group by their log-probability under the policy that sampled
them, from 0 for the least likely, and multiplies the reward of a success by

    1 − unlikeliness · rank / G

before the advantages are computed as GRPO's. The paper trains twice on each batch, with a KL weight of 0.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

from lean_agent.algorithms import functional
from lean_agent.algorithms.base import AlgorithmConfig, RLAlgorithm


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
    """Unlikeliness reward, as the module's docstring has it."""

    config_class = UnlikelinessConfig
    full_name = "GRPO with unlikeliness reward"
    best_for = "Many attempts at a theorem, search"
    needs_logprobs = True

    def shape_rewards(
        self,
        rewards: torch.Tensor,
        lengths: torch.Tensor,
        max_length: int,
        logprobs: torch.Tensor | None = None,
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
