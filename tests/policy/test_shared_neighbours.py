"""Neighbours that many searches share: each search's copy answers as if it had read the database for itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.database import StoredTheorem
from lean_agent.lean.types import Position, TracedTactic, TracedTheorem
from lean_agent.policy.base import TacticExample
from lean_agent.policy.neighbours import NeighbourPolicy, SharedNeighbours, tactic_examples
from lean_agent.policy.neighbours.goals import parse_goal
from lean_agent.policy.neighbours.index import GoalIndex
from lean_agent.tracing import Repository

REPOSITORY = Repository("https://example.org/r", "a" * 40, "r", Path("/nowhere"))
GOALS = (
    "p q : Prop\nh : p ∧ q\n⊢ q ∧ p",
    "xs : List Nat\n⊢ (xs ++ []).length = xs.length",
    "n : Nat\n⊢ n + 0 = n",
    "a b : Nat\nh : a < b\n⊢ a + 1 ≤ b",
)


def stored(name: str, *steps: tuple[str, str]) -> StoredTheorem:
    """Return a theorem whose proof has these steps, each a goal and a tactic."""
    tactics = tuple(TracedTactic(tactic, tactic, 0, 1, goal, "no goals", 1, 0) for goal, tactic in steps)
    place = Position(1, 0)
    theorem = TracedTheorem(name, name, "by x", "tactic", False, name, name, 0, 9, place, place, tactics, ())
    return StoredTheorem(REPOSITORY, "R.lean", theorem)


PROOFS = [
    stored("R.swap", (GOALS[0], "exact ⟨h.2, h.1⟩"), (GOALS[2], "simp [Nat.add_zero]")),
    stored("R.length", (GOALS[1], "simp [List.append_nil]"), (GOALS[2], "rfl")),
    stored("R.zero", (GOALS[2], "rfl"), (GOALS[2], "omega")),
    stored("R.less", (GOALS[3], "omega")),
]


def answers(policy: NeighbourPolicy) -> list[list[tuple[str, Any]]]:
    suggested = policy.suggest([*GOALS, "k : Nat\n⊢ 0 + k = k"], 16)
    return [[(each.tactic, pytest.approx(each.logprob)) for each in of_goal] for of_goal in suggested]


def alone(*proofs: StoredTheorem) -> NeighbourPolicy:
    """Neighbours that have read these proofs and no others."""
    return NeighbourPolicy(tactic_examples(proofs), names=["R.swap"])


@pytest.mark.parametrize("hidden", [(), ("R.zero",), ("R.swap", "R.less"), ("another",), ("R.length", "R.zero")])
def test_hidden_theorems_are_as_if_they_had_never_been_read(hidden: tuple[str, ...]) -> None:
    shared = SharedNeighbours()
    shared.update(PROOFS, names=["R.swap"])
    left = [proof for proof in PROOFS if proof.full_name not in hidden]
    policy = shared.without(hidden)
    assert answers(policy) == answers(alone(*left))
    assert len(policy) == len(alone(*left))  # `rfl` at n + 0 is a step of two theorems, and hidden with both alone


def test_what_one_search_learns_no_other_knows() -> None:
    shared = SharedNeighbours()
    shared.update(PROOFS)
    first, second = shared.without(), shared.without()
    first.add([TacticExample(GOALS[3], "exact Nat.succ_le_of_lt h")])
    assert "exact Nat.succ_le_of_lt h" in [tactic for tactic, _ in answers(first)[3]]
    assert answers(second) == answers(shared.without()) == answers(alone(*PROOFS))
    second.add([TacticExample(GOALS[3], "grind")])
    assert "grind" not in [tactic for tactic, _ in answers(first)[3]]


def test_a_database_that_has_changed_is_taken_in() -> None:
    shared = SharedNeighbours()
    shared.update(PROOFS)
    copy = shared.without()
    again = stored("R.less", (GOALS[3], "exact h"))
    new = stored("R.new", (GOALS[0], "exact h.symm"))
    shared.update([*PROOFS[:3], again, new])
    assert answers(shared.without()) == answers(alone(*PROOFS[:3], again, new))
    assert answers(copy) == answers(alone(*PROOFS))  # a search that is under way goes on with what it has
    shared.update([replace(PROOFS[2])])
    assert answers(shared.without()) == answers(alone(PROOFS[2]))
    shared.update(PROOFS)  # what was forgotten can come back
    assert len(shared.without()) == len(alone(*PROOFS)) == 6  # 7 steps, one of them twice


def test_a_goal_that_was_discarded_weighs_nothing() -> None:
    index, without = GoalIndex(), GoalIndex()
    rows = [parse_goal(goal).features for goal in GOALS]
    for row in rows:
        index.add(row)
    for row in rows[1:]:
        without.add(row)
    index.discard(0)
    assert len(index) == 3
    for row in rows:
        expected = [(pytest.approx(similarity), number + 1) for similarity, number in without.nearest(row, 4)]
        assert index.nearest(row, 4) == expected
