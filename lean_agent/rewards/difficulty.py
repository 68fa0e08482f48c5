"""Hard theorems pay more."""

from __future__ import annotations

import math
from typing import Any

from typing_extensions import override

from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.rewards.goals import closed_share, goal_symbols
from lean_agent.trajectory import ProofTrajectory

TYPICAL_SYMBOLS = 20
"""A goal of so many symbols has difficulty ``1 - 1/e``; in repos/ half of all statements have between 10 and 30."""


class DifficultyBasedScorer(BaseRewardScorer):
    """A proof is worth ``0.6 + 0.4 * difficulty``; a part of one, ``0.5 * difficulty * closed`` (see
    :func:`lean_agent.rewards.goals.closed_share`).

    The difficulty is the theorem's own where the data names it; else ``1 - pass_rate``, the share of attempts at it
    that failed, where there was more than one; else it is guessed from the statement: ``1 - exp(-symbols / 20)``.
    """

    @override
    def score(
        self, trajectory: ProofTrajectory, *, pass_rate: float | None = None, **kwargs: Any
    ) -> tuple[float, Details]:
        difficulty = trajectory.difficulty
        if difficulty is None:
            difficulty = statement_difficulty(trajectory) if pass_rate is None else 1 - pass_rate
        closed = 1.0 if trajectory.is_proved else closed_share(trajectory, lambda goal: 1.0)
        quality = difficulty * closed
        return self.normalize_reward(self.graded(trajectory, quality)), {"difficulty": difficulty}


def statement_difficulty(trajectory: ProofTrajectory) -> float:
    """Guess in [0, 1) by the number of symbols in the goals that an attempt began with."""
    symbols = sum(len(goal_symbols(goal)) for goal in trajectory.start)
    return 1 - math.exp(-symbols / TYPICAL_SYMBOLS)
