"""The split of each statement, decided once and kept: the table ``statements``.

Decisions are taken in the order in which theorems were stored, over all repositories, exported or not. They outlive a
new trace and the removal of a repository.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
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


class Decision(NamedTuple):
    """Where a statement would stand by itself; near-duplicates that were decided before may have it otherwise.

    Attributes:
        form: its normal form (:func:`~lean_agent.database.near_duplicates.normal_form`).
        given: it stands there by itself, near-duplicates or not: somebody else has published it so.
    """

    type_hash: str
    form: str
    random: Split | None
    novel_premises: Split | None
    given: bool = False


def placements(connection: sqlite3.Connection) -> dict[str, Placement]:
    """Every decision so far, by hash of the statement."""
    rows = connection.execute("SELECT type_hash, random, novel_premises, near, given FROM main.statements ORDER BY id")
    return {hash_: Placement(random, novel, near, bool(given)) for hash_, random, novel, near, given in rows}


def forms(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Hash and normal form of every statement that was decided, in the order of the decisions."""
    return connection.execute("SELECT type_hash, form FROM main.statements ORDER BY id").fetchall()


def has_undecided(connection: sqlite3.Connection) -> bool:
    """Return whether a proved theorem states something that has no split yet."""
    return connection.execute(f"SELECT 1 FROM theorems WHERE {_UNDECIDED} LIMIT 1").fetchone() is not None


def decide(connection: sqlite3.Connection) -> None:
    """Decide every statement of a proved theorem that is not decided yet. The caller holds a transaction."""
    adopt(connection, _undecided(connection))


def adopt(connection: sqlite3.Connection, wanted: Iterable[Decision]) -> None:
    """Place statements, each after those before it; what was decided before stands. The caller holds a transaction."""
    known = placements(connection)
    new = [decision for decision in wanted if decision.type_hash not in known]
    if not new:
        return
    index = NearDuplicates()
    for type_hash, form in forms(connection):
        index.insert(type_hash, form)
    for decision in new:
        if decision.type_hash in known:
            continue
        near = index.add(decision.type_hash, decision.form, tells=lambda hash_: _sides(known[hash_]))
        placement = _settled(decision, [known[hash_] for hash_ in near], near[0] if near else None)
        known[decision.type_hash] = placement
        values = (placement.random, placement.novel_premises, placement.near, placement.given)
        connection.execute(
            "INSERT INTO main.statements (type_hash, form, random, novel_premises, near, given)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (decision.type_hash, decision.form, *values),
        )


def _sides(placed: Placement) -> tuple[Split | None, Split | None]:
    return placed.random, placed.novel_premises


def _settled(decision: Decision, near: list[Placement], first: str | None) -> Placement:
    if decision.given:
        return Placement(decision.random, decision.novel_premises, first, given=True)
    return Placement(
        decision.random and settle_random(decision.random, [placed.random for placed in near]),
        decision.novel_premises
        and settle_novel_premises(decision.novel_premises, [placed.novel_premises for placed in near]),
        first,
    )


def _undecided(connection: sqlite3.Connection) -> Iterator[Decision]:
    """In the order of storing: as each theorem states it, and with its premises."""
    rows = connection.execute(
        "SELECT repository_id, files.path, theorems.ordinal, type_hash, type, statement, premises.full_name"
        " FROM theorems JOIN files ON files.id = theorems.file_id LEFT JOIN premises"
        " ON premises.file_id = theorems.file_id AND premises.theorem = theorems.ordinal"
        f" WHERE {_UNDECIDED} ORDER BY repository_id, files.path, theorems.ordinal"
    ).fetchall()
    for (_, _, _, type_hash, type_, statement), group in groupby(rows, key=lambda row: row[:6]):
        premises = [row[6] for row in group if row[6] is not None]
        form = normal_form(type_ or statement)
        yield Decision(type_hash, form, random_split(type_hash), novel_premises_split(premises))
