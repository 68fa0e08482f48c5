"""LeanDojo's own files, in and out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.database.exports.leandojo import IMPORTED
from lean_agent.errors import DatabaseError
from lean_agent.lean.types import Position, ProofMode, TracedFile, TracedTactic, TracedTheorem, Verdict
from lean_agent.tracing import Repository

URL, COMMIT = "https://github.com/leanprover-community/mathlib4", "f" * 40


def theorem(name: str, tactics: list[dict[str, Any]], line: int = 5) -> dict[str, Any]:
    """As LeanDojo Benchmark 4 has it: the statement stands in the corpus alone."""
    return {
        "url": URL, "commit": COMMIT, "file_path": "M/A.lean", "full_name": name,
        "start": [line, 1], "end": [line + 1, 20], "traced_tactics": tactics,
    }  # fmt: skip


REWRITE = {
    "tactic": "rw [Nat.add_comm, α_lemma]",
    "annotated_tactic": [
        "rw [<a>Nat.add_comm</a>, <a>α_lemma</a>]",
        [
            {
                "full_name": "Nat.add_comm",
                "def_path": ".lake/packages/lean4/src/lean/Init/Data/Nat/Basic.lean",
                "def_pos": [130, 19],
                "def_end_pos": [130, 27],
            },
            {"full_name": "M.α_lemma", "def_path": "M/B.lean", "def_pos": [3, 9], "def_end_pos": [3, 16]},
        ],
    ],
    "state_before": "a b : Nat\n⊢ a + b = b + a",
    "state_after": "no goals",
}
BULLET = {
    "tactic": "· simp",
    "annotated_tactic": ["· simp", []],
    "state_before": "⊢ p\n\n⊢ q",
    "state_after": "⊢ q",
}


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    folder = tmp_path / "leandojo_benchmark_4"
    same = theorem("M.same", [REWRITE], 9)  # says what M.t says, and LeanDojo has put it on the other side
    parts = {
        "random": {"train": [theorem("M.t", [REWRITE, BULLET])], "val": [], "test": [same]},
        "novel_premises": {"train": [same], "val": [theorem("M.t", [REWRITE, BULLET])], "test": []},
    }
    for method, splits in parts.items():
        (folder / method).mkdir(parents=True)
        for split, entries in splits.items():
            (folder / method / f"{split}.json").write_text(json.dumps(entries))
    code = "theorem {} (a b : Nat := (by exact 0)) : a + b = b + a := by\n  rw [Nat.add_comm, α_lemma]"
    lines = [
        {
            "path": "M/A.lean",
            "imports": ["M/B.lean", ".lake/packages/lean4/src/lean/Init.lean"],
            "premises": [
                {"full_name": f"M.{name}", "code": code.format(name), "start": [line, 1], "end": [line + 1, 20],
                 "kind": "commanddeclaration"}
                for name, line in (("t", 5), ("same", 9))
            ],
        },
        {"path": ".lake/packages/std/Std/X.lean", "imports": [], "premises": []},
    ]  # fmt: skip
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_a_benchmark_comes_in(database: DynamicDatabase, benchmark: Path) -> None:
    report = database.import_leandojo(benchmark)
    assert (report.repositories, report.files, report.theorems) == (1, 2, 2)
    (repository,) = database.repositories()
    assert (repository.url, repository.commit, repository.name) == (URL, COMMIT, "mathlib4")
    library, file = database.files(repository)
    assert (library.module, file.module, file.imports) == ("Std.X", "M.A", ("M.B", "Init"))
    first, second = file.theorems
    assert (first.full_name, second.full_name) == ("M.t", "M.same")
    assert first.statement == "theorem t (a b : Nat := (by exact 0)) : a + b = b + a"
    assert (first.start_pos, first.end_pos, first.mode) == (Position(5, 0), Position(6, 19), "tactic")
    assert first.type_hash == second.type_hash != ""
    rewrite, bullet = first.tactics
    assert (rewrite.step, bullet.step) == (rewrite.tactic, "")  # a bullet is no step of its own
    assert (rewrite.goals_before, rewrite.goals_after, bullet.goals_before) == (1, 0, 2)
    # Where the tactic stands is not known; within it premises are where they are: "rw [" is four bytes, and the second
    # comes after 4 + 12 ("Nat.add_comm") + 2 (", ").
    assert rewrite.start < 0
    assert [(p.full_name, p.module, p.start - rewrite.start, p.end - rewrite.start) for p in rewrite.premises] == [
        ("Nat.add_comm", "Init.Data.Nat.Basic", 4, 16),
        ("M.α_lemma", "M.B", 18, 26),
    ]


def test_the_splits_of_a_benchmark_stand_and_what_is_tested_on_is_not_trained_on(
    database: DynamicDatabase, benchmark: Path, tmp_path: Path
) -> None:
    database.import_leandojo(benchmark)
    (placed,) = database.placements().values()  # one statement: LeanDojo had it on two sides
    assert (placed.random, placed.novel_premises, placed.given) == ("test", "val", True)
    metadata = database.export_merged_data(database.repositories(), tmp_path / "x")
    assert metadata["splits"]["random"]["test"] == metadata["splits"]["novel_premises"]["val"] == 2
    exported = json.loads((tmp_path / "x" / "random" / "test.json").read_text(encoding="utf-8"))
    tactics = [entry["traced_tactics"][0] for entry in exported]
    assert {tactic["annotated_tactic"][0] for tactic in tactics} == {"rw [Nat.add_comm, α_lemma]"}
    assert [premise["full_name"] for premise in tactics[0]["outside_premises"]] == ["Nat.add_comm", "M.α_lemma"]


@pytest.mark.parametrize("still_there", [True, False])
def test_a_repository_that_was_traced_stays_where_it_lies(
    still_there: bool, database: DynamicDatabase, benchmark: Path, tmp_path: Path
) -> None:
    mine = Repository(URL, COMMIT, "mathlib4", tmp_path / "mine+submodules")
    if still_there:
        mine.path.mkdir()
    database.add_repository(mine)
    database.import_leandojo(benchmark)
    (repository,) = database.repositories()
    assert (repository.path == mine.path) == still_there


def test_a_near_duplicate_of_an_imported_statement_joins_it(
    database: DynamicDatabase,
    benchmark: Path,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    database.import_leandojo(benchmark)
    mine = make_theorem("again", type_hash="0")  # which by its own hash lies in train
    object.__setattr__(mine, "type", "∀ (m n : Nat := (by exact 0)), m + n = n + m")
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", [mine]), "1")
    assert database.placements()["0"].random == "test"


def test_what_was_traced_here_stays(
    database: DynamicDatabase,
    benchmark: Path,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    known = Repository(URL, COMMIT, "mathlib4", tmp_path)
    traced = make_file("M/A.lean", [make_theorem("M.t")])
    database.add_repository(known)
    database.store_file(known, traced, "hash")
    assert database.import_leandojo(benchmark).files == 1
    assert database.load_file(known, "M/A.lean") == traced
    assert database.import_leandojo(benchmark).files == 1  # what was imported is replaced, and nothing twice
    assert database.summaries()[0].files == 2
    assert IMPORTED != "hash"


def test_our_own_layout_goes_round(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    database.add_repository(repository)
    theorems = [
        replace(make_theorem(f"t{n}", steps=n % 4), statement=f"theorem t{n} : P{n}", start_pos=Position(n + 1, 0))
        for n in range(40)
    ]
    database.store_file(repository, make_file("A.lean", theorems), "1")
    database.export_merged_data([repository], tmp_path / "one")
    with DynamicDatabase(":memory:") as other:
        other.import_leandojo(tmp_path / "one")
        other.export_merged_data(other.repositories(), tmp_path / "two")
    for path in [*(tmp_path / "one").glob("*/*.json"), tmp_path / "one" / "corpus.jsonl"]:
        assert (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes() == path.read_bytes()


def test_the_database_of_version_2_goes_round(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    database.add_repository(repository, licence="MIT")
    theorems = [make_theorem("a", steps=2, premises=["And.intro"]), *(make_theorem(n, sorry=True) for n in "bc")]
    database.store_file(repository, make_file("A.lean", theorems), "1")
    database.store_proof(repository, "A.lean", "b", "by x", Verdict("accepted", ""), source="run")
    path = database.export_dynamic_database([repository], tmp_path / "dynamic_database.json")
    (written,) = json.loads(path.read_text(encoding="utf-8"))["repositories"]
    assert {name: [t["full_name"] for t in written[name]] for name in written if name.endswith(("theorems", "proved"))
            and isinstance(written[name], list)} == {
        "proven_theorems": ["a"], "sorry_theorems_proved": ["b"], "sorry_theorems_unproved": ["c"],
    }  # fmt: skip
    assert (written["lean_version"], written["total_theorems"], written["files_traced"]) == ("v4.28.0", 3, ["A.lean"])
    assert "date_processed" in written["metadata"]
    (proven,) = written["proven_theorems"]
    assert (proven["start"], proven["end"]) == ("(3, 1)", "(4, 9)")
    assert proven["difficulty_rating"] == pytest.approx(7.389056)  # e^2
    assert written["sorry_theorems_unproved"][0]["difficulty_rating"] is None
    with DynamicDatabase(":memory:") as other:
        assert other.import_leandojo(path).theorems == 3
        again = other.export_dynamic_database(other.repositories(), tmp_path / "again.json")
    (back,) = json.loads(again.read_text(encoding="utf-8"))["repositories"]
    assert back["proven_theorems"] == written["proven_theorems"]
    assert back["premise_files"] == written["premise_files"]
    # A proof that others have found was not judged here: the theorem is open.
    assert [t["full_name"] for t in back["sorry_theorems_unproved"]] == ["b", "c"]


CONV = "case h\na b : Nat\nh : Γ ⊢ a\n| a + b\n\ncase g\n| b"


@pytest.mark.parametrize("layout", ["benchmark", "dynamic_database.json"])
def test_states_inside_conv_and_kinds_of_proofs_come_back(
    layout: str,
    *,
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    inside = TracedTactic("rw [x]", "", 70, 76, CONV, "case g\n| b", 2, 1)
    proofs: dict[ProofMode, str] = {
        "tactic": " := by\n  rw [x]",
        "term": " := f (by rw [x])",
        "equations": "\n  | 0 => by rw [x]",
    }
    theorems = [
        replace(
            make_theorem(mode), statement=f"theorem {mode} (n := by y) : p", mode=mode, tactics=(inside,), start=at,
            start_pos=Position(at, 0), end_pos=Position(at, 9),
        )
        for at, mode in enumerate(proofs, start=1)
    ]  # fmt: skip
    file = make_file("A.lean", theorems)
    codes = [f"/-- It. -/\n{one.statement}{proofs[one.mode]}" for one in theorems]
    declared = [replace(one, code=code) for one, code in zip(file.declarations, codes, strict=True)]
    database.add_repository(repository)
    database.store_file(repository, replace(file, declarations=tuple(declared)), "1")
    if layout == "benchmark":
        database.export_merged_data([repository], tmp_path / layout)
    else:
        database.export_dynamic_database([repository], tmp_path / layout)
    with DynamicDatabase(":memory:") as other:
        other.import_leandojo(tmp_path / layout)
        back = [one.theorem for one in other.theorems(other.repositories()[0])]
    assert [(one.full_name, one.mode) for one in back] == [(mode, mode) for mode in proofs]
    assert [one.tactics for one in back] == [(inside,)] * 3


def test_what_leandojo_has_recorded_inside_conv_is_no_step(database: DynamicDatabase, benchmark: Path) -> None:
    path = benchmark / "random" / "train.json"
    conv = {**BULLET, "tactic": "rw [x]", "annotated_tactic": ["rw [x]", []], "state_before": CONV}
    path.write_text(json.dumps([theorem("M.t", [conv, {**REWRITE, "state_before": "Γ : T\nh : Γ ⊢ a\n⊢ b"}])]))
    database.import_leandojo(benchmark)
    (stored, _) = database.theorems(database.repositories()[0])
    inside, after = stored.theorem.tactics
    assert (inside.step, inside.goals_before, inside.goals_after) == ("", 2, 1)
    assert (after.step, after.goals_before) == (after.tactic, 1)  # a turnstile of the user's is no goal


def test_positions_as_version_2_has_them(database: DynamicDatabase, tmp_path: Path) -> None:
    annotation = {"full_name": "x", "def_path": "M/B.lean", "def_pos": "Pos(1, 2)", "def_end_pos": "(1, 3)"}
    tactic = {**REWRITE, "annotated_tactic": ["rw [<a>x</a>]", [annotation]]}  # marks that do not fit the text
    entry = {**theorem("M.t", [tactic]), "theorem_statement": "theorem t : p", "start": "Pos(2, 3)", "end": "(4, 5)",
             "difficulty_rating": float("inf")}  # fmt: skip
    repository = {"url": URL, "commit": COMMIT, "name": "x", "proven_theorems": [entry]}
    path = tmp_path / "dynamic_database.json"
    path.write_text(json.dumps({"repositories": [repository]}))
    database.import_leandojo(path)
    (stored,) = database.theorems(database.repositories()[0])
    assert (stored.theorem.start_pos, stored.theorem.end_pos) == (Position(2, 2), Position(4, 4))
    (premise,) = stored.theorem.tactics[0].premises
    assert (premise.full_name, premise.start) == ("x", stored.theorem.tactics[0].start)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x.json", "{", "does not read as LeanDojo's"),
        ("x.json", "[]", "there is no theorem in x.json"),
        ("x.json", '{"repositories": [{"url": "u"}]}', "no 'commit'"),
        ("random/train.json", '[{"url": "u"}]', "no 'commit'"),
        ("random/train.json", "[]", "no data set of LeanDojo Benchmark 4"),
        ("corpus.jsonl", '{"path": "A.lean", "imports": [], "premises": []}\n{"pa', "line 2 of .*corpus"),
        ("corpus.jsonl", '{"path": "A.lean", "imports": [], "premises": [{"full_name": "x"}]}', "no 'code'"),
    ],
)
def test_what_is_damaged_is_named_and_nothing_of_it_taken(
    name: str, text: str, words: str, database: DynamicDatabase, tmp_path: Path
) -> None:
    path = tmp_path / "data" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(DatabaseError, match=words):
        database.import_leandojo(path if name == "x.json" else tmp_path / "data")
    with pytest.raises(DatabaseError, match="cannot be read"):
        database.import_leandojo(tmp_path / "none.json")
    assert database.repositories() == []


def test_one_file_of_theorems_is_read_as_its_split(database: DynamicDatabase, tmp_path: Path) -> None:
    """As LeanDojo writes it: no statements, and nothing beside it."""
    entry = {
        "url": URL, "commit": COMMIT, "file_path": "M/A.lean", "full_name": "le_refl'", "start": [3, 1], "end": [4, 10],
        "traced_tactics": [{"tactic": "rfl", "annotated_tactic": ["rfl", []], "state_before": "⊢ a ≤ a",
                            "state_after": "no goals"}],
    }  # fmt: skip
    file = tmp_path / "random" / "test.json"
    file.parent.mkdir()
    file.write_text(json.dumps([entry]), encoding="utf-8")
    assert database.import_leandojo(file).theorems == 1
    (placement,) = database.placements().values()
    assert (placement.random, placement.given) == ("test", True)
    file.write_text("[]", encoding="utf-8")
    with pytest.raises(DatabaseError, match="there is no theorem"):
        database.import_leandojo(file)
