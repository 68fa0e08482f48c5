from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lean_agent.cli.commands.database import choose
from lean_agent.database import DynamicDatabase, StoredTheorem, rows, schema
from lean_agent.database.near_duplicates import normal_form
from lean_agent.database.records import RemovalReport
from lean_agent.database.rows import messages_from_json, messages_to_json
from lean_agent.errors import DatabaseError
from lean_agent.lean.types import (
    LeanMessage,
    Position,
    Premise,
    TracedDeclaration,
    TracedFile,
    TracedTactic,
    TracedTheorem,
    Verdict,
)
from lean_agent.tracing import LeanGitRepo, Repository, SkippedFile

MakeTheorem = Callable[..., TracedTheorem]
MakeFile = Callable[..., TracedFile]


def rich_file() -> TracedFile:
    """A file that uses every field, with letters beyond ASCII, quotes and several lines."""
    tactics = (
        TracedTactic(
            "induction n with\n| zero => simp\n| succ n ih => omega",
            "induction n with\n| zero => ?_\n| succ n ih => ?_",
            120,
            180,
            "n : Nat\n⊢ n = n",
            "no goals",
            1,
            0,
            (Premise("Nat.rec", "Init.Prelude", 120, 129),),
        ),
        TracedTactic("· simp", "", 140, 146, "⊢ 0 = 0", "no goals", 2, 1),
        TracedTactic("omega", "omega", 170, 175, "⊢ «a'b» ✝", "no goals", 1, 0, (Premise("P.x", "P", 170, 171),) * 2),
    )
    one = TracedTheorem(
        "P.«it's»", "theorem «it's» (n : Nat) : n = n", "by\n  …", "tactic", False, "∀ n, Eq n n",
        "12345678901234567890", 90, 180, Position(7, 0), Position(9, 12), tactics,
        (Premise("Eq", "Init.Prelude", 100, 102),),
    )  # fmt: skip
    two = TracedTheorem(
        "P.open", "theorem open : p", "sorry", "term", True, "p", "h", 200, 220, Position(11, 2), Position(11, 22)
    )
    return TracedFile(
        path="P/Ü b.lean",
        module="P.«Ü b»",
        imports=("Init", "P.A"),
        theorems=(one, two),
        declarations=(
            TracedDeclaration("P.d", "def", 'def d := "\\""', 0, 14, Position(1, 0), Position(1, 14)),
            TracedDeclaration("P.«it's»", "theorem", "theorem …", 90, 180, Position(7, 0), Position(9, 12)),
        ),
        messages=(
            LeanMessage("warning", "declaration uses `sorry`", Position(11, 8)),
            LeanMessage("error", "unknown «x»\n  line two", Position(12, 0)),
        ),
        elaborate_s=0.123456789012345,
        walk_s=1e-9,
        lean_version="4.28.0",
    )


def test_a_file_comes_back_equal(database: DynamicDatabase, repository: Repository) -> None:
    file = rich_file()
    database.add_repository(repository)
    database.store_file(repository, file, "hash")
    assert database.load_file(repository, file.path) == file
    assert list(database.files(repository)) == [file]


def test_reopening_loses_nothing(repository: Repository, tmp_path: Path, make_file: MakeFile) -> None:
    path = tmp_path / "data" / "lean ∀.db"
    with DynamicDatabase(path) as database:
        database.add_repository(repository)
        database.store_file(repository, rich_file(), "hash")
    for _ in range(2):
        with DynamicDatabase(path) as database:
            database.add_repository(repository)
            assert database.repositories() == [repository]
            assert database.load_file(repository, "P/Ü b.lean") == rich_file()


