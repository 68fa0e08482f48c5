"""What a pool of Lean processes allows itself and what is asked of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import partial

from lean_agent.lean.facade import REFUSALS
from lean_agent.settings import Count, Seconds, checked_class


def available_cores() -> int:
    """Return how many processors this process may use; a quota of its container is not known here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@partial(checked_class, refusals=REFUSALS)
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
        silent_s: a process that gives signs of life while it works, and gives none for so long, is killed.
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

    tactic_timeout_s: Seconds = 10.0
    start_timeout_s: Seconds = 30.0
    verify_timeout_s: Seconds = 60.0
    grace_s: Seconds = 1.0
    file_timeout_s: Seconds = 900.0
    silent_s: Seconds = 20.0
    max_heap_mb: Count = 1500
    max_resident_mb: Count = 3000
    kill_resident_mb: Count = 6000
    evict_heap_mb: Count = 900
    evict_files_mb: Count = 1200
    open_files: Count = 64
    requests: Count = 256
    cores: Count = field(default_factory=available_cores)
