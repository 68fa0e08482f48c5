"""The line protocol of leanprover-community/repl on a pair of streams: ``lean-agent repl``.

Owns the numbers of environments and proof states, and how each came about, so that all of them outlive a Lean process:
what is asked for again is made again from its commands, and what is pickled are these commands. What a command means is
answered by ``LeanAgent/Repl.lean``.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from lean_agent.errors import LeanCrashed, LeanError, LeanProcessDied, LeanTimeout, words_of
from lean_agent.files import write_atomically
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process import codec
from lean_agent.lean.types import LeanProject
from lean_agent.service.repl_forms import message_form

Json = dict[str, Any]

TIMEOUT_S = 600.0
MOST_CHARACTERS = 1_000_000
_AGAIN_S = 120.0  # at least, for what went well before and is done again
_GRACE_S = 10.0  # Lean's own limit comes first; past it the process is replaced
_PICKLED = "lean_agent repl 1"


@dataclass(eq=False)
class _Step:
    """A command or a tactic that has run.

    Attributes:
        parent: the environment or the proof state that it ran in.
        places: whether the states before the tactics of a command are wanted, too.
    """

    text: str
    is_tactic: bool
    parent: _Value | None = None
    places: bool = False


@dataclass(eq=False)
class _Value:
    """What came of a step: first what it has left, then the proof states at its places, in their order.

    Attributes:
        goals, status: of a proof state, as they are told.
    """

    step: _Step
    index: int
    goals: list[str] = field(default_factory=list)
    status: str = "Incomplete: open goals remain"


class _Refused(Exception):
    """A request that is answered with its words."""


class Repl:
    """A session.

    Args:
        pool: its processes; one is used at a time.
        project: one whose traced modules commands may import.
        timeout_s: of a command that brings no ``timeout`` of its own; wall-clock seconds.
    """

    def __init__(self, pool: LeanPool, *, project: LeanProject | None = None, timeout_s: float = TIMEOUT_S) -> None:
        self._pool = pool
        self._place = pool.runtime.place(project) if project else {}
        self._timeout_s = timeout_s
        self._session = uuid.uuid4().hex
        self._generation: int | None = None
        self._live: dict[_Value, int] = {}  # the process's own numbers
        self._environments: list[_Value] = []
        self._states: list[_Value] = []

    def answer(self, line: str) -> Json:
        """Answer one request. Whatever goes wrong is an answer, ``{"message": …}``."""
        try:
            return self._answer(_parsed(line))
        except _Refused as error:
            return {"message": str(error)}
        except LeanError as error:
            return {"message": f"Lean error:\n{error}"}

    def _answer(self, request: Json) -> Json:
        if "tactic" in request:
            return self._tactic(_text(request, "tactic"), self._state(request), self._limit(request))
        if "pickleTo" in request:
            value = self._environment(request) if "env" in request else self._state(request)
            assert value is not None
            _pickle(value, _path(request, "pickleTo"))
            return {"env": request["env"]} if "env" in request else self._told(value)
        if "unpickleEnvFrom" in request:
            value = self._unpickled(_path(request, "unpickleEnvFrom"), is_state=False)
            self._environments.append(value)
            return {"env": len(self._environments) - 1}
        if "unpickleProofStateFrom" in request:
            return self._told(self._unpickled(_path(request, "unpickleProofStateFrom"), is_state=True))
        if "path" in request:
            return self._command(request, _read(_path(request, "path")))
        if "cmd" in request:
            return self._command(request, _text(request, "cmd"))
        raise _Refused("Could not parse as a valid JSON command.")

    # -- commands and tactics

    def _command(self, request: Json, text: str) -> Json:
        with_tactics = request.get("allTactics") is True
        step = _Step(text, False, self._environment(request), with_tactics)
        answer = self._run(step, self._limit(request))
        self._environments.append(_Value(step, 0))
        sorries, tactics = answer["sorries"], answer["tactics"]
        values = [_Value(step, index, place["goals"]) for index, place in enumerate([*sorries, *tactics], start=1)]
        self._note(answer, [self._environments[-1], *values])
        first = len(self._states)
        self._states += values
        form: Json = {}
        if tactics:
            form["tactics"] = [
                {"tactic": place["tactic"], "usedConstants": place["used"], **_placed(place, "goals", number)}
                for number, place in enumerate(tactics, start=first + len(sorries))
            ]
        if sorries:
            form["sorries"] = [_placed(place, "goal", number) for number, place in enumerate(sorries, start=first)]
        return form | _messages(answer) | {"env": len(self._environments) - 1}

    def _tactic(self, text: str, state: _Value, limit_s: float) -> Json:
        step = _Step(text, True, state)
        answer = self._run(step, limit_s)
        after = _Value(step, 0, answer["goals"], answer["status"])
        holes = [_Value(step, index, place["goals"]) for index, place in enumerate(answer["sorries"], start=1)]
        self._note(answer, [after, *holes])
        first = len(self._states)
        self._states += holes
        sorries = [{"proofState": first + i, "goal": "\n".join(hole.goals)} for i, hole in enumerate(holes)]
        return ({"sorries": sorries} if sorries else {}) | _messages(answer) | self._told(after)

    def _told(self, state: _Value) -> Json:
        """Give a proof state a number, and tell of it."""
        self._states.append(state)
        return {"proofStatus": state.status, "proofState": len(self._states) - 1, "goals": state.goals}

    def _environment(self, request: Json) -> _Value | None:
        if request.get("env") is None:
            return None
        return _numbered(self._environments, request["env"], "Unknown environment.")

    def _state(self, request: Json) -> _Value:
        return _numbered(self._states, request.get("proofState"), "Unknown proof state.")

    def _limit(self, request: Json) -> float:
        asked = request.get("timeout")
        if asked is None:
            return self._timeout_s
        if isinstance(asked, bool) or not isinstance(asked, int | float) or not 0 < asked < float("inf"):
            raise _Refused("timeout: a number of seconds expected.")
        return float(asked)

    # -- Lean

    def _run(self, step: _Step, limit_s: float) -> Json:
        """Run a step in a process that has what it starts from.

        Raises:
            LeanError: Lean failed twice, or was not done in time.
        """
        if self._generation is not None and self._pool.has_outgrown(self._generation):
            self._generation = None
        for last in (False, True):
            try:
                self._bring_up(step.parent)
                return self._ask(step, limit_s)
            except LeanProcessDied as error:
                self._generation = None
                if last or isinstance(error, LeanTimeout) or (isinstance(error, LeanCrashed) and error.is_certain):
                    raise
            except LeanTimeout:
                self._generation = None
                raise
        raise AssertionError("the second attempt has returned or raised")

    def _bring_up(self, value: _Value | None) -> None:
        """Have the process know a value: make again what it came from and is not there."""
        if self._generation is None:
            self._live.clear()
        missing: list[_Value] = []
        while value is not None and value not in self._live:
            missing.append(value)
            value = value.step.parent
        for each in reversed(missing):
            answer = self._ask(each.step, max(self._timeout_s, _AGAIN_S))
            numbers = _numbers(answer)
            if each.index >= len(numbers):
                raise LeanError(f"`{each.step.text[:100]}` did not come out as it did before")
            self._live[each] = numbers[each.index]

    def _ask(self, step: _Step, limit_s: float) -> Json:
        fields: Json = {"tactic" if step.is_tactic else "text": step.text}
        if step.parent is not None:
            fields["state" if step.is_tactic else "env"] = self._live[step.parent]
        if step.places:
            fields["tactics"] = True
        self._generation, answer = self._pool.loop.run(
            self._pool.ask(
                "repl",
                timeout_s=limit_s + _GRACE_S,
                generation=self._generation,
                session=self._session,
                limit=max(1, int(limit_s * 1000)),
                **fields,
                **self._place,
            )
        )
        words = answer.get("message") if "failure" in answer else answer.get("error")
        if words is None:
            return answer
        if words == "interrupted" or answer.get("failure") == "timeout":
            raise _Refused(f"Lean error:\ntimeout: not done within {limit_s:g} s")
        raise _Refused(f"Lean error:\n{words}" if step.is_tactic else str(words))

    def _note(self, answer: Json, values: list[_Value]) -> None:
        self._live.update(zip(values, _numbers(answer), strict=True))

    # -- pickled files

    def _unpickled(self, path: Path, *, is_state: bool) -> _Value:
        """Return what a file holds, made again.

        Raises:
            LeanError: it does not come out as it did.
        """
        try:
            saved = json.loads(_read(path))
            if saved["format"] != _PICKLED or saved["is_state"] is not is_state:
                raise ValueError("it holds something else")
            values: list[_Value] = []
            for entry in saved["steps"]:
                parent = None if entry["parent"] is None else values[int(entry["parent"])]
                step = _Step(str(entry["text"]), bool(entry["is_tactic"]), parent, bool(entry["places"]))
                values.append(
                    _Value(step, int(entry["index"]), [str(goal) for goal in entry["goals"]], entry["status"])
                )
            value = values[-1]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise _Refused(f"{path} holds no pickled value: {words_of(error)}") from None
        for last in (False, True):
            try:
                self._bring_up(value)
                return value
            except LeanProcessDied:
                self._generation = None
                if last:
                    raise
        raise AssertionError("the second attempt has returned or raised")


def _numbers(answer: Json) -> list[int]:
    """Return the process's numbers for all values of a step."""
    places = [*answer["sorries"], *answer.get("tactics", ())]
    return [answer["env"] if "env" in answer else answer["state"], *(place["state"] for place in places)]


