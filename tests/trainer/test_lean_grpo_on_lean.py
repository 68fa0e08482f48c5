"""Training on whole trajectories with real Lean: what is learnt is what Lean proves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.pipeline import LeanGRPOPipeline

pytestmark = pytest.mark.lean

ROWS: list[dict[str, Any]] = [
    {"name": "my_and_intro", "statement": "theorem my_and_intro (p q : Prop) (hp : p) (hq : q) : p ∧ q"},
    {"name": "add_zero", "statement": "theorem add_zero (n : Nat) : n + 0 = n", "context": "", "imports": ["Mathlib"]},
    {"name": "needs_more", "statement": "theorem needs_more (x : ℝ) : x = x", "imports": ["Mathlib"]},
]


def test_the_pipeline(lean: LeanPool, tiny_folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tactics = ["exact ⟨hp, hq⟩", "constructor", "exact hp", "exact hq", "rfl", "omega", "sorry", "nonsense"]
    config = LeanGRPOConfig(
        base_model=str(tiny_folder),
        output_dir=tmp_path,
        reward_type="shaped",
        num_generations=8,
        max_proof_steps=3,
        learning_rate=1e-3,
        max_steps=3,
        progress=False,
    )
    result = LeanGRPOPipeline(config, lean, MockInferenceClient(default=tactics)).run(ROWS, attempts=16)
    assert set(result.proved_after) == {"my_and_intro", "add_zero"}
    assert "no Mathlib" in caplog.text
    attempts = [json.loads(line) for line in (tmp_path / "attempts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(a["outcome"] != "proved" for a in attempts if a["theorem"] == "needs_more")
    for attempt in attempts:
        if attempt["outcome"] == "proved":
            assert attempt["reward"] == 1.0
        elif "sorry" in attempt["tactics"]:
            assert attempt["reward"] == -1.0
        elif attempt["reward"] is not None and attempt["theorem"] != "needs_more":
            assert 0 <= attempt["reward"] <= 0.5
    assert (Path(result.model_path) / "config.json").is_file()
