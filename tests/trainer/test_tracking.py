"""Metrics in TensorBoard's own files, read back; Weights & Biases was run by hand (docs/log/2026-11.md)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from accelerate.state import AcceleratorState

from lean_agent.errors import ConfigError
from lean_agent.lean.interface import MockLeanInterface
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer
from lean_agent.trainer.run import tracking

pytest.importorskip("tensorboard")


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Tag -> (step, value), of the one run under ``folder``."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    (file,) = folder.rglob("events.out.tfevents.*")
    events = EventAccumulator(str(file)).Reload()
    return {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}


def test_a_training_on_tactics(tiny_folder: Path, tmp_path: Path, logic: Any, one_goal: Any) -> None:
    def reward(completions: Any, **_: Any) -> torch.Tensor:
        return torch.tensor([float(len(text) % 3) for text in completions])

    trainer = GRPOTrainer(
        tiny_folder, reward, tmp_path / "run", num_generations=2, batch_size=2, max_steps=10,
        max_completion_length=4, report_to="tensorboard", progress=False,
    )  # fmt: skip
    trainer.train([logic], one_goal, tmp_path / "data")
    (line,) = [line for line in map(json.loads, trainer.metrics_file.read_text().splitlines()) if "reward" in line]
    found = scalars(tmp_path / "run" / "tracking")
    assert found["train/reward"] == [(10, pytest.approx(line["reward"]))]
    assert "TENSORBOARD_LOGGING_DIR" not in os.environ


def test_a_training_on_attempts(tiny_folder: Path, tmp_path: Path) -> None:
    AcceleratorState._reset_state(reset_partial_state=True)  # as in a process that has trained nothing before
    config = LeanGRPOConfig(
        base_model=str(tiny_folder), output_dir=tmp_path, max_steps=2, num_generations=2, max_proof_steps=2,
        max_tactic_tokens=4, report_to="tensorboard", progress=False,
    )  # fmt: skip
    trainer = LeanGRPOTrainer(config, MockLeanInterface(), MockInferenceClient())
    trainer.setup()
    trainer.train([{"name": "id", "statement": "theorem id (p : Prop) (hp : p) : p"}])
    lines = [json.loads(line) for line in trainer.metrics_file.read_text().splitlines()]
    assert scalars(tmp_path / "tracking")["reward"] == [
        (1, pytest.approx(lines[0]["reward"])),
        (2, pytest.approx(lines[1]["reward"])),
    ]


def test_an_offline_training_into_its_logging_dir(tiny_folder: Path, tmp_path: Path) -> None:
    completions = [{"text": "simp", "score": 1.0}, {"text": "rfl", "score": 0.0}]
    (tmp_path / "data.jsonl").write_text(json.dumps({"prompt": "⊢ True", "completions": completions}) + "\n")
    config = OfflineGRPOConfig(
        model_path=str(tiny_folder), dataset_path=str(tmp_path / "data.jsonl"), output_dir=str(tmp_path / "run"),
        num_epochs=2, logging_steps=1, logging_dir=str(tmp_path / "logs"), report_to="tensorboard",
    )  # fmt: skip
    OfflineGRPOTrainer(config, progress=False).train()
    assert [step for step, _ in scalars(tmp_path / "logs")["train/loss"]] == [1, 2]


def test_a_folder_that_the_user_has_named_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", "mine")
    with tracking.tracker_folder(tmp_path):
        assert os.environ["TENSORBOARD_LOGGING_DIR"] == "mine"
        assert os.environ["WANDB_DIR"] == str(tmp_path)
    assert os.environ["TENSORBOARD_LOGGING_DIR"] == "mine" and "WANDB_DIR" not in os.environ


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("wandb", "tensorboard"):
        monkeypatch.setitem(sys.modules, package, None)  # Python's own way to say that a package is not there
    with pytest.raises(ConfigError, match=r"pip install 'lean4-agent\[wandb\]'"):
        LeanGRPOConfig(report_to="wandb")
    with pytest.raises(ConfigError, match=r"pip install 'lean4-agent\[tensorboard\]'"):
        OfflineGRPOConfig(model_path="m", dataset_path="d", report_to="tensorboard")
