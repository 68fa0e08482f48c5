"""Attempts on real Lean: what was closed is judged, what cheats is not paid."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lean_agent.lean.interface import LeanInterface
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.rewards import get_scorer
from lean_agent.rollout import ProofRolloutGenerator, ProofTask, Theorem, TheoremFiles

pytestmark = pytest.mark.lean

SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"


@pytest.fixture
def tasks(tmp_path: Path) -> list[ProofTask]:
    lies = "axiom lies : False\nnamespace N\ndef double (n : Nat) := n + n"
    return TheoremFiles(tmp_path).tasks(
        [
            Theorem("swap", SWAP, imports=("Mathlib",)),
            Theorem("double", "theorem double_zero : double 0 = 0", context=lies),
            Theorem("nonsense", "theorem nonsense : no_such_thing"),
        ]
    )


def test_whole_attempts(lean: LeanPool, tasks: list[ProofTask]) -> None:
    start = "p q : Prop\nh : p ∧ q\n⊢ "
    policy = MockInferenceClient(
        {
            f"{start}q ∧ p": ["constructor"],
            f"case left\n{start}q": ["exact h.2"],
            f"case right\n{start}p": ["exact h.1"],
        },
        default=["rfl"],
    )
    generator = ProofRolloutGenerator(lean, policy, scorer=get_scorer("verified"))
    swap, double, nonsense = asyncio.run(generator.generate_groups(tasks, 2, seed=0))
    assert [t.script for t in swap] == [("constructor", "exact h.2", "exact h.1")] * 2
    assert all(t.is_proved and t.verdict is not None and t.verdict.accepted for t in (*swap, *double))
    assert double.rewards == [1.0, 1.0]
    assert nonsense.rewards == [None, None]


def test_a_cheat_is_paid_the_least(lean: LeanPool, tasks: list[ProofTask]) -> None:
    for cheat in ("sorry", "exact lies.elim", "native_decide"):
        generator = ProofRolloutGenerator(lean, MockInferenceClient(default=[cheat]), scorer=get_scorer("shaped"))
        attempt = asyncio.run(generator.generate_rollout(tasks[1]))
        assert attempt.cheats and attempt.reward == -1.0, attempt


def test_the_interface_is_the_pool() -> None:
    assert issubclass(LeanInterface, LeanPool)
