"""Offline GRPO: a policy learns to rank completions as their scores do."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model

from lean_agent.algorithms import create_algorithm
from lean_agent.errors import ConfigError, ModelNotFound, TrainingError
from lean_agent.policy.loading import load_causal_lm
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.data.scored_dataset import ScoredDataset, collate, read_groups
from lean_agent.trainer.offline import completion_logprobs, rank_correlation
from lean_agent.trainer.offline_grpo_trainer import (
    OfflineGRPOConfig,
    OfflineGRPOTrainer,
)
from lean_agent.trainer.run.loading import quiet_libraries

GOALS = ("p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q", "n : Nat\n⊢ n + 0 = n", "h : p ∨ q\n⊢ q ∨ p")
TACTICS = ("constructor", "rfl", "exact hp", "omega")


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Three goals with four tactics each, another one the best for each."""
    path = tmp_path / "scored.jsonl"
    rows = [
        {
            "prompt": goal,
            "completions": [
                {"text": tactic, "score": 3.0 if i == best else float(i) / 4} for i, tactic in enumerate(TACTICS)
            ],
        }
        for best, goal in enumerate(GOALS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def settings(tiny_folder: Path, scored: Path, tmp_path: Path, **more: Any) -> OfflineGRPOConfig:
    values = {
        "model_path": str(tiny_folder),
        "dataset_path": str(scored),
        "output_dir": str(tmp_path / "out"),
        "batch_size": 3,
        "num_epochs": 40,
        "learning_rate": 3e-3,
    }
    return OfflineGRPOConfig(**{**values, **more})


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_policy_learns_the_order_of_the_scores(tiny_folder: Path, scored: Path, tmp_path: Path) -> None:
    trainer = OfflineGRPOTrainer(settings(tiny_folder, scored, tmp_path), progress=False)
    before = trainer.evaluate()
    trainer.train()
    after = trainer.evaluate()
    assert after.prompts == 3
    assert after.top1_agreement == 1.0
    assert after.rank_correlation > 0.9 > before.rank_correlation
    assert after.loss < before.loss / 10
    # Every twenty steps a line, the last one with the summary.
    assert [line["step"] for line in lines(tmp_path / "out" / "metrics.jsonl")] == [20, 40, 40]
    assert lines(tmp_path / "out" / "metrics.jsonl")[1]["top1"] == 1.0
    # What is saved is what was trained.
    again = OfflineGRPOTrainer(settings(tmp_path / "out", scored, tmp_path / "other"), progress=False)
    kept = again.evaluate()
    assert replace(kept, loss=after.loss) == after
    # A GPU does not add up in the same order each time, and in bfloat16.
    assert kept.loss == pytest.approx(after.loss, rel=0.1 if torch.cuda.is_available() else 0)


def test_a_model_without_chat_template_and_padding(gpt2: Path, scored: Path, tmp_path: Path) -> None:
    trainer = OfflineGRPOTrainer(settings(gpt2, scored, tmp_path, num_epochs=60, learning_rate=1e-2), progress=False)
    tokenizer = trainer.tokenizer
    assert tokenizer.chat_template is None
    assert tokenizer.pad_token_id == tokenizer.eos_token_id
    data = ScoredDataset(read_groups(scored), tokenizer, 512)
    batch = collate([data[0], data[1]], int(tokenizer.pad_token_id))
    for row, goal in enumerate(GOALS[:2]):
        for column, tactic in enumerate(TACTICS):
            ids, counted = batch["input_ids"][row, column], batch["completion_mask"][row, column].bool()
            # The prompt as it stands; the end counts, though padding is the same token.
            assert tokenizer.decode(ids[counted]) == tactic + tokenizer.eos_token
            assert tokenizer.decode(ids[batch["attention_mask"][row, column].bool() & ~counted]) == goal
    before = trainer.evaluate()
    trainer.train()
    after = trainer.evaluate()
    assert after.top1_agreement == 1.0
    assert after.loss < before.loss / 2


@pytest.mark.parametrize("by_token", [False, True])
def test_completions_are_ranked_by_what_the_objective_compares(
    tiny_folder: Path, scored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_token: bool
) -> None:
    """The best of each group is the likeliest by token, and has most of them."""

    def logprobs(model: Any, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        mask = torch.ones(*batch["scores"].shape, 8, device=batch["scores"].device)
        best = (batch["scores"] == 3.0).unsqueeze(2)
        mask[..., 2:] = best.expand_as(mask)[..., 2:].float()
        return torch.where(best, -1.0, -2.0) * mask, mask

    monkeypatch.setattr("lean_agent.trainer.offline.completion_logprobs", logprobs)
    config = settings(tiny_folder, scored, tmp_path, length_normalize=by_token)
    assert OfflineGRPOTrainer(config, progress=False).evaluate().top1_agreement == float(by_token)


def test_an_adapter_is_loaded_trainable(tiny_folder: Path, scored: Path, tmp_path: Path) -> None:
    model, _ = load_causal_lm(tiny_folder)
    with quiet_libraries():
        adapter = get_peft_model(model, LoraConfig(r=4, target_modules=["q_proj", "v_proj"]))
    adapter.peft_config["default"].base_model_name_or_path = str(tiny_folder)
    adapter.save_pretrained(str(tmp_path / "adapter"))
    config = settings(tiny_folder, scored, tmp_path, lora_path=str(tmp_path / "adapter"), num_epochs=2)
    trainer = OfflineGRPOTrainer(config, progress=False)
    trainer.train()
    trained = [name for name, weight in trainer.model.named_parameters() if weight.requires_grad]
    assert trained
    assert all("lora_" in name for name in trained)
    assert not (tmp_path / "out" / "model.safetensors").exists()
    assert (tmp_path / "out" / "adapter_model.safetensors").exists()
    with pytest.raises(ModelNotFound, match="no LoRA adapter"):
        OfflineGRPOTrainer(settings(tiny_folder, scored, tmp_path, lora_path=str(tmp_path)), progress=False)


def test_checkpoints_and_going_on(tiny_folder: Path, scored: Path, tmp_path: Path) -> None:
    config = settings(tiny_folder, scored, tmp_path, num_epochs=7, save_steps=2)
    OfflineGRPOTrainer(config, progress=False).train()
    folders = sorted(path.name for path in (tmp_path / "out").glob("checkpoint-*"))
    # Steps 2, 4, 6 and the end: the newest two.
    assert folders == ["checkpoint-6", "checkpoint-7"]
    whole = OfflineGRPOTrainer(settings(tmp_path / "out", scored, tmp_path / "x"), progress=False).evaluate()
    # Again from the sixth step, as after a kill.
    shutil.rmtree(tmp_path / "out" / "checkpoint-7")
    OfflineGRPOTrainer(config, progress=False).train()
    resumed = OfflineGRPOTrainer(settings(tmp_path / "out", scored, tmp_path / "x"), progress=False).evaluate()
    assert resumed.loss == pytest.approx(whole.loss, abs=1e-6)


def test_another_run_is_refused(tiny_folder: Path, scored: Path, tmp_path: Path) -> None:
    def train(**changes: Any) -> None:
        OfflineGRPOTrainer(settings(tiny_folder, scored, tmp_path, num_epochs=1, **changes), progress=False).train()

    train()
    train(save_steps=7, report_to="none")  # nothing of it decides the weights
    with pytest.raises(ConfigError, match=r"learning_rate=0.003, and this one has learning_rate=0.001"):
        train(learning_rate=1e-3)
    groups = lines(scored)
    groups[0]["completions"][0]["score"] = -1.0
    scored.write_text("".join(json.dumps(row) + "\n" for row in groups))
    with pytest.raises(ConfigError, match="data="):
        train()
    OfflineGRPOTrainer(settings(tiny_folder, scored, tmp_path), progress=False).evaluate()  # which trains nothing


def test_yaml_with_the_keys_that_people_have(tmp_path: Path, tiny_folder: Path, scored: Path) -> None:
    path = tmp_path / "grpo_config.yaml"
    path.write_text(
        "model_path: gpt2\nlora_path: path/to/lora/checkpoint\ndataset_path: data/grpo_dataset.json\n"
        "output_dir: grpo_outputs/\nmax_seq_length: 512\nbatch_size: 8\nnum_epochs: 3\nlogging_dir: logs/\n"
        "learning_rate: 5e-6\n"
    )
    config = OfflineGRPOConfig.from_yaml(path, seed=7)
    assert (config.model_path, config.lora_path, config.max_seq_length) == ("gpt2", "path/to/lora/checkpoint", 512)
    assert (config.logging_steps, config.save_steps, config.save_total_limit) == (20, 500, 2)
    assert (config.learning_rate, config.seed) == (5e-6, 7)
    path.write_text("model_pth: gpt2\n")
    with pytest.raises(ConfigError, match="Did you mean 'model_path'"):
        OfflineGRPOConfig.from_yaml(path)
    path.write_text("dataset_path: x\n")
    with pytest.raises(ConfigError, match="needs model_path"):
        OfflineGRPOConfig.from_yaml(path)
    path.write_text("- a list")
    with pytest.raises(ConfigError, match="must hold names"):
        OfflineGRPOConfig.from_yaml(path)
    with pytest.raises(ConfigError, match="batch_size"):
        settings(tiny_folder, scored, tmp_path, batch_size=0)


def test_the_configuration_that_ships_learns_where_log_probabilities_are_far_apart() -> None:
    folder = Path(__file__).parents[2] / "configs"
    offline = OfflineGRPOConfig.from_yaml(folder / "offline_grpo.yaml").kl_direction
    online = LeanGRPOConfig.load(folder / "softmax_kl.yaml").algorithm_config["kl_direction"]

    dgpo = OfflineGRPOConfig.from_yaml(folder / "offline_dgpo.yaml")
    assert (dgpo.make_algorithm().config.dpo_coef, dgpo.learning_rate) == (1.0, 5e-6)

    def pull(direction: str) -> float:
        """The gradient on the best of three completions, which is 20 nats less likely than the others."""
        logprobs = torch.tensor([[-2.0], [-22.0], [-3.0]]).requires_grad_()
        algorithm = create_algorithm("softmax_kl", kl_direction=direction)
        loss, _ = algorithm.compute_loss(logprobs, None, None, torch.tensor([0.0, 1.0, 0.0]), torch.ones(3, 1))
        (gradient,) = torch.autograd.grad(loss, logprobs)
        return -float(gradient[1])

    # KL(q ‖ p): the gradient is p - q, and q of the best e / (e + 2) = 0.576
    assert pull(offline) == pull(online) == pytest.approx(0.576, abs=1e-3)
    assert pull("policy_to_target") < 1e-6


def test_what_does_not_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scored.jsonl"
    good = {"prompt": "p", "completions": [{"text": "a", "score": 1}, {"text": "b", "score": None}]}
    path.write_text(json.dumps(good) + "\n")
    with pytest.raises(TrainingError, match="no prompt with two"):
        read_groups(path)
    path.write_text(json.dumps(good) + '\n{"prompt": "p", "completions": ["a"]}\n')
    with pytest.raises(TrainingError, match="Line 2 of"):
        read_groups(path)
    path.write_text('{"prompt": "p", "completions": [{"text": "a", "score": NaN}, {"text": "b", "score": 1}]}')
    with pytest.raises(TrainingError, match="no finite number"):
        read_groups(path)
    with pytest.raises(TrainingError, match="could not be read"):
        read_groups(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"prompt": None, "completions": [{"text": "a", "score": 1}, {"text": "b", "score": 0}]}, "the prompt is null"),
        ({"prompt": "p", "completions": [{"text": "a", "score": 1}, {"text": None, "score": 0}]}, "completion is null"),
        ({"prompt": "p", "completions": [{"text": 7, "score": 1}, {"text": "b", "score": 0}]}, "completion is 7"),
        ({"prompt": None, "chosen": "a", "rejected": "b"}, "the prompt is null"),
        ({"prompt": "p", "chosen": None, "rejected": "b"}, "completion is null"),
        ({"prompt": "p", "chosen": "a", "rejected": None}, "completion is null"),
        ({"prompt": ["p"], "chosen": "a", "rejected": "b"}, r'the prompt is \["p"\]'),
    ],
)
def test_what_is_no_text_is_named_and_not_learnt(tmp_path: Path, row: dict[str, object], words: str) -> None:
    path = tmp_path / "scored.jsonl"
    path.write_text(json.dumps({"prompt": "p", "chosen": "a", "rejected": "b"}) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(
        TrainingError, match=rf"^Line 2 of .*scored\.jsonl does not read \(TypeError: .*{words} and no text"
    ):
        read_groups(path)


def test_objects_over_several_lines_and_arrays_are_read_like_lines(tmp_path: Path) -> None:
    rows = [
        {"prompt": f"p{n}\u2028", "completions": [{"text": "a", "score": 1}, {"text": "b", "score": n}]}
        for n in range(2)
    ]
    texts = {
        "lines": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows),
        "several lines": "\n".join(json.dumps(row, indent=2) for row in rows),
        "array": json.dumps(rows, indent=2),
    }
    path = tmp_path / "grpo_dataset.json"
    found = []
    for text in texts.values():
        path.write_text(text, encoding="utf-8")
        found.append(read_groups(path))
    assert found[0] == found[1] == found[2]
    assert [(group.prompt, group.scores) for group in found[0]] == [("p0\u2028", (1, 0)), ("p1\u2028", (1, 1))]
    path.write_text(json.dumps(rows[0], indent=2) + "\n\n{oops}\n")
    with pytest.raises(TrainingError, match=f"Line {len(json.dumps(rows[0], indent=2).splitlines()) + 2} of"):
        read_groups(path)


