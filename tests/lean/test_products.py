"""Comparisons times terms of a goal, by Lean's own word, and what they prove."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, scheme_of, tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import with_help
from lean_agent.prover.proofs.minimise import with_used_names
from tests.lean.traced_project import following, told, traced_project

pytestmark = pytest.mark.lean

SCHEME = "{facts} <;> first | grind | grind [{lemmas}]"

USES = """theorem fractions (a b c d e f : Nat) (d0 : 0 < d) (h : a * d ≤ c * b) (k : c * f ≤ e * d) :
    a * f ≤ e * b := by sorry

theorem powers (s t b : Nat) (h : b < 2 ^ 8) (k : s + 8 ≤ t) : b * 2 ^ s < 2 ^ t := by sorry

theorem bases (a b n : Nat) (h : a < b) : a ^ n ≤ b ^ n := by sorry

theorem of_powers (e : Nat → Nat) (a b c : Nat) (h : 3 ^ e a * 2 ^ b ≤ 3 ^ e b * 2 ^ a)
    (k : ¬3 ^ e c * 2 ^ b ≤ 3 ^ e b * 2 ^ c) : 3 ^ e a * 2 ^ c < 3 ^ e c * 2 ^ a := by sorry

theorem divisors (a b k l : Nat) (h : b = a * k) (g : a = b * l) : a = b := by sorry

theorem remainders (a b k m : Int) (m0 : m > 0) (a0 : 0 ≤ a) (am : a < m) (b0 : 0 ≤ b) (bm : b < m)
    (h : a - b = m * k) : a = b := by sorry

theorem squares (a b : Int) : 2 * a * b ≤ a * a + b * b := by sorry

theorem two_differences (a b c d : Int) (h : a ≤ b) (k : c ≤ d) : a * d + b * c ≤ b * d + a * c := by sorry

theorem linear (a b : Nat) (h : a < b) : a ≤ b := by sorry

theorem of_no_numbers (p : Nat → Prop) (a b : Nat) (h : a * b ≤ a) : p a := by sorry

theorem without_names (a b : Nat) : a * b ≤ a → b * a ≤ a := by sorry
"""


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("products"), Uses=USES)


def products(lean: LeanPool, project: LeanProject, theorem: str, tactic: str = "skip") -> tuple[GoalState, list[str]]:
    """The state after a tactic, and the products there; Lean takes each of them as a proof."""
    state = lean.goal_tactic(lean.goal_start(TheoremSite(project, "Uses.lean", theorem)), tactic)
    proofs = told(lean, state, "fact")
    for proof in proofs:
        negated = "refine Classical.byContradiction fun negation => ?_; " if "negation" in proof else ""
        lean.release([lean.goal_tactic(state, f"{negated}have known := {proof}")])
    return state, proofs


@pytest.mark.parametrize(
    ("theorem", "product"),
    [
        ("fractions", "Nat.mul_le_mul_left f h"),
        ("powers", "(Nat.pow_le_pow_right (by decide) k : 2 ^ _ ≤ _)"),
        ("bases", "Nat.pow_le_pow_left (Nat.le_of_lt h) n"),
        ("of_powers", "Nat.mul_le_mul_left (2 ^ a) (Nat.add_one_le_of_lt (Nat.not_le.mp k))"),
        ("divisors", "(Nat.eq_zero_or_pos k).imp_right fun h => Nat.mul_le_mul_left a (Nat.add_one_le_of_lt h)"),
        ("remainders", None),
        ("squares", None),
        ("two_differences", "Int.mul_nonneg (Int.sub_nonneg_of_le h) (Int.sub_nonneg_of_le k)"),
    ],
)
def test_products_prove_what_is_linear_in_them(
    lean: LeanPool, project: LeanProject, theorem: str, product: str | None
) -> None:
    state, proofs = products(lean, project, theorem)
    assert proofs and (product is None or product in proofs), proofs
    (goal,) = state.goals
    text = with_help(goal.text, names=names_of(replace(goal, consequences=following(lean, state))))
    (tactic,) = tactics_of(SCHEME, text)
    assert lean.goal_tactic(state, tactic).is_solved
    assert scheme_of(tactic, goal.text, CLOSING_SCHEMES) == SCHEME
    steps, calls = with_used_names(lean, state.origin, (tactic,))
    (shorter,) = steps
    assert calls and isinstance(shorter, str) and len(shorter) < len(tactic) and "(try" not in shorter, shorter
    assert lean.goal_tactic(state, shorter).is_solved


@pytest.mark.parametrize(
    ("theorem", "tactic"), [("linear", "skip"), ("of_no_numbers", "skip"), ("without_names", "intros")]
)
def test_where_there_are_none(lean: LeanPool, project: LeanProject, theorem: str, tactic: str) -> None:
    _, proofs = products(lean, project, theorem, tactic)
    assert not [proof for proof in proofs if "negation" not in proof], "none of a hypothesis without a name"


def test_a_product_of_which_nothing_else_speaks_is_left_out(lean: LeanPool, project: LeanProject) -> None:
    _, proofs = products(lean, project, "fractions")
    assert not any("(c * b)" in proof for proof in proofs), "terms alone are multiplied by, not products of these"
    assert "Nat.mul_le_mul_left a h" not in proofs, "nothing else speaks of a * a * d"
    assert len(proofs) <= 12
