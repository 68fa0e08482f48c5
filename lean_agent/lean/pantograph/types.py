"""What passes between :class:`~lean_agent.lean.pantograph.server.Server` and its users.

Fields, their order and their meaning are those of PyPantograph v0.3.15 (``pantograph.expr``, ``.message``, ``.data``),
so that code written for it runs unchanged. Each ``parse`` takes an object of the line protocol. The exceptions have a
place in this package's tree of errors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from lean_agent import errors
from lean_agent.errors import FailureKind, LeanError

Json = dict[str, Any]
Expr: TypeAlias = str


def parse_expr(payload: Json) -> Expr:
    """Return the printed form of an expression object."""
    return str(payload["pp"])


# -- messages


class Severity(Enum):
    """How grave a message is."""

    INFORMATION = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Position:
    """A line (from 1; 0 where there is no source) and a column (from 0, in code points)."""

    line: int
    column: int

    @staticmethod
    def parse(payload: Json) -> Position:
        """Read it from ``{line, column}``."""
        return Position(payload["line"], payload["column"])


@dataclass(frozen=True)
class Message:
    """What Lean said, in its own words."""

    data: str
    pos: Position
    pos_end: Position | None = None
    severity: Severity = Severity.ERROR
    kind: str | None = None

    @staticmethod
    def parse(payload: Json) -> Message:
        """Read it from a serialised message of Lean."""
        kind = payload.get("kind")
        end = payload.get("endPos")
        return Message(
            data=payload["data"],
            pos=Position.parse(payload["pos"]),
            pos_end=Position.parse(end) if end else None,
            severity=Severity[payload["severity"].upper()],
            kind=None if kind in (None, "[anonymous]") else kind,
        )

    def __str__(self) -> str:
        end = f"-{self.pos_end.line}:{self.pos_end.column}" if self.pos_end else ""
        head = "" if self.severity is Severity.INFORMATION else f"{self.severity}: "
        return f"{self.pos.line}:{self.pos.column}{end}: {head}{self.data}"


# -- goals


class TacticMode(Enum):
    """The language in which a goal takes its next step."""

    TACTIC = 1
    CONV = 2
    CALC = 3

    def serial(self) -> str:
        """Return the protocol's word."""
        return self.name.lower()


@dataclass(frozen=True)
class Variable:
    """A hypothesis: type ``t``, value ``v`` of a ``let``, and the name that the user sees."""

    t: Expr
    v: Expr | None = None
    name: str | None = None

    @staticmethod
    def parse(payload: Json) -> Variable:
        """Read it from a goal's ``vars``."""
        value = payload.get("value")
        return Variable(parse_expr(payload["type"]), parse_expr(value) if value else None, payload.get("userName"))

    def __str__(self) -> str:
        value = f" := {self.v}" if self.v else ""
        return f"{self.name or '_'} : {self.t}{value}"


@dataclass(frozen=True)
class Goal:
    """One goal. ``id`` names its metavariable, ``name`` is its case tag; ``sibling_dep`` holds the indices of goals of
    the same state that it speaks of, where the server's ``printDependentMVars`` is on."""

    id: str
    variables: list[Variable]
    target: Expr
    sibling_dep: set[int] | None = None
    name: str | None = None
    mode: TacticMode = TacticMode.TACTIC

    @staticmethod
    def sentence(id: str, target: Expr) -> Goal:
        """Make a goal without hypotheses from text alone."""
        return Goal(id=id, variables=[], target=target)

    @staticmethod
    def parse(payload: Json, siblings: dict[str, int]) -> Goal:
        """Read it from a goal object; ``siblings`` maps ids of the state's goals to their indices."""
        printed = [payload["target"], *(v[part] for v in payload["vars"] for part in ("type", "value") if part in v)]
        dependents = [e["dependentMVars"] for e in printed if "dependentMVars" in e]
        dependencies = {siblings[name] for names in dependents for name in names if name in siblings}
        return Goal(
            id=payload["name"],
            variables=[Variable.parse(v) for v in payload["vars"]],
            target=parse_expr(payload["target"]),
            sibling_dep=dependencies if dependents else None,
            name=payload.get("userName"),
            mode=TacticMode[payload["fragment"].upper()],
        )

    def __str__(self) -> str:
        front = "|" if self.mode is TacticMode.CONV else "⊢"
        head = [self.name] if self.name else []
        return "\n".join([*head, *(str(v) for v in self.variables), f"{front} {self.target}"])


