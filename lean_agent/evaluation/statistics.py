"""Estimates with their uncertainty. Pure functions of numbers: no theorem, no prover, no file.

What varies is which theorems a benchmark happens to hold, so intervals come from drawing theorems anew with
replacement (the percentile bootstrap). Everything random has a fixed seed: the same attempts give the same report.

Where all theorems came out alike, drawing anew shows no spread. Then the interval is an exact bound: did more than
``1 - 0.025 ** (1 / n)`` of all theorems come out otherwise, ``n`` alike would be met in 2.5 of 100 evaluations at most;
and however those come out, it is within the limits of the number. For a share of 0 or 1 this is the interval of Clopper
and Pearson.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

RESAMPLES = 10_000
CONFIDENCE = 0.95
_AT_ONCE = 500  # resamples in memory at a time


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and the interval that holds it in 95 of 100 such evaluations."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two provers on the same theorems.

    Attributes:
        difference: of their mean success over all attempts, first minus second, with its interval.
        only_first, only_second: theorems that just one of them proved at its first attempt.
        p_value: of McNemar's exact test over those; 1 where there are none.
    """

    difference: Interval
    only_first: int
    only_second: int
    p_value: float


def pass_at_k(attempts: int, proved: int, k: int) -> float:
    """Estimate without bias that one of ``k`` attempts or more succeeds, when ``proved`` of ``attempts`` did.

    ``1 - C(n - c, k) / C(n, k)``, arXiv 2107.03374, eq. 1.

    Raises:
        ValueError: ``k`` is not between 1 and ``attempts``, or ``proved`` not between 0 and ``attempts``.
    """
    if not 1 <= k <= attempts or not 0 <= proved <= attempts:
        raise ValueError(f"pass@{k} cannot be told from {proved} successes in {attempts} attempts")
    return 1.0 - math.comb(attempts - proved, k) / math.comb(attempts, k)


def share_interval(successes: Sequence[float], *, seed: int = 0) -> Interval:
    """Return the mean of one number in [0, 1] for each theorem, with its 95 % interval; 0 without theorems."""
    return _interval(tuple(successes), (0.0, 1.0), seed)


def compare(first: Sequence[Sequence[bool]], second: Sequence[Sequence[bool]], *, seed: int = 0) -> PairedComparison:
    """Compare two provers by their attempts: for each theorem, in the same order, which attempts succeeded.

    McNemar's test takes the first attempt of each, however many there are: who may try more often is no better for it.

    Raises:
        ValueError: they are not of one length.
    """
    if len(first) != len(second):
        raise ValueError(f"a paired comparison needs the same theorems; there are {len(first)} and {len(second)}")
    pairs = list(zip(first, second, strict=True))
    only_first = sum(a[0] and not b[0] for a, b in pairs)
    only_second = sum(b[0] and not a[0] for a, b in pairs)
    differences = [sum(a) / len(a) - sum(b) / len(b) for a, b in pairs]
    return PairedComparison(
        _interval(tuple(differences), (-1.0, 1.0), seed), only_first, only_second, mcnemar(only_first, only_second)
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the two-sided p-value of McNemar's exact test.

    Were both equally good, each theorem that only one of them proved would be a fair coin's toss.
    """
    tosses = only_first + only_second
    if tosses == 0:
        return 1.0
    tail = sum(math.comb(tosses, heads) for heads in range(min(only_first, only_second) + 1))
    return float(min(1.0, 2 * tail / 2**tosses))


@lru_cache(maxsize=256)
def _interval(values: tuple[float, ...], limits: tuple[float, float], seed: int) -> Interval:
    """Return the mean of ``values``, which lie within ``limits``, with its interval, which reports ask for often."""
    if not values:
        return Interval(0.0, 0.0, 0.0)
    if (value := min(values)) == max(values):
        others = 1 - ((1 - CONFIDENCE) / 2) ** (1 / len(values))
        low, high = (value + others * (limit - value) for limit in limits)
        return Interval(value, low, high)
    outside = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(_resampled_means(np.asarray(values, dtype=float), seed), [outside, 100 - outside])
    return Interval(float(np.mean(values)), float(low), float(high))


def _resampled_means(values: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.float64]:
    """Return means ``[RESAMPLES]`` of samples of the values' own number, drawn with replacement."""
    rng = np.random.default_rng(seed)
    means = [
        values[rng.integers(len(values), size=(min(_AT_ONCE, RESAMPLES - done), len(values)))].mean(axis=1)
        for done in range(0, RESAMPLES, _AT_ONCE)
    ]
    return np.concatenate(means)


def percent_range(interval: Interval) -> str:
    """Format as ``26–49 %``."""
    return f"{100 * interval.low:.0f}–{100 * interval.high:.0f} %"
