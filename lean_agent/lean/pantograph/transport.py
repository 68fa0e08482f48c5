"""How a :class:`~lean_agent.lean.pantograph.server.Server` reaches what answers its commands.

Two ways: a session in a process of ours (:class:`EmbeddedTransport`), and any program that speaks the line protocol on
its standard streams (:class:`ReplTransport`): ``pantograph-repl`` of a native Lean, or ``lean-agent pantograph-repl``.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from lean_agent.errors import LeanProcessDied, LeanRequestError, LeanStartupError, LeanTimeout
from lean_agent.lean.loop import LoopThread
from lean_agent.lean.pantograph.session import Session
from lean_agent.lean.pool import LeanPool

T = TypeVar("T")
Json = dict[str, Any]

_LINE_LIMIT = 2**30
_START_TIMEOUT_S = 600.0  # a large library takes minutes to import on a crowded machine


class Transport(Protocol):
    """Answers commands of the line protocol. All of it raises :class:`~lean_agent.errors.LeanError`."""

    @property
    def loop(self) -> LoopThread:
        """Where plain methods wait for their asynchronous twins."""
        ...

    async def run(self, cmd: str, payload: Json) -> Json:
        """One command, its answer; from any event loop."""
        ...

    async def restart(self) -> None:
        """Begin anew: no states, the environment of the imports."""
        ...

    def close(self) -> None:
        """End what this transport started. Idempotent."""
        ...


class EmbeddedTransport:
    """A session on embedded Lean: in a pool that is given, or in one process of its own, which ends with it."""

    def __init__(
        self, imports: Sequence[str], core_options: Sequence[str], timeout_s: float | None, pool: LeanPool | None
    ) -> None:
        self._pool = LeanPool(1) if pool is None else pool
        self._owns_pool = pool is None
        self._imports = list(imports)
        self._core_options = list(core_options)
        self._timeout_s = timeout_s
        self._session = self._begin()

    @property
    def loop(self) -> LoopThread:
        """The pool's."""
        return self._pool.loop

    def _begin(self) -> Session:
        return Session(self._pool, self._imports, self._core_options, timeout_s=self._timeout_s)

    async def run(self, cmd: str, payload: Json) -> Json:
        """See :meth:`Transport.run`."""
        return await self._session.run_async(cmd, payload)

    async def restart(self) -> None:
        """See :meth:`Transport.restart`."""
        await self._session.close_async()
        self._session = self._begin()

    def close(self) -> None:
        """See :meth:`Transport.close`."""
        self._session.close()
        if self._owns_pool:
            self._pool.close()


class ReplTransport:
    """A program that speaks the line protocol, started when first needed.

    A program that dies or outruns ``timeout_s`` takes its states with it: the next command finds a fresh one.
    """

    def __init__(self, command: Sequence[str], *, cwd: Path | None, lean_path: str | None, timeout_s: float) -> None:
        self._command = list(command)
        self._cwd = cwd
        self._environment = dict(os.environ, **({"LEAN_PATH": lean_path} if lean_path else {}))
        self._timeout_s = timeout_s
        self._loop = LoopThread("pantograph process")
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()

    @property
    def loop(self) -> LoopThread:
        """This transport's own."""
        return self._loop

    async def run(self, cmd: str, payload: Json) -> Json:
        """See :meth:`Transport.run`."""
        return await self._loop.run_async(self._answer(cmd, payload))

    async def restart(self) -> None:
        """See :meth:`Transport.restart`."""
        await self._loop.run_async(self._stop())

    def close(self) -> None:
        """See :meth:`Transport.close`."""
        self._loop.close(self._stop())

    async def _answer(self, cmd: str, payload: Json) -> Json:
        async with self._lock:
            process = self._process or await self._started()
            assert process.stdin is not None
            try:
                process.stdin.write(f"{cmd} {json.dumps(payload, ensure_ascii=False)}\n".encode())
                await process.stdin.drain()
                line = await self._within(self._timeout_s, self._line(process))
                answer = json.loads(line)
            except (ConnectionError, ValueError) as e:
                await self._stop()
                raise LeanProcessDied(f"{self._command[0]} gave no answer to `{cmd}`: {e}") from e
            except asyncio.CancelledError:
                await self._stop()  # the answer nobody waits for would be taken for the next one
                raise
            if not isinstance(answer, dict):
                raise LeanRequestError(f"{self._command[0]} answered `{cmd}` with {line[:200]!r}")
            return answer

    async def _started(self) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=pipe,
                stdout=pipe,
                cwd=self._cwd,
                env=self._environment,
                limit=_LINE_LIMIT,
                start_new_session=True,
            )
        except OSError as e:
            raise LeanStartupError(f"{self._command[0]} could not be started: {e.strerror or e}") from e
        try:
            ready = (await self._within(_START_TIMEOUT_S, self._line(self._process))).strip()
        except (LeanProcessDied, LeanTimeout) as e:
            await self._stop()
            raise LeanStartupError(f"{self._command[0]} did not say that it is ready: {e}") from e
        if ready != b"ready.":
            await self._stop()
            raise LeanStartupError(f"{self._command[0]} began with {ready[:200]!r} instead of `ready.`")
        return self._process

    async def _line(self, process: asyncio.subprocess.Process) -> bytes:
        assert process.stdout is not None
        line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            raise LeanProcessDied(f"{self._command[0]} ended while it owed an answer")
        return line

    async def _within(self, limit_s: float, work: Coroutine[Any, Any, T]) -> T:
        try:
            return await asyncio.wait_for(work, limit_s)
        except TimeoutError:
            await self._stop()
            raise LeanTimeout(f"{self._command[0]} gave no answer within {limit_s:.0f} s and was stopped") from None
        except LeanProcessDied:
            await self._stop()
            raise

    async def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()  # what reads lines ends by itself
        try:
            await asyncio.wait_for(process.wait(), 2.0)
        except TimeoutError:
            process.kill()
            await process.wait()
