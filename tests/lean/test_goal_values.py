"""Goals in all their parts, whatever their hypotheses look like: as values of ours and as Pantograph's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_agent.lean import pantograph
from lean_agent.lean.pantograph import Server
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import Goal, LeanProject, TheoremSite, Variable

pytestmark = pytest.mark.lean


@pytest.fixture(scope="module")
def server(lean: LeanPool) -> Iterator[Server]:
    with Server(pool=lean) as server:
        yield server


def after(lean: LeanPool, server: Server, expr: str, tactic: str) -> Goal:
    """The one goal that a tactic leaves; Pantograph's form of it must say the same."""
    (goal,) = lean.goal_tactic(lean.goal_start(expr), tactic).goals
    (other,) = server.goal_tactic(server.goal_start(expr), tactic).goals
    assert other.target == goal.target
    assert other.name == goal.name
    assert other.variables == [pantograph.Variable(v.type, v.value, v.name) for v in goal.variables]
    return goal


def test_unicode_and_odd_names(lean: LeanPool, server: Server) -> None:
    goal = after(lean, server, "∀ (α₁ : Type) («odd name» : α₁) (ℝ' : Nat), ℝ' = ℝ'", "intro α₁ «odd name» ℝ'")
    assert [(v.name, v.type) for v in goal.variables] == [("α₁", "Type"), ("«odd name»", "α₁"), ("ℝ'", "Nat")]
    assert not any(v.is_inaccessible for v in goal.variables)


def test_shadowed_names_are_inaccessible(lean: LeanPool, server: Server) -> None:
    goal = after(lean, server, "∀ (x : Nat), x = 1 → ∀ (x : Bool), x = x", "intro x h x")
    assert goal.variables == (
        Variable("x✝", "Nat", None, is_inaccessible=True),
        Variable("h", "x✝ = 1"),
        Variable("x", "Bool"),
    )
    unnamed = after(lean, server, "∀ (n : Nat), n = n", "intro")
    assert unnamed.variables == (Variable("n✝", "Nat", None, is_inaccessible=True),)


@pytest.mark.parametrize("sanitize", ["true", "false"])
def test_a_name_is_accessible_when_a_tactic_can_speak_of_it(lean: LeanPool, tmp_path: Path, sanitize: str) -> None:
    """What is printed decides nothing: «n✝» is a name, and without `pp.sanitizeNames` hidden names look like others."""
    statement = "∀ (n : Nat), n = 0 → ∀ (n : Nat), n = n"
    (tmp_path / "A.lean").write_text(
        f"set_option pp.sanitizeNames {sanitize}\ntheorem a : {statement} := by\n  sorry\n"
    )
    start = TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "A.lean", "a")
    cases = {
        "intro «n✝» _ m": [False, True, False],
        "intro n h n": [True, False, False],
        "intro «n✝» h «n✝»": [True, False, False],
        "intros": [True, True, True],
    }
    with Server(pool=lean, core_options=[f"pp.sanitizeNames={sanitize}"]) as server:
        for tactic, expected in cases.items():
            (goal,) = lean.goal_tactic(lean.goal_start(start), tactic).goals
            assert [v.is_inaccessible for v in goal.variables] == expected, tactic
            (plain,) = lean.goal_tactic(lean.goal_start(statement), tactic).goals
            assert plain.key == goal.key
            state = server.run("goal.start", {"expr": statement})["stateId"]
            (other,) = server.run("goal.tactic", {"stateId": state, "tactic": tactic})["goals"]
            assert [v["isInaccessible"] for v in other["vars"]] == expected, tactic


def test_names_that_look_inaccessible_are_told_apart(lean: LeanPool) -> None:
    start = lean.goal_start("∀ (n : Nat), n = n")
    goals = [lean.goal_tactic(start, f"intro {name}").goals[0] for name in ("«a✝»", "«b✝»", "_")]
    assert [goal.variables[0].is_inaccessible for goal in goals] == [False, False, True]
    assert len({goal.key for goal in goals}) == 3
    assert lean.goal_tactic(lean.goal_tactic(start, "intro «a✝»"), "exact (rfl : «a✝» = _)").is_solved


def test_let_shows_its_value_and_have_does_not(lean: LeanPool, server: Server) -> None:
    goal = after(lean, server, "let n : Nat := 2 + 3; n = 5", "intro n")
    assert goal.variables == (Variable("n", "Nat", "2 + 3"),)
    assert goal.text == "n : Nat := 2 + 3\n⊢ n = 5"
    goal = after(lean, server, "∀ (a : Nat), a = a", "intro a\nhave h : a + 0 = a := rfl")
    assert goal.variables == (Variable("a", "Nat"), Variable("h", "a + 0 = a"))


def test_a_hypothesis_of_many_lines_is_one(lean: LeanPool, server: Server) -> None:
    long = " ∧ ".join(f"someRatherLongName{i} + {i} = {i} + someRatherLongName{i}" for i in range(6))
    names = " ".join(f"someRatherLongName{i}" for i in range(6))
    goal = after(lean, server, f"∀ ({names} : Nat), ({long}) → True", f"intro {names} h")
    *numbers, h = goal.variables
    assert [v.type for v in numbers] == ["Nat"] * 6
    assert "\n" in h.type
    assert " ".join(h.type.split()) == long
    assert goal.target == "True"


def test_two_hundred_hypotheses(lean: LeanPool, server: Server) -> None:
    chain = " → ".join(f"n = {i}" for i in range(200))
    names = [f"h{i}" for i in range(200)]
    goal = after(lean, server, f"∀ (n : Nat), {chain} → False", f"intro n {' '.join(names)}")
    assert [v.name for v in goal.variables] == ["n", *names]
    assert [v.type for v in goal.variables[1:]] == [f"n = {i}" for i in range(200)]
    assert goal.text.count("\n") == 201


def test_case_tags_and_notation(lean: LeanPool, server: Server) -> None:
    left, right = lean.goal_tactic(lean.goal_start("∀ (p q : Prop), p ∨ q → ¬(¬p ∧ ¬q)"), "intro p q h\ncases h").goals
    assert (left.name, right.name) == ("inl", "inr")
    assert left.target == "¬(¬p ∧ ¬q)"
    assert left.variables[-1] == Variable("h✝", "p", None, is_inaccessible=True)
    subset = after(lean, server, "∀ (f : Nat → Nat), (fun x => f x) = f ∘ id ∧ ∃ x, x ∈ [1, 2]", "intro f")
    assert subset.target == "(fun x => f x) = f ∘ id ∧ ∃ x, x ∈ [1, 2]"
