"""Lean theorems as an environment of OpenEnv: `uvicorn server.app:app`, or `python -m server.app`.

LEAN_AGENT_THEOREMS names a file of theorems (docs/environments.md), LEAN_AGENT_WORKERS says how many Lean processes
share the work.
"""

from __future__ import annotations

import os

from lean_agent import LeanPool
from lean_agent.environments.openenv import proof_app
from lean_agent.rollout import Theorem, load_theorems

THEOREMS = os.environ.get("LEAN_AGENT_THEOREMS")
SHIPPED = [
    Theorem("and_swap", "theorem and_swap (p q : Prop) (h : p ∧ q) : q ∧ p"),
    Theorem("add_zero_twice", "theorem add_zero_twice (n : Nat) : n + 0 + 0 = n"),
    Theorem("le_add", "theorem le_add (a b : Nat) : a ≤ a + b"),
]

pool = LeanPool(workers=int(os.environ.get("LEAN_AGENT_WORKERS", "1")))
app = proof_app(pool, load_theorems(THEOREMS) if THEOREMS else SHIPPED)


def main() -> None:
    """Serve it on all addresses, as OpenEnv's containers do."""
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
