"""What the mock server offers beyond the contract: its logic, its tables, its strictness."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest

from lean_agent.errors import LeanError, LeanRequestError, LeanTimeout, TacticFailure
from lean_agent.lean.mock.logic import make_goal, parse, read_goal, rename, show
from lean_agent.lean.mock.server import MockLeanServer, split_block
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject, TheoremSite, TracedFile, Variable

PROJECT = LeanProject(root=Path("project"), build=Path("build"))


def site(name: str, position: int | None = None) -> TheoremSite:
    return TheoremSite(PROJECT, "A.lean", name, position)


def run(server: MockLeanServer, origin: TheoremSite | str, *tactics: str) -> list[str]:
    state = server.goal_start(origin)
    for tactic in tactics:
        state = server.goal_tactic(state, tactic)
    return [goal.text for goal in state.goals]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("p ∧ (p ∨ q)", "p ∧ (p ∨ q)"),
        ("(p ∧ q) ∨ r", "p ∧ q ∨ r"),
        ("p ∧ (q ∧ r)", "p ∧ q ∧ r"),
        ("(p ∧ q) ∧ r", "(p ∧ q) ∧ r"),
        ("(p → q) → r", "(p → q) → r"),
        ("p → (q → r)", "p → q → r"),
        ("¬ (p ∧ q)", "¬(p ∧ q)"),
        ("¬ ¬ p", "¬¬p"),
        ("(p ↔ q) ↔ r", "(p ↔ q) ↔ r"),
        ("∀ p q : Prop, p → q", "∀ (p : Prop), ∀ (q : Prop), p → q"),
        ("f (x) = 2 ∧ q", "f (x) = 2 ∧ q"),
        ("(∀ x : Nat, P x) → q", "(∀ (x : Nat), P x) → q"),
    ],
)
def test_formulas_print_with_the_fewest_parentheses(text: str, printed: str) -> None:
    assert show(parse(text)) == printed
    assert parse(printed) == parse(text)


@pytest.mark.parametrize("text", ["", "p ∧", "(p", "p)", "∧ p", "∀ p, q", "f (x"])
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse(text)


def test_a_name_is_replaced_word_by_word() -> None:
    assert show(rename(parse("p ∧ pq → p' ∨ ¬p"), "p", "a")) == "a ∧ pq → p' ∨ ¬a"
    assert show(rename(parse("p → ∀ p : Prop, p"), "p", "a")) == "a → (∀ (p : Prop), p)"


def test_a_goal_prints_as_lean_does_and_is_read_back() -> None:
    variables = (Variable("p", "Prop"), Variable("q", "Prop"), Variable("h", "p ∧ q"))
    goal = make_goal("q", variables, "right")
    assert goal.text == "case right\np q : Prop\nh : p ∧ q\n⊢ q"
    assert read_goal(goal.text) == goal


def test_a_proof_in_the_built_in_logic() -> None:
    server = MockLeanServer()
    steps = ["intro p q h", "cases h", "left", "assumption"]
    assert run(server, "∀ p q : Prop, p ∨ q → q ∨ p", *steps[:2]) == [
        "case inl\np q : Prop\nh✝ : p\n⊢ q ∨ p",
        "case inr\np q : Prop\nh✝ : q\n⊢ q ∨ p",
    ]
    with pytest.raises(TacticFailure, match="assumption"):
        run(server, "∀ p q : Prop, p ∨ q → q ∨ p", *steps)
    assert (
        run(
            server,
            "∀ p q : Prop, p ∨ q → q ∨ p",
            "intro p q h",
            "cases h",
            "right",
            "assumption",
            "left",
            "assumption",
        )
        == []
    )


@pytest.mark.parametrize(
    ("statement", "tactics"),
    [
        ("∀ p q : Prop, (p → q) → ¬q → ¬p", ["intro p q hpq hq hp", "apply hq", "apply hpq", "exact hp"]),
        ("∀ p q : Prop, (p ↔ q) → q → p", ["intro p q h hq", "apply h.2", "exact hq"]),
        ("∀ p q : Prop, p ∧ q ↔ q ∧ p", ["constructor"]),
        ("∀ p : Prop, False → p", ["intro p h", "cases h"]),
        ("True ∧ True", ["constructor", "trivial", "trivial"]),
    ],
)
def test_every_rule_has_a_proof_that_needs_it(statement: str, tactics: list[str]) -> None:
    server = MockLeanServer()
    if tactics == ["constructor"]:
        with pytest.raises(TacticFailure, match="no applicable constructors"):
            run(server, statement, *tactics)
        tactics = ["intro p q", "constructor"]
        for _ in range(2):
            tactics += ["intro h", "constructor", "exact h.2", "exact h.1"]
    assert run(server, statement, *tactics) == []


def test_the_table_comes_before_the_rules_and_replaces_the_main_goal_only() -> None:
    table: dict[tuple[str, str], Sequence[str] | LeanError] = {
        ("n : Nat\n⊢ n + 0 = n", "induction n"): ("case zero\n⊢ 0 + 0 = 0", "case succ\nn : Nat\n⊢ n + 1 + 0 = n + 1"),
        ("case zero\n⊢ 0 + 0 = 0", "rfl"): (),
        ("case succ\nn : Nat\n⊢ n + 1 + 0 = n + 1", "omega"): LeanTimeout("omega took more than 5 s"),
    }
    server = MockLeanServer({"add_zero": "n : Nat\n⊢ n + 0 = n"}, table=table)
    state = server.goal_start(site("add_zero"))
    state = server.goal_tactic(state, "induction n")
    state = server.goal_tactic(state, "rfl")
    assert [goal.target for goal in state.goals] == ["n + 1 + 0 = n + 1"]
    assert state.goals[0].variables == (Variable("n", "Nat"),)
    (result,) = server.goal_tactics([(state, "omega")])
    assert isinstance(result, LeanTimeout)


def test_a_position_starts_in_the_middle_of_a_proof() -> None:
    server = MockLeanServer({"t": "p"}, positions={("t", 40): ("h : p\n⊢ p",)})
    assert run(server, site("t", 40)) == ["h : p\n⊢ p"]
    with pytest.raises(LeanRequestError, match="byte 41"):
        server.goal_start(site("t", 41))


def test_a_released_state_and_a_closed_server_are_not_used_again() -> None:
    server = MockLeanServer()
    state = server.goal_start("p → p")
    assert server.live_states == 1
    server.release([state, state])
    assert server.live_states == 0
    with pytest.raises(LeanRequestError, match="released"):
        server.goal_tactic(state, "intro h")
    server.close()
    with pytest.raises(LeanRequestError, match="closed"):
        server.goal_start("p → p")


def test_files_are_those_that_were_given() -> None:
    traced = TracedFile("A.lean", "A", (), (), (), (), 0.0, 0.0)
    server = MockLeanServer(files={"A.lean": traced})
    assert server.trace_file(PROJECT, "A.lean") is traced
    with pytest.raises(LeanRequestError, match=r"B\.lean"):
        server.trace_file(PROJECT, "B.lean")


def test_blocks_are_split_as_they_are_written() -> None:
    assert split_block("by\n  intro h\n  cases h with\n    | a => x\n  rfl") == [
        "intro h",
        "cases h with\n  | a => x",
        "rfl",
    ]
    assert split_block("by rfl") == ["rfl"]
    for no_block in ("rfl", "by", "fun h => h"):
        with pytest.raises(ValueError, match="by"):
            split_block(no_block)


def test_it_is_a_lean_server_and_its_states_travel() -> None:
    server = MockLeanServer()
    assert isinstance(server, LeanServer)
    state = server.goal_start("p → p")
    assert pickle.loads(pickle.dumps(state)) == state
