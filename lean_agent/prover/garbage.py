"""Fewer passes of Python's garbage collector while searches run.

A search makes many small objects and keeps most of them: its tree. Python looks for circles among new objects whenever
there are 700 more of them, and at older ones after some of these passes, which takes a quarter of the driver's time and
finds little: nearly all that ends is freed by its count of references. While searches run it looks after 50,000.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

NEW_OBJECTS = 50_000


class _Threshold:
    """The threshold of the whole process, raised as long as anybody wants that."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._before = gc.get_threshold()

    @contextmanager
    def raised(self) -> Iterator[None]:
        with self._lock:
            if self._holders == 0:
                self._before = gc.get_threshold()
                if 0 < self._before[0] < NEW_OBJECTS:  # 0: somebody has turned the collector off
                    gc.set_threshold(NEW_OBJECTS, *self._before[1:])
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if self._holders == 0:
                    gc.set_threshold(*self._before)


fewer_collections = _Threshold().raised
"""Have the garbage collector run less often meanwhile; in all threads, since there is one for the process."""
