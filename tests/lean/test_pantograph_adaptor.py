"""A foreign Pantograph server behind our interface; without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from lean_agent.lean.pantograph.adaptor import PantographLean


class Foreign:
    """Starts at ``VALUE`` with one ``let`` of that value."""

    def goal_start(self, expr: str) -> Any:
        value = SimpleNamespace(name="x", t="Nat", v=expr)
        return SimpleNamespace(goals=[SimpleNamespace(id="g", name=None, target="x = 3", variables=[value])])


def test_goals_that_differ_in_a_value_are_two() -> None:
    lean = PantographLean(Foreign())  # type: ignore[arg-type]  # no tactics
    three, four, again = (lean.goal_start(value).goals[0] for value in ("3", "4", "3"))
    assert three.key == again.key
    assert three.key != four.key
