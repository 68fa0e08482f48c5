"""The best checkpoint by held-out loss, whole tactics, packing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from lean_agent.errors import ConfigError, TrainingError
from lean_agent.policy.loading import load_causal_lm
from lean_agent.trainer.sft_trainer import SFTTrainer

FAST: dict[str, Any] = {"batch_size": 4, "lr": 5e-3, "progress": False}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class HeldOut:
    """A database whose validation split says the opposite of its training split."""

    def __init__(self, database: Any, tactic: str) -> None:
        self._database = database
        self._tactic = tactic

    def export_merged_data(self, repos: Any, path: Path) -> None:
        self._database.export_merged_data(repos, path)
        theorems = json.loads((path / "random" / "train.json").read_text())
        for theorem in theorems:
            theorem["traced_tactics"][0]["step"] = self._tactic
        (path / "random" / "val.json").write_text(json.dumps(theorems))


def test_the_best_of_the_held_out_losses_is_kept(tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    """What is learnt by heart makes the held-out answer less and less likely: the first evaluation is the best."""
    trainer = SFTTrainer(tiny_folder, tmp_path / "out", max_steps=40, evaluations=4, **FAST)
    trainer.train([logic], HeldOut(one_goal, "omega"), tmp_path / "data")
    losses = [line["eval_loss"] for line in lines(trainer.metrics_file) if "eval_loss" in line]
    steps = [line["step"] for line in lines(trainer.metrics_file) if "eval_loss" in line]
    assert steps == [10, 20, 30, 40]
    assert losses[0] < losses[-1]
    last = SFTTrainer(tiny_folder, tmp_path / "last", max_steps=40, evaluations=0, **FAST)
    last.train([logic], HeldOut(one_goal, "omega"), tmp_path / "data")
    assert loss_of(tmp_path / "out", "omega") < loss_of(tmp_path / "last", "omega")
    assert loss_of(tmp_path / "out", "omega") == pytest.approx(min(losses), rel=0.02)


def loss_of(folder: Path, tactic: str) -> float:
    """Mean loss over the tokens of a tactic, and its end, for the goal of ``one_goal``."""
    from lean_agent.prompts import completion_messages, prompt_messages

    model, tokenizer = load_causal_lm(folder, device="cpu")
    prompt = prompt_messages("p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q")
    start: Any = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=True)
    whole: Any = tokenizer.apply_chat_template([*prompt, *completion_messages(tactic)], return_dict=True)
    ids = torch.tensor([whole["input_ids"]])
    labels = ids.clone()
    labels[0, : len(start["input_ids"])] = -100
    with torch.no_grad():
        return float(model(input_ids=ids, labels=labels).loss)


def test_tactics_that_do_not_fit_are_left_out_whole(
    request: pytest.FixtureRequest, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    long = "first\n| omega\n" * 40
    tiny_folder, logic, one_goal = map(request.getfixturevalue, ("tiny_folder", "logic", "one_goal"))
    database = type(one_goal)({logic: (("⊢ p", "trivial"), ("⊢ q", long))})
    trainer = SFTTrainer(tiny_folder, tmp_path / "out", max_length=64, max_steps=2, **FAST)
    with caplog.at_level("INFO", logger="lean_agent"):
        trainer.train([logic], database, tmp_path / "data")
    assert "1 of 2 steps are longer than 64 tokens" in caplog.text
    none = SFTTrainer(tiny_folder, tmp_path / "none", max_length=4, max_steps=2, **FAST)
    with pytest.raises(TrainingError, match="No step fits into max_length = 4"):
        none.train([logic], database, tmp_path / "data")


def test_packed_rows_are_learnt(tiny_folder: Path, tmp_path: Path, database: Any, logic: Any) -> None:
    trainer = SFTTrainer(tiny_folder, tmp_path / "out", packing=True, max_length=256, max_steps=40, **FAST)
    trainer.train([logic], database, tmp_path / "data")
    logged = [line["loss"] for line in lines(trainer.metrics_file) if "loss" in line]
    assert logged[-1] < 0.3 * logged[0]


def test_settings(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"evaluations must be a whole number from 0 on, not -1\."):
        SFTTrainer(tmp_path, evaluations=-1)
