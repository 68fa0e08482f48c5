"""What a pool of Lean processes allows itself and what is asked of it."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, fields

from lean_agent.errors import LeanTypeError, LeanValueError


def available_cores() -> int:
    """How many processors this process may use; a quota of its container is not known here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Limits of a pool.

    Attributes:
        tactic_timeout_s: wall-clock seconds of one tactic (heartbeats stop most runaways earlier).
        start_timeout_s: seconds of one start of a proof.
        verify_timeout_s: seconds of one verification, or of the check of one text.
        grace_s: seconds beyond its limit that a tactic, start or verification may take which does not listen when it is
            told to stop; its process is killed then.
        file_timeout_s: seconds to elaborate or trace one file.
        max_heap_mb: a process whose Lean heap is larger after an answer is replaced (the hard limit is 2,048).
        max_resident_mb: a process that takes more memory than this, whatever for, is replaced: beside its heap it has
            code and files, and a stack for each thread that a program has started. Embedded Lean looks every 2 seconds.
        kill_resident_mb: one that takes more than this in the middle of a request is killed at once: a program that
            starts threads without end would have the whole machine's memory before its time is over. The heap and
            what programs write to files in memory stay below it. Embedded Lean only.
        evict_heap_mb: from this size on, a process that has grown forgets the states used longest ago, half of them
            each time. They are made again when they are asked for.
        evict_files_mb: as ``evict_heap_mb`` for elaborated files, which take a second or more to make again.
        open_files: elaborated files that a process keeps at most; the one used longest ago goes first.
        requests: so many requests (of up to 32 items) wait or run; who comes then waits until one is done.
        cores: processors to make use of. While fewer processes work, a trace uses a second one for what it records.
    """

    tactic_timeout_s: float = 10.0
    start_timeout_s: float = 30.0
    verify_timeout_s: float = 60.0
    grace_s: float = 1.0
    file_timeout_s: float = 900.0
    max_heap_mb: int = 1500
    max_resident_mb: int = 3000
    kill_resident_mb: int = 6000
    evict_heap_mb: int = 900
    evict_files_mb: int = 1200
    open_files: int = 64
    requests: int = 256
    cores: int = field(default_factory=available_cores)

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise LeanTypeError(f"{limit.name} is a number, not {value!r}.")
            if not (math.isfinite(value) and value > 0):
                raise LeanValueError(f"{limit.name} is above 0, not {value!r}.")
