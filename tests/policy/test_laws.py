"""Laws of one variable are instantiated at those of a goal, and associativity is given to `grind` from both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.fillings.laws import is_associative, unary_law
from lean_agent.prompts import GoalNames, with_help


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("inv_mul : ∀ (a : α), inv a * a = one", "α"),
        ("inv_mul (a : α) : inv a * a = one", "α"),
        ("mul_one : ∀ a, a * 1 = a", ""),
        ("mul_one : ∀ a : G, a * 1 = a", "G"),
        ("@[simp] theorem add_zero (n : N) : n + zero = n", "N"),
        ("theorem left_id {A B : C} [Cat C] (f : Hom A B) : comp id f = f", "Hom A B"),
        ("h : ∀ (g : G), a * g = g ∧ g * a = g", "G"),
        ("h : ∀ (g : G), a * g = g ∧ g ≠ a", None),
        ("theorem add_comm (a b : N) : a + b = b + a", None),
        ("theorem cancel (a : N) (h : a + a = 0) : a = 0", None),
        ("theorem implicit {a : N} : a + 0 = a", None),
        ("theorem unit_inv [Group G] {a b : G} (h : a * b = 1) : inv a = b", None),
        ("theorem pointwise (f : N → N) : f 0 = f 0", None),
        ("theorem conditional (a : N) : a + a = 0 → a = 0", None),
        ("theorem order (a : N) : a ≤ a", None),
        ("theorem closed : 1 + 1 = 2", None),
        ("def f", None),
    ],
)
def test_a_law_of_one_variable_is_read_off_its_text(text: str, kind: str | None) -> None:
    assert unary_law(text) == kind


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mul_assoc : ∀ (a b c : α), (a * b) * c = a * (b * c)", True),
        ("theorem add_assoc (a b c : N) : add (add a b) c = add a (add b c)", True),
        ("assoc : ∀ {A B : C} (f : Hom A B) (g h : Hom B B), comp (comp h g) f = comp h (comp g f)", True),
        ("theorem add_comm (a b : N) : a + b = b + a", False),
        ("theorem mul_add (a b c : N) : a * (b + c) = a * b + a * c", False),
        ("theorem same (a : N) : a = a", False),
        ("theorem order (a b c : N) : (a + b) + c ≤ a + (b + c)", False),
    ],
)
def test_associativity_is_read_off_its_text(text: str, expected: bool) -> None:
    assert is_associative(text) is expected


LAWS = [
    "mul_inv: mul_inv : ∀ (a : α), a * inv a = one",
    "mul_assoc: mul_assoc : ∀ (a b c : α), (a * b) * c = a * (b * c)",
]


def test_laws_are_instantiated_at_what_has_the_structure() -> None:
    names = GoalNames(("D",), equations=("mul_inv", "mul_assoc"))
    context = "G H : Type u\ninst✝ : Group G\na b : G\nc : H\nn : Nat\nd✝ : G\n⊢ a = b"
    (tactic,) = tactics_of("grind [{instances}]", with_help(context, LAWS, names=names))
    assert tactic == "grind [D, = mul_inv, _=_ mul_assoc, mul_inv a, mul_inv b]"
    of_numbers = with_help(context, ["add_zero: theorem add_zero (n : Nat) : n + zero = n"], names=names)
    assert tactics_of("grind [{instances}]", of_numbers) == ["grind [D, add_zero, add_zero n]"]
    refused = with_help(context, LAWS, names=GoalNames(("D",), not_for_grind=("mul_inv",)))
    assert tactics_of("grind [{instances}]", refused) == []
    assert tactics_of("grind [{instances}]", with_help(context, LAWS[1:], names=names)) == []
    of_hypothesis = "G : Type\nop : G → G → G\nu v : G\nh : ∀ (a : G), op a u = a\n⊢ u = v"
    assert tactics_of("grind [{instances}]", of_hypothesis) == ["grind [h u, h v]"]


@pytest.mark.parametrize(
    ("target", "terms"),
    [
        ("a * (inv a) = one", ["(inv a)"]),
        ("inv (a * b) = inv b * inv a", ["(a * b)"]),
        ("a * a⁻¹ = 1", ["(a⁻¹)"]),
        ("(a * c)⁻¹ = c⁻¹ * (b * a)⁻¹ * a⁻¹", ["(a * c)", "(b * a)", "(a⁻¹)"]),  # of c no law is known
        ("p (a * b)", []),
        ("a * b = b * a", []),
    ],
)
def test_laws_are_instantiated_at_one_compound_term_of_the_target(target: str, terms: list[str]) -> None:
    context = "G H : Type u\ninst✝ : Group G\na b : G\nc : H"
    goal = with_help(f"{context}\n⊢ {target}", LAWS, names=GoalNames())
    tactics = tactics_of("grind [{extended}]", goal)
    assert tactics == [f"grind [mul_inv, mul_assoc, mul_inv a, mul_inv b, mul_inv {term}]" for term in terms]


GROUPS = """class Group (α : Type u) where
  mul : α → α → α
  one : α
  inv : α → α
  mul_assoc : ∀ (a b c : α), mul (mul a b) c = mul a (mul b c)
  mul_one : ∀ (a : α), mul a one = a
  mul_inv : ∀ (a : α), mul a (inv a) = one

namespace Group

theorem cancel [Group G] (a b c : G) (h : mul a c = mul b c) : a = b := by
  sorry

theorem inv_mul [Group G] (a : G) : mul (inv a) a = one := by
  sorry

end Group
"""


@pytest.mark.lean
@pytest.mark.parametrize(
    ("theorem", "without", "what"),
    [
        ("cancel", "laws", "instances"),  # with the laws at the variables of the goal
        ("inv_mul", "instances", "extended"),  # with those at the inverse, too
    ],
)
def test_grind_proves_with_laws_at_terms_of_a_goal(
    tmp_path: Path, lean: LeanPool, theorem: str, without: str, what: str
) -> None:
    (tmp_path / "Groups.lean").write_text(GROUPS)
    state = lean.goal_start(TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "Groups.lean", f"Group.{theorem}"))
    laws = [line.strip() for line in GROUPS.splitlines() if line.strip().startswith("mul_")]
    premises = [f"Group.{law.partition(' ')[0]}: {law}" for law in laws]
    equations = tuple(premise.partition(":")[0] for premise in premises)
    goal = with_help(state.goals[0].text, premises, names=GoalNames(equations=equations))
    (alone,), (instantiated,) = (tactics_of(f"grind [{{{placeholder}}}]", goal) for placeholder in (without, what))
    failed, proved = lean.goal_tactics([(state, alone), (state, instantiated)])
    assert isinstance(failed, LeanError)
    assert not isinstance(proved, LeanError) and proved.is_solved, instantiated
    lean.release([state, proved])
