"""``lean-agent offline-grpo`` and ``dpo``, and the algorithm options of ``train``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lean_agent.cli.main import app
from lean_agent.policy.tiny import make_tiny_model


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def config(tmp_path: Path) -> Path:
    model = make_tiny_model(["⊢ p ∧ q", "constructor"], tmp_path / "model", vocab_size=300, hidden_size=64, layers=1)
    group = {"prompt": "⊢ p ∧ q", "completions": [{"text": "constructor", "score": 1}, {"text": "skip", "score": 0}]}
    (tmp_path / "data.jsonl").write_text(json.dumps(group) + "\n", encoding="utf-8")
    path = tmp_path / "config.yaml"
    settings = f"output_dir: {tmp_path / 'out'}\nnum_epochs: 30\nlearning_rate: 1e-3\nkl_direction: target_to_policy\n"
    path.write_text(f"model_path: {model}\ndataset_path: {tmp_path / 'data.jsonl'}\n{settings}", encoding="utf-8")
    return path


def test_a_configuration_is_trained(config: Path, tmp_path: Path) -> None:
    only = run("offline-grpo", config, "--eval")
    assert only.exit_code == 0, only.output
    assert f"{tmp_path / 'model'}: rank correlation " in only.output.replace("\n", "")
    assert "Before" not in only.output
    assert " of 1 prompts, loss " in only.output
    assert not (tmp_path / "out").exists()
    done = run("offline-grpo", config)
    assert done.exit_code == 0, done.output
    assert "already finished" not in done.output
    assert "rank correlation 1.000, " in done.output.partition("After:")[2]
    assert "one of the best at 100.0% of 1 prompts" in done.output.partition("After:")[2]
    assert (tmp_path / "out" / "model.safetensors").is_file()
    again = run("offline-grpo", config)
    assert again.exit_code == 0, again.output
    assert "This training is already finished" in again.output
    assert again.output.partition("After:")[2] == done.output.partition("After:")[2]


def test_a_configuration_of_pairs_is_trained_by_dpo(config: Path, tmp_path: Path) -> None:
    config.write_text(config.read_text(encoding="utf-8").replace("kl_direction: target_to_policy", "beta: 0.5"))
    done = run("dpo", config)
    assert done.exit_code == 0, done.output
    assert "one of the best at 100.0% of 1 prompts" in done.output.partition("After:")[2]
    assert (tmp_path / "out" / "model.safetensors").is_file()
    config.write_text("model_path: x\ndataset_path: y\nbetta: 1\n", encoding="utf-8")
    assert "y is not there" in run("dpo", config).output


def test_what_is_measured_on_other_data_needs_none_of_its_own(config: Path, tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").rename(tmp_path / "other.jsonl")
    assert "data.jsonl is not there" in run("offline-grpo", config, "--eval").output
    measured = run("offline-grpo", config, "--eval", "--data", tmp_path / "other.jsonl")
    assert measured.exit_code == 0, measured.output
    assert " of 1 prompts, loss " in measured.output


def test_mistakes_are_said_in_a_sentence(config: Path, tmp_path: Path) -> None:
    config.write_text("model_pth: x\n", encoding="utf-8")
    wrong = run("offline-grpo", config)
    assert wrong.exit_code == 1
    assert "Did you mean 'model_path'?" in wrong.output
    model = ("--model", tmp_path / "model", "--method", "grpo")
    assert "--algo-config is no JSON" in run("train", tmp_path, *model, "--algo-config", "{").output
    assert "Did you mean 'dapo'" in run("train", tmp_path, *model, "--algorithm", "dapoo").output
