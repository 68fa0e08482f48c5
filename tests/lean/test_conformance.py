"""The contract of a Lean server, run over every implementation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_agent.errors import LeanRequestError, TacticFailure
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.native.walls import TRUST_VARIABLE
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.remote.client import LeanClient
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject, Subgoals, TheoremSite
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings

AND_OR = "∀ (p : Prop), p → p ∧ (p ∨ p)"
SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"
FILE = f"""namespace Contract

theorem and_or : {AND_OR} := by
  sorry

theorem swap : {SWAP} := by
  sorry

end Contract
"""


SERVERS = [
    "mock",
    "service over a mock",
    pytest.param("service", marks=pytest.mark.lean),
    pytest.param("embedded", marks=pytest.mark.lean),
    pytest.param("native", marks=[pytest.mark.lean, pytest.mark.long]),  # our code is compiled first: minutes
]


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeanServer]:
    mock = MockLeanServer({"Contract.and_or": AND_OR, "Contract.swap": SWAP})
    if request.param == "mock":
        yield mock
    elif request.param.startswith("service"):
        serves = mock if "mock" in request.param else request.getfixturevalue("lean")
        settings = ServiceSettings(port=0, roots=(tmp_path_factory.getbasetemp(),))
        with serving(serves, settings) as address, LeanClient(address) as client:
            yield client
    elif request.param == "embedded":
        yield request.getfixturevalue("lean")
    else:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(TRUST_VARIABLE, "1")  # within walls the stand-in would not find what it is made of
            with LeanPool(1, lean=str(request.getfixturevalue("toolchain"))) as pool:
                yield pool


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    root = tmp_path_factory.mktemp("contract")
    (root / "Contract.lean").write_text(FILE, encoding="utf-8")
    return LeanProject(root=root, build=tmp_path_factory.mktemp("build"))


@pytest.fixture
def and_or(project: LeanProject) -> TheoremSite:
    return TheoremSite(project, "Contract.lean", "Contract.and_or")


@pytest.fixture
def swap(project: LeanProject) -> TheoremSite:
    return TheoremSite(project, "Contract.lean", "Contract.swap")


def test_one_branch_of_a_conjunction_is_not_the_theorem(server: LeanServer) -> None:
    state = server.goal_start(AND_OR)
    for tactic, goals_left in [("intro p hp", 1), ("constructor", 2), ("exact hp", 1), ("left", 1), ("exact hp", 0)]:
        assert not state.is_solved
        state = server.goal_tactic(state, tactic)
        assert len(state.goals) == goals_left
    assert state.is_solved
    assert state.script == ("intro p hp", "constructor", "exact hp", "left", "exact hp")
    assert state.origin == AND_OR


def test_goals_carry_target_hypotheses_and_text(server: LeanServer) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p hp")
    (goal,) = state.goals
    assert goal.target == "p ∧ (p ∨ p)"
    assert [(variable.name, variable.type) for variable in goal.variables] == [("p", "Prop"), ("hp", "p")]
    assert goal.text == state.text == "p : Prop\nhp : p\n⊢ p ∧ (p ∨ p)"
    main, other = server.goal_tactic(state, "constructor").goals
    assert (main.target, other.target) == ("p", "p ∨ p")


def test_a_theorem_of_a_file_starts_at_its_statement(server: LeanServer, swap: TheoremSite) -> None:
    state = server.goal_start(swap)
    assert state.origin == swap
    assert state.script == ()
    state = server.goal_tactic(state, "intro p q h")
    assert [goal.target for goal in state.goals] == ["q ∧ p"]


def test_states_are_immutable(server: LeanServer) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p hp")
    before = state.text
    first = server.goal_tactic(state, "constructor")
    second = server.goal_tactic(state, "constructor")
    assert state.text == before
    assert first == second
    assert server.goal_tactic(first, "exact hp") != first
    assert len(first.goals) == len(second.goals) == 2


def test_a_failed_tactic_is_an_error_of_its_own_and_leaves_the_state_usable(server: LeanServer) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p hp")
    with pytest.raises(TacticFailure) as caught:
        server.goal_tactic(state, "exact hq")
    assert (caught.value.kind, caught.value.tactic) == ("error", "exact hq")
    assert "hq" in caught.value.message
    assert len(server.goal_tactic(state, "constructor").goals) == 2


@pytest.mark.parametrize(
    ("tactic", "kind"),
    [
        ("sorry", "sorry"),
        ("exact sorry", "sorry"),
        ("admit", "sorry"),
        ("native_decide", "forbidden"),
        ("run_tac pure ()", "forbidden"),
        ("no_such_tactic", "parse"),
        ("", "parse"),
    ],
)
def test_failures_have_a_kind(server: LeanServer, tactic: str, kind: str) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p hp")
    (failure,) = server.goal_tactics([(state, tactic)])
    assert isinstance(failure, TacticFailure)
    assert failure.kind == kind


def test_a_solved_state_takes_no_more_tactics(server: LeanServer) -> None:
    state = server.goal_start("True")
    state = server.goal_tactic(state, "trivial")
    assert state.is_solved
    with pytest.raises(TacticFailure) as caught:
        server.goal_tactic(state, "trivial")
    assert caught.value.kind == "no_goals"


def test_a_batch_answers_in_order_with_failures_as_data(server: LeanServer) -> None:
    conjunction = server.goal_tactic(server.goal_start(AND_OR), "intro p hp")
    disjunction = server.goal_tactic(server.goal_tactic(conjunction, "constructor"), "exact hp")
    pairs = [
        (conjunction, "constructor"),
        (disjunction, "constructor_typo"),
        (disjunction, "exact hq"),
        (disjunction, "left"),
        (conjunction, "sorry"),
        (conjunction, "constructor"),
    ]
    results = server.goal_tactics(pairs)
    shapes = [result.kind if isinstance(result, TacticFailure) else len(result.goals) for result in results]  # type: ignore[union-attr]
    assert shapes == [2, "parse", "error", 1, "sorry", 2]
    assert [result.tactic for result in results if isinstance(result, TacticFailure)] == [
        "constructor_typo",
        "exact hq",
        "sorry",
    ]
    assert server.goal_tactics([]) == []


def test_many_starts_at_once(server: LeanServer, and_or: TheoremSite, swap: TheoremSite) -> None:
    missing = TheoremSite(and_or.project, and_or.file_path, "Contract.missing")
    first, unknown, last = server.goal_starts([and_or, missing, swap])
    assert first == server.goal_start(and_or)
    assert isinstance(unknown, LeanRequestError)
    assert last == server.goal_start(swap)


def test_an_unknown_theorem_and_a_broken_expression_are_refused(server: LeanServer, and_or: TheoremSite) -> None:
    with pytest.raises(LeanRequestError, match=r"Contract\.missing"):
        server.goal_start(TheoremSite(and_or.project, and_or.file_path, "Contract.missing"))
    with pytest.raises(LeanRequestError):
        server.goal_start("∀ (p : Prop), p ∧")


def test_released_states_leave_the_others_alone(server: LeanServer) -> None:
    state = server.goal_start(AND_OR)
    child = server.goal_tactic(state, "intro p hp")
    server.release([state])
    assert len(server.goal_tactic(child, "constructor").goals) == 2
    server.release([child, state])


@pytest.mark.parametrize("whole_file", [False, True])
def test_the_judge(server: LeanServer, swap: TheoremSite, whole_file: bool) -> None:
    good = "by\n  intro p q h\n  constructor\n  exact h.2\n  exact h.1"
    assert server.verify(swap, good, whole_file=whole_file).accepted
    for proof, kind in [
        ("by\n  intro p q h\n  constructor\n  exact h.2", "error"),
        ("by\n  intro p q h\n  exact h.3", "error"),
        ("by\n  sorry", "sorry"),
        ("by\n  native_decide", "forbidden"),
    ]:
        verdict = server.verify(swap, proof, whole_file=whole_file)
        assert (verdict.kind, verdict.accepted) == (kind, False), proof
        assert verdict.reason
    missing = TheoremSite(swap.project, swap.file_path, "Contract.missing")
    assert server.verify(missing, good, whole_file=whole_file).kind == "not_found"


def test_the_asynchronous_face_is_the_same(server: LeanServer, and_or: TheoremSite) -> None:
    async def prove() -> tuple[bool, bool]:
        (state,) = await server.goal_starts_async([and_or])
        for tactic in ("intro p hp", "constructor", "exact hp", "left"):
            (state,) = await server.goal_tactics_async([(state, tactic)])  # type: ignore[list-item]
        solved = await server.goal_tactic_async(state, "exact hp")  # type: ignore[arg-type]
        proof = "by\n" + "\n".join(f"  {tactic}" for tactic in solved.script)
        return solved.is_solved, (await server.verify_async(and_or, proof)).accepted

    assert asyncio.run(prove()) == (True, True)


def test_closing_twice_is_harmless(project: LeanProject) -> None:
    server = MockLeanServer()
    with server:
        server.close()
    assert Path(project.root).is_dir()


def test_goals_that_share_nothing_are_proved_apart(server: LeanServer, swap: TheoremSite) -> None:
    state = server.goal_tactic(server.goal_tactic(server.goal_start(swap), "intro p q h"), "constructor")
    assert state.groups == ((0,), (1,))
    (parts,) = server.goal_splits([state])
    assert isinstance(parts, list)
    left, right = parts
    assert (left.text, right.text) == tuple(goal.text for goal in state.goals)
    assert right.origin == Subgoals(swap, ("intro p q h", "constructor"), (1,))
    assert right.script == ()
    done = server.goal_tactic(right, "exact h.1")
    assert done.is_solved and done.script == ("exact h.1",)
    with pytest.raises(TacticFailure):
        server.goal_tactic(left, "exact h.1")
    again = server.goal_start(right.origin)
    assert again == right and again.text == right.text


def test_the_library_is_asked_about_each_state(server: LeanServer) -> None:
    """A mock knows no library; over HTTP it is the same list."""
    states = [server.goal_start(proposition) for proposition in ("∀ (p : Prop), p → p", AND_OR)]
    assert server.goal_lemmas(states) == [(), ()]
    assert server.goal_lemmas([]) == []
    assert server.goal_consequences(states) == [(), ()] and server.goal_consequences([]) == []


def test_goals_are_known_by_a_key_whatever_the_order_of_their_hypotheses(server: LeanServer) -> None:
    start = server.goal_tactic(server.goal_start("∀ (p q : Prop), p → q → p"), "intro p q")
    there = server.goal_tactic(start, "intro hp hq").goals[0]
    (here,) = server.goal_tactic(server.goal_start("∀ (p q : Prop), q → p → p"), "intro p q hq hp").goals
    (named,) = server.goal_tactic(server.goal_start("∀ (p q : Prop), q → p → p"), "intro p q k hp").goals
    (other,) = server.goal_tactic(server.goal_start("∀ (p q : Prop), q → p → q"), "intro p q hq hp").goals
    assert there.key == here.key and there.text != here.text
    assert len({here.key, named.key, other.key}) == 3


def test_a_text_is_checked_with_line_and_column(server: LeanServer) -> None:
    good = "theorem swap : ∀ (p q : Prop), p ∧ q → q ∧ p := by\n  intro p q h\n  constructor\n  exact h.2\n  exact h.1"
    bad = "theorem wrong : ∀ (p q : Prop), p → q := by\n  intro p q h\n  exact h"
    open_ = "theorem open_ : ∀ (p : Prop), p := by\n  sorry"
    assert server.check(good) == () == server.check("")
    wrong, hole = server.check(f"{good}\n\n{bad}\n\n{open_}\n")
    assert (wrong.severity, hole.severity) == ("error", "warning")
    assert 7 <= wrong.start.line <= 9 and hole.start.line == 11
    assert wrong.end is not None and wrong.start < wrong.end
    assert "sorry" in hole.text
    assert asyncio.run(server.check_async(good)) == ()
