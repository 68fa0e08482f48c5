"""A policy for unit tests of code that needs one: a table from goals to tactics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from lean_agent.policy.base import Suggestion, rank_suggestions


class MockPolicy:
    """Answers from a table; a goal that is not in it gets ``default``.

        policy = MockPolicy({"⊢ True": ["trivial", "decide"]})
        policy.suggest(["⊢ True"], k=1)   # [[Suggestion("trivial", log(1/2), tokens=1)]]

    Args:
        table: goal text -> tactics, the most probable first; rank ``i`` (from 0) has probability ``2 ** -(i + 1)``,
            or the log-probability given as ``(tactic, logprob)``.
        default: the tactics for every other goal.

    Attributes:
        calls: the batches that were asked for, in order, for tests to look at.
    """

    samples = False

    def __init__(
        self,
        table: Mapping[str, Sequence[str | tuple[str, float]]],
        *,
        default: Sequence[str | tuple[str, float]] = (),
    ) -> None:
        self._table = {goal: _suggestions(tactics) for goal, tactics in table.items()}
        self._default = _suggestions(default)
        self.calls: list[tuple[str, ...]] = []

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """See :meth:`lean_agent.policy.base.Policy.suggest`."""
        self.calls.append(tuple(goals))
        return [rank_suggestions(self._table.get(goal, self._default), k) for goal in goals]


def _suggestions(tactics: Sequence[str | tuple[str, float]]) -> list[Suggestion]:
    """One suggestion for each entry, one token each."""
    entries = [
        (entry, math.log(0.5) * (rank + 1)) if isinstance(entry, str) else entry for rank, entry in enumerate(tactics)
    ]
    return [Suggestion(tactic, logprob, tokens=1) for tactic, logprob in entries]
