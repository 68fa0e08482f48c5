"""What passes between Lean and the rest of the package: frozen values, no behaviour.

Offsets called ``start``/``end``/``position`` are bytes of the UTF-8 source. A :class:`Position` is a line (from 1)
and a column (from 0, in code points), as Lean prints them.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lean_agent.cache import cache_dir

Severity = Literal["error", "warning", "information"]


@dataclass(frozen=True, slots=True)
class LeanProject:
    """A Lean project on disk.

    Attributes:
        root: the folder that module names are resolved against (``A/B.lean`` is module ``A.B``).
        build: where compiled modules (``.olean``) of the project are kept: a folder of ours, never inside ``root``. By
            default one in the user's cache, named after ``root``.
        libraries: build folders of other projects, whose modules this one may import.
        lean: ``embedded``, ``native`` or the path of a toolchain, for a project that can only run there; ``None`` takes
            whatever Lean its server runs. ``LeanPool(lean=project.lean)`` is a server for it.
    """

    root: Path
    build: Path = Path()
    libraries: tuple[Path, ...] = ()
    lean: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(self.root))
        if self.build == Path():
            key = hashlib.sha256(str(self.root.absolute()).encode()).hexdigest()[:16]
            object.__setattr__(self, "build", cache_dir() / "projects" / key)


@dataclass(frozen=True, slots=True)
class TheoremSite:
    """A place where a proof can start.

    Attributes:
        project: the project that the file belongs to.
        file_path: the file, relative to ``project.root``, with forward slashes.
        full_name: the theorem.
        position: byte offset (see :class:`TracedFile`) of a tactic of the theorem's own proof, to start in the state
            before that tactic; ``None`` starts at the statement.
    """

    project: LeanProject
    file_path: str
    full_name: str
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """A hypothesis. ``value`` is set for ``let`` variables; no tactic can speak of an inaccessible one."""

    name: str
    type: str
    value: str | None = None
    is_inaccessible: bool = False


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal, from Lean's own values.

    Attributes:
        text: the goal as Lean prints it.
        key: equal for goals that differ in nothing but the order of their hypotheses, the names that no tactic can
            speak of, the names of metavariables, and their tag.
    """

    id: str
    target: str
    variables: tuple[Variable, ...] = ()
    name: str | None = None
    text: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Subgoals:
    """Some goals of a state, where a proof of these alone can start.

    Attributes:
        origin, script: the state that they are goals of.
        goals: which, as indices; all that share a metavariable with one of them are among them.
    """

    origin: TheoremSite | str | Subgoals
    script: tuple[str, ...]
    goals: tuple[int, ...]


Origin = TheoremSite | str | Subgoals
"""Where a proof can start: a theorem in its file, a proposition as text, or goals that hang together."""


@dataclass(frozen=True, slots=True)
class GoalState:
    """An exact proof state that lives in a Lean process.

    ``origin`` and ``script`` say how it came about, so that any process can rebuild it. Equality is by these alone.

    Attributes:
        goals: all open goals, the main goal first. Empty exactly when the statement is proved and the kernel has
            accepted the term.
        messages: what Lean said without failing.
        key: the address of the state by content: of the text of its file up to date when the proof was started, of its
            origin and its script. A server finds the live value by it.
        root: the key of the state that its script starts from.
        groups: the goals, as indices, in groups of those that share a metavariable, in the order of their first goals;
            groups can be proved apart (:meth:`~lean_agent.lean.server.LeanServer.goal_splits`).
    """

    origin: Origin
    script: tuple[str, ...]
    goals: tuple[Goal, ...] = field(compare=False)
    key: str = field(compare=False, default="")
    root: str = field(compare=False, default="")
    messages: tuple[str, ...] = field(compare=False, default=())
    groups: tuple[tuple[int, ...], ...] = field(compare=False, default=())

    @property
    def is_solved(self) -> bool:
        """True when no goal is left anywhere and the kernel has accepted the term."""
        return not self.goals

    @property
    def text(self) -> str:
        """All goals as Lean prints them, separated by an empty line."""
        return "\n\n".join(goal.text for goal in self.goals)


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Line from 1, column from 0 in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class LeanMessage:
    """A diagnostic, in Lean's own words."""

    severity: Severity
    text: str
    start: Position


