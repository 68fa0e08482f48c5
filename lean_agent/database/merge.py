"""Taking over what another database holds, in one transaction; the other is not touched.

What is here stands: a file that both have traced, and a split that both have decided, stay as they are. A statement
that comes new is placed like any other, with the other database's split as its own and near-duplicates here above it.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import cast

from lean_agent.database import splits

_OF_A_FILE = ("declarations", "theorems", "tactics", "premises")


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What came in.

    Attributes:
        splits_changed: statements that the other database had placed otherwise than they stand here now.
    """

    repositories: int
    files: int
    proofs: int
    statements: int
    splits_changed: int


def merge(connection: sqlite3.Connection) -> MergeReport:
    """Take over what the database attached as ``other`` holds. The caller holds a transaction.

    Both have the tables of the latest version.
    """
    before = _count(connection, "repositories"), _count(connection, "proofs"), _count(connection, "statements")
    repositories = _repositories(connection)
    files = sum(_files(connection, theirs, ours) for theirs, ours in repositories.items())
    for theirs, ours in repositories.items():
        _proofs(connection, theirs, ours)
        _attempts(connection, theirs, ours)
        _found(connection, theirs, ours)
    splits.take_over(connection)
    connection.execute(  # one library or the other: theirs where there is none here
        "INSERT INTO main.library SELECT * FROM other.library WHERE NOT EXISTS (SELECT 1 FROM main.library)"
    )
    after = _count(connection, "repositories"), _count(connection, "proofs"), _count(connection, "statements")
    added = [new - old for new, old in zip(after, before, strict=True)]
    return MergeReport(added[0], files, added[1], added[2], _changed(connection))


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM main.{table}").fetchone()[0])


def _repositories(connection: sqlite3.Connection) -> dict[int, int]:
    """Return the other's repositories and ours, by row id; those that were missing are added."""
    columns = 'url, "commit", name, path, folder, toolchain, licence'
    connection.execute(
        f"INSERT INTO main.repositories ({columns}) SELECT {columns} FROM other.repositories WHERE true ORDER BY id"
        ' ON CONFLICT (url, "commit") DO UPDATE SET toolchain = coalesce(toolchain, excluded.toolchain),'
        " licence = coalesce(licence, excluded.licence)"
    )
    return dict(
        connection.execute(
            "SELECT theirs.id, ours.id FROM other.repositories AS theirs JOIN main.repositories AS ours"
            ' ON ours.url = theirs.url AND ours."commit" = theirs."commit" ORDER BY theirs.id'
        )
    )


def _files(connection: sqlite3.Connection, theirs: int, ours: int) -> int:
    """Add the files that are not traced here; returns how many."""
    wanted = connection.execute(
        "SELECT id, path FROM other.files AS theirs WHERE repository_id = ? AND NOT EXISTS ("
        "SELECT 1 FROM main.files WHERE repository_id = ? AND path = theirs.path"
        " AND (status = 'traced' OR theirs.status = 'skipped')) ORDER BY path",
        (theirs, ours),
    ).fetchall()
    columns = ", ".join(name for name in _columns(connection, "files") if name not in ("id", "repository_id"))
    for file_id, path in wanted:
        connection.execute("DELETE FROM main.files WHERE repository_id = ? AND path = ?", (ours, path))
        new_id = connection.execute(
            f"INSERT INTO main.files (repository_id, {columns}) SELECT ?, {columns} FROM other.files WHERE id = ?",
            (ours, file_id),
        ).lastrowid
        for table in _OF_A_FILE:
            rest = ", ".join(f'"{name}"' for name in _columns(connection, table) if name != "file_id")
            connection.execute(
                f"INSERT INTO main.{table} (file_id, {rest}) SELECT ?, {rest} FROM other.{table} WHERE file_id = ?",
                (cast(int, new_id), file_id),
            )
    return len(wanted)


def _proofs(connection: sqlite3.Connection, theirs: int, ours: int) -> None:
    """Add the proofs that are not here; a second merge adds none twice."""
    columns = ", ".join(name for name in _columns(connection, "proofs") if name not in ("id", "repository_id"))
    connection.execute(
        f"INSERT INTO main.proofs (repository_id, {columns}) SELECT ?, {columns} FROM other.proofs AS theirs"
        " WHERE repository_id = ? AND NOT EXISTS (SELECT 1 FROM main.proofs AS mine WHERE mine.repository_id = ?"
        " AND (mine.file_path, mine.full_name, mine.script, mine.source, mine.created)"
        " = (theirs.file_path, theirs.full_name, theirs.script, theirs.source, theirs.created)) ORDER BY id",
        (ours, theirs, ours),
    )


def _attempts(connection: sqlite3.Connection, theirs: int, ours: int) -> None:
    """Of two counts for one theorem and source the later stands; a second merge counts nothing twice."""
    columns = "file_path, full_name, source, tried, proved, updated"
    connection.execute(
        f"INSERT INTO main.attempts (repository_id, {columns}) SELECT ?, {columns} FROM other.attempts"
        " WHERE repository_id = ? ON CONFLICT DO UPDATE SET tried = excluded.tried, proved = excluded.proved,"
        " updated = excluded.updated WHERE excluded.updated > updated",
        (ours, theirs),
    )


def _found(connection: sqlite3.Connection, theirs: int, ours: int) -> None:
    """Add the proofs that practice found there: of two of a theorem the shorter stands."""
    columns = "file_path, full_name, script, tactics, steps, source, round, created"
    changed = ", ".join(f"{name} = excluded.{name}" for name in columns.split(", ")[2:])
    connection.execute(
        f"INSERT INTO main.found (repository_id, {columns}) SELECT ?, {columns} FROM other.found"
        f" WHERE repository_id = ? ON CONFLICT DO UPDATE SET {changed}"
        " WHERE (excluded.steps, length(excluded.script)) < (steps, length(script))",
        (ours, theirs),
    )


def _changed(connection: sqlite3.Connection) -> int:
    return int(
        connection.execute(
            "SELECT count(*) FROM other.statements AS theirs JOIN main.statements AS ours USING (type_hash)"
            " WHERE theirs.random IS NOT ours.random OR theirs.novel_premises IS NOT ours.novel_premises"
        ).fetchone()[0]
    )


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
