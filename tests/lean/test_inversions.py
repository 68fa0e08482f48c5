"""Derivations that can be taken apart, by Lean's own word, and what is proved of them."""

from __future__ import annotations

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, scheme_of, tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import with_help
from lean_agent.prover.proofs.minimise import with_used_names
from tests.lean.traced_project import solving, traced_project

pytestmark = pytest.mark.lean

BASE = """namespace Toy

inductive Exp
  | num (n : Nat) | add (a b : Exp) | cond (c a b : Exp) | yes | no

inductive Val : Exp → Prop
  | num (n) : Val (.num n)
  | yes : Val .yes
  | no : Val .no

inductive Step : Exp → Exp → Prop
  | addL {a a' b} : Step a a' → Step (.add a b) (.add a' b)
  | addR {a b b'} : Val a → Step b b' → Step (.add a b) (.add a b')
  | add {m n} : Step (.add (.num m) (.num n)) (.num (m + n))
  | yes {a b} : Step (.cond .yes a b) a
  | no {a b} : Step (.cond .no a b) b
  | cond {c c' a b} : Step c c' → Step (.cond c a b) (.cond c' a b)

inductive Ty | nat | bool

inductive Typed : Exp → Ty → Prop
  | num {n} : Typed (.num n) .nat
  | yes : Typed .yes .bool
  | no : Typed .no .bool
  | add {a b} : Typed a .nat → Typed b .nat → Typed (.add a b) .nat
  | cond {c a b T} : Typed c .bool → Typed a T → Typed b T → Typed (.cond c a b) T

inductive Run : Exp × Nat → Nat → Prop
  | num {n s} : Run (.num n, s) n
  | add {a b m n s} : Run (a, s) m → Run (b, s) n → Run (.add a b, s) (m + n)

inductive Many : Exp → Exp → Prop
  | refl {a} : Many a a
  | step {a b c} : Step a b → Many b c → Many a c

theorem value_stays {v t : Exp} (h : Val v) : ¬Step v t := by sorry

theorem preservation {e e' : Exp} {T : Ty} (h : Typed e T) (s : Step e e') : Typed e' T := by sorry

theorem progress {e : Exp} {T : Ty} (h : Typed e T) : Val e ∨ ∃ e', Step e e' := by sorry

theorem unique {e : Exp} {T U : Ty} (h : Typed e T) (k : Typed e U) : T = U := by sorry

theorem canonical {v : Exp} (h : Val v) (k : Typed v .bool) : v = .yes ∨ v = .no := by sorry

theorem addition {m n k s : Nat} (h : Run (.add (.num m) (.num n), s) k) : k = m + n := by sorry

theorem of_variables {a b : Exp} (h : Many a b) : Many a b ∨ Val a := by sorry

theorem of_none (a : Nat) : a = a := by sorry

end Toy
"""
RULES = [
    *(f"Step.{rule}" for rule in ("addL", "addR", "add", "yes", "no", "cond")),
    *(f"Typed.{rule}" for rule in ("num", "yes", "no", "add", "cond")),
    *(f"Val.{rule}" for rule in ("num", "yes", "no")),
]
SCHEMES = [scheme for scheme in CLOSING_SCHEMES if "{inverted}" in scheme or "{inverting}" in scheme]


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("inversions"), Base=BASE)


def start(lean: LeanPool, project: LeanProject, theorem: str) -> GoalState:
    return lean.goal_start(TheoremSite(project, "Base.lean", f"Toy.{theorem}"))


def test_what_lean_says_of_a_goal(lean: LeanPool, project: LeanProject) -> None:
    (goal,) = start(lean, project, "canonical").goals
    known = {each.derivation: (each.repeats, each.is_there) for each in goal.inversions}
    assert known["‹Toy.Val ..›"] == (True, True), "no rule of it asks for more of it: of variables, too"
    assert known["‹Toy.Typed (Toy.Exp.add ..) ..›"] == (True, False)
    assert known["‹Toy.Typed _ (Toy.Ty.bool ..)›"] == (False, True), "branches have the type of the whole"
    (pairs,) = start(lean, project, "addition").goals
    of_pairs = {each.derivation: (each.repeats, each.is_there) for each in pairs.inversions}
    assert of_pairs == {
        "‹Toy.Run ((Toy.Exp.num ..), _) ..›": (True, False),
        "‹Toy.Run ((Toy.Exp.add ..), _) ..›": (True, True),
    }
    (relation,) = start(lean, project, "of_variables").goals
    of_relation = [each.derivation for each in relation.inversions]
    assert of_relation[0] == "‹Toy.Val ..›" and not any("Many" in each for each in of_relation), "any number of steps"
    assert any("Step" in each for each in of_relation), "of which the rules of Many speak"
    (plain,) = start(lean, project, "of_none").goals
    assert plain.inversions == ()


@pytest.mark.parametrize("theorem", ["value_stays", "preservation", "progress", "unique", "canonical", "addition"])
def test_a_language_is_sound_by_one_tactic_for_each_theorem(lean: LeanPool, project: LeanProject, theorem: str) -> None:
    state = start(lean, project, theorem)
    if theorem == "value_stays":
        state = lean.goal_tactic(state, "intro s")
    (goal,) = state.goals
    spoken = [rule for rule in RULES if rule.partition(".")[0] in goal.text]
    text = with_help(goal.text, premises=[f"Toy.{rule} : …" for rule in spoken], names=names_of(goal))
    tactics = {tactic: scheme for scheme in SCHEMES for tactic in tactics_of(scheme, text)}
    proved = solving(lean, state, tactics)
    tactic = proved[0]
    assert scheme_of(tactic, goal.text, CLOSING_SCHEMES) == tactics[tactic]
    if theorem in ("unique", "addition"):
        (shorter,), calls = with_used_names(lean, state.origin, (tactic,))
        assert calls and isinstance(shorter, str) and len(shorter) < len(tactic), shorter
        assert lean.goal_tactic(state, shorter).is_solved
