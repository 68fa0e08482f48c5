"""The JSON of leanprover-community/repl, which Kimina's clients read: messages, holes, info trees.

A verdict says more than the forms can hold. What the judge refuses beside Lean's own errors becomes a message of the
severity ``error``, since that is what clients look for: a text whose answer has neither an error nor a hole is proved.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from lean_agent.lean.source import as_lean_reads
from lean_agent.lean.types import (
    DeclarationVerdict,
    FileVerdict,
    LeanMessage,
    Position,
    TracedFile,
    TracedTactic,
    TracedTheorem,
)

Json = dict[str, Any]
Level = Literal["full", "tactics", "original", "substantive"]

_HOLES = ("sorry", "admit")
_USES_SORRY = "declaration uses `sorry`"
_SEVERITIES = {"information": "info", "warning": "warning", "error": "error"}
_LEAN_SAYS_IT = ("accepted", "error", "sorry")  # Lean's messages, or the holes, say it already
_STRUCTURAL = ("·", "case", "next", "(", "<;>", ";", "{")


class Places:
    """Lines and columns of a text, by the byte offsets that Lean gives."""

    def __init__(self, text: str) -> None:
        self._source = as_lean_reads(text.encode())
        self._starts = [0, *(at + 1 for at, byte in enumerate(self._source) if byte == ord("\n"))]

    def at(self, offset: int) -> Position:
        """Return the place of a byte."""
        line = bisect_right(self._starts, offset)
        return Position(line, len(self._source[self._starts[line - 1] : offset].decode(errors="replace")))


def place_form(place: Position) -> Json:
    """Return a place: line from 1, column from 0."""
    return {"line": place.line, "column": place.column}


def message_form(message: LeanMessage) -> Json:
    """Return a diagnostic."""
    form: Json = {"severity": _SEVERITIES[message.severity], "pos": place_form(message.start)}
    if message.end is not None:
        form["endPos"] = place_form(message.end)
    return form | {"data": message.text}


def message_forms(verdict: FileVerdict) -> list[Json]:
    """Return what Lean says of a text, and what the judge has against it beside that."""
    judged = [
        LeanMessage("error", f"{each.name}: {each.verdict.kind}: {each.verdict.reason}", each.start)
        for each in verdict.declarations
        if each.verdict.kind not in _LEAN_SAYS_IT
    ]
    return [message_form(message) for message in (*verdict.messages, *verdict.problems, *judged)]


def open_declarations(verdict: FileVerdict) -> list[DeclarationVerdict]:
    """Return the declarations that have a hole, or rest on one."""
    return [declaration for declaration in verdict.declarations if declaration.verdict.kind == "sorry"]


def sorry_forms(text: str, verdict: FileVerdict, traced: TracedFile | None, goals: dict[str, str]) -> list[Json]:
    """Return the holes of a text: of each its place, and the goal that it leaves where that is known.

    Args:
        traced: what was learnt of the text, if anything.
        goals: of theorems whose proof is nothing but a hole, by full name.
    """
    places, forms = Places(text), []
    theorems = {theorem.full_name: theorem for theorem in traced.theorems} if traced else {}
    for declaration in open_declarations(verdict):
        theorem = theorems.get(declaration.name)
        holes = _holes(theorem) if theorem else []
        if holes:
            forms += [_sorry_form(places.at(hole.start), places.at(hole.end), hole.state_before) for hole in holes]
        elif theorem and theorem.full_name in goals:
            end = theorem.end_pos
            forms.append(_sorry_form(Position(end.line, end.column - len("sorry")), end, goals[theorem.full_name]))
        else:
            warnings = (m for m in verdict.messages if _USES_SORRY in m.text and m.start >= declaration.start)
            warning = next(warnings, LeanMessage("warning", "", declaration.start))
            forms.append(_sorry_form(warning.start, warning.end or warning.start, ""))
    return forms


def is_bare_hole(theorem: TracedTheorem) -> bool:
    """Check whether a theorem's proof is the term ``sorry`` and nothing else."""
    return theorem.proof.strip() == "sorry"


def _holes(theorem: TracedTheorem) -> list[TracedTactic]:
    return [tactic for tactic in theorem.tactics if tactic.tactic in _HOLES]


def _sorry_form(start: Position, end: Position, goal: str) -> Json:
    return {"pos": place_form(start), "endPos": place_form(end), "goal": goal}


def info_trees(text: str, traced: TracedFile, level: Level) -> list[Json]:
    """Return the tactics of a text as info trees, a tactic's parts below it.

    Args:
        level: ``substantive`` leaves out what only arranges others (``·``, ``case``, ``<;>``); the other three are the
            same here, since a trace holds tactics and no terms.
    """
    places = Places(text)
    tactics = sorted(
        (
            tactic
            for theorem in traced.theorems
            for tactic in theorem.tactics
            if level != "substantive" or _acts(tactic)
        ),
        key=lambda tactic: (tactic.start, -tactic.end),
    )
    return [tree for tree, _ in _nested(tactics, lambda tactic: _node(tactic, places))]


def _acts(tactic: TracedTactic) -> bool:
    return not tactic.tactic.startswith(_STRUCTURAL)


def _nested(
    tactics: Sequence[TracedTactic], node: Callable[[TracedTactic], Json]
) -> Iterator[tuple[Json, TracedTactic]]:
    """Yield the outermost tactics as trees; ``tactics`` are in the order of their places, the longer ones first."""
    path: list[tuple[Json, TracedTactic]] = []
    for tactic in tactics:
        tree = {"node": node(tactic), "kind": "TacticInfo", "children": []}
        while path and path[-1][1].end < tactic.end:
            closed = path.pop()
            if not path:
                yield closed
        if path:
            path[-1][0]["children"].append(tree)
        path.append((tree, tactic))
    yield from path[:1]


def _node(tactic: TracedTactic, places: Places) -> Json:
    start, finish = place_form(places.at(tactic.start)), place_form(places.at(tactic.end))
    return {
        "stx": {"pp": tactic.tactic, "range": {"synthetic": False, "start": start, "finish": finish}},
        "name": None,
        "goalsBefore": _goals(tactic.state_before, tactic.goals_before),
        "goalsAfter": _goals(tactic.state_after, tactic.goals_after),
    }


def _goals(state: str, count: int) -> list[str]:
    goals = state.split("\n\n")
    return [] if count == 0 else goals if len(goals) == count else [state]


def without_nulls(form: Json) -> Json:
    """Return a form without the fields that say nothing."""
    return {name: value for name, value in form.items() if value is not None}
