"""What an associative operation makes of equations, by Lean's own word, and what that proves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import with_help
from tests.lean.traced_project import following, told, traced_project

pytestmark = pytest.mark.lean

BASE = """structure Laws (G : Type) where
  mul : G → G → G
  one : G
  inv : G → G
  assoc : ∀ a b c, mul (mul a b) c = mul a (mul b c)
  one_mul : ∀ a, mul one a = a
  mul_one : ∀ a, mul a one = a
  inv_mul : ∀ a, mul (inv a) a = one

class Group (G : Type) extends Mul G, Inv G where
  one : G
  mul_assoc : ∀ a b c : G, a * b * c = a * (b * c)
  one_mul : ∀ a : G, one * a = a
  inv_mul_one (a : G) : a⁻¹ * a = one * one

theorem Group.inv_mul_self {G : Type} [Group G] (a : G) : a⁻¹ * a = Group.one := by
  rw [Group.inv_mul_one, Group.one_mul]

variable {G : Type} (g : Laws G)

theorem cancelled (a b c : G) (h : g.mul a b = g.mul a c) : b = c := by sorry

theorem one_is_alone (e d : G) (h : ∀ a, g.mul e a = a ∧ g.mul a e = a) (k : ∀ a, g.mul d a = a) : e = d := by sorry

theorem inverse_is_alone (a b c : G) (h : g.mul b a = g.one) (k : g.mul a c = g.one) : b = c := by sorry

theorem in_a_class [Group G] (a b c : G) (h : a * b = a * c) : b = c := by sorry

theorem of_no_operation (f : G → G) (a b : G) (h : f a = f b) (k : ∀ a b, f a = f b → a = b) : a = b := by sorry

theorem of_numbers (a b c : Nat) (h : a * b = c) (k : ∀ a : Nat, a * b = a) : b = c := by sorry
"""
SCHEME = "{facts} <;> first | grind | grind [{lemmas}]"


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("identities"), Base=BASE)


@pytest.mark.parametrize(
    ("theorem", "identity"),
    [
        (
            "cancelled",
            "fun (a x : G) => Eq.trans (Eq.symm (g.assoc (g.inv a) a x)) (congrArg (fun (y : G) => g.mul y x)"
            " (g.inv_mul a))",
        ),
        ("one_is_alone", "(h d).left"),
        ("inverse_is_alone", None),
        ("in_a_class", "fun (a0 : G) => Group.inv_mul_self a0"),
    ],
)
def test_they_prove_what_begins_at_no_term_of_the_goal(
    lean: LeanPool, project: LeanProject, theorem: str, identity: str | None
) -> None:
    state = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    proofs = told(lean, state, "fact")
    assert identity is None or identity in proofs, proofs
    for proof in proofs:
        lean.release([lean.goal_tactic(state, f"have known := {proof}")])
    (goal,) = state.goals
    text = with_help(goal.text, names=names_of(replace(goal, consequences=following(lean, state))))
    (tactic,) = tactics_of(SCHEME, text)
    assert lean.goal_tactic(state, tactic).is_solved


@pytest.mark.parametrize("theorem", ["of_no_operation", "of_numbers"])
def test_where_there_are_none(lean: LeanPool, project: LeanProject, theorem: str) -> None:
    state = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    assert not [proof for proof in told(lean, state, "fact") if "congrArg (fun (" in proof]