def test_batches_of_groups(tiny_folder: Path, scored: Path) -> None:
    model, tokenizer = load_causal_lm(tiny_folder, device="cpu")
    groups = read_groups(scored)
    small = type(groups[0])(groups[1].prompt, groups[1].texts[:2], groups[1].scores[:2])
    dataset = ScoredDataset([groups[0], small], tokenizer, max_length=64)
    batch = collate([dataset[0], dataset[1]], tokenizer.pad_token_id)
    b, k, t = batch["input_ids"].shape
    assert (b, k) == (2, 4)
    assert batch["scores"].isnan().tolist() == [[False] * 4, [False, False, True, True]]
    # The completion of each row, and nothing else, is what the mask covers.
    texts = [
        tokenizer.decode(batch["input_ids"][0, i][batch["completion_mask"][0, i].bool()], skip_special_tokens=True)
        for i in range(4)
    ]
    assert texts == list(TACTICS)
    assert batch["completion_mask"][1, 2:].sum() == 0
    # A row by itself has the same log-probability: padding has no say.
    with torch.no_grad():
        logprobs, mask = completion_logprobs(model, batch)
        alone, _ = completion_logprobs(model, collate([dataset[1]], tokenizer.pad_token_id))
    assert logprobs.shape == mask.shape == (b, k, t - 1)
    assert torch.allclose(logprobs[1, :2].sum(1), alone[0].sum(1), atol=1e-4)
    # What is too long loses the beginning of its prompt.
    short = ScoredDataset(groups, tokenizer, max_length=12)[0]
    whole = dataset[0]
    assert all(len(ids) <= 12 for ids in short["input_ids"])
    assert short["input_ids"][0] == whole["input_ids"][0][-12:]


