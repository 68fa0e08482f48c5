"""One Lean process, embedded or native: JSON lines out, JSON lines back.

Owns the process, its pipes, and the folder that a confined one may read. Knows nothing of goals: a request is a dict
with an ``op``, an answer is a dict.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import math
import os
import re
import shutil
import signal
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import psutil

from lean_agent.errors import (
    CrashKind,
    LeanCrashed,
    LeanError,
    LeanProcessDied,
    LeanStalled,
    LeanStartupError,
    LeanTimeout,
)
from lean_agent.lean.process.channel import LINE_LIMIT, Channel


class SandboxFolder:
    """A folder that a Lean process may read, with links to what its present job needs and to nothing else."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="lean-agent-")).resolve()
        self._removal = weakref.finalize(self, _remove, self.path, os.getpid())

    def show(self, mounts: Sequence[Sequence[str]]) -> list[list[str]]:
        """Have links to exactly these folders.

        Args:
            mounts: pairs (path inside Lean, folder of this machine).

        Returns:
            The same pairs with the link in the place of the folder.

        Raises:
            OSError: the disk is full.
        """
        wanted = {Path(inside).name: outside for inside, outside in mounts}
        self.path.mkdir(mode=0o700, exist_ok=True)  # who tidies temporary folders may have taken it
        for link in self.path.iterdir():
            if wanted.get(link.name) != os.readlink(link):
                link.unlink()
        for name, outside in wanted.items():
            if not (self.path / name).is_symlink():
                (self.path / name).symlink_to(outside, target_is_directory=True)
        return [[inside, str(self.path / Path(inside).name)] for inside, _ in mounts]

    def remove(self) -> None:
        """Remove the folder. Idempotent."""
        self._removal()


def _remove(folder: Path, owner: int) -> None:
    """Remove the folder of a process that ends; a forked child ends as well, and leaves it to its parent."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


logger = logging.getLogger(__name__)

_START_TIMEOUT_S = 600.0  # 5 s on an idle machine, many times that on a crowded one
_CANCEL_S = 2.0  # what a cancelled request may still take
_SILENT_S = 20.0  # an embedded process that works on a request is heard every two seconds
_ROOMY_MB = 1024  # of heap before a request: one that finds more taken may have run out of memory for what was there
_CRASHED, _STUCK, _IDLE = 70, 71, 72  # exit codes of the host: by an exception; a limit ignored; 20 s without work
_OWN_SIGNALS = {-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGILL, -signal.SIGTRAP, -signal.SIGFPE}
_WEIGH_S = 2.0  # between looks at the memory of one that does not say what it takes
_DOUBT_S = 1.0  # may it have been we who stood still? Then there is something to read now


@dataclass(frozen=True, slots=True)
class ServeCommand:
    """How a server is started; ``environment`` is all that it sees of the user's.

    Attributes:
        shown: the folders of projects that it can read; ``None`` where it is shown what a request needs, or reads all.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    shown: frozenset[Path] | None = None


class Startable(Protocol):
    """A Lean, installed."""

    @property
    def name(self) -> str:
        """For messages."""
        ...

    def serve_command(self, sandbox: Path) -> ServeCommand:
        """Return the command that starts a server; ``sandbox`` is the one folder that may be shown to it."""
        ...


