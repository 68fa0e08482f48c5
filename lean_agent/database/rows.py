"""A traced file as rows of tables, and back: the one place that knows which column holds which field.

``read_file(connection, …)`` after ``write_file(connection, …)`` gives an equal :class:`TracedFile`.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import Any, cast, get_args

from lean_agent.lean.types import (
    Cause,
    Hole,
    LeanMessage,
    LostTheorem,
    Position,
    Premise,
    ProducedConstant,
    TracedDeclaration,
    TracedFile,
    TracedTactic,
    TracedTheorem,
)

WHOLE_THEOREM = -1
"""In place of a tactic's ordinal, for the premises of the theorem as a whole."""

Row = tuple[object, ...]


def messages_to_json(messages: Iterable[LeanMessage]) -> str:
    """Messages as a JSON array of ``[severity, text, line, column]``, then line and column of the end if known, and the
    cause if known."""
    rows = [
        [m.severity, m.text, *_pair(m.start), *_pair(m.end), *([m.cause] if m.cause is not None else [])]
        for m in messages
    ]
    return json.dumps(rows, ensure_ascii=False)


def messages_from_json(text: str) -> tuple[LeanMessage, ...]:
    """Invert :func:`messages_to_json`."""
    messages = []
    for severity, words, line, column, *rest in json.loads(text):
        cause = rest.pop() if rest and rest[-1] in get_args(Cause) else None
        end = Position(*rest) if rest else None
        messages.append(LeanMessage(severity, words, Position(line, column), end, cause))
    return tuple(messages)


def _failed(
    theorems: Iterable[TracedTheorem], declarations: Iterable[TracedDeclaration], messages: Iterable[LeanMessage]
) -> tuple[LostTheorem, ...]:
    """Return the lost theorems of a file whose trace did not write them down: those with an error inside."""
    traced = {theorem.full_name for theorem in theorems}
    stated = [declaration for declaration in declarations if declaration.kind == "theorem"]
    errors = [message for message in messages if message.severity == "error"]
    return tuple(
        LostTheorem(each.full_name, "failed", inside[0].text, each.start_pos, each.end_pos)
        for each in stated
        if each.full_name not in traced
        and (inside := [error for error in errors if each.start_pos <= error.start <= each.end_pos])
        and not any(other.start < each.start and each.end <= other.end for other in stated)  # a helper of its `where`
    )


def _pair(position: Position | None) -> tuple[int, ...]:
    return () if position is None else (position.line, position.column)


def write_file(connection: sqlite3.Connection, repository_id: int, file: TracedFile, content_hash: str) -> None:
    """Put one traced file in the place of what is known of it. The caller holds a transaction."""
    connection.execute("DELETE FROM files WHERE repository_id = ? AND path = ?", (repository_id, file.path))
    imports = json.dumps(file.imports, ensure_ascii=False)
    messages, beside = messages_to_json(file.messages), messages_to_json(file.beside_theorems)
    products = json.dumps([(p.full_name, p.origin, p.start_pos.line, p.start_pos.column) for p in file.products])
    lost = [(t.full_name, t.kind, t.reason, *_span(t.start_pos, t.end_pos)) for t in file.lost]
    rest = (file.elaborate_s, file.walk_s, file.lean_version, json.dumps(lost, ensure_ascii=False), products)
    cursor = connection.execute(
        "INSERT INTO files (repository_id, path, status, module, content_hash, imports, messages, beside_theorems,"
        " elaborate_s, walk_s, lean_version, lost, products) VALUES (?, ?, 'traced', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (repository_id, file.path, file.module, content_hash, imports, messages, beside, *rest),
    )
    file_id = cast(int, cursor.lastrowid)
    _insert(connection, "declarations", (_declaration_row(file_id, n, d) for n, d in enumerate(file.declarations)))
    _insert(connection, "theorems", (_theorem_row(file_id, n, t) for n, t in enumerate(file.theorems)))
    for number, theorem in enumerate(file.theorems):
        _insert(connection, "tactics", (_tactic_row(file_id, number, n, t) for n, t in enumerate(theorem.tactics)))
        _insert(connection, "premises", _premise_rows((file_id, number, WHOLE_THEOREM), theorem.premises))
        for n, tactic in enumerate(theorem.tactics):
            _insert(connection, "premises", _premise_rows((file_id, number, n), tactic.premises))


