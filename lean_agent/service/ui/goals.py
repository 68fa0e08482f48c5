"""Goals as pages show them: hypotheses laid out, and what a tactic has changed marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lean_agent.lean.types import Goal, GoalState

Mark = Literal["", "new", "changed"]


@dataclass(frozen=True, slots=True)
class ShownHypothesis:
    """A hypothesis, or several of one type.

    Attributes:
        names: separated by spaces.
        mark: ``new`` or ``changed`` by the last tactic.
    """

    names: str
    type: str
    value: str | None
    mark: Mark


@dataclass(frozen=True, slots=True)
class ShownGoal:
    """A goal.

    Attributes:
        name: its tag; empty for none.
        is_changed: its target is no goal's of the state before.
        text: as Lean prints it.
    """

    name: str
    hypotheses: tuple[ShownHypothesis, ...]
    target: str
    is_changed: bool
    text: str


def shown_goals(before: GoalState | None, after: GoalState) -> list[ShownGoal]:
    """Return the goals of a state, with what is new beside the main goal of the state before it."""
    main = before.goals[0] if before is not None and before.goals else None
    targets = {goal.target for goal in before.goals} if before is not None else None
    return [
        ShownGoal(
            goal.name or "",
            _hypotheses(goal, main),
            goal.target,
            targets is not None and goal.target not in targets,
            goal.text,
        )
        for goal in after.goals
    ]


def marked_lines(before: str, after: str) -> list[tuple[str, bool]]:
    """Return the lines of a state as Lean prints it, each with whether it stands in no goal of the state before."""
    known = set(before.splitlines())
    return [(line, bool(line.strip()) and line not in known) for line in after.splitlines()]


def _hypotheses(goal: Goal, main: Goal | None) -> tuple[ShownHypothesis, ...]:
    """Return the hypotheses of a goal; neighbours of one type and mark stand together."""
    known = None if main is None else {each.name: (each.type, each.value) for each in main.variables}
    shown: list[ShownHypothesis] = []
    for each in goal.variables:
        mark: Mark = ""
        if known is not None and known.get(each.name) != (each.type, each.value):
            mark = "changed" if each.name in known else "new"
        if each.value is None and _goes_on(shown, each.type, mark):
            shown[-1] = ShownHypothesis(f"{shown[-1].names} {each.name}", each.type, None, mark)
        else:
            shown.append(ShownHypothesis(each.name, each.type, each.value, mark))
    return tuple(shown)


def _goes_on(shown: Sequence[ShownHypothesis], kind: str, mark: Mark) -> bool:
    return bool(shown) and (shown[-1].type, shown[-1].value, shown[-1].mark) == (kind, None, mark)