@dataclass(eq=False, slots=True)
class _Owed:
    """An answer that somebody waits for.

    Attributes:
        until: when it is late, by the loop's clock.
        heard: lines that the process had said when it was looked at last.
        doubted: whether it had said nothing for long then.
    """

    op: str
    answer: asyncio.Future[dict[str, Any]]
    until: float
    heard: int
    doubted: bool = False
    timer: asyncio.TimerHandle | None = None

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class LeanProcess:
    """A running Lean. Create with :meth:`start`.

    Attributes:
        heap_mb: Lean's heap after the last answer (limit 2,048).
        resident_mb: all the memory that the process takes, at most 2 seconds before; 0 where it does not say.
        busy_s: seconds that Lean itself has worked on requests.
        program: what may have run here that is neither Lean's nor ours, told before it did; ``None`` for nothing.
            Verdicts of such a process want a second opinion.
        reached: how many bytes of the file that is being elaborated are done.
        shown: the folders of projects that it can read; ``None`` where none is kept from it.
    """

    def __init__(self, kill_resident_mb: float, grace_s: float, silent_s: float, line_limit: int) -> None:
        self._silent_s = silent_s
        self._kill_resident_mb = kill_resident_mb
        self._own_mb: Callable[[int], float] | None = None
        self._grace_ms = int(grace_s * 1000)
        self._sandbox = SandboxFolder()
        self._channel = Channel(self._heard_line, self._gone, line_limit=line_limit)
        self._ids = itertools.count()
        self._owed: dict[int, _Owed] = {}
        self._told: deque[str] = deque(maxlen=40)
        self._beats = False  # whether it gives signs of life while it works
        self._heard = 0  # lines so far
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self.heap_mb = 0
        self.resident_mb = 0
        self.busy_s = 0.0
        self.program: str | None = None
        self.reached = 0
        self.shown: frozenset[Path] | None = None

    @classmethod
    async def start(
        cls,
        where: Startable,
        *,
        timeout_s: float = _START_TIMEOUT_S,
        kill_resident_mb: float = math.inf,
        grace_s: float = 1.0,
        silent_s: float = _SILENT_S,
        line_limit: int = LINE_LIMIT,
        own_mb: Callable[[int], float] | None = None,
    ) -> LeanProcess:
        """Start a process and wait until it answers.

        Args:
            kill_resident_mb: it is killed when it says that it takes more while it works, or ``own_mb`` says so.
            grace_s: it ends itself when what has a limit of its own goes on for so much longer.
            silent_s: it is killed when it says nothing for so long while it works, though it gives signs of life.
            line_limit: it is killed when it writes a line of more bytes.
            own_mb: returns what a process takes by itself, pages of mapped files left out, in MB: for one that does not
                say it. It is asked every 2 seconds.

        Raises:
            LeanProcessDied: it ended, by itself or killed by someone else.
            LeanStartupError: there is no such program, or it did not answer in ``timeout_s``.
        """
        lean = cls(kill_resident_mb, grace_s, silent_s, line_limit)
        lean._own_mb = own_mb
        command = where.serve_command(lean._sandbox.path)
        lean.shown = command.shown
        try:
            await lean._channel.open(command.argv, command.environment)
        except OSError as e:
            lean._sandbox.remove()
            raise LeanStartupError(f"{where.name}: {command.argv[0]} could not be started: {e.strerror or e}") from e
        except asyncio.CancelledError:
            lean._sandbox.remove()
            raise
        try:
            await lean._got_ready(where.name, timeout_s)
        except BaseException:
            await lean.kill()
            raise
        return lean

    async def _got_ready(self, name: str, timeout_s: float) -> None:
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), timeout_s)
        except LeanProcessDied as e:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._channel.exited(), _DOUBT_S)
            how = _end_of(self._channel.returncode)
            raise LeanProcessDied(f"{name} {how} while it started. {self._to_look_at()}") from e
        except TimeoutError as e:
            why = f"did not answer within {timeout_s:.0f} s of its start"
            raise LeanStartupError(f"{name} {why}. {self._to_look_at()}") from e

    @property
    def sandbox(self) -> Path:
        """Return the folder of this machine that belongs to the process, and goes with it."""
        return self._sandbox.path

    @property
    def pid(self) -> int:
        """Process id."""
        return self._channel.transport.get_pid()

    @property
    def alive(self) -> bool:
        """False once the process has ended, or will say nothing more."""
        return self._channel.returncode is None and not self._channel.ended

    def last_words(self) -> str:
        """Return the end of what the process wrote to its error channel, debug lines left out."""
        return "\n".join(self._told)[-2000:]

    def _to_look_at(self) -> str:
        return f"`lean-agent lean doctor` looks for the cause. Its last words: {self.last_words() or 'none'}"

    async def request(
        self, op: str, *, timeout_s: float, mounts: Sequence[Sequence[str]] = (), **fields: Any
    ) -> dict[str, Any]:
        """Send one request and wait for its answer. The process works on one at a time.

        Args:
            mounts: pairs (path inside Lean, such as ``/build-x``; folder of this machine): what Lean may read beside
                its own library while it works on this request.

        Raises:
            LeanCrashed: the request ended the process, and would end any other.
            LeanStalled: the process ended itself since nothing had worked on the request for long.
            LeanProcessDied: the process ended first by other causes, or stood still and was killed.
            LeanTimeout: no answer within ``timeout_s``, or Lean ignored its own limit; the process is dead then.
        """
        number, now, heap_mb = next(self._ids), self._loop.time(), self.heap_mb
        owed = self._owed[number] = _Owed(op, self._loop.create_future(), now + timeout_s, self._heard)
        try:
            try:
                if mounts:
                    fields["mounts"] = self._sandbox.show(mounts)
                request = {"id": number, "op": op, "grace": self._grace_ms, **fields}
                self._channel.write(json.dumps(request, ensure_ascii=False).encode())
            except (OSError, RuntimeError) as e:
                raise LeanProcessDied(f"the Lean process had ended before `{op}`: {self.last_words()}") from e
            if not self.alive:
                raise self._death()
            owed.timer = self._loop.call_at(min(owed.until, now + self._pace_s), self._look, owed)
            return await owed.answer
        except (LeanProcessDied, LeanTimeout) as error:
            await self.kill()
            raise self._why(error, op, fields, heap_mb, self._loop.time() - now) from None
        except asyncio.CancelledError:
            stopped = asyncio.ensure_future(self._cancel(number))
            while not stopped.done():  # cancelled again or not: who comes next wants a process that is free
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.wait({stopped})
            raise
        finally:
            if owed.timer is not None:
                owed.timer.cancel()
            self._owed.pop(number, None)

    @property
    def _pace_s(self) -> float:
        """How long after one look the next one comes. What does not say what it takes gives no signs of life either."""
        return self._silent_s if self._own_mb is None else _WEIGH_S

    def _look(self, owed: _Owed) -> None:
        """Check whether an answer may still come: it is not late, and the process gives signs of life and has not grown
        beyond its limit."""
        now = self._loop.time()
        silent = self._beats and self._heard == owed.heard
        if self._own_mb is not None and (taken_mb := self._own_mb(self.pid)) > self._kill_resident_mb:
            return self._too_large(taken_mb)
        if now >= owed.until:
            owed.fail(LeanTimeout(f"timeout: `{owed.op}` had no answer in time; the Lean process was killed"))
        elif silent and owed.doubted:
            logger.warning(
                "Lean process %d stands still in `%s` and is killed. %s", self.pid, owed.op, _threads(self.pid)
            )
            owed.fail(LeanProcessDied(f"the Lean process stood still during `{owed.op}`; it was killed"))
        else:
            owed.heard, owed.doubted = self._heard, silent
            after = now + (_DOUBT_S if silent else self._pace_s)
            owed.timer = self._loop.call_at(min(owed.until, after), self._look, owed)

    async def _cancel(self, number: int) -> None:
        """Have Lean stop what nobody waits for any more. A process that goes on all the same is killed."""
        if number not in self._owed:
            return  # the answer came in the same moment
        answer = self._owed[number].answer = self._loop.create_future()
        try:
            self._channel.write(b'{"cancel":%d}' % number)
            await asyncio.wait_for(answer, _CANCEL_S)
        except (OSError, RuntimeError, TimeoutError, LeanProcessDied, LeanTimeout):
            await self.kill()

    async def kill(self) -> None:
        """End the process and everything it started. Idempotent."""
        await self._channel.kill()
        self._sandbox.remove()

    def _death(self) -> LeanProcessDied:
        words = self.last_words() or "none"
        return LeanProcessDied(f"the Lean process ended while it owed an answer. Its last words: {words}")

    def _why(self, error: LeanError, op: str, fields: Mapping[str, Any], heap_mb: int, taken_s: float) -> LeanError:
        """Return the error to raise for one that has ended the process, by how it ended."""
        code = self._channel.returncode or 0
        if code == _STUCK or (code == _IDLE and taken_s * 1000 >= _limit_ms(fields)):
            return LeanTimeout(f"timeout: `{op}` ignored its time limit; the Lean process was killed")
        if code == _IDLE:
            return LeanStalled(f"timeout: nothing had worked on `{op}` for long; the Lean process ended. {error}")
        if code != _CRASHED and code not in _OWN_SIGNALS:
            return error
        kind = _kind_of_crash(self.last_words())
        if kind == "out_of_memory" and heap_mb > _ROOMY_MB:
            return error
        is_certain = op in _OF_A_POLICY and not _MACHINE_FAULT.search(self.last_words())
        return LeanCrashed(f"`{op}` ended the Lean process: {_PLAINLY[kind]}. {error}", kind, op, is_certain)

    def _heard_line(self, fd: int, line: bytes) -> None:
        if fd == 2:
            self._tell(line)
            return
        self._heard += 1
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self._tell(line)
        elif answer.get("ready"):
            self._beats = answer.get("beats", False)
            if not self._ready.done():
                self._ready.set_result(None)
        else:
            self.heap_mb = answer.get("heap", self.heap_mb)
            self.resident_mb = answer.get("resident", self.resident_mb)
            self.busy_s += answer.get("us", 0) / 1e6
            self.program = self.program or answer.get("program")
            self.reached = answer.get("reached", self.reached)
            if "beat" in answer and self.resident_mb > self._kill_resident_mb:
                self._too_large(self.resident_mb)
            owed = self._owed.pop(answer.get("id", -1), None)
            if owed is not None and not owed.answer.done():
                owed.answer.set_result(answer)

    def _too_large(self, taken_mb: float) -> None:
        """Whoever waits for an answer kills it."""
        most = f"more than the {self._kill_resident_mb:.0f} MB that it may"
        for owed in self._owed.values():
            words = f"`{owed.op}` had the Lean process take {taken_mb:.0f} MB, {most}"
            owed.fail(LeanCrashed(words, "out_of_memory", owed.op))

    def _tell(self, line: bytes) -> None:
        text = line.decode(errors="replace").rstrip()
        if _INTERPRETER_STACK.match(text):
            return  # hundreds of lines of our own functions, which would push the cause out
        if text and "[DEBUG" not in text and ".olean" not in text and "mainModule?" not in text:
            self._told.append(text[:500])

    def _gone(self) -> None:
        """Nobody will get an answer any more."""
        pending: list[asyncio.Future[Any]] = [self._ready, *(owed.answer for owed in self._owed.values())]
        for future in pending:
            if not future.done():
                future.set_exception(self._death())
                future.exception()  # seen: nobody may be waiting any more


