"""How much memory a run needed: of this process, and of the processes that it started."""

from __future__ import annotations

import time

import psutil

MEGABYTE = 1024 * 1024
BETWEEN_LOOKS_S = 0.5


class MemoryWatch:
    """The largest resident memory seen, in megabytes; :meth:`look` is called whenever something has been done.

    Attributes:
        python_mb: of this process.
        lean_mb: of all processes that it has started, together.
    """

    def __init__(self) -> None:
        self.python_mb = 0
        self.lean_mb = 0
        self._next = 0.0

    def look(self) -> None:
        """Look now, unless the last look was half a second ago."""
        if time.monotonic() < self._next:
            return
        this = psutil.Process()
        self.python_mb = max(self.python_mb, this.memory_info().rss // MEGABYTE)
        self.lean_mb = max(self.lean_mb, sum(map(_resident, this.children(recursive=True))) // MEGABYTE)
        self._next = time.monotonic() + BETWEEN_LOOKS_S


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:  # it has ended since it was listed
        return 0
