"""What passes between Lean and the rest of the package: frozen values, no behaviour.

Offsets called ``start``/``end``/``position`` are bytes of the UTF-8 source. A :class:`Position` is a line (from 1)
and a column (from 0, in code points), as Lean prints them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Literal

from lean_agent.errors import CrashKind
from lean_agent.files import cache_dir
from lean_agent.lean import html

Severity = Literal["error", "warning", "information"]
Cause = Literal["hidden body"]
"""Why Lean makes an error, where that is no fault of the file: ``hidden body`` is a definition of Lean's library that
the embedded build ships without its body, so that nothing unfolds or computes through it."""


OptionValues = tuple[tuple[str, str], ...]
"""Names of Lean's options, each with its value as text; ``weak.`` before a name leaves out what Lean does not know."""


@dataclass(frozen=True, slots=True)
class LeanOptions:
    """The options that a project's files are elaborated with, as its lakefile has them. Those that say what is
    reported, checked or measured (``linter``, ``warningAsError``, ``debug``, …) are without effect here.

    Attributes:
        shared: those of all modules.
        libraries: those of a library beside them, by the module that it is made of, with what lies below that. A module
            is of the first one.
    """

    shared: OptionValues = ()
    libraries: tuple[tuple[str, OptionValues], ...] = ()

    def of(self, module: Sequence[str]) -> OptionValues:
        """Return those of a module, by the parts of its name; a later one replaces an earlier one."""
        homes = (values for root, values in self.libraries if [*module[: len(parts := root.split("."))]] == parts)
        return (*self.shared, *next(homes, ()))


@dataclass(frozen=True, slots=True)
class LeanProject:
    """A Lean project on disk.

    Attributes:
        root: the folder that paths of files are relative to.
        build: where compiled modules (``.olean``) of the project are kept: a folder of ours, never inside ``root``. By
            default one in the user's cache, named after ``root``.
        libraries: build folders of other projects, whose modules this one may import.
        lean: ``embedded``, ``native`` or the path of a toolchain, for a project that can only run there; ``None`` takes
            whatever Lean its server runs. ``LeanPool(lean=project.lean)`` is a server for it.
        sources: folders below ``root`` that module names are resolved against, the last of them the project's own: with
            ``("src", ".")`` is ``src/A/B.lean`` module ``A.B``, and so would ``A/B.lean`` be.
        options: that its files are elaborated with.
    """

    root: Path
    build: Path = Path()
    libraries: tuple[Path, ...] = ()
    lean: str | None = None
    sources: tuple[str, ...] = (".",)
    options: LeanOptions = LeanOptions()

    @property
    def folder(self) -> Path:
        """The folder with the project's lakefile, if it has one."""
        return self.root / self.sources[-1]

    def module(self, file_path: str) -> tuple[str, ...]:
        """Return the parts of the name of a file's module. They may have anything in them, a point too."""
        return module_parts(file_path, self.sources)

    def compiled(self, file_path: str) -> Path:
        """Return the place of a file's compiled module, relative to ``build``."""
        *folders, name = self.module(file_path)
        return Path(*folders, f"{name}.olean")

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(self.root))
        if self.build == Path():
            key = hashlib.sha256(str(self.root.absolute()).encode()).hexdigest()[:16]
            object.__setattr__(self, "build", cache_dir() / "projects" / key)


def module_parts(file_path: str, sources: Sequence[str]) -> tuple[str, ...]:
    """Return the parts of the name of a file's module, which the longest of ``sources`` that it lies below decides."""
    path = PurePosixPath(file_path)
    homes = [source for source in sources if path.is_relative_to(source)]
    home = max(homes, key=lambda source: len(PurePosixPath(source).parts), default=".")
    return path.relative_to(home).with_suffix("").parts


_OF_PRIVATE = re.compile(r"^_private\..*?\.0\.")


