"""A Lean server without Lean: for tests of code that needs a :class:`~lean_agent.lean.server.LeanServer`.

Owns a small deterministic world, either the propositional logic of :mod:`lean_agent.lean.mock.logic` or a table of the
caller's own, behind the same contract as the real server (``tests/lean/test_conformance.py`` runs over both). Starts no
process, reads no file, and proves nothing about Lean.

    server = MockLeanServer({"swap": "∀ (p q : Prop), p ∧ q → q ∧ p"})
    state = server.goal_start(TheoremSite(project, "A.lean", "swap"))
    state = server.goal_tactic(state, "intro p q h")
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from typing_extensions import override

from lean_agent.errors import LeanError, LeanRequestError, TacticFailure
from lean_agent.lean.mock import logic
from lean_agent.lean.server import EMPTY_TACTIC, InCallerServer
from lean_agent.lean.source import is_blank
from lean_agent.lean.types import (
    DeclarationVerdict,
    FileVerdict,
    Goal,
    GoalState,
    LeanMessage,
    LeanProject,
    Origin,
    Position,
    Severity,
    Subgoals,
    TheoremSite,
    TracedFile,
    Verdict,
    VerdictKind,
)
from lean_agent.settings import Seconds

HOLES = re.compile(r"\b(sorry|admit)\b")
ROTATION = re.compile(r"rotate_left(?: (\d+))?")
STATED = re.compile(r"theorem (\S+) : (.+?) := (by\b.*)", re.DOTALL)
FIRST = "first | "
ALTERNATIVES = re.compile(r" \| (?=\(|[\w.]+(?: \||$))")
TRACED = re.compile(
    r'\((?P<inside>.*); trace "(?P<says>[^"]*)"\)|\((?P<before>.*)\); trace "(?P<last>[^"]*)"', re.DOTALL
)
"""``(t; trace "…")`` and ``(t); trace "…"``, as a search has Lean say which alternative has worked."""
FORBIDDEN = re.compile(r"\b(native_decide|run_tac|unsafe|set_option|IO)\b|#\w+")


class MockLeanServer(InCallerServer):
    """The whole contract of :class:`~lean_agent.lean.server.LeanServer` over a world given as tables.

    Every goal state is a list of goals, the main goal first, and stays as it was when a tactic runs on it. Using a
    released state raises ``LeanRequestError``, stricter than the real server, so that tests find such a use.

    Args:
        theorems: what each theorem states, by full name. A statement without ``⊢`` is a target in an empty context.
        table: (text of the main goal, tactic) -> the texts of the goals that take its place (none closes it), or a
            ``LeanError`` to answer with. Looked up before the built-in rules.
        positions: (full name, byte offset of a tactic) -> the texts of the goals there, for sites with a position.
        files: what :meth:`trace_file` answers, by path.
    """

    workers = 2
    version = "4.28.0, mock"

    def __init__(
        self,
        theorems: Mapping[str, str] | None = None,
        *,
        table: Mapping[tuple[str, str], Sequence[str] | LeanError] | None = None,
        positions: Mapping[tuple[str, int], Sequence[str]] | None = None,
        files: Mapping[str, TracedFile] | None = None,
    ) -> None:
        self._theorems = dict(theorems or {})
        self._table = dict(table or {})
        self._positions = dict(positions or {})
        self._files = dict(files or {})
        self._live: set[str] = set()
        self._last_id = 0
        self._closed = False

    @property
    def live_states(self) -> int:
        """How many states have been handed out and not yet released."""
        return len(self._live)

    @override
    def goal_start(self, origin: Origin, *, timeout_s: Seconds | None = None) -> GoalState:
        self._check_open()
        return self._keep(GoalState(origin=origin, script=(), goals=self._first_goals(origin)))

    @override
    def goal_tactic(self, state: GoalState, tactic: str, *, timeout_s: Seconds | None = None) -> GoalState:
        self._check_open()
        if state.key not in self._live:
            raise LeanRequestError("This state is not known here: it was released, or came from another server.")
        messages: list[str] = []
        goals = self._run(state.goals, tactic, messages)
        return self._keep(replace(state, script=(*state.script, tactic), goals=goals, messages=tuple(messages)))

    @override
    def goal_splits(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        return [
            [self.goal_start(Subgoals(state.origin, state.script, group)) for group in state.groups] for state in states
        ]

    @override
    def release(self, states: Sequence[GoalState]) -> None:
        self._live.difference_update(state.key for state in states)

    @override
    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        """Answer from ``files``."""
        self._check_open()
        if file_path not in self._files:
            raise LeanRequestError(f"The mock server was given no file {file_path!r}.")
        return self._files[file_path]

    @override
    def check(self, text: str, **options: Any) -> tuple[LeanMessage, ...]:
        """Read ``theorem NAME : STATEMENT := by …``, a paragraph each; every other paragraph is an error here."""
        self._check_open()
        faults = ((paragraph, self._fault(paragraph[0])) for paragraph in _paragraphs(text))
        return tuple(
            LeanMessage(*fault, _position(text, paragraph.start()), _position(text, paragraph.end()))
            for paragraph, fault in faults
            if fault is not None
        )

    def _fault(self, paragraph: str) -> tuple[Severity, str] | None:
        """Return what Lean would say of a theorem."""
        stated = STATED.fullmatch(paragraph)
        if stated is None:
            return "error", "the mock server reads only `theorem NAME : STATEMENT := by …`"
        verdict = self._judged(stated[2], stated[3])
        if verdict.kind == "sorry":
            return "warning", "declaration uses `sorry`"
        return None if verdict.accepted else ("error", verdict.reason)

    @override
    def verify(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
        """Run a flat ``by`` block from the theorem's first state; every other kind of proof is an error here."""
        self._check_open()
        if site.full_name not in self._theorems:
            return Verdict("not_found", f"There is no theorem {site.full_name!r} in {site.file_path}.")
        return self._judged(replace(site, position=None), proof)

    def _judged(self, origin: Origin, proof: str) -> Verdict:
        try:
            goals = self._first_goals(origin)
            for tactic in split_block(proof):
                goals = self._run(goals, tactic)
        except TacticFailure as failure:
            kind = failure.kind
            return Verdict(kind if kind in ("sorry", "forbidden", "timeout") else "error", failure.message)
        except (LeanError, ValueError) as error:
            return Verdict("error", str(error))
        return Verdict("error", _unsolved(goals)) if goals else Verdict("accepted", "no goal is left")

    @override
    def verify_file(self, project: LeanProject, file_path: str, **options: Any) -> FileVerdict:
        """Judge the theorems of what :meth:`trace_file` answers."""
        traced = self.trace_file(project, file_path)
        verdicts = [
            DeclarationVerdict(
                theorem.full_name,
                "theorem",
                replace(
                    self.verify(TheoremSite(project, file_path, theorem.full_name), theorem.proof, whole_file=True),
                    statement=theorem.type,
                ),
                theorem.start_pos,
            )
            for theorem in traced.theorems
        ]
        return FileVerdict(tuple(verdicts), traced.beside_theorems, traced.messages)

    @override
    def verify_text(self, text: str, **options: Any) -> FileVerdict:
        """Judge what :meth:`check` reads."""
        messages = self.check(text)
        verdicts = []
        for paragraph in _paragraphs(text):
            if stated := STATED.fullmatch(paragraph[0]):
                fault = self._fault(paragraph[0])
                kind: VerdictKind = "accepted" if fault is None else "sorry" if fault[0] == "warning" else "error"
                verdict = Verdict(kind, fault[1] if fault else "", statement=stated[2])
                verdicts.append(DeclarationVerdict(stated[1], "theorem", verdict, _position(text, paragraph.start())))
        return FileVerdict(tuple(verdicts), (), messages)

    @override
    def close(self) -> None:
        self._closed = True
        self._live.clear()

    def _check_open(self) -> None:
        if self._closed:
            raise LeanRequestError("This Lean server was closed; start a new one.")

    def _keep(self, state: GoalState) -> GoalState:
        """Give the state a key of its own; keys are never used twice."""
        self._last_id += 1
        key = str(self._last_id)
        self._live.add(key)
        goals = tuple(replace(goal, id=f"{key}.{index}", key=_key(goal)) for index, goal in enumerate(state.goals))
        groups = tuple((index,) for index in range(len(goals)))  # this logic has no metavariables
        return replace(state, key=key, goals=goals, groups=groups)

    def _first_goals(self, origin: Origin) -> tuple[Goal, ...]:
        if isinstance(origin, Subgoals):
            goals = self._first_goals(origin.origin)
            for tactic in origin.script:
                goals = self._run(goals, tactic)
            return tuple(goals[index] for index in origin.goals)
        if isinstance(origin, str):
            try:
                return (logic.make_goal(logic.show(logic.parse(origin))),)
            except ValueError as error:
                raise LeanRequestError(f"The expression {origin!r} does not elaborate: {error}.") from None
        if origin.position is not None:
            texts = self._positions.get((origin.full_name, origin.position))
            if texts is None:
                raise LeanRequestError(f"No tactic of {origin.full_name!r} starts at byte {origin.position}.")
            return tuple(map(logic.read_goal, texts))
        if origin.full_name not in self._theorems:
            raise LeanRequestError(f"There is no theorem {origin.full_name!r} in {origin.file_path}.")
        return (logic.read_goal(self._theorems[origin.full_name]),)

    def _run(self, goals: tuple[Goal, ...], tactic: str, messages: list[str] | None = None) -> tuple[Goal, ...]:
        """Return the goals after a tactic; what its ``trace`` says is added to ``messages``."""
        if HOLES.search(tactic):
            raise TacticFailure(tactic, "sorry", "the tactic leaves a hole")
        if FORBIDDEN.search(tactic):
            raise TacticFailure(tactic, "forbidden", "the tactic uses a construction that is not allowed in a proof")
        if is_blank(tactic):
            raise TacticFailure(tactic, "parse", EMPTY_TACTIC)
        if not goals:
            raise TacticFailure(tactic, "no_goals", "No goals to be solved")
        main, *siblings = goals
        scripted = self._table.get((main.text, tactic))
        if isinstance(scripted, LeanError):
            raise scripted
        if scripted is not None:
            return (*map(logic.read_goal, scripted), *siblings)
        combined = self._combined(goals, tactic, [] if messages is None else messages)
        return self._simple(goals, tactic) if combined is None else combined

    def _simple(self, goals: tuple[Goal, ...], tactic: str) -> tuple[Goal, ...]:
        if rotation := ROTATION.fullmatch(tactic):
            distance = int(rotation[1] or 1) % len(goals)
            return (*goals[distance:], *goals[:distance])
        try:
            return (*logic.run_tactic(goals[0], tactic), *goals[1:])
        except logic.RuleError as error:
            kind = "parse" if str(error).startswith("unknown tactic") else "error"
            raise TacticFailure(tactic, kind, str(error)) from None  # type: ignore[arg-type]  # both are kinds

    def _combined(self, goals: tuple[Goal, ...], tactic: str, messages: list[str]) -> tuple[Goal, ...] | None:
        """Return the goals after a tactic that is made of others; ``None`` if it is not."""
        if traced := TRACED.fullmatch(tactic):
            goals = self._run(goals, traced["inside"] or traced["before"], messages)
            messages.append(traced["says"] or traced["last"])
            return goals
        if tactic.startswith(FIRST):
            return self._first(goals, ALTERNATIVES.split(tactic.removeprefix(FIRST)), messages)
        if len(steps := split_script(tactic)) > 1:
            for step in steps:
                goals = self._run(goals, step, messages)
            return goals
        if tactic.startswith("·"):
            left = self._run(goals[:1], textwrap.dedent(" " + tactic[1:]).strip(), messages)
            if left:
                raise TacticFailure(tactic, "error", _unsolved(left))
            return goals[1:]
        return None

    def _first(self, goals: tuple[Goal, ...], ways: Sequence[str], messages: list[str]) -> tuple[Goal, ...]:
        """Return the goals after the first of several tactics that works; the last one's error where none does."""
        *others, last = ways
        for way in others:
            of_way: list[str] = []
            try:
                after = self._run(goals, way, of_way)
            except TacticFailure:
                continue
            messages += of_way
            return after
        return self._run(goals, last, messages)


