"""A stand-in for PyPantograph's ``Server`` (API 0.3.15), which cannot be installed where these tests run.

Its classes and exceptions are of its own, as PyPantograph's are; what is behind it is a process on a pipe that speaks
the line protocol. Only what a prover uses is here.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


class ServerError(Exception):
    """A command that was refused."""


class TacticFailure(Exception):
    """A tactic that failed; ``args[0]`` is a list of messages, the answer with a parse error, or a sentence."""


@dataclass(frozen=True)
class Message:
    data: str

    def __str__(self) -> str:
        return f"error: {self.data}"


@dataclass(frozen=True)
class Variable:
    t: str
    v: str | None = None
    name: str | None = None


@dataclass(frozen=True)
class Goal:
    id: str
    variables: list[Variable]
    target: str
    sibling_dep: set[int] | None = None
    name: str | None = None


@dataclass(frozen=True)
class GoalState:
    state_id: int
    goals: list[Goal]
    messages: list[Message]
    _sentinel: list[int] = field(repr=False)

    def __del__(self) -> None:
        self._sentinel.append(self.state_id)

    @property
    def is_solved(self) -> bool:
        return not self.goals


@dataclass(frozen=True)
class CompilationUnit:
    i_begin: int
    i_end: int
    new_constants: list[str] | None


@dataclass(frozen=True)
class SearchTarget:
    goal_state: GoalState


def goals_of(payload: list[dict[str, Any]]) -> list[Goal]:
    return [
        Goal(
            id=goal["name"],
            variables=[
                Variable(v["type"]["pp"], v["value"]["pp"] if v.get("value") else None, v.get("userName"))
                for v in goal["vars"]
            ],
            target=goal["target"]["pp"],
            name=goal.get("userName"),
        )
        for goal in payload
    ]


class Server:
    """Starts ``command`` at once and waits for ``ready.``, as PyPantograph does."""

    def __init__(self, command: Sequence[str], options: dict[str, Any] | None = None) -> None:
        self.options = options or {}
        self.to_remove_goal_states: list[int] = []
        self.proc = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.proc.stdout is not None
        assert self.proc.stdout.readline().strip() == "ready."
        if self.options:
            self.run("options.set", self.options)

    def is_automatic(self) -> bool:
        return bool(self.options.get("automaticMode", True))

    def run(self, cmd: str, payload: dict[str, Any]) -> Any:
        assert self.proc.stdin is not None
        assert self.proc.stdout is not None
        self.proc.stdin.write(f"{cmd} {json.dumps(payload, ensure_ascii=False)}\n")
        self.proc.stdin.flush()
        return json.loads(self.proc.stdout.readline())

    def told(self, cmd: str, payload: dict[str, Any]) -> Any:
        result = self.run(cmd, payload)
        if "error" in result:
            raise ServerError(result)
        return result

    def gc(self) -> None:
        if self.to_remove_goal_states:
            self.told("goal.delete", {"stateIds": self.to_remove_goal_states})
            self.to_remove_goal_states.clear()

    def goal_start(self, expr: str) -> GoalState:
        result = self.told("goal.start", {"expr": str(expr)})
        return GoalState(result["stateId"], [Goal("", [], expr)], [], self.to_remove_goal_states)

    def goal_tactic(self, state: GoalState, tactic: str) -> GoalState:
        result = self.told("goal.tactic", {"stateId": state.state_id, "tactic": tactic})
        if "parseError" in result:
            raise TacticFailure(result)
        if "goals" not in result:
            raise TacticFailure([Message(m["data"]) for m in result["messages"]])
        for flag, word in (("hasSorry", "sorry"), ("hasUnsafe", "unsafe")):
            if result[flag]:
                self.run("goal.delete", {"stateIds": [result["nextStateId"]]})
                raise TacticFailure(f"Tactic generated {word}", result["messages"])
        return GoalState(result["nextStateId"], goals_of(result["goals"]), [], self.to_remove_goal_states)

    def load_header(self, header: str) -> None:
        self.told("frontend.process", {"file": header, "readHeader": True, "inheritEnv": True, "newConstants": False})

    def check_compile(self, code: str, new_constants: bool = False, read_header: bool = False) -> list[CompilationUnit]:
        payload = {"file": code, "readHeader": read_header, "inheritEnv": False, "newConstants": new_constants}
        units = self.told("frontend.process", payload)["units"]
        bounds = ((*unit["boundary"], unit.get("newConstants")) for unit in units)
        return [CompilationUnit(begin, end, made) for begin, end, made in bounds]

    def load_sorry(self, src: str) -> list[SearchTarget]:
        targets = self.told("frontend.distil", {"file": src, "ignoreValues": False})["targets"]
        return [
            SearchTarget(GoalState(t["stateId"], goals_of(t["goals"]), [], self.to_remove_goal_states)) for t in targets
        ]

    def close(self) -> None:
        with self.proc:  # closes its pipes, and waits for it
            self.proc.terminate()
