"""What Lean made of an attempt, in five levels, which is the default; or in the one that matters."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from itertools import pairwise
from typing import Any, Literal

from typing_extensions import override

from lean_agent.errors import ConfigError
from lean_agent.rewards.base import BaseRewardScorer, Details
from lean_agent.rewards.goals import closed_share
from lean_agent.trajectory import ProofTrajectory, same_goals

Level = Literal["solved", "progress", "unchanged", "error", "forbidden", "unscorable"]


@dataclass(frozen=True, slots=True)
class RewardLevels:
    """What each outcome is worth, in falling order.

    Attributes:
        solved: everything that the attempt began with is closed, and the judge has accepted it. For a single tactic:
            the main goal is closed and nothing new was opened.
        progress: Lean accepted a tactic, and the goals are not what they were. A whole attempt gets so much of it as it
            has closed of its goals.
        unchanged: Lean accepted a tactic, and the goals are those before (``skip``, ``rotate_left``, ``apply ?_``).
        error: Lean refused everything, could not parse it, or ran out of time; also an empty answer.
        forbidden: a tactic leaves a hole (``sorry``, ``admit``) or uses what could cheat (``native_decide``, …).
    """

    solved: float = 1.0
    progress: float = 0.3
    unchanged: float = 0.0
    error: float = -0.2
    forbidden: float = -1.0

    def __post_init__(self) -> None:
        if not all(better > worse for better, worse in pairwise(astuple(self))):
            order = " > ".join(field.name for field in fields(self))
            raise ConfigError(f"Reward levels must fall: {order}; got {self}.")


class VerifiedScorer(BaseRewardScorer):
    """The level of an attempt, and nothing else: no text is looked at, so there is nothing to please but Lean.

    Between ``unchanged`` and ``progress`` a whole attempt stands where :func:`lean_agent.rewards.goals.closed_share`
    of its goals puts it: half of a conjunction is progress, and `have : True := trivial` is none. A single tactic that
    changes its goal gets all of it, since nobody looks at what it leads to.

    Args:
        levels: what each outcome is worth.
    """

    def __init__(self, levels: RewardLevels | None = None) -> None:
        self.levels = levels or RewardLevels()
        self.min_reward, self.max_reward = self.levels.forbidden, self.levels.solved

    @override
    def score(
        self, trajectory: ProofTrajectory, *, single_tactic: bool = False, **kwargs: Any
    ) -> tuple[float, Details]:
        level = level_of(trajectory)
        if level != "progress" or single_tactic:
            return float(getattr(self.levels, level)), {}
        closed = closed_share(trajectory, lambda goal: 1.0)
        none, whole = self.levels.unchanged, self.levels.progress
        return none + (whole - none) * closed, {"closed": closed}


class ProvedScorer(BaseRewardScorer):
    """1 for a proof, 0 for an attempt without one, -1 for a cheat. Progress earns nothing, so there is nothing to gain
    by changing goals for the change's sake."""

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        return self.graded(trajectory, float(trajectory.is_proved)), {}


def level_of(trajectory: ProofTrajectory) -> Level:
    """Return which level an attempt has reached."""
    if trajectory.outcome == "unknown":
        return "unscorable"
    if trajectory.cheats:
        return "forbidden"
    if trajectory.is_proved:
        return "solved"
    if not same_goals(trajectory.start, trajectory.end):
        return "progress"
    return "unchanged" if any(step.accepted for step in trajectory.steps) else "error"
