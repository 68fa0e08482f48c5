"""What `lean-agent improve` refuses before anything is started, and how its options become settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from lean_agent.cli.commands import improve
from lean_agent.cli.main import app


def test_options_become_settings() -> None:
    practice = improve.PracticeOptions(theorems=3, temperatures=[0.5], strategies=["supervised", "preference"])
    training = improve.TrainingOptions(max_steps=7, seed=2)
    config = improve._config(practice, improve.SearchLimits(lean_calls=9), training, lr=0.25)
    assert (config.theorems, config.temperatures, config.strategies) == (3, (0.5,), ("supervised", "preference"))
    assert (config.search.budget.lean_calls, config.search.tactics_per_node, config.seed) == (9, 16, 2)
    assert config.settings_of("supervised") == {"epochs": 2, "batch_size": 16, "lr": 0.25, "max_steps": 7, "seed": 2}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "nowhere"),
        ([".", "--held-out", "a", "--hold-out", "0.5"], "both say what is held out"),
        ([".", "--model", "nothing/here"], "nothing/here"),
        ([".", "--strategy", "nothing"], "no strategy 'nothing'"),
        ([".", "--temperature", "0.5", "--temperature", "0.5"], "different numbers above 0"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    arguments: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    result = CliRunner().invoke(app, ["improve", *arguments])
    assert result.exit_code != 0
    assert complaint in " ".join(result.output.replace("│", " ").split())
    assert not (tmp_path / "runs").exists()