@dataclass(frozen=True)
class GoalState:
    """An exact proof state of a server. Garbage collected states are told to the server, which forgets them at its next
    :meth:`~lean_agent.lean.pantograph.server.Server.gc`.

    Attributes:
        goals: the goals in scope. Without automatic mode others can be dormant.
        has_dormant: something is still open besides ``goals``: a goal that is not in scope, or a hole (``sorry``).
    """

    state_id: int
    goals: list[Goal]
    messages: list[Message]
    _sentinel: list[int] = field(repr=False, compare=False)
    has_dormant: bool = False

    def __del__(self) -> None:
        self._sentinel.append(self.state_id)

    @property
    def is_solved(self) -> bool:
        """True when nothing is open, dormant goals and holes included, and the kernel has accepted the term."""
        return not self.goals and not self.has_dormant

    @staticmethod
    def parse_inner(
        state_id: int, goals: list[Json], messages: list[Json], sentinel: list[int], *, has_dormant: bool = False
    ) -> GoalState:
        """Read it from the parts of an answer."""
        siblings = {goal["name"]: index for index, goal in enumerate(goals)}
        return GoalState(
            state_id,
            [Goal.parse(goal, siblings) for goal in goals],
            [Message.parse(m) for m in messages],
            sentinel,
            has_dormant,
        )

    @staticmethod
    def parse(payload: Json, messages: list[Json], sentinel: list[int], *, has_dormant: bool = False) -> GoalState:
        """Read it from the answer of a step. It does not tell of ``has_dormant``, which only the state's root knows."""
        return GoalState.parse_inner(
            payload["nextStateId"], payload["goals"], messages, sentinel, has_dormant=has_dormant
        )

    def __str__(self) -> str:
        return "\n".join(str(goal) for goal in self.goals)


class Subsumption(Enum):
    """What :meth:`Server.goal_subsume` found."""

    NONE = 1
    SUBSUMED = 2
    CYCLE = 3


# -- tactics


@dataclass(frozen=True)
class Site:
    """Where a tactic acts: the index of a goal (default: the first), and whether the others stay in scope."""

    goal_id: int | None = None
    auto_resume: bool | None = None

    def serial(self) -> Json:
        """Return the protocol's fields."""
        fields = {"goalId": self.goal_id, "autoResume": self.auto_resume}
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True)
class TacticHave:
    """A new hypothesis of type ``branch``; its proof becomes the first goal."""

    branch: str
    binder_name: str | None = None


@dataclass(frozen=True)
class TacticLet:
    """A new variable of type ``branch``; its value becomes the first goal."""

    branch: str
    binder_name: str | None = None


@dataclass(frozen=True)
class TacticExpr:
    """Fill the goal with a term; its holes become goals."""

    expr: str


@dataclass(frozen=True)
class TacticDraft:
    """Fill the goal with a term; every ``sorry`` in it becomes a goal."""

    expr: str


Tactic: TypeAlias = str | TacticHave | TacticLet | TacticExpr | TacticDraft | TacticMode


# -- whole texts


@dataclass(frozen=True)
class TacticInvocation:
    """One tactic of a text, with the goals before and after it as Lean prints them (empty: none).

    The ids of these goals, and the index of the tactic that it is part of, are there where ``tree_info`` asks for them.
    """

    before: str
    after: str
    tactic: str
    used_constants: list[str]
    goal_ids_before: list[str] | None = None
    goal_ids_after: list[str] | None = None
    parent: int | None = None

    @staticmethod
    def parse(payload: Json) -> TacticInvocation:
        """Read it from the file of invocations."""
        return TacticInvocation(
            payload["goalBefore"],
            payload["goalAfter"],
            payload["tactic"],
            payload.get("usedConstants", []),
            payload.get("goalIdsBefore"),
            payload.get("goalIdsAfter"),
            payload.get("parent"),
        )