def _paragraphs(text: str) -> Iterator[re.Match[str]]:
    return re.finditer(r"\S.*?(?=\n\s*\n|\s*\Z)", text, re.DOTALL)


def _unsolved(goals: Sequence[Goal]) -> str:
    return "unsolved goals\n" + "\n\n".join(goal.text for goal in goals)


def _position(text: str, at: int) -> Position:
    """Return a place in a text, given in code points."""
    before = text[:at]
    return Position(before.count("\n") + 1, at - before.rfind("\n") - 1)


def _key(goal: Goal) -> str:
    """Return :attr:`Goal.key`; of a goal of the caller's own, without structure, the text."""
    hypotheses = sorted(f"{variable.name} : {variable.type}" for variable in goal.variables)
    return "\n".join([*hypotheses, f"⊢ {goal.target}"]) if goal.target else goal.text


def split_block(proof: str) -> list[str]:
    """Split a ``by`` block into tactics.

    Raises:
        ValueError: the proof is no ``by`` block.
    """
    head, _, body = proof.strip().partition("by")
    if head or not body.strip():
        raise ValueError("the mock server reads only proofs that are a flat `by` block")
    return split_script(textwrap.dedent(body.strip("\n") if "\n" in body else body.strip()))


def split_script(script: str) -> list[str]:
    """Split a script into tactics; deeper lines go on with the tactic above them."""
    tactics: list[str] = []
    for line in script.splitlines():
        if tactics and line.startswith(" "):
            tactics[-1] += f"\n{line}"
        elif line.strip():
            tactics.append(line.strip())
    return tactics
