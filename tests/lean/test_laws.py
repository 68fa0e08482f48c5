"""Laws of a goal's functions that nobody has stated: found by values, proved by inductions; and what they prove."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lean_agent.errors import TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite
from lean_agent.policy import ScriptedPolicy
from lean_agent.policy.closers.schemes import LAWS_REQUEST
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver
from lean_agent.prover.proofs.minimise import with_used_names
from lean_agent.prover.tree import laws
from lean_agent.prover.tree.steps import render
from tests.lean.traced_project import traced_project

pytestmark = pytest.mark.lean

BASE = """inductive N where
  | zero : N
  | succ : N → N

def plus : N → N → N
  | .zero, y => y
  | .succ x, y => .succ (plus x y)

def double : N → N
  | .zero => .zero
  | .succ x => .succ (.succ (double x))

def app {α : Type} : List α → List α → List α
  | [], ys => ys
  | x :: xs, ys => x :: app xs ys

def rev {α : Type} : List α → List α
  | [] => []
  | x :: xs => app (rev xs) [x]

def revOnto {α : Type} (ys : List α) : List α → List α
  | [] => ys
  | x :: xs => revOnto (x :: ys) xs

def fast {α : Type} (xs : List α) : List α := revOnto [] xs

def len {α : Type} : List α → Nat
  | [] => 0
  | _ :: xs => len xs + 1

def total : List Nat → Nat
  | [] => 0
  | x :: xs => x + total xs

def least : Nat → Nat → Nat
  | 0, _ => 0
  | _, 0 => 0
  | m + 1, n + 1 => least m n + 1

def spin : Nat → Nat := fun n => if n > 100 then n else n
def Named (n : Nat) : Prop := n = n

theorem double_plus (x : N) : double x = plus x x := by sorry
theorem rev_rev {α : Type} (xs : List α) : rev (rev xs) = xs := by sorry
theorem len_fast {α : Type} (xs : List α) : len (fast xs) = len xs := by sorry
theorem total_rev (xs : List Nat) : total (rev xs) = total xs := by sorry
theorem least_same (m n : Nat) : least m n = least n m := by sorry
theorem false_law (m n : Nat) : spin (m + n) = spin m := by sorry
theorem of_no_functions (p q : Prop) (h : p) : p ∨ q := by sorry
theorem of_predicates (n : Nat) : Named n := by sorry
"""


@pytest.fixture(scope="module")
def at(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TheoremSite]:
    """Where a theorem of the project is."""
    project: LeanProject = traced_project(lean, tmp_path_factory.mktemp("laws"), Base=BASE)
    return lambda name: TheoremSite(project, "Base.lean", name)


def found(lean: LeanPool, site: TheoremSite) -> tuple[list[str], GoalState]:
    """Return what the laws of a theorem's functions say, and the state in which they are known."""
    state = lean.goal_tactic(lean.goal_start(site), LAWS_REQUEST, timeout_s=30.0)
    lines = laws.said(state.messages)
    assert lines and all(map(laws.is_law, lines))
    return [line.partition(" : ")[2].partition(" := ")[0] for line in lines], state


def test_laws_are_found_that_the_functions_of_a_goal_and_those_behind_them_have(
    lean: LeanPool, at: Callable[[str], TheoremSite]
) -> None:
    says, state = found(lean, at("double_plus"))
    assert {"∀ (y : N), plus y N.zero = y", "∀ (y z : N), plus y z.succ = (plus y z).succ"} <= set(says)
    assert "∀ (y z : N), plus z y = plus y z" in says, "it is proved behind what was tried after it"
    assert {f"law_{number}" for number in range(1, len(says) + 1)} <= {each.name for each in state.goals[0].variables}
    assert state.goals[0].target == "double x = plus x x", "and nothing else is to be proved"
    says, _ = found(lean, at("rev_rev"))
    assert {"∀ (x : List α), app x [] = x", "∀ (x y z : List α), app (app x y) z = app x (app y z)"} <= set(says)
    assert not any("total" in law for law in says)


def test_laws_are_looked_for_by_their_forms_too(lean: LeanPool, at: Callable[[str], TheoremSite]) -> None:
    says, _ = found(lean, at("len_fast"))
    assert "∀ (x y : List α), len (revOnto x y) = len x + len y" in says, "a function that goes through another one"
    assert "∀ (x y : List α), revOnto x y = revOnto [] y ++ x" in says, "an accumulator"


def test_what_stands_for_a_request_is_a_proof_by_itself(lean: LeanPool, at: Callable[[str], TheoremSite]) -> None:
    site = at("total_rev")
    says, state = found(lean, site)
    again = lean.goal_tactic(lean.goal_start(site), "\n".join(laws.said(state.messages)), timeout_s=30.0)
    assert again.goals[0].text == state.goals[0].text
    assert any("total (app" in law for law in says)


@pytest.mark.parametrize("name", ["of_no_functions", "of_predicates"])
def test_where_there_are_none_lean_says_so(lean: LeanPool, at: Callable[[str], TheoremSite], name: str) -> None:
    with pytest.raises(TacticFailure, match="no laws"):
        lean.goal_tactic(lean.goal_start(at(name)), LAWS_REQUEST, timeout_s=30.0)


def test_no_law_is_one_that_does_not_hold(lean: LeanPool, at: Callable[[str], TheoremSite]) -> None:
    try:
        says, _ = found(lean, at("false_law"))
    except TacticFailure:
        return
    assert not any("spin" in law and "+" in law for law in says), says


def test_theorems_are_proved_that_need_a_lemma_and_only_the_laws_stay_that_the_proof_needs(
    lean: LeanPool, at: Callable[[str], TheoremSite]
) -> None:
    config = SearchConfig(search="best_step", budget=SearchBudget(expansions=100, lean_calls=64), remember=False)
    sites = [at(name) for name in ("double_plus", "rev_rev", "total_rev", "least_same", "len_fast")]
    results = dict(Driver(lean, ScriptedPolicy(), config).run(sites))
    assert [results[place].status for place in range(len(sites))] == ["proved"] * len(sites)
    with_laws = [place for place, result in results.items() if any(map(laws.is_law, result.script))]
    assert len(with_laws) >= 2
    for place in with_laws:
        shorter, _ = with_used_names(lean, sites[place], results[place].steps)
        kept = [step for step in shorter if isinstance(step, str) and laws.is_law(step)]
        assert len(kept) < sum(map(laws.is_law, results[place].script)) and len(kept) <= 4, shorter
        assert lean.goal_tactic(lean.goal_start(sites[place]), "\n".join(render(shorter)), timeout_s=30.0).is_solved
