"""Attempts at a proof as values: steps, trajectories, and the group of all attempts at one theorem.

Rollouts make them, rewards score them, the trainer learns from them. Everything a step says comes from Lean's answer
and the policy's own words; nothing here runs or judges anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import fmean, pstdev
from typing import Literal

from lean_agent.errors import FailureKind
from lean_agent.lean.types import Goal, TheoremSite, Verdict, VerdictKind
from lean_agent.policy.base import Completion

CHEATS: frozenset[FailureKind] = frozenset({"forbidden", "axiom", "sorry"})
"""Failures that are no honest mistake: a hole, or something that could trick the checker."""

REFUSED_CHEATS: frozenset[VerdictKind] = frozenset({"sorry", "axiom", "statement", "forbidden", "circular", "kernel"})
"""Verdicts that are no honest mistake; a script that only does not replay is one."""

Outcome = Literal["proved", "rejected", "open", "unknown"]


def same_goals(first: Iterable[Goal], second: Iterable[Goal]) -> bool:
    """Check whether goals differ only in their order, their tags, and names that no tactic can refer to.

    ``rotate_left`` moves goals, and ``apply ?_`` takes a goal's tag: neither has done anything.
    """
    return Counter(map(identity, first)) == Counter(map(identity, second))


def identity(goal: Goal) -> str:
    """Return a key that is equal for goals which differ only in tags and names that no tactic can refer to."""
    return goal.key or goal.text


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A tactic that a policy proposed, and what Lean made of it.

    Attributes:
        tactic: the tactic as it was sent; empty where the answer held none.
        before: the open goals when it was asked for, the main goal first; the policy saw ``before[0].text`` alone.
        after: the open goals after it; ``None`` where Lean refused it.
        failure: why it was refused.
        message: Lean's words.
        completion: the policy's answer as it came, where there was a policy.
        seconds: Lean's share of wall time.
    """

    tactic: str
    before: tuple[Goal, ...]
    after: tuple[Goal, ...] | None = None
    failure: FailureKind | None = None
    message: str = ""
    completion: Completion | None = None
    seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        """Lean ran it without an error."""
        return self.after is not None

    @property
    def cheats(self) -> bool:
        """It left a hole, or tried what could trick the checker."""
        return self.failure in CHEATS

    @property
    def changed(self) -> bool:
        """Lean ran it, and the goals are not those before (after ``skip`` they are)."""
        return self.after is not None and not same_goals(self.before, self.after)

    @property
    def goal_delta(self) -> int:
        """Open goals after it minus those before it; -1 when it closed the main goal and opened none."""
        return len(self.after) - len(self.before) if self.after is not None else 0


@dataclass(frozen=True, slots=True)
class ProofTrajectory:
    """One attempt at one theorem, or at one goal of it: the steps in their order, the last one refused or not.

    Attributes:
        theorem: its name.
        origin: where it lives, or the proposition itself.
        steps: what was tried.
        start: the goals that it began with.
        outcome: ``proved``: closed, and accepted by the judge; ``rejected``: closed, and refused by the judge;
            ``open``: not closed; ``unknown``: Lean was not available, so that nothing can be said.
        verdict: the judge's answer to what was closed.
        difficulty: of the theorem, in [0, 1], where it is known (see :class:`lean_agent.rewards.difficulty`).
        reward: once it has been scored; ``None`` before, and for ``unknown`` attempts.
        details: what the scorer said about the reward.
    """

    theorem: str
    origin: TheoremSite | str
    start: tuple[Goal, ...]
    steps: tuple[ProofStep, ...] = ()
    outcome: Outcome = "open"
    verdict: Verdict | None = None
    difficulty: float | None = None
    reward: float | None = None
    details: dict[str, float] = field(default_factory=dict, compare=False)

    @property
    def is_proved(self) -> bool:
        """Closed, and accepted by the judge."""
        return self.outcome == "proved"

    @property
    def cheats(self) -> bool:
        """A step of it cheats, or the judge found that what it had closed does."""
        refused = self.outcome == "rejected" and (self.verdict is None or self.verdict.kind in REFUSED_CHEATS)
        return refused or any(step.cheats for step in self.steps)

    @property
    def script(self) -> tuple[str, ...]:
        """The tactics that Lean ran, in order."""
        return tuple(step.tactic for step in self.steps if step.accepted)

    @property
    def end(self) -> tuple[Goal, ...]:
        """The goals that are open at its end."""
        return next((step.after for step in reversed(self.steps) if step.after is not None), self.start)

    @property
    def tokens(self) -> int:
        """Tokens that the policy generated for it."""
        return sum(step.completion.tokens for step in self.steps if step.completion is not None)

    @property
    def seconds(self) -> float:
        """Lean's share of wall time."""
        return sum(step.seconds for step in self.steps)


@dataclass(frozen=True, slots=True)
class TrajectoryGroup:
    """All attempts at one theorem in one round of training: what group-relative advantages are computed over."""

    theorem: str
    trajectories: tuple[ProofTrajectory, ...]

    def __len__(self) -> int:
        return len(self.trajectories)

    def __iter__(self) -> Iterator[ProofTrajectory]:
        return iter(self.trajectories)

    @property
    def rewards(self) -> list[float | None]:
        """In the order of the attempts; ``None`` for one that could not be scored."""
        return [trajectory.reward for trajectory in self.trajectories]

    @property
    def mean_reward(self) -> float | None:
        """Over the attempts that were scored."""
        scored = [reward for reward in self.rewards if reward is not None]
        return fmean(scored) if scored else None

    @property
    def reward_spread(self) -> float:
        """Population standard deviation over the attempts that were scored; 0 means that there is nothing to learn."""
        scored = [reward for reward in self.rewards if reward is not None]
        return pstdev(scored) if scored else 0.0

    @property
    def pass_rate(self) -> float:
        """The share of attempts that prove the theorem, among those of which anything is known."""
        known = [trajectory.is_proved for trajectory in self.trajectories if trajectory.outcome != "unknown"]
        return sum(known) / len(known) if known else 0.0
