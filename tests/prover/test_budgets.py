"""Costs add up, and a limit is reached by exactly what it allows."""

from __future__ import annotations

import sys

import pytest

from lean_agent.prover.config import Cost, SearchBudget, total_budget

BUDGET = SearchBudget(expansions=4, lean_calls=10, seconds=2.0, tokens=100)
WITHIN = Cost(expansions=3, lean_calls=9, tokens=99, seconds=1.9)


def test_costs_add_up_field_by_field() -> None:
    assert Cost(1, 2, 3, 0.5) + Cost(10, 20, 30, 0.25) == Cost(11, 22, 33, 0.75)


@pytest.mark.parametrize(
    "more", [Cost(expansions=1), Cost(lean_calls=1), Cost(tokens=1), Cost(seconds=0.1)], ids=["e", "c", "t", "s"]
)
def test_the_first_limit_that_is_used_up_ends_a_search(more: Cost) -> None:
    assert not BUDGET.is_reached(WITHIN)
    assert BUDGET.is_reached(WITHIN + more)  # 3 + 1 expansions of 4, 9 + 1 calls of 10, 99 + 1 tokens of 100, 2 s


def test_tokens_are_unlimited_unless_a_limit_is_given() -> None:
    assert not SearchBudget(expansions=4, lean_calls=10, seconds=2.0).is_reached(WITHIN + Cost(tokens=10**9))


def test_a_total_limits_what_it_is_given_and_nothing_else() -> None:
    total = total_budget(lean_calls=10)
    assert total is not None and total_budget() is None
    assert not total.is_reached(Cost(expansions=sys.maxsize - 1, lean_calls=9, tokens=10**9, seconds=1e9))
    assert total.is_reached(Cost(lean_calls=10))
