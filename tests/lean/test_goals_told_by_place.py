"""Goals that a tactic leaves as they are: told by their places, and exactly what Lean would print of them."""

from __future__ import annotations

from typing import Any

import pytest

from lean_agent.errors import TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process import codec
from lean_agent.lean.types import GoalState

pytestmark = pytest.mark.lean

THREE = "∀ (n : Nat) (p q r : Prop) (h : p) (k : n = n + 0), p ∧ (q ∨ p) ∧ (∃ m, m = n)"
TACTICS = (
    "skip",
    "assumption",
    "left",
    "right",
    "constructor",
    "exact ⟨h, Or.inr h, n, rfl⟩",
    "refine ⟨?_, ?_⟩",
    "refine ⟨?m, ?_⟩",
    "apply Exists.intro",
    "rotate_left",
    "all_goals skip",
    "clear k",
    "rename_i",
    "rename p => s",
    "have := h",
    "have : q := ?later",
    "case' intro => skip",
    "rw [k]",
    "generalize n = l at *",
    "set_option pp.all true in skip",
    "intro x",
    "nonsense",
)


async def printed(pool: LeanPool, state: GoalState, tactic: str) -> dict[str, Any]:
    """Return the answer of the process that holds a state, to somebody who has none of its goals."""
    worker = next(worker for worker in pool._workers if state.key in worker.states)
    item = {"state": worker.states[state.key], "tactic": tactic, "limit": 10_000}
    _, answer = await pool.ask("tactic", timeout_s=30, generation=worker.generation, items=[item])
    (result,) = answer["items"]
    return dict(result)


def test_goals_are_what_lean_would_print(lean: LeanPool) -> None:
    states = [lean.goal_start(THREE)]
    for steps in (("intro n p q r h k",), ("intro n p q r h k", "refine ⟨?_, ?_, ?_⟩"), ("intros", "constructor")):
        state = states[0]
        for step in steps:
            state = lean.goal_tactic(state, step)
            states.append(state)
    told = 0
    for state in states:
        for tactic in TACTICS:
            fresh = lean.loop.run(printed(lean, state, tactic))
            try:
                after = lean.goal_tactic(state, tactic)
            except TacticFailure as failure:
                assert failure.message == fresh["message"], tactic
                continue
            assert [goal.text for goal in after.goals] == [goal["text"] for goal in fresh["goals"]], tactic
            # The names of new metavariables are counted on: what is told by its place has an old one in both.
            for goal, wanted in zip(after.goals, map(codec.goal, fresh["goals"]), strict=True):
                told += any(goal is before for before in state.goals)
                if goal.id == wanted.id:
                    assert goal == wanted, tactic
    assert told > 40


def test_goals_that_stay_are_the_same_values(lean: LeanPool) -> None:
    state = lean.goal_tactic(lean.goal_start("∀ p q : Prop, p → q → p ∧ q"), "intro p q h k\nconstructor")
    assert len(state.goals) == 2
    again = lean.goal_tactic(state, "skip")
    assert [goal is before for goal, before in zip(again.goals, state.goals, strict=True)] == [True, True]
    turned = lean.goal_tactic(state, "rotate_left")
    assert turned.goals[0] is state.goals[1] and turned.goals[1] is state.goals[0]
    first = lean.goal_tactic(state, "exact h")
    assert first.goals[0] is state.goals[1]
    # Whoever has no goals of a state gets them all.
    bare = GoalState(state.origin, state.script, (), key=state.key, root=state.root)
    assert lean.goal_tactic(bare, "skip").goals == state.goals
