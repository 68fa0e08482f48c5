"""What an induction may descend by where no structure does, by Lean's own word, and what that proves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import with_help
from tests.lean.traced_project import solving, told, traced_project

pytestmark = pytest.mark.lean

BASE = """class Game (P : Type) where
  move : P → P → Prop
  rank : P → Nat
  rank_lt : ∀ {p q : P}, move p q → rank q < rank p

namespace Game

variable {P Q : Type} [Game P] [Game Q]

inductive Win : P → Prop where
  | intro {p q : P} : move p q → (∀ r, move q r → Win r) → Win p

def Lose (p : P) : Prop := ∀ q, move p q → Win q

theorem win_or_lose (p : P) : Win p ∨ Lose p := by sorry
theorem both {p : P} {q : Q} (hp : Lose p) (h : Lose q) : Lose p ∧ Lose q := by sorry
theorem unnamed {p : P} (_ : Lose p) : Lose p := by sorry

end Game

def Prime (p : Nat) : Prop := 2 ≤ p ∧ ∀ a b, p = a * b → a = 1 ∨ b = 1

theorem has_prime_divisor (n : Nat) (hn : 2 ≤ n) : ∃ p, Prime p ∧ p ∣ n := by sorry

theorem by_twos {P : Nat → Prop} (zero : P 0) (one : P 1) (step : ∀ n, P n → P (n + 2)) (n : Nat) : P n := by
  sorry
theorem of_two (a b : Nat) (h : a * a = 2 * (b * b)) : b = a ∨ a * a = 2 * (b * b) := by sorry

def total : Nat → Nat
  | 0 => 0
  | n + 1 => total n + n

theorem by_structure (n : Nat) : total n ≤ n * n := by sorry
theorem of_a_type (n : Nat) (i : Fin n) : i.val < n := by sorry
"""
RANK = "h : rank p using Nat.strongRecOn generalizing p; rename_i n ih; subst h; replace ih := fun p h => @ih _ h p rfl"
SUM = (
    "h_1 : rank p + rank q using Nat.strongRecOn generalizing p q; rename_i n ih; subst h_1; "
    "replace ih := fun p q hp h h_1 => @ih _ h_1 p q hp h rfl"
)


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("descents"), Base=BASE)


@pytest.mark.parametrize(
    ("theorem", "said", "hypothesis"),
    [
        ("Game.win_or_lose", [RANK], "∀ (p_1 : P), rank p_1 < rank p → Win p_1 ∨ Lose p_1"),
        (
            "Game.both",
            [SUM],
            "∀ (p_1 : P) (q_1 : Q), Lose p_1 → Lose q_1 → rank p_1 + rank q_1 < rank p + rank q → Lose p_1 ∧ Lose q_1",
        ),
        ("Game.unnamed", [], ""),
        (
            "has_prime_divisor",
            ["n using Nat.strongRecOn; rename_i n ih"],
            "∀ (m : Nat), m < n → 2 ≤ m → ∃ p, Prime p ∧ p ∣ m",
        ),
        (
            "of_two",
            [
                "a using Nat.strongRecOn generalizing b; rename_i a ih",
                "b using Nat.strongRecOn generalizing a; rename_i b ih",
                "a using by_twos",
            ],
            "∀ (m : Nat), m < ",
        ),
        ("by_structure", ["n using by_twos"], ""),
        ("of_a_type", ["n using by_twos"], ""),
    ],
)
def test_what_an_induction_may_descend_by(
    lean: LeanPool, project: LeanProject, theorem: str, said: list[str], hypothesis: str
) -> None:
    """Said once: with its hypothesis there nothing is left to be said."""
    start = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    assert told(lean, start, "descent") == said
    for descent in said:
        after = lean.goal_tactic(start, f"induction {descent}")
        text = " ".join(after.goals[0].text.split())
        assert ("by_twos" in descent) != (f"ih : {hypothesis}" in text)
        assert descent.endswith("by_twos") or descent not in told(lean, after, "descent")
        lean.release([after])


def test_a_proof_by_it(lean: LeanPool, project: LeanProject) -> None:
    start = lean.goal_start(TheoremSite(project, "Base.lean", "Game.win_or_lose"))
    names = replace(names_of(start.goals[0]), descents=tuple(told(lean, start, "descent")))
    rank_lt = "Game.rank_lt: rank_lt : ∀ {p q : P}, move p q → rank q < rank p"
    scheme = "induction {descent} using {principle} <;> grind [{lemmas}]"
    assert solving(lean, start, tactics_of(scheme, with_help(start.goals[0].text, [rank_lt], names=names)))
