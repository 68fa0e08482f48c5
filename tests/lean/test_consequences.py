"""What follows at a goal from its hypotheses, by Lean's own word."""

from __future__ import annotations

import pytest

from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.remote.client import LeanClient
from lean_agent.lean.types import Consequence, LeanProject, TheoremSite
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings
from tests.lean.traced_project import traced_project

pytestmark = pytest.mark.lean

BASE = """inductive Typed : Nat → Nat → Prop
  | zero : Typed 0 0
  | succ {a b} : Typed a b → Typed (a + 1) (b + 1)

def WellTyped (type state : Nat) : Prop := Typed state type

theorem kept {a b c : Nat} (_ : WellTyped a b) (_ : Typed b c) : WellTyped c b := by assumption

def count (xs : List Nat) (v : Nat) : Nat := (xs.filter (· = v)).length

theorem count_perm {xs ys : List Nat} (h : xs.Perm ys) (v : Nat) : count xs v = count ys v := (h.filter _).length_eq

theorem counts_alike (v : Nat) {xs ys : List Nat} (h : xs.Perm ys) : count ys v = count xs v := (count_perm h v).symm

theorem says_nothing {xs ys : List Nat} (h : xs.Perm ys) (v : Nat) : count xs 0 = count ys 0 := count_perm h 0
"""
USES = """import Base

def Accepts (e : Nat) : Prop := ∃ s, Typed e s ∧ 0 < s

def Inverts (f g : Nat → Nat) : Prop := ∀ a, f (g a) = a

private theorem unseen {a b : Nat} (_ : Typed a b) : a = b := by sorry

theorem by_a_definition (a b c : Nat) (h : WellTyped a b) (k : Typed b c) : c = a := by sorry

theorem opened (e : Nat) (h : Accepts e) : e ≠ 0 := by sorry

theorem of_variables (P : Nat → Prop) (R : Nat → Nat → Prop) (step : ∀ x y, R x y → P x → P y)
    (h : R 1 2) (k : R 2 3) (start : P 1) : P 3 := by sorry

theorem behind_a_definition (P : Nat → Prop) (f : Nat → Nat) (h : ∀ x, P x → ¬P (f x)) (a : Nat) (k : P a)
    (m : P (f a)) : False := by sorry

theorem hidden_name (P Q : Nat → Prop) (step : ∀ x, P x → Q x) : P 1 → Q 1 := by sorry

theorem of_two (le : Nat → Nat → Prop) (trans : ∀ {a b c}, le a b → le b c → le a c) (a b : Nat) (h : le a b)
    (k : le b a) : le a a := by sorry

theorem left_open (xs ys : List Nat) (h : xs.Perm ys) (k : ∀ v, count xs v = v) : ∀ v, count ys v = v := by sorry

theorem open_of_variables (R : Nat → Nat → Prop) (P : Nat → Prop) (all : ∀ x, P x → ∀ y, R x y) (a : Nat) (h : P a) :
    R a 7 := by sorry

def Onto (f : Nat → Nat) : Prop := ∀ b, ∃ a, f a = b

theorem larger (n : Nat) : ∃ m, n < m ∧ Typed m m := by sorry

theorem existing (f g : Nat → Nat) (hf : Onto f) (c : Nat) (hg : ∀ a b, ∃ d, g a + g b = d) : ∃ a, f a = c := by sorry

theorem existing_of_any (a : Nat) (h : Typed a a) : ∃ m, a < m := by sorry

theorem nothing (a b : Nat) (h : a < b) : a ≤ b := by sorry
"""


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("consequences"), Base=BASE, Uses=USES)


def consequences(
    lean: LeanPool, project: LeanProject, theorem: str, tactic: str = "skip", most: int = 8
) -> dict[str, Consequence]:
    """What follows after a tactic, by its proof; each proof is one that Lean takes there, and says what it is said to
    say. What an induction may descend by follows from nothing (:mod:`tests.lean.test_descents`)."""
    start = lean.goal_start(TheoremSite(project, "Uses.lean", theorem))
    state = lean.goal_tactic(start, tactic)
    (answer,) = lean.goal_consequences([state], most=most)
    assert not isinstance(answer, LeanError)
    following = [each for each in answer if each.kind != "descent"]
    for each in following:
        lean.release([lean.goal_tactic(state, f"have known : {each.type} := {each.proof}")])
    lean.release([start, state])
    return {each.proof: each for each in following}


