"""A pool of Lean processes, and how work is shared out among them."""

from lean_agent.lean.pool.pool import LeanPool, verify
from lean_agent.lean.pool.worker_state import PoolLimits

__all__ = ["LeanPool", "PoolLimits", "verify"]
