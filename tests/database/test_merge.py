from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase, splits
from lean_agent.database.splits import random_split
from lean_agent.errors import DatabaseError
from lean_agent.lean.types import TracedFile, TracedTheorem, Verdict
from lean_agent.tracing import Repository, SkippedFile

MakeTheorem = Callable[..., TracedTheorem]
MakeFile = Callable[..., TracedFile]


@pytest.fixture
def other(tmp_path: Path) -> DynamicDatabase:
    return DynamicDatabase(tmp_path / "other ü.db")


def test_everything_comes_over_and_nothing_twice(
    database: DynamicDatabase,
    other: DynamicDatabase,
    repository: Repository,
    make_file: MakeFile,
    make_theorem: MakeTheorem,
) -> None:
    theirs = Repository("https://example.org/theirs", "b" * 40, "theirs", Path("/not/there"))
    file = make_file("A.lean", [make_theorem("a", steps=2, premises=["p", "q"]), make_theorem("b", sorry=True)])
    other.add_repository(theirs, licence="MIT")
    other.store_file(theirs, file, "1")
    other.store_skipped_file(theirs, SkippedFile("B.lean", 1, "needs Mathlib"))
    other.store_proof(theirs, "A.lean", "b", "by x", Verdict("accepted", ""), source="run")
    other.store_attempt(theirs, "A.lean", "b", source="run", proved=True)
    other.placements()
    database.add_repository(repository)  # so that row ids differ
    report = database.merge(other.path)
    assert (report.repositories, report.files, report.proofs, report.statements, report.splits_changed) == (
        1,
        2,
        1,
        1,
        0,
    )
    assert database.repositories() == [repository, theirs]
    assert list(database.files(theirs)) == [file]
    assert database.skipped_files(theirs) == other.skipped_files(theirs)
    assert database.proofs() == other.proofs()
    assert database.summaries()[1:] == other.summaries()
    assert database.repositories_by_difficulty("pass_rate")[0].repository == theirs
    again = database.merge(other.path)
    assert (again.repositories, again.files, again.proofs, again.statements) == (0, 0, 0, 0)
    assert database.summaries()[1:] == other.summaries()


def test_what_is_here_stands(
    database: DynamicDatabase,
    other: DynamicDatabase,
    repository: Repository,
    make_file: MakeFile,
    make_theorem: MakeTheorem,
) -> None:
    for known, name in ((database, "ours"), (other, "theirs")):
        known.add_repository(repository)
        known.store_file(repository, make_file("A.lean", [make_theorem(name)]), name)
    database.store_skipped_file(repository, SkippedFile("B.lean", 1, "once"))
    other.store_file(repository, make_file("B.lean", [make_theorem("b")]), "1")
    other.store_skipped_file(repository, SkippedFile("A2.lean", 1, "skipped there"))
    database.merge(other.path)
    # The file that both have stays ours; one that was skipped here and traced there comes over.
    assert [t.full_name for t in database.theorems(repository)] == ["ours", "b"]
    assert [skipped.path for skipped in database.skipped_files(repository)] == ["A2.lean"]


def test_a_merge_opens_no_leak(
    database: DynamicDatabase,
    other: DynamicDatabase,
    repository: Repository,
    make_file: MakeFile,
    make_theorem: MakeTheorem,
) -> None:
    """Each side alone has put its near-duplicate where its own hash says; together they must share a side."""
    mine, theirs = make_theorem("t", type_hash="0"), make_theorem("t", type_hash="11")
    assert (random_split("0"), random_split("11")) == ("train", "test")
    elsewhere = Repository("https://example.org/theirs", "b" * 40, "theirs", Path("/not/there"))
    for known, repo, theorem in ((database, repository, mine), (other, elsewhere, theirs)):
        known.add_repository(repo)
        known.store_file(repo, make_file("A.lean", [theorem]), "1")
        known.placements()
    report = database.merge(other.path)
    placed = database.placements()
    assert (placed["0"].random, placed["11"].random, placed["11"].near) == ("train", "train", "0")
    assert report.splits_changed == 1


