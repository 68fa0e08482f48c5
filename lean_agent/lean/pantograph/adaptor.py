"""A Pantograph server where a :class:`~lean_agent.lean.server.LeanServer` is wanted: PyPantograph's own, or ours.

Owns the translation between the two interfaces. What a Pantograph server cannot do is refused by name; what it proves,
our own judge has to accept like anything else.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, Protocol, cast

from typing_extensions import override

from lean_agent.errors import FailureKind, LeanError, LeanRequestError, TacticFailure
from lean_agent.lean.mock.server import FORBIDDEN
from lean_agent.lean.pantograph.types import words_of
from lean_agent.lean.server import EMPTY_TACTIC, InCallerServer, LeanServer
from lean_agent.lean.source import as_lean_reads, is_blank
from lean_agent.lean.types import (
    FileVerdict,
    Goal,
    GoalState,
    LeanMessage,
    LeanProject,
    Origin,
    Subgoals,
    TheoremSite,
    Variable,
    Verdict,
)
from lean_agent.settings import Seconds

logger = logging.getLogger(__name__)

_OPEN_PROOF = re.compile(rb"\bsorry\b")
_HEADER = re.compile(r"^\s*(public\s+)?import\s", re.M)


class PantographServer(Protocol):
    """What is used of PyPantograph's ``Server``. Its states and exceptions are of its own classes."""

    def goal_start(self, expr: str) -> Any: ...

    def goal_tactic(self, state: Any, tactic: Any) -> Any: ...

    def load_header(self, header: str) -> None: ...

    def load_sorry(self, src: str) -> Any: ...

    def check_compile(self, code: str, new_constants: bool = False, read_header: bool = False) -> Any: ...

    def gc(self) -> None: ...


