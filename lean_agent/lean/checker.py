"""A second opinion on proofs from a process whose word is not enough.

The programs of a repository (``#eval``, macros, elaborators) run in the process that elaborates it, and native code
can write over that process's memory: its verdicts then mean nothing. So an accepted proof leaves it as plain data, with
all that it rests on down to Lean's own library, and a process that has never run anything but our code and Lean's gives
it to the kernel again.

Owns that process: started when first needed, replaced when it dies or grows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from lean_agent.errors import LeanRequestError
from lean_agent.lean.process import LeanProcess

Json = dict[str, Any]


class Checker:
    """One process for second opinions.

    Args:
        start: starts a Lean process.
        max_heap_mb: a process whose heap is larger after an answer is replaced.
    """

    def __init__(self, start: Callable[[], Awaitable[LeanProcess]], *, max_heap_mb: int) -> None:
        self._start = start
        self._max_heap_mb = max_heap_mb
        self._process: LeanProcess | None = None
        self._lock = asyncio.Lock()

    async def check(self, export: Json, theorem: str, allowed_axioms: Sequence[str], *, timeout_s: float) -> Json:
        """The verdict on an exported proof, with the statement as this process prints it.

        Raises:
            LeanProcessDied, LeanTimeout: no verdict came.
            LeanRequestError: the export is not one.
        """
        async with self._lock:
            process = self._process
            if process is None or not process.alive or process.heap_mb > self._max_heap_mb:
                await self.close()
                process = self._process = await self._start()
            answer = await process.request(
                "check",
                timeout_s=timeout_s + 10,
                limit=int(timeout_s * 1000),
                export=export,
                theorem=theorem,
                axioms=list(allowed_axioms),
            )
        if "error" in answer:
            raise LeanRequestError(f"{theorem}: {answer['error']}")
        return answer

    async def close(self) -> None:
        """End the process. Idempotent."""
        process, self._process = self._process, None
        if process is not None:
            await process.kill()
