"""Scorers of attempts: what a tactic or a whole trajectory is worth once Lean has run it.

Knows Lean's interface and nothing of models, optimisers or TRL's trainers. Importing it does not import torch; the
reward functions for TRL do, on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lean_agent.rewards.base import BaseRewardScorer, CompositeScorer, Details, score_group, scored
from lean_agent.rewards.difficulty import DifficultyBasedScorer
from lean_agent.rewards.domain import DomainScorer
from lean_agent.rewards.efficiency import EfficiencyScorer
from lean_agent.rewards.format import FormatScorer
from lean_agent.rewards.novelty import NoveltyScorer
from lean_agent.rewards.registry import (
    SCORERS,
    available_scorers,
    create_composite_scorer,
    get_scorer,
    register_scorer,
)
from lean_agent.rewards.shaped import ShapedScorer
from lean_agent.rewards.verified import Level, ProvedScorer, RewardLevels, VerifiedScorer

if TYPE_CHECKING:
    from lean_agent.rewards.adaptor import RewardAdaptor, RewardFunc

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

_MOVED = {"VerifiedTacticReward": "lean_agent.rollout.single_tactics"}
"""Names that were here in version 0.1, and still can be imported from here."""


def __getattr__(name: str) -> Any:
    """What needs torch, on first use."""
    if name in ("RewardAdaptor", "RewardFunc"):
        from lean_agent.rewards import adaptor

        return getattr(adaptor, name)
    if name in _MOVED:
        return getattr(import_module(_MOVED[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
