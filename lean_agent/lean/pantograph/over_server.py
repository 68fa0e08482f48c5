"""Pantograph's commands over any :class:`~lean_agent.lean.server.LeanServer`, the mock above all.

Goals and tactics only, on the first goal of a state: the rest of the protocol asks for a Lean, and is refused by name.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from typing_extensions import override

from lean_agent.errors import LeanError, LeanRequestError, TacticFailure
from lean_agent.lean.facade import LoopThread
from lean_agent.lean.pantograph.options import DEFAULTS, changed
from lean_agent.lean.pantograph.session import error
from lean_agent.lean.pantograph.transport import Transport
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import Goal, GoalState

Json = dict[str, Any]


class LeanServerTransport(Transport):
    """Answers commands from the states of ``server``, which stays open."""

    def __init__(self, server: LeanServer) -> None:
        self._server = server
        self._loop = LoopThread("Pantograph over a Lean server")
        self.generation = 0  # numbers never come again
        self._ids = itertools.count()
        self._states: dict[int, GoalState] = {}
        self._options: Json = dict(DEFAULTS)

    @property
    def loop(self) -> LoopThread:
        """The transport's own loop."""
        return self._loop

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

        self._loop.close(nothing())

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
