"""The parts that advantages and policy-gradient losses are made of, as pure functions of tensors.

Shapes: ``[B, T]`` is ``B`` completions of at most ``T`` tokens; masks are 1 for a token that counts and 0 for padding,
prompt and what the environment wrote. Rewards are ``[B, G]``: ``B`` goals or theorems, ``G`` completions for each. A
reward that is not known is NaN; it takes part in no mean and no deviation, and what is computed for it is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch

Level = Literal["token", "sequence", "geometric_mean"]
KLEstimator = Literal["schulman", "abs", "mse"]
Aggregation = Literal["sequence", "token", "constant"]

ADVANTAGE_EPS = 1e-4
"""Added to a standard deviation before it divides, as trl does."""

MAX_LOG_RATIO = 20.0
"""Log-ratios are held within ±20 before they are exponentiated: e^20 is 4.9e8, which float32 holds with room for a sum.
A ratio out there carries no gradient."""


@dataclass(frozen=True, slots=True)
class BatchSize:
    """What a whole batch has, when a loss is computed on a slice of it.

    Attributes:
        sequences: completions.
        tokens: tokens that count; a mean over processes need not be whole.
    """

    sequences: int
    tokens: float


def log_ratio(logprobs: torch.Tensor, old_logprobs: torch.Tensor, mask: torch.Tensor, level: Level) -> torch.Tensor:
    """Compute ``log(π / π_old)`` of what each action is taken to be.

    ``token``: every token by itself, ``[B, T]`` (PPO, GRPO). ``sequence``: the whole completion, the sum over its
    tokens, ``[B, 1]``. ``geometric_mean``: that sum divided by the completion's length, ``[B, 1]`` (GSPO, 2507.18071).

    Args:
        logprobs, old_logprobs: ``[B, T]``, of the tokens that were sampled.
        mask: ``[B, T]``, 1 for a token that counts.
    """
    ratios = torch.where(mask.bool(), logprobs - old_logprobs, 0.0)
    if level == "token":
        return ratios
    total = ratios.sum(dim=1, keepdim=True)
    return total if level == "sequence" else total / mask.sum(dim=1, keepdim=True).clamp(min=1)


def clipped(ratio: torch.Tensor, advantages: torch.Tensor, low: float, high: float) -> torch.Tensor:
    """Compute ``−min(ρA, clip(ρ, 1 − low, 1 + high)A)`` (PPO, 1707.06347; two bounds: DAPO, 2503.14476).

    A positive advantage feels the upper bound alone and a negative one the lower: two bounds are clipping by the sign.
    """
    return -torch.minimum(ratio * advantages, ratio.clamp(1 - low, 1 + high) * advantages)


def importance_weights(
    logprobs: torch.Tensor, sampler_logprobs: torch.Tensor, mask: torch.Tensor, cap: float
) -> tuple[torch.Tensor, dict[str, float]]:
    """Return truncated importance weights ``min(π / π_sampler, cap)`` of tokens that another engine has sampled.

    An inference server computes other log-probabilities than the trainer for the same weights, and may hold older ones.
    The weight makes its samples count as the trainer's own would; the cap bounds the variance (truncated importance
    sampling, Ionides 2008; trl's ``vllm_importance_sampling_correction``).

    Args:
        logprobs: under the policy about to be trained, ``[B, T]``, without gradient.
        sampler_logprobs: as the server reports them, ``[B, T]``; NaN where it reports none, whose weight is 1.
        mask: ``[B, T]``, 1 for a token that counts.
        cap: above 0.

    Returns:
        Weights ``[B, T]``, and metrics of the drift: ``sampler_kl``, the mean of ``log π_sampler − log π``, an estimate
        of ``KL(π_sampler ‖ π)``; ``sampler_gap``, the mean absolute difference; ``weights_capped``, a share of tokens.
    """
    known = mask.bool() & sampler_logprobs.isfinite() & logprobs.isfinite()
    difference = torch.where(known, logprobs - torch.nan_to_num(sampler_logprobs), 0.0)
    ratio = difference.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
    metrics = {
        "sampler_kl": -masked_mean(difference, known),
        "sampler_gap": masked_mean(difference.abs(), known),
        "weights_capped": masked_mean((ratio > cap).float(), known),
    }
    return ratio.clamp(max=cap), metrics


def kl_divergence(
    logprobs: torch.Tensor, ref_logprobs: torch.Tensor, mask: torch.Tensor, estimator: KLEstimator
) -> torch.Tensor:
    """Estimate ``KL(π ‖ π_ref)`` at every token, ``[B, T]``, zero outside the mask.

    With ``d = log π_ref − log π``: ``schulman`` is ``e^d − d − 1``, never negative and without bias (k3 of
    http://joschu.net/blog/kl-approx.html); ``mse`` is ``d² / 2`` (k2), with bias and little variance; ``abs`` is
    ``|d|``, a penalty whose gradient does not fade near the reference.
    """
    difference = torch.where(mask.bool(), ref_logprobs - logprobs, 0.0)
    if estimator == "mse":
        return difference.square() / 2
    if estimator == "abs":
        return difference.abs()
    return difference.clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp() - difference - 1


def aggregate(
    losses: torch.Tensor, mask: torch.Tensor, how: Aggregation, *, size: BatchSize | None, max_length: int | None
) -> torch.Tensor:
    """Make one number of the losses of all tokens.

    ``sequence``: the mean over each completion's tokens, then over completions; short completions weigh more a token
    (GRPO). ``token``: the mean over all tokens of the batch (DAPO). ``constant``: the sum over all tokens divided by
    ``B · max_length``, so that length has no say (Dr. GRPO, 2503.20783).

    Args:
        losses: ``[B, T]`` or ``[B, 1]``, finite where the mask is 1.
        mask: ``[B, T]``, 1 for a token that counts. A completion without one adds nothing and still counts as one.
        size: the batch that these rows are a slice of; the losses of the slices then add up to the loss of the batch.
        max_length: for ``constant``; ``T`` when it is not given.
    """
    sequences = mask.shape[0] if size is None else size.sequences
    kept = torch.where(mask.bool(), losses, 0.0)
    if how == "sequence":
        return (kept.sum(dim=1) / mask.sum(dim=1).clamp(min=1)).sum() / max(sequences, 1)
    if how == "token":
        tokens = float(mask.sum().item()) if size is None else size.tokens
        return kept.sum() / max(tokens, 1.0)
    return kept.sum() / max(sequences * (max_length or mask.shape[1]), 1)


def masked_mean(values: torch.Tensor, mask: torch.Tensor) -> float:
    """Return the mean over the tokens that count; 0 when there is none. ``values`` are ``[B, T]`` or ``[B, 1]``."""
    count = mask.sum().item()
    return float((torch.where(mask.bool(), values, 0.0)).sum().item() / count) if count else 0.0


def mean(rewards: torch.Tensor) -> torch.Tensor:
    """Return the mean of the known rewards of each group, ``[B, G] -> [B, 1]``; NaN where nothing is known."""
    return torch.nanmean(rewards, dim=1, keepdim=True)


def deviation(rewards: torch.Tensor) -> torch.Tensor:
    """Return the unbiased deviation of each group, ``[B, G] -> [B, 1]``; NaN where fewer than two rewards are known."""
    known = rewards.isfinite()
    count = known.sum(dim=1, keepdim=True)
    squares = torch.where(known, (rewards - mean(rewards)).square(), 0.0).sum(dim=1, keepdim=True)
    return torch.where(count > 1, squares / (count - 1).clamp(min=1), torch.nan).sqrt()


def centred(rewards: torch.Tensor) -> torch.Tensor:
    """Compute ``r − mean``; exactly 0 in a group without spread, so also where one reward alone is known."""
    return torch.where(has_spread(rewards).unsqueeze(1), rewards - mean(rewards), 0.0)


def standardized(rewards: torch.Tensor) -> torch.Tensor:
    """Compute ``(r − mean) / (std + 1e-4)``, as in GRPO (arXiv 2402.03300); zero where all known rewards are equal."""
    return centred(rewards) / (torch.nan_to_num(deviation(rewards), nan=0.0) + ADVANTAGE_EPS)


def winsorized(rewards: torch.Tensor, quantile: float) -> torch.Tensor:
    """Hold rewards near two quantiles of their group: no farther outside than the two are apart.

    The quantiles, ``quantile`` and ``1 − quantile``, are rewards of the group, the next ones inwards, and of a group of
    three or more at least one reward lies outside each of them: an outlier cannot move what it is held to. That it may
    stand out from its neighbour keeps a lone success above the best of the failures.
    """
    ordered = rewards.sort(dim=1).values  # NaN comes last
    last = rewards.isfinite().sum(dim=1, keepdim=True) - 1
    # 0.07 · 100 is a little more than 7 in floating point.
    inwards = (quantile * last.double() - 1e-9).ceil().long().minimum(last // 2).clamp(min=0)
    low, high = ordered.gather(1, inwards), ordered.gather(1, (last - inwards).clamp(min=0))
    return rewards.clamp(low - (high - low), high + (high - low))


def ranks(rewards: torch.Tensor) -> torch.Tensor:
    """Rank within each group from −1 (lowest) to 1 (highest); equal rewards share the mean of their ranks.

    NaN where fewer than two rewards are known.
    """
    above = (rewards.unsqueeze(2) > rewards.unsqueeze(1)).sum(dim=2)
    below = (rewards.unsqueeze(2) < rewards.unsqueeze(1)).sum(dim=2)
    others = rewards.isfinite().sum(dim=1, keepdim=True) - 1
    return torch.where(rewards.isfinite() & (others > 0), (above - below) / others.clamp(min=1), torch.nan)


def has_spread(rewards: torch.Tensor) -> torch.Tensor:
    """Return true for groups in which two known rewards differ, ``[B, G] -> [B]``: the others teach nothing."""
    known = rewards.isfinite()
    highest = torch.where(known, rewards, -torch.inf).amax(dim=1)
    lowest = torch.where(known, rewards, torch.inf).amin(dim=1)
    return highest > lowest
