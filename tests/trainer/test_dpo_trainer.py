"""DPO on pairs: what is learnt, at which weight of the worse answers, and how a run goes on."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig

from lean_agent.errors import ConfigError, TrainingError
from lean_agent.trainer.data.scored_dataset import ScoredDataset, collate, read_groups
from lean_agent.trainer.dpo_trainer import DPOConfig, DPOTrainer
from lean_agent.trainer.offline import completion_logprobs, weighed_negatives

PAIRS = (
    {"prompt": "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q", "chosen": "constructor", "rejected": "rfl"},
    {"prompt": "n : Nat\n⊢ n + 0 = n", "chosen": "rfl", "rejected": "exact hp"},
    {"prompt": "h : p ∨ q\n⊢ q ∨ p", "chosen": "cases h", "rejected": "omega"},
)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    return path


@pytest.fixture
def settings(tiny_folder: Path, pairs: Path, tmp_path: Path) -> dict[str, Any]:
    return {
        "model_path": str(tiny_folder), "dataset_path": str(pairs), "output_dir": tmp_path / "out", "batch_size": 3,
        "num_epochs": 12, "lr": 1e-3, "progress": False,
    }  # fmt: skip


def trained(settings: Mapping[str, Any], **changes: Any) -> DPOTrainer:
    trainer = DPOTrainer(DPOConfig(**{**settings, **changes}))
    trainer.train()
    return trainer


def metrics(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def logprobs(trainer: DPOTrainer) -> torch.Tensor:
    """Log-probabilities of the better and the worse answer of each pair, ``[3, 2]``."""
    data = ScoredDataset(read_groups(trainer.config.dataset_path), trainer.tokenizer, 512)
    batch = collate([data[place] for place in range(len(data))], int(trainer.tokenizer.pad_token_id))
    with torch.no_grad():
        at = trainer.model.device
        values, _ = completion_logprobs(trainer.model, {name: tensor.to(at) for name, tensor in batch.items()})
    return values.sum(dim=2).cpu()


def test_better_answers_gain_on_worse_ones(settings: dict[str, Any], tmp_path: Path) -> None:
    before = logprobs(DPOTrainer(DPOConfig(**settings)))
    trainer = trained(settings, logging_steps=1)
    after = logprobs(trainer)
    moved = (after[:, 0] - after[:, 1]) - (before[:, 0] - before[:, 1])
    assert (moved > 5).all()
    lines = metrics(tmp_path / "out")
    # The first step is at the reference, where every margin is 0: -log sigmoid(0) = log 2.
    assert lines[0]["loss"] == pytest.approx(math.log(2), abs=1e-3)
    assert lines[-2]["rewards/accuracies"] == 1.0 and lines[-2]["loss"] < 0.5
    assert trainer.model_path == str(tmp_path / "out") and trainer.is_finished
    assert trainer.evaluate().prompts == 3
    # What is saved is what was trained, without traces of trl's own forward pass.
    again = DPOTrainer(DPOConfig(**{**settings, "model_path": trainer.model_path, "output_dir": tmp_path / "other"}))
    near = 1e-3 if torch.cuda.is_available() else 1e-5  # bfloat16
    torch.testing.assert_close(logprobs(again), after, rtol=near, atol=near)


def test_a_run_goes_on_and_another_is_refused(settings: dict[str, Any], tmp_path: Path, pairs: Path) -> None:
    whole = logprobs(trained(settings, num_epochs=6, save_steps=2))
    assert sorted(path.name for path in (tmp_path / "out").glob("checkpoint-*")) == ["checkpoint-4", "checkpoint-6"]
    shutil.rmtree(tmp_path / "out" / "checkpoint-6")
    torch.testing.assert_close(logprobs(trained(settings, num_epochs=6, save_steps=2)), whole, atol=1e-4, rtol=0)
    with pytest.raises(ConfigError, match=r"beta=0.1, and this one has beta=0.5"):
        trained(settings, num_epochs=6, beta=0.5)
    pairs.write_text(json.dumps(PAIRS[0]) + "\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="data="):
        trained(settings, num_epochs=6)


def test_the_gradient_of_negatives_has_its_weight() -> None:
    values = torch.tensor([[-1.0, -2.0], [-3.0, -4.0]], requires_grad=True)
    weighed = weighed_negatives(values, torch.tensor([[False], [True]]), 0.25)
    assert torch.equal(weighed, values), "what they are stays"
    weighed.sum().backward()
    assert values.grad is not None and values.grad.tolist() == [[1.0, 1.0], [0.25, 0.25]]


def test_without_weight_negatives_are_not_pushed_down(settings: dict[str, Any]) -> None:
    """With a linear loss a worse answer's gradient is its own: at weight 0 nothing but the better ones moves a step."""
    steps: dict[str, Any] = {"max_steps": 1, "lr": 1e-4, "warmup": 0.0}
    weights = [
        trained(settings, **steps, negative_weight=weight, output_dir=settings["output_dir"] / str(weight))
        for weight in (0.0, 1.0)
    ]
    start = logprobs(DPOTrainer(DPOConfig(**settings)))
    fall_without, fall_with = ((logprobs(trainer) - start)[:, 1].mean() for trainer in weights)
    assert fall_without > fall_with
    assert (logprobs(weights[0]) - start)[:, 0].min() > 0


