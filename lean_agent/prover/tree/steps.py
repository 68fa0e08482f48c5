"""Proofs as steps, and how the proofs of several goals become one.

Owns the layout of blocks; of Lean it knows ``·`` and ``rotate_left``.
"""

from __future__ import annotations

import textwrap
from collections import deque
from collections.abc import Sequence

from lean_agent.lean.source import INDENT

Step = str | tuple["Step", ...]
"""A tactic, or the proof of one goal by itself (``· …``)."""

Groups = tuple[tuple[int, ...], ...]
"""Indices of a state's goals, those together that are proved together."""


def render(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the steps as tactics: a block becomes one tactic of several lines."""
    return tuple(step if isinstance(step, str) else _bullet(step) for step in steps)


def _bullet(steps: Sequence[Step]) -> str:
    return "·" + textwrap.indent("\n".join(render(steps)), INDENT)[1:]


def count_steps(steps: Sequence[Step]) -> int:
    """Count the tactics that a proof has, those of its blocks included."""
    return sum(1 if isinstance(step, str) else count_steps(step) for step in steps)


def separable(groups: Groups) -> Groups:
    """Return the groups, those united whose goals stand interlaced: no script in Lean's core can put them in order.

    Goals that are groups by themselves are in nobody's way.
    """
    placed: list[tuple[int, ...]] = []
    alone = {group[0] for group in groups if len(group) == 1}
    for group in sorted(group for group in groups if len(group) > 1):
        before = placed[-1] if placed else ()
        if before and group[0] < before[-1]:
            placed[-1] = tuple(sorted((*before, *group)))
        else:
            placed.append(group)
    return tuple(sorted([*placed, *((index,) for index in alone)]))


def join(groups: Groups, proofs: Sequence[Sequence[Step]]) -> list[Step]:
    """Make one proof of all goals of a state from one for each of its (:func:`separable`) groups, in their order.

    Single goals come first, each in a block of its own; goals that hang together follow, in their order.
    """
    proof_of = {group: proof for group, proof in zip(groups, proofs, strict=True)}
    waiting = deque(sorted(index for group in groups for index in group))
    single = {group[0]: group for group in groups if len(group) == 1}
    steps: list[Step] = []

    def rotate(to: int) -> None:
        distance = waiting.index(to)
        if distance:
            steps.append("rotate_left" if distance == 1 else f"rotate_left {distance}")
            waiting.rotate(-distance)

    for index in sorted(single):
        rotate(index)
        steps.append(tuple(proof_of[single[index]]))
        waiting.popleft()
    if waiting:
        rotate(min(waiting))
    for group in sorted(group for group in groups if len(group) > 1):
        steps += proof_of[group]
    return steps


def head(tactic: str) -> str:
    """Return a tactic's first word: of ``simp [f] at h`` it is ``simp``."""
    return (tactic.split(None, 1) or [""])[0]
