"""The search tree: what is one node, which way it keeps, what must hold."""

from __future__ import annotations

import pytest

from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import GoalState
from lean_agent.prover.tree import SearchTree

TABLE = {
    ("⊢ a", "slow"): ("⊢ b",),
    ("⊢ a", "fast"): ("⊢ b",),
    ("⊢ a", "split"): ("⊢ b", "⊢ c"),
    ("⊢ b", "back"): ("⊢ a",),
    ("⊢ b", "done"): (),
    ("⊢ c", "done"): (),
}


@pytest.fixture
def server() -> MockLeanServer:
    return MockLeanServer({"a": "a"}, table=TABLE)


def step(server: MockLeanServer, state: GoalState, tactic: str) -> GoalState:
    return server.goal_tactic(state, tactic)


def test_states_that_print_alike_are_one_node_which_keeps_the_likelier_way(server: MockLeanServer) -> None:
    tree = SearchTree(server.goal_start("a"))
    slow, fast = step(server, tree.root.state, "slow"), step(server, tree.root.state, "fast")
    tree.begin(tree.root)
    first = tree.reach(tree.root, "slow", -3.0, slow)
    second = tree.reach(tree.root, "fast", -1.0, fast)
    third = tree.reach(tree.root, "slow", -2.0, slow)
    assert first.node is second.node is third.node
    assert (first.improved, second.improved, third.improved) == (True, True, False)
    assert (first.superfluous, second.superfluous, third.superfluous) == (None, slow, slow)
    assert first.node.state.script == ("fast",)
    assert first.node.logprob == -1.0
    assert [edge.tactic for edge in tree.root.children] == ["slow", "fast", "slow"]
    assert len(tree.nodes) == 2
    tree.check_invariants()


def test_all_goals_make_the_state_not_the_main_goal_alone(server: MockLeanServer) -> None:
    tree = SearchTree(server.goal_start("a"))
    tree.begin(tree.root)
    one = tree.reach(tree.root, "fast", -1.0, step(server, tree.root.state, "fast"))
    two = tree.reach(tree.root, "split", -1.0, step(server, tree.root.state, "split"))
    assert one.node.state.goals[0].text == two.node.state.goals[0].text
    assert one.node is not two.node
    tree.check_invariants()


def test_an_expanded_node_keeps_its_way_and_a_cycle_ends_at_it(server: MockLeanServer) -> None:
    tree = SearchTree(server.goal_start("a"))
    tree.begin(tree.root)
    b = tree.reach(tree.root, "slow", -3.0, step(server, tree.root.state, "slow")).node
    tree.begin(b)
    back = tree.reach(b, "back", -0.5, step(server, b.state, "back"))
    assert back.node is tree.root and not back.improved
    better = tree.reach(tree.root, "fast", -1.0, step(server, tree.root.state, "fast"))
    assert better.node is b and not better.improved
    assert b.logprob == -3.0
    solved = tree.reach(b, "done", -1.0, step(server, b.state, "done")).node
    assert solved.status == "solved"
    assert [edge.tactic for edge in tree.path(solved)] == ["slow", "done"]
    assert solved.logprob == -4.0
    tree.check_invariants()


def test_a_node_that_no_tactic_helps_is_dead(server: MockLeanServer) -> None:
    tree = SearchTree(server.goal_start("a"))
    tree.begin(tree.root)
    tree.close(tree.root)
    assert tree.root.status == "dead"
    tree.check_invariants()


def test_a_broken_invariant_is_noticed(server: MockLeanServer) -> None:
    tree = SearchTree(server.goal_start("a"))
    tree.begin(tree.root)
    node = tree.reach(tree.root, "slow", -3.0, step(server, tree.root.state, "slow")).node
    node.logprob = -2.0
    with pytest.raises(AssertionError):
        tree.check_invariants()
