"""Supervised training: it learns, it goes on where it was stopped, and what it leaves is a model folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, PeftModel
from safetensors.torch import load_file
from transformers import TrainerCallback
from trl.trainer.sft_trainer import SFTTrainer as TRLTrainer

from lean_agent.errors import ConfigError, ModelNotFound, TrainingError
from lean_agent.policy.base import Sampling
from lean_agent.policy.decoding.matrices import HalfLinear, fastest_layer, multiplies_half
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.loading import load_causal_lm
from lean_agent.policy.model_files import record_help
from lean_agent.prompts import HelpSettings
from lean_agent.trainer.sft_trainer import HALF_PADDING, LengthGroupedTrainer, SFTTrainer

FAST: dict[str, Any] = {"batch_size": 4, "lr": 5e-3, "progress": False}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def test_five_examples_are_learnt_by_heart(
    tiny_folder: Path, tmp_path: Path, database: Any, logic: Any, arithmetic: Any
) -> None:
    trainer = SFTTrainer(tiny_folder, tmp_path / "out", epochs_per_repo=60, **FAST)
    trainer.train([logic, arithmetic], database, tmp_path / "data")

    # Repository by repository, on the data of all so far.
    assert database.exports == [[logic], [logic, arithmetic]]
    losses = [line["loss"] for line in lines(trainer.metrics_file) if "loss" in line]
    assert losses[0] > 1.0
    assert losses[-1] < 0.05

    steps = [step for repo in (logic, arithmetic) for step in database.steps[repo]]
    policy = HFPolicy(tmp_path / "out", sampling=Sampling(max_new_tokens=40))
    suggested = policy.suggest([state for state, _ in steps], k=4)
    assert [suggestions[0].tactic for suggestions in suggested] == [tactic for _, tactic in steps]
    assert all(suggestions[0].logprob > -0.2 for suggestions in suggested), "each is all but certain"

    # The same from a beam search, whose best answer is the likeliest one.
    beam = HFPolicy(tmp_path / "out", sampling=Sampling(method="beam", max_new_tokens=40))
    for sampled, searched in zip(suggested, beam.suggest([state for state, _ in steps], k=4), strict=True):
        assert searched[0].tactic == sampled[0].tactic
        assert searched[0].logprob == pytest.approx(sampled[0].logprob, abs=1e-4)


def loss_of_single_rows(folder: Path, steps: Sequence[tuple[str, str]]) -> float:
    """The mean over the tokens of all tactics and their ends, each step by itself."""
    model, tokenizer = load_causal_lm(folder, device="cpu")
    sizes = {"prompt": 0, "tactic": 0}
    total = 0.0
    for state, tactic in steps:
        prompt = tokenizer(f"<|goal|>{state}<|tactic|>")["input_ids"]
        answer = tokenizer(f"{tactic}<|end|>")["input_ids"]
        sizes["prompt"] += len(prompt)
        sizes["tactic"] += len(answer)
        with torch.no_grad():
            logprobs = torch.log_softmax(model(torch.tensor([prompt + answer])).logits[0], dim=-1)
        total -= sum(float(logprobs[len(prompt) - 1 + i, token]) for i, token in enumerate(answer))
    assert sizes["prompt"] > sizes["tactic"], "a loss on the prompts too would be another number"
    return total / sizes["tactic"]


def test_the_loss_is_on_the_tactic_alone(tiny_folder: Path, tmp_path: Path, database: Any, logic: Any) -> None:
    trainer = SFTTrainer(tiny_folder, tmp_path / "out", **FAST, max_steps=1)
    trainer.train([logic], database, tmp_path / "data")
    singly = loss_of_single_rows(tiny_folder, database.steps[logic])
    # One step of a batch of 4 sees all 3 rows: its loss is the mean over the tokens of their tactics and ends.
    (loss,) = [line["train_loss"] for line in lines(trainer.metrics_file) if "train_loss" in line]
    assert loss == pytest.approx(singly, rel=1e-4)


@pytest.mark.parametrize("adapter", [None, LoraConfig(r=2, target_modules=["q_proj"], task_type="CAUSAL_LM")])
def test_a_training_on_a_cpu_is_that_of_trl(
    tiny_folder: Path, tmp_path: Path, database: Any, logic: Any, adapter: Any
) -> None:
    class Steps(LengthGroupedTrainer):
        compute_loss = TRLTrainer.compute_loss

    class Plain(SFTTrainer):
        step_trainer = Steps

    def trained(name: str, kind: type[SFTTrainer]) -> tuple[list[dict[str, Any]], dict[str, torch.Tensor]]:
        settings = FAST | {"epochs_per_repo": 30, "lr": 1e-4, "lora_config": adapter}
        trainer = kind(tiny_folder, tmp_path / name, **settings)
        trainer.train([logic], database, tmp_path / "data")
        kinds = ("loss", "mean_token_accuracy", "entropy", "grad_norm", "num_tokens")
        metrics = [{kind: line[kind] for kind in kinds} for line in lines(trainer.metrics_file) if "loss" in line]
        (file,) = (tmp_path / name).glob("*.safetensors")
        return metrics, load_file(file)

    ours, our_weights = trained("ours", SFTTrainer)
    theirs, their_weights = trained("theirs", Plain)
    assert len(ours) == len(theirs) > 1
    assert all(line == pytest.approx(theirs[number], rel=1e-4) for number, line in enumerate(ours))
    assert our_weights.keys() == their_weights.keys()
    for name, weight in our_weights.items():
        torch.testing.assert_close(weight, their_weights[name], rtol=1e-3, atol=1e-5)


@pytest.mark.skipif(torch.cuda.is_available() or not multiplies_half(), reason="no CPU that multiplies bfloat16")
def test_lengths_are_few_where_bfloat16_is_multiplied(
    tiny_folder: Path, tmp_path: Path, database: Any, logic: Any
) -> None:
    widths: list[int] = []

    class Steps(LengthGroupedTrainer):
        def compute_loss(self, model: Any, inputs: dict[str, Any], *args: Any, **options: Any) -> Any:
            widths.append(inputs["labels"].shape[1])
            assert type(model.model.layers[0].mlp.up_proj) is HalfLinear
            return super().compute_loss(model, inputs, *args, **options)

    class Watched(SFTTrainer):
        step_trainer = Steps

    trainer = Watched(tiny_folder, tmp_path / "out", **FAST, max_steps=2)
    trainer.train([logic], database, tmp_path / "data")
    assert widths and all(width % HALF_PADDING == 0 for width in widths)
    assert type(trainer.model.model.layers[0].mlp.up_proj) is fastest_layer()


def test_packed_rows_do_not_see_one_another(tiny_folder: Path, tmp_path: Path, database: Any, logic: Any) -> None:
    """An untrained model is all but indifferent to what stands before a goal; one that knows the steps is not."""
    trained = SFTTrainer(tiny_folder, tmp_path / "trained", **FAST, max_steps=20)
    trained.train([logic], database, tmp_path / "data")
    torch.backends.cuda.enable_cudnn_sdp(False)  # as where a model has gone to a GPU
    settings = {**FAST, "batch_size": 1, "max_steps": 1, "packing": True, "max_length": 256}
    trainer = SFTTrainer(tmp_path / "trained", tmp_path / "out", **settings)
    trainer.train([logic], database, tmp_path / "data")
    assert torch.backends.cuda.cudnn_sdp_enabled(), "long rows are worth its plans"
    (line,) = [line for line in lines(trainer.metrics_file) if "train_loss" in line]
    # All three in the one row of one step.
    singly = loss_of_single_rows(tmp_path / "trained", database.steps[logic])
    near = 2e-3 if torch.cuda.is_available() else 1e-4  # bfloat16
    assert line["train_loss"] == pytest.approx(singly, rel=near)


def test_a_run_is_continued_with_the_next_repository(
    tiny_folder: Path, tmp_path: Path, database: Any, logic: Any, arithmetic: Any
) -> None:
    def trainer(name: str) -> SFTTrainer:
        return SFTTrainer(tiny_folder, tmp_path / name, epochs_per_repo=3, **FAST)

    trainer("whole").train([logic, arithmetic], database, tmp_path / "data")
    trainer("parts").train([logic], database, tmp_path / "data")
    assert (tmp_path / "parts" / "progress.json").is_file()
    database.exports.clear()
    second = trainer("parts")
    assert second.model_path.endswith("001-logic-11111111")
    second.train([logic, arithmetic], database, tmp_path / "data")
    assert database.exports == [[logic, arithmetic]], "the first repository was done"
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.equal(whole[name], parts[name]) for name in whole), "stopped or not, the same model comes out"

    # A third run has nothing to do, and still offers the model.
    database.exports.clear()
    third = trainer("parts")
    third.train([logic, arithmetic], database, tmp_path / "data")
    assert database.exports == []
    assert third.model is not None
    assert third.tokenizer is not None


def test_a_run_is_continued_within_a_repository(
    tiny_folder: Path, tmp_path: Path, database: Any, arithmetic: Any, logic: Any
) -> None:
    # Five rows one at a time: step 9 lies within the second epoch, and the order of the rows shows in the weights.
    database.steps[logic] = (*database.steps[logic], *database.steps[arithmetic])
    settings = {**FAST, "batch_size": 1, "max_steps": 20}

    class Interrupted(TrainerCallback):
        def on_log(self, *_: Any, **__: Any) -> None:
            raise KeyboardInterrupt  # at step 10, the first that logs

    class InterruptedTrainer(SFTTrainer):
        def _fit(self, *given: Any, callbacks: Sequence[TrainerCallback] = (), **options: Any) -> Any:
            return super()._fit(*given, callbacks=[*callbacks, Interrupted()], **options)

    def train(name: str, kind: type[SFTTrainer] = SFTTrainer) -> SFTTrainer:
        trainer = kind(tiny_folder, tmp_path / name, checkpoint_every_s=0.0, **settings)
        trainer.train([logic], database, tmp_path / "data")
        return trainer

    train("whole")

    with pytest.raises(KeyboardInterrupt):
        train("parts", InterruptedTrainer)
    (work,) = (tmp_path / "parts" / "in_progress").iterdir()
    assert [path.name for path in work.glob("checkpoint-*")] == ["checkpoint-9"]
    assert not (tmp_path / "parts" / "progress.json").exists()

    second = train("parts")
    assert not (tmp_path / "parts" / "in_progress").exists()
    steps = [line["step"] for line in lines(second.metrics_file) if "loss" in line]
    assert steps == [10, 20], "the second run began after step 9, and step 10 stands once"
    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.allclose(whole[name], parts[name], atol=1e-6) for name in whole)


def test_an_adapter_is_trained_saved_and_continued(
    tiny_folder: Path, tmp_path: Path, database: Any, logic: Any, arithmetic: Any
) -> None:
    lora = LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"])
    trainer = SFTTrainer(tiny_folder, tmp_path / "out", epochs_per_repo=2, lora_config=lora, **FAST)
    trainer.train([logic], database, tmp_path / "data")
    assert isinstance(trainer.model, PeftModel)
    assert (tmp_path / "out" / "adapter_config.json").is_file()
    assert not (tmp_path / "out" / "model.safetensors").exists(), "only the adapter is saved"
    first = load_file(tmp_path / "out" / "adapter_model.safetensors")

    # Blocks x projections x (A and B).
    assert len(first) == 2 * 2 * 2
    again = SFTTrainer(tiny_folder, tmp_path / "out", epochs_per_repo=2, lora_config=lora, **FAST)
    again.train([logic, arithmetic], database, tmp_path / "data")
    second = load_file(tmp_path / "out" / "adapter_model.safetensors")
    assert first.keys() == second.keys()
    assert any(not torch.equal(first[name], second[name]) for name in first)

    base, _ = load_causal_lm(tiny_folder, device="cpu")
    adapted, tokenizer = load_causal_lm(tmp_path / "out", device="cpu")
    inputs = tokenizer("<|goal|>p<|tactic|>", return_tensors="pt")
    with torch.no_grad():
        assert not torch.allclose(base(**inputs).logits, adapted(**inputs).logits, atol=1e-4)
        assert again.model is not None
        kept = again.model.cpu()(**inputs).logits.float()
        # On a GPU the weights under an adapter are trained beside in bfloat16.
        near = 2e-2 if torch.cuda.is_available() else 1e-5
        assert torch.allclose(kept, adapted(**inputs).logits, atol=near)

    with pytest.raises(ConfigError, match="LoRA adapter already"):
        SFTTrainer(tmp_path / "out", tmp_path / "other", lora_config=lora)
    continued = SFTTrainer(tmp_path / "out", tmp_path / "other", **FAST)
    continued.train([logic], database, tmp_path / "data")
    assert (tmp_path / "other" / "adapter_config.json").is_file()


def test_metrics_say_where_they_come_from(tiny_folder: Path, tmp_path: Path, database: Any, logic: Any) -> None:
    trainer = SFTTrainer(tiny_folder, tmp_path / "out", max_steps=10, **FAST)
    trainer.train([logic], database, tmp_path / "data")
    first = lines(trainer.metrics_file)[0]
    assert (first["repository"], first["commit"], first["step"]) == (logic.url, logic.commit, 10)
    assert {"loss", "grad_norm", "learning_rate", "time"} <= first.keys()


def test_a_training_that_diverges_is_no_checkpoint(
    tiny_folder: Path, tmp_path: Path, database: Any, logic: Any
) -> None:
    trainer = SFTTrainer(tiny_folder, tmp_path / "out", batch_size=4, lr=1e30, max_steps=4, progress=False)
    with pytest.raises(TrainingError, match=r"diverged.*lower lr than 1e\+30"):
        trainer.train([logic], database, tmp_path / "data")
    assert not (tmp_path / "out" / "progress.json").exists()


def test_a_full_disk_is_said_in_words(
    tiny_folder: Path, tmp_path: Path, database: Any, logic: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Any, folder: Any, **_: Any) -> None:
        raise OSError(28, "No space left on device")

    trainer = SFTTrainer(tiny_folder, tmp_path / "out", max_steps=1, **FAST)
    monkeypatch.setattr("transformers.PreTrainedModel.save_pretrained", full)
    with pytest.raises(TrainingError, match=r"No space left on device.*make room"):
        trainer.train([logic], database, tmp_path / "data")


def test_nothing_to_train_on_is_refused(tiny_folder: Path, tmp_path: Path, database: Any) -> None:
    with pytest.raises(TrainingError, match="no repository to train on"):
        SFTTrainer(tiny_folder, tmp_path / "out").train([], database, tmp_path / "data")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"batch_size": 0}, "batch_size must be a whole number from 1 on"),
        ({"epochs_per_repo": 0}, "epochs_per_repo"),
        ({"lr": 0.0}, "lr must be a number above 0"),
        ({"warmup": 1.0}, "warmup"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_length": 1}, "max_length"),
    ],
)
def test_settings_that_cannot_work_are_refused(tmp_path: Path, settings: dict[str, Any], complaint: str) -> None:
    # Before the model is looked for: there is none here.
    with pytest.raises(ConfigError, match=complaint):
        SFTTrainer(tmp_path / "no_model", tmp_path / "out", **settings)


def test_other_help_than_the_model_was_trained_with_is_said(
    tiny_folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = Path(shutil.copytree(tiny_folder, tmp_path / "model"))
    record_help(HelpSettings(neighbours=4), model)
    SFTTrainer(model, tmp_path / "same", neighbours_in_prompt=4)
    assert not caplog.records
    SFTTrainer(model, tmp_path / "other", premises=2)
    assert "neighbours_in_prompt=4 shown beside goals, and is now trained with 2 and 0" in caplog.text


def test_a_missing_model_is_found_when_the_trainer_is_made(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="no model folder"):
        SFTTrainer(tmp_path / "no_model", tmp_path / "out")
    assert not (tmp_path / "out").exists()
