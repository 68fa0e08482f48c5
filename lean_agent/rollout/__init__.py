"""Run a policy's tactics and whole attempts in Lean, to be scored: theorems in, groups of scored trajectories out.

One runner holds states and runs tactics, for single tactics and for whole attempts. Beside it are the rounds in which
many attempts advance together, and the files that loose theorems are put into so that they can be judged like any
other. Knows no training.
"""

from lean_agent.rollout.generator import BatchRolloutManager, ProofRolloutGenerator, RolloutConfig
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
