"""Scorers of attempts: what a tactic or a whole trajectory is worth once Lean has run it.

Scorers have names, those of :mod:`lean_agent.registry`, of other packages, and one's own at ``module:Class``. Knows
Lean's interface and nothing of models, optimisers or TRL's trainers. Importing it does not import torch; the reward
functions for TRL do, on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lean_agent import registry
from lean_agent.errors import ConfigError, ConfigTypeError, nearest
from lean_agent.registry import Registry
from lean_agent.rewards.base import BaseRewardScorer, CompositeScorer, Details, score_group, scored
from lean_agent.rewards.difficulty import DifficultyBasedScorer
from lean_agent.rewards.domain import DomainScorer
from lean_agent.rewards.efficiency import EfficiencyScorer
from lean_agent.rewards.format import FormatScorer
from lean_agent.rewards.novelty import NoveltyScorer
from lean_agent.rewards.shaped import ShapedScorer
from lean_agent.rewards.verified import Level, ProvedScorer, RewardLevels, VerifiedScorer
from lean_agent.settings import check_call, checked

if TYPE_CHECKING:
    from lean_agent.rewards.adaptor import RewardAdaptor, RewardFunc

SCORERS: Registry[Callable[..., BaseRewardScorer]] = registry.SCORERS

_ELSEWHERE = {
    **dict.fromkeys(("RewardAdaptor", "RewardFunc"), "lean_agent.rewards.adaptor"),
    "VerifiedTacticReward": "lean_agent.rollout.single_tactics",  # was here in version 0.1
}
"""What needs torch, and is imported on first use."""


def register_scorer(name: str, make: Callable[..., BaseRewardScorer]) -> None:
    """Give ``make`` (a class, as a rule) a name for :func:`get_scorer`, while this program runs.

    Raises:
        ConfigError: the name belongs to another scorer.
    """
    SCORERS.register(name, make)


def available_scorers() -> list[str]:
    """Return the names that :func:`get_scorer` knows."""
    return sorted(SCORERS)


def get_scorer(name: str, **options: Any) -> BaseRewardScorer:
    """Make a scorer by its name, or at ``module:Class``; ``options`` go to its constructor.

    Raises:
        ConfigError: no scorer of that name, it does not take such options, or another package's does not load.
    """
    make = SCORERS.find(name)
    check_call(make, (), options, of=f"The scorer {name!r}")
    try:
        scorer = make(**options)
    except TypeError as error:
        raise ConfigTypeError(f"The scorer {name!r} cannot be made with {options}: {error}.") from error
    if not isinstance(scorer, BaseRewardScorer):
        raise ConfigError(f"{name!r} made a {type(scorer).__name__}, which is no BaseRewardScorer.")
    return scorer


@checked
def create_composite_scorer(*names: str, weights: Mapping[str, float] | None = None) -> CompositeScorer:
    """Make the weighted mean of named scorers; without ``weights`` all count alike.

        create_composite_scorer("algebra", "efficiency", weights={"algebra": 0.6, "efficiency": 0.4})

    Raises:
        ConfigError: an unknown or repeated name, weights that name other scorers (the nearest name is said) or miss
            one, or one that is not above 0.
    """
    weights = dict.fromkeys(names, 1.0) if weights is None else dict(weights)
    for name in weights:
        if name not in names:
            raise ConfigError(f"{name!r} has a weight and is no part of the composite. {nearest(name, names)}")
    if len(set(names)) != len(names) or set(weights) != set(names):
        raise ConfigError(
            f"A composite of {', '.join(names)} needs each once and a weight for each; the weights are {weights}."
        )
    return CompositeScorer({name: (get_scorer(name), weights[name]) for name in names})


def __getattr__(name: str) -> Any:
    """Import what needs torch on first use."""
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "SCORERS",
    "BaseRewardScorer",
    "CompositeScorer",
    "Details",
    "DifficultyBasedScorer",
    "DomainScorer",
    "EfficiencyScorer",
    "FormatScorer",
    "Level",
    "NoveltyScorer",
    "ProvedScorer",
    "RewardAdaptor",
    "RewardFunc",
    "RewardLevels",
    "ShapedScorer",
    "VerifiedScorer",
    "available_scorers",
    "create_composite_scorer",
    "get_scorer",
    "register_scorer",
    "score_group",
    "scored",
]
