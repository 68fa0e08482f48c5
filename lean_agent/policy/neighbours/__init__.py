"""A policy that learns at once: the nearest goals of proofs that are known, and their tactics."""

from lean_agent.policy.neighbours.policy import NeighbourPolicy, proof_steps

__all__ = ["NeighbourPolicy", "proof_steps"]
