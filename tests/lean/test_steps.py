"""Invariants of what is reachable by steps, of which the goal speaks only by the rules of its predicates."""

from __future__ import annotations

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, tactics_of
from lean_agent.policy.prompt_help import names_of
from lean_agent.prompts import with_help
from tests.lean.traced_project import traced_project

pytestmark = pytest.mark.lean

BASE = """namespace Lock

abbrev Pid := Nat

structure Sys where
  owner : Option Pid
  owners : List Pid
  writes : List Pid

def without (p : Pid) (s : Sys) : List Pid := s.owners.filter (· ≠ p)

inductive Step : Sys → Sys → Prop
  | acquire (s : Sys) (p : Pid) : s.owner = none → Step s { s with owner := some p, owners := p :: s.owners }
  | fail (s : Sys) (p : Pid) : s.owner ≠ none → Step s s
  | release (s : Sys) (p : Pid) : p ∈ s.owners → Step s { s with owner := none, owners := without p s }
  | write (s : Sys) (p : Pid) : p ∈ s.owners → Step s { s with writes := s.writes ++ [p] }

inductive Reachable : Sys → Prop
  | init : Reachable ⟨none, [], []⟩
  | step {s t : Sys} : Reachable s → Step s t → Reachable t

structure Inv (s : Sys) : Prop where
  held : ∀ p ∈ s.owners, s.owner = some p
  taken : s.owner ≠ none → s.owners ≠ []

theorem owners_hold {s : Sys} (h : Reachable s) : ∀ p ∈ s.owners, s.owner = some p := by sorry

theorem invariant {s : Sys} (h : Reachable s) : Inv s := by sorry

theorem by_itself {s t : Sys} (h : Step s t) : s = s := by sorry

notation:45 s:46 " =[]=> " t:46 => Step s t

theorem progress {s t : Sys} (h : s =[]=> t) (k : Reachable s) : s =[]=> t := by sorry

end Lock
"""
SCHEME = next(scheme for scheme in CLOSING_SCHEMES if "{stepped}" in scheme)


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("steps"), Base=BASE)


@pytest.mark.parametrize(
    ("theorem", "steps", "of_steps"),
    [
        ("owners_hold", ("Lock.Step",), ("Lock.without",)),
        ("invariant", ("Lock.Step",), ("Lock.without",)),
        ("by_itself", (), ("Lock.without",)),
    ],
)
def test_predicates_behind_rules(
    lean: LeanPool, project: LeanProject, theorem: str, steps: tuple[str, ...], of_steps: tuple[str, ...]
) -> None:
    (goal,) = lean.goal_start(TheoremSite(project, "Base.lean", f"Lock.{theorem}")).goals
    assert (goal.steps, goal.of_steps) == (steps, of_steps)


@pytest.mark.parametrize("theorem", ["owners_hold", "invariant"])
def test_an_invariant_takes_one_tactic(lean: LeanPool, project: LeanProject, theorem: str) -> None:
    start = lean.goal_start(TheoremSite(project, "Base.lean", f"Lock.{theorem}"))
    (goal,) = start.goals
    (tactic,) = tactics_of(SCHEME, with_help(goal.text, names=names_of(goal)))
    assert lean.goal_tactic(start, tactic).is_solved


def test_derivations_behind_a_notation(lean: LeanPool, project: LeanProject) -> None:
    (goal,) = lean.goal_start(TheoremSite(project, "Base.lean", "Lock.progress")).goals
    assert goal.target == "s =[]=> t" and goal.derivations == ("h Lock.Step", "⊢ Lock.Step")
    assert tactics_of("induction {local}", with_help(goal.text, names=names_of(goal)))[0] == "induction h"
    (plain,) = lean.goal_start(TheoremSite(project, "Base.lean", "Lock.invariant")).goals
    assert plain.derivations == (), "it says its predicate"
