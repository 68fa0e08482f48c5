"""An event loop in a thread of its own, so that plain methods and their ``…_async`` twins are the same code.

Owns the thread. Knows nothing of Lean.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from lean_agent.errors import LeanRequestError

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for callers in any thread and any event loop, until it is closed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()
        self._closed = False

    @property
    def closed(self) -> bool:
        """True once :meth:`close` has begun."""
        return self._closed

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` on the loop and wait for its result. Ctrl-C while waiting stops the work as well.

        Raises:
            LeanRequestError: the loop is closed.
        """
        self._refuse_when_closed(work)
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        """As :meth:`run`, for a caller in an event loop: this one or any other.

        Raises:
            LeanRequestError: the loop is closed.
        """
        self._refuse_when_closed(work)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def close(self, last: Coroutine[Any, Any, None]) -> None:
        """Refuse new work, run ``last`` and end the thread. Idempotent."""
        if self._closed:
            last.close()
            return
        self._closed = True
        asyncio.run_coroutine_threadsafe(last, self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _refuse_when_closed(self, work: Coroutine[Any, Any, Any]) -> None:
        if self._closed:
            work.close()
            raise LeanRequestError(f"this {self._name} is closed")