@dataclass(frozen=True, slots=True)
class Premise:
    """The use of a constant inside a proof. ``module`` is where it is defined, ``start``/``end`` where it is used."""

    full_name: str
    module: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TracedTactic:
    """One tactic of a proof.

    Attributes:
        tactic: the source text, multi-line tactics whole (continuation lines dedented to the first).
        step: the tactic as one search step: branches of ``induction … with``/``cases … with`` and multi-tactic ``by``
            blocks become ``?_``, so their goals stay open. Equal to ``tactic`` where nothing is nested; empty for
            purely structural nodes (``·``, ``case``, ``next``) and for what ``conv =>`` and ``grind =>`` run, which
            are no step of their own.
        state_before, state_after: goals as Lean prints them, separated by an empty line; ``no goals`` when none.
        goals_before, goals_after: how many goals those are.
    """

    tactic: str
    step: str
    start: int
    end: int
    state_before: str
    state_after: str
    goals_before: int
    goals_after: int
    premises: tuple[Premise, ...] = ()


_GOAL = re.compile(r"^[⊢|]", re.MULTILINE)  # the lines of a goal that go on are indented


def count_goals(state: str) -> int:
    """How many goals a printed state has; the goals of ``conv`` have a ``|`` for the ``⊢``."""
    return len(_GOAL.findall(state))


def is_conv(state: str) -> bool:
    """Whether a printed state is one inside ``conv``, whose tactics are no steps of a search."""
    return any(line.startswith("|") for line in state.split("\n"))


ProofMode = Literal["tactic", "term", "equations"]


@dataclass(frozen=True, slots=True)
class TracedTheorem:
    """A theorem with its proof.

    Attributes:
        statement: source text from the keyword up to (not including) the proof.
        proof: source text of the proof (``by …``, a term, or equations), without ``:=``.
        type: the statement's type printed with full names and explicit binders: the same for two theorems that
            differ in spelling only.
        type_hash: Lean's structural hash of the type, binder names ignored: equal for statements that are equal up
            to renaming of bound variables. It has 32 bits, so of 100,000 statements one or two may share another's.
        has_sorry: the proof has a hole somewhere.
        axioms: other ones than Lean's three that it rests on, however far below, as Lean itself finds them.
    """

    full_name: str
    statement: str
    proof: str
    mode: ProofMode
    has_sorry: bool
    type: str
    type_hash: str
    start: int
    end: int
    start_pos: Position
    end_pos: Position
    tactics: tuple[TracedTactic, ...] = ()
    premises: tuple[Premise, ...] = ()
    axioms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TracedDeclaration:
    """A declaration that can serve as a premise (theorems included)."""

    full_name: str
    kind: str
    code: str
    start: int
    end: int
    start_pos: Position
    end_pos: Position


@dataclass(frozen=True, slots=True)
class TracedFile:
    """All that was learnt from one file.

    Offsets (``start``, ``end``) are of bytes, in the text as Lean reads it: a line end ``\\r\\n`` counts as one byte
    (:mod:`lean_agent.lean.line_ends`).

    Attributes:
        messages: Lean's errors and warnings.
        beside_theorems: what the file takes for granted or leaves out beside its theorems: declarations that rest on
            ``sorry`` or on other axioms than the standard ones, examples with ``sorry``, text after ``#exit``.
        elaborate_s, walk_s: wall time of elaboration, and of recording after it.
        lean_version: the Lean that traced it, as :attr:`LeanServer.version` has it; ``None`` where it is unknown.
    """

    path: str
    module: str
    imports: tuple[str, ...]
    theorems: tuple[TracedTheorem, ...]
    declarations: tuple[TracedDeclaration, ...]
    messages: tuple[LeanMessage, ...]
    elaborate_s: float
    walk_s: float
    beside_theorems: tuple[LeanMessage, ...] = ()
    lean_version: str | None = None

    @property
    def errors(self) -> tuple[LeanMessage, ...]:
        """The messages that are errors."""
        return tuple(m for m in self.messages if m.severity == "error")

    @property
    def failed(self) -> tuple[TracedDeclaration, ...]:
        """The theorems that are none of ``theorems`` because Lean finds an error inside. What Lean
        could not read or declare is not among them."""
        traced = {theorem.full_name for theorem in self.theorems}
        stated = [one for one in self.declarations if one.kind == "theorem"]
        return tuple(
            one
            for one in stated
            if one.full_name not in traced
            and any(one.start_pos <= error.start <= one.end_pos for error in self.errors)
            and not any(other.start < one.start and one.end <= other.end for other in stated)  # a helper of its `where`
        )


VerdictKind = Literal[
    "accepted", "error", "sorry", "axiom", "statement", "forbidden", "circular", "kernel", "not_found", "timeout"
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says of a proof.

    Attributes:
        axioms: every axiom that the proof rests on.
        statement: where the project's files run programs of their own, what was proved, as printed by the process that
            gave the second opinion; empty elsewhere. Nothing else said of such a project's statements is certain.
    """

    kind: VerdictKind
    reason: str
    axioms: tuple[str, ...] = ()
    messages: tuple[LeanMessage, ...] = ()
    statement: str = ""

    @property
    def accepted(self) -> bool:
        """True for a proof that counts."""
        return self.kind == "accepted"
