"""A policy that learns at once: the nearest goals of proofs that are known, and their tactics."""

from lean_agent.policy.neighbours.policy import NeighbourPolicy, found_examples, tactic_examples
from lean_agent.policy.neighbours.shared import SharedNeighbours

__all__ = ["NeighbourPolicy", "SharedNeighbours", "found_examples", "tactic_examples"]
