"""Numbers that exist by an equation, as Lean solves it; what such definitions mean; and functions that exist."""

from __future__ import annotations

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from tests.lean.traced_project import told, traced_project

pytestmark = pytest.mark.lean

BASE = """def Even (a : Int) : Prop := ∃ k, a = k + k
def Odd (a : Int) : Prop := ∃ k, a = 2 * k + 1
def OfThree (n : Nat) : Prop := ∃ m, 3 * m + 2 = n
def TooMuch (n : Nat) : Prop := ∃ m, n = 2 * m + 5
def Divides (d n : Nat) : Prop := ∃ k, n = d * k
def Square (n : Nat) : Prop := ∃ k, n = k * k

theorem odd_mul {a b : Int} (ha : Odd a) (hb : Odd b) : Odd (a * b) := by sorry
theorem even_sub {a b : Int} (ha : Even a) (hb : Even b) : Even (a - b) := by sorry
theorem divides_self (n : Nat) : Divides n n := by sorry
theorem divides_zero (n : Nat) : Divides n 0 := by sorry
theorem divides_mul {a b c d : Nat} (h : Divides a b) (h' : Divides c d) : Divides (a * c) (b * d) := by sorry
theorem divides_of_add {d a b : Nat} (ha : Divides d a) (hab : Divides d (a + b)) : Divides d b := by sorry
theorem divides_trans {a b c : Nat} (h : a ∣ b) (h' : b ∣ c) : ∃ k, c = k * a := by sorry
theorem with_difference {x y z : Int} (h : ∃ k, x - y = 7 * k) (h' : ∃ k, y - z = 7 * k) : ∃ k, x - z = 7 * k := by
  sorry
theorem half (n : Nat) (h : n % 2 = 1) : ∃ k, n = 2 * k + 1 := by sorry
theorem not_linear (n : Nat) (h : n = 4) : Square n := by sorry
theorem not_a_number (p : Nat → Prop) (h : p 3) : ∃ n, p n := by sorry
theorem even_or_odd (a : Int) : Even a ∨ Odd a := by sorry
theorem of_three (n : Nat) (h : OfThree n) : ¬ OfThree (n + 1) := by sorry
theorem too_much (n : Nat) (h : TooMuch n) : 5 ≤ n := by sorry

def Surjective {α β : Type} (f : α → β) : Prop := ∀ b, ∃ a, f a = b

theorem cantor {α : Type} (f : α → α → Prop) (h : Surjective f) : False := by sorry
theorem cantor_bool (f : Nat → Nat → Bool) (h : Surjective f) : False := by sorry
theorem right_inverse {α β : Type} (f : α → β) (h : Surjective f) : ∃ g : β → α, ∀ b, f (g b) = b := by sorry

def Set (α : Type) := α → Prop
def inter {α : Type} (s t : Set α) : Set α := fun x => s x ∧ t x

theorem inter_comm {α : Type} (s t : Set α) : inter s t = inter t s := by sorry

def tick : StateM Nat Nat := do
  let n ← get
  set (n + 1)
  return n

def twice : StateM Nat Nat := do
  let a ← tick
  let b ← tick
  return a + b

theorem twice_run (n : Nat) : twice.run n = (2 * n + 1, n + 2) := by sorry
"""


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("witnesses"), Base=BASE)


@pytest.mark.parametrize(
    ("theorem", "witness"),
    [
        ("odd_mul", "2 * k * k_1 + k + k_1"),
        ("even_sub", "k - k_1"),
        ("divides_self", "1"),
        ("divides_zero", "0"),
        ("divides_mul", "k * k_1"),
        ("divides_of_add", "k_1 - k"),
        ("divides_trans", "c_1 * c_2"),
        ("with_difference", "k + k_1"),
        ("half", "n / 2"),
        ("not_linear", None),
        ("not_a_number", None),
    ],
)
def test_an_equation_is_solved(lean: LeanPool, project: LeanProject, theorem: str, witness: str | None) -> None:
    start = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    tactics = told(lean, start, "witness")
    if witness is None:
        assert not tactics
        return
    (tactic,) = tactics
    assert tactic.rpartition("exact ⟨")[2].partition(", by ")[0] == witness
    assert lean.goal_tactic(start, tactic).is_solved


@pytest.mark.parametrize(
    ("theorem", "said", "closer"),
    [
        (
            "even_or_odd",
            ["even_means : ∀ (a_1 : Int), Even a_1 ↔ a_1 % (2 : Int) = (0 : Int)", "odd_means : ∀ (a_1 : Int), Odd"],
            "grind",
        ),
        ("of_three", ["ofThree_means : ∀ (n_1 : Nat), OfThree n_1 ↔ n_1 % (3 : Nat) = (2 : Nat)"], "grind"),
        ("too_much", [], None),  # it is no matter of remainders alone
        (
            "inter_comm",
            ["equal_of_values : ∀ (f g : Set α), (f = g) = ∀ (x : α), f x = g x"],
            "simp_all [inter]; grind",
        ),
        ("twice_run", ["pure_means : ", "bind_means : ", "map_means : "], "simp_all [twice, tick]; grind"),
    ],
)
def test_what_definitions_mean(
    lean: LeanPool, project: LeanProject, theorem: str, said: list[str], closer: str | None
) -> None:
    """Said once, and proved on the way."""
    start = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    meanings = told(lean, start, "notation")
    assert len(meanings) == len(said), meanings
    assert all(a.startswith(f"have {b}") for a, b in zip(meanings, said, strict=True)), meanings
    if closer is not None:
        after = lean.goal_tactic(start, "; ".join(meanings))
        assert not told(lean, after, "notation")
        assert lean.goal_tactic(after, closer).is_solved


@pytest.mark.parametrize(
    ("theorem", "proof", "closer"),
    [
        ("cantor", "(h (fun x => ¬f x x)).imp fun x e => congrFun e x", "grind"),
        ("cantor_bool", "(h (fun x => !f x x)).imp fun x e => congrFun e x", "grind"),
        ("right_inverse", "Classical.axiomOfChoice h", "exact said"),
    ],
)
def test_what_is_said_to_exist_for_functions(
    lean: LeanPool, project: LeanProject, theorem: str, proof: str, closer: str
) -> None:
    start = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    assert proof in told(lean, start, "applied")
    assert lean.goal_tactic(start, f"have said := {proof}; {closer}").is_solved
