"""Lists for people who look through the database: files, theorems by name, words or premise, two commits side by side.

Each list is one query that reads no tactics and no states, so that a page of ten thousand theorems costs milliseconds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

SearchMode = Literal["words", "name", "premise"]
TheoremStatus = Literal["proved", "open", "found"]
"""``proved`` in its text; ``open``: left as ``sorry``; ``found``: left as ``sorry``, with an accepted proof beside."""
Change = Literal["added", "removed", "statement", "proof", "moved"]

_ACCEPTED = (
    "EXISTS (SELECT 1 FROM proofs WHERE proofs.repository_id = files.repository_id AND file_path = files.path"
    " AND proofs.full_name = theorems.full_name AND verdict = 'accepted')"
)
_OF_STATUS = {
    "proved": "NOT has_sorry",
    "open": f"has_sorry AND NOT {_ACCEPTED}",
    "found": f"has_sorry AND {_ACCEPTED}",
}


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file of a repository in numbers.

    Attributes:
        reason: why it was not traced; empty for a file that was.
        errors: messages of Lean that are errors.
        lost: theorems that its text states and that were not traced.
        seconds: wall time of its trace.
    """

    path: str
    reason: str
    theorems: int
    open: int
    errors: int
    lost: int
    seconds: float


@dataclass(frozen=True, slots=True)
class TheoremLine:
    """A theorem in a list.

    Attributes:
        repository: name of its repository; ``url`` and ``commit`` find it.
        line: of its beginning, from 1.
        steps: tactics that are a step of their own.
    """

    repository: str
    url: str
    commit: str
    file_path: str
    full_name: str
    statement: str
    line: int
    status: TheoremStatus
    steps: int


@dataclass(frozen=True, slots=True)
class TheoremQuery:
    """Which theorems to list.

    Attributes:
        text: what is looked for; empty for all.
        mode: ``words``: each stands in the name or the statement; ``name``: a part of the full name; ``premise``: the
            full name of a constant that the proof uses, or the end of one.
        status: only these; ``None`` for all.
        file_path: only those of this file.
    """

    text: str = ""
    mode: SearchMode = "words"
    status: TheoremStatus | None = None
    file_path: str | None = None


@dataclass(frozen=True, slots=True)
class TheoremChange:
    """A theorem that is not the same at two commits of a repository.

    Attributes:
        change: ``added``, ``removed``; ``statement``: it states something else; ``proof``: it is proved otherwise;
            ``moved`` to another file, unchanged.
        before, after: its text, as ``statement := proof``; empty where there is none.
        path: of its file, at the later commit where it is there.
    """

    full_name: str
    path: str
    change: Change
    before: str
    after: str


def file_lines(connection: sqlite3.Connection, repository_id: int) -> list[FileLine]:
    """Return the files of a repository by path, traced or not."""
    rows = connection.execute(
        "SELECT path, coalesce(reason, ''),"
        " (SELECT count(*) FROM theorems WHERE file_id = files.id),"
        " (SELECT count(*) FROM theorems WHERE file_id = files.id AND has_sorry),"
        " (SELECT count(*) FROM json_each(messages) AS m WHERE json_extract(m.value, '$[0]') = 'error'),"
        " coalesce(json_array_length(lost), 0), elaborate_s + walk_s"
        " FROM files WHERE repository_id = ? ORDER BY path",
        (repository_id,),
    )
    return [FileLine(*row) for row in rows]