def read_file(connection: sqlite3.Connection, file_id: int) -> TracedFile:
    """Read the traced file with this row id."""
    path, module, imports, words, beside, elaborate_s, walk_s, lean_version, lost, products = connection.execute(
        "SELECT path, module, imports, messages, beside_theorems, elaborate_s, walk_s, lean_version, lost, products"
        " FROM files WHERE id = ?",
        (file_id,),
    ).fetchone()
    rows = connection.execute("SELECT * FROM declarations WHERE file_id = ? ORDER BY ordinal", (file_id,))
    theorems, declarations = read_theorems(connection, file_id), tuple(map(_declaration, rows))
    messages = messages_from_json(words)
    return TracedFile(
        path=path,
        module=module,
        imports=tuple(json.loads(imports)),
        theorems=theorems,
        declarations=declarations,
        messages=messages,
        elaborate_s=elaborate_s,
        walk_s=walk_s,
        beside_theorems=messages_from_json(beside),
        lean_version=lean_version,
        lost=_failed(theorems, declarations, messages)
        if lost is None
        else tuple(
            LostTheorem(full_name, kind, reason, Position(*span[:2]), Position(*span[2:]))
            for full_name, kind, reason, *span in json.loads(lost)
        ),
        products=tuple(
            ProducedConstant(full_name, origin, Position(*start)) for full_name, origin, *start in json.loads(products)
        ),
    )


def read_theorems(
    connection: sqlite3.Connection, file_id: int, has_sorry: bool | None = None
) -> tuple[TracedTheorem, ...]:
    """Read the theorems of a file, in their order; only those with, or without, a hole if ``has_sorry`` is given."""
    premises: dict[tuple[int, int], list[Premise]] = defaultdict(list)
    for _, theorem, tactic, _, *values in connection.execute(
        "SELECT * FROM premises WHERE file_id = ? ORDER BY theorem, tactic, ordinal", (file_id,)
    ):
        premises[theorem, tactic].append(Premise(*values))
    tactics: dict[int, list[TracedTactic]] = defaultdict(list)
    for _, theorem, ordinal, *values in connection.execute(
        "SELECT * FROM tactics WHERE file_id = ? ORDER BY theorem, ordinal", (file_id,)
    ):
        values.append(tuple(premises[theorem, ordinal]))
        tactics[theorem].append(TracedTactic(*values))
    rows = connection.execute("SELECT * FROM theorems WHERE file_id = ? ORDER BY ordinal", (file_id,))
    return tuple(
        _theorem(values, tactics[ordinal], premises[ordinal, WHOLE_THEOREM])
        for _, ordinal, *values in rows
        if has_sorry is None or bool(values[4]) == has_sorry
    )


def _declaration(row: tuple[Any, ...]) -> TracedDeclaration:
    _, _, full_name, kind, code, start, end, *span = row
    return TracedDeclaration(full_name, kind, code, start, end, Position(*span[:2]), Position(*span[2:]))


def _theorem(values: Sequence[Any], tactics: list[TracedTactic], premises: list[Premise]) -> TracedTheorem:
    *words, has_sorry, type_, type_hash, start, end, line, column, end_line, end_column, axioms, command, holes = values
    places = (start, end, Position(line, column), Position(end_line, end_column))
    lists = (tuple(tactics), tuple(premises), tuple(json.loads(axioms)))
    fields: list[Any] = [*words, bool(has_sorry), type_, type_hash, *places, *lists, command]
    fields.append(tuple(Hole(*hole) for hole in json.loads(holes)))
    return TracedTheorem(*fields)


def _theorem_row(file_id: int, ordinal: int, t: TracedTheorem) -> Row:
    words = (t.full_name, t.statement, t.proof, t.mode, t.has_sorry, t.type, t.type_hash)
    places = (t.start, t.end, *_span(t.start_pos, t.end_pos))
    axioms = json.dumps(t.axioms, ensure_ascii=False)
    holes = json.dumps([astuple(hole) for hole in t.holes])
    return (file_id, ordinal, *words, *places, axioms, t.command, holes)


def _declaration_row(file_id: int, ordinal: int, d: TracedDeclaration) -> Row:
    return (file_id, ordinal, d.full_name, d.kind, d.code, d.start, d.end, *_span(d.start_pos, d.end_pos))


def _tactic_row(file_id: int, theorem: int, ordinal: int, t: TracedTactic) -> Row:
    states = (t.state_before, t.state_after, t.goals_before, t.goals_after)
    return (file_id, theorem, ordinal, t.tactic, t.step, t.start, t.end, *states)


def _premise_rows(key: tuple[int, int, int], premises: Iterable[Premise]) -> Iterable[Row]:
    return ((*key, n, p.full_name, p.module, p.start, p.end) for n, p in enumerate(premises))


def _span(start: Position, end: Position) -> tuple[int, int, int, int]:
    return (start.line, start.column, end.line, end.column)


_WIDTHS = {"declarations": 11, "theorems": 18, "tactics": 11, "premises": 8}


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    marks = ", ".join("?" * _WIDTHS[table])
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