def _placed(place: Json, name: str, number: int) -> Json:
    start, end = ({"line": at[0], "column": at[1]} for at in (place["start"], place["end"]))
    return {"proofState": number, "pos": start, "endPos": end, name: "\n".join(place["goals"])}


def _messages(answer: Json) -> Json:
    forms = [message_form(codec.message(message)) for message in answer["messages"]]
    trimmed = [{**form, "data": form["data"].strip()} for form in forms]
    return {"messages": trimmed} if trimmed else {}


def _numbered(values: list[_Value], number: Any, unknown: str) -> _Value:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(values):
        raise _Refused(unknown)
    return values[number]


def _pickle(value: _Value, path: Path) -> None:
    """Write how a value came about."""
    chain: list[_Value] = []
    at: _Value | None = value
    while at is not None:
        chain.append(at)
        at = at.step.parent
    steps = [
        {
            "text": each.step.text,
            "is_tactic": each.step.is_tactic,
            "places": each.step.places,
            "parent": number - 1 if number else None,
            "index": each.index,
            "goals": each.goals,
            "status": each.status,
        }
        for number, each in enumerate(reversed(chain))
    ]
    is_state = value.step.is_tactic or value.index > 0
    saved = {"format": _PICKLED, "is_state": is_state, "steps": steps}
    try:
        write_atomically(path, json.dumps(saved, ensure_ascii=False, indent=1).encode())
    except OSError as error:
        raise _Refused(f"{path} cannot be written: {error.strerror or error}") from None