def search_theorems(
    connection: sqlite3.Connection, repository_id: int | None, query: TheoremQuery, most: int, skip: int
) -> tuple[list[TheoremLine], int]:
    """Return some theorems by repository, file and position, and how many there are.

    Args:
        repository_id: of one repository; ``None`` for all.
        most, skip: so many are returned, after so many that are not.
    """
    condition, values = _condition(repository_id, query)
    source = f"FROM theorems JOIN files ON files.id = theorems.file_id WHERE {condition}"
    (total,) = connection.execute(f"SELECT count(*) {source}", values).fetchone()
    rows = connection.execute(
        "SELECT repository_id, path, full_name, statement, start_line, has_sorry,"
        f" CASE WHEN has_sorry THEN {_ACCEPTED} ELSE 0 END,"
        " (SELECT count(*) FROM tactics WHERE tactics.file_id = theorems.file_id AND theorem = theorems.ordinal"
        f"  AND step != '') {source} ORDER BY repository_id, path, theorems.ordinal LIMIT ? OFFSET ?",
        (*values, most, skip),
    ).fetchall()
    homes = {number: names for number, *names in connection.execute('SELECT id, name, url, "commit" FROM repositories')}
    lines = [
        _line(homes[number], path, name, statement, line, _status(has_sorry, accepted), steps)
        for number, path, name, statement, line, has_sorry, accepted, steps in rows
    ]
    return lines, int(total)


def names_among(connection: sqlite3.Connection, names: Collection[str]) -> set[str]:
    """Return those of some names that theorems of the database have."""
    wanted = json.dumps(sorted(names), ensure_ascii=False)
    rows = connection.execute(
        "SELECT DISTINCT full_name FROM theorems WHERE full_name IN (SELECT value FROM json_each(?))", (wanted,)
    )
    return {name for (name,) in rows}


def changes(connection: sqlite3.Connection, before_id: int, after_id: int) -> list[TheoremChange]:
    """Return the theorems that differ between two traced commits, by path and name."""
    before, after = (_texts(connection, number) for number in (before_id, after_id))
    differences = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        change = _change(old, new)
        if change is not None:
            path = (new or old or {"path": ""})["path"]
            texts = (f"{text['statement']} :=\n{text['proof']}" if text else "" for text in (old, new))
            differences.append(TheoremChange(name, path, change, *texts))
    return sorted(differences, key=lambda difference: (difference.path, difference.full_name))


def _condition(repository_id: int | None, query: TheoremQuery) -> tuple[str, list[Any]]:
    conditions: list[str] = ["1"]
    values: list[Any] = []
    if repository_id is not None:
        conditions.append("repository_id = ?")
        values.append(repository_id)
    if query.file_path is not None:
        conditions.append("path = ?")
        values.append(query.file_path)
    if query.status is not None:
        conditions.append(_OF_STATUS[query.status])
    text = query.text.strip()
    if text and query.mode == "premise":
        conditions.append(
            "EXISTS (SELECT 1 FROM premises WHERE premises.file_id = theorems.file_id"
            " AND premises.theorem = theorems.ordinal AND (premises.full_name = ? OR premises.full_name LIKE ? ESCAPE"
            " '\\'))"
        )
        values += [text, f"%.{_escaped(text)}"]
    elif text:
        column = "full_name" if query.mode == "name" else "full_name || ' ' || statement"
        for word in [text] if query.mode == "name" else text.split():
            conditions.append(f"({column}) LIKE ? ESCAPE '\\'")
            values.append(f"%{_escaped(word)}%")
    return " AND ".join(conditions), values


def _line(home: Sequence[str], *values: Any) -> TheoremLine:
    name, url, commit = home
    return TheoremLine(name, url, commit, *values)


def _escaped(text: str) -> str:
    """Return a text in which no character stands for others in ``LIKE``."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _status(has_sorry: bool, accepted: bool) -> TheoremStatus:
    if not has_sorry:
        return "proved"
    return "found" if accepted else "open"


def _texts(connection: sqlite3.Connection, repository_id: int) -> dict[str, dict[str, str]]:
    columns: Sequence[str] = ("full_name", "path", "statement", "proof", "type_hash")
    rows = connection.execute(
        f"SELECT {', '.join(columns)} FROM theorems JOIN files ON files.id = file_id WHERE repository_id = ?",
        (repository_id,),
    )
    return {row[0]: dict(zip(columns, row, strict=True)) for row in rows}


def _change(before: dict[str, str] | None, after: dict[str, str] | None) -> Change | None:
    if before is None or after is None:
        return "added" if before is None else "removed"
    if before["type_hash"] != after["type_hash"]:
        return "statement"
    if before["proof"] != after["proof"]:
        return "proof"
    return "moved" if before["path"] != after["path"] else None
