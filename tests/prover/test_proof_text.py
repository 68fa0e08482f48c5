"""Scripts become blocks, and proofs go into files where the old ones stood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.errors import TraceError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.source import by_block
from lean_agent.lean.types import Position, ProofMode, TracedTheorem
from lean_agent.prover.proofs.proof_text import proof_span, with_proof


def theorem(source: str, declaration: str, statement: str, proof: str, mode: ProofMode = "tactic") -> TracedTheorem:
    start = len(source[: source.index(declaration)].encode())
    return TracedTheorem(
        full_name="t",
        statement=statement,
        proof=proof,
        mode=mode,
        has_sorry=True,
        type="",
        type_hash="",
        start=start,
        end=start + len(declaration.encode()),
        start_pos=Position(1, 0),
        end_pos=Position(1, 0),
    )


def test_a_block_has_one_line_a_tactic_and_keeps_relative_indentation() -> None:
    assert by_block(["intro h"]) == "by\n  intro h"
    assert by_block(["cases h", "· exact\n    a"], 4) == "by\n      cases h\n      · exact\n          a"
    assert by_block(["cases h with\n| inl a => ?_\n| inr b => ?_", "exact\n  a"]) == (
        "by\n  cases h with\n  | inl a => ?_\n  | inr b => ?_\n  exact\n    a"
    )


@pytest.mark.parametrize(
    ("declaration", "statement", "proof", "mode", "expected"),
    [
        ("theorem t : p → p := by sorry", "theorem t : p → p", "by sorry", "tactic", "theorem t : p → p := by\n  NEW"),
        ("theorem t : p → p :=\n  sorry", "theorem t : p → p", "sorry", "term", "theorem t : p → p :=\n  by\n  NEW"),
        (
            "/-- sorry, «∀» -/\n@[simp] theorem t : p :=\n  by sorry\n",
            "theorem t : p",
            "by sorry",
            "tactic",
            "/-- sorry, «∀» -/\n@[simp] theorem t : p :=\n  by\n  NEW\n",
        ),
        (
            "theorem t : Nat → p\n  | 0 => sorry\n  | n + 1 => sorry",
            "theorem t : Nat → p",
            "| 0 => sorry\n  | n + 1 => sorry",
            "equations",
            "theorem t : Nat → p\n  := by\n  NEW",
        ),
        (
            "theorem t : p := by sorry\ntermination_by 0",
            "theorem t : p",
            "by sorry",
            "tactic",
            "theorem t : p := by\n  NEW\ntermination_by 0",
        ),
        ("theorem t : h := /- h -/ h", "theorem t : h", "h", "term", "theorem t : h := /- h -/ by\n  NEW"),
    ],
)
def test_only_the_proof_changes(declaration: str, statement: str, proof: str, mode: ProofMode, expected: str) -> None:
    before, after = "-- ∀ by sorry\ntheorem s : p := by sorry\n\n", "\n\ntheorem u : p := by sorry\n"
    source = before + declaration + after
    traced = theorem(source, declaration, statement, proof, mode)
    assert with_proof(source.encode(), traced, by_block(["NEW"])).decode() == before + expected + after
    start, end = proof_span(source.encode(), traced)
    assert source.encode()[start:end].decode() == proof


@pytest.mark.lean
def test_a_proof_stands_further_to_the_right_than_its_theorem(tmp_path: Path, lean: LeanPool) -> None:
    text = "namespace Deep\n    theorem inside (p q : Prop) (h : p ∧ q) : q ∧ p := by\n      sorry\nend Deep\n"
    (tmp_path / "Deep.lean").write_text(text, encoding="utf-8")
    options: dict[str, Any] = {"database": tmp_path / "database.sqlite", "runs_dir": tmp_path / "runs"}
    with ScriptedAgent(lean=lean, progress=False, **options) as agent:
        (result,) = agent.prove(theorems=agent.theorems_of(tmp_path / "Deep.lean"))
    assert result.proved and result.path is not None
    first, *lines = result.proof.splitlines()
    assert first == "by" and lines and all(line.startswith("      ") for line in lines)
    assert result.proof in result.path.read_text(encoding="utf-8")


def test_a_file_that_has_changed_is_refused() -> None:
    source = "theorem t : p := by sorry"
    traced = theorem(source, source, "theorem t : p", "by sorry")
    for changed in ("theorem s : p := by sorry", "theorem t : p := by rfl  ", ""):
        with pytest.raises(TraceError, match="changed"):
            with_proof(changed.encode(), traced, "by rfl")
