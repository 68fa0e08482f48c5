"""Goals that are known to have a proof: those that the traced proofs go on to close.

A tactic that does not close its goal may still be right, and what it leaves says so where a finished proof of the same
theorem comes by the same goals later on. So a step like `intro h` or `induction n` earns what closing the goal earns,
and one that changes the goal for the change's sake earns nothing. Only goals further down the proof count: a tactic
that leads back, or nowhere, is on no proof.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from lean_agent.lean.types import Goal
from lean_agent.prompts import main_goal

Theorem = tuple[str, str, str, str]
"""(url, commit, file, full name)."""


class KnownProofs:
    """What the finished proofs of theorems go on to prove.

    Args:
        steps: of finished proofs: the theorem, the byte at which the step begins, the state before it as printed.
    """

    def __init__(self, steps: Iterable[tuple[Theorem, int, str]]) -> None:
        self._last: dict[Theorem, dict[str, int]] = defaultdict(dict)
        for theorem, position, state in steps:
            here, goal = self._last[theorem], untagged(main_goal(state))
            here[goal] = max(position, here.get(goal, position))

    def prove(self, theorem: Theorem, position: int, goals: Sequence[Goal]) -> bool:
        """Whether the theorem's proof closes each of these goals, and begins to do so behind ``position``.

        A goal that speaks of a metavariable is known by no text.
        """
        here = self._last.get(theorem, {})
        return all("?" not in goal.text and here.get(untagged(goal.text), -1) > position for goal in goals)


def untagged(goal: str) -> str:
    """A printed goal without its tag, which two tactics seldom give alike."""
    first, newline, rest = goal.partition("\n")
    return rest if newline and first.startswith("case ") else goal
