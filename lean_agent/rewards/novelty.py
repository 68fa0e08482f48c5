"""New proofs pay more than the same proof again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.trajectory import ProofTrajectory

UNPROVED = 0.1


class NoveltyScorer(BaseRewardScorer):
    """The ``n``-th time that a theorem is attempted by the same script counts ``1 / n``.

    Scripts are the tactics that Lean ran, white space aside. An attempt that changed nothing is not new; one that
    proves nothing is worth at most 0.1.
    """

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        """Count the attempt, and score it."""
        script = "\n".join(" ".join(tactic.split()) for tactic in trajectory.script)
        key = f"{trajectory.theorem}\n{script}"
        self._seen[key] += 1
        changed = trajectory.is_proved or any(step.changed for step in trajectory.steps)
        quality = 1 / self._seen[key] if changed else 0.0
        reward = self.graded(trajectory, quality, unproved=UNPROVED)
        return self.normalize_reward(reward), {"times_seen": float(self._seen[key])}

    def state_dict(self) -> dict[str, Any]:
        """Return how often each script was seen."""
        return dict(self._seen)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with what :meth:`state_dict` gave."""
        self._seen = Counter(state)
