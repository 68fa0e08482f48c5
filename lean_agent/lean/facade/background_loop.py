"""An event loop in a thread of its own, so that plain methods and their ``…_async`` twins are the same code.

Owns the thread. Knows nothing of Lean.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from lean_agent.errors import LeanForkError, LeanRequestError
from lean_agent.forks import Owner

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for callers in any thread and any event loop, until it is closed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._owner = Owner(name, LeanForkError)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()
        self._closed = False
        self._under_way: set[concurrent.futures.Future[Any]] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._door = threading.Lock()  # nothing comes in between the closing and the look at what is under way

    @property
    def closed(self) -> bool:
        """True once :meth:`close` has begun."""
        return self._closed

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` on the loop and wait for its result. Ctrl-C while waiting stops the work as well.

        Raises:
            LeanRequestError: the loop is closed, or was before this was done.
            LeanForkError: it belongs to the process that this one was forked from.
        """
        future = self.submit(work)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise self._cut_short() from None
        except BaseException:
            future.cancel()
            raise

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        """As :meth:`run`, for a caller in an event loop: this one or any other.

        Raises:
            LeanRequestError: the loop is closed, or was before this was done.
            LeanForkError: it belongs to the process that this one was forked from.
        """
        future = self.submit(work)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if self._closed and future.cancelled() and not _is_cancelled():
                raise self._cut_short() from None
            raise

    def close(self, last: Coroutine[Any, Any, None], *, wait_s: float = 0.0) -> None:
        """Refuse new work, give what is under way ``wait_s`` seconds, run ``last`` and end the thread. Idempotent.

        ``last`` has to end what still runs; those who wait for it get a ``LeanRequestError``. In a forked child nothing
        happens: what runs there is the parent's.
        """
        if not self._owner.is_here:
            last.close()
            return
        with self._door:
            if self._closed:
                last.close()
                return
            self._closed = True
        try:
            if wait_s > 0:
                concurrent.futures.wait(self._under_way.copy(), timeout=wait_s)
        finally:  # Ctrl-C while waiting: then at once
            asyncio.run_coroutine_threadsafe(last, self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def cancel_work(self) -> list[asyncio.Task[Any]]:
        """From within the loop: cancel all work. Returns what is to be awaited.

        What callers have brought and nothing else: asyncio has tasks of its own, which connect the pipes of a process
        for instance, and a process whose pipes were never connected has an end that nobody hears of. What is being
        cancelled already is let clean up.
        """
        for task in self._tasks:
            if not task.cancelling():
                task.cancel()
        return list(self._tasks)

    async def _known(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            return await work
        finally:
            self._tasks.discard(task)

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run ``work`` on the loop, and wait for nothing. Cancelling the future cancels the work.

        Raises:
            LeanRequestError: the loop is closed.
            LeanForkError: it belongs to the process that this one was forked from.
        """
        if not self._owner.is_here:
            work.close()
        self._owner.check()
        with self._door:
            if self._closed:
                work.close()
                raise LeanRequestError(f"this {self._name} is closed")
            future = asyncio.run_coroutine_threadsafe(self._known(work), self._loop)
            self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    def _cut_short(self) -> LeanRequestError:
        return LeanRequestError(f"this {self._name} was closed before it had an answer")


def _is_cancelled() -> bool:
    """Whether it is the task that runs which somebody has cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
