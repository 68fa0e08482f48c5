"""Answers that are a tactic and nothing else pay more."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.trajectory import ProofStep, ProofTrajectory

MALFORMED = -0.1


class FormatScorer(BaseRewardScorer):
    """A proof is worth 0.6, and 0.4 times the share of answers that are well-formed; an attempt that proves nothing is
    worth -0.1 times the share of those that are not: to write neatly is no progress.

    An answer is well-formed when Lean can parse its tactic, the model ended it by itself, and it holds nothing but the
    tactic: no fences, no leading ``by``, no words around it.
    """

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        share = sum(map(is_well_formed, trajectory.steps)) / max(len(trajectory.steps), 1)
        reward = self.graded(trajectory, share)
        if not (trajectory.is_proved or trajectory.cheats):
            reward = MALFORMED * (1 - share)
        return self.normalize_reward(reward), {"well_formed": share}


def is_well_formed(step: ProofStep) -> bool:
    """Return whether an answer is one tactic of Lean's grammar and nothing else."""
    if not step.tactic or step.failure == "parse":
        return False
    answer = step.completion
    return answer is None or (answer.finished and answer.text.strip() == step.tactic)
