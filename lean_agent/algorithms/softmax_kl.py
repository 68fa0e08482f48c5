"""The grouped softmax-KL objective: the policy's preferences within a group should be those of the scores.

For a group of completions with sequence log-probabilities ``l`` and scores ``r``,

    p = softmax(l)    q = softmax(r / temperature)    loss = KL(q ‖ p) = Σ q (log q − log p)

averaged over groups, without gradient through ``q``. There is no ratio, no clipping and no sampling policy, so
completions may come from anywhere: it is what
:class:`lean_agent.trainer.offline_grpo_trainer.OfflineGRPOTrainer` minimises. Some call it GRPO; it is no policy
gradient. This direction is what torch's ``kl_div(log p, log q)`` computes, and it never lets a good completion's share
go to zero. ``kl_direction="policy_to_target"`` takes ``KL(p ‖ q)``: where the policy is nearly sure of a completion,
as a language model is whose sequence log-probabilities differ by tens of nats, its gradient is all but 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from typing_extensions import override

from lean_agent.algorithms import functional
from lean_agent.algorithms.base import AlgorithmConfig, LossInputs, Metrics, RLAlgorithm

KLDirection = Literal["policy_to_target", "target_to_policy"]


@dataclass(frozen=True, kw_only=True)
class SoftmaxKLConfig(AlgorithmConfig):
    """Of the common settings ``group_size``, ``updates_per_batch``, ``dynamic_sampling``, ``overlong_cache`` and
    ``mask_truncated``; the others, which are of ratios, clipping and a reference model, are refused. There are more.

    Attributes:
        temperature: divides the scores; a high one makes the target flat.
        length_normalize: divide a sequence's log-probability by its length.
        kl_direction: see the module's docstring.
    """

    temperature: float = 1.0
    length_normalize: bool = False
    kl_direction: KLDirection = "target_to_policy"

    UNUSED: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("epsilon", "epsilon_high", "is_level"), "softmax_kl has no probability ratio to clip"),
        **dict.fromkeys(("beta", "kl_estimator", "use_unbiased_kl"), "softmax_kl has no reference model"),
        "normalize_advantages": "softmax_kl compares scores by their softmax, whose temperature is a setting",
        "loss_aggregation": "softmax_kl has one loss for a group, not one for a token",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(self.temperature > 0, "temperature must be above 0")


class SoftmaxKL(RLAlgorithm[SoftmaxKLConfig]):
    """See the module's docstring."""

    config_class = SoftmaxKLConfig
    full_name = "Grouped softmax-KL to the scores"
    best_for = "Scored completions from elsewhere (offline)"
    needs_whole_groups = True

    def _advantages(self, rewards: torch.Tensor) -> torch.Tensor:
        """Compute ``r − mean``: the softmax of the scores does not change when all scores of a group move together.

        An unscored completion, which gets 0, counts as an average one.
        """
        return functional.centred(rewards)

    def sequence_values(self, logprobs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return what the policy's softmax is over, ``[…, T] -> […]``.

        The log-probability of each completion's finite tokens, by token where ``length_normalize`` is set.
        """
        counts = mask.bool() & logprobs.detach().isfinite()
        sequence = torch.where(counts, logprobs, 0.0).sum(dim=-1)
        return sequence / counts.sum(dim=-1).clamp(min=1) if self.config.length_normalize else sequence

    @override
    def _loss(self, inputs: LossInputs) -> tuple[torch.Tensor, Metrics]:
        """Return the divergence; ``old_logprobs``, ``ref_logprobs`` and ``token_weights`` are not looked at.

        ``advantages`` ``[B]`` are scores, whose mean does not matter; NaN for a completion that is not there (padding
        of the group). A group of one is left out, and so is a completion without a finite token.

        Returns:
            The loss, and metrics: ``kl`` (the loss) and ``top1``, the share of groups whose likeliest completion is
            one of the best.
        """
        logprobs, mask, advantages = inputs.logprobs, inputs.mask, inputs.advantages
        if len(logprobs) == 0:
            return logprobs.sum(), {"kl": 0.0, "top1": 0.0}
        _, index = torch.unique(inputs.group_numbers(self.config.group_size), return_inverse=True)
        counts = mask.bool() & logprobs.detach().isfinite()
        sequence = self.sequence_values(logprobs, mask)
        scores = advantages if advantages.dim() == 1 else advantages.amax(dim=1)
        there = counts.any(dim=1) & scores.isfinite()
        member = (index.unsqueeze(0) == torch.arange(int(index.max()) + 1, device=index.device).unsqueeze(1)) & there
        member = member[member.sum(dim=1) > 1]
        if len(member) == 0:
            return (sequence * 0.0).sum(), {"kl": 0.0, "top1": 0.0}
        log_p = _masked_log_softmax(sequence, member)
        log_q = _masked_log_softmax((scores / self.config.temperature).detach(), member)
        of, to = (log_q, log_p) if self.config.kl_direction == "target_to_policy" else (log_p, log_q)
        divergence = torch.where(member, of.exp() * (of - to), 0.0).sum(dim=1)
        whole = len(logprobs) if inputs.batch is None else max(inputs.batch.sequences, 1)
        loss = divergence.mean() * (len(logprobs) / whole)
        likeliest = log_p.argmax(dim=1, keepdim=True)
        best = log_q.gather(1, likeliest).squeeze(1) == log_q.amax(dim=1)
        return loss, {"kl": loss.item(), "top1": best.float().mean().item()}


def _masked_log_softmax(values: torch.Tensor, member: torch.Tensor) -> torch.Tensor:
    """Compute the log-softmax of ``values`` ``[B]`` over the members of each group, ``[groups, B]``."""
    return torch.where(member, values.unsqueeze(0), -1e30).log_softmax(dim=1)