class PantographLean(InCallerServer):
    """A Pantograph server behind our interface.

    Proofs start from a proposition as text, or from a theorem of a file whose proof is a ``sorry``. One request at a
    time, from the thread that made the server: that is how PyPantograph works.

    Args:
        server: stays open.
        judge: accepts or refuses what is found; by default a :class:`~lean_agent.lean.pool.LeanPool` of one process,
            started when first needed.

    Raises:
        LeanRequestError: the server is not in automatic mode, where a state without goals may not be solved.
    """

    version = "that of the Pantograph server"

    workers = 1

    def __init__(self, server: PantographServer, *, judge: LeanServer | None = None) -> None:
        automatic: Callable[[], bool] | None = getattr(server, "is_automatic", None)
        if automatic is not None and not automatic():
            raise LeanRequestError("a Pantograph server has to be in automatic mode (options={'automaticMode': True})")
        self._server = server
        self._judge = judge
        self._owns_judge = judge is None
        self._ids = itertools.count()
        self._states: dict[str, Any] = {}
        self._warned = False

    def _own_limit(self, timeout_s: float | None) -> None:
        """Say once that a time limit is not passed on: a Pantograph server has one of its own, for all that it does."""
        if timeout_s is not None and not self._warned:
            self._warned = True
            logger.warning(
                "A Pantograph server keeps its own time limit: timeout_s=%g is not passed on. Give the server one when "
                "it is made: Server(timeout=…).",
                timeout_s,
            )

    # -- goals

    @override
    def goal_start(self, origin: Origin, *, timeout_s: Seconds | None = None) -> GoalState:
        self._own_limit(timeout_s)
        if isinstance(origin, Subgoals):
            self._refuse("prove goals of a state apart")
        try:
            inner = self._server.goal_start(origin) if isinstance(origin, str) else self._open_theorem(origin)
        except LeanRequestError:
            raise
        except Exception as e:
            raise _translated(e, "") from e
        return self._kept(inner, origin, ())

    @override
    def goal_tactic(self, state: GoalState, tactic: str, *, timeout_s: Seconds | None = None) -> GoalState:
        self._own_limit(timeout_s)
        if state.is_solved:
            raise TacticFailure(tactic, "no_goals", "no goals")
        if is_blank(tactic):
            raise TacticFailure(tactic, "parse", EMPTY_TACTIC)
        if FORBIDDEN.search(tactic):
            raise TacticFailure(tactic, "forbidden", "the tactic uses a construction that is not allowed in a proof")
        if state.key not in self._states:
            raise LeanRequestError(f"State {state.key} is not known here: it was released, or is another server's.")
        try:
            inner = self._server.goal_tactic(self._states[state.key], tactic)
        except Exception as e:
            raise _translated(e, tactic) from e
        return self._kept(inner, state.origin, (*state.script, tactic))

    @override
    def goal_splits(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """Return each state as it is: all goals of a state are one group here."""
        return [[state] for state in states]

    @override
    def release(self, states: Sequence[GoalState]) -> None:
        for state in states:
            self._states.pop(state.key, None)
        self._server.gc()

    def _open_theorem(self, site: TheoremSite) -> Any:
        """Return the state of a theorem's hole: of the last hole of the text up to its end."""
        if site.position is not None:
            raise LeanRequestError("a Pantograph server starts at the holes of open theorems only")
        data = as_lean_reads((site.project.root / site.file_path).read_bytes())
        units = self._server.check_compile(data.decode(), new_constants=True, read_header=True)
        unit = next((u for u in units if site.full_name in (u.new_constants or ())), None)
        if unit is None:
            raise LeanRequestError(f"there is no theorem {site.full_name} in {site.file_path}")
        if len(_OPEN_PROOF.findall(data[unit.i_begin : unit.i_end])) != 1:
            raise LeanRequestError(f"{site.full_name} is not open: its proof has to be a single `sorry`")
        header = data[: units[0].i_begin].decode()
        if _HEADER.search(header):
            self._server.load_header(header)
        targets = self._server.load_sorry(data[units[0].i_begin : unit.i_end].decode())
        return targets[-1].goal_state

    def _kept(self, inner: Any, origin: Origin, script: tuple[str, ...]) -> GoalState:
        key = f"{id(self):x}.{next(self._ids)}"
        self._states[key] = inner
        goals = tuple(_goal(goal) for goal in inner.goals)
        groups = (tuple(range(len(goals))),) if goals else ()
        return GoalState(origin=origin, script=script, goals=goals, key=key, groups=groups)

    # -- files, of which the judge has the word

    @override
    def check(self, text: str, **options: Any) -> tuple[LeanMessage, ...]:
        return self._judging().check(text, **options)

    @override
    def verify(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
        return self._judging().verify(site, proof, **options)

    @override
    def verify_file(self, project: LeanProject, file_path: str, **options: Any) -> FileVerdict:
        return self._judging().verify_file(project, file_path, **options)

    @override
    def verify_text(self, text: str, **options: Any) -> FileVerdict:
        return self._judging().verify_text(text, **options)

    def _judging(self) -> LeanServer:
        if self._judge is None:
            from lean_agent.lean.pool import LeanPool

            self._judge = LeanPool(1)
        return self._judge

    @override
    def close(self) -> None:
        """End the judge, unless it was given. The Pantograph server stays open."""
        if self._owns_judge and self._judge is not None:
            self._judge.close()
        self._states.clear()


def as_lean_server(server: LeanServer | PantographServer) -> LeanServer:
    """Return ``server`` itself, or our interface over it when it is a Pantograph server."""
    return PantographLean(server) if not hasattr(server, "goal_tactics") else cast(LeanServer, server)


def _translated(error: Exception, tactic: str) -> LeanError:
    """Return one of our errors for one of PyPantograph's, which are known by their names alone."""
    reason: Any = error.args[0] if error.args else ""
    words = words_of(reason)
    if type(error).__name__ == "TacticFailure":
        kind: FailureKind = "error"
        if isinstance(reason, dict) and "parseError" in reason:
            kind = "parse"
        elif words in ("Tactic generated sorry", "Tactic generated unsafe"):
            kind = "sorry" if words.endswith("sorry") else "forbidden"
        return TacticFailure(tactic, kind, words)
    if type(error).__name__ in ("ServerError", "ParseError"):
        return LeanRequestError(words)
    raise error


def _goal(goal: Any) -> Goal:
    """Return a goal of PyPantograph's, with the text that Lean would print."""
    variables = tuple(
        Variable(
            name := str(v.name or "_"), str(v.t), None if v.v is None else str(v.v), is_inaccessible=name.endswith("✝")
        )
        for v in goal.variables
    )
    lines = [f"case {goal.name}"] if goal.name else []
    for (kind, value, _), same in groupby(variables, key=lambda v: (v.type, v.value, v.name if v.value else None)):
        names = " ".join(v.name for v in same)
        lines.append(f"{names} : {kind}" + (f" := {value}" if value is not None else ""))
    lines.append(f"⊢ {goal.target}")
    hypotheses = sorted(f"{v.name} : {v.type}" + (f" := {v.value}" if v.value is not None else "") for v in variables)
    key = "\n".join([*hypotheses, f"⊢ {goal.target}"])
    return Goal(str(goal.id), str(goal.target), variables, goal.name, "\n".join(lines), key)
