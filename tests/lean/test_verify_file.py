"""Ask the judge of whole files and texts about honest ones, and read what it says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.errors import LeanRequestError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, Position

pytestmark = pytest.mark.lean

HONEST = """structure Point where
  x : Nat
  y : Nat
  deriving Repr, BEq, DecidableEq

inductive Tree (α : Type u) where
  | node : α → List (Tree α) → Tree α

def half : Nat → Nat
  | 0 | 1 => 0
  | n + 2 => half n + 1

theorem half_le (n : Nat) : half n ≤ n := by
  fun_induction half n <;> omega

def gcd' (m n : Nat) : Nat := if h : m = 0 then n else gcd' (n % m) m
termination_by m
decreasing_by exact Nat.mod_lt _ (by omega)

theorem by_helper (n : Nat) : ∃ m, m = 2 * n := helper n
where
  helper (n : Nat) : ∃ m, m = 2 * n := ⟨2 * n, rfl⟩

theorem by_recursion : ∀ n : Nat, 0 ≤ n
  | 0 => Nat.le_refl 0
  | n + 1 => Nat.le_succ_of_le (by_recursion n)

theorem down (n : Nat) (h : n > 0) : ∃ m, m < n := go n h
where
  go (n : Nat) (h : n > 0) : ∃ m, m < n :=
    if g : n = 1 then ⟨0, by omega⟩ else
      have ⟨m, _⟩ := go (n - 1) (by omega)
      ⟨m, by omega⟩
  termination_by n
  decreasing_by omega

mutual
theorem even_or (n : Nat) : n % 2 = 0 ∨ n % 2 = 1 := by omega
theorem odd_or (n : Nat) : n % 2 = 1 ∨ n % 2 = 0 := by omega
end

namespace Inner
private theorem hidden : 2 = 2 := rfl
theorem em' (p : Prop) : p ∨ ¬p := by by_cases h : p <;> simp [h]
end Inner

theorem _root_.Outer.here : 3 = 3 := rfl
theorem «two words» : 4 = 4 := rfl
instance : Add Point := ⟨fun p q => ⟨p.x + q.x, p.y + q.y⟩⟩
partial def loop (n : Nat) : Nat := loop (n + 1)
noncomputable def chosen : Nat := Classical.choice ⟨0⟩

example : 1 = 1 := rfl
example (n : Nat) : half n ≤ n := half_le n
noncomputable example : Nat := chosen
open Nat in
example (n : Nat) : n < succ n := lt_succ_self n
"""


def test_every_declaration_of_an_honest_file_is_accepted(lean: LeanPool) -> None:
    verdict = lean.verify_text(HONEST)
    assert verdict.accepted, ([d for d in verdict.declarations if not d.verdict.accepted], verdict.against)
    assert [(claim.name, claim.start.line) for claim in verdict.claims] == [
        ("half_le", 13),
        ("by_helper", 20),
        ("by_helper.helper", 22),
        ("by_recursion", 24),
        ("down", 28),
        ("down.go", 30),
        ("even_or", 38),
        ("odd_or", 39),
        ("Inner.hidden", 43),
        ("Inner.em'", 44),
        ("Outer.here", 47),
        ("«two words»", 48),
        ("example", 53),
        ("example", 54),
        ("example", 55),
        ("example", 56 + 1),
    ]
    by_name = {claim.name: claim for claim in verdict.declarations}
    assert by_name["half_le"].verdict.statement == "∀ (n : Nat), half n ≤ n"
    assert set(by_name["Inner.em'"].verdict.axioms) <= {"propext", "Classical.choice", "Quot.sound"}
    assert by_name["chosen"].verdict.axioms == ("Classical.choice",)
    assert by_name["half_le"].start == Position(13, 0)
    assert any("`loop` is unsafe or partial" in note.text for note in verdict.notes) or "loop" in by_name


PROGRAMS = """import Lean
open Lean Elab Command Tactic
macro "finish" : tactic => `(tactic| omega)
macro "declare" n:ident : command => `(theorem $n : 1 = 1 := rfl)
elab "close" : tactic => do (← getMainGoal).refl
notation "⟪" n "⟫" => n + n
structure Pair (α : Type u) where
  first : α
  second : α
