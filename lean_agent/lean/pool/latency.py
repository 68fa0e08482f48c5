"""What things cost here, as a mean over the last few: the price of having something in another process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LAST = 8  # means of so many


class LatencyEstimates:
    """Seconds that a ``process`` takes to start, a file to ``open``, a proof to ``start`` and a ``tactic`` to run.

    A guess until the first of its kind was measured.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seconds = {"process": 2.0, "open": 0.5, "start": 0.05, "tactic": 0.01}
        self._seen = dict.fromkeys(self._seconds, 0)
        self._files: dict[str, float] = {}  # what opening one took, in means of that time
        self._opening: dict[str, list[float]] = {}

    def __getitem__(self, what: str) -> float:
        return self._seconds[what]

    def open_s(self, file: str) -> float:
        """Return the seconds to open this file: as long as it took last, less what opening has sped up by since
        then, as processes come to run Lean's code at full speed. What takes long somewhere now is believed to take
        as long again."""
        if (means := self._files.get(file)) is not None:
            return means * self["open"]
        now = self._clock()
        return max([self["open"], *(2 * (now - at) for at in self._opening.get(file, ()))])

    @contextmanager
    def opening(self, file: str) -> Iterator[None]:
        """Measure the opening of a file."""
        began = self._clock()
        under_way = self._opening.setdefault(file, [])
        under_way.append(began)
        try:
            with self.measured("open"):
                yield
            self._files[file] = (self._clock() - began) / self["open"]
        finally:
            under_way.remove(began)

    @contextmanager
    def measured(self, what: str, items: int = 1) -> Iterator[None]:
        began = self._clock()
        yield
        each = (self._clock() - began) / items
        self._seen[what] = min(self._seen[what] + 1, _LAST)
        self._seconds[what] += (each - self._seconds[what]) / self._seen[what]
