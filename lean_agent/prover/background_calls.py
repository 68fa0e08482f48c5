"""Run a Lean server's coroutines in the background, while the caller goes on.

Knows nothing of searches.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from lean_agent.lean.facade.background_loop import LoopThread
from lean_agent.lean.server import LeanServer

T = TypeVar("T")


class BackgroundCalls(ABC):
    """Coroutines that call one server's ``…_async`` methods."""

    @abstractmethod
    def send(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine; its result comes in the future."""

    def run_waiting(self) -> None:
        """Run what only the calling thread may run, if there is any."""
        return

    @abstractmethod
    def close(self) -> None:
        """Cancel what is not done. Idempotent."""


class _InThread(BackgroundCalls):
    """For a server that answers several callers at a time: at once, on a loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = LoopThread("search")

    def send(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return self._loop.submit(work)

    def close(self) -> None:
        self._loop.close(self._give_up())

    async def _give_up(self) -> None:
        await asyncio.gather(*self._loop.cancel_work(), return_exceptions=True)


class _InCaller(BackgroundCalls):
    """For a server that answers in the thread that calls it: whenever that thread has time."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Coroutine[Any, Any, Any], Future[Any]]] = []

    def send(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        future: Future[T] = Future()
        self._waiting.append((work, future))
        return future

    def run_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        for work, future in waiting:
            try:
                work.send(None)  # its methods wait for nothing (`answers_in_caller`), so it runs to its end
            except StopIteration as end:
                future.set_result(end.value)
            except Exception as error:  # belongs to whoever asks for the result
                future.set_exception(error)
            else:
                raise AssertionError("a server that answers one caller at a time has waited for something")

    def close(self) -> None:
        waiting, self._waiting = self._waiting, []
        for work, future in waiting:
            work.close()
            future.cancel()


def background_calls(server: LeanServer) -> BackgroundCalls:
    """Return the way in which a server's coroutines can be run."""
    return _InCaller() if server.answers_in_caller else _InThread()
