"""Who has which place next, where a request has a home: the place where what it needs lives already.

A request waits for its home, first come, first served. Once it has waited as long as it would take to make what it
needs elsewhere, any other place that is free takes it. Such a request loses at most as much again as the best choice
would have cost it, and nobody has to guess how long the others will take (the rule of the ski rental problem).

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
    since: float
    granted: asyncio.Future[P]


class Turns(Generic[P]):
    """Turns at ``places``, one request at a time for each.

    Args:
        most: so many requests wait or run; who comes then waits outside, in order, and holds nothing.
    """

    def __init__(self, places: Sequence[P], *, most: int) -> None:
        self._free = list(places)
        self._places = len(places)
        self._waiting: list[_Request[P]] = []
        self._door = asyncio.Semaphore(most)

    @property
    def taken(self) -> int:
        """How many places are not free."""
        return self._places - len(self._free)

    def backlog(self, place: P) -> int:
        """How many requests run or wait at a place."""
        return (place not in self._free) + sum(request.home is place for request in self._waiting)

    @asynccontextmanager
    async def turn(self, home: P, move_s: Callable[[P], float]) -> AsyncIterator[P]:
        """Have a place to oneself: ``home``, or another one.

        Args:
            move_s: seconds that it takes to make at another place what lives at ``home``; ``math.inf`` for never.
        """
        async with self._door:
            place = await self._granted(home, move_s)
            try:
                yield place
            finally:
                self._pass_on(place)

    async def _granted(self, home: P, move_s: Callable[[P], float]) -> P:
        if home in self._free:
            self._free.remove(home)
            return home
        loop = asyncio.get_running_loop()
        request: _Request[P] = _Request(home, move_s, loop.time(), loop.create_future())
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
                self._grant(request, place)
                return
        self._free.append(place)
        self._offer(place)

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
                self._free.remove(place)
                self._grant(request, place)
                return
            soonest = min(soonest, due)
        if soonest < math.inf:
            loop.call_at(soonest, self._offer, place)

    def _grant(self, request: _Request[P], place: P) -> None:
        self._waiting.remove(request)
        request.granted.set_result(place)
