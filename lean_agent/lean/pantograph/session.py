"""One session of the protocol on embedded Lean: commands in, answers out, as the line protocol has them.

Owns what is the caller's side of it: options, ids, files of the host (Lean itself sees none), the journal from which a
session comes back after its process was replaced. What a command means is answered by ``LeanAgent/Pantograph.lean``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lean_agent.errors import LeanCrashed, LeanError, LeanProcessDied, LeanTimeout
from lean_agent.lean.pantograph.journal import Journal, JournalEntry, states_used
from lean_agent.lean.pool import LeanPool

Json = dict[str, Any]

DEFAULTS: Json = {
    "printJsonPretty": False,
    "printExprPretty": True,
    "printExprAST": False,
    "printDependentMVars": False,
    "noRepeat": False,
    "printAuxDecls": False,
    "printImplementationDetailHyps": False,
    "automaticMode": True,
    "timeout": 0,
}

_REFUSED_VALUES = {
    ("printExprPretty", False): "expressions are always printed",
    ("printExprAST", True): "there is no printer of syntax trees",
    ("noRepeat", True): "every goal is printed whole",
}


class NotSupported(ValueError):
    """An option's value that embedded Lean cannot give."""


def changed(options: Json, wished: Json) -> Json:
    """Return the options after ``options.set``; unknown names are ignored, as the protocol has it.

    Raises:
        NotSupported: a value that embedded Lean cannot give, with the reason.
        ValueError: a value of another type.
    """
    known = {name: value for name, value in wished.items() if name in DEFAULTS and value is not None}
    for name, value in known.items():
        if type(value) is not type(DEFAULTS[name]) or (name == "timeout" and not 0 <= value < 2**53):
            raise ValueError(f"Unable to parse json: options.set.{name}: {type(DEFAULTS[name]).__name__} expected")
        if reason := _REFUSED_VALUES.get((name, value)):
            raise NotSupported(f"{name}={value} is not supported by embedded Lean: {reason}")
    return {**options, **known}


_UNLIMITED_S = 24 * 3600.0
_GRACE_S = 10.0  # Lean's own limit comes first; past it the process is killed
_AGAIN_S = 120.0  # to import what a session starts from; and at least, for what went well before and is done again
_SAVED = "lean_agent goal state 1"
_MAKE_STATES = ("goal.start", "goal.tactic", "goal.continue", "goal.subsume", "frontend.distil")
_PATHS = ("filename", "fileName", "invocations", "path")  # fields that name a file of the host


def error(kind: str, desc: str) -> Json:
    """Return an answer that is an error."""
    return {"error": kind, "desc": desc}


def _refusal(cmd: str, reason: str) -> Json:
    return error("invalid", f"{cmd} is not supported by embedded Lean: {reason}")


_REFUSED = {
    "env.save": "an environment lives in its process; keep the text and load it again",
    "env.load": "an environment lives in its process; keep the text and load it again",
}