def test_a_database_being_written_is_merged_whole_and_left_alone(
    database: DynamicDatabase,
    other: DynamicDatabase,
    repository: Repository,
    make_file: MakeFile,
    make_theorem: MakeTheorem,
) -> None:
    other.add_repository(repository)
    other.store_file(repository, make_file("A.lean", [make_theorem("a")]), "1")
    other._connection.execute("BEGIN IMMEDIATE")
    other._connection.execute("DELETE FROM files")
    before = {path: path.read_bytes() for path in Path(other.path).parent.glob("other*") if path.suffix != ".db-shm"}
    assert database.merge(other.path).files == 1
    assert {path: path.read_bytes() for path in before} == before
    other._connection.execute("ROLLBACK")


def test_a_merge_that_fails_changes_nothing(
    database: DynamicDatabase,
    other: DynamicDatabase,
    repository: Repository,
    make_file: MakeFile,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other.add_repository(repository)
    other.store_file(repository, make_file("A.lean"), "1")
    with other._transaction() as connection:
        connection.execute("INSERT INTO statements (type_hash, form) VALUES ('h', 'a b c')")

    def broken(*_: object, **__: object) -> list[str]:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(splits, "near_among", broken)
    with pytest.raises(DatabaseError, match="free some space"):
        database.merge(other.path)
    assert database.repositories() == []
    monkeypatch.undo()
    assert database.merge(other.path).files == 1


def test_an_older_database_is_merged_and_stays_old(database: DynamicDatabase, tmp_path: Path) -> None:
    from lean_agent.database import schema

    path = tmp_path / "old.db"
    connection = schema.connect(path, schema.MIGRATIONS[:1])
    connection.execute("INSERT INTO repositories VALUES (7, 'u', 'c', 'n', '/p', NULL)")
    connection.close()
    assert database.merge(path).repositories == 1
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()


def test_what_cannot_be_merged_is_named(database: DynamicDatabase, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no database")
    foreign = sqlite3.connect(tmp_path / "foreign")
    foreign.execute("CREATE TABLE x (y)")
    foreign.close()
    for path, words in (
        (tmp_path / "none", "no database at"),
        (text, "no SQLite database"),
        (tmp_path / "foreign", "another program"),
        (Path(database.path), "the database itself"),
    ):
        with pytest.raises(DatabaseError, match=words):
            database.merge(path)
    assert database.repositories() == []


def test_vacuum_gives_back_space(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    database.add_repository(repository)
    big = make_file("A.lean", [make_theorem(f"t{n}", steps=20) for n in range(400)])
    database.store_file(repository, big, "1")
    small = make_file("A.lean", [make_theorem("t")])
    database.store_file(repository, small, "2")
    before, after = database.vacuum()
    assert after < before / 4
    assert os.path.getsize(database.path) == after
    assert list(database.files(repository)) == [small]


def test_readers_see_whole_states_while_one_writes(
    tmp_path: Path, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    path = tmp_path / "shared.db"
    with DynamicDatabase(path) as writer, DynamicDatabase(path) as reader, DynamicDatabase(path) as second:
        writer.add_repository(repository)
        writer.store_file(repository, make_file("A.lean", [make_theorem("old")]), "1")
        writer._connection.execute("BEGIN IMMEDIATE")  # a long transaction of another process
        writer._connection.execute("DELETE FROM files")
        for one in (reader, second):
            assert [t.full_name for t in one.theorems(repository)] == ["old"]
        writer._connection.execute("COMMIT")
        assert reader.theorems(repository) == []


def test_a_lock_that_stays_is_named(
    database: DynamicDatabase, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    database._connection.execute("PRAGMA busy_timeout = 50")
    blocker = sqlite3.connect(database.path, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseError, match=r"kept .* locked"):
        database.add_repository(repository)
    blocker.close()
    database.add_repository(repository)
