"""Which split a theorem belongs to, so that no later repository can move it and none leaks from one into another.

A split is never drawn: it follows from hashes of the theorem itself, and from the statements before it in the database
that say nearly the same. A statement that is a near-duplicate of an earlier one goes where that one is; one that is
near to statements of two splits goes nowhere. Decisions are taken in the order in which theorems were stored, over all
repositories, exported or not. What was decided once stays, in the table ``statements``: it outlives a new trace and the
removal of a repository.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from lean_agent.database.near_duplicates import Outline, bands, near_among, normal_form, outline

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = ("train", "val", "test")
_Sides = tuple[Split | None, Split | None]
"""Where a statement stands under ``random`` and under ``novel_premises``."""

BANDS_MB = 256
"""Pages of the database that are kept in memory while statements are placed: the bands of 120,000 take 80 MB."""
OUTLINES = 250_000
"""Statements of one run whose outlines are kept in memory: 250 bytes each."""
RANDOM_SHARES = {"val": 0.1, "test": 0.1}
HELD_OUT_PREMISES = {"val": 0.05, "test": 0.05}
"""Shares of all premises. A theorem uses several, so these hold out a larger share of theorems: 1 - 0.9^3 = 27 % of
those with three premises that are all equally rare."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a statement stands under each method; ``None``: in no split.

    Attributes:
        near: hash of the first near-duplicate that was decided before.
        given: the splits are those of a data set that was imported, whatever hashes say.
    """

    random: Split | None
    novel_premises: Split | None
    near: str | None = None
    given: bool = False


def random_split(type_hash: str) -> Split:
    """80 % train, 10 % val, 10 % test, by the hash of the statement up to renaming of bound variables.

    Two theorems that state the same always share a split, in whatever repositories they stand.
    """
    return _by_share(_unit_interval("random", type_hash), RANDOM_SHARES)


def premise_split(full_name: str) -> Split:
    """Return which split a premise is kept for; ``train`` means that every split may use it."""
    return _by_share(_unit_interval("novel_premises", full_name), HELD_OUT_PREMISES)


def novel_premises_split(premises: Iterable[str]) -> Split:
    """``test`` for a theorem that uses a premise kept for test, else ``val`` for one kept for val, else ``train``.

    So every theorem of val or test uses a premise that no theorem of train uses, and every theorem of test one that no
    theorem of train or val uses.
    """
    kept_for = {premise_split(name) for name in premises}
    return "test" if "test" in kept_for else "val" if "val" in kept_for else "train"


def settle_random(own: Split, near: Iterable[Split | None]) -> Split | None:
    """Return the split of a statement under ``random``, given its own hash's and those of the near-duplicates before
    it."""
    sides = {split for split in near if split is not None}
    if not sides:
        return own
    return sides.pop() if len(sides) == 1 else None


def settle_novel_premises(own: Split, near: Iterable[Split | None]) -> Split | None:
    """Return the split of a statement under ``novel_premises``, given what its premises say and where near-duplicates
    are.

    Its premises cannot be moved, so it stands where both agree or nowhere: either side would break a promise.
    """
    return own if {split for split in near if split is not None} <= {own} else None


def _by_share(number: float, shares: dict[str, float]) -> Split:
    """Map a number in [0, 1) to ``test`` below its share, to ``val`` in the next one, else to ``train``."""
    if number < shares["test"]:
        return "test"
    return "val" if number < shares["test"] + shares["val"] else "train"


def _unit_interval(salt: str, text: str) -> float:
    """Return a number in [0, 1) that depends on nothing but the text."""
    digest = hashlib.sha256(f"{salt}\0{text}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


_FOUND = (  # a proof of it was found in practice
    "EXISTS (SELECT 1 FROM found JOIN files AS places ON places.repository_id = found.repository_id"
    " AND places.path = found.file_path"
    " WHERE places.id = theorems.file_id AND found.full_name = theorems.full_name)"
)
_UNDECIDED = f"(NOT has_sorry OR {_FOUND}) AND type_hash NOT IN (SELECT type_hash FROM statements)"


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


def has_undecided(connection: sqlite3.Connection) -> bool:
    """Return whether a theorem with a proof, traced or found in practice, states something that has no split yet."""
    return connection.execute(f"SELECT 1 FROM theorems WHERE {_UNDECIDED} LIMIT 1").fetchone() is not None


def decide(connection: sqlite3.Connection) -> None:
    """Decide every statement of a proved theorem that is not decided yet. The caller holds a transaction.

    Of a proof that practice has found, premises are not known: under ``novel_premises`` it stands nowhere.
    """
    adopt(connection, _undecided(connection))


def adopt(connection: sqlite3.Connection, wanted: Iterable[Decision]) -> None:
    """Place statements, each after those before it; what was decided before stands. The caller holds a transaction.

    Near-duplicates are looked for in the database, so that neither what was decided before nor ``wanted`` has to be
    held in memory, and a few new statements cost little beside many old ones.
    """
    decided: _Decided | None = None
    with _room_for_bands(connection):
        for decision in wanted:
            if not _is_decided(connection, decision.type_hash):
                if decided is None:
                    _complete_bands(connection)
                    decided = _Decided(connection)
                decided.place(decision)


def take_over(connection: sqlite3.Connection) -> None:
    """Place what the database attached as ``other`` has decided, each statement as it stands there. The caller holds a
    transaction.

    A statement that was near to none before it there, and shares no band with one here, is copied with its bands, which
    costs a fraction of placing it; the others follow in their order.
    """
    _complete_bands(connection)
    with _room_for_bands(connection):
        for query in _COPY:
            connection.execute(query)
        adopt(connection, _decided_there(connection))


_COPY = (
    "CREATE TEMP TABLE alone AS SELECT id AS theirs FROM other.statements WHERE near IS NULL"
    " AND type_hash NOT IN (SELECT type_hash FROM main.statements) AND id IN (SELECT statement FROM other.bands)"
    " AND id NOT IN (SELECT theirs.statement FROM other.bands AS theirs JOIN main.bands USING (number))",
    "INSERT INTO main.statements (type_hash, form, random, novel_premises, given)"
    " SELECT type_hash, form, random, novel_premises, given FROM other.statements"
    " WHERE id IN (SELECT theirs FROM alone) ORDER BY id",
    "CREATE TEMP TABLE copied (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL)",
    "INSERT INTO copied SELECT theirs, ours.id FROM alone JOIN other.statements AS there ON there.id = theirs"
    " JOIN main.statements AS ours USING (type_hash)",
    "INSERT OR IGNORE INTO main.bands SELECT number, ours FROM other.bands JOIN copied ON theirs = statement"
    " ORDER BY number",  # as they stand there: one after the other, not at random places
    "DROP TABLE alone",
    "DROP TABLE copied",
)


def _decided_there(connection: sqlite3.Connection) -> list[Decision]:
    rows = connection.execute(
        "SELECT type_hash, form, random, novel_premises, given FROM other.statements"
        " WHERE type_hash NOT IN (SELECT type_hash FROM main.statements) ORDER BY id"
    )
    return [Decision(hash_, form, random, novel, bool(given)) for hash_, form, random, novel, given in rows]


@contextmanager
def _room_for_bands(connection: sqlite3.Connection) -> Iterator[None]:
    """Keep more pages in memory meanwhile: bands are read and written at random."""
    (before,) = connection.execute("PRAGMA main.cache_size").fetchone()
    connection.execute(f"PRAGMA main.cache_size = -{BANDS_MB * 1024}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA main.cache_size = {before}")


class _Decided:
    """The statements that are decided, among which near-duplicates of new ones are looked for.

    Attributes:
        seen: of those that were placed last, bits and size of their outlines, and where they stand: most candidates are
            ruled out by these alone, without a look into the database.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.seen: dict[int, tuple[int, int, _Sides]] = {}

    def place(self, decision: Decision) -> None:
        """Decide a statement that is not decided yet."""
        new = outline(decision.form)
        near = near_among(decision.form, self._candidates(new), self._form, self._sides)
        first = self._column("type_hash", near[0]) if near else None
        placement = _settled(decision, [self._sides(statement) for statement in near], first)
        sides = (placement.random, placement.novel_premises)
        cursor = self._connection.execute(
            "INSERT INTO main.statements (type_hash, form, random, novel_premises, near, given)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (decision.type_hash, decision.form, *sides, placement.near, placement.given),
        )
        statement = cast(int, cursor.lastrowid)
        _insert_bands(self._connection, statement, new.bands)
        self.seen[statement] = (new.bits, new.size, sides)
        if len(self.seen) > OUTLINES:
            del self.seen[next(iter(self.seen))]

    def _candidates(self, new: Outline) -> list[int]:
        """Return the statements that share a band with a new one, and may be near it, in the order of the decisions."""
        marks = ", ".join("?" * len(new.bands))
        rows = self._connection.execute(f"SELECT statement FROM main.bands WHERE number IN ({marks})", new.bands)
        sharing = sorted({statement for (statement,) in rows})
        return [
            statement
            for statement in sharing
            if (known := self.seen.get(statement)) is None or new.may_be_near(known[0], known[1])
        ]

    def _sides(self, statement: int) -> _Sides:
        """Return where a statement stands: all that a near-duplicate tells of where another one may."""
        if (known := self.seen.get(statement)) is not None:
            return known[2]
        query = "SELECT random, novel_premises FROM main.statements WHERE id = ?"
        random, novel_premises = self._connection.execute(query, (statement,)).fetchone()
        return random, novel_premises

    def _form(self, statement: int) -> str:
        return self._column("form", statement)

    def _column(self, name: Literal["form", "type_hash"], statement: int) -> str:
        query = f"SELECT {name} FROM main.statements WHERE id = ?"
        (text,) = self._connection.execute(query, (statement,)).fetchone()
        return cast(str, text)


