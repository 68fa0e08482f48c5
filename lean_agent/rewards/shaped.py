"""Partial reward by progress: goals closed, goals opened, hypotheses used."""

from __future__ import annotations

import re
from typing import Any

from typing_extensions import override

from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.rewards.goals import closed_share, tokens
from lean_agent.trajectory import ProofTrajectory

CLOSED, USED, CHANGED = 0.7, 0.2, 0.1

_COMMENT = re.compile(r"/-.*?(?:-/|\Z)|--[^\n]*", re.DOTALL)


class ShapedScorer(BaseRewardScorer):
    """A proof is worth 1; short of that, ``0.5 * (0.7 * closed + 0.2 * used + 0.1 * changed)``, each in [0, 1].

    - ``closed``: how much of the goal is closed, see :func:`lean_agent.rewards.goals.closed_share`;
    - ``used``: hypotheses that a tactic which Lean ran speaks of, comments aside, among all that the goals in view had;
    - ``changed``: tactics that changed the goals, among all that were tried.

    A policy can still earn by goals of its own that only look new: ``refine (?_ : True ∧ (p ∧ p)).2.1`` at ``p`` has an
    easy half. All of it stays below any proof; ``proved`` pays for nothing of the kind.
    """

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        closed = closed_share(trajectory, lambda goal: 1.0)
        used = _share_used(trajectory)
        changed = sum(step.changed for step in trajectory.steps) / max(len(trajectory.steps), 1)
        quality = 1.0 if trajectory.is_proved else CLOSED * closed + USED * used + CHANGED * changed
        details = {
            "closed": closed,
            "goals_opened": float(sum(max(0, step.goal_delta) for step in trajectory.steps)),
            "goals_left": float(len(trajectory.end)),
            "hypotheses_used": used,
            "steps_changed": changed,
        }
        return self.normalize_reward(self.graded(trajectory, quality)), details


def _share_used(trajectory: ProofTrajectory) -> float:
    """Return the share of the accessible hypotheses of main goals that a step which changed something names."""
    seen: set[str] = set()
    used: set[str] = set()
    for step in trajectory.steps:
        names = {v.name for v in step.before[0].variables if not v.is_inaccessible} if step.before else set()
        seen |= names
        if step.changed:
            used |= names & {token.split(".")[0] for token in tokens(_COMMENT.sub(" ", step.tactic))}
    return len(used) / len(seen) if seen else 0.0
