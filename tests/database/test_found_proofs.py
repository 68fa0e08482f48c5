"""Proofs that practice has found: kept where they are judged and shortest, exported beside the traced ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lean_agent.cli.main import app
from lean_agent.database import DynamicDatabase, schema
from lean_agent.database.records import FoundProof, FoundTactic, PassRate
from lean_agent.database.splits import random_split
from lean_agent.errors import DatabaseError
from lean_agent.lean.types import TracedFile, TracedTheorem, Verdict
from lean_agent.tracing import Repository

TRAIN, TEST = (next(str(n) for n in range(100) if random_split(str(n)) == split) for split in ("train", "test"))


@pytest.fixture
def filled(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> DynamicDatabase:
    theorems = [make_theorem("a", steps=2), make_theorem("b", sorry=True, type_hash=TRAIN)]
    database.add_repository(repository)
    database.store_file(
        repository, make_file("A.lean", [*theorems, make_theorem("c", sorry=True, type_hash=TEST)]), "1"
    )
    return database


def proof_of(repository: Repository, name: str, *steps: str, number: int = 1) -> FoundProof:
    tactics = tuple(FoundTactic(step, f"⊢ {step}", "no goals") for step in steps)
    return FoundProof(repository, "A.lean", name, f"by {'; '.join(steps)}", tactics, "improve", number)


def store(database: DynamicDatabase, proof: FoundProof) -> bool:
    """Store a proof as a prover does that has had it judged, then as found."""
    place = (proof.repository, proof.file_path, proof.full_name)
    database.store_proof(*place, proof.script, Verdict("accepted", ""), source="improve")
    return database.store_found_proof(proof)


def test_a_shorter_proof_takes_the_place_of_a_longer_one(filled: DynamicDatabase, repository: Repository) -> None:
    assert store(filled, proof_of(repository, "b", "x", "y"))
    assert not store(filled, proof_of(repository, "b", "long", "est"))  # as many steps, more text
    assert not store(filled, proof_of(repository, "b", "x", "y", "z"))
    shorter = proof_of(repository, "b", "simp", number=2)
    assert store(filled, shorter)
    assert filled.found_proofs() == filled.found_proofs([repository]) == [shorter]
    known = replace(shorter, tactics=(FoundTactic("sim", "⊢ simp", "no goals"),))  # the same, by less of a tactic
    assert filled.store_found_proof(known) and not filled.store_found_proof(shorter)
    shorter = known
    cheat = proof_of(repository, "b", "rfl")
    filled.store_proof(repository, "A.lean", "b", cheat.script, Verdict("axiom", "cheats"), source="improve")
    with pytest.raises(DatabaseError, match="has to be judged first"):
        filled.store_found_proof(cheat)
    assert filled.found_proofs() == [shorter]


def test_found_proofs_are_exported_beside_the_traced_ones(
    filled: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    store(filled, proof_of(repository, "b", "simp", "rfl", number=3))
    metadata = filled.export_merged_data([repository], tmp_path / "x")
    (entry,) = json.loads((tmp_path / "x" / "found" / "train.json").read_text(encoding="utf-8"))
    assert (entry["full_name"], entry["proof"], entry["found_by"], entry["round"]) == (
        "b",
        "by simp; rfl",
        "improve",
        3,
    )
    assert [tactic["step"] for tactic in entry["traced_tactics"]] == ["simp", "rfl"]
    assert metadata["found"] == {"proofs": 1, "train": 1, "val": 0, "test": 0}
    assert (metadata["proved"], metadata["sorries"], metadata["repositories"][0]["found"]) == (1, 2, 1)
    card = (tmp_path / "x" / "README.md").read_text(encoding="utf-8")
    assert "1 proof that lean_agent found itself" in card
    assert {path.name for path in (tmp_path / "x" / "found").iterdir()} == {"train.json"}
    # c's statement belongs to test, and its proof stands there; no split of traced proofs has either.
    store(filled, proof_of(repository, "c", "rfl"))
    assert filled.export_merged_data([repository], tmp_path / "x")["found"]["test"] == 1
    traced = [
        entry["full_name"]
        for file in (tmp_path / "x" / "random").iterdir()
        for entry in json.loads(file.read_text(encoding="utf-8"))
    ]
    assert traced == ["a"]


def test_every_format_has_them_with_their_origin(
    filled: DynamicDatabase, repository: Repository, tmp_path: Path, hub_cache: Path
) -> None:
    from datasets import load_dataset, load_from_disk

    store(filled, proof_of(repository, "b", "simp", "rfl", number=3))
    for kind in ("jsonl", "parquet", "huggingface", "tactics_jsonl", "tactics_parquet", "tactics_csv"):
        folder = tmp_path / kind
        filled.export_merged_data([repository], folder, kind)
        if kind == "huggingface":
            rows = load_from_disk(str(folder / "found"))["train"]
        else:
            rows = load_dataset(str(folder), "found", split="train", cache_dir=str(tmp_path / "cache"))
        assert len(rows) == (2 if kind.startswith("tactics") else 1)
        assert {(row["full_name"], row["found_by"], row["round"]) for row in rows} == {("b", "improve", 3)}


def test_an_export_without_them_removes_those_of_the_one_before(
    filled: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    store(filled, proof_of(repository, "b", "simp"))
    filled.export_merged_data([repository], tmp_path / "x")
    filled.export_merged_data([], tmp_path / "x")
    assert not list((tmp_path / "x" / "found").iterdir())


def test_they_go_with_their_repository_and_come_with_another_database(
    filled: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    long, short = proof_of(repository, "b", "x", "y"), proof_of(repository, "b", "z")
    store(filled, short)
    with DynamicDatabase(tmp_path / "other.db") as other:
        other.merge(filled.path)
        assert other.found_proofs() == [short]
        other.delete_repository(repository)
        assert other.found_proofs() == []
        other.merge(filled.path)
        with DynamicDatabase(tmp_path / "third.db") as third:
            third.merge(filled.path)
            store(third, replace(long, full_name="c"))
        store(other, replace(short, full_name="c"))
        other.merge(tmp_path / "third.db")  # has a longer one of c
        assert [len(proof.tactics) for proof in other.found_proofs()] == [1, 1]


def test_a_database_from_before_is_brought_up_to_date(tmp_path: Path, repository: Repository) -> None:
    path = tmp_path / "db"
    schema.connect(path, schema.MIGRATIONS[:10]).close()
    with DynamicDatabase(path) as database:
        database.add_repository(repository)
        assert database.found_proofs() == []
        assert store(database, proof_of(repository, "b", "simp"))


def test_pass_rates_are_those_of_the_sources(filled: DynamicDatabase, repository: Repository) -> None:
    for source, proved in (("one", True), ("one", False), ("two", False), ("other", True)):
        filled.store_attempt(repository, "A.lean", "b", source=source, proved=proved)
    key = (repository.url, repository.commit, "A.lean", "b")
    assert filled.pass_rates([repository], ("one", "two")) == {key: PassRate(tried=3, proved=1)}


def test_the_command_says_how_many_there_are(filled: DynamicDatabase, repository: Repository, tmp_path: Path) -> None:
    store(filled, proof_of(repository, "b", "simp"))
    result = CliRunner().invoke(app, ["export", "jsonl", str(tmp_path / "x"), "--database", str(filled.path)])
    assert "found/: 1 proof that practice has found." in result.output