@pytest.mark.parametrize("changes", [{"lora_rank": 4}, {"loss_type": ["sigmoid", "sft"], "loss_weights": [1.0, 0.5]}])
def test_adapters_and_several_losses(settings: dict[str, Any], changes: dict[str, Any], tmp_path: Path) -> None:
    before = logprobs(DPOTrainer(DPOConfig(**settings)))
    trainer = trained(settings, **changes, lr=5e-3, negative_weight=0.5)
    after = logprobs(trainer)
    assert ((after[:, 0] - after[:, 1]) > (before[:, 0] - before[:, 1])).all()
    assert (tmp_path / "out" / "adapter_model.safetensors").exists() == ("lora_rank" in changes)


def test_a_model_without_a_chat_template(gpt2: Path, settings: dict[str, Any]) -> None:
    settings["model_path"] = str(gpt2)
    before = logprobs(DPOTrainer(DPOConfig(**settings)))
    after = logprobs(trained(settings, lr=1e-2))
    assert ((after[:, 0] - after[:, 1]) > (before[:, 0] - before[:, 1])).all()


def test_every_two_answers_of_different_scores_are_a_pair(settings: dict[str, Any], pairs: Path) -> None:
    scored = [{"text": text, "score": score} for text, score in (("a", 1.0), ("b", 0.3), ("c", 0.3), ("d", 0.0))]
    pairs.write_text(json.dumps({"prompt": "⊢ p", "completions": scored}), encoding="utf-8")
    trainer = DPOTrainer(DPOConfig(**settings))
    rows = [row for group in trainer._groups for row in trainer._rows(group)]
    answers = [(row["chosen"][0]["content"], row["rejected"][0]["content"]) for row in rows]
    assert answers == [("a", "b"), ("a", "c"), ("a", "d"), ("b", "d"), ("c", "d")]


def test_pairs_that_do_not_fit_are_left_out(settings: dict[str, Any], pairs: Path) -> None:
    with pytest.raises(TrainingError, match="No pair fits into max_seq_length = 4"):
        trained(settings, max_seq_length=4)
    long = {"prompt": "⊢ p", "chosen": "rfl", "rejected": "simp " * 500}
    pairs.write_text("".join(json.dumps(pair) + "\n" for pair in (PAIRS[1], long)), encoding="utf-8")
    trainer = DPOTrainer(DPOConfig(**{**settings, "max_seq_length": 128}))
    assert len(trainer._build().train_dataset) == 1  # type: ignore[arg-type]


def test_settings_that_cannot_work_are_refused(settings: dict[str, Any]) -> None:
    for changes, complaint in (
        ({"loss_type": "sigmod"}, "Did you mean 'sigmoid'"),
        ({"loss_type": ["sigmoid", "sft"], "loss_weights": [1.0]}, "1 numbers for 2 losses"),
        ({"loss_type": "exo_pair"}, "label_smoothing above 0"),
        ({"loss_type": "robust", "label_smoothing": 0.5}, "below 0.5"),
        ({"beta": 0.0}, "beta"),
        ({"negative_weight": -1.0}, "negative_weight"),
    ):
        with pytest.raises(ConfigError, match=complaint):
            DPOConfig(**{**settings, **changes})
    assert DPOConfig(**settings, lora_config=LoraConfig(r=2)).losses == ["sigmoid"]


def test_the_configuration_that_ships_reads() -> None:
    config = DPOConfig.from_yaml(Path(__file__).parents[2] / "configs" / "offline_dpo.yaml")
    assert (config.beta, config.losses, config.negative_weight) == (0.1, ["sigmoid", "sft"], 1.0)
