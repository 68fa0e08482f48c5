"""How a :class:`~lean_agent.lean.pantograph.server.Server` reaches what answers its commands.

Two ways: a session in a process of ours (:class:`EmbeddedTransport`), and any program that speaks the line protocol on
its standard streams (:class:`ReplTransport`): ``pantograph-repl`` of a native Lean, or ``lean-agent pantograph-repl``.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from typing_extensions import override

from lean_agent.errors import LeanProcessDied, LeanRequestError, LeanStartupError, LeanTimeout
from lean_agent.lean.facade import LoopThread
from lean_agent.lean.native.toolchain import found_library_path
from lean_agent.lean.pantograph.session import Session
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.channel import Channel

Json = dict[str, Any]

_GRACE_S = 2.0  # to end by itself
_START_TIMEOUT_S = 600.0  # a large library takes minutes to import on a crowded machine


class Transport(Protocol):
    """Answers commands of the line protocol. All of it raises :class:`~lean_agent.errors.LeanError`."""

    @property
    def loop(self) -> LoopThread:
        """Where plain methods wait for their asynchronous twins."""
        ...

    generation: int
    """Changes when all states are gone, and their numbers may come again for others."""

    async def run(self, cmd: str, payload: Json) -> Json:
        """Run one command and return its answer; from any event loop."""
        ...

    async def restart(self) -> None:
        """Begin anew: no states, the environment of the imports."""
        ...

    def close(self) -> None:
        """End what this transport started. Idempotent."""
        ...


class EmbeddedTransport(Transport):
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
        self.generation = 0

    @property
    def loop(self) -> LoopThread:
        """The pool's."""
        return self._pool.loop

    def _begin(self) -> Session:
        return Session(self._pool, self._imports, self._core_options, timeout_s=self._timeout_s)

    @override
    async def run(self, cmd: str, payload: Json) -> Json:
        return await self._session.run_async(cmd, payload)

    @override
    async def restart(self) -> None:
        await self._session.close_async()
        self._session = self._begin()
        self.generation += 1

    @override
    def close(self) -> None:
        """End what this transport started; what runs in a process of its own is not waited for."""
        if self._owns_pool:
            self._pool.close()
        else:
            self._session.close()


class ReplTransport(Transport):
    """A program that speaks the line protocol, started when first needed.

    A program that dies or outruns ``timeout_s`` takes its states with it: the next command finds a fresh one. Without a
    ``lean_path`` it gets the one that Lake has for ``cwd``, if that is a Lake project.
    """

    def __init__(self, command: Sequence[str], *, cwd: Path | None, lean_path: str | None, timeout_s: float) -> None:
        self._command = list(command)
        self._cwd = cwd
        self._lean_path = lean_path
        self._timeout_s = timeout_s
        self._loop = LoopThread("pantograph process")
        self._channel: Channel | None = None
        self._owed: asyncio.Future[bytes]  # the line that is waited for, or was last
        self._told: deque[str] = deque(maxlen=20)
        self._lock = asyncio.Lock()
        self.generation = 0

    @property
    def loop(self) -> LoopThread:
        """The transport's own loop."""
        return self._loop

    @override
    async def run(self, cmd: str, payload: Json) -> Json:
        return await self._loop.run_async(self._answer(cmd, payload))

    @override
    async def restart(self) -> None:
        await self._loop.run_async(self._stop())

    @override
    def close(self) -> None:
        self._loop.close(self._shut_down())

    async def _answer(self, cmd: str, payload: Json) -> Json:
        try:
            command = f"{cmd} {json.dumps(payload, ensure_ascii=False)}".encode()
        except ValueError as e:
            raise LeanRequestError(f"`{cmd}` cannot be sent: {e}") from e
        async with self._lock:
            if self._channel is None or self._channel.ended:
                self._channel = await self._started()
            line = await self._said(self._channel, f"gave no answer to `{cmd}`", self._timeout_s, command)
            try:
                answer = json.loads(line)
            except ValueError as e:
                await self._channel.kill()
                raise LeanProcessDied(f"{self._command[0]} gave no answer to `{cmd}`: {e}") from e
            if not isinstance(answer, dict):
                raise LeanRequestError(f"{self._command[0]} answered `{cmd}` with {line[:200]!r}")
            return answer

    async def _started(self) -> Channel:
        self._told.clear()
        self._owed = asyncio.get_running_loop().create_future()  # it may be ready before we know that it is there
        if self._lean_path is None and self._cwd is not None:
            self._lean_path = os.pathsep.join(await asyncio.to_thread(found_library_path, self._cwd))
        channel = Channel(self._heard, self._gone)
        environment = {**os.environ, "LEAN_PATH": self._lean_path} if self._lean_path else os.environ
        try:
            await channel.open(self._command, environment, cwd=self._cwd)
        except OSError as e:
            raise LeanStartupError(f"{self._command[0]} could not be started: {e.strerror or e}") from e
        try:
            ready = (await self._said(channel, "did not say that it is ready", _START_TIMEOUT_S)).strip()
        except (LeanProcessDied, LeanTimeout) as e:
            raise LeanStartupError(str(e)) from e
        if ready != b"ready.":
            await channel.kill()
            raise LeanStartupError(f"{self._command[0]} began with {ready[:200]!r} instead of `ready.`")
        return channel

    async def _said(self, channel: Channel, trouble: str, limit_s: float, command: bytes | None = None) -> bytes:
        """Return the program's first line, or the one that answers ``command``. A program that does not say it, or
        whose answer nobody waits for any more, is killed: it would be taken for the next one."""
        try:
            if command is not None:
                if channel.ended:
                    raise LeanProcessDied("it had ended")
                self._owed = asyncio.get_running_loop().create_future()
                channel.write(command)
            return await asyncio.wait_for(self._owed, limit_s)
        except TimeoutError:
            await channel.kill()
            raise LeanTimeout(f"{self._command[0]} {trouble} within {limit_s:.0f} s and was stopped") from None
        except (OSError, RuntimeError, LeanProcessDied) as e:
            await channel.kill()
            words = "\n".join(self._told) or "none"
            raise LeanProcessDied(f"{self._command[0]} {trouble}: {e}. Its last words: {words}") from e
        except asyncio.CancelledError:
            await channel.kill()
            raise

    def _heard(self, fd: int, line: bytes) -> None:
        if fd == 2:
            self._told.append(line.decode(errors="replace")[:500])
        elif not self._owed.done():
            self._owed.set_result(line)

    def _gone(self) -> None:
        self.generation += 1
        if not self._owed.done():
            self._owed.set_exception(LeanProcessDied("it has ended"))
            self._owed.exception()  # seen: nobody may be waiting any more

    async def _shut_down(self) -> None:
        await asyncio.gather(*self._loop.cancel_work(), return_exceptions=True)
        await self._stop()

    async def _stop(self) -> None:
        if self._channel is not None:
            await self._channel.end(_GRACE_S)