_PLAINLY: dict[CrashKind, str] = {
    "out_of_memory": "it ran out of memory",
    "deep_recursion": "its stack was full",
    "crashed": "it crashed, or a program ended it",
}


_OF_A_POLICY = ("tactic", "verify", "check")
"""Requests on what a policy has written. A file, or a statement, would be lost by a fault that was not its own: it is
tried once more."""

_MACHINE_FAULT = re.compile(
    r"memory access out of bounds|table index is out of bounds|worker sent an error|array buffer allocation",
    re.IGNORECASE,
)
"""Words of the WebAssembly machine, which fails so when a thread of Lean's could not be started, or the machine has no
memory left, too."""


_INTERPRETER_STACK = re.compile(r"interpreter stacktrace:|#\d*(?: |$)")


def _kind_of_crash(words: str) -> CrashKind:
    """Return how a process crashed, by its last words."""
    if re.search("out of memory|bad_alloc|heap limit|enlarge memory|array buffer allocation", words, re.IGNORECASE):
        return "out_of_memory"
    if re.search("stack overflow|call stack|deep recursion", words, re.IGNORECASE):
        return "deep_recursion"
    return "crashed"


def _limit_ms(fields: Mapping[str, Any]) -> float:
    """Return the longest limit that a request sets itself."""
    limits = [item.get("limit") for item in (fields, *fields.get("items", ()))]
    return max((limit for limit in limits if limit), default=math.inf)


def _end_of(code: int | None) -> str:
    if code is None:
        return "closed its channel"
    return f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"


def _threads(pid: int) -> str:
    """Describe what the threads of a process have worked so far: whether one of them spins is the first question."""
    try:
        worked = {thread.id: thread.user_time + thread.system_time for thread in psutil.Process(pid).threads()}
    except psutil.Error:
        return "Its threads cannot be seen."
    return "Seconds of its threads: " + ", ".join(f"{number - pid}: {s:.1f}" for number, s in worked.items() if s > 0.5)