theorem twice (n : Nat) : ⟪n⟫ = 2 * n := by finish
declare made
theorem closed : 2 = 2 := by close
example (n : Nat) : ⟪n⟫ = n + n := by close
#eval (pure () : IO Unit)
"""


def test_a_file_with_programs_is_judged_by_a_second_process(lean: LeanPool, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = lean.verify_text(PROGRAMS)
    assert verdict.accepted, ([d for d in verdict.declarations if not d.verdict.accepted], verdict.against)
    assert [claim.name for claim in verdict.claims] == ["twice", "made", "closed", "example"]
    assert verdict.claims[0].verdict.statement == "∀ (n : Nat), n + n = 2 * n"
    assert [note.start.line for note in verdict.notes] == [3]

    honest = lean._kernel_check.ask

    async def forgetful(op: str, timeout_s: float, **fields: object) -> dict[str, object]:
        exports = fields.pop("exports")
        assert isinstance(exports, list)
        return await honest(op, timeout_s, exports=exports[:1], **fields)

    monkeypatch.setattr(lean._kernel_check, "ask", forgetful)  # what no second process has seen is not believed
    refused = [claim for claim in lean.verify_text(PROGRAMS).claims if not claim.verdict.accepted]
    assert [(claim.name, claim.verdict.kind) for claim in refused] == [("example", "kernel")]


def test_a_file_is_elaborated_once(lean: LeanPool) -> None:
    text = "".join(f'theorem t{n} : {n} + 0 = {n} := by\n  trace "here {n}"\n  rfl\n' for n in range(30))
    verdict = lean.verify_text(text)
    assert verdict.accepted and len(verdict.claims) == 30
    assert [m.text for m in verdict.messages] == [f"here {n}" for n in range(30)]


def test_what_a_file_of_a_project_imports_is_looked_into(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "Base.lean").write_text(
        "axiom lies : False\ntheorem good : 1 = 1 := rfl\ntheorem bad : 1 = 2 := lies.elim\n"
    )
    (tmp_path / "Top.lean").write_text(
        "import Base\ntheorem a : 1 = 1 := good\ntheorem b : 1 = 2 := bad\nexample := bad\n"
    )
    project = LeanProject(tmp_path, tmp_path / "build")
    lean.trace_file(project, "Base.lean")
    verdict = lean.verify_file(project, "Top.lean")
    assert [(c.name, c.verdict.kind, c.verdict.axioms) for c in verdict.claims] == [
        ("a", "accepted", ()),
        ("b", "axiom", ("lies",)),
        ("example", "axiom", ("lies",)),
    ]
    assert verdict.claims[1].verdict.reason == "it rests on `lies`"
    allowed = lean.verify_text("import Base\ntheorem b : 1 = 2 := bad\n", project=project, allowed_axioms=["lies"])
    assert allowed.accepted and allowed.claims[0].verdict.axioms == ("lies",)


def test_what_an_imported_file_prints_is_not_believed(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "Base.lean").write_text(
        "import Lean\n@[app_unexpander Eq] def un : Lean.PrettyPrinter.Unexpander := fun _ => `(True)\n"
    )
    project = LeanProject(tmp_path, tmp_path / "build")
    lean.trace_file(project, "Base.lean")
    (claim,) = lean.verify_text("import Base\ntheorem t : 1 = 1 := rfl\n", project=project).claims
    assert claim.verdict.statement in ("1 = 1", "Eq 1 1")


def test_a_text_that_does_not_end_is_a_problem(lean: LeanPool) -> None:
    loop = "def f : Nat → Nat := fun n => Id.run do\n  let mut n := n\n  repeat n := n + 1\n  return n\n#eval f 0\n"
    verdict = lean.verify_text("theorem a : True := trivial\n" + loop, timeout_s=1.0)
    assert not verdict.accepted and "timeout: not judged within 1 s" in verdict.against[0].text
    assert verdict.kind == "timeout"
    assert lean.verify_text("theorem a : True := trivial\n").accepted


def test_a_file_that_is_not_there(lean: LeanPool, tmp_path: Path) -> None:
    with pytest.raises(LeanRequestError, match="there is no file"):
        lean.verify_file(LeanProject(tmp_path, tmp_path / "build"), "A.lean")
    with pytest.raises(LeanRequestError, match="surrogate"):
        lean.verify_text("-- \ud800")