def test_a_condition_may_hold_by_a_definition(lean: LeanPool, project: LeanProject) -> None:
    by_proof = consequences(lean, project, "by_a_definition")
    kept = by_proof["kept h k"]
    assert kept.type == "WellTyped c b" and kept.uses == ("kept",)
    assert kept.unfoldings == ("WellTyped",), "no relation"
    assert {"unseen h", "unseen k"} <= {*by_proof}, "private to its file, where it has a name"


def test_a_hypothesis_that_says_more_by_its_definition(lean: LeanPool, project: LeanProject) -> None:
    (opened,) = consequences(lean, project, "opened").values()
    assert (opened.proof, opened.type) == ("h", "∃ s, Typed e s ∧ 0 < s")
    assert "kept" not in "".join(consequences(lean, project, "opened", "obtain ⟨s, h, k⟩ := h"))


def test_what_follows_from_what_follows(lean: LeanPool, project: LeanProject) -> None:
    by_proof = consequences(lean, project, "of_variables")
    assert [each.type for each in by_proof.values()] == ["P 2", "P 3"]
    assert "step _ _ k (step _ _ h start)" in by_proof, "predicates that are variables, too"
    assert len(consequences(lean, project, "of_variables", most=1)) == 1


def test_a_negation_is_a_rule_and_no_fact_is_used_twice(lean: LeanPool, project: LeanProject) -> None:
    assert [each.type for each in consequences(lean, project, "behind_a_definition").values()][-1] == "False"
    assert {*consequences(lean, project, "of_two")} == {"trans h k", "trans k h"}


def test_a_value_of_which_no_hypothesis_speaks_is_left_open(lean: LeanPool, project: LeanProject) -> None:
    by_proof = consequences(lean, project, "left_open")
    assert by_proof["count_perm h"].type == "∀ (v : Nat), count xs v = count ys v"
    assert by_proof["fun v => counts_alike v h"].type == "∀ (v : Nat), count ys v = count xs v"
    assert len(by_proof) == 2, "none that does not speak of it"
    (all_of_them,) = consequences(lean, project, "open_of_variables").values()
    assert (all_of_them.proof, all_of_them.type) == ("all _ h", "∀ (y : Nat), R a y")
    start = lean.goal_start(TheoremSite(project, "Uses.lean", "left_open"))
    done = lean.goal_tactic(start, "have h₁ := count_perm h; grind")
    assert not done.goals
    lean.release([start, done])


def test_what_exists_for_a_value_of_the_goal(lean: LeanPool, project: LeanProject) -> None:
    by_proof = consequences(lean, project, "existing")
    assert {proof: each.type for proof, each in by_proof.items()} == {"hf c": "∃ a, f a = c"}, "none of two alike"
    by_proof = consequences(lean, project, "existing_of_any")
    assert (by_proof["larger a"].type, by_proof["larger a"].uses) == ("∃ m, a < m ∧ Typed m m", ("larger",))
    by_proof = consequences(lean, project, "existing", "obtain ⟨b, h⟩ := hf c")
    assert {"hf c", "hf b", "hg c b", "hg b c"} == {*by_proof}


def test_hypotheses_without_a_name(lean: LeanPool, project: LeanProject) -> None:
    assert {*consequences(lean, project, "hidden_name", "intro _")} == {"step _ (by assumption)"}


def test_nothing_follows(lean: LeanPool, project: LeanProject) -> None:
    assert consequences(lean, project, "nothing") == {}
    start = lean.goal_start("1 = 1")
    done = lean.goal_tactic(start, "rfl")
    assert lean.goal_consequences([start, done]) == [(), ()]
    lean.release([start, done])


def test_over_http(lean: LeanPool) -> None:
    with serving(lean, ServiceSettings(port=0)) as address, LeanClient(address) as client:
        state = client.goal_tactic(client.goal_start("∀ p q : Prop, (p → q) → p → q"), "intro p q h k")
        assert client.goal_consequences([state]) == [(Consequence("h k", "q"),)]
