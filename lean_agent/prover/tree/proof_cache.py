"""Goals that were proved in a run, and how, for the next theorem that comes to one of them.

What is remembered is only proposed: Lean runs it on the goal at hand like any other tactic, so a memory can waste a
call and nothing worse.
"""

from __future__ import annotations

from lean_agent.prover.tree.graph import StateKey
from lean_agent.prover.tree.steps import Step, count_steps


class ProvedGoals:
    """Proofs by the key of what they prove; the shortest one counts."""

    def __init__(self) -> None:
        self._proofs: dict[StateKey, tuple[Step, ...]] = {}

    def __len__(self) -> int:
        return len(self._proofs)

    def add(self, key: StateKey, proof: tuple[Step, ...]) -> None:
        """Remember a proof."""
        known = self._proofs.get(key)
        if known is None or count_steps(proof) < count_steps(known):
            self._proofs[key] = proof

    def find(self, key: StateKey) -> tuple[Step, ...] | None:
        """Return the proof of goals with this key, if there is one."""
        return self._proofs.get(key)
