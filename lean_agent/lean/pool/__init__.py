"""A pool of Lean processes, and how work is shared out among them."""

from lean_agent.lean.pool.limits import PoolLimits
from lean_agent.lean.pool.pool import LeanPool, verify

__all__ = ["LeanPool", "PoolLimits", "verify"]
