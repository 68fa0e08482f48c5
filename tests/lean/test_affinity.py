"""Scheduling by affinity: first come, first served at the preferred worker; elsewhere once a move has paid."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

from lean_agent.lean.pool.affinity import AffinityScheduler


async def occupy(
    scheduler: AffinityScheduler[str], home: str, seconds: float, told: list[str], move_s: float = math.inf
) -> None:
    async with scheduler.assigned(home, lambda _: move_s) as worker:
        told.append(worker)
        await asyncio.sleep(seconds)


def run(scenario: Callable[[], object]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), 10))  # type: ignore[arg-type]


def test_at_home_first_come_first_served() -> None:
    async def scenario() -> None:
        scheduler, order = AffinityScheduler(["a", "b"], max_requests=9), []

        async def work(name: str) -> None:
            async with scheduler.assigned("a", lambda _: math.inf) as worker:
                assert worker == "a"
                order.append(name)
                await asyncio.sleep(0)
                assert scheduler.busy == 1

        await asyncio.gather(*(work(name) for name in "1234"))
        assert order == list("1234")
        assert scheduler.busy == 0
        assert scheduler.backlog("a") == 0

    run(scenario)


def test_who_has_waited_as_long_as_a_move_takes_is_moved() -> None:
    async def scenario() -> None:
        scheduler = AffinityScheduler(["a", "b"], max_requests=9)
        told: list[Any] = []
        loop = asyncio.get_running_loop()
        first = asyncio.create_task(occupy(scheduler, "a", 0.5, told))
        await asyncio.sleep(0)
        began = loop.time()
        await occupy(scheduler, "a", 0, told, move_s=0.1)
        assert 0.1 <= loop.time() - began < 0.4
        assert told == ["a", "b"]
        await first

    run(scenario)


def test_a_short_wait_is_not_worth_a_move() -> None:
    async def scenario() -> None:
        scheduler = AffinityScheduler(["a", "b"], max_requests=9)
        told: list[Any] = []
        first = asyncio.create_task(occupy(scheduler, "a", 0.05, told))
        await asyncio.sleep(0)
        await occupy(scheduler, "a", 0, told, move_s=5)
        assert told == ["a", "a"]
        await first

    run(scenario)


def test_time_that_a_free_place_loses_is_told_once() -> None:
    async def scenario() -> None:
        scheduler = AffinityScheduler(["a", "b"], max_requests=9)
        told: list[tuple[str, str, float]] = []
        done = {name: asyncio.Event() for name in "123"}
        loop = asyncio.get_running_loop()

        async def work(name: str) -> None:
            async with scheduler.assigned("a", lambda _: math.inf, lambda worker, s: told.append((name, worker, s))):
                await done[name].wait()

        async with scheduler.assigned("b", lambda _: math.inf):
            tasks = [asyncio.create_task(work(name)) for name in "123"]
            await asyncio.sleep(0.1)  # while both are taken nothing is lost
            free = loop.time()
        for name, seconds in (("1", 0.05), ("2", 0.1), ("3", 0.0)):
            await asyncio.sleep(seconds)
            done[name].set()
        await asyncio.gather(*tasks)
        assert [(name, worker) for name, worker, _ in told] == [("2", "b"), ("3", "b")]
        first, second = (s for *_, s in told)
        assert first > 0.04
        assert second > 0.09
        assert first + second <= loop.time() - free

    run(scenario)


def test_a_place_that_gets_free_takes_who_has_waited_long_enough() -> None:
    async def scenario() -> None:
        scheduler = AffinityScheduler(["a", "b"], max_requests=9)
        told: list[Any] = []
        long = asyncio.create_task(occupy(scheduler, "a", 0.6, told))
        short = asyncio.create_task(occupy(scheduler, "b", 0.2, told))
        await asyncio.sleep(0)
        await occupy(scheduler, "a", 0, told, move_s=0.05)
        assert told == ["a", "b", "b"]
        assert not long.done()
        await asyncio.gather(long, short)

    run(scenario)


def test_who_gives_up_takes_no_place() -> None:
    async def scenario() -> None:
        scheduler = AffinityScheduler(["a"], max_requests=9)
        told: list[Any] = []
        first = asyncio.create_task(occupy(scheduler, "a", 0.1, told))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(occupy(scheduler, "a", 0, told)) for _ in range(3)]
        await asyncio.sleep(0.01)
        waiting[0].cancel()
        await asyncio.wait_for(asyncio.gather(first, *waiting[1:]), 5)
        assert told == ["a"] * 3
        assert scheduler.backlog("a") == 0

    run(scenario)


def test_who_gives_up_in_the_moment_of_its_turn_passes_it_on() -> None:
    async def scenario() -> None:
        scheduler = AffinityScheduler(["a"], max_requests=9)
        told: list[Any] = []
        gate = asyncio.Event()

        async def hold() -> None:
            async with scheduler.assigned("a", lambda _: math.inf):
                await gate.wait()

        holder = asyncio.create_task(hold())
        await asyncio.sleep(0)
        loser, winner = (asyncio.create_task(occupy(scheduler, "a", 0, told)) for _ in range(2))
        await asyncio.sleep(0)
        gate.set()
        await asyncio.sleep(0)  # the worker is granted to the loser, which has not run yet
        loser.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loser
        await asyncio.gather(holder, winner)
        assert told == ["a"]

    run(scenario)


def test_no_more_than_so_many_wait() -> None:
    async def scenario() -> None:
        scheduler = AffinityScheduler(["a"], max_requests=2)
        told: list[Any] = []
        tasks = [asyncio.create_task(occupy(scheduler, "a", 0.01, told)) for _ in range(6)]
        await asyncio.sleep(0)
        assert scheduler.backlog("a") == 2
        await asyncio.gather(*tasks)
        assert told == ["a"] * 6

    run(scenario)
