"""The graph of a search: what is one node, what is solved, what a proof is put together from."""

from __future__ import annotations

import pytest

from lean_agent.lean.types import Goal, GoalState
from lean_agent.prover.tree.graph import ProofGraph


def state(*keys: str) -> GoalState:
    goals = tuple(Goal(id=key, target=key, text=f"⊢ {key}", key=key) for key in keys)
    return GoalState("p", (), goals)


@pytest.fixture
def graph() -> ProofGraph:
    return ProofGraph(state("root"))


def test_states_of_the_same_key_are_one_node_which_keeps_the_likelier_way(graph: ProofGraph) -> None:
    first = graph.reach(graph.root, "slow", -3.0, [state("a")])
    (a,) = first.fresh
    again = state("a")
    second = graph.reach(graph.root, "fast", -1.0, [again])
    assert (second.fresh, second.improved, second.superfluous) == ((), (a,), (again,))
    assert (a.logprob, a.depth) == (-1.0, 1)
    third = graph.reach(graph.root, "slower", -2.0, [state("a")])
    assert third.improved == ()
    graph.close(a)
    assert a.status == "dead"
    assert graph.reach(graph.root, "surest", -0.5, [state("a")]).improved == ()  # it has been expanded
    assert len(graph.nodes) == 2
    graph.check_invariants()


def test_the_order_of_goals_makes_another_state(graph: ProofGraph) -> None:
    graph.reach(graph.root, "x", -1.0, [state("a", "b")])
    assert len(graph.reach(graph.root, "y", -1.0, [state("b", "a")]).fresh) == 1


def test_a_node_is_solved_when_all_its_parts_are(graph: ProofGraph) -> None:
    a, b = graph.reach(graph.root, "split", -1.0, [state("a"), state("b")], groups=((0,), (1,))).fresh
    assert graph.reach(a, "done a", -1.0, []).solved == (a,)
    assert graph.is_relevant(b) and not graph.is_relevant(a)
    assert graph.is_relevant(b, in_turn=True)
    assert not graph.root.is_solved
    assert graph.reach(b, "done b", -1.0, []).solved == (b, graph.root)
    assert graph.proof(graph.root) == ["split", ("done a",), ("done b",)]
    assert [edge.tactic for edge in graph.leaps()] == ["split"]
    assert not graph.is_relevant(b)
    graph.check_invariants()


def test_goals_that_stand_apart_have_their_turns(graph: ProofGraph) -> None:
    a, b = graph.reach(graph.root, "split", -1.0, [state("a"), state("b")], groups=((0,), (1,))).fresh
    assert graph.is_relevant(a, in_turn=True)
    assert graph.is_relevant(b) and not graph.is_relevant(b, in_turn=True)
    graph.reach(graph.root, "otherwise", -1.0, [state("b"), state("c")], groups=((0,), (1,)))
    assert graph.is_relevant(b, in_turn=True)  # there it comes first


def test_what_needs_a_dead_goal_is_not_worth_more_work(graph: ProofGraph) -> None:
    a, b = graph.reach(graph.root, "split", -1.0, [state("a"), state("b")], groups=((0,), (1,))).fresh
    graph.close(a)
    assert not graph.is_relevant(b)
    graph.reach(graph.root, "other", -1.0, [state("b")])
    assert graph.is_relevant(b)


def test_a_circle_proves_nothing(graph: ProofGraph) -> None:
    (a,) = graph.reach(graph.root, "to a", -1.0, [state("a")]).fresh
    assert graph.reach(a, "back", -1.0, [state("root")]).solved == ()
    (b,) = graph.reach(a, "to b", -1.0, [state("b")]).fresh
    graph.reach(b, "to a again", -1.0, [state("a")])
    assert graph.reach(b, "done", -1.0, []).solved == (b, a, graph.root)
    assert graph.proof(graph.root) == ["to a", "to b", "done"]
    graph.check_invariants()


def test_a_proof_may_be_longer_than_python_lets_calls_nest(graph: ProofGraph) -> None:
    node = graph.root
    for index in range(2_000):
        (node,) = graph.reach(node, f"step {index}", -0.1, [state(str(index))]).fresh
    a, b = graph.reach(node, "split", -0.1, [state("a"), state("b")], groups=((0,), (1,))).fresh
    graph.reach(b, "done b", -0.1, [])
    graph.reach(a, "done a", -0.1, [])
    steps = [*(f"step {index}" for index in range(2_000)), "split"]
    assert graph.proof(graph.root) == [*steps, ("done a",), ("done b",)]
    assert [edge.tactic for edge in graph.proof_edges(graph.root)] == [*steps, "done a", "done b"]


def test_one_goal_twice_is_proved_once(graph: ProofGraph) -> None:
    (a,) = graph.reach(graph.root, "split", -1.0, [state("a"), state("a")], groups=((0,), (1,))).fresh
    graph.reach(a, "done", -1.0, [])
    assert graph.proof(graph.root) == ["split", ("done",), ("done",)]
    graph.check_invariants()


def test_a_proof_that_did_not_hold_is_taken_apart_at_its_joints(graph: ProofGraph) -> None:
    (a,) = graph.reach(graph.root, "to a", -1.0, [state("a")]).fresh
    (b,) = graph.reach(graph.root, "to b", -0.5, [state("b")]).fresh
    graph.reach(b, "to a too", -0.1, [state("a")])  # a joint: a was reached another way
    graph.reach(a, "done", -1.0, [])
    assert graph.proof(graph.root) == ["to a", "done"] and graph.leaps() == []
    # Suppose that the root had been solved through b.
    graph.root.solved_by, b.solved_by = graph.root.edges[1], b.edges[0]
    assert [edge.tactic for edge in graph.leaps()] == ["to a too"]
    graph.retract()
    assert graph.proof(graph.root) == ["to a", "done"]
    assert not b.is_solved
    graph.check_invariants()


def test_a_broken_invariant_is_noticed(graph: ProofGraph) -> None:
    (a,) = graph.reach(graph.root, "to a", -1.0, [state("a")]).fresh
    graph.check_invariants()
    a.logprob = -2.0
    with pytest.raises(AssertionError):
        graph.check_invariants()
