"""What a value model changes in searches: the order of steps and states, by numbers worked by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from lean_agent.errors import PolicyError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import PROBE, Driver
from lean_agent.prover.saved.pages import as_text
from lean_agent.prover.saved.trees import SavedSearch, record_search
from lean_agent.prover.searches.base import Search


class Steps:
    """Says how many steps states have left, from a table; 1 for others."""

    def __init__(self, table: Mapping[str, float]) -> None:
        self._table = table

    def values(self, goals: Sequence[str]) -> list[float]:
        return [-self._table.get(goal, 1.0) for goal in goals]


class TacticSteps(Steps):
    """Says the same of tactics, by their text."""

    def step_values(self, steps: Sequence[tuple[str, str]]) -> list[float]:
        return [-self._table.get(tactic, 1.0) for _, tactic in steps]


def searched(
    server: MockLeanServer | LeanPool, policy: MockPolicy, config: SearchConfig, value: Steps | None, goal: str = "r"
) -> SavedSearch:
    ended: list[Search] = []
    list(Driver(server, policy, config, value=value, on_end=lambda _, search: ended.append(search)).run([goal]))
    return record_search(ended[0], theorem="t")


TWO_WAYS = {("⊢ r", "far"): ("⊢ far",), ("⊢ r", "near"): ("⊢ near",), ("⊢ near", "end"): (), ("⊢ far", "end"): ()}


@pytest.mark.parametrize(
    ("weight", "first"),
    [
        # Below r (log 0.5 for far, log 0.25 for near), one step each with log 0.5, and a mean over two of them:
        # far costs 0.69, near 1.04. With 0.1 nats a step: 0.69 + 0.5 = 1.19 against 1.04 + 0.1 = 1.14.
        (0.0, "⊢ far"),
        (0.05, "⊢ far"),
        (0.1, "⊢ near"),
    ],
)
def test_best_step_goes_where_fewer_steps_are_left(weight: float, first: str) -> None:
    policy = MockPolicy({"⊢ r": ["far", "near"]}, default=["end"])
    config = SearchConfig(value_weight=weight, nodes_per_round=1, tactics_per_round=2, length_exponent=1.0)
    searched(MockLeanServer(table=TWO_WAYS), policy, config, Steps({"⊢ r": 2, "⊢ far": 5, "⊢ near": 1}))
    assert [call[0] for call in policy.calls][:2] == ["⊢ r", first]


def test_best_step_runs_a_tactic_first_that_leads_nearer() -> None:
    """log 0.5 + 9 * 0.2 = 2.5 nats against log 0.25 + 0.2 = 1.6."""
    policy = MockPolicy({"⊢ r": ["far", "near"]}, default=["end"])
    config = SearchConfig(value_weight=0.2, budget=SearchBudget(lean_calls=2))
    tree = searched(MockLeanServer(table=TWO_WAYS), policy, config, TacticSteps({"far": 9}))
    assert [edge.tactic for edge in tree.nodes[0].edges] == ["near"]
    tree = searched(MockLeanServer(table=TWO_WAYS), policy, config, Steps({}))
    assert [edge.tactic for edge in tree.nodes[0].edges] == ["far"]


def test_tactics_that_are_mended_to_the_same_keep_their_value() -> None:
    """`exact h` has 0.2 + 0.2 and nine steps left, `other` 0.3 and one: 0.92 + 9 * 0.2 nats against 1.20 + 0.2, but for
    the way there, which both share."""
    says = [("other", math.log(0.3)), ("exact h1", math.log(0.2)), ("exact h2", math.log(0.2))]
    server = MockLeanServer(table={("⊢ r", "intro h"): ("h : p\n⊢ p",), ("h : p\n⊢ p", "other"): ("⊢ q",)})
    policy = MockPolicy({"⊢ r": [("intro h", -0.1)], "h : p\n⊢ p": says})
    budget = SearchBudget(lean_calls=3)
    config = SearchConfig(value_weight=0.2, length_exponent=0.0, budget=budget, learn_refusals=False)
    tree = searched(server, policy, config, TacticSteps({"exact h1": 9, "exact h2": 9}))
    assert [edge.tactic for edge in tree.nodes[1].edges] == ["other"]


def test_goals_beside_the_way_have_their_steps_too() -> None:
    """Taken apart, a is near, but b is to be proved, too: 1 + 5 steps against the 3 of c."""
    table = {("⊢ r", "split"): ("⊢ a", "⊢ b"), ("⊢ r", "other"): ("⊢ c",)}
    policy = MockPolicy({"⊢ r": [("split", -1.0), ("other", -1.0)]}, default=["on"])
    config = SearchConfig(nodes_per_round=1, tactics_per_round=2)
    for steps_of_b, first in ((5, "⊢ c"), (1, "⊢ a")):
        policy.calls.clear()
        searched(MockLeanServer(table=table), policy, config, Steps({"⊢ a": 1, "⊢ b": steps_of_b, "⊢ c": 3}))
        assert [call[0] for call in policy.calls][:2] == ["⊢ r", first]


@pytest.mark.parametrize("search", ["best_first", "beam"])
@pytest.mark.parametrize(("weight", "first"), [(0.0, "⊢ far"), (0.5, "⊢ near")])
def test_searches_over_states_add_the_value_to_the_log_probability(search: str, weight: float, first: str) -> None:
    # far -0.69, near -1.39; with half a nat a step -0.69 - 2.5 against -1.39 - 0.5.
    policy = MockPolicy({"⊢ r": ["far", "near"]}, default=["end"])
    config = SearchConfig(search=search, value_weight=weight, nodes_per_round=1)
    searched(MockLeanServer(table=TWO_WAYS), policy, config, Steps({"⊢ far": 5, "⊢ near": 1}))
    assert [call[0] for call in policy.calls][:2] == ["⊢ r", first]


def test_monte_carlo_backs_the_value_up() -> None:
    """exp(-1) for near and exp(-5) for far, however likely far is."""
    policy = MockPolicy({"⊢ r": ["far", "near"]}, default=["end"])
    config = SearchConfig(search="mcts", exploration=0.1, nodes_per_round=1)
    searched(MockLeanServer(table=TWO_WAYS), policy, config, Steps({"⊢ far": 5, "⊢ near": 1}))
    assert [call[0] for call in policy.calls][:2] == ["⊢ r", "⊢ near"]


def test_without_a_value_model_nothing_changes() -> None:
    trees = []
    for weight in (0.0, 0.7):
        policy = MockPolicy({"⊢ r": ["far", "near"]}, default=["end"])
        config = SearchConfig(value_weight=weight)
        trees.append(searched(MockLeanServer(table=TWO_WAYS), policy, config, None).nodes)
    assert trees[0] == trees[1]


def test_a_saved_tree_shows_the_values() -> None:
    policy = MockPolicy({"⊢ r": ["near"]}, default=["end"])
    tree = searched(MockLeanServer(table=TWO_WAYS), policy, SearchConfig(), Steps({"⊢ r": 2.25}))
    assert [node.value for node in tree.nodes] == [-2.25, -1.0]
    assert "| ⊢ r\n  (value -2.25)\n" in as_text(tree)


@pytest.mark.parametrize("make", [Steps, TacticSteps])
def test_a_value_that_is_no_number_ends_the_run_in_one_sentence(make: Callable[[Mapping[str, float]], Steps]) -> None:
    policy = MockPolicy({"⊢ r": ["near"]}, default=["end"])
    with pytest.raises(PolicyError, match="answers with NaN, by which nothing can be ranked"):
        searched(MockLeanServer(table=TWO_WAYS), policy, SearchConfig(), make({"⊢ r": math.nan, "near": math.nan}))


def test_a_value_model_that_rates_nothing_is_found_out_before_lean_is_asked() -> None:
    class NotAsked(MockLeanServer):
        def goal_starts(self, *_: object, **__: object) -> Any:
            raise AssertionError("Lean was asked")

    driver = Driver(NotAsked(), MockPolicy({}), value=Steps({PROBE: math.nan}))
    with pytest.raises(PolicyError, match="answers with NaN"):
        next(driver.run(["r"]))


@pytest.mark.lean
def test_real_states_are_rated_and_the_nearer_one_comes_first(lean: LeanPool) -> None:
    """`left` is likelier than `right`, and False as a goal has no end. Lean names its goals: `case h`."""
    policy = MockPolicy({"⊢ False ∨ True": [("left", -0.5), ("right", -1.0)]}, default=["trivial", "decide"])
    asked = {}
    for name, value in (("none", None), ("steps", Steps({"case h\n⊢ False": 16, "case h\n⊢ True": 1}))):
        policy.calls.clear()
        config = SearchConfig(nodes_per_round=1, tactics_per_round=2, remember=False)
        tree = searched(lean, policy, config, value, "False ∨ True")
        asked[name] = [call[0] for call in policy.calls][1]
        assert tree.status == "proved"
    assert asked["none"].endswith("⊢ False")
    assert asked["steps"].endswith("⊢ True")
