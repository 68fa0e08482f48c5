"""The contract of every scorer, and the bands that keep an attempt that failed below one that proved its theorem."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from typing_extensions import override

from lean_agent.errors import ConfigError, TrainingError
from lean_agent.settings import checked
from lean_agent.trajectory import ProofTrajectory, TrajectoryGroup

Details = dict[str, float]
"""What a reward is made of, by name; goes to the log of a training."""

CHEATED = -1.0
MOST_UNPROVED = 0.5
LEAST_PROVED = 0.6


class BaseRewardScorer(ABC):
    """Says what an attempt is worth.

        class Short(BaseRewardScorer):
            def score(self, trajectory, **kwargs):
                return self.normalize_reward(self.graded(trajectory, 1 / (1 + len(trajectory.steps)))), {}

    A scorer may keep what it has seen: where that decides later rewards it has ``state_dict`` and ``load_state_dict``,
    so that a resumed training goes on with it (:class:`~lean_agent.rewards.novelty.NoveltyScorer`).

    Attributes:
        min_reward, max_reward: the range of :meth:`normalize_reward`.
    """

    min_reward: float = -1.0
    max_reward: float = 1.0

    @abstractmethod
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        """Return the reward of an attempt whose outcome is known, and what it is made of.

        Args:
            trajectory: the attempt; never one whose outcome is ``unknown`` (see :func:`score_group`).
            kwargs: what the caller knows beside it: ``pass_rate``, the share of the attempts at this theorem that prove
                it, where there are several; ``single_tactic``, true where the attempt is one tactic, judged by itself.
                A scorer ignores what it does not need.
        """

    def normalize_reward(self, reward: float) -> float:
        """Hold ``reward`` within ``[min_reward, max_reward]``.

        Raises:
            TrainingError: it is NaN.
        """
        if math.isnan(reward):
            raise TrainingError(
                f"The scorer {type(self).__name__} came to a reward that is no number (NaN). What cannot be scored has "
                "no reward at all; look for a division of zero by zero."
            )
        return min(max(reward, self.min_reward), self.max_reward)

    def graded(self, trajectory: ProofTrajectory, quality: float, *, unproved: float = MOST_UNPROVED) -> float:
        """Return a reward by ``quality`` in [0, 1], in the band that the attempt's outcome leaves.

        Proved: 0.6 to 1. Not proved: 0 to ``unproved``, at most 0.5. An attempt that cheats: -1, whatever its quality.
        """
        quality = min(max(quality, 0.0), 1.0)
        if trajectory.cheats:
            return CHEATED
        if trajectory.is_proved:
            return LEAST_PROVED + (1 - LEAST_PROVED) * quality
        return min(unproved, MOST_UNPROVED) * quality


class CompositeScorer(BaseRewardScorer):
    """The weighted mean of scorers. Since each pays more for a proof than for none, so does their mean.

    Args:
        parts: name -> (scorer, weight), weights above 0; they need not sum to 1.
    """

    @checked
    def __init__(self, parts: Mapping[str, tuple[BaseRewardScorer, float]]) -> None:
        if not parts or any(not weight > 0 or math.isinf(weight) for _, weight in parts.values()):
            weights = {name: weight for name, (_, weight) in parts.items()}
            raise ConfigError(f"A composite needs at least one scorer, and weights above 0; it was given {weights}.")
        self._parts = dict(parts)
        self._total = sum(weight for _, weight in parts.values())

    @override
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, Details]:
        """Score by all parts; details are named ``<scorer>`` and ``<scorer>/<detail>``."""
        reward = 0.0
        details: Details = {}
        for name, (scorer, weight) in self._parts.items():
            part, inner = scorer.score(trajectory, **kwargs)
            reward += weight / self._total * part
            details |= {name: part, **{f"{name}/{key}": value for key, value in inner.items()}}
        return self.normalize_reward(reward), details

    def state_dict(self) -> dict[str, Any]:
        """Return what the parts keep, by their names."""
        return {name: state for name, (scorer, _) in self._parts.items() if (state := scorer_state(scorer))}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with what :meth:`state_dict` gave."""
        for name, (scorer, _) in self._parts.items():
            load_scorer_state(scorer, state.get(name, {}))


def score_group(scorer: BaseRewardScorer, group: TrajectoryGroup) -> list[tuple[float, Details] | None]:
    """Score every attempt of a group; ``None``, which is not 0, for one of which nothing is known."""
    known = sum(trajectory.outcome != "unknown" for trajectory in group)
    beside = {"pass_rate": group.pass_rate} if known > 1 else {}
    return [None if trajectory.outcome == "unknown" else scorer.score(trajectory, **beside) for trajectory in group]


def scored(scorer: BaseRewardScorer, group: TrajectoryGroup) -> TrajectoryGroup:
    """Return the group with what each attempt is worth; one of which nothing is known stays as it is."""
    attempts = [
        trajectory if score is None else replace(trajectory, reward=score[0], details=score[1])
        for trajectory, score in zip(group, score_group(scorer, group), strict=True)
    ]
    return replace(group, trajectories=tuple(attempts))


@runtime_checkable
class Stateful(Protocol):
    """A scorer that keeps what it has seen from one batch to the next."""

    def state_dict(self) -> dict[str, Any]:
        """Return what it keeps, as JSON values."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up what :meth:`state_dict` returned."""
        ...


def scorer_state(scorer: BaseRewardScorer) -> dict[str, Any]:
    """Return what a scorer keeps, as JSON values; empty for one that keeps nothing."""
    return scorer.state_dict() if isinstance(scorer, Stateful) else {}


def load_scorer_state(scorer: BaseRewardScorer, state: Mapping[str, Any]) -> None:
    """Give a scorer back what :func:`scorer_state` returned."""
    if state and isinstance(scorer, Stateful):
        scorer.load_state_dict(state)