def user_name(full_name: str) -> str:
    """Return what its own file calls a declaration: of a private one (``_private.Data.Heap.0.Heap.link``) its name
    without the module (``Heap.link``)."""
    return _OF_PRIVATE.sub("", full_name)


@dataclass(frozen=True, slots=True)
class TheoremSite:
    """A place where a proof can start.

    Attributes:
        project: the project that the file belongs to.
        file_path: the file, relative to ``project.root``, with forward slashes.
        full_name: the theorem; empty for whatever stands at ``position``.
        position: byte offset (see :class:`TracedFile`) of a tactic of the theorem's own proof, to start in the state
            before that tactic, or of a ``sorry`` among its terms; ``None`` starts at the statement. Without a name, any
            byte of the file: the goals are those that an editor shows there, also in a proof that has errors elsewhere.
        may_use_open: whether tactics may finish a proof that rests on other theorems which are left as ``sorry``; the
            state then names them (:attr:`GoalState.open_lemmas`). The judge accepts none of this.
        may_use_axioms: whether tactics may finish a proof that rests on axioms which the project states above the
            theorem (:attr:`GoalState.axioms`), even where its statement does not. One that says anything
            (``axiom cheat : ∀ P : Prop, P``) is none of these. The judge accepts those that it is given by name.
        run: which run of the tactic at ``position``, from 0, where that runs at several goals (``all_goals``).
    """

    project: LeanProject
    file_path: str
    full_name: str
    position: int | None = None
    may_use_open: bool = False
    may_use_axioms: bool = False
    run: int = 0


@dataclass(frozen=True, slots=True)
class Variable:
    """A hypothesis. ``value`` is set for ``let`` variables; no tactic can speak of an inaccessible one."""

    name: str
    type: str
    value: str | None = None
    is_inaccessible: bool = False


