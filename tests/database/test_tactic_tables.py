"""Tables of tactics: one row a step, in every format, with the prompts that trainers and provers use."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pandas
import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.database.exports.card import card_format
from lean_agent.database.exports.formats import TABLES, TableFormat
from lean_agent.errors import DatabaseError
from lean_agent.lean.types import TracedFile, TracedTheorem
from lean_agent.tracing import Repository

pytestmark = pytest.mark.usefixtures("hub_cache")

SPLITS = ("train", "val", "test")
COLUMNS = [
    *("state", "tactic", "prompt", "completion"),
    *("url", "commit", "file_path", "full_name", "position", "split"),
]


@pytest.fixture
def filled(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> Repository:
    """Sixty theorems with up to three steps; a bullet, which is none, a tactic of two lines; one that is open."""
    theorems = [make_theorem(f"t{n}", steps=n % 4) for n in range(60)]
    bullet, lines = theorems[3].tactics[:2]
    changed = (replace(bullet, tactic="· skip", step=""), replace(lines, step='rw ["a", b]\n  at h'))
    theorems[3] = replace(theorems[3], tactics=(*changed, theorems[3].tactics[2]))
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", [*theorems, make_theorem("öpen", sorry=True)]), "1")
    return repository


@pytest.fixture
def expected(database: DynamicDatabase, filled: Repository, tmp_path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each split of ``random``, as lines of JSON have them."""
    database.export_merged_data([filled], tmp_path / "reference", "tactics_jsonl")
    return {
        split: [
            json.loads(line)
            for line in (tmp_path / "reference" / "random" / f"{split}.jsonl").read_text("utf-8").splitlines()
        ]
        for split in SPLITS
    }


def test_a_row_is_a_step_and_where_it_comes_from(expected: dict[str, list[dict[str, Any]]], filled: Repository) -> None:
    rows = [row for split in SPLITS for row in expected[split]]
    # 0, 1, 2 and 3 steps, fifteen times each, less the bullet.
    assert len(rows) == 15 * (0 + 1 + 2 + 3) - 1
    assert all(list(row) == COLUMNS for row in rows)
    assert all(row["split"] == split for split in SPLITS for row in expected[split])
    (row,) = (row for row in rows if row["tactic"].startswith("rw"))
    assert {name: row[name] for name in COLUMNS if name not in ("prompt", "split")} == {
        "state": "⊢ p1",
        "tactic": 'rw ["a", b]\n  at h',
        "completion": [{"role": "assistant", "content": 'rw ["a", b]\n  at h'}],
        "url": filled.url,
        "commit": filled.commit,
        "file_path": "A.lean",
        "full_name": "t3",
        "position": 70,
    }
    assert [turn["role"] for turn in row["prompt"]] == ["system", "user"]
    assert row["prompt"][1]["content"] == "⊢ p1"


def test_prompts_are_those_of_training(
    database: DynamicDatabase, filled: Repository, expected: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    from lean_agent.trainer.data.dataset import SFTDataset

    database.export_merged_data([filled], tmp_path / "data")
    trained = SFTDataset(tmp_path / "data").to_hf().to_list()
    assert [(row["prompt"], row["completion"]) for row in trained] == [
        (row["prompt"], row["completion"]) for row in expected["train"]
    ]


@pytest.mark.parametrize("kind", ["tactics_jsonl", "tactics_parquet"])
def test_datasets_loads_a_table(
    kind: TableFormat, database: DynamicDatabase, filled: Repository, expected: dict[str, Any], tmp_path: Path
) -> None:
    database.export_merged_data([filled], tmp_path / "data", kind)
    for name in ((), ("random",)):
        loaded = datasets.load_dataset(str(tmp_path / "data"), *name)
        assert {split: rows.to_list() for split, rows in loaded.items()} == expected
    assert not list((tmp_path / "data").glob("corpus*"))


def test_datasets_loads_a_folder_and_csv(
    database: DynamicDatabase, filled: Repository, expected: dict[str, Any], tmp_path: Path
) -> None:
    database.export_merged_data([filled], tmp_path / "disk", "tactics_huggingface")
    loaded = datasets.load_from_disk(str(tmp_path / "disk" / "random"))
    assert {split: rows.to_list() for split, rows in loaded.items()} == expected
    database.export_merged_data([filled], tmp_path / "csv", "tactics_csv")
    table = datasets.load_dataset(str(tmp_path / "csv"), "random")
    read = table["train"].map(lambda row: {name: json.loads(row[name]) for name in ("prompt", "completion")})
    assert read.to_list() == expected["train"]


def test_pandas_and_csv_read_a_table(
    database: DynamicDatabase, filled: Repository, expected: dict[str, Any], tmp_path: Path
) -> None:
    for kind in ("tactics_parquet", "tactics_csv"):
        database.export_merged_data([filled], tmp_path / kind, kind)  # two formats
    columns = pandas.read_parquet(tmp_path / "tactics_parquet" / "random" / "train-00000-of-00001.parquet")
    assert list(columns) == COLUMNS
    assert list(columns["tactic"]) == [row["tactic"] for row in expected["train"]]
    path = tmp_path / "tactics_csv" / "random" / "train.csv"
    table = pandas.read_csv(path, keep_default_na=False)
    assert list(table) == COLUMNS
    assert list(table["position"]) == [row["position"] for row in expected["train"]]
    with path.open(encoding="utf-8", newline="") as file:
        rows = [
            {**row, "position": int(row["position"]), **{n: json.loads(row[n]) for n in ("prompt", "completion")}}
            for row in csv.DictReader(file)
        ]
    assert rows == expected["train"]


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_has_a_card_and_its_folder_holds_nothing_else(
    kind: TableFormat, database: DynamicDatabase, filled: Repository, tmp_path: Path
) -> None:
    metadata = database.export_merged_data([filled], tmp_path / "x", kind)
    assert sum(metadata["splits"]["random"][split] for split in SPLITS) == 89
    card = (tmp_path / "x" / "README.md").read_text(encoding="utf-8")
    assert "89 steps of the proofs of 60 theorems" in card
    assert card_format(card) == kind
    with pytest.raises(DatabaseError, match=f"holds an export as {kind}"):
        database.export_merged_data([filled], tmp_path / "x", "jsonl")
