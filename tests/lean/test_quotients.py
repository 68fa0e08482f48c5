"""What equality and functions of a quotient mean at representatives, by Lean's own word, and what that proves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import with_help
from tests.lean.traced_project import told, traced_project

pytestmark = pytest.mark.lean

BASE = """def rel (p q : Nat × Nat) : Prop := p.1 + q.2 = q.1 + p.2

instance pairs : Setoid (Nat × Nat) where
  r := rel
  iseqv := ⟨fun _ => rfl, Eq.symm, fun {x y z} h k => by simp only [rel] at *; omega⟩

def Z := Quotient pairs

namespace Z

def mk (a b : Nat) : Z := Quotient.mk pairs (a, b)

theorem sound {a b c d : Nat} (h : a + d = c + b) : mk a b = mk c d := Quotient.sound (s := pairs) h

def add : Z → Z → Z :=
  Quotient.lift₂ (fun p q => mk (p.1 + q.1) (p.2 + q.2)) fun a b c d h k => by
    apply sound
    have h : rel a c := h
    have k : rel b d := k
    simp only [rel] at *
    omega

instance : Add Z := ⟨add⟩
instance : Neg Z where
  neg := Quotient.lift (fun p => mk p.2 p.1) fun a b h => by
    apply sound
    have h : rel a b := h
    simp only [rel] at *
    omega

theorem add_comm (x y : Z) : x + y = y + x := by sorry
theorem add_left_cancel (x y z : Z) (h : x + y = x + z) : y = z := by sorry
theorem neg_neg (x : Z) : - -x = x := by sorry
theorem zero_ne_one : mk 0 0 ≠ mk 1 0 := by sorry
theorem of_all : ∀ x : Z, x + x = x + x := by sorry

end Z

def modulo (n : Nat) : Setoid Nat := ⟨fun a b => a % n = b % n, ⟨fun _ => rfl, Eq.symm, Eq.trans⟩⟩

theorem of_numbers (n a : Nat) : Quotient.mk (modulo n) (a + n) = Quotient.mk (modulo n) a := by sorry

inductive Swap : List Nat → List Nat → Prop where
  | swap (a b : Nat) (xs : List Nat) : Swap (a :: b :: xs) (b :: a :: xs)

def Bag := Quot Swap

theorem of_bags (s : Bag) (a b : Nat) (xs : List Nat) (h : s = Quot.mk Swap (a :: b :: xs)) :
    s = Quot.mk Swap (b :: a :: xs) := by sorry
theorem of_no_quotient (n : Nat) : n + 0 = n := by sorry
"""
EQUAL = (
    "have equal_of_representatives : ∀ (a b : Nat × Nat), (Quotient.mk pairs a = Quotient.mk pairs b) = rel a b"
    " := fun _ _ => propext ⟨fun h => Quotient.exact h, fun h => Quotient.sound h⟩"
)
ADD = (
    "have add_means : ∀ (x_1 y_1 : Nat × Nat), add (Quotient.mk pairs x_1) (Quotient.mk pairs y_1)"
    " = mk (x_1.fst + y_1.fst) (x_1.snd + y_1.snd) := fun _ _ => rfl"
)
MK = "have mk_means : ∀ (x y : Nat), mk x y = Quotient.mk pairs (x, y) := fun _ _ => rfl"


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("quotients"), Base=BASE)


@pytest.mark.parametrize(
    ("theorem", "said"),
    [
        ("Z.zero_ne_one", [EQUAL, MK]),
        ("of_no_quotient", []),
    ],
)
def test_what_is_told(lean: LeanPool, project: LeanProject, theorem: str, said: list[str]) -> None:
    assert told(lean, lean.goal_start(TheoremSite(project, "Base.lean", theorem)), "notation") == said


def test_variables_get_representatives(lean: LeanPool, project: LeanProject) -> None:
    start = lean.goal_start(TheoremSite(project, "Base.lean", "Z.add_comm"))
    said = told(lean, start, "notation")
    assert said[:2] == [f"obtain ⟨{name}, rfl⟩ := Quotient.exists_rep {name}" for name in ("x", "y")]
    assert EQUAL in said and ADD in said
    (goal,) = lean.goal_tactic(start, "; ".join(said)).goals
    assert goal.target == "Quotient.mk pairs x + Quotient.mk pairs y = Quotient.mk pairs y + Quotient.mk pairs x"


@pytest.mark.parametrize(
    ("theorem", "closer"),
    [
        ("Z.add_comm", None),
        ("Z.add_left_cancel", None),
        ("Z.neg_neg", None),
        ("Z.zero_ne_one", None),
        ("of_numbers", "simp_all"),
        ("of_bags", "grind [Swap]"),
    ],
)
def test_what_that_proves(lean: LeanPool, project: LeanProject, theorem: str, closer: str | None) -> None:
    """And it is told once."""
    start = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    after = lean.goal_tactic(start, "; ".join(told(lean, start, "notation")))
    assert told(lean, after, "notation") == []
    (goal,) = after.goals
    (tactic,) = tactics_of("grind [{lemmas}]", with_help(goal.text, names=replace(names_of(goal), not_for_grind=())))
    assert lean.goal_tactic(after, closer or tactic).is_solved
