"""Run a policy's tactics and whole attempts in Lean, to be scored: theorems in, groups of scored trajectories out.

Owns the rounds in which many attempts advance together, and the files that loose theorems are put into so that they
can be judged like any other. Knows no training.
"""

from lean_agent.rollout.generator import ProofRolloutGenerator, RolloutConfig
from lean_agent.rollout.manager import BatchRolloutManager
from lean_agent.rollout.theorems import ProofTask, Theorem, TheoremFiles, load_theorems

__all__ = [
    "BatchRolloutManager",
    "ProofRolloutGenerator",
    "ProofTask",
    "RolloutConfig",
    "Theorem",
    "TheoremFiles",
    "load_theorems",
]
