"""Proving a theorem as an environment for reinforcement learning: one core, and what each framework wants to see of it.

The core is :class:`~lean_agent.environments.core.ProofEnvironment`. Beside it are a class in the manner of Gymnasium
(:mod:`~lean_agent.environments.plain`), and thin adaptors for trl, verifiers and OpenEnv, each imported only where its
framework is. A reward is the judge's verdict, never what a text looks like. Knows no models and no training.
"""

from lean_agent.environments.core import EnvironmentConfig, ProofEnvironment
from lean_agent.environments.plain import PlainProofEnvironment

__all__ = ["EnvironmentConfig", "PlainProofEnvironment", "ProofEnvironment"]
