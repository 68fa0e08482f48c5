"""A recorded proof is whole: with `termination_by`, `decreasing_by` and the helpers of its `where`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.cli.commands.verify import verify_files
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.prover.proofs.proof_text import proof_span, with_proof

pytestmark = pytest.mark.lean

SOURCE = """\
def f : Nat := 2
theorem inTerm : f = 2 := two where two : f = 2 := rfl
theorem inTactics : f = 2 := by
  exact two
where
  two : f = 2 := by
    rfl
theorem wellFounded : (n : Nat) → 0 + n = n := fun n => match n with
  | 0 => rfl
  | n + 1 => congrArg (· + 1) (wellFounded n)
termination_by n => n
decreasing_by
  exact Nat.lt_succ_self _
theorem equations : (n : Nat) → 0 + n = n
  | 0 => rfl
  | n + 1 => step (equations n)
  termination_by n => n
  decreasing_by exact Nat.lt_succ_self _
where
  step {n : Nat} (h : 0 + n = n) : 0 + (n + 1) = n + 1 := by
    rw [← Nat.add_assoc, h]
theorem recursive (n : Nat) : 0 + n = n := by
  cases n with
  | zero => rfl
  | succ n => exact congrArg (· + 1) (recursive n)
termination_by n
decreasing_by decreasing_tactic
theorem fields : 1 = 1 ∧ f = 2 where
  left := rfl
  right := two
where two : f = 2 := rfl
"""
ENDS = {
    "inTerm": ("two where two", "f = 2 := rfl"),
    "inTactics": ("by\n  exact two", "by\n    rfl"),
    "wellFounded": ("fun n => match", "exact Nat.lt_succ_self _"),
    "equations": ("| 0 => rfl", "rw [← Nat.add_assoc, h]"),
    "recursive": ("by\n  cases n", "decreasing_by decreasing_tactic"),
    "fields": ("where\n  left", "two : f = 2 := rfl"),
}


def test_a_proof_is_recorded_whole_accepted_and_replaced_whole(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(SOURCE, encoding="utf-8")
    project = LeanProject(tmp_path, tmp_path / "build")
    traced = lean.trace_file(project, "A.lean")
    assert traced.errors == ()
    theorems = {theorem.full_name: theorem for theorem in traced.theorems}
    assert theorems.keys() == ENDS.keys()
    for name, (begin, end) in ENDS.items():
        theorem = theorems[name]
        assert theorem.proof.startswith(begin), name
        assert theorem.proof.endswith(end), name
        assert lean.verify(TheoremSite(project, "A.lean", name), theorem.proof).accepted, name
        first, last = proof_span(SOURCE.encode(), theorem)
        assert SOURCE.encode()[first:last].decode() == theorem.proof
        # nothing of the old proof stays behind
        written = with_proof(SOURCE.encode(), theorem, "by sorry").decode()
        assert end not in written[len(SOURCE.encode()[:first].decode()) :].split("\ntheorem")[0], name


def test_a_file_whose_proofs_have_helpers_is_accepted(
    lean: LeanPool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "A.lean").write_text(SOURCE, encoding="utf-8")
    assert verify_files([tmp_path / "A.lean"], server=lean)
    lines = capsys.readouterr().out.splitlines()
    assert all(any(line.startswith(f"{name}: accepted") for line in lines) for name in ENDS)


@pytest.mark.parametrize("end", ["import Lean", "#exit"])
def test_a_file_that_ends_early_says_so(lean: LeanPool, tmp_path: Path, end: str) -> None:
    """As stock Lean does: an `import` after the first command is an error, and the last thing that is read."""
    (tmp_path / "A.lean").write_text(f"theorem a : 1 = 1 := rfl\n{end}\ntheorem target : False := sorry\n")
    traced = lean.trace_file(LeanProject(tmp_path, tmp_path / "build"), "A.lean")
    assert [theorem.full_name for theorem in traced.theorems] == ["a"]
    words = {"import Lean": "invalid 'import' command", "#exit": "using 'exit' to interrupt Lean"}
    (message,) = traced.messages
    assert message.text.startswith(words[end])
    assert [(message.text, message.start.line) for message in traced.beside_theorems] == [
        ("what follows was not read", 2)
    ]
    assert not verify_files([tmp_path / "A.lean"], server=lean)