class Session:
    """A session in one process of ``pool``.

    Args:
        imports: modules to import; none gives an empty environment, for ``frontend.process`` with ``readHeader``.
        core_options: Lean's own options, as ``name=value``.
        timeout_s: wall-clock limit of a command, besides the session's own ``timeout`` option; ``None`` is none.
    """

    def __init__(
        self,
        pool: LeanPool,
        imports: Sequence[str] = ("Init",),
        core_options: Sequence[str] = (),
        *,
        timeout_s: float | None = None,
    ) -> None:
        self._pool = pool
        self._start: Json = {"imports": list(imports), "options": list(core_options)}
        self._timeout_s = timeout_s
        self._key = uuid.uuid4().hex
        self._generation: int | None = None
        self._live: set[int] = set()  # states that the process has
        self._live_environment = 0  # how many of the journal's changes of the environment it has seen
        self._journal = Journal()
        self._next = 0
        self._lock = asyncio.Lock()
        self.options: Json = dict(DEFAULTS)

    def run(self, cmd: str, payload: Json) -> Json:
        """Answer one command, as the protocol has it; errors of the protocol are answers too.

        Raises:
            LeanError: Lean itself failed twice, or the command ran over its limit and its process was killed.
        """
        return self._pool.loop.run(self._answer(cmd, payload))

    async def run_async(self, cmd: str, payload: Json) -> Json:
        """Run one command, from any event loop."""
        return await self._pool.loop.run_async(self._answer(cmd, payload))

    async def _answer(self, cmd: str, payload: Json) -> Json:
        if reason := _ill_formed(cmd, payload):
            return error("command", f"Unable to parse json: {reason}")
        async with self._lock:
            if cmd in _REFUSED:
                return _refusal(cmd, _REFUSED[cmd])
            if cmd.startswith("session."):  # between us and our Lean code
                return error("command", f"Unknown command {cmd}")
            ours = self._commands().get(cmd)
            return await (ours(payload) if ours else self._lean(cmd, payload))

    # -- commands that are answered, or completed, on this side

    def _commands(self) -> dict[str, Callable[[Json], Any]]:
        return {
            "options.set": self._options_set,
            "options.print": self._options_print,
            "env.catalog": self._env_catalog,
            "frontend.process": self._frontend_process,
            "goal.delete": self._goal_delete,
            "goal.save": self._goal_save,
            "goal.load": self._goal_load,
            "reset": self._reset,
            "stat": self._stat,
        }

    async def _options_set(self, payload: Json) -> Json:
        try:
            self.options = changed(self.options, payload)
        except NotSupported as e:
            return error("invalid", str(e))
        except ValueError as e:
            return error("command", str(e))
        return {}

    async def _options_print(self, _: Json) -> Json:
        return dict(self.options)

    async def _reset(self, payload: Json) -> Json:
        count = len(self._journal)
        self._journal.clear()
        self._live.clear()
        self._next = 0
        answer = await self._lean("reset", payload)
        return answer if "error" in answer else {"nGoals": count}

    async def _stat(self, payload: Json) -> Json:
        answer = await self._lean("stat", payload)
        return answer if "error" in answer else {"nGoals": len(self._journal)}  # some may wait to be made again

    async def _env_catalog(self, payload: Json) -> Json:
        filename = payload.get("filename")
        answer = await self._lean("env.catalog", {k: v for k, v in payload.items() if k != "filename"})
        if filename is None or "error" in answer:
            return answer
        text = "".join(symbol + "\n" for symbol in answer["symbols"])
        return await _written(Path(filename), text) or {}

    async def _frontend_process(self, payload: Json) -> Json:
        if (payload.get("fileName") is None) == (payload.get("file") is None):
            return error("arguments", "Exactly one of {fileName, file} must be supplied")
        if payload.get("sorrys") or payload.get("typeErrorsAsGoals"):
            return _refusal("frontend.process with sorrys or typeErrorsAsGoals", "use frontend.distil")
        invocations = payload.get("invocations")
        if payload.get("file") is None:
            try:
                text = await asyncio.to_thread(Path(payload["fileName"]).read_text, "utf-8")
            except (OSError, UnicodeDecodeError) as e:
                return error("io", f"{payload['fileName']} cannot be read: {e}")
            payload = {**payload, "file": text}
        answer = await self._lean("frontend.process", payload)
        data = answer.pop("data", None)
        if invocations is None or data is None:
            return answer
        return await _written(Path(invocations), json.dumps(data, ensure_ascii=False)) or answer

    async def _goal_delete(self, payload: Json) -> Json:
        answer = await self._lean("goal.delete", payload)
        if unneeded := [state for state in self._live if not self._journal.needs(state)]:  # on the way to the deleted
            await self._ask("goal.delete", {"stateIds": unneeded}, {}, 0)
            self._live.difference_update(unneeded)
        return answer

    async def _goal_save(self, payload: Json) -> Json:
        state, path = payload.get("id"), payload.get("path")
        if not isinstance(state, int) or not isinstance(path, str):
            return error("command", "Unable to parse json: goal.save takes {id, path}")
        if not self._journal.knows(state):
            return error("index", f"Invalid state index {state}")
        script = [
            {"cmd": e.cmd, "payload": e.payload, "options": e.options, "made": list(e.made)}
            for e in self._journal.script(state)
        ]
        saved = {"format": _SAVED, "state": state, "script": script}
        return await _written(Path(path), json.dumps(saved, ensure_ascii=False, indent=1), in_place=False) or {}

    async def _goal_load(self, payload: Json) -> Json:
        path = payload.get("path")
        if not isinstance(path, str):
            return error("command", "Unable to parse json: goal.load takes {path}")
        try:
            script, wanted = _saved(await asyncio.to_thread(Path(path).read_text, "utf-8"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
            return error("io", f"{path} holds no saved goal state: {e}")
        ids: dict[int, int] = {}
        answered: Json | None = None
        for entry in script:
            first = self._next
            answer = await self._lean(entry.cmd, entry.renumbered(ids), entry.options)
            made = range(first, self._next)
            ids.update(zip(entry.made, made, strict=False))
            if len(made) != len(entry.made):
                answered = error("structure", f"the state cannot be made again in this environment: {answer}")
                break
        answered = answered or {"id": ids[wanted]}
        if on_the_way := [state for state in ids.values() if state != answered.get("id")]:
            await self._goal_delete({"stateIds": on_the_way})
        return answered

    # -- Lean

    async def _lean(self, cmd: str, payload: Json, options: Json | None = None) -> Json:
        options = self.options if options is None else options
        used = states_used(payload)
        if unknown := [state for state in used if not self._journal.knows(state)]:
            return error("index", f"Invalid state index {unknown[0]}")
        if self._generation is not None and self._pool.has_outgrown(self._generation):
            self._generation = None
        for last in (False, True):
            try:
                await self._bring_up(used)
                answer = await self._ask(cmd, payload, options, self._next)
                break
            except (LeanProcessDied, LeanTimeout) as e:
                self._generation = None
                if last or isinstance(e, LeanTimeout) or (isinstance(e, LeanCrashed) and e.is_certain):
                    raise
        self._record(cmd, payload, options, answer)
        return answer

    def _record(self, cmd: str, payload: Json, options: Json, answer: Json) -> None:
        made = _made(cmd, answer)
        if made:
            self._next = made[-1] + 1
            self._live.update(made)
            self._journal.record(JournalEntry(cmd, payload, dict(options), made))
        elif "error" in answer:
            return
        elif cmd == "goal.delete":
            self._live.difference_update(payload["stateIds"])
            self._journal.forget(payload["stateIds"])
        elif cmd == "env.add" or (cmd == "frontend.process" and payload.get("inheritEnv")):
            self._live_environment += 1
            self._journal.record(JournalEntry(cmd, payload, dict(options)))

    async def _bring_up(self, states: Sequence[int]) -> None:
        """Have the process know the session, its environment and these states, whatever happened to an earlier one."""
        if self._generation is None:
            await self._begin()
        while missing := [state for state in states if state not in self._live]:
            await self._make_again(missing[0])

    async def _begin(self) -> None:
        """Have the process know the session and its environment: by the commands that changed it, each after those that
        took their states out of the environment before it."""
        self._live.clear()
        self._live_environment = 0
        answer = await self._ask("session.open", self._start, {}, 0)
        if "error" in answer:
            self._generation = None
            raise LeanError(f"the session cannot begin: {answer['desc']}")
        for entry in self._journal.environment:
            for beginning in self._journal.beginnings(self._live_environment):
                await self._replay(beginning)
            await self._replay(entry)
            self._live_environment += 1

    async def _make_again(self, state: int) -> None:
        script = [entry for entry in self._journal.script(state) if not self._live.issuperset(entry.made)]
        if any(not entry.used and entry.environment != self._live_environment for entry in script):
            return await self._begin()  # the environment that it came out of is no more
        for entry in script:
            await self._replay(entry)
        # needed on the way only; what came out of an environment stays, which may not be there another time
        if passing := [s for entry in script if entry.used for s in entry.made if not self._journal.knows(s)]:
            await self._ask("goal.delete", {"stateIds": passing}, {}, 0)
            self._live.difference_update(passing)

    async def _replay(self, entry: JournalEntry) -> None:
        """Run a command again, which has to come out as it did."""
        number = min(entry.made, default=0)
        answer = await self._ask(entry.cmd, entry.payload, entry.options, number, at_least_s=_AGAIN_S)
        if "error" in answer or _made(entry.cmd, answer) != entry.made:
            self._generation = None
            raise LeanError(
                f"the session's process was replaced, and in the new one `{entry.cmd}` did not come out as it did "
                f"before: {answer.get('desc', answer)}"
            )
        self._live.update(entry.made)

    async def _ask(self, cmd: str, payload: Json, options: Json, number: int, *, at_least_s: float = 0.0) -> Json:
        limits = [options.get("timeout", 0) / 1000 or None, _AGAIN_S if cmd == "session.open" else self._timeout_s]
        limit_s = max(at_least_s, min((limit for limit in limits if limit is not None), default=_UNLIMITED_S))
        self._generation, answer = await self._pool.ask(
            "pantograph",
            timeout_s=limit_s + _GRACE_S,
            generation=self._generation,
            session=self._key,
            cmd=cmd,
            payload=payload,
            options=options,
            next=number,
            limit=0 if limit_s == _UNLIMITED_S else max(1, int(limit_s * 1000)),
        )
        if "answer" not in answer:
            return error("internal", str(answer.get("error", answer)))
        answered: Json = answer["answer"]
        return answered

    def close(self) -> None:
        """Have the process forget the session. The pool stays."""
        if not self._pool.loop.closed:
            self._pool.loop.run(self._forget())

    async def close_async(self) -> None:
        """Close it from any event loop."""
        if not self._pool.loop.closed:
            await self._pool.loop.run_async(self._forget())

    async def _forget(self) -> None:
        try:
            if self._generation is not None:
                await self._ask("session.close", {}, {}, 0)
        except (LeanProcessDied, LeanTimeout):
            return  # it is gone with its process
        finally:
            self._generation = None
            self._pool.end_session(self._key)


def _ill_formed(cmd: str, payload: Json) -> str:
    """Return what is wrong with a command and its payload, whichever it is; empty: nothing."""
    try:
        json.dumps([cmd, payload], ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError, RecursionError) as e:  # half of a surrogate pair, NaN, nested too deeply
        return str(e)
    for name in _PATHS:
        path = payload.get(name)
        if path is not None and (not isinstance(path, str) or "\0" in path):
            return f"{name}: a path expected"
    return ""


def _saved(text: str) -> tuple[list[JournalEntry], int]:
    """Return what a file of :meth:`Session._goal_save` holds: the script, and which state of it is meant.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: it holds something else.
    """
    saved = json.loads(text)
    if saved.get("format") != _SAVED:
        raise ValueError("it is of another format")
    known: set[int] = set()
    script = []
    for e in saved["script"]:
        entry = JournalEntry(e["cmd"], dict(e["payload"]), changed(DEFAULTS, e["options"]), tuple(e["made"]))
        if entry.cmd not in _MAKE_STATES or not known.issuperset(entry.used) or not entry.made:
            raise ValueError(f"`{entry.cmd}` is out of place")
        if reason := _ill_formed(entry.cmd, entry.payload):
            raise ValueError(reason)
        known.update(entry.made)
        script.append(entry)
    if saved["state"] not in known:
        raise ValueError("its state is not made")
    return script, saved["state"]


def _made(cmd: str, answer: Json) -> tuple[int, ...]:
    if cmd == "frontend.distil":
        return tuple(target["stateId"] for target in answer.get("targets", ()))
    made = answer.get("nextStateId", answer.get("stateId") if cmd in ("goal.start", "goal.subsume") else None)
    return () if made is None else (made,)


async def _written(path: Path, text: str, *, in_place: bool = True) -> Json | None:
    """Write a file of the host; an answer that is an error where that fails.

    In place for what a client waits for: PyPantograph holds the file open, and would go on reading the old one.
    """
    if not path.name:
        return error("io", f"{path} cannot be written: it is no file")
    scratch = path if in_place else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        await asyncio.to_thread(scratch.write_text, text, "utf-8")
        if not in_place:
            await asyncio.to_thread(os.replace, scratch, path)
    except OSError as e:
        if not in_place:
            with contextlib.suppress(OSError):
                scratch.unlink(missing_ok=True)
        return error("io", f"{path} cannot be written: {e.strerror or e}")
    return None
