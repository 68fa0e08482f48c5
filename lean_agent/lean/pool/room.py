"""Whether the machine has memory for one more Lean process.

A process takes what the largest that runs takes by itself: pages of mapped files, which processes share, are no part of
it. Where none runs yet, nobody knows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import psutil

_SPARE_MB = 512  # for all else that runs
_FRESH_S = 1.0


def available_mb() -> float:
    """Return the memory of the machine that can be had without swapping, in MB."""
    return float(psutil.virtual_memory().available) / 2**20


def own_mb(pid: int) -> float:
    """Return what a process and its children take by themselves, in MB; 0 for one that has ended."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        memory = [member.memory_info() for member in family]
    except psutil.Error:
        return 0.0
    return sum(info.rss - getattr(info, "shared", 0) for info in memory) / 2**20


class Room:
    """Answers for one pool, from what was true at most a second before.

    Args:
        available: the machine's memory that is free, in MB.
        own: what a process takes by itself, in MB.
    """

    def __init__(
        self,
        *,
        available: Callable[[], float] = available_mb,
        own: Callable[[int], float] = own_mb,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._available = available
        self._own = own
        self._clock = clock
        self._known: tuple[float, bool] | None = None

    def check(self, pids: Sequence[int]) -> bool:
        """Check whether one more process fits beside those that run; at least one runs."""
        now = self._clock()
        if self._known is None or now - self._known[0] > _FRESH_S:
            largest = max(map(self._own, pids))
            self._known = (now, self._available() > largest + _SPARE_MB)
        return self._known[1]
