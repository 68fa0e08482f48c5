"""Lean's own library in the corpus: kept once, exported, accessible where it is imported."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.database.library import LibraryModule, LibrarySummary, _stated, read_library
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import Premise, TracedFile, TracedTheorem
from lean_agent.policy.retrieval import Place, PremiseCorpus, PremiseRetriever, measure_recall
from lean_agent.tracing import Repository

LIBRARY = [
    LibraryModule("Init.Core", (), (("And.intro", "constructor", "∀ {a b : Prop}, a → b → a ∧ b"),)),
    LibraryModule("Init", ("Init.Core",), ()),
    LibraryModule("Std.Data", ("Init",), (("Std.find", "theorem", "1 = 1"), ("Std.mem", "definition", "Nat"))),
]


@pytest.fixture
def filled(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> DynamicDatabase:
    """A file that imports Init alone, with a theorem of two tactics, the first of which uses ``And.intro``."""
    theorem = make_theorem("swap", steps=2)
    first = replace(theorem.tactics[0], premises=(Premise("And.intro", "Init.Core", 60, 63),))
    theorem = replace(theorem, tactics=(first, *theorem.tactics[1:]))
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", [theorem]), "hash")
    return database


def test_the_library_is_kept_and_replaced_as_a_whole(database: DynamicDatabase) -> None:
    assert database.library() is None
    database.store_library("4.27.0", [LibraryModule("Init.Old", (), (("old", "theorem", "p"),))])
    database.store_library("4.28.0", LIBRARY)
    assert database.library() == LibrarySummary("4.28.0", 3, 3)


def test_an_export_begins_with_the_library_and_says_so(
    filled: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    filled.store_library("4.28.0", LIBRARY)
    metadata = filled.export_merged_data([repository], tmp_path / "data")
    lines = [json.loads(text) for text in (tmp_path / "data" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert [line["path"] for line in lines] == ["Init/Core.lean", "Init.lean", "Std/Data.lean", "A.lean"]
    assert lines[0]["premises"][0]["code"] == "constructor And.intro : ∀ {a b : Prop}, a → b → a ∧ b"
    assert lines[2]["imports"] == ["Init.lean"] and lines[2]["url"] == ""
    assert metadata["library_premises"] == 3
    assert "3 of Lean's own library" in (tmp_path / "data" / "README.md").read_text("utf-8")
    # and it does not come back as files of a repository
    with DynamicDatabase(tmp_path / "back.db") as back:
        assert back.import_leandojo(tmp_path / "data").files == 1
    for kind in ("parquet", "huggingface"):
        filled.export_merged_data([repository], tmp_path / kind, kind)


def test_a_module_of_the_library_can_be_used_where_it_is_imported(
    filled: DynamicDatabase, repository: Repository
) -> None:
    filled.store_library("4.28.0", LIBRARY)
    corpus = PremiseCorpus(filled.corpus([repository]))
    (file,) = filled.files(repository)
    assert file.imports == ("Init",)
    usable = corpus.accessible(Place(repository.url, repository.commit, file.path, (10**6, 1)))
    names = {document.full_name for document, can in zip(corpus.documents, usable, strict=True) if can}
    assert "And.intro" in names and not {"Std.find", "Std.mem"} & names


def test_recall_counts_uses_of_the_library_once_it_is_there(
    filled: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    def measured(folder: Path) -> tuple[int, int]:
        filled.export_merged_data([repository], folder)
        theorems = [
            theorem
            for split in ("train", "val", "test")
            for theorem in json.loads((folder / "random" / f"{split}.json").read_text("utf-8"))
        ]
        found = measure_recall(PremiseRetriever(PremiseCorpus.read(folder)), theorems)
        return found.premises, found.outside

    assert measured(tmp_path / "without") == (0, 1)  # premises of the corpus, uses outside it
    filled.store_library("4.28.0", LIBRARY)
    assert measured(tmp_path / "with") == (1, 0)


def test_a_merge_takes_a_library_where_there_is_none(database: DynamicDatabase, tmp_path: Path) -> None:
    with DynamicDatabase(tmp_path / "other.db") as other:
        other.store_library("4.28.0", LIBRARY)
    database.merge(tmp_path / "other.db")
    assert database.library() == LibrarySummary("4.28.0", 3, 3)
    database.store_library("4.29.0", LIBRARY[:1])
    database.merge(tmp_path / "other.db")
    assert database.library() == LibrarySummary("4.29.0", 1, 1)


def test_what_lean_makes_by_itself_is_no_premise() -> None:
    names = ["Sum.inl", "Sum.inl.elim", "Sum.casesOn", "Sum.elim", "Nat.instAdd.add"]
    kinds = ["constructor", "definition", "definition", "definition", "definition"]
    stated = _stated([(name, kind, "A →\n  B") for name, kind in zip(names, kinds, strict=True)])
    assert list(stated) == [("Sum.inl", "constructor", "A → B"), ("Sum.elim", "definition", "A → B")]


@pytest.mark.lean
def test_lean_says_what_a_module_offers(lean: LeanPool) -> None:
    _, answer = lean.loop.run(lean.ask("premises", timeout_s=300, items=[{"module": "Init.Core"}, {"module": "No"}]))
    core, unknown = answer["items"]
    found = {name: (kind, type_) for name, kind, type_ in core["premises"]}
    assert found["And.comm"] == ("theorem", "∀ {a b : Prop}, a ∧ b ↔ b ∧ a")
    assert found["Iff.intro"] == ("constructor", "∀ {a b : Prop}, (a → b) → (b → a) → (a ↔ b)")
    assert found["flip"][0] == "definition" and found["Iff"] == ("inductive", "Prop → Prop → Prop")
    assert not any(name.split(".")[-1].startswith("_") or "._" in name for name in found)
    assert "error" in unknown


@pytest.mark.lean
@pytest.mark.long
def test_the_whole_library_is_read(lean: LeanPool, database: DynamicDatabase) -> None:
    database.store_library(lean.version, read_library(lean, progress=False))
    kept = database.library()
    assert kept is not None and kept.premises > 30_000
