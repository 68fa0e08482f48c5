"""DGPO: GRPO, plus a preference loss between better and worse completions of a group.

Direct GRPO has no paper: lean-grpo defines it as GRPO with a DPO-style loss (DPO: arXiv 2305.18290). With
``s = Σ_t (log π − log π_ref)`` of a completion,

    pairs:   mean over pairs of −log σ(dpo_beta (s_winner − s_loser))
    ranked:  mean over completions of −log(e^{dpo_beta s_i} / (e^{dpo_beta s_i} + Σ_{j worse} e^{dpo_beta s_j}))

The second is the Plackett-Luce model of DPO's appendix A.3; with two completions both say the same. Equal completions
are no pair, and a completion without tokens is in none; a group in which all are equal, or of one, adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn.functional import logsigmoid
from typing_extensions import override

from lean_agent.algorithms.base import AlgorithmConfig, LossInputs, Metrics, RLAlgorithm


@dataclass(frozen=True, kw_only=True)
class DGPOConfig(AlgorithmConfig):
    """The common settings, and more.

    Attributes:
        use_dpo_loss: add the preference loss.
        dpo_beta: temperature of the preference model.
        dpo_coef: weight of the preference loss; 0 is plain GRPO.
        ranked_preferences: learn the order of the whole group instead of its pairs.
    """

    use_dpo_loss: bool = True
    dpo_beta: float = 0.1
    dpo_coef: float = 0.5
    ranked_preferences: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(self.dpo_beta > 0, "dpo_beta must be above 0")
        self._require(self.dpo_coef >= 0, "dpo_coef must be at least 0")

    def idle_settings(self) -> dict[str, str]:
        idle = super().idle_settings()
        if not self.use_dpo_loss:
            idle |= dict.fromkeys(("dpo_beta", "dpo_coef", "ranked_preferences"), "use_dpo_loss is false")
        elif self.dpo_coef == 0:
            idle |= dict.fromkeys(("dpo_beta", "ranked_preferences"), "dpo_coef is 0")
        return idle


class DGPO(RLAlgorithm[DGPOConfig]):
    """See the module's docstring."""

    config_class = DGPOConfig
    full_name = "Direct GRPO with preference learning"
    best_for = "Pairwise preferences"
    needs_whole_groups = True

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        return self.group_advantages(rewards)

    @override
    def _loss(self, inputs: LossInputs) -> tuple[torch.Tensor, Metrics]:
        """Add the preference loss, whose reference is the policy that sampled where there are no ``ref_logprobs``.

        Where ``preferences`` are given they are pairs, not rankings.

        Returns:
            Among the metrics ``dpo_loss``, and ``dpo_accuracy``: the share of pairs in which the policy, against the
            reference, has moved to the winner.
        """
        loss, metrics = super()._loss(inputs)
        if not self.config.use_dpo_loss or self.config.dpo_coef == 0:
            return loss, metrics
        logprobs, given = inputs.logprobs, inputs.preferences
        candidates = (inputs.ref_logprobs, inputs.old_logprobs, logprobs)
        difference = logprobs - next(values for values in candidates if values is not None).detach()
        counts = inputs.mask.bool() & difference.detach().isfinite()
        scores = self.config.dpo_beta * torch.where(counts, difference, 0.0).sum(dim=1)
        values = _sequence_values(inputs.advantages, inputs.mask)
        better = _preferred(values, inputs.group_numbers(self.config.group_size))
        if given is not None:
            better = torch.zeros_like(better)
            better[given[:, 0], given[:, 1]] = True
        there = counts.any(dim=1)
        better = better & there.unsqueeze(1) & there.unsqueeze(0)
        share = 1.0 if inputs.batch is None else len(scores) / max(inputs.batch.sequences, 1)
        ranked = self.config.ranked_preferences and given is None
        dpo = share * (ranking_loss(scores, better) if ranked else pair_loss(scores, better))
        margins = (scores.unsqueeze(1) - scores.unsqueeze(0)).detach()[better]
        metrics["dpo_loss"] = dpo.item()
        metrics["dpo_accuracy"] = (margins > 0).float().mean().item() if len(margins) else 0.0
        return loss + self.config.dpo_coef * dpo, metrics


def pair_loss(scores: torch.Tensor, better: torch.Tensor) -> torch.Tensor:
    """Return the mean of ``−log σ(s_i − s_j)`` over the pairs with ``better[i, j]``; 0 when there is none.

    Args:
        scores: ``[B]``.
        better: ``[B, B]``, true where row ``i`` is preferred to row ``j``.
    """
    losses = -logsigmoid(scores.unsqueeze(1) - scores.unsqueeze(0))
    return torch.where(better, losses, 0.0).sum() / better.sum().clamp(min=1)


def ranking_loss(scores: torch.Tensor, better: torch.Tensor) -> torch.Tensor:
    """Compute the Plackett-Luce loss: each completion that is better than some, against those; 0 when there is none.

    Args: as for :func:`pair_loss`.
    """
    rivals = better | torch.eye(len(scores), dtype=torch.bool, device=scores.device)
    against = torch.where(rivals, scores.unsqueeze(0), -torch.inf).logsumexp(dim=1)
    counts = better.any(dim=1)
    return torch.where(counts, against - scores, 0.0).sum() / counts.sum().clamp(min=1)


def _sequence_values(advantages: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return one advantage for each completion, ``[B]``: of tokens, the mean over those that count."""
    if advantages.dim() == 1:
        return advantages
    return torch.where(mask.bool(), advantages, 0.0).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


def _preferred(advantages: torch.Tensor, groups: torch.Tensor) -> torch.Tensor:
    """Return ``[B, B]``, true where row ``i`` is of the same group as row ``j`` and better."""
    same = groups.unsqueeze(1) == groups.unsqueeze(0)
    return same & (advantages.unsqueeze(1) > advantages.unsqueeze(0))