def _parsed(line: str) -> Json:
    try:
        request = json.loads(line)
    except RecursionError:
        raise _Refused("Could not parse JSON:\nit is nested too deeply") from None
    except ValueError as error:
        raise _Refused(f"Could not parse JSON:\n{error}") from None
    if not isinstance(request, dict):
        raise _Refused("Could not parse as a valid JSON command.")
    return request


def _text(request: Json, name: str) -> str:
    return _checked(name, request[name])


def _checked(name: str, text: Any) -> str:
    if not isinstance(text, str):
        raise _Refused(f"{name}: text expected.")
    if len(text) > MOST_CHARACTERS:
        raise _Refused(f"{name}: {len(text):,} characters are too many: {MOST_CHARACTERS:,} are allowed.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _Refused(f"{name}: half of a surrogate pair is no text.") from None
    return text


def _path(request: Json, name: str) -> Path:
    text = _text(request, name)
    if not text or "\0" in text:
        raise _Refused(f"{name}: a path expected.")
    return Path(text)


def _read(path: Path) -> str:
    try:
        return _checked(str(path), path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise _Refused(f"{path} cannot be read: {words_of(error)}") from None


def requests_of(lines: Iterable[str]) -> Iterator[str]:
    """Yield the requests of a stream: lines up to an empty one. Comments (``#``, ``--``) are passed over."""
    held: list[str] = []
    for line in lines:
        if line.strip():
            held.append(line.rstrip())
            continue
        if held and not held[0].startswith(("#", "--")):
            yield "".join(held)
        held = []
    if held and not held[0].startswith(("#", "--")):
        yield "".join(held)


def serve_lines(repl: Repl, lines: Iterable[str], out: TextIO) -> None:
    """Answer the requests of a stream until its end; an empty line follows each answer."""
    for request in requests_of(lines):
        print(json.dumps(repl.answer(request), ensure_ascii=False), end="\n\n", file=out, flush=True)
