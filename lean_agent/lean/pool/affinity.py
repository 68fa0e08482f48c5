"""Who has which place next, where a request has a home: the place where what it needs lives already.

A request waits for its home, first come, first served. Once it has waited as long as it would take to make what it
needs elsewhere, any other place that is free takes it. Such a request loses at most as much again as the best choice
would have cost it, and nobody has to guess how long the others will take (the rule of the ski rental problem). What a
place has lost, standing free while requests waited for another, is told, so that it can count for the next.

Knows nothing of Lean. To be used on one event loop.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P")


@dataclass(eq=False, slots=True)
class _Request(Generic[P]):
    home: P
    move_s: Callable[[P], float]
    lost: Callable[[P, float], None]
    since: float
    granted: asyncio.Future[P]


class Turns(Generic[P]):
    """Turns at ``places``, one request at a time for each.

    Args:
        most: so many requests wait or run; who comes then waits outside, in order, and holds nothing.
    """

    def __init__(self, places: Sequence[P], *, most: int) -> None:
        self._free = dict.fromkeys(places, 0.0)  # and up to when the time that each has lost was told
        self._places = len(places)
        self._waiting: list[_Request[P]] = []
        self._door = asyncio.Semaphore(most)

    @property
    def taken(self) -> int:
        """How many places are not free."""
        return self._places - len(self._free)

    def backlog(self, place: P) -> int:
        """Return how many requests run or wait at a place."""
        return (place not in self._free) + sum(request.home is place for request in self._waiting)

    @asynccontextmanager
    async def turn(
        self, home: P, move_s: Callable[[P], float], lost: Callable[[P, float], None] = lambda place, seconds: None
    ) -> AsyncIterator[P]:
        """Have a place to oneself: ``home``, or another one.

        Args:
            move_s: seconds that it takes to make at another place what lives at ``home``; ``math.inf`` for never.
            lost: told for how many seconds another place stood free while this request waited for ``home``.
        """
        async with self._door:
            place = await self._granted(home, move_s, lost)
            try:
                yield place
            finally:
                self._pass_on(place)

    async def _granted(self, home: P, move_s: Callable[[P], float], lost: Callable[[P, float], None]) -> P:
        if home in self._free:
            del self._free[home]
            return home
        loop = asyncio.get_running_loop()
        request: _Request[P] = _Request(home, move_s, lost, loop.time(), loop.create_future())
        self._waiting.append(request)
        for free in list(self._free):
            self._offer(free)
        try:
            place = await request.granted
        except asyncio.CancelledError:
            if request in self._waiting:
                self._waiting.remove(request)
            elif not request.granted.cancelled():
                self._pass_on(request.granted.result())  # it was granted in the same moment
            raise
        return place

    def _pass_on(self, place: P) -> None:
        for request in self._waiting:
            if request.home is place and not request.granted.cancelled():
                self._tell_lost(request)
                self._grant(request, place)
                return
        self._free[place] = asyncio.get_running_loop().time()
        self._offer(place)

    def _tell_lost(self, request: _Request[P]) -> None:
        """Time that a place has lost is told once, to whoever has its home next."""
        now = asyncio.get_running_loop().time()
        for place, told in self._free.items():
            self._free[place] = now
            request.lost(place, now - max(told, request.since))

    def _offer(self, place: P) -> None:
        """Give a free place to the first that has waited long enough, or look again when one has."""
        if place not in self._free:
            return
        loop = asyncio.get_running_loop()
        soonest = math.inf
        for request in self._waiting:
            if request.granted.cancelled():
                continue  # its caller has not woken up yet to take it away
            due = request.since + request.move_s(place)
            if due <= loop.time():
                del self._free[place]
                self._grant(request, place)
                return
            soonest = min(soonest, due)
        if soonest < math.inf:
            loop.call_at(soonest, self._offer, place)

    def _grant(self, request: _Request[P], place: P) -> None:
        self._waiting.remove(request)
        request.granted.set_result(place)
