"""How a :class:`~lean_agent.lean.pantograph.server.Server` reaches what answers its commands.

Three ways: a session in a process of ours (:class:`EmbeddedTransport`); any program that speaks the line protocol on
its standard streams (:class:`ReplTransport`): ``pantograph-repl`` of a native Lean, or ``lean-agent pantograph-repl``;
and any other Lean server, the mock above all (:class:`LeanServerTransport`).
"""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import json
import os
import shutil
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import override

from lean_agent.errors import (
    LeanError,
    LeanInstallError,
    LeanProcessDied,
    LeanRequestError,
    LeanStartupError,
    LeanTimeout,
    TacticFailure,
)
from lean_agent.lean.facade import LoopThread, OwnLoop
from lean_agent.lean.native.lake import found_library_path
from lean_agent.lean.native.toolchain import is_program
from lean_agent.lean.pantograph.session import DEFAULTS, Session, changed, error
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.channel import Channel
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import Goal, GoalState

Json = dict[str, Any]

_GRACE_S = 2.0  # to end by itself
_START_TIMEOUT_S = 600.0  # a large library takes minutes to import on a crowded machine


class Transport(ABC):
    """Answers commands of the line protocol. All of it raises :class:`~lean_agent.errors.LeanError`.

    Attributes:
        loop: where plain methods wait for their asynchronous twins.
        generation: changes when all states are gone, and their numbers may come again for others.
    """

    loop: OwnLoop
    generation = 0

    @abstractmethod
    async def run(self, cmd: str, payload: Json) -> Json:
        """Run one command and return its answer; from any event loop."""

    @abstractmethod
    async def restart(self) -> None:
        """Begin anew: no states, the environment of the imports."""

    @abstractmethod
    def close(self) -> None:
        """End what this transport started. Idempotent."""


class EmbeddedTransport(Transport):
    """A session on embedded Lean: in a pool that is given, or in one process of its own, which ends with it."""

    def __init__(
        self, imports: Sequence[str], core_options: Sequence[str], timeout_s: float | None, pool: LeanPool | None
    ) -> None:
        self._pool = LeanPool(1) if pool is None else pool
        self._owns_pool = pool is None
        self.loop = self._pool.loop
        self._imports = list(imports)
        self._core_options = list(core_options)
        self._timeout_s = timeout_s
        self._session = self._begin()

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
        self.loop = LoopThread("pantograph process")
        self._channel: Channel | None = None
        self._owed: asyncio.Future[bytes]  # the line that is waited for, or was last
        self._told: deque[str] = deque(maxlen=20)
        self._lock = asyncio.Lock()

    @override
    async def run(self, cmd: str, payload: Json) -> Json:
        return await self.loop.run_async(self._answer(cmd, payload))

    @override
    async def restart(self) -> None:
        await self.loop.run_async(self._stop())

    @override
    def close(self) -> None:
        self.loop.close(self._shut_down())

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
        await asyncio.gather(*self.loop.cancel_work(), return_exceptions=True)
        await self._stop()

    async def _stop(self) -> None:
        if self._channel is not None:
            await self._channel.end(_GRACE_S)


REPL_VARIABLE = "LEAN_AGENT_PANTOGRAPH_REPL"
_PROGRAM = "pantograph-repl"


def find_pantograph(given: Path | None = None) -> Path:
    """Return the program, absolute: what is given, else what :data:`REPL_VARIABLE` says, else the one on ``PATH``, else
    the one in an installed PyPantograph.

    Args:
        given: the program, or the folder that it is in.

    Raises:
        LeanInstallError: there is none, or none where it is said to be.
    """
    if wanted := given or os.environ.get(REPL_VARIABLE):
        for candidate in (Path(wanted), Path(wanted) / _PROGRAM):
            if is_program(candidate):
                return candidate.absolute()
        raise LeanInstallError(f"there is no program `{_PROGRAM}` at {wanted}; name it, or the folder that it is in")
    if on_path := shutil.which(_PROGRAM):
        return Path(on_path).absolute()
    package = importlib.util.find_spec("pantograph")  # not imported: it is asked only where it lies
    if package is not None and package.origin is not None and is_program(Path(package.origin).with_name(_PROGRAM)):
        return Path(package.origin).with_name(_PROGRAM).absolute()
    raise LeanInstallError(
        f"no native Pantograph was found, neither on PATH nor in an installed PyPantograph: give its path or set "
        f"{REPL_VARIABLE}. Without `repl`, `Server` runs on embedded Lean, which needs nothing."
    )


