"""The contract of Pantograph's Python API, run over everything that stands behind it.

That is the mock, embedded Lean in a pool, our process on a pipe, and a native ``pantograph-repl`` where there is one.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import pytest

from lean_agent.errors import LeanInstallError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pantograph import GoalState, Server, ServerError, Site, TacticFailure, Variable
from lean_agent.lean.pantograph.native import find_pantograph

AND_OR = "∀ (p : Prop), p → p ∧ (p ∨ p)"

SERVERS = [
    "mock",
    pytest.param("embedded", marks=pytest.mark.lean),
    pytest.param("process", marks=[pytest.mark.lean, pytest.mark.slow]),
    pytest.param("native", marks=pytest.mark.lean),
]


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "native":
        try:
            find_pantograph()
        except LeanInstallError as e:
            pytest.skip(str(e))
    found = {
        "mock": lambda: Server(pool=MockLeanServer()),
        "embedded": lambda: Server(pool=request.getfixturevalue("lean")),
        "process": lambda: Server(repl=[sys.executable, "-m", "lean_agent", "pantograph-repl"], timeout=300),
        "native": lambda: Server(repl="native", timeout=300),
    }[request.param]()
    with found:
        yield found


def targets(state: GoalState) -> list[str]:
    return [goal.target for goal in state.goals]


def test_a_goal_starts_with_its_target(server: Server) -> None:
    state = server.goal_start(AND_OR)
    assert len(state.goals) == 1
    assert state.goals[0].variables == []
    assert not state.is_solved


def test_hypotheses_have_names_and_types(server: Server) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    (goal,) = state.goals
    assert goal.variables == [Variable("Prop", None, "p"), Variable("p", None, "h")]
    assert goal.target == "p ∧ (p ∨ p)"


def test_one_branch_of_a_conjunction_is_not_the_theorem(server: Server) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    state = server.goal_tactic(state, "constructor")
    assert targets(state) == ["p", "p ∨ p"]
    state = server.goal_tactic(state, "exact h")
    assert targets(state) == ["p ∨ p"]
    assert not state.is_solved
    state = server.goal_tactic(server.goal_tactic(state, "left"), "exact h")
    assert state.is_solved


def test_the_first_goal_can_be_named(server: Server) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h", Site(0))
    assert targets(state) == ["p ∧ (p ∨ p)"]


def test_states_are_immutable(server: Server) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    first, second = server.goal_tactic(state, "constructor"), server.goal_tactic(state, "constructor")
    assert first.state_id != second.state_id
    assert targets(first) == targets(second) == ["p", "p ∨ p"]
    assert targets(state) == ["p ∧ (p ∨ p)"]


@pytest.mark.parametrize("tactic", ["exact q", "no_such_tactic", "sorry", "exact h"])
def test_a_tactic_that_fails_leaves_the_state_usable(server: Server, tactic: str) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    with pytest.raises(TacticFailure):
        server.goal_tactic(state, tactic)
    assert len(server.goal_tactic(state, "constructor").goals) == 2


def test_what_is_refused_is_a_server_error(server: Server) -> None:
    with pytest.raises(ServerError):
        server.goal_start("∀ (p : Prop), p →")
    state = server.goal_tactic(server.goal_start("True"), "trivial")
    assert state.is_solved
    with pytest.raises(ServerError):
        server.goal_tactic(state, "trivial")
    with pytest.raises(ServerError):
        server.run("goal.print", {"stateId": 99999}) and server.goal_tactic(GoalState(99999, [], [], []), "skip")


def test_states_that_are_forgotten_are_deleted(server: Server) -> None:
    state = server.goal_start(AND_OR)
    number = state.state_id
    del state
    server.gc()
    assert server.run("goal.print", {"stateId": number})["error"] == "index"


def test_the_asynchronous_face_is_the_same(server: Server) -> None:
    async def prove() -> bool:
        state = await server.goal_start_async("∀ (p q : Prop), p ∧ q → q ∧ p")
        for tactic in ("intro p q h", "constructor", "exact h.2", "exact h.1"):
            state = await server.goal_tactic_async(state, tactic)
        return state.is_solved

    assert asyncio.run(prove())


def test_a_command_without_its_state_is_an_error(server: Server) -> None:
    for cmd, payload in (("goal.tactic", {"tactic": "skip"}), ("goal.print", {}), ("goal.delete", {})):
        assert "Unable to parse json" in server.run(cmd, payload)["desc"]