@dataclass(frozen=True)
class CompilationUnit:
    """One command of a text, at bytes ``i_begin`` up to ``i_end``."""

    i_begin: int
    i_end: int
    messages: list[Message] = field(default_factory=list)
    invocations: list[TacticInvocation] | None = None
    goal_state: GoalState | None = None
    goal_src_boundaries: list[tuple[int, int]] | None = None
    new_constants: list[str] | None = None

    @staticmethod
    def parse(payload: Json, invocations: list[Json] | None = None) -> CompilationUnit:
        """Read it from a unit, with what the file of invocations says of it."""
        begin, end = payload["boundary"]
        return CompilationUnit(
            i_begin=begin,
            i_end=end,
            messages=[Message.parse(m) for m in payload["messages"]],
            invocations=None if invocations is None else [TacticInvocation.parse(i) for i in invocations],
            new_constants=payload.get("newConstants"),
        )


@dataclass(frozen=True)
class SearchTarget:
    """The holes of one declaration, as the goals of a state."""

    goal_state: GoalState

    @staticmethod
    def parse(payload: Json, goal_state_sentinel: list[int]) -> SearchTarget:
        """Read it from one of the ``targets`` of ``frontend.distil``."""
        return SearchTarget(GoalState.parse_inner(payload["stateId"], payload["goals"], [], goal_state_sentinel))


@dataclass
class CheckTrackResult:
    """How a finished text compares with its sketch; ``failure`` says what the first deviation is."""

    src_messages: list[Message]
    dst_messages: list[Message]
    failure: str | None = None

    @property
    def hasSrcError(self) -> bool:
        """The sketch does not compile."""
        return any(m.severity is Severity.ERROR for m in self.src_messages)

    @property
    def hasDstError(self) -> bool:
        """The finished text does not compile."""
        return any(m.severity is Severity.ERROR for m in self.dst_messages)

    @property
    def succeeded(self) -> bool:
        """Both compile, and the text keeps to the sketch."""
        return not self.hasSrcError and not self.hasDstError and self.failure is None

    @property
    def feedback(self) -> list[str]:
        """What there is to mend in the finished text."""
        return [*(str(m) for m in self.dst_messages), *([self.failure] if self.failure else [])]


class ServerError(LeanError):
    """A command that the server refused. ``args[0]`` is the answer (``error``, ``desc``) or a sentence."""

    def __str__(self) -> str:
        reason = self.args[0] if self.args else ""
        return str(reason["desc"]) if isinstance(reason, dict) and "desc" in reason else str(reason)


class ParseError(LeanError):
    """Text that the parser of a syntax category does not take."""


class TacticFailure(errors.TacticFailure):
    """A tactic that failed: also an :class:`lean_agent.errors.TacticFailure`.

    ``args[0]`` is what PyPantograph puts there: a list of :class:`~lean_agent.lean.pantograph.types.Message`, or the
    answer with its ``parseError``, or a sentence.
    """

    def __init__(self, reason: Any, tactic: str = "", kind: FailureKind = "error") -> None:
        super().__init__(tactic, kind, words_of(reason))
        self.args = (reason,)

    def __reduce__(self) -> tuple[type[TacticFailure], tuple[Any, ...]]:
        return (type(self), (self.args[0], self.tactic, self.kind))


def words_of(reason: Any) -> str:
    """Return in words what PyPantograph has as an exception's first argument."""
    if isinstance(reason, dict):
        return str(reason.get("parseError") or reason.get("desc") or reason)
    if isinstance(reason, list):
        return "\n".join(str(getattr(message, "data", message)) for message in reason)
    return str(reason)
