"""Theorems as JSON Lines (``name``, ``statement``, ``context``, ``imports``), traced by real Lean and then proved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.evaluation.benchmarks.problem import project_of, read_problems
from lean_agent.lean.pool import LeanPool
from lean_agent.tracing import trace_repository

pytestmark = pytest.mark.lean

ROWS = [
    {"name": "add_zero", "statement": "theorem add_zero (n : Nat) : n + 0 = n", "context": "", "imports": []},
    {
        "name": "Even.double",
        "statement": "theorem Even.double (n : Nat) : Even (n + n)",
        "context": "open Nat\nvariable {α : Type}\ndef Even (n : Nat) : Prop := ∃ k, n = k + k",
        "imports": [],
    },
    {
        "name": "size_empty",
        "statement": "theorem size_empty : (∅ : Std.HashMap Nat Nat).size = 0",
        "context": "",
        "imports": ["Std.Data.HashMap"],
    },
    {"name": "far", "statement": "theorem far (n : Nat) : n = n", "context": "", "imports": ["Mathlib"]},
    {"name": "odd", "statement": "theorem odd : unknown_thing 1", "context": "", "imports": []},
]
PROOFS = {"add_zero": "rfl", "Even.double": "⟨n, rfl⟩", "size_empty": "by simp"}


@pytest.mark.usefixtures("own_cache")
def test_rows_become_open_theorems_that_can_be_proved(lean: LeanPool, tmp_path: Path) -> None:
    path = tmp_path / "theorems.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS), encoding="utf-8")
    repository, files = project_of("theorems", read_problems(path))
    with DynamicDatabase(tmp_path / "lean_agent.db") as database:
        traced = trace_repository(repository, lean, database=database, progress=False)
        stored = {theorem.full_name: theorem for theorem in database.theorems(repository, sorry=True)}
        errors = [(Path(where).stem, "unknown_thing" in error.text) for where, error in traced.errors]
    # three stand open, with statement and context as given; the others say what they lack
    statements = {row["name"]: row["statement"] for row in ROWS}
    assert {name: one.theorem.statement for name, one in stored.items()} == {n: statements[n] for n in PROOFS}
    assert [skipped.reason for skipped in traced.skipped] == [
        "needs Mathlib, which is no part of the project (import Mathlib)"
    ]
    assert errors == [("odd", True)]
    assert stored["size_empty"].theorem.type == "∅.size = 0"
    for name, proof in PROOFS.items():
        verdict = lean.verify(stored[name].site, proof)
        assert verdict.accepted, (name, verdict.reason)
        assert not lean.verify(stored[name].site, "by sorry").accepted
    assert len(files) == len(ROWS)