def _is_decided(connection: sqlite3.Connection, type_hash: str) -> bool:
    query = "SELECT 1 FROM main.statements WHERE type_hash = ?"
    return connection.execute(query, (type_hash,)).fetchone() is not None


def _insert_bands(connection: sqlite3.Connection, statement: int, numbers: Sequence[int]) -> None:
    rows = ((number, statement) for number in numbers)
    connection.executemany("INSERT OR IGNORE INTO main.bands VALUES (?, ?)", rows)


def _complete_bands(connection: sqlite3.Connection) -> None:
    """Note the bands of statements that were decided before bands were kept."""
    latest = connection.execute("SELECT id, form FROM main.statements ORDER BY id DESC LIMIT 1").fetchone()
    if latest is None:
        return
    place = (bands(latest[1])[0], latest[0])
    if connection.execute("SELECT 1 FROM main.bands WHERE (number, statement) = (?, ?)", place).fetchone():
        return
    for statement, form in connection.execute("SELECT id, form FROM main.statements ORDER BY id"):
        _insert_bands(connection, statement, bands(form))


def _settled(decision: Decision, near: Sequence[_Sides], first: str | None) -> Placement:
    if decision.given:
        return Placement(decision.random, decision.novel_premises, first, given=True)
    return Placement(
        decision.random and settle_random(decision.random, [random for random, _ in near]),
        decision.novel_premises
        and settle_novel_premises(decision.novel_premises, [novel_premises for _, novel_premises in near]),
        first,
    )


def _undecided(connection: sqlite3.Connection) -> Iterator[Decision]:
    """In the order of storing, a file at a time: as each theorem states it, and with its premises."""
    files = connection.execute("SELECT id FROM files ORDER BY repository_id, path").fetchall()
    for (file_id,) in files:
        theorems = connection.execute(
            f"SELECT ordinal, type_hash, type, statement, has_sorry FROM theorems WHERE file_id = ? AND {_UNDECIDED}"
            " ORDER BY ordinal",
            (file_id,),
        ).fetchall()
        for ordinal, type_hash, type_, statement, has_sorry in theorems:
            premises = connection.execute(
                "SELECT full_name FROM premises WHERE file_id = ? AND theorem = ?", (file_id, ordinal)
            )
            by_premises = None if has_sorry else novel_premises_split(name for (name,) in premises)
            yield Decision(type_hash, normal_form(type_ or statement), random_split(type_hash), by_premises)