@dataclass(frozen=True, slots=True)
class Inversion:
    """A derivation of an inductive predicate that can be taken apart: an argument is made by a constructor, so that few
    rules can have been the last one.

    Attributes:
        derivation: as a tactic calls it, whatever its name (``‹Step (Expr.app ..) ..›``).
        repeats: what it leaves is no derivation of the same kind, so that all of them can be taken apart.
        is_there: one stands in the goal.
    """

    derivation: str
    repeats: bool
    is_there: bool


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal, from Lean's own values.

    Attributes:
        text: the goal as Lean prints it.
        key: equal for goals that differ in nothing but the order of their hypotheses, the names that no tactic can
            speak of, the names of metavariables, and their tag.
        definitions: the project's definitions and inductive predicates that the target names, then those of hypotheses,
            by their full names, behind ``_root_.`` where such a name means something else there: behind notations,
            instances and abbreviations, too.
        unfoldings: those of them that are not recursive, and such definitions in their bodies and in rules of
            predicates, to the bottom.
        inversions: derivations that can be taken apart, of its inductive predicates and of the ``steps`` below.
        rules: the rules of all these predicates, by their full names.
        steps: other inductive predicates of which rules speak, as those of ``Reachable`` do of ``Step``.
        of_steps: other definitions that the rules of all these are made of.
        reducible: those of them that tactics see through by themselves (``abbrev``); ``grind`` fails where it is given
            one.
        predicates: those of them that stand for a proposition once they have all their arguments.
        calls: the project's recursive functions that the target applies to variables, with these, then those of
            hypotheses: ``app xs ys``.
        recursion: the variables that calls of structurally recursive functions take apart, those of the target first:
            ``xs`` of ``app xs ys``.
        binders: names for what the target says ``∀`` of by a definition, as ``Injective f`` does.
        enumerations: types of two to eight values, of the project or ``Bool``, that a variable has, or that something
            in the goal or in its unfoldings is said or made for all of, each with its values: ``Light red green``.
        whole: the variables and hypotheses that cannot be taken apart, behind whatever names: functions and types.
        derivations: hypotheses of the project's inductive predicates that are printed by a notation, each with the
            predicate (``h BigStep`` of ``h : s =[c]=> t``), and the target (``⊢ BigStep``).
        functions: those of the definitions that make values, and neither a proposition nor a type.
        varied: variables that are functions, and that recursive functions hand on changed, as one below a binder does
            (``σ`` of ``subst σ t``, with ``subst (up σ) t`` in its definition).
        arguments: names for the arguments of functions that the target equates.
        structures: variables of the project's structures with a list, or anything else that is recursive, inside, each
            with its fields: ``m entries size``.
        consequences: what follows there, where somebody has asked
            (:meth:`~lean_agent.lean.server.LeanServer.goal_consequences_async`).
    """

    id: str
    target: str
    variables: tuple[Variable, ...] = ()
    name: str | None = None
    text: str = ""
    key: str = ""
    definitions: tuple[str, ...] = ()
    unfoldings: tuple[str, ...] = ()
    inversions: tuple[Inversion, ...] = ()
    rules: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    of_steps: tuple[str, ...] = ()
    reducible: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    recursion: tuple[str, ...] = ()
    binders: tuple[str, ...] = ()
    enumerations: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    derivations: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    varied: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    structures: tuple[str, ...] = ()
    consequences: tuple[Consequence, ...] = field(default=(), compare=False)


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


def site_of(origin: Origin) -> TheoremSite | None:
    """Return the theorem that an origin is, or comes from; ``None`` for a proposition."""
    while isinstance(origin, Subgoals):
        origin = origin.origin
    return None if isinstance(origin, str) else origin


@dataclass(frozen=True, slots=True)
class GoalState(html.InNotebooks):
    """An exact proof state that lives in a Lean process.

    ``origin`` and ``script`` say how it came about, so that any process can rebuild it. Equality is by these alone.

    Attributes:
        goals: all open goals, the main goal first. Empty exactly when the statement is proved, up to ``open_lemmas``,
            and the kernel has accepted the term.
        messages: what Lean said without failing.
        key: the address of the state by content: of the text of its file up to date when the proof was started, of its
            origin and its script. A server finds the live value by it.
        root: the key of the state that its script starts from.
        groups: the goals, as indices, in groups of those that share a metavariable, in the order of their first goals;
            groups can be proved apart (:meth:`~lean_agent.lean.server.LeanServer.goal_splits`).
        unfinished: of the state at a theorem's statement, the constants left as ``sorry`` that the statement rests on,
            the theorem itself where a ``sorry`` stands in its statement. The judge accepts no proof of it while they
            are.
        open_lemmas: of a state without goals, the theorems left as ``sorry`` that the proof rests on, where its origin
            allows that (:attr:`TheoremSite.may_use_open`).
        assumed: those of ``unfinished`` that are theorems: what the statement says is clear, whatever their proofs are.
        axioms: of the state at a theorem's statement, the project's axioms that its proofs may rest on beside those of
            the statement, where its origin allows that (:attr:`TheoremSite.may_use_axioms`).
    """

    origin: Origin
    script: tuple[str, ...]
    goals: tuple[Goal, ...] = field(compare=False)
    key: str = field(compare=False, default="")
    root: str = field(compare=False, default="")
    messages: tuple[str, ...] = field(compare=False, default=())
    groups: tuple[tuple[int, ...], ...] = field(compare=False, default=())
    unfinished: tuple[str, ...] = field(compare=False, default=())
    open_lemmas: tuple[str, ...] = field(compare=False, default=())
    assumed: tuple[str, ...] = field(compare=False, default=())
    axioms: tuple[str, ...] = field(compare=False, default=())

    @property
    def is_solved(self) -> bool:
        """True when no goal is left anywhere and the kernel has accepted the term."""
        return not self.goals

    @property
    def text(self) -> str:
        """All goals as Lean prints them, separated by an empty line."""
        return "\n\n".join(goal.text for goal in self.goals)

    def _repr_html_(self) -> str:
        if self.is_solved:
            return html.verdict(True, "no goals")
        variables = [[(v.name, v.type, v.value) for v in goal.variables] for goal in self.goals]
        goals = [html.goal(goal.target, of, goal.name) for goal, of in zip(self.goals, variables, strict=True)]
        return html.stacked(*goals, *map(html.faint, self.messages))


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Line from 1, column from 0 in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class LeanMessage:
    """A diagnostic, in Lean's own words.

    Attributes:
        start, end: what it is about, the end excluded; ``end`` is ``None`` where Lean names a place alone, and in what
            was recorded before ends were.
        cause: of an error that comes of the Lean that ran, and not of the file.
    """

    severity: Severity
    text: str
    start: Position
    end: Position | None = None
    cause: Cause | None = None


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
    """Return how many goals a printed state has; the goals of ``conv`` have a ``|`` for the ``⊢``."""
    return len(_GOAL.findall(state))


def is_conv(state: str) -> bool:
    """Check whether a printed state is one inside ``conv``, whose tactics are no steps of a search."""
    return any(line.startswith("|") for line in state.split("\n"))


ProofMode = Literal["tactic", "term", "equations"]

EXAMPLE_COMMAND = "Lean.Parser.Command.example"
"""The :attr:`TracedTheorem.command` of an example."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A ``sorry`` in the text of a proof: a tactic, or a term. ``start`` and ``end`` are its bytes in the file."""

    start: int
    end: int
    is_term: bool


