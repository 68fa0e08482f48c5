"""Statistics of groups of rewards in which some are not known.

Rewards are ``[B, G]``: ``B`` goals or theorems, ``G`` completions for each. NaN stands for a completion that could not
be scored; it takes part in no mean and no deviation, and what is computed for it is NaN.
"""

from __future__ import annotations

import torch

ADVANTAGE_EPS = 1e-4
"""Added to a standard deviation before it divides, as trl does."""


def mean(rewards: torch.Tensor) -> torch.Tensor:
    """Mean of the known rewards of each group, ``[B, G] -> [B, 1]``; NaN for a group of which nothing is known."""
    return torch.nanmean(rewards, dim=1, keepdim=True)


def deviation(rewards: torch.Tensor) -> torch.Tensor:
    """Unbiased standard deviation of each group, ``[B, G] -> [B, 1]``; NaN where fewer than two rewards are known."""
    known = rewards.isfinite()
    count = known.sum(dim=1, keepdim=True)
    squares = torch.where(known, (rewards - mean(rewards)).square(), 0.0).sum(dim=1, keepdim=True)
    return torch.where(count > 1, squares / (count - 1).clamp(min=1), torch.nan).sqrt()


def centred(rewards: torch.Tensor) -> torch.Tensor:
    """``r − mean``; exactly 0 in a group without spread, so also where one reward alone is known."""
    return torch.where(has_spread(rewards).unsqueeze(1), rewards - mean(rewards), 0.0)


def standardized(rewards: torch.Tensor) -> torch.Tensor:
    """``(r − mean) / (std + 1e-4)``, as in GRPO (arXiv 2402.03300); zero where all known rewards are equal."""
    return centred(rewards) / (torch.nan_to_num(deviation(rewards), nan=0.0) + ADVANTAGE_EPS)


def winsorized(rewards: torch.Tensor, quantile: float) -> torch.Tensor:
    """Rewards held near two quantiles of their group: no farther outside than the two are apart.

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
    """Ranks within each group from −1 (lowest) to 1 (highest); equal rewards share the mean of their ranks.

    NaN where fewer than two rewards are known.
    """
    above = (rewards.unsqueeze(2) > rewards.unsqueeze(1)).sum(dim=2)
    below = (rewards.unsqueeze(2) < rewards.unsqueeze(1)).sum(dim=2)
    others = rewards.isfinite().sum(dim=1, keepdim=True) - 1
    return torch.where(rewards.isfinite() & (others > 0), (above - below) / others.clamp(min=1), torch.nan)


def has_spread(rewards: torch.Tensor) -> torch.Tensor:
    """True for the groups in which two known rewards differ, ``[B, G] -> [B]``: the others teach nothing."""
    known = rewards.isfinite()
    highest = torch.where(known, rewards, -torch.inf).amax(dim=1)
    lowest = torch.where(known, rewards, torch.inf).amin(dim=1)
    return highest > lowest
