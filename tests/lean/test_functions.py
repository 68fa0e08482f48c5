"""Functions in goals: those that recursive calls change, equations between such, and hypotheses about all values; what
is inside structures."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import TheoremSite
from lean_agent.policy import ScriptedPolicy
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import with_help
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver
from tests.lean.traced_project import traced_project

pytestmark = pytest.mark.lean

TERMS = """inductive Term where
  | var : Nat → Term
  | app : Term → Term → Term
  | lam : Term → Term

def up (r : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => r n + 1

def rename (r : Nat → Nat) : Term → Term
  | .var n => .var (r n)
  | .app s t => .app (rename r s) (rename r t)
  | .lam t => .lam (rename (up r) t)

def mapped (f : Nat → Nat) : List Nat → List Nat
  | [] => []
  | x :: xs => f x :: mapped f xs

abbrev Renaming := Nat → Nat

structure Store where
  entries : List Nat
  limit : Nat

structure Point where
  x : Nat
  y : Nat

def Store.all (s : Store) : List Nat := mapped (fun n => n + 0) s.entries

theorem up_id : up id = id := by sorry

theorem up_comp (r s : Nat → Nat) : (fun n => up s (up r n)) = up fun n => s (r n) := by
  funext n; cases n <;> rfl

theorem rename_rename (r s : Nat → Nat) (t : Term) : rename s (rename r t) = rename (fun n => s (r n)) t := by sorry
theorem mapped_mapped (f g : Nat → Nat) (xs : List Nat) : mapped f (mapped g xs) = mapped (f ∘ g) xs := by sorry
theorem of_renamings (r s : Renaming) (h : ∀ n, r n = s n) : r = s := by sorry
theorem of_numbers (m n : Nat) : m + n = n + m := by sorry
theorem of_store (s : Store) (p : Point) (h : p.x = 0) : s.all = s.entries := by sorry
inductive Par : Term → Term → Prop
  | var (n) : Par (.var n) (.var n)
  | app {s s' t t'} : Par s s' → Par t t' → Par (.app s t) (.app s' t')

def developed : Term → Term
  | .app s t => .app (developed s) (developed t)
  | t => t

theorem triangle {s t : Term} (h : Par s t) : Par t (developed s) := by
  induction h with
  | var n => exact .var n
  | app _ _ ihs iht => exact .app ihs iht

theorem diamond {a b c : Term} (h : Par a b) (k : Par a c) : ∃ d, Par b d ∧ Par c d := by sorry
theorem barber (p : Type) (b : p) (shaves : p → p → Prop) (h : ∀ x, shaves b x ↔ ¬ shaves x x) : False := by sorry
theorem drinker (p : Type) (a : p) (q : p → Prop) : ∃ x, q x → ∀ y, q y := by sorry
theorem all_or (p : Type) (a : p) (q : p → Prop) (r : Prop) : (∃ x, q x → r) ↔ ((∀ x, q x) → r) := by sorry
"""

At = Callable[[str], TheoremSite]


@pytest.fixture(scope="module")
def at(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> At:
    """Where a theorem of the project is."""
    project = traced_project(lean, tmp_path_factory.mktemp("functions"), Terms=TERMS)
    return lambda name: TheoremSite(project, "Terms.lean", name)


@pytest.mark.parametrize(
    ("name", "varied", "arguments"),
    [
        ("rename_rename", {"r", "s"}, 0),
        ("mapped_mapped", set(), 0),  # the calls hand on what they were given
        ("up_id", set(), 1),
        ("of_renamings", set(), 1),
        ("of_numbers", set(), 0),
    ],
)
def test_lean_says_which_functions_calls_change_and_what_is_an_equation_of_functions(
    lean: LeanPool, at: At, name: str, varied: set[str], arguments: int
) -> None:
    (goal,) = lean.goal_start(at(name)).goals
    assert set(goal.varied) == varied
    assert len(goal.arguments) == arguments


def test_an_induction_generalizes_them(lean: LeanPool, at: At) -> None:
    state = lean.goal_start(at("rename_rename"))
    (goal,) = state.goals
    shown = with_help(goal.text, ["up_comp: theorem up_comp (r s) : _ = _"], names=names_of(goal))
    induction = next(scheme for scheme in CLOSING_SCHEMES if scheme.startswith("induction {local}{varying} <;> first"))
    (tactic,) = tactics_of(induction, shown)
    assert tactic.startswith("induction t generalizing r s <;> first")
    assert lean.goal_tactic(state, tactic).is_solved


def test_structures_are_opened_with_names_for_their_fields(lean: LeanPool, at: At) -> None:
    state = lean.goal_start(at("of_store"))
    (goal,) = state.goals
    assert goal.structures == ("s entries limit",), "of numbers alone there is nothing to find"
    shown = with_help(goal.text, names=names_of(goal))
    (tactic,) = tactics_of("obtain {fields}", shown)
    assert tactic == "obtain ⟨entries, limit⟩ := s"
    proof = f"{tactic}\ninduction entries <;> simp_all [Store.all, mapped]"
    assert lean.goal_tactic(state, proof).is_solved


def test_what_exists_is_what_a_theorem_speaks_of(lean: LeanPool, at: At) -> None:
    state = lean.goal_start(at("diamond"))
    (goal,) = state.goals
    shown = with_help(
        goal.text, ["triangle: theorem triangle (h : Par s t) : Par t (developed s)"], names=names_of(goal)
    )
    (scheme,) = [scheme for scheme in CLOSING_SCHEMES if scheme.startswith("apply Exists.intro")]
    (tactic,) = tactics_of(scheme, shown)
    assert lean.goal_tactic(state, tactic).is_solved
    assert tactics_of(scheme, "n : Nat\n⊢ n = n") == []


@pytest.mark.parametrize("name", ["up_id", "mapped_mapped", "of_renamings", "barber", "drinker", "all_or"])
def test_they_are_proved(lean: LeanPool, at: At, name: str) -> None:
    budget = SearchBudget(expansions=100, lean_calls=64)
    config = SearchConfig(search="best_step", budget=budget, remember=False)
    ((_, result),) = Driver(lean, ScriptedPolicy(), config).run([at(name)])
    assert result.status == "proved", result
    assert lean.goal_tactic(lean.goal_start(at(name)), "\n".join(result.script), timeout_s=30.0).is_solved


def test_hypotheses_are_taken_at_values_of_their_type() -> None:
    scheme = next(scheme for scheme in CLOSING_SCHEMES if scheme.startswith("{at_values}"))
    goal = "p : Type\nb c : p\nn : Nat\nh : ∀ (x : p), r b x\nk : ∀ (m : Nat), f m < f (m + 1)\n⊢ r c b"
    (tactic,) = tactics_of(scheme, goal)
    taken = [each.removeprefix("have := ") for each in tactic.split("; ") if each.startswith("have := ")]
    assert taken == ["h b", "h c", "k n", "k 0", "k 1"]
    assert tactics_of(scheme, "n : Nat\nh : n = 1\n⊢ n < 2") == []
    assert tactics_of(scheme, "h : ∀ (x : q), r x\nn : Nat\n⊢ False") == [], "nothing is of that type"
