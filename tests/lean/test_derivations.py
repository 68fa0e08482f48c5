"""Derivations that are built and taken apart in the cases of an induction: progress, and evaluation in many steps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, scheme_of, tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import GoalNames, with_help
from tests.lean.traced_project import solving, traced_project

pytestmark = pytest.mark.lean

BASE = """namespace Arith

inductive Exp
  | yes | no | zero
  | next (a : Exp) | before (a : Exp) | cond (c a b : Exp)

inductive Num : Exp → Prop
  | zero : Num .zero
  | next {a} : Num a → Num (.next a)

inductive Val : Exp → Prop
  | yes : Val .yes
  | no : Val .no
  | num {a} : Num a → Val a

inductive Step : Exp → Exp → Prop
  | yes {a b} : Step (.cond .yes a b) a
  | no {a b} : Step (.cond .no a b) b
  | cond {c c' a b} : Step c c' → Step (.cond c a b) (.cond c' a b)
  | next {a a'} : Step a a' → Step (.next a) (.next a')
  | zero : Step (.before .zero) .zero
  | back {a} : Num a → Step (.before (.next a)) a
  | before {a a'} : Step a a' → Step (.before a) (.before a')

inductive Ty | nat | bool

inductive Typed : Exp → Ty → Prop
  | yes : Typed .yes .bool
  | no : Typed .no .bool
  | zero : Typed .zero .nat
  | next {a} : Typed a .nat → Typed (.next a) .nat
  | before {a} : Typed a .nat → Typed (.before a) .nat
  | cond {c a b T} : Typed c .bool → Typed a T → Typed b T → Typed (.cond c a b) T

inductive Many : Exp → Exp → Prop
  | refl {a} : Many a a
  | step {a b c} : Step a b → Many b c → Many a c

theorem Many.join {a b c : Exp} (h : Many a b) (k : Many b c) : Many a c := by
  induction h with
  | refl => exact k
  | step s _ ih => exact .step s (ih k)

theorem Many.cond {c c' a b : Exp} (h : Many c c') : Many (.cond c a b) (.cond c' a b) := by
  induction h with
  | refl => exact .refl
  | step s _ ih => exact .step (.cond s) ih

theorem Many.before {a a' : Exp} (h : Many a a') : Many (.before a) (.before a') := by
  induction h with
  | refl => exact .refl
  | step s _ ih => exact .step (.before s) ih

inductive Eval : Exp → Exp → Prop
  | value {a} : Val a → Eval a a
  | yes {c a b v} : Eval c .yes → Eval a v → Eval (.cond c a b) v
  | no {c a b v} : Eval c .no → Eval b v → Eval (.cond c a b) v
  | zero {a} : Eval a .zero → Eval (.before a) .zero
  | back {a v} : Num v → Eval a (.next v) → Eval (.before a) v

theorem progress {a : Exp} {T : Ty} (h : Typed a T) : Val a ∨ ∃ b, Step a b := by sorry

theorem in_steps {a v : Exp} (h : Eval a v) : Many a v := by sorry

end Arith

namespace Lam

inductive Ty | unit | fn (A B : Ty)

inductive Exp | var (n : Nat) | unit | lam (A : Ty) (a : Exp) | app (f a : Exp)

def Exp.at (x a : Exp) : Exp := match a with | .var _ => x | a => a

inductive Typed : List Ty → Exp → Ty → Prop
  | var {Γ n A} : Γ[n]? = some A → Typed Γ (.var n) A
  | unit {Γ} : Typed Γ .unit .unit
  | lam {Γ A B a} : Typed (A :: Γ) a B → Typed Γ (.lam A a) (.fn A B)
  | app {Γ A B f a} : Typed Γ f (.fn A B) → Typed Γ a A → Typed Γ (.app f a) B

inductive Val : Exp → Prop
  | unit : Val .unit
  | lam {A a} : Val (.lam A a)

inductive Step : Exp → Exp → Prop
  | left {f f' a} : Step f f' → Step (.app f a) (.app f' a)
  | right {f a a'} : Val f → Step a a' → Step (.app f a) (.app f a')
  | beta {A a v} : Val v → Step (.app (.lam A a) v) (a.at v)

theorem progress {a : Exp} {A : Ty} (h : Typed [] a A) : Val a ∨ ∃ b, Step a b := by sorry

end Lam
"""


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("derivations"), Base=BASE)


def start(lean: LeanPool, project: LeanProject, theorem: str) -> tuple[GoalState, GoalNames]:
    state = lean.goal_start(TheoremSite(project, "Base.lean", theorem))
    (goal,) = state.goals
    return state, names_of(goal)


def of_chains(lean: LeanPool, state: GoalState) -> tuple[str, ...]:
    (lemmas,) = lean.goal_lemmas([state], most=0, own=10)
    assert not isinstance(lemmas, LeanError)
    return tuple(lemma.full_name for lemma in lemmas if lemma.kind == "chaining")


@pytest.mark.parametrize(
    ("theorem", "scheme"), [("Arith.progress", "induction {inductive}"), ("Lam.progress", "generalize {indexed}")]
)
def test_progress_is_proved_by_one_induction(lean: LeanPool, project: LeanProject, theorem: str, scheme: str) -> None:
    state, names = start(lean, project, theorem)
    (by_sides,) = (each for each in CLOSING_SCHEMES if each.startswith(scheme) and "{by_sides}" in each)
    tactics = tactics_of(by_sides, with_help(state.goals[0].text, names=names))
    (proved, *_) = solving(lean, state, tactics)
    assert scheme_of(proved, state.goals[0].text, CLOSING_SCHEMES) == by_sides


def test_evaluation_in_many_steps_is_put_together_by_theorems_on_parts(lean: LeanPool, project: LeanProject) -> None:
    state, names = start(lean, project, "Arith.in_steps")
    chaining = of_chains(lean, state)
    assert chaining[0] == "Arith.Many.join" and {*chaining[1:]} == {"Arith.Many.before", "Arith.Many.cond"}
    (chained,) = (each for each in CLOSING_SCHEMES if "{chained}" in each)
    tactics = tactics_of(chained, with_help(state.goals[0].text, names=replace(names, chaining=chaining)))
    (proved, *_) = solving(lean, state, tactics)
    assert scheme_of(proved, state.goals[0].text, CLOSING_SCHEMES) == chained


def test_without_transitivity_nothing_is_put_together(lean: LeanPool, project: LeanProject) -> None:
    state, _ = start(lean, project, "Arith.progress")
    assert of_chains(lean, state) == ()
