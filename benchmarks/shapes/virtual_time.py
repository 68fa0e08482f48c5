"""An event loop whose time goes on only when all its work waits: hours of waiting in seconds, the same on any machine.

Owns a clock and a work loop for servers that run in the calling thread. What the program itself computes takes no time
on that clock.
"""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

from typing_extensions import TypeVarTuple, Unpack, override

from lean_agent.lean.facade import CallingThread, OwnLoop

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class _Jumps(selectors.DefaultSelector):
    """Goes to the next time at which something is due, instead of waiting for it."""

    loop: VirtualClock

    @override
    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("nothing is under way that anybody could wait for")
        self.loop.now += max(0.0, timeout)
        return super().select(0)


class VirtualClock(asyncio.SelectorEventLoop):
    """asyncio's loop with a clock of its own.

    Attributes:
        now: seconds since the loop was made.
    """

    def __init__(self) -> None:
        self.now = 0.0
        jumps = _Jumps()
        jumps.loop = self
        super().__init__(jumps)

    @override
    def time(self) -> float:
        return self.now

    @override
    def run_in_executor(
        self, executor: Executor | None, func: Callable[[Unpack[Ts]], T], *args: *Ts
    ) -> asyncio.Future[T]:
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # belongs to whoever awaits it
            done.set_exception(error)
        return done


class VirtualLoop(OwnLoop):
    """Runs a server's coroutines on a :class:`VirtualClock`, whenever the calling thread waits for one of them."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self._waiter: asyncio.Future[None] | None = None
        self._tasks: dict[Future[Any], asyncio.Task[Any]] = {}

    @property
    @override
    def closed(self) -> bool:
        return self.clock.is_closed()

    def until(self, is_done: Callable[[], bool]) -> None:
        """Run what is under way until something holds."""
        while not is_done():
            self._waiter = self.clock.create_future()
            self.clock.run_until_complete(self._waiter)

    @override
    def run(self, work: Coroutine[Any, Any, T]) -> T:
        if self.clock.is_running():  # called by what runs here: it may not wait
            return CallingThread().run(work)
        return self.submit(work).result()

    @override
    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        return await work

    @override
    async def call(self, function: Callable[[], T]) -> T:
        return function()

    @override
    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        future: Future[T] = _Waits(self)
        task = self._tasks[future] = self.clock.create_task(work)
        task.add_done_callback(lambda _: self._end(future, task))
        return future

    def _end(self, future: Future[Any], task: asyncio.Task[Any]) -> None:
        del self._tasks[future]
        if task.cancelled():
            future.cancel()
        elif error := task.exception():
            future.set_exception(error)
        else:
            future.set_result(task.result())
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    @override
    def advance(self, futures: Collection[Future[Any]]) -> None:
        return

    @override
    def wait(self, event: threading.Event) -> None:
        self.until(event.is_set)

    @override
    def cancel(self, futures: Collection[Future[Any]]) -> None:
        for future in futures:
            if task := self._tasks.get(future):
                task.cancel()
        self.until(lambda: not any(future in self._tasks for future in futures))

    @override
    def cancel_work(self, works: Collection[Coroutine[Any, Any, Any]] | None = None) -> list[asyncio.Task[Any]]:
        assert works is None
        here = asyncio.current_task()
        tasks = [task for task in self._tasks.values() if task is not here]
        for task in tasks:
            task.cancel()
        return tasks

    @override
    def close(self, last: Coroutine[Any, Any, None], *, wait_s: float = 0.0) -> None:
        self.run(last)
        self.clock.close()


class _Waits(Future[T]):
    """A future whose result is computed while it is waited for."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._runs = loop

    @override
    def result(self, timeout: float | None = None) -> T:
        self._runs.until(self.done)
        return super().result(0)
