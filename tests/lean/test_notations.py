"""What notation means that instances of a project give, by Lean's own word, and what that proves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lean_agent.errors import TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import with_help
from tests.lean.traced_project import told, traced_project

pytestmark = pytest.mark.lean

BASE = """inductive N where
  | zero
  | succ (n : N)
  deriving DecidableEq

namespace N

def add : N → N → N
  | a, zero => a
  | a, succ b => succ (add a b)

instance : Add N := ⟨add⟩
instance : Zero N := ⟨zero⟩

def double (a : N) : N := a + a
def mul : N → N → N
  | _, zero => zero
  | a, succ b => mul a b + a
instance : LE N := ⟨fun a b => ∃ c, b = a + c⟩

theorem zero_add (a : N) : 0 + a = a := by sorry
theorem of_succ (a b : N) : succ a + b = succ (a + b) := by sorry
theorem double_twice (a : N) : double (double a) = double a + double a := by sorry
theorem by_recursion (a : N) : mul a (succ zero) = a := by sorry
theorem by_hypothesis (a b : N) (h : a ≤ b) : True := by sorry
theorem decided (a b : N) (h : (a == b) = true) : a = b := by sorry
theorem of_numbers (a b : Nat) (add_notation : a ≤ b) : a + 0 ≤ b := by sorry
theorem taken (x y : N) (add_notation : x = y) : x + y = y + x := by sorry

end N

class Group (G : Type) where
  op : G → G → G
  unit : G
  unit_op : ∀ a, op unit a = a

namespace Group

variable {G : Type} [Group G]

instance : Mul G := ⟨op⟩
instance : One G := ⟨unit⟩

theorem one_mul (a : G) : 1 * a = a := by sorry
theorem of_all : ∀ (H : Type) [Group H] (a : H), 1 * a = a := by sorry

end Group

structure Vec where
  x : Int
  y : Int

def table : List Nat := TABLE

theorem of_a_long_list (a b : N) : a + b = b + a ∨ table.length = 0 := by sorry

instance : Neg Vec where neg a := ⟨-a.x, -a.y⟩

theorem neg_neg (a : Vec) : - -a = a := by sorry

def Signal (n : Nat) := Fin n → Bool → Int

instance {n : Nat} : Add (Signal n) := ⟨fun f g i b => f i b + g i b⟩
instance {n : Nat} : Neg (Signal n) := ⟨fun f i b => if b then -f i b else f i !b⟩

theorem add_comm {n : Nat} (f g : Signal n) : f + g = g + f := by sorry
def Region (X : Type) := X → Prop

instance {X : Type} : Membership X (Region X) := ⟨fun A x => A x⟩
instance {X : Type} : Inter (Region X) := ⟨fun A B x => x ∈ A ∧ x ∈ B⟩

theorem inter_inter {X : Type} (A : Region X) (h : A ∩ A = A) : True := by sorry

