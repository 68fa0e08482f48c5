"""The split of each statement, decided once and kept: the table ``statements``.

Decisions are taken in the order in which theorems were stored, over all repositories, exported or not. They outlive a
new trace and the removal of a repository.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from lean_agent.database.near_duplicates import NearDuplicates, normal_form
from lean_agent.database.splits import (
    Placement,
    Split,
    novel_premises_split,
    random_split,
    settle_novel_premises,
    settle_random,
)

_UNDECIDED = "NOT has_sorry AND type_hash NOT IN (SELECT type_hash FROM statements)"


class _Statement(NamedTuple):
    type_hash: str
    text: str
    premises: list[str]


def placements(connection: sqlite3.Connection) -> dict[str, Placement]:
    """Every decision so far, by hash of the statement."""
    found = connection.execute("SELECT type_hash, random, novel_premises, near FROM statements ORDER BY id")
    return {type_hash: Placement(*values) for type_hash, *values in found}


def forms(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Hash and normal form of every statement that was decided, in the order of the decisions."""
    return connection.execute("SELECT type_hash, form FROM statements ORDER BY id").fetchall()


def has_undecided(connection: sqlite3.Connection) -> bool:
    """Whether a proved theorem states something that has no split yet."""
    return connection.execute(f"SELECT 1 FROM theorems WHERE {_UNDECIDED} LIMIT 1").fetchone() is not None


def decide(connection: sqlite3.Connection) -> None:
    """Decide every statement of a proved theorem that is not decided yet. The caller holds a transaction."""
    known = placements(connection)
    index = NearDuplicates()
    for type_hash, form in forms(connection):
        index.add(type_hash, form)
    for statement in _undecided(connection):
        form = normal_form(statement.text)
        near = index.add(statement.type_hash, form)
        placement = Placement(
            settle_random(random_split(statement.type_hash), [known[one].random for one in near]),
            settle_novel_premises(
                novel_premises_split(statement.premises), [known[one].novel_premises for one in near]
            ),
            near[0] if near else None,
        )
        known[statement.type_hash] = placement
        _insert(connection, statement.type_hash, form, placement)


def prescribe(
    connection: sqlite3.Connection, type_hash: str, form: str, random: Split | None, novel_premises: Split | None
) -> bool:
    """Keep the splits that a published data set gives a statement; returns whether they were new.

    What was decided before stands. The caller holds a transaction.
    """
    return _insert(connection, type_hash, form, Placement(random, novel_premises)) == 1


def _insert(connection: sqlite3.Connection, type_hash: str, form: str, placement: Placement) -> int:
    return connection.execute(
        "INSERT INTO statements (type_hash, form, random, novel_premises, near) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (type_hash, form, placement.random, placement.novel_premises, placement.near),
    ).rowcount


def _undecided(connection: sqlite3.Connection) -> Iterator[_Statement]:
    """In the order of storing, each statement once: as the first theorem states it and with that one's premises."""
    found = connection.execute(
        "SELECT repository_id, files.path, theorems.ordinal, type_hash, type, statement, premises.full_name"
        " FROM theorems JOIN files ON files.id = theorems.file_id LEFT JOIN premises"
        " ON premises.file_id = theorems.file_id AND premises.theorem = theorems.ordinal"
        f" WHERE {_UNDECIDED} ORDER BY repository_id, files.path, theorems.ordinal"
    ).fetchall()
    seen: set[str] = set()
    for (_, _, _, type_hash, type_, statement), group in groupby(found, key=lambda row: row[:6]):
        if type_hash not in seen:
            seen.add(type_hash)
            yield _Statement(type_hash, type_ or statement, [row[6] for row in group if row[6] is not None])
