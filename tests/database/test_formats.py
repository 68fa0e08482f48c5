"""Every format, read back with the library that its users have."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pandas
import pyarrow.parquet
import pytest
import yaml

from lean_agent.database import DynamicDatabase
from lean_agent.database.exports.formats import FORMATS, TABLES, Format, TableFormat
from lean_agent.lean.types import Premise, ProofMode, TracedFile, TracedTheorem
from lean_agent.tracing import Repository, local_repository

pytestmark = pytest.mark.usefixtures("hub_cache")

METHODS = ("random", "novel_premises")
SPLITS = ("train", "val", "test")


@pytest.fixture
def repository(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> Repository:
    """Sixty theorems, one with a premise in its tactic that is defined in the file, one with none, one open."""
    (repository.path / "LICENSE").write_text("SPDX-License-Identifier: Apache-2.0\n", encoding="utf-8")
    theorems = [make_theorem(f"t{n}", steps=n % 4, premises=[f"p{n}"]) for n in range(60)]
    object.__setattr__(theorems[1].tactics[0], "premises", (Premise("t0", "A", 60, 63), Premise("Nat", "Init", 64, 65)))
    database.add_repository(repository)
    file = make_file("A.lean", [*theorems, make_theorem("öpen", sorry=True)])
    database.store_file(repository, replace(file, lean_version="4.28.0"), "1")
    return repository


@pytest.fixture
def expected(database: DynamicDatabase, repository: Repository, tmp_path: Path) -> dict[tuple[str, str], list[Any]]:
    """The theorems of each split, as lines of JSON have them."""
    database.export_merged_data([repository], tmp_path / "reference", "jsonl")
    return {
        (method, split): [
            json.loads(line) for line in (tmp_path / "reference" / method / f"{split}.jsonl").read_text().splitlines()
        ]
        for method in METHODS
        for split in SPLITS
    }


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_load_dataset_finds_the_splits_by_the_card(
    kind: Format, database: DynamicDatabase, repository: Repository, expected: dict[Any, Any], tmp_path: Path
) -> None:
    database.export_merged_data([repository], tmp_path / "data é", kind)
    for method in METHODS:
        loaded = datasets.load_dataset(str(tmp_path / "data é"), method)
        assert {split: rows.to_list() for split, rows in loaded.items()} == {s: expected[method, s] for s in SPLITS}
    assert datasets.load_dataset(str(tmp_path / "data é")).num_rows == loaded_sizes(expected, "random")
    files = datasets.load_dataset(str(tmp_path / "data é"), "corpus", split="corpus").to_list()
    assert [(file["path"], len(file["premises"])) for file in files] == [("Init.lean", 0), ("A.lean", 61)]


def loaded_sizes(expected: dict[Any, Any], method: str) -> dict[str, int]:
    return {split: len(expected[method, split]) for split in SPLITS}


def test_load_from_disk_reads_the_folders(
    database: DynamicDatabase, repository: Repository, expected: dict[Any, Any], tmp_path: Path, hub_cache: Path
) -> None:
    for _ in range(2):  # the second replaces the first
        database.export_merged_data([repository], tmp_path / "x", "huggingface")
    for method in METHODS:
        loaded = datasets.load_from_disk(str(tmp_path / "x" / method))
        assert {split: rows.to_list() for split, rows in loaded.items()} == {s: expected[method, s] for s in SPLITS}
    assert len(datasets.load_from_disk(str(tmp_path / "x" / "corpus"))) == 2
    assert sorted(path.name for path in (tmp_path / "x").iterdir()) == [
        "README.md", "corpus", "metadata.json", "novel_premises", "random",
    ]  # fmt: skip
    assert not hub_cache.exists()  # nothing is left in the user's cache


def test_pandas_and_pyarrow_read_parquet_and_jsonl(
    database: DynamicDatabase, repository: Repository, expected: dict[Any, Any], tmp_path: Path
) -> None:
    for kind in ("parquet", "jsonl"):
        database.export_merged_data([repository], tmp_path / kind, kind)  # two formats
    train = expected["random", "train"]
    path = tmp_path / "parquet" / "random" / "train-00000-of-00001.parquet"
    assert pyarrow.parquet.read_table(path).to_pylist() == train
    assert list(pandas.read_parquet(path)["full_name"]) == [entry["full_name"] for entry in train]
    lines = pandas.read_json(tmp_path / "jsonl" / "random" / "train.jsonl", lines=True)
    assert list(lines["theorem_statement"]) == [entry["theorem_statement"] for entry in train]


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "huggingface"])
def test_a_split_without_theorems_loads(
    kind: Format,
    database: DynamicDatabase,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    small = Repository("https://example.org/small", "c" * 40, "small", tmp_path / "not there")
    database.add_repository(small)
    database.store_file(small, make_file("A.lean", [make_theorem("t", type_hash="0")]), "1")  # "0" lies in train
    database.export_merged_data([small], tmp_path / "x", kind)
    if kind == "huggingface":
        loaded = datasets.load_from_disk(str(tmp_path / "x" / "random"))
        assert loaded.num_rows == {"train": 1, "val": 0, "test": 0}
    else:  # load_dataset takes no split that is empty: the card does not name it
        assert datasets.load_dataset(str(tmp_path / "x"), "random").num_rows == {"train": 1}


def test_a_premise_is_marked_and_placed(expected: dict[Any, Any]) -> None:
    (found,) = (entry for split in SPLITS for entry in expected["random", split] if entry["full_name"] == "t1")
    (tactic,) = found["traced_tactics"]
    assert tactic["annotated_tactic"] == "<a>tac</a> <a>0</a>"
    assert tactic["premises"] == [
        {"full_name": "t0", "def_path": "A.lean", "def_pos": [3, 1], "def_end_pos": [4, 9]},
        {"full_name": "Nat", "def_path": "Init.lean", "def_pos": None, "def_end_pos": None},
    ]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_proof_without_tactics_has_its_text(
    kind: Format,
    database: DynamicDatabase,
    repository: Repository,
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    proofs: dict[ProofMode, str] = {"term": "fun h => h", "equations": "| 0 => rfl\n| n + 1 => by simp"}
    theorems = tuple(
        replace(make_theorem(mode, steps=0, type_hash="0"), mode=mode, proof=proof) for mode, proof in proofs.items()
    )  # the hash "0" lies in train, see test_splits
    database.store_file(repository, TracedFile("A.lean", "A", ("Init",), theorems, (), (), 0.1, 0.1), "2")
    database.export_merged_data([repository], tmp_path / "x", kind)
    read: dict[str, Callable[[Path], list[dict[str, Any]]]] = {
        "leandojo": lambda folder: json.loads((folder / "train.json").read_text("utf-8")),
        "jsonl": lambda folder: [json.loads(line) for line in (folder / "train.jsonl").read_text("utf-8").splitlines()],
        "parquet": lambda folder: pyarrow.parquet.read_table(folder / "train-00000-of-00001.parquet").to_pylist(),
        "huggingface": lambda folder: datasets.load_from_disk(str(folder))["train"].to_list(),
    }
    rows = read[kind](tmp_path / "x" / "random")
    assert {row["full_name"]: row["proof"] for row in rows} == proofs
    assert [row["traced_tactics"] for row in rows] == [[], []]
    if kind == "leandojo":
        with DynamicDatabase(":memory:") as other:
            other.import_leandojo(tmp_path / "x")
            (there,) = other.repositories()
            assert {stored.theorem.full_name: stored.theorem.proof for stored in other.theorems(there)} == proofs


@pytest.mark.parametrize("kind", FORMATS)
def test_the_card_says_what_is_there(
    kind: Format, database: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    metadata = database.export_merged_data([repository], tmp_path / "x", kind)
    card = (tmp_path / "x" / "README.md").read_text(encoding="utf-8")
    header = yaml.safe_load(card.split("---\n")[1])
    assert header["license"] == "apache-2.0"
    assert header["size_categories"] == ["n<1K"]
    assert ("configs" in header) == (kind in ("jsonl", "parquet"))
    for config in header.get("configs", []):
        assert all((tmp_path / "x" / one["path"]).is_file() for one in config["data_files"])
    sizes = metadata["splits"]["random"]
    assert f"| random | {sizes['train']} | {sizes['val']} | {sizes['test']} | 0 |" in card
    assert "60 theorems with proofs" in card
    for method in (metadata["splits"][name]["method"] for name in ("random", "novel_premises")):
        assert f"`: {method}." in card
    leaks = metadata["leaks"]
    assert f": {leaks['near_duplicates']} of {leaks['statements']} statements;" in card
    assert metadata["repositories"][0]["lean_versions"] == ["4.28.0"]
    leans, counts = "leanprover/lean4:v4.28.0 | 4.28.0", "1 | 61 | 60 | 1 | 90"  # tactics: 15 · (0 + 1 + 2 + 3)
    assert f"| [swap](https://example.org/swap) | `aaaaaaaaaaaa` | Apache-2.0 | {leans} | {counts} |" in card


def test_sources_under_different_licences_are_other(
    database: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    other = Repository("https://example.org/other", "b" * 40, "other", tmp_path / "not there")
    database.add_repository(other, licence="MIT")
    metadata = database.export_merged_data([repository, other], tmp_path / "x")
    assert [entry["licence"] for entry in metadata["repositories"]] == ["Apache-2.0", "MIT"]
    assert "license: other" in (tmp_path / "x" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", [*FORMATS, *TABLES])
def test_nothing_that_is_exported_says_where_a_folder_lies(
    kind: Format | TableFormat,
    database: DynamicDatabase,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    folder = tmp_path / "secret place" / "lists"
    folder.mkdir(parents=True)
    (folder / "A.lean").write_text("theorem t : True := trivial\n")
    local = local_repository(folder)
    database.add_repository(local)
    database.store_file(local, make_file("A.lean", [make_theorem(f"t{n}") for n in range(9)]), "1")
    database.export_merged_data([local], tmp_path / "x", kind)
    database.export_dynamic_database([local], tmp_path / "x" / "dynamic_database.json")
    files = [path for path in (tmp_path / "x").rglob("*") if path.is_file()]
    assert not [path for path in files if b"secret place" in path.read_bytes()]
    assert "| lists |" in (tmp_path / "x" / "README.md").read_text("utf-8")
    assert '"url": "local:lists"' in (tmp_path / "x" / "metadata.json").read_text("utf-8")
    with DynamicDatabase(":memory:") as other:  # and back
        other.import_leandojo(tmp_path / "x" / "dynamic_database.json")
        assert other.repositories() == [local]