theorem ext {n : Nat} {f g : Signal n} (h : ∀ i b, f i b = g i b) : f = g := by sorry
theorem symm {n : Nat} {f g : Signal n} (h : f = g) : g = f := by sorry
theorem of_signals {n : Nat} (f g : Signal n) (h : -f = g) : f = g ∨ True := by sorry
""".replace("TABLE", str(list(range(400))))
ADD = "have add_notation : ∀ (x y : N), x + y = x.add y := fun _ _ => rfl"
ZERO = "have zero_means : (0 : N) = zero := rfl"
"""Told where other notation of the type is, whether or not the goal has it: the first case of an induction does."""


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("notations"), Base=BASE)


@pytest.mark.parametrize(
    ("theorem", "said"),
    [
        ("N.zero_add", [ADD, ZERO]),
        ("N.double_twice", [ADD, ZERO]),
        ("N.by_recursion", [ADD, ZERO]),
        ("N.by_hypothesis", ["have le_means : ∀ (x y : N), (x ≤ y) = ∃ c, y = x + c := fun _ _ => rfl", ZERO, ADD]),
        ("N.decided", []),
        ("N.of_numbers", []),
        ("N.taken", ["have add₂_notation : ∀ (x_1 y_1 : N), x_1 + y_1 = x_1.add y_1 := fun _ _ => rfl", ZERO]),
        (
            "Group.one_mul",
            [
                "have mul_notation : ∀ (x y : G), x * y = op x y := fun _ _ => rfl",
                "have one_notation : (1 : G) = unit := rfl",
            ],
        ),
        ("Group.of_all", []),
        ("of_a_long_list", [ADD, ZERO.replace("zero :=", "N.zero :=")]),
        (
            "add_comm",
            [
                "have add_means : ∀ (x y : Signal n) (i : Fin n) (j : Bool), (x + y) i j = x i j + y i j := "
                "fun _ _ _ _ => rfl",
                "have equal_of_values : ∀ (f_1 g_1 : Signal n), (f_1 = g_1) = ∀ (x : Fin n) (y : Bool), "
                "f_1 x y = g_1 x y := fun _ _ => propext ⟨fun h _ _ => h ▸ rfl, "
                "fun h => funext fun _ => funext fun _ => h _ _⟩",
            ],
        ),
        (
            "ext",
            [
                "have equal_of_values : ∀ (f_1 g_1 : Signal n), (f_1 = g_1) = ∀ (x : Fin n) (y : Bool), "
                "f_1 x y = g_1 x y := fun _ _ => propext ⟨fun h _ _ => h ▸ rfl, "
                "fun h => funext fun _ => funext fun _ => h _ _⟩",
            ],
        ),
        ("symm", []),
        (
            "inter_inter",
            [
                "have inter_means : ∀ (x y : Region X) (i : X), (x ∩ y) i = (i ∈ x ∧ i ∈ y) := fun _ _ _ => rfl",
                "have membership_means : ∀ (x : Region X) (y : X), (y ∈ x) = x y := fun _ _ => rfl",
                "have equal_of_values : ∀ (f g : Region X), (f = g) = ∀ (x : X), f x = g x := "
                "fun _ _ => propext ⟨fun h _ => h ▸ rfl, fun h => funext fun _ => h _⟩",
            ],
        ),
        (
            "of_signals",
            [
                "have neg_means : ∀ (x : Signal n) (i : Fin n) (j : Bool), "
                "(-x) i j = if j = true then -x i j else x i !j := fun _ _ _ => rfl"
            ],
        ),
        ("neg_neg", ["have neg_means : ∀ (x : Vec), -x = { x := -x.x, y := -x.y } := fun _ => rfl"]),
    ],
)
def test_what_notation_means(lean: LeanPool, project: LeanProject, theorem: str, said: list[str]) -> None:
    """Said once: where hypotheses say it, nothing is left to be said."""
    start = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    assert told(lean, start, "notation") == said
    if said:
        after = lean.goal_tactic(start, "; ".join(said))
        assert told(lean, after, "notation") == []
        lean.release([after])


@pytest.mark.parametrize(
    ("theorem", "tactic"),
    [
        ("N.zero_add", "induction a <;> grind [{lemmas}]"),
        ("N.of_succ", "induction b <;> grind [{lemmas}]"),
    ],
)
def test_a_proof_needs_it(lean: LeanPool, project: LeanProject, theorem: str, tactic: str) -> None:
    """``grind`` does not see through it by the names of the instance and the function."""
    start = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    after = lean.goal_tactic(start, "; ".join(told(lean, start, "notation")))
    for state, is_proof in ((start, False), (after, True)):
        (goal,) = state.goals
        (filled,) = tactics_of(tactic, with_help(goal.text, names=replace(names_of(goal), not_for_grind=())))
        assert "N.instAdd, N.add" in filled, "the instance and the function are named"
        if is_proof:
            assert lean.goal_tactic(state, filled).is_solved
        else:
            with pytest.raises(TacticFailure):
                lean.goal_tactic(state, filled)
