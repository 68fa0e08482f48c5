"""Scheduling by affinity: which worker takes a request that prefers one, since what it needs lives there already.

A request waits for its own worker, first come, first served. Once it has waited as long as it would take to make what
it needs elsewhere, any other worker that is free takes it. Such a request loses at most as much again as the best
choice would have cost it, and nobody has to guess how long the others will take (the rule of the ski rental problem).
How long a worker was idle while requests waited for another is reported, so that it can count for the next. What it
takes to make things elsewhere is estimated by what it took the last few times (:class:`LatencyEstimates`).

Knows nothing of Lean. To be used on one event loop.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

W = TypeVar("W")


@dataclass(eq=False, slots=True)
class _Request(Generic[W]):
    preferred: W
    move_s: Callable[[W], float]
    on_idle: Callable[[W, float], None]
    since: float
    granted: asyncio.Future[W]


class AffinityScheduler(Generic[W]):
    """Assigns workers to requests, one request at a time to each.

    Args:
        max_requests: so many wait or run; further ones wait before they are admitted, in order, and hold nothing.
    """

    def __init__(self, workers: Sequence[W], *, max_requests: int) -> None:
        self._free = dict.fromkeys(workers, 0.0)  # and up to when the idle time of each was reported
        self._workers = len(workers)
        self._waiting: list[_Request[W]] = []
        self._admission = asyncio.Semaphore(max_requests)

    @property
    def busy(self) -> int:
        """How many workers are not free."""
        return self._workers - len(self._free)

    def backlog(self, worker: W) -> int:
        """Return how many requests a worker runs, or wait for it."""
        return (worker not in self._free) + sum(request.preferred is worker for request in self._waiting)

    @asynccontextmanager
    async def assigned(
        self,
        preferred: W,
        move_s: Callable[[W], float],
        on_idle: Callable[[W, float], None] = lambda worker, seconds: None,
    ) -> AsyncIterator[W]:
        """Have a worker to oneself: ``preferred``, or another one.

        Args:
            move_s: seconds that it takes another worker to make what lives at ``preferred``; ``math.inf`` for never.
            on_idle: is called with another worker and the seconds that it was idle while this request waited.
        """
        async with self._admission:
            worker = await self._assign(preferred, move_s, on_idle)
            try:
                yield worker
            finally:
                self._release(worker)

    def reconsider(self) -> None:
        """Look at the free workers again: what it takes them to do what waits has changed."""
        for worker in list(self._free):
            self._offer(worker)

    async def _assign(self, preferred: W, move_s: Callable[[W], float], on_idle: Callable[[W, float], None]) -> W:
        if preferred in self._free:
            del self._free[preferred]
            return preferred
        loop = asyncio.get_running_loop()
        request: _Request[W] = _Request(preferred, move_s, on_idle, loop.time(), loop.create_future())
        self._waiting.append(request)
        self.reconsider()
        try:
            return await request.granted
        except asyncio.CancelledError:
            if request in self._waiting:
                self._waiting.remove(request)
            elif not request.granted.cancelled():
                self._release(request.granted.result())  # it was granted in the same moment
            raise

    def _release(self, worker: W) -> None:
        for request in self._waiting:
            if request.preferred is worker and not request.granted.cancelled():
                self._report_idle(request)
                self._grant(request, worker)
                return
        self._free[worker] = asyncio.get_running_loop().time()
        self._offer(worker)

    def _report_idle(self, request: _Request[W]) -> None:
        """Report the idle time of workers once, to whoever has its preferred worker next."""
        now = asyncio.get_running_loop().time()
        for worker, reported in self._free.items():
            self._free[worker] = now
            request.on_idle(worker, now - max(reported, request.since))

    def _offer(self, worker: W) -> None:
        """Give a free worker to the first request that has waited long enough, or look again when one has."""
        if worker not in self._free:
            return
        loop = asyncio.get_running_loop()
        soonest = math.inf
        for request in self._waiting:
            if request.granted.cancelled():
                continue  # its caller has not woken up yet to take it away
            due = request.since + request.move_s(worker)
            if due <= loop.time():
                del self._free[worker]
                self._grant(request, worker)
                return
            soonest = min(soonest, due)
        if soonest < math.inf:
            loop.call_at(soonest, self._offer, worker)

    def _grant(self, request: _Request[W], worker: W) -> None:
        self._waiting.remove(request)
        request.granted.set_result(worker)


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
