"""Goals that were proved in a run, and how, for the next theorem that comes to one of them.

What is remembered is only proposed: Lean runs it on the goal at hand like any other tactic, so a memory can waste a
call and nothing worse.
"""

from __future__ import annotations

from lean_agent.prover.tree.graph import Key
from lean_agent.prover.tree.steps import Step, count_steps


class ProvedGoals:
    """Proofs by the key of what they prove; the shortest one counts."""

    def __init__(self) -> None:
        self._proofs: dict[Key, tuple[Step, ...]] = {}

    def __len__(self) -> int:
        return len(self._proofs)

    def add(self, key: Key, proof: tuple[Step, ...]) -> None:
        """Remember a proof."""
        known = self._proofs.get(key)
        if known is None or count_steps(proof) < count_steps(known):
            self._proofs[key] = proof

    def find(self, key: Key) -> tuple[Step, ...] | None:
        """The proof of goals with this key, if there is one."""
        return self._proofs.get(key)
