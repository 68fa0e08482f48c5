from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.database.exports.card import left_out
from lean_agent.database.exports.entries import import_order
from lean_agent.database.exports.formats import FORMATS, METHODS, TABLES
from lean_agent.database.library import LibraryModule
from lean_agent.database.splits import premise_split, random_split
from lean_agent.errors import DatabaseError
from lean_agent.lean.types import (
    EXAMPLE_COMMAND,
    Position,
    Premise,
    TracedDeclaration,
    TracedFile,
    TracedTactic,
    TracedTheorem,
)
from lean_agent.tracing import LeanGitRepo, Repository

MakeTheorem = Callable[..., TracedTheorem]
MakeFile = Callable[..., TracedFile]

SPLITS = ("train", "val", "test")
THEOREM_FILES = [f"{method}/{split}.json" for method in ("random", "novel_premises") for split in SPLITS]


def read(folder: Path, method: str, split: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((folder / method / f"{split}.json").read_text(encoding="utf-8"))
    return entries


def where(folder: Path, method: str) -> dict[tuple[str, str], str]:
    """The split of each exported theorem by (url, name)."""
    return {(entry["url"], entry["full_name"]): split for split in SPLITS for entry in read(folder, method, split)}


def premises_of(folder: Path, split: str, used: dict[str, list[str]]) -> set[str]:
    return {premise for entry in read(folder, "novel_premises", split) for premise in used[entry["full_name"]]}


@pytest.fixture
def fill(
    database: DynamicDatabase, make_file: MakeFile, make_theorem: MakeTheorem, tmp_path: Path
) -> Callable[..., Repository]:
    """``fill("one", {"t": ["premise"]})`` stores a repository whose theorems use these premises."""

    def fill(name: str, theorems: dict[str, list[str]], **options: str) -> Repository:
        repository = Repository(f"https://example.org/{name}", name[0] * 40, name, tmp_path)
        made = [make_theorem(theorem, premises=premises, **options) for theorem, premises in theorems.items()]
        database.add_repository(repository)
        database.store_file(repository, make_file("A.lean", [*made, make_theorem("hole", sorry=True)]), "1")
        return repository

    return fill


def many(prefix: str, count: int = 300) -> dict[str, list[str]]:
    """Theorems that share premises: number n uses premises n % 251 and n % 241."""
    return {f"{prefix}{n}": [f"premise{n % 251}", f"premise{n % 241}"] for n in range(count)}


def test_one_theorem_in_full(database: DynamicDatabase, repository: Repository, tmp_path: Path) -> None:
    tactic = TracedTactic(
        "exact both h d",
        "exact both h d",
        120,
        134,
        "h : p\n⊢ p ∧ q",
        "no goals",
        1,
        0,
        (Premise("P.both", "P.Base", 126, 130), Premise("And.intro", "Init.Prelude", 131, 132)),
    )
    theorem = TracedTheorem(
        "P.t", "theorem t : p ∧ q", "by exact both h d", "tactic", False, "p ∧ q", "0", 90, 134,
        Position(7, 0), Position(8, 16), (tactic,), tactic.premises,
    )  # fmt: skip
    both = TracedDeclaration("P.both", "def", "def both := 1", 0, 13, Position(3, 2), Position(3, 15))
    base = TracedFile("P/Base.lean", "P.Base", ("Init",), (), (both,), (), 0.1, 0.1)
    file = TracedFile("P.lean", "P", ("Init.Core", "P.Base"), (theorem,), (), (), 0.1, 0.1)
    database.add_repository(repository)
    for stored in (base, file):
        database.store_file(repository, stored, "1")
    metadata = database.export_merged_data([LeanGitRepo(repository.url, repository.commit)], tmp_path / "data é")

    # The hash "0" lies in train, see test_splits.
    assert read(tmp_path / "data é", "random", "train") == [
        {
            "url": repository.url,
            "commit": repository.commit,
            "subfolder": "",
            "file_path": "P.lean",
            "full_name": "P.t",
            "theorem_statement": "theorem t : p ∧ q",
            "start": [7, 1],
            "end": [8, 17],
            "proof": "by exact both h d",
            "traced_tactics": [
                {
                    "tactic": "exact both h d",
                    "annotated_tactic": [
                        "exact <a>both</a> h d",
                        [
                            {
                                "full_name": "P.both",
                                "def_path": "P/Base.lean",
                                "def_pos": [3, 3],
                                "def_end_pos": [3, 16],
                            },
                        ],
                    ],
                    "state_before": "h : p\n⊢ p ∧ q",
                    "state_after": "no goals",
                    "step": "exact both h d",
                    "position": 120,
                    "end_position": 134,
                    "outside_premises": [
                        {
                            "full_name": "And.intro",
                            "def_path": "Init/Prelude.lean",
                            "def_pos": None,
                            "def_end_pos": None,
                        },
                    ],
                }
            ],
        }
    ]
    lines = (tmp_path / "data é" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    key = {"url": repository.url, "commit": repository.commit, "subfolder": ""}
    definition = {"full_name": "P.both", "code": "def both := 1", "start": [3, 3], "end": [3, 16], "kind": "def"}
    untraced = {"imports": [], "premises": [], "url": "", "commit": "", "subfolder": ""}
    assert [json.loads(line) for line in lines] == [
        {"path": "Init.lean", **untraced},
        {"path": "P/Base.lean", "imports": ["Init.lean"], "premises": [definition], **key},
        {"path": "Init/Core.lean", **untraced},
        {"path": "P.lean", "imports": ["Init/Core.lean", "P/Base.lean"], "premises": [], **key},
    ]
    assert json.loads((tmp_path / "data é" / "metadata.json").read_text(encoding="utf-8")) == metadata
    (entry,) = metadata["repositories"]
    assert (entry["files"], entry["theorems"], entry["sorries"]) == (2, 1, 0)
    assert entry["lean_toolchain"] == "leanprover/lean4:v4.28.0"
    assert entry["lean_versions"] == []  # a file that nobody said it of
    assert metadata["splits"]["random"]["train"] == 1


def load_as_reprover(folder: Path) -> int:
    """What ReProver's ``Corpus`` and its data loader demand (lean-dojo/ReProver, common.py); how many premises."""
    files: dict[str, list[dict[str, Any]]] = {}
    found = 0
    for text in (folder / "corpus.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        line = json.loads(text)
        assert line["path"] not in files
        files[line["path"]] = line["premises"]
        assert all(path in files for path in line["imports"]), line
    for method in ("random", "novel_premises"):
        for entry in [entry for split in SPLITS for entry in read(folder, method, split)]:
            assert entry["file_path"] in files
            for tactic in entry["traced_tactics"]:
                text, premises = tactic["annotated_tactic"]
                assert text.count("<a>") == len(premises)
                for premise in premises:
                    spans = [(one["start"], one["end"]) for one in files[premise["def_path"]]]
                    assert any(start <= premise["def_pos"] <= end for start, end in spans)
                    found += 1
    return found


@pytest.mark.parametrize("with_library", [False, True])
def test_readers_that_build_the_graph_line_by_line_can_load_a_corpus(
    with_library: bool, database: DynamicDatabase, make_file: MakeFile, make_theorem: MakeTheorem, tmp_path: Path
) -> None:
    application = Repository("https://example.org/application", "a" * 40, "application", tmp_path)
    package = Repository("https://example.org/package", "b" * 40, "package", tmp_path)
    stored = [
        (application, "A.lean", ("Z", "Init")),
        (application, "Z.lean", ("M", "Package.B", "Lost")),
        (application, "M.lean", ("Init",)),
        (package, "Package/B.lean", ("Package.C", "Lost")),
        (package, "Package/C.lean", ("Init.Core",)),
    ]
    for repository, path, imports in stored:
        database.add_repository(repository)
        theorem = make_theorem(path.removesuffix(".lean").replace("/", "."))
        used = (Premise("And.intro", "Init.Core", 60, 61), Premise(theorem.full_name, "M", 62, 63))
        theorem = replace(theorem, tactics=(replace(theorem.tactics[0], premises=used),))
        database.store_file(repository, make_file(path, [theorem], imports), "1")
    if with_library:
        modules = [LibraryModule("Init", ("Init.Core", "Gone"), ()), LibraryModule("Init.Core", (), ())]
        database.store_library("4.28.0", modules)
    database.export_merged_data([application, package], tmp_path / "data")
    assert load_as_reprover(tmp_path / "data") > 0
    corpus = [line["path"] for line in database.corpus([application, package])]
    written = (tmp_path / "data" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert corpus == [json.loads(line)["path"] for line in written]
    assert [path for path in corpus if path not in ("Init.lean", "Init/Core.lean", "Lost.lean")] == [
        "Package/C.lean", "Package/B.lean", "M.lean", "Z.lean", "A.lean",
    ]  # fmt: skip


def test_an_order_of_imports_survives_circles_and_long_chains() -> None:
    assert import_order({"a": ["b"], "b": ["c", "x"], "c": ["a", "c"]}) == ["c", "b", "a"]
    chain = {n: [n + 1] for n in range(5000)}
    assert import_order(chain) == list(reversed(chain))


def test_a_folder_below_one_called_cache_is_written(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    folder = tmp_path / ".cache" / "data"
    for kind in FORMATS:
        database.export_merged_data([fill("one", many("t", 20))], folder / kind, kind)
        assert (folder / kind / "metadata.json").is_file() and (folder / kind / "README.md").is_file()
        assert not (folder / kind / ".cache").exists()


def test_every_theorem_is_in_one_split_and_no_hole_in_any(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    repository = fill("one", many("t"))
    metadata = database.export_merged_data([repository], tmp_path / "x")
    for method in ("random", "novel_premises"):
        names = [entry["full_name"] for split in SPLITS for entry in read(tmp_path / "x", method, split)]
        assert sorted(names) == sorted(f"t{n}" for n in range(300))
        assert sum(metadata["splits"][method][split] for split in SPLITS) == 300
        assert min(metadata["splits"][method][split] for split in SPLITS) > 0
    assert (metadata["theorems"], metadata["sorries"]) == (301, 1)


def test_val_and_test_use_premises_that_train_does_not(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    used = many("t")
    database.export_merged_data([fill("one", used)], tmp_path / "x")
    in_train, in_val, in_test = (premises_of(tmp_path / "x", split, used) for split in SPLITS)
    assert in_val and in_test
    for entry in read(tmp_path / "x", "novel_premises", "val"):
        assert set(used[entry["full_name"]]) - in_train
    for entry in read(tmp_path / "x", "novel_premises", "test"):
        assert set(used[entry["full_name"]]) - in_train - in_val


def test_no_theorem_moves_as_repositories_are_added(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    repos = [fill("one", many("t"))]
    before: dict[str, dict[tuple[str, str], str]] = {"random": {}, "novel_premises": {}}
    for name in ("two", "three", "four"):
        database.export_merged_data(repos, tmp_path / "x")
        for method, splits in before.items():
            now = where(tmp_path / "x", method)
            assert {key: now[key] for key in splits} == splits
            splits.update(now)
        # Shares premises with all before, and half of its statements (their hashes go by name).
        repos.insert(0, fill(name, {**many("t", 50), **many(name, 50)}))
    assert len(before["random"]) == 300 + 100 + 100


def test_equal_statements_share_a_split(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    repos = [fill(name, {f"{name}.t": []}, type_hash="11") for name in ("one", "two", "six")]
    database.export_merged_data(repos, tmp_path / "x")
    assert random_split("11") == "test"
    assert set(where(tmp_path / "x", "random").values()) == {"test"}


def test_a_second_proof_with_held_out_premises_is_left_out(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    kept = next(f"p{n}" for n in range(10_000) if premise_split(f"p{n}") == "test")
    free = next(f"p{n}" for n in range(10_000) if premise_split(f"p{n}") == "train")
    first = fill("one", {"one.t": [free]}, type_hash="h")
    second = fill("two", {"two.t": [kept]}, type_hash="h")
    metadata = database.export_merged_data([second, first], tmp_path / "x")
    assert where(tmp_path / "x", "novel_premises") == {(first.url, "one.t"): "train"}
    assert metadata["splits"]["novel_premises"]["left_out"] == 1
    # The first one that was stored decides even when it is not exported.
    database.export_merged_data([second], tmp_path / "x")
    assert where(tmp_path / "x", "novel_premises") == {}


def test_an_export_replaces_the_one_before(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    one, two = fill("one", many("t", 5)), fill("two", many("u", 7))
    database.export_merged_data([one, two], tmp_path / "x")
    database.export_merged_data([one], tmp_path / "x")
    assert len(where(tmp_path / "x", "random")) == 5
    found = sorted(str(path.relative_to(tmp_path / "x")) for path in (tmp_path / "x").rglob("*") if path.is_file())
    assert found == sorted([*THEOREM_FILES, "corpus.jsonl", "metadata.json", "README.md"])


def test_an_export_that_fails_leaves_the_one_before(
    database: DynamicDatabase,
    fill: Callable[..., Repository],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, two = fill("one", many("t", 5)), fill("two", many("u", 7))
    database.export_merged_data([one], tmp_path / "x")
    before = {path: path.read_bytes() for path in (tmp_path / "x").rglob("*") if path.is_file()}

    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lean_agent.database.exports.entries.corpus_entry", full)
    with pytest.raises(DatabaseError, match="No space left on device"):
        database.export_merged_data([one, two], tmp_path / "x")
    assert {path: path.read_bytes() for path in (tmp_path / "x").rglob("*") if path.is_file()} == before


def test_a_folder_that_cannot_be_written_needs_no_space(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    one = fill("one", many("t", 5))
    (tmp_path / "file").write_text("")
    places = [(tmp_path / "file" / "x", "it lies below a file: name another place")]
    places += [(Path("/proc/lean_agent"), "name another place, one that you may write to")]
    for place, words in places:
        for write in (database.export_merged_data, database.export_dynamic_database):
            with pytest.raises(DatabaseError, match=words) as failure:
                write([one], place)
            assert "space" not in str(failure.value)


def test_a_card_points_to_no_failed_theorems_where_there_are_none(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    metadata = database.export_merged_data([fill("one", many("t", 5))], tmp_path / "x")
    assert [entry["failed"] for entry in metadata["repositories"]] == [[]]
    card = (tmp_path / "x" / "README.md").read_text(encoding="utf-8")
    assert "- 0 theorems in which Lean finds an error.\n" in card and "`failed`" not in card


def test_a_folder_with_anything_else_in_it_is_refused(
    database: DynamicDatabase, fill: Callable[..., Repository], tmp_path: Path
) -> None:
    one = fill("one", many("t", 5))
    for kind, other in zip(FORMATS, [*FORMATS[1:], FORMATS[0]], strict=True):
        database.export_merged_data([one], tmp_path / kind, kind)
        before = {path: path.read_bytes() for path in (tmp_path / kind).rglob("*") if path.is_file()}
        with pytest.raises(DatabaseError, match=f"holds an export as {kind}; name another folder for {other}"):
            database.export_merged_data([one], tmp_path / kind, other)
        assert {path: path.read_bytes() for path in (tmp_path / kind).rglob("*") if path.is_file()} == before
        (tmp_path / kind / "metadata.json").unlink()  # as an export leaves it that was cut off at its end
        database.export_merged_data([one], tmp_path / kind, kind)
    for name in ("README.md", "metadata.json", "corpus.jsonl"):
        folder = tmp_path / f"with {name}"
        folder.mkdir()
        (folder / name).write_text("{}")
        with pytest.raises(DatabaseError, match=rf"holds {name}, which is no export's; name another folder"):
            database.export_merged_data([one], folder)
        assert (folder / name).read_text() == "{}"
    (tmp_path / "database.sqlite").write_text("")  # what an export has no file for stays beside it
    database.export_merged_data([one], tmp_path)


def test_a_repository_that_is_not_stored_is_named(database: DynamicDatabase, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match=r"https://example\.org/x at c+ is not in the database"):
        database.export_merged_data([LeanGitRepo("https://example.org/x", "c" * 40)], tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_long_export_shows_how_far_it_is(
    database: DynamicDatabase,
    fill: Callable[..., Repository],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    repos = [fill("one", many("t", 4)), fill("two", many("u", 4))]  # ten theorems with the two holes, in two files
    monkeypatch.setattr("lean_agent.database.exports.merged.LONG_EXPORT", 11)
    database.export_merged_data(repos, tmp_path / "x")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("lean_agent.database.exports.merged.LONG_EXPORT", 10)
    database.export_merged_data(repos, tmp_path / "x")
    assert "2/2" in capsys.readouterr().err


def test_a_theorem_on_a_hole_below_is_proved_nowhere(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    """One whose own proof is whole, and which uses what is a `sorry` elsewhere."""
    theorems = [
        make_theorem("whole"),
        replace(make_theorem("below"), axioms=("sorryAx",)),
        make_theorem("own", sorry=True),
    ]
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", theorems), "1")
    for kind in (*FORMATS, *TABLES):
        metadata = database.export_merged_data([repository], tmp_path / kind, kind)
        counted = {name: metadata[name] for name in ("proved", "sorries", "on_axioms", "axioms")}
        assert counted == {"proved": 1, "sorries": 1, "on_axioms": 1, "axioms": {"sorryAx": 1}}
        files = [path for method in METHODS for path in (tmp_path / kind / method).rglob("*") if path.is_file()]
        assert not [path for path in files if b"below" in path.read_bytes()]
    written = json.loads(database.export_dynamic_database([repository], tmp_path / "d.json").read_text("utf-8"))
    (there,) = written["repositories"]
    assert [theorem["full_name"] for theorem in there["proven_theorems"]] == ["whole"]
    assert database.proof_statistics().steps == (1,)


def test_examples_are_left_out_and_counted_unless_they_are_asked_for(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    theorems = [make_theorem("named"), replace(make_theorem("example.1"), command=EXAMPLE_COMMAND)]
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", theorems), "1")
    assert database.theorem_names() == ["named"]
    without = database.export_merged_data([repository], tmp_path / "without")
    assert (without["theorems"], without["proved"], without["examples"]) == (1, 1, 1)
    assert "1 example." in left_out(without)
    beside = database.export_merged_data([repository], tmp_path / "beside", examples=True)
    assert (beside["theorems"], beside["proved"], beside["examples"]) == (2, 2, 0)
    written = json.loads(database.export_dynamic_database([repository], tmp_path / "d.json").read_text("utf-8"))
    (there,) = written["repositories"]
    assert [theorem["full_name"] for theorem in there["proven_theorems"]] == ["named"]
    assert there["metadata"]["examples"] == 1
