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


def test_a_strategy_has_settings_of_its_own() -> None:
    changes = ["dpo.lr=1e-5", "dpo.loss_type=[sigmoid, sft]", "preference.negative_weight=0.5", "my.place:run.lr=2"]
    assert improve._of_strategy(changes) == {
        "dpo": {"lr": 1e-5, "loss_type": ["sigmoid", "sft"]},
        "preference": {"negative_weight": 0.5},
        "my.place:run": {"lr": 2},
    }
    practice = improve.PracticeOptions(strategies=["supervised", "dpo"])
    training = improve.TrainingOptions(changes=["dpo.lr=1e-5"])
    config = improve._config(practice, improve.SearchLimits(), training, lr=0.25)
    assert [config.settings_of(name)["lr"] for name in config.strategies] == [0.25, 1e-5]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere"], "nowhere"),
        ([".", "--held-out", "a", "--hold-out", "0.5"], "both say what is held out"),
        ([".", "--model", "nothing/here"], "nothing/here"),
        ([".", "--strategy", "nothing"], "no strategy 'nothing'"),
        ([".", "--set", "lr=1"], "--set takes STRATEGY.NAME=VALUE"),
        ([".", "--set", "dpoo.lr=1"], "no strategy 'dpoo'"),
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