def test_rank_correlation_by_hand() -> None:
    def of(first: list[float], second: list[float]) -> float:
        return rank_correlation(torch.tensor(first), torch.tensor(second))

    assert of([1, 2, 3], [10, 20, 900]) == pytest.approx(1.0)
    assert of([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    # Ranks 1 2 3 4 and 2 1 4 3: 1 - 6 · 4 / (4 · 15) = 0.6
    assert of([1, 2, 3, 4], [2, 1, 4, 3]) == pytest.approx(0.6)
    # Ranks centred: -1 0 1 and ½, ½, -1 (the first two share theirs): (-½ - 1) / √(2 · 1.5)
    assert of([1, 2, 3], [5, 5, 1]) == pytest.approx(-1.5 / 3**0.5)
    assert of([1, 1], [1, 2]) == 0.0


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """As `lean-agent export pairs` writes them: of each goal a better and a worse tactic, the last goal with two."""
    path = tmp_path / "pairs.jsonl"
    rows = [{"prompt": goal, "chosen": TACTICS[at], "rejected": TACTICS[at - 1]} for at, goal in enumerate(GOALS)]
    rows.append({"prompt": GOALS[2], "chosen": TACTICS[2], "rejected": TACTICS[3] + " at h"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_dgpo_learns_from_pairs_of_a_file(tiny_folder: Path, pairs: Path, tmp_path: Path) -> None:
    config = settings(
        tiny_folder, pairs, tmp_path, algorithm="dgpo", algorithm_config={"dpo_coef": 1.0}, batch_size=2, num_epochs=20
    )
    trainer = OfflineGRPOTrainer(config, progress=False)
    before = trainer.evaluate()
    trainer.train()
    assert trainer.evaluate().top1_agreement == 1.0 > before.top1_agreement
    first, *_, last = lines(tmp_path / "out" / "metrics.jsonl")[:-1]
    assert last["dpo_accuracy"] == 1.0
    assert last["dpo_loss"] < first["dpo_loss"] < 0.7


def test_dgpo_compares_with_the_model_that_the_training_starts_from(
    tiny_folder: Path, pairs: Path, tmp_path: Path
) -> None:
    """At its first step the policy is the reference: the preference loss is log 2 whatever the pairs, the ratio 1. And
    rows keep their places, however groups are put together."""
    config = settings(
        tiny_folder, pairs, tmp_path, algorithm="dgpo", batch_size=4, num_epochs=1, logging_steps=1, learning_rate=1e-9
    )
    OfflineGRPOTrainer(config, progress=False).train()
    (step, _) = lines(tmp_path / "out" / "metrics.jsonl")
    assert step["dpo_loss"] == pytest.approx(0.693147, abs=1e-4)
    assert step["ratio"] == pytest.approx(1.0, abs=1e-4)
    assert step["dropped_tokens"] == 0


def test_a_resumed_dgpo_has_the_same_reference(tiny_folder: Path, pairs: Path, tmp_path: Path) -> None:
    config = settings(tiny_folder, pairs, tmp_path, algorithm="dgpo", num_epochs=4, save_steps=2)
    OfflineGRPOTrainer(config, progress=False).train()
    weights = {name: value.clone() for name, value in load_causal_lm(tmp_path / "out")[0].state_dict().items()}
    newest = max(int(path.name.split("-")[1]) for path in (tmp_path / "out").glob("checkpoint-*"))
    shutil.rmtree(tmp_path / "out" / f"checkpoint-{newest}")
    OfflineGRPOTrainer(config, progress=False).train()
    for name, value in load_causal_lm(tmp_path / "out")[0].state_dict().items():
        assert torch.allclose(value, weights[name], atol=1e-6)


def test_algorithms_that_draw_completions_are_refused(tiny_folder: Path, pairs: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="softmax_kl or dgpo, not by 'grpo'"):
        settings(tiny_folder, pairs, tmp_path, algorithm="grpo")
    with pytest.raises(ConfigError, match="Did you mean 'dpo_beta'"):
        settings(tiny_folder, pairs, tmp_path, algorithm="dgpo", algorithm_config={"dpo_bta": 1.0})
    with pytest.raises(ConfigError, match="algorithm_config is for dgpo"):
        settings(tiny_folder, pairs, tmp_path, algorithm_config={"dpo_beta": 1.0})
