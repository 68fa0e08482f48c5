"""Theorems of Lean's own library that Lean chooses for a goal, and premises for closing tactics that they become."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.remote.client import LeanClient
from lean_agent.lean.types import GoalLemma, LeanProject, TheoremSite
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings

pytestmark = pytest.mark.lean

SUMS = """def total (f : Nat → Nat) (n : Nat) : Nat := ((List.range n).map f).sum

def twice (f : Nat → Nat) (n : Nat) : Nat := 2 * total f n

theorem total_step (f : Nat → Nat) (n : Nat) : total f (n + 1) = total f n + f n := by
  sorry

theorem twice_step (f : Nat → Nat) (n : Nat) : twice f (n + 1) = twice f n + 2 * f n := by
  sorry
"""


def lemmas_at(lean: LeanPool, proposition: str, most: int = 6) -> tuple[GoalLemma, ...]:
    state = lean.goal_start(proposition)
    intro = lean.goal_tactic(state, "intros")
    (lemmas,) = lean.goal_lemmas([intro], most=most)
    assert not isinstance(lemmas, LeanError)
    lean.release([state, intro])
    return lemmas


@pytest.mark.parametrize(
    ("proposition", "wanted"),
    [
        ("∀ a b c : Nat, 0 < c → a ≤ b → c ^ a ≤ c ^ b", "Nat.pow_le_pow_right"),
        ("∀ a b c : Nat, b ≤ c → a * b ≤ a * c", "Nat.mul_le_mul_left"),
        ("∀ a b : Int, 0 ≤ a → 0 ≤ b → a * b ≥ 0", "Int.mul_nonneg"),
        ("∀ k n m : Nat, k ∣ n → k ∣ m → k ∣ n + m", "Nat.dvd_add"),
        ("∀ (l m : List Nat), l.Perm m → m.Perm l", "List.Perm.symm"),
        ("∀ n : Nat, (List.range (n + 1)).sum = (List.range n).sum + n", "List.range_succ"),
        ("∀ (a b : Nat) (l : List Nat), (a :: l).count b ≤ l.count b + 1", "List.count_cons"),
        # what it means: of a monad's values, and of a step
        ("∀ (x : Option Nat) (f : Nat → Option Nat), (do f (← x)) = some 1 → x ≠ none", "Option.bind_eq_some_iff"),
        ("∀ (l : List Nat) (a : Nat), (l ++ [a]).Pairwise (· < ·) → ∀ b ∈ l, b < a", "List.pairwise_append"),
        # functions that agree are as good as each other
        ("∀ (f g : Nat → Nat) (l : List Nat), (∀ n, f n = g n) → l.map f = l.map g", "List.map_congr_left"),
        ("∀ (p q : Nat → Bool) (l : List Nat), (∀ n ∈ l, p n = q n) → l.filter p = l.filter q", "List.filter_congr"),
    ],
)
def test_what_may_conclude_a_target_and_how_its_functions_take_a_step(
    lean: LeanPool, proposition: str, wanted: str
) -> None:
    lemmas = lemmas_at(lean, proposition)
    assert wanted in [lemma.full_name for lemma in lemmas]
    assert len(lemmas) <= 6


def test_nothing_that_simp_knows_speaks_of_something_else_or_of_variables_alone(lean: LeanPool) -> None:
    assert lemmas_at(lean, "∀ (p q : Prop), p → q → p ∧ q") == ()
    assert lemmas_at(lean, "∀ a b : Nat, a = b") == ()
    names = {lemma.full_name for lemma in lemmas_at(lean, "∀ (f : Nat → Nat) (l : List Nat), (l.map f).length = 0", 40)}
    assert not names & {"List.map_cons", "List.length_map"}, "simp has these"
    assert lemmas_at(lean, "∀ a b c : Nat, a * b ≤ c") == (), "the goal divides by nothing"
    assert "Nat.mul_le_of_le_div" in {lemma.full_name for lemma in lemmas_at(lean, "∀ a b c : Nat, a * b ≤ c / 2", 40)}


def test_the_bodies_of_the_projects_definitions_count_and_the_best_ones_stay(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "Sums.lean").write_text(SUMS)
    project = LeanProject(tmp_path, tmp_path / "build")
    states = [lean.goal_start(TheoremSite(project, "Sums.lean", name)) for name in ("total_step", "twice_step")]
    answers = lean.goal_lemmas(states, most=1)
    step = GoalLemma("List.range_succ", "∀ {n : Nat}, List.range n.succ = List.range n ++ [n]")
    assert answers == [(step,), (step,)]
    assert lean.goal_lemmas(states, most=0) == [(), ()]
    proof = f"by simp [total, {step.full_name}]"
    assert lean.verify(TheoremSite(project, "Sums.lean", "total_step"), proof).accepted
    lean.release(states)


@pytest.mark.parametrize(
    ("proposition", "wanted"),
    [
        ("∀ a b n : Nat, a % n = b % n → (a + 1) % n = (b + 1) % n", {"Nat.add_mod", "Nat.mod_mod", "Nat.mod_lt"}),
        ("∀ n m : Nat, Nat.gcd n m = Nat.gcd m n", {"Nat.gcd_comm", "Nat.gcd_le_left"}),
        ("∀ a b : Int, a ∣ b → a ∣ -b", {"Int.dvd_neg", "Int.dvd_trans", "Int.le_of_dvd"}),
        ("∀ a b c : Nat, a ∣ b → b ∣ c → 0 < c → a ≤ c", {"Nat.dvd_trans", "Nat.le_of_dvd", "Nat.dvd_mul_right"}),
        ("∀ (l : List Nat) (p : Nat → Bool), l.countP p < l.length + 1", {"List.countP_le_length"}),
        ("∀ a b c : Nat, a + b * c = b * c + a", set()),
        ("∀ l : List Nat, l ++ [] = l", set()),
    ],
)
def test_laws_and_bounds_of_what_a_goal_speaks_of(lean: LeanPool, proposition: str, wanted: set[str]) -> None:
    start = lean.goal_start(proposition)
    state = lean.goal_tactic(start, "intros")
    (lemmas,) = lean.goal_lemmas([state], most=0, laws=16)
    assert not isinstance(lemmas, LeanError) and {lemma.kind for lemma in lemmas} <= {"law"}
    names = [lemma.full_name for lemma in lemmas]
    assert wanted <= {*names} and len({*names}) == len(names) <= 16 + 12 and bool(names) == bool(wanted)
    assert lean.goal_lemmas([state], most=0, laws=0) == [()]
    lean.release([start, state])


def test_a_state_without_goals_and_one_that_was_released(lean: LeanPool) -> None:
    start = lean.goal_start("∀ n : Nat, 2 ^ n ≤ 2 ^ (n + 1)")
    done = lean.goal_tactic(start, "intro n; exact Nat.pow_le_pow_right (by decide) (Nat.le_succ n)")
    assert done.is_solved
    lean.release([start])
    of_nothing, rebuilt = lean.goal_lemmas([done, start])
    assert of_nothing == () and not isinstance(rebuilt, LeanError)


def test_over_http(lean: LeanPool) -> None:
    with serving(lean, ServiceSettings(port=0)) as address, LeanClient(address) as client:
        state = client.goal_tactic(client.goal_start("∀ a b : Nat, a ≤ b → 3 ^ a ≤ 3 ^ b"), "intros")
        (lemmas,) = client.goal_lemmas([state], most=3)
        assert isinstance(lemmas, tuple) and "Nat.pow_le_pow_right" in [lemma.full_name for lemma in lemmas]
