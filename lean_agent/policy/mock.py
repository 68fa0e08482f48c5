"""Policies for unit tests of code that needs one: a table from goals to tactics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random

from lean_agent.policy.base import Completion, Suggestion, rank_suggestions, suggestions
from lean_agent.policy.closers.schemes import CLOSING_TACTICS


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

    @property
    def identity(self) -> str:
        """See :attr:`lean_agent.policy.base.Identified.identity`."""
        return repr((self._table, self._default))

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Propose the table's tactics for each goal."""
        self.calls.append(tuple(goals))
        return [rank_suggestions(self._table.get(goal, self._default), k) for goal in goals]


class MockInferenceClient:
    """Samples as a model behind an endpoint would, from a table instead of a model.

    Args:
        table: goal text -> what may be answered, each with the same probability.
        default: the answers to every other goal.
        seed: of the draws.

    Attributes:
        calls: (goals, k) of every request.
        tokens_generated: one for each word drawn.
    """

    samples = True

    def __init__(
        self,
        table: Mapping[str, Sequence[str]] | None = None,
        *,
        default: Sequence[str] = CLOSING_TACTICS,
        seed: int = 0,
    ) -> None:
        self._table = dict(table or {})
        self._default = tuple(default)
        self._seed = seed
        self.calls: list[tuple[tuple[str, ...], int]] = []
        self.tokens_generated = 0

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Rank the answers that :meth:`complete` draws."""
        return [suggestions(answers, k) for answers in self.complete(goals, k)]

    def complete(self, goals: Sequence[str], k: int, *, seed: int | None = None) -> list[list[Completion]]:
        """Draw answers from the table."""
        draws = Random(self._seed + len(self.calls) if seed is None else seed)
        self.calls.append((tuple(goals), k))
        answers = [self._draw(draws, self._table.get(goal, self._default), k) for goal in goals]
        self.tokens_generated += sum(answer.tokens for group in answers for answer in group)
        return answers

    def _draw(self, draws: Random, choices: Sequence[str], k: int) -> list[Completion]:
        texts = draws.choices(choices, k=k) if choices else []
        return [Completion(text, -math.log(len(choices)), len(text.split())) for text in texts]


def _suggestions(tactics: Sequence[str | tuple[str, float]]) -> list[Suggestion]:
    """Return one suggestion for each entry, one token each."""
    entries = [
        (entry, math.log(0.5) * (rank + 1)) if isinstance(entry, str) else entry for rank, entry in enumerate(tactics)
    ]
    return [Suggestion(tactic, logprob, tokens=1) for tactic, logprob in entries]