class LeanServerTransport(Transport):
    """Answers commands from the states of ``server``, which stays open.

    Goals and tactics only, on the first goal of a state: the rest of the protocol asks for a Lean, and is refused.
    """

    def __init__(self, server: LeanServer) -> None:
        self._server = server
        self.loop = LoopThread("Pantograph over a Lean server")
        self._ids = itertools.count()
        self._states: dict[int, GoalState] = {}
        self._options: Json = dict(DEFAULTS)

    @override
    async def run(self, cmd: str, payload: Json) -> Json:
        commands: dict[str, Callable[[Json], Json]] = {
            "goal.start": self._start,
            "goal.tactic": self._tactic,
            "goal.print": self._print,
            "goal.delete": self._delete,
            "options.set": self._set,
            "options.print": lambda _: dict(self._options),
            "stat": lambda _: {"nGoals": len(self._states)},
        }
        if cmd not in commands:
            return error("invalid", f"{cmd} is not supported by {type(self._server).__name__}: it asks for a Lean")
        if cmd in ("goal.tactic", "goal.print"):
            if not isinstance(payload.get("stateId"), int):
                return error("command", f"Unable to parse json: {cmd} takes stateId, a number")
            if payload["stateId"] not in self._states:
                return error("index", f"Invalid state index {payload['stateId']}")
        if cmd == "goal.delete" and not _are_ids(payload.get("stateIds")):
            return error("command", "Unable to parse json: goal.delete takes stateIds, a list of numbers")
        return commands[cmd](payload)

    @override
    async def restart(self) -> None:
        self._delete({"stateIds": list(self._states)})

    @override
    def close(self) -> None:

        async def nothing() -> None:
            return None

        self.loop.close(nothing())

    def _start(self, payload: Json) -> Json:
        if "expr" not in payload:
            return error("invalid", "goal.start without expr is not supported: there is no environment")
        try:
            number = self._kept(self._server.goal_start(payload["expr"]))
        except LeanRequestError as e:
            return error("elab", str(e))
        return {"stateId": number, "root": f"_root.{number}"}

    def _tactic(self, payload: Json) -> Json:
        state = self._states[payload["stateId"]]
        if "tactic" not in payload or payload.get("goalId", 0) != 0 or payload.get("autoResume") is False:
            return error("invalid", "only plain tactics on the first goal are supported by this server")
        try:
            after = self._server.goal_tactic(state, payload["tactic"])
        except TacticFailure as e:
            if e.kind == "parse":
                return {"parseError": e.message}
            if e.kind == "no_goals":
                return error("index", "No goals to be solved")
            return {"messages": [_message(e.message, "error")]}
        except LeanError as e:
            return error("main", str(e))
        return {
            "nextStateId": self._kept(after),
            "goals": [_goal(goal) for goal in after.goals],
            "messages": [_message(text, "information") for text in after.messages],
            "hasSorry": False,
            "hasUnsafe": False,
        }

    def _print(self, payload: Json) -> Json:
        state = self._states[payload["stateId"]]
        return {
            "goals": [_goal(goal) for goal in state.goals],
            "extraMVars": [],
            "rootHasSorry": False,
            "rootHasUnsafe": False,
            "rootHasMVar": not state.is_solved,
        }

    def _delete(self, payload: Json) -> Json:
        self._server.release([self._states.pop(i) for i in payload["stateIds"] if i in self._states])
        return {}

    def _set(self, payload: Json) -> Json:
        if payload.get("automaticMode") is False:
            return error("invalid", "automaticMode=false is not supported by this server: every goal stays in scope")
        try:
            self._options = changed(self._options, payload)
        except ValueError as e:
            return error("command", str(e))
        return {}

    def _kept(self, state: GoalState) -> int:
        number = next(self._ids)
        self._states[number] = state
        return number


def _are_ids(given: object) -> bool:
    return isinstance(given, list) and all(isinstance(i, int) for i in given)


def _message(text: str, severity: str) -> Json:
    return {"data": text, "severity": severity, "pos": {"line": 0, "column": 0}}


def _goal(goal: Goal) -> Json:
    return {
        "name": goal.id,
        **({"userName": goal.name} if goal.name else {}),
        "fragment": "tactic",
        "target": {"pp": goal.target},
        "vars": [
            {
                "name": v.name,
                "userName": v.name,
                "isInaccessible": v.is_inaccessible,
                "type": {"pp": v.type},
                **({"value": {"pp": v.value}} if v.value is not None else {}),
            }
            for v in goal.variables
        ],
    }
