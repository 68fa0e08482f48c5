"""Scorers of tactics: what a completion is worth once Lean has run it.

Knows Lean's interface and nothing of models, optimisers or TRL's trainers.
"""

from lean_agent.rewards.adaptor import RewardAdaptor, RewardFunc
from lean_agent.rewards.verified import Level, RewardLevels, VerifiedTacticReward

__all__ = ["Level", "RewardAdaptor", "RewardFunc", "RewardLevels", "VerifiedTacticReward"]