@dataclass(frozen=True, slots=True)
class TracedTheorem(html.InNotebooks):
    """A theorem with its proof, or an ``example`` that states a proposition.

    Attributes:
        full_name: of an example ``example.3``, within its namespace: the third one of its file. No text can declare
            such a name, and nothing can use what it stands for.
        statement: source text from the keyword up to (not including) the proof.
        proof: source text of the proof (``by …``, a term, or equations), without ``:=``, with all that belongs to it:
            ``termination_by``, ``decreasing_by`` and the helpers of a ``where``.
        type: the statement's type printed with full names and explicit binders: the same for two theorems that
            differ in spelling only. Empty where it is too deep to be printed.
        type_hash: Lean's structural hash of the type, binder names ignored: equal for statements that are equal up
            to renaming of bound variables. It has 32 bits, so of 100,000 statements one or two may share another's.
        has_sorry: the proof has a hole somewhere, in its helpers too.
        axioms: other ones than Lean's three that it rests on, however far below, as Lean itself finds them. ``sorryAx``
            is among them where something that the theorem uses has a hole; a hole of its own is ``has_sorry``.
        command: the kind of the command (``lemma``) where a macro has made the theorem of another one than ``theorem``;
            of an example :data:`EXAMPLE_COMMAND`.
        holes: the places of ``sorry`` in the proof, in the order of the text.
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
    command: str | None = None
    holes: tuple[Hole, ...] = ()

    @property
    def is_example(self) -> bool:
        """Whether it is an ``example``, which has no name in the text."""
        return self.command == EXAMPLE_COMMAND

    def _repr_html_(self) -> str:
        steps = [(html.code(tactic.step or tactic.tactic), html.code(tactic.state_before)) for tactic in self.tactics]
        head = html.code(self.statement)
        rests_on = html.faint("axioms: " + ", ".join(self.axioms)) if self.axioms else ""
        is_open = html.verdict(False, "open") if self.has_sorry else ""
        return html.stacked(head, is_open, rests_on, html.table(("tactic", "goals before it"), steps) if steps else "")


ConjectureOutcome = Literal["stated", "refuted", "unprintable", "trivial", "duplicate"]


@dataclass(frozen=True, slots=True)
class Conjecture:
    """A variant of a theorem, as Lean has made it.

    Attributes:
        source: full name of the theorem that it was made of.
        kind: of change: ``swap`` of sides; ``specialise`` a variable; ``permute``, ``drop`` or ``contrapose``
            hypotheses; ``exchange`` constants of one type; ``subgoal`` of the proof.
        change: what was changed, in words.
        outcome: ``stated``; ``refuted`` by ``decide`` in a small case; ``unprintable``: what Lean prints of it does not
            elaborate to the same statement; ``trivial``: a hypothesis says it, or both sides are the same;
            ``duplicate`` of a theorem of the project, or of a conjecture made before it.
        reason: the case in which it is false, or what is wrong with its text.
        statement: from its variables on, as text: ``(a b : Nat) : a + b = b + a``. It and what follows stand where it
            is ``stated`` or ``refuted``.
        scope: lines to stand before it: ``namespace Order``, ``open Nat``. ``end`` with the name closes them.
        type, type_hash: as those of a :class:`TracedTheorem`.
    """

    source: str
    kind: str
    change: str
    outcome: ConjectureOutcome
    reason: str = ""
    statement: str = ""
    scope: tuple[str, ...] = ()
    type: str = ""
    type_hash: str = ""


LemmaKind = Literal["library", "law", "concluding", "following", "about", "alike", "chaining"]
ConsequenceKind = Literal["applied", "fact", "notation", "witness", "descent"]
LossKind = Literal["failed", "undeclared", "unread"]


@dataclass(frozen=True, slots=True)
class LostTheorem:
    """A theorem of a file's text that was not traced.

    Attributes:
        full_name: as Lean has declared it, or as it stands in the text.
        kind: ``failed``: declared, with an error inside; ``undeclared``: Lean has read it, and no theorem came of it;
            ``unread``: it stands in text that Lean has passed over, after a syntax error or after ``#exit``.
        reason: Lean's first error about it, or what ended the file before it.
    """

    full_name: str
    kind: LossKind
    reason: str
    start_pos: Position
    end_pos: Position


@dataclass(frozen=True, slots=True)
class ProducedConstant:
    """A theorem that came of a command beside what its text states, or whatever a program has declared on its own.

    Attributes:
        origin: the declaration that it came of (by an attribute), or the kind of the command.
    """

    full_name: str
    origin: str
    start_pos: Position


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
class DeclarationInfo:
    """What Lean knows of a declaration.

    Attributes:
        kind: ``theorem``, ``definition``, ``instance``, ``structure``, ``class``, ``inductive``, ``constructor``,
            ``recursor``, ``opaque`` or ``axiom``.
        signature: its name, variables and type, as Lean prints them; empty where they are too deep to be printed.
        module: where it is declared; empty for the file that was asked about.
        axioms: every axiom that it rests on. Of what the embedded library proves with axioms, none is known.
        start: where it begins in its file, where that is known.
    """

    full_name: str
    kind: str
    signature: str
    module: str
    docstring: str | None = None
    axioms: tuple[str, ...] = ()
    start: Position | None = None


@dataclass(frozen=True, slots=True)
class Matches:
    """Declarations whose statements match a pattern.

    Attributes:
        declarations: some of them, the shortest statements first, without docstrings and axioms.
        total: how many there are.
    """

    declarations: tuple[DeclarationInfo, ...]
    total: int


@dataclass(frozen=True, slots=True)
class GoalLemma:
    """A theorem that may help at a goal.

    Attributes:
        full_name: as a text calls it.
        type: its statement as Lean prints it.
        kind: ``library`` for one of Lean's own library; ``law`` for a law of an operation on numbers (``Nat.add_mod``),
            as ``grind`` takes many, where others would rewrite by it without end; ``concluding`` for one of the project
            that may conclude the target, ``following`` for one that follows from what the goal knows, ``about`` for one
            about a function that the bodies of the goal's definitions use and the goal does not name, ``alike`` for an
            equation about nothing else than the goal, ``chaining`` for what derivations of the target's relation are
            put together by: first that it is transitive, then how a part of a term may be replaced.
    """

    full_name: str
    type: str
    kind: LemmaKind = "library"


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows at a goal: something is applied to its hypotheses, or a hypothesis says it by a definition.

    Attributes:
        proof: a term that proves it there (``le_trans _ _ _ h₁ h₂``).
        type: what it says, as Lean prints it.
        uses: the full names of the project's theorems that the proof names.
        unfoldings: the project's definitions that it can be unfolded by, as :attr:`Goal.unfoldings` are of a goal.
        kind: ``applied``; ``fact`` for what ``grind`` needs and does not come to: comparisons of numbers times
            terms of the goal (``Nat.mul_le_mul_left n h``), and what an associative operation makes of equations;
            ``notation`` for what a notation means that an instance of the project gives, and functions of quotients, as
            a tactic that says so (``have add_notation : ∀ (a b : N), a + b = a.add b := fun _ _ => rfl``), to be run
            in this order; ``witness`` for a tactic that names the number which the target says to exist, as solved
            from its equation (``exact ⟨a + b, by grind⟩``); or ``descent`` for what an induction may descend by, as it
            stands behind ``induction``. The type of these four is not told; facts may speak of the target's negation,
            as ``negation``.
    """

    proof: str
    type: str
    uses: tuple[str, ...] = ()
    unfoldings: tuple[str, ...] = ()
    kind: ConsequenceKind = "applied"