def test_a_new_trace_replaces_the_old_one(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", [make_theorem("old"), make_theorem("older")]), "1")
    database.store_file(repository, make_file("A.lean", [make_theorem("new")]), "2")
    assert [t.full_name for t in database.theorems(repository)] == ["new"]
    assert database.repository_with(repository, "A.lean", "2") == repository
    assert database.repository_with(repository, "A.lean", "1") is None
    assert database.repository_with(repository, "B.lean", "2") is None


def test_a_file_of_another_commit_is_found_by_its_content(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    later = replace(repository, commit="later")
    fork = replace(repository, url="https://example.org/fork")
    for known, content_hash in ((repository, "1"), (later, "2"), (fork, "3")):
        database.add_repository(known)
        database.store_file(known, make_file("A.lean", [make_theorem("t")]), content_hash)
    assert database.repository_with(later, "A.lean", "1") == repository
    assert database.repository_with(repository, "A.lean", "2") == later
    assert database.repository_with(repository, "A.lean", "3") is None  # another address is another repository
    database.store_file(later, make_file("A.lean", [make_theorem("t")]), "1")
    assert database.repository_with(repository, "A.lean", "1") == repository  # itself before others


def test_skipped_files(database: DynamicDatabase, repository: Repository, make_file: MakeFile) -> None:
    database.add_repository(repository)
    database.store_file(repository, rich_file(), "1")
    skipped = SkippedFile("P/Ü b.lean", 3, "needs Mathlib")
    database.store_skipped_file(repository, skipped)
    assert database.skipped_files(repository) == [skipped]
    assert database.theorems(repository) == []  # nothing of the older trace stays behind
    assert database.repository_with(repository, skipped.path, "1") is None
    database.store_file(repository, rich_file(), "1")
    assert database.skipped_files(repository) == []


def test_theorems_with_and_without_a_hole(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem, tmp_path: Path
) -> None:
    other = Repository("https://example.org/other", "b" * 40, "other", tmp_path)
    for repo, names in ((repository, ("a", "b")), (other, ("c", "d"))):
        database.add_repository(repo)
        theorems = [make_theorem(names[0]), make_theorem(names[1], sorry=True)]
        database.store_file(repo, make_file("A.lean", theorems), "1")

    def found(theorems: list[StoredTheorem]) -> list[str]:
        return [theorem.full_name for theorem in theorems]

    assert found(database.theorems(repository)) == ["a", "b"]
    assert found(database.theorems(repository, sorry=False)) == ["a"]
    assert found(database.theorems(repository, sorry=True)) == ["b"]
    assert found(database.sorry_theorems()) == ["b", "d"]
    assert found(database.sorry_theorems([LeanGitRepo(other.url, other.commit)])) == ["d"]


def test_a_stored_theorem_knows_its_site(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    database.add_repository(repository)
    database.store_file(repository, make_file("A/B.lean", [make_theorem("N.t")]), "1")
    (stored,) = database.theorems(repository)
    assert (stored.site.file_path, stored.site.full_name, stored.site.position) == ("A/B.lean", "N.t", None)
    assert stored.site.project.root == repository.path


def test_proofs_outlive_a_new_trace(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    database.add_repository(repository)
    file = make_file("A.lean", [make_theorem("t", sorry=True)])
    database.store_file(repository, file, "1")
    verdict = Verdict("accepted", "", ("propext",), (LeanMessage("information", "ok", Position(1, 0)),))
    refused = Verdict("sorry", "the proof leaves a hole")
    before = datetime.now(UTC)
    for script, judged in (("by simp", verdict), ("by sorry", refused)):
        database.store_proof(repository, "A.lean", "t", script, judged, source="run 1", seconds=1.5, lean_calls=12)
    database.store_file(repository, file, "2")
    (proof,) = database.proofs()
    assert (proof.full_name, proof.file_path, proof.script, proof.source) == ("t", "A.lean", "by simp", "run 1")
    assert (proof.verdict, proof.seconds, proof.lean_calls) == (verdict, 1.5, 12)
    assert before <= proof.created <= before + timedelta(minutes=1)
    assert [p.verdict.kind for p in database.proofs(accepted_only=False)] == ["accepted", "sorry"]


def test_proofs_are_narrowed(database: DynamicDatabase, repository: Repository, tmp_path: Path) -> None:
    other = Repository("https://example.org/other", "b" * 40, "other", tmp_path)
    for repo, name, source in ((repository, "t", "x"), (repository, "u", "y"), (other, "t", "y")):
        database.add_repository(repo)
        database.store_proof(repo, "A.lean", name, "by simp", Verdict("accepted", ""), source=source)
    assert [(p.full_name, p.source) for p in database.proofs([repository])] == [("t", "x"), ("u", "y")]
    assert [p.repository for p in database.proofs(full_name="t")] == [repository, other]
    assert [p.full_name for p in database.proofs(source="y")] == ["u", "t"]


def test_files_that_are_no_more_go_and_proofs_follow_their_theorem(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    """As paths once were relative to the source folder, and are to the top of the repository now."""
    database.add_repository(repository)
    for path in ("A.lean", "B.lean", "src/A.lean"):
        database.store_file(repository, make_file(path, [make_theorem("a")]), "1")
    database.store_skipped_file(repository, SkippedFile("C.lean", 1, "gone"))
    for path in ("A.lean", "B.lean"):
        database.store_proof(repository, path, "a", "by tac", Verdict("accepted", ""), source="x")
        database.store_attempt(repository, path, "a", source="x", proved=True)
    database.keep_files(repository, ["src/A.lean", "src/C.lean"])
    assert [file.path for file in database.files(repository)] == ["src/A.lean"]
    assert database.skipped_files(repository) == []
    assert [proof.file_path for proof in database.proofs()] == ["src/A.lean", "B.lean"]


def test_a_project_below_the_top_comes_back(database: DynamicDatabase, repository: Repository) -> None:
    inner = repository.at("a/b")
    for project in (repository, inner):
        database.add_repository(project)
    assert [(project.url, project.folder, project.path) for project in database.repositories()] == [
        (repository.url, "", repository.path),
        (f"{repository.url}#a/b", "a/b", repository.path),
    ]
    # of the folder above
    assert {summary.toolchain for summary in database.summaries()} == {"leanprover/lean4:v4.28.0"}
    assert inner.address == repository.url and inner.at("") == repository


def test_what_is_not_stored_is_named(database: DynamicDatabase, repository: Repository) -> None:
    with pytest.raises(DatabaseError, match=r"https://example.org/swap at aaaa.* trace it first"):
        database.theorems(repository)
    with pytest.raises(DatabaseError, match="trace it first"):
        database.store_file(repository, rich_file(), "1")
    database.add_repository(repository)
    with pytest.raises(DatabaseError, match=r"A\.lean of https://example.org/swap is not stored"):
        database.load_file(repository, "A.lean")


def test_an_error_in_the_middle_of_a_file_leaves_the_old_one(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    database.add_repository(repository)
    good = make_file("A.lean", [make_theorem("t")])
    database.store_file(repository, good, "1")
    bad_position = make_theorem("v")
    object.__setattr__(bad_position, "start", None)  # refused by the table, after other rows have been written
    with pytest.raises(DatabaseError, match="NOT NULL"):
        database.store_file(repository, make_file("A.lean", [make_theorem("u"), bad_position]), "2")
    assert database.load_file(repository, "A.lean") == good
    assert database.repository_with(repository, "A.lean", "1") == repository


KILLED = """
import os, signal, sys
from pathlib import Path
from lean_agent.database import DynamicDatabase, rows
from lean_agent.lean.types import Position, TracedFile, TracedTactic, TracedTheorem
from lean_agent.tracing import Repository

def file(path):
    here = Position(1, 0)
    tactics = tuple(TracedTactic("x", "x", n, n + 1, "a", "b", 1, 0) for n in range(3))
    theorem = TracedTheorem("t", "", "", "tactic", False, "p", "h", 0, 1, here, here, tactics)
    return TracedFile(path, path[0], (), (theorem,) * 3, (), (), 0.0, 0.0)

database = DynamicDatabase(sys.argv[1])
repository = Repository("u", "c", "n", Path("."))
database.add_repository(repository)
database.store_file(repository, file("A.lean"), "1")
insert, tables = rows._insert, []
def insert_then_die(connection, table, values):
    insert(connection, table, values)
    tables.append(table)
    if tables.count("tactics") == 2:
        os.kill(os.getpid(), signal.SIGKILL)
rows._insert = insert_then_die
database.store_file(repository, file("B.lean"), "1")
"""


def test_a_kill_in_the_middle_of_a_file_loses_that_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "db"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    with DynamicDatabase(path) as database:
        (repository,) = database.repositories()
        assert [file.path for file in database.files(repository)] == ["A.lean"]
        assert [len(t.theorem.tactics) for t in database.theorems(repository)] == [3, 3, 3]


def test_threads_and_processes_share_a_file(
    tmp_path: Path, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    path = tmp_path / "db"
    with DynamicDatabase(path) as one, DynamicDatabase(path) as two:
        one.add_repository(repository)

        def store(database: DynamicDatabase, letter: str) -> None:
            for n in range(10):
                database.store_file(repository, make_file(f"{letter}{n}.lean", [make_theorem("t")]), "1")

        threads = [threading.Thread(target=store, args=pair) for pair in ((one, "A"), (one, "B"), (two, "C"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(two.theorems(repository)) == 30


def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path, repository: Repository) -> None:
    path = tmp_path / "db"
    with DynamicDatabase(path) as database:
        database.add_repository(repository)
        database.store_file(repository, rich_file(), "1")
    whole = path.read_bytes()
    for damaged in (b"not a database at all, just text", whole[:4096] + b"\xff" * (len(whole) - 4096), whole[:5000]):
        path.write_bytes(damaged)
        with pytest.raises(DatabaseError, match=str(path)), DynamicDatabase(path) as database:
            list(database.files(repository))
        assert path.read_bytes() == damaged


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE repositories (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(DatabaseError, match="another program"):
        DynamicDatabase(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["theirs.db"]


def test_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "db"
    DynamicDatabase(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(DatabaseError, match=r"later lean_agent \(version 99"):
        DynamicDatabase(path)
    assert path.read_bytes() == before


def test_benchmarks_are_there_for_those_who_name_them(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem, tmp_path: Path
) -> None:
    benchmark = Repository("benchmark:held-out", "c" * 40, "held-out", tmp_path)
    imported = Repository("theorems:mine", "c" * 40, "mine", tmp_path)
    for one in (repository, benchmark, imported):
        database.add_repository(one)
        theorems = [make_theorem(f"{one.name}.open", sorry=True), make_theorem(f"{one.name}.done")]
        database.store_file(one, make_file("A.lean", theorems), "1")
    own = [repository, imported]
    assert database.repositories() == own == choose(database, None)
    assert database.repositories(benchmarks=True) == [repository, benchmark, imported]
    assert [found.repository for found in database.sorry_theorems()] == own
    assert {entry.repository for entry in database.repositories_by_difficulty()} == set(own)
    assert set(database.sort_repositories_by_difficulty()) == set(own)
    assert len(database.proof_statistics().steps) == 2
    # by name
    assert choose(database, ["held-out"]) == [benchmark] == database.sort_repositories_by_difficulty([benchmark])
    assert [found.full_name for found in database.sorry_theorems([benchmark])] == ["held-out.open"]
    assert database.theorems_named("held-out.done")[0].repository == benchmark
    assert [summary.name for summary in database.summaries()] == [repository.name, "held-out", "mine"]


def test_an_empty_file_becomes_a_database_and_a_folder_does_not(tmp_path: Path) -> None:
    (tmp_path / "db").touch()
    with DynamicDatabase(tmp_path / "db") as database:
        assert database.repositories() == []
    with pytest.raises(DatabaseError, match="is a folder"):
        DynamicDatabase(tmp_path)


def test_a_step_from_an_older_version_keeps_the_rows(tmp_path: Path, repository: Repository) -> None:
    path = tmp_path / "db"
    with DynamicDatabase(path) as database:
        database.add_repository(repository)
        database.store_file(repository, rich_file(), "1")
    later = (*schema.MIGRATIONS, "ALTER TABLE proofs ADD COLUMN note TEXT;\nCREATE TABLE more (x);\n")
    connection = schema.connect(path, later)
    assert rows.read_file(connection, 1) == rich_file()
    assert connection.execute("PRAGMA user_version").fetchone() == (len(later),)
    assert connection.execute("SELECT count(*) FROM more").fetchone() == (0,)
    connection.close()


def test_statements_that_were_decided_before_bands_were_kept_are_compared(
    tmp_path: Path, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    path = tmp_path / "db"
    connection = schema.connect(path, schema.MIGRATIONS[:12])
    form = normal_form("∀ (n : Nat), n + f n = f n + n ∧ f (f n) = f n")
    connection.execute("INSERT INTO statements (type_hash, form, random) VALUES ('first', ?, 'test')", (form,))
    connection.close()
    near = replace(make_theorem("t", type_hash="second"), type="∀ (m : Nat), m + f m = f m + m ∧ f (f m) = f m")
    with DynamicDatabase(path) as database:
        database.add_repository(repository)
        database.store_file(repository, make_file("A.lean", [near]), "1")
        assert (database.placements()["second"].near, database.placements()["second"].random) == ("first", "test")
        assert database._rows("SELECT statement, count(*) FROM bands GROUP BY statement") == [(1, 25), (2, 25)]


def test_files_traced_before_lean_was_written_down_name_none(tmp_path: Path, repository: Repository) -> None:
    path = tmp_path / "db"
    connection = schema.connect(path, schema.MIGRATIONS[:5])
    values = (repository.url, repository.commit, repository.name, str(repository.path))
    connection.execute("INSERT INTO repositories VALUES (1, ?, ?, ?, ?, NULL, NULL)", values)
    connection.execute("INSERT INTO files (repository_id, path, status) VALUES (1, 'A.lean', 'traced')")
    connection.close()
    with DynamicDatabase(path) as database:
        assert database.load_file(repository, "A.lean").lean_version is None
        database.store_file(repository, rich_file(), "1")
        assert database.load_file(repository, rich_file().path).lean_version == "4.28.0"


def test_a_step_that_fails_leaves_the_old_version(tmp_path: Path, repository: Repository) -> None:
    path = tmp_path / "db"
    with DynamicDatabase(path) as database:
        database.add_repository(repository)
    with pytest.raises(DatabaseError, match="NONSENSE"):
        schema.connect(path, (*schema.MIGRATIONS, "CREATE TABLE more (x);\nNONSENSE;\n"))
    with DynamicDatabase(path) as database:
        assert database.repositories() == [repository]


def test_a_full_disk_is_named_and_loses_nothing(
    tmp_path: Path, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    path = tmp_path / "db"
    with DynamicDatabase(path) as database:
        database.add_repository(repository)
        database._connection.execute("PRAGMA max_page_count = 40")
        big = make_theorem("x" * 400_000)  # 400 kB do not fit into 40 pages of 4 kB
        with pytest.raises(DatabaseError, match="free some space"):
            database.store_file(repository, make_file("A.lean", [big]), "1")
        assert list(database.files(repository)) == []
        database.store_file(repository, make_file("B.lean", [make_theorem("t")]), "1")
    with DynamicDatabase(path) as database:
        assert [file.path for file in database.files(repository)] == ["B.lean"]


def test_a_full_disk_is_told_and_loses_nothing(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    database.add_repository(repository)
    small, large = make_file("A.lean", [make_theorem("a")]), make_file("B.lean", [make_theorem("b", steps=3000)])
    database.store_file(repository, small, "1")
    connection = database._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")  # SQLite's own way to a full disk
    with pytest.raises(DatabaseError, match=r"free some space\. What was stored before is kept"):
        database.store_file(repository, large, "2")
    assert database.load_file(repository, "A.lean") == small
    with pytest.raises(DatabaseError, match="not stored"):
        database.load_file(repository, "B.lean")
    connection.execute("PRAGMA max_page_count = 1073741823")
    database.store_file(repository, large, "2")
    assert database.load_file(repository, "B.lean") == large


def test_messages_keep_their_ends_and_old_ones_have_none() -> None:
    messages = (
        LeanMessage("error", "here", Position(1, 2), Position(3, 4)),
        LeanMessage("warning", "a place alone", Position(5, 6)),
    )
    assert messages_from_json(messages_to_json(messages)) == messages
    assert messages_from_json('[["error", "old", 1, 0]]') == (LeanMessage("error", "old", Position(1, 0)),)


def test_paths_of_older_files_become_addresses_that_others_may_see(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        for step in schema.MIGRATIONS[:8]:
            connection.executescript(step)
        rows = [
            ("/home/me/lists", "1", "lists", ""),
            ("/home/you/lists", "1", "lists", ""),  # the same content elsewhere
            ("/home/me/lists", "2", "lists", ""),
            ("/home/me/lists#docs", "1", "lists/docs", "docs"),
            ("/home/you/lists#docs", "1", "lists/docs", "docs"),
            ("file:///srv/logic.git", "1", "logic", ""),
            ("https://example.org/sets", "1", "sets", ""),
            ("benchmark:lean-core", "1", "lean-core", ""),
        ]
        for url, commit, name, folder in rows:
            connection.execute(
                'INSERT INTO repositories (url, "commit", name, path, folder) VALUES (?, ?, ?, ?, ?)',
                (url, commit, name, f"/at/{name}", folder),
            )
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 8")
        connection.commit()
    with DynamicDatabase(path) as database:
        known = database.repositories(benchmarks=True)
    assert [(project.url, project.commit) for project in known] == [
        ("local:lists", "1"),
        ("local:lists~2", "1"),
        ("local:lists", "2"),
        ("local:lists#docs", "1"),
        ("local:lists~5#docs", "1"),
        ("local:logic", "1"),
        ("https://example.org/sets", "1"),
        ("benchmark:lean-core", "1"),
    ]
    assert {project.path for project in known[:3]} == {Path("/at/lists")}


def test_a_repository_is_forgotten_and_no_split_moves(
    database: DynamicDatabase, repository: Repository, tmp_path: Path, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    other = replace(repository, url="https://example.org/other", name="other")
    for owner, letters in ((repository, "abc"), (other, "bcd")):  # two statements are in both
        database.add_repository(owner)
        theorems = [make_theorem(letter, steps=2, type_hash=f"hash of {letter}") for letter in letters]
        database.store_file(owner, make_file("A.lean", theorems), "1")
        database.store_skipped_file(owner, SkippedFile("B.lean", 1, "needs more"))
        database.store_proof(owner, "A.lean", "a", "by simp", Verdict("accepted", ""), source="search")
        database.store_attempt(owner, "A.lean", "a", source="search", proved=True)
    with DynamicDatabase(tmp_path / "twin.db") as twin:  # where nothing is ever removed
        twin.merge(database.path)
        wanted = twin.placements()
    gone = database.delete_repository(repository)
    assert gone == RemovalReport(files=2, theorems=3, tactics=6, proofs=1)
    assert database.repositories() == [other]
    assert [theorem.full_name for theorem in database.theorems(other)] == ["b", "c", "d"]
    assert [proof.repository for proof in database.proofs()] == [other]
    assert database.placements() == wanted and len(wanted) == 4
    with closing(sqlite3.connect(database.path)) as connection:
        assert connection.execute("SELECT count(*) FROM attempts").fetchone() == (1,)
    with pytest.raises(DatabaseError, match="is not in the database"):
        database.delete_repository(repository)


def test_a_removal_that_fails_removes_nothing(
    database: DynamicDatabase, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.add_repository(repository)
    database.store_file(repository, rich_file(), "1")

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lean_agent.database.records.removal", fail)
    with pytest.raises(KeyboardInterrupt):
        database.delete_repository(repository)
    assert database.load_file(repository, rich_file().path) == rich_file()
    assert database._rows("SELECT count(*) FROM statements") == [(0,)]


def test_a_repository_is_updated_and_keeps_what_is_stored(
    database: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    with pytest.raises(DatabaseError, match="is not in the database"):
        database.update_repository(repository)
    database.add_repository(repository)
    database.store_file(repository, rich_file(), "1")
    database.update_repository(replace(repository, name="new name", path=tmp_path), licence="MIT")
    (known,) = database.repositories()
    assert (known.name, known.path) == ("new name", tmp_path)
    assert database.summaries()[0].licence == "MIT"
    assert database.load_file(repository, rich_file().path) == rich_file()


def test_unfinished_theorems_are_open_or_rest_on_open_ones(
    database: DynamicDatabase, repository: Repository, make_file: MakeFile, make_theorem: MakeTheorem
) -> None:
    resting = replace(make_theorem("resting"), axioms=("N.own", "sorryAx"))
    named = replace(make_theorem("named"), axioms=("N.sorryAx",))
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", [make_theorem("done"), resting, named]), "1")
    database.store_file(repository, make_file("B.lean", [make_theorem("b"), make_theorem("left", sorry=True)]), "2")
    database.store_file(repository, make_file("C.lean", [make_theorem("c")]), "3")
    assert [theorem.full_name for theorem in database.unfinished_theorems(repository)] == ["resting", "left"]
