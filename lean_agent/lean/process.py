"""One Lean process, embedded or native: JSON lines out, JSON lines back.

Owns the process and its pipes. Knows nothing of goals: a request is a dict with an ``op``, an answer is a dict.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import itertools
import json
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from lean_agent.errors import LeanProcessDied, LeanStartupError, LeanTimeout
from lean_agent.lean.embedded.confinement import Porch

_START_TIMEOUT_S = 600.0  # 5 s on an idle machine, many times that on a crowded one
_CANCEL_S = 2.0  # what a cancelled request may still take
_SILENT_S = 20.0  # an embedded process that works on a request is heard every two seconds
_LINE_LIMIT = 2**30
_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """In the child: be killed when the thread that started us ends, even by SIGKILL (Linux)."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class ServeCommand:
    """How a server is started; ``environment`` is all that it sees of the user's."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


class Startable(Protocol):
    """A Lean, installed."""

    @property
    def name(self) -> str:
        """For messages."""
        ...

    def serve_command(self, porch: Path) -> ServeCommand:
        """The command that starts a server; ``porch`` is the one folder that may be shown to it."""
        ...


async def _spawned(command: ServeCommand) -> asyncio.subprocess.Process:
    """A new process. One that nobody waits for any more is ended.

    Raises:
        OSError: there is no such program.
    """
    spawning = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *command.argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=_LINE_LIMIT,
            env=command.environment,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )
    )
    try:
        # Cancelled half-way, asyncio waits for ever for the end of a process whose pipes were never connected.
        return await asyncio.shield(spawning)
    except asyncio.CancelledError:
        await asyncio.wait({spawning})
        if not spawning.cancelled() and spawning.exception() is None:
            process = spawning.result()
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        raise


class LeanProcess:
    """A running Lean. Create with :meth:`start`.

    Attributes:
        heap_mb: Lean's heap after the last answer (limit 2,048).
        busy_s: seconds that Lean itself has worked on requests.
        program: what may have run here that is neither Lean's nor ours, told before it did; ``None`` for nothing.
            Verdicts of such a process want a second opinion.
    """

    def __init__(self, process: asyncio.subprocess.Process, porch: Porch) -> None:
        self._process = process
        self._porch = porch
        self._ids = itertools.count()
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._told: deque[str] = deque(maxlen=40)
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._beats = False  # whether it gives signs of life while it works
        self._heard = 0  # lines so far
        self._tasks = [asyncio.create_task(self._read_answers()), asyncio.create_task(self._read_errors())]
        self.heap_mb = 0
        self.busy_s = 0.0
        self.program: str | None = None

    @classmethod
    async def start(cls, where: Startable, *, timeout_s: float = _START_TIMEOUT_S) -> LeanProcess:
        """Start a process and wait until it answers.

        Raises:
            LeanStartupError: it ended by itself or did not answer in ``timeout_s``.
            LeanProcessDied: it was killed by someone else.
        """
        porch = Porch()
        command = where.serve_command(porch.path)
        try:
            process = await _spawned(command)
        except OSError as e:
            porch.remove()
            raise LeanStartupError(f"{where.name}: {command.argv[0]} could not be started: {e.strerror or e}") from e
        except asyncio.CancelledError:
            porch.remove()
            raise
        lean = cls(process, porch)
        try:
            await asyncio.wait_for(asyncio.shield(lean._ready), timeout_s)
        except (TimeoutError, LeanProcessDied) as e:
            told = lean.last_words()
            killed = isinstance(e, LeanProcessDied) and (await lean._process.wait()) < 0
            await lean.kill()
            if killed:
                raise LeanProcessDied(f"{where.name} was killed while it started") from e
            why = f"did not answer within {timeout_s:.0f} s" if isinstance(e, TimeoutError) else "ended at once"
            raise LeanStartupError(
                f"{where.name} {why}. `lean-agent lean doctor` looks for the cause. Its last words: {told or 'none'}"
            ) from e
        except asyncio.CancelledError:
            await lean.kill()
            raise
        return lean

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """False once the process has ended, or will say nothing more."""
        return self._process.returncode is None and not self._tasks[0].done()

    def last_words(self) -> str:
        """The end of what the process wrote to its error channel, debug lines left out."""
        return "\n".join(self._told)[-2000:]

    async def request(
        self, op: str, *, timeout_s: float, mounts: Sequence[Sequence[str]] = (), **fields: Any
    ) -> dict[str, Any]:
        """Send one request and wait for its answer. The process works on one at a time.

        Args:
            mounts: pairs (path inside Lean, such as ``/build-x``; folder of this machine): what Lean may read beside
                its own library while it works on this request.

        Raises:
            LeanProcessDied: the process ended first, or stood still and was killed.
            LeanTimeout: no answer within ``timeout_s``, or Lean ignored its own limit; the process is dead then.
        """
        number = next(self._ids)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            stdin = self._process.stdin
            assert stdin is not None
            try:
                if mounts:
                    fields["mounts"] = self._porch.show(mounts)
                # not drained: one that stands still does not read either
                stdin.write(json.dumps({"id": number, "op": op, **fields}, ensure_ascii=False).encode() + b"\n")
            except (OSError, RuntimeError) as e:
                raise LeanProcessDied(f"the Lean process had ended before `{op}`: {self.last_words()}") from e
            if not self.alive:
                raise self._death()
            async with asyncio.timeout(timeout_s):
                return await self._answered(op, future)
        except TimeoutError:
            await self.kill()
            raise LeanTimeout(f"`{op}` took over {timeout_s:.0f} s; the Lean process was killed") from None
        except asyncio.CancelledError:
            await self._cancel(number)
            raise
        finally:
            self._waiting.pop(number, None)

    async def _answered(self, op: str, answer: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
        """The answer, or the end of a process that stands still: whose main thread does not turn any more."""
        while not answer.done():
            heard = self._heard
            await asyncio.wait({answer}, timeout=_SILENT_S)
            if answer.done() or not self._beats or self._heard > heard:
                continue
            await asyncio.wait({answer}, timeout=1.0)  # was it us who stood still? Then there is something to read now
            if not answer.done() and self._heard == heard:
                await self.kill()
                raise LeanProcessDied(
                    f"the Lean process stood still for {_SILENT_S:.0f} s during `{op}`; it was killed"
                )
        return answer.result()

    async def _cancel(self, number: int) -> None:
        """Have Lean stop what nobody waits for any more. A process that goes on all the same is killed."""
        if number not in self._waiting:
            return  # the answer came in the same moment
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(b'{"cancel":%d}\n' % number)
            await asyncio.wait_for(answer, _CANCEL_S)
        except (OSError, RuntimeError, TimeoutError, LeanProcessDied):
            await self.kill()

    async def kill(self) -> None:
        """End the process and everything it started. Idempotent."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        self._porch.remove()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _death(self) -> LeanProcessDied | LeanTimeout:
        words = self.last_words()
        if "STUCK" in words:
            return LeanTimeout("a tactic ignored its time limit; the Lean process was killed")
        return LeanProcessDied(f"the Lean process ended while it owed an answer. Its last words: {words or 'none'}")

    async def _read_answers(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            while line := await stdout.readline():
                if not line.endswith(b"\n"):
                    break  # cut short: the process died in the middle of a line
                try:
                    answer = json.loads(line)
                except ValueError:
                    self._told.append(line.decode(errors="replace").strip()[:300])
                    continue
                self._heard += 1
                if answer.get("ready"):
                    self._beats = answer.get("beats", False)
                    if not self._ready.done():
                        self._ready.set_result(None)
                    continue
                self.heap_mb = answer.get("heap", self.heap_mb)
                self.busy_s += answer.get("us", 0) / 1e6
                self.program = self.program or answer.get("program")
                waiting = self._waiting.pop(answer.get("id"), None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
        finally:
            with contextlib.suppress(Exception, asyncio.CancelledError):
                await asyncio.wait_for(asyncio.shield(self._tasks[1]), 1.0)  # the last words come on the other pipe
            pending: list[asyncio.Future[Any]] = [self._ready, *self._waiting.values()]
            for future in pending:
                if not future.done():
                    future.set_exception(self._death())
                    future.exception()  # seen: nobody may be waiting any more

    async def _read_errors(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        while line := await stderr.readline():
            text = line.decode(errors="replace").rstrip()
            if text and "[DEBUG" not in text and ".olean" not in text and "mainModule?" not in text:
                self._told.append(text[:500])
