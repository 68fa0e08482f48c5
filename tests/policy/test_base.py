"""Ranking, and the policies without a model."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from lean_agent.policy import MockPolicy, Policy, ScriptedPolicy, Suggestion, rank_suggestions


def test_candidates_are_ranked_without_repetition() -> None:
    candidates = [
        Suggestion("simp", -2.0, 3),
        Suggestion("rfl", -1.0, 2),
        Suggestion("", -0.1, 1),
        Suggestion("simp", -0.5, 4),
        Suggestion("omega", -3.0, 2),
    ]
    # simp counts at its better probability; the empty tactic is none; omega is fourth best and falls to k = 2.
    assert rank_suggestions(candidates, 2) == [Suggestion("simp", -0.5, 4), Suggestion("rfl", -1.0, 2)]


def test_equal_candidates_keep_their_order() -> None:
    assert [s.tactic for s in rank_suggestions([Suggestion(t, -1.0, 1) for t in "bca"], 3)] == ["b", "c", "a"]


def test_the_mock_answers_from_its_table() -> None:
    policy = MockPolicy({"⊢ p": ["simp", ("rfl", -0.1)]}, default=["omega"])
    known, unknown = policy.suggest(["⊢ p", "⊢ q"], k=8)
    assert known == [Suggestion("rfl", -0.1, 1), Suggestion("simp", math.log(0.5), 1)]
    assert [s.tactic for s in unknown] == ["omega"]
    assert policy.calls == [("⊢ p", "⊢ q")]


@pytest.mark.parametrize("policy", [ScriptedPolicy(), MockPolicy({})])
def test_both_are_policies(policy: object) -> None:
    assert isinstance(policy, Policy)


def test_policies_without_a_model_do_without_torch() -> None:
    code = "import sys, lean_agent.policy, lean_agent.prompts; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