@dataclass(frozen=True, slots=True)
class TracedFile:
    r"""All that was learnt from one file.

    Offsets (``start``, ``end``) are of bytes, in the text as Lean reads it: a line end ``\r\n`` counts as one byte
    (:mod:`lean_agent.lean.source`).

    Attributes:
        messages: Lean's errors and warnings.
        beside_theorems: what the file takes for granted or leaves out beside its theorems: declarations that rest on
            ``sorry`` or on other axioms than the standard ones, examples with ``sorry``, text after ``#exit``.
        lost: the theorems of the text that are none of ``theorems``: the two together are all that it states.
        products: theorems that are in neither: what attributes and programs made, and macros whose text holds no proof.
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
    lost: tuple[LostTheorem, ...] = ()
    products: tuple[ProducedConstant, ...] = ()

    @property
    def errors(self) -> tuple[LeanMessage, ...]:
        """The messages that are errors."""
        return tuple(m for m in self.messages if m.severity == "error")

    @property
    def failed(self) -> tuple[LostTheorem, ...]:
        """The theorems that Lean has declared and in which it finds an error."""
        return tuple(theorem for theorem in self.lost if theorem.kind == "failed")


VerdictKind = Literal[
    "accepted",
    "error",
    "sorry",
    "axiom",
    "statement",
    "forbidden",
    "circular",
    "kernel",
    "not_found",
    "timeout",
    CrashKind,
]


@dataclass(frozen=True, slots=True)
class Verdict(html.InNotebooks):
    """What the judge says of a proof.

    Attributes:
        kind: ``accepted``, or why not. ``timeout``: no answer in time; ``out_of_memory``, ``deep_recursion`` and
            ``crashed``: the process that judges it ends each time.
        axioms: every axiom that the proof rests on.
        statement: of a declaration in a :class:`FileVerdict`, what was proved, as Lean prints it; empty where it is too
            deep to be printed, which a note of the file's verdict says. Of a proof, the same where the project's files
            run programs of their own, as printed by the process that gave the second opinion, and empty elsewhere.
            Nothing else said of such a project's statements is certain.
        open_lemmas: of a proof of kind ``sorry`` that rests on nothing else that is not allowed, the constants left as
            ``sorry`` that the theorem rests on, in its statement or its proof; the theorem itself where there is one in
            its own proof.
    """

    kind: VerdictKind
    reason: str
    axioms: tuple[str, ...] = ()
    messages: tuple[LeanMessage, ...] = ()
    statement: str = ""
    open_lemmas: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """True for a proof that counts."""
        return self.kind == "accepted"

    def _repr_html_(self) -> str:
        axioms = html.faint("axioms: " + ", ".join(self.axioms)) if self.axioms else ""
        reason = html.code(self.reason) if self.reason and not self.accepted else ""
        return html.stacked(html.verdict(self.accepted, self.kind), reason, html.code(self.statement), axioms)


@dataclass(frozen=True, slots=True)
class DeclarationVerdict:
    """What the judge says of one declaration of a file.

    Attributes:
        name: the full name; ``example`` for an example, and a name that no text can speak of with a dagger.
        declaration: what it is: ``theorem``, ``example``, ``definition``, ``instance``, ``axiom`` and the like.
        start: where it begins.
        instances: instances that the file itself declares and the statement uses; Lean prints none of them.
    """

    name: str
    declaration: str
    verdict: Verdict
    start: Position
    instances: tuple[str, ...] = ()

    @property
    def is_claim(self) -> bool:
        """Whether it is a theorem or an example."""
        return self.declaration in ("theorem", "lemma", "example")


@dataclass(frozen=True, slots=True)
class FileVerdict(html.InNotebooks):
    """What the judge says of a whole file or text.

    Attributes:
        declarations: a verdict for each declaration, in the order of the file.
        problems: what else keeps the file from being accepted: text that was not read, declarations that the text has
            and Lean has not.
        messages: everything that Lean said while it elaborated.
        notes: what a reader of the verdicts should know, and is no fault.
        kind: why there is no verdict at all: ``timeout``: none in time; ``out_of_memory``, ``deep_recursion`` and
            ``crashed``: the process that judges the file ended each time. ``None`` for a file that was judged.
    """

    declarations: tuple[DeclarationVerdict, ...]
    problems: tuple[LeanMessage, ...] = ()
    messages: tuple[LeanMessage, ...] = ()
    notes: tuple[LeanMessage, ...] = ()
    kind: Literal["timeout", CrashKind] | None = None

    @property
    def claims(self) -> tuple[DeclarationVerdict, ...]:
        """The theorems and examples."""
        return tuple(declaration for declaration in self.declarations if declaration.is_claim)

    @property
    def against(self) -> tuple[LeanMessage, ...]:
        """Lean's errors and the problems, in the order of the text."""
        errors = [message for message in self.messages if message.severity == "error"]
        return tuple(sorted([*errors, *self.problems], key=lambda message: message.start))

    @property
    def accepted(self) -> bool:
        """True when there is a theorem or example, every declaration is accepted, and nothing speaks against it."""
        judged = all(declaration.verdict.accepted for declaration in self.declarations)
        return self.kind is None and bool(self.claims) and judged and not self.against

    def _repr_html_(self) -> str:
        rows = [
            (
                html.code(each.name),
                html.verdict(each.verdict.accepted, each.verdict.kind),
                html.code(each.verdict.statement),
            )
            for each in self.claims
        ]
        against = [html.code(f"{each.start.line}:{each.start.column} {each.text}") for each in self.against]
        head = html.verdict(self.accepted, "accepted" if self.accepted else self.kind or "not accepted")
        return html.stacked(head, html.table(("name", "verdict", "statement"), rows) if rows else "", *against)


@dataclass(frozen=True, slots=True)
class TargetComparison:
    """Whether a name is the same in the challenge and in the solution.

    Attributes:
        kind: ``theorem`` or ``definition``.
        difference: empty when it is.
    """

    name: str
    kind: Literal["theorem", "definition"]
    difference: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A solution against its challenge.

    Attributes:
        targets: each name that was asked about.
        solution: the judge's word on the solution's file.
    """

    targets: tuple[TargetComparison, ...]
    solution: FileVerdict

    @property
    def accepted(self) -> bool:
        """True when all targets are the same and the solution's whole file is accepted."""
        return self.solution.accepted and not any(target.difference for target in self.targets)
