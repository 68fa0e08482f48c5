"""Types of a few values, and what cannot be taken apart, by Lean's word; what is proved by looking at each value."""

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

BASE = """namespace Lights

inductive Side | left | right
  deriving DecidableEq
inductive Light | red | green | off
structure State where
  light : Side → Light
  waiting : Nat
inductive Tree | leaf | node (a b : Tree)
inductive Unit' | unit
inductive Many | a | b | c | d | e | f | g | h | i
abbrev Memory := Nat → Nat
def Table := Nat → Bool

def other : Side → Side
  | .left => .right
  | .right => .left

def safe (s : State) : Prop := ¬(s.light .left = .green ∧ s.light .right = .green)
def turn (x : Side) (s t : State) : Prop :=
  s.light (other x) = .red ∧ t.light x = .green ∧ t.light (other x) = s.light (other x)
def stop (x : Side) (s t : State) : Prop := t.light x = .red ∧ t.light (other x) = s.light (other x)
def next (s t : State) : Prop := (∃ x, turn x s t) ∨ (∃ x, stop x s t)

inductive Reachable : State → Prop
  | start {s} : (∀ x, s.light x = .red) → Reachable s
  | step {s t} : Reachable s → next s t → Reachable t

def allRed : State := ⟨fun _ => .red, 0⟩
def leftGreen : State := ⟨fun | .left => .green | .right => .red, 0⟩
def rightGreen : State := ⟨fun | .left => .red | .right => .green, 0⟩

theorem next_safe (s t : State) (h : safe s) (k : next s t) : safe t := by sorry
theorem reachable_safe (s : State) (h : Reachable s) : safe s := by sorry
theorem rightmost : next allRed rightGreen := by sorry
def below : Light → Light → Prop
  | .off, _ => True
  | .red, l => Light.red = l
  | .green, l => Light.green = l
def monotone (g : Light → Light) : Prop := ∀ x y, below x y → below (g x) (g y)
theorem settled (g : Light → Light) (h : monotone g) : ∃ x, g x = x := by sorry
theorem full (a b c : Bool) (t : Table) : (a && b).toNat + (a && !b).toNat = a.toNat + 0 * c.toNat := by sorry
theorem of_none (m : Memory) (t : Tree) (u : Unit') (x : Many) (n : Nat) : m n = m n := by sorry

end Lights
"""
SCHEMES = [scheme for scheme in CLOSING_SCHEMES if "{enumerated}" in scheme]


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("enumerations"), Base=BASE)


def start(lean: LeanPool, project: LeanProject, theorem: str) -> GoalState:
    return lean.goal_start(TheoremSite(project, "Base.lean", f"Lights.{theorem}"))


def test_what_lean_says_of_a_goal(lean: LeanPool, project: LeanProject) -> None:
    side, light = "Lights.Side Lights.Side.left Lights.Side.right", "Lights.Light Lights.Light.red"
    (goal,) = start(lean, project, "next_safe").goals
    assert goal.enumerations == (side,), "behind the definitions; of lights nothing is said for all"
    assert goal.whole == ()
    (goal,) = start(lean, project, "settled").goals
    assert [each.startswith(light) for each in goal.enumerations] == [True] and goal.whole == ("g", "h")
    (goal,) = start(lean, project, "full").goals
    assert goal.enumerations == ("Bool Bool.false Bool.true",) and goal.whole == ("t",)
    assert goal.definitions == ("Bool.toNat", "Lights.Table"), "the first is unfolded like one of the project's"
    (goal,) = start(lean, project, "of_none").goals
    assert goal.enumerations == () and goal.whole == ("m",)


@pytest.mark.parametrize("theorem", ["next_safe", "reachable_safe", "rightmost", "settled", "full"])
def test_what_holds_of_each_value_is_proved_by_one_tactic(lean: LeanPool, project: LeanProject, theorem: str) -> None:
    state = start(lean, project, theorem)
    (goal,) = state.goals
    text = with_help(goal.text, names=names_of(goal))
    tactics = {tactic: scheme for scheme in SCHEMES for tactic in tactics_of(scheme, text)}
    proved = solving(lean, state, tactics)
    assert scheme_of(proved[0], goal.text, CLOSING_SCHEMES) == tactics[proved[0]]
    ((shorter,), _) = with_used_names(lean, state.origin, (proved[0],))
    assert isinstance(shorter, str) and len(shorter) <= len(proved[0])
    assert lean.goal_tactic(state, shorter).is_solved
