"""Every setting of every trainer is accounted for: it changes the weights that come out, or it is listed with what it
is for and where that is tested."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig
from safetensors.torch import load_file

from lean_agent.lean.interface import MockLeanInterface
from lean_agent.policy.base import ADAPTER_CONFIG
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.rewards import BaseRewardScorer
from lean_agent.rollout import Theorem
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.dpo_trainer import DPOConfig, DPOTrainer
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.offline import OfflineSettings
from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer
from lean_agent.trainer.settings import GRPOSettings, SFTSettings, TrainerSettings
from lean_agent.trainer.sft_trainer import SFTTrainer
from lean_agent.trajectory import ProofTrajectory

FOR_ALL = {
    **dict.fromkeys(("model_name", "base_model", "model_path"), "the model"),
    **dict.fromkeys(("output_dir", "logging_dir", "report_to", "progress"), "what is written where: test_tracking.py"),
    **dict.fromkeys(("quantization", "use_unsloth"), "needs a GPU, and is refused without: test_loading.py"),
    "gradient_checkpointing": "memory, no other result: test_lean_grpo.py",
    **dict.fromkeys(("checkpoint_every_s", "checkpoint_every", "save_steps"), "test_killed_training.py"),
    **dict.fromkeys(("save_total_limit", "logging_steps"), "files: test_offline_grpo.py"),
    **dict.fromkeys(("algorithm", "algorithm_config", "algorithm_preset"), "test_differences.py"),
}
"""Settings of several trainers that do not decide which weights come out, or that other tests change."""


def weights(folder: Path) -> torch.Tensor:
    name = "adapter_model" if (folder / ADAPTER_CONFIG).is_file() else "model"
    return torch.cat([tensor.flatten() for _, tensor in sorted(load_file(folder / f"{name}.safetensors").items())])


def idle(train: Callable[[Path, Mapping[str, Any]], None], changes: Mapping[str, Any], folder: Path) -> set[str]:
    """Train with each of some changes; return the settings that make no difference.

    Args:
        changes: setting -> its other value, or (settings of both runs, its other value).
    """
    ends: dict[str, torch.Tensor] = {}

    def end(settings: Mapping[str, Any]) -> torch.Tensor:
        key = json.dumps(settings, default=repr, sort_keys=True)
        if key not in ends:
            train(folder / str(len(ends)), settings)
            ends[key] = weights(folder / str(len(ends)))
        return ends[key]

    unchanged = set()
    for name, change in changes.items():
        both, value = change if isinstance(change, tuple) else ({}, change)
        first, second = end(both), end({**both, name: value})
        if first.shape == second.shape and torch.equal(first, second):
            unchanged.add(name)
    return unchanged


def names_of(settings: type[TrainerSettings]) -> set[str]:
    """Name the settings of a trainer as its documentation does."""
    return {settings.name_of(field.name) for field in fields(settings)}


ADAPTER: dict[str, Any] = {
    "lora_rank": 4,
    "lora_alpha": ({"lora_rank": 4}, 2),
    "lora_config": LoraConfig(r=4, target_modules=["q_proj"]),
}


class Letters(BaseRewardScorer):
    """Tells the attempts of an untrained model apart."""

    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, dict[str, float]]:
        text = "".join(step.completion.text for step in trajectory.steps if step.completion)
        return sum(map(ord, text)) % 7 / 7, {}


THEOREMS = [
    Theorem("and", "theorem and (p q : Prop) (hp : p) (hq : q) : p ∧ q"),
    Theorem("or", "theorem or (p q : Prop) (hp : p) : p ∨ q"),
    Theorem("id", "theorem id (p : Prop) (hp : p) : p"),
]


@pytest.mark.slow
def test_attempts(tiny_folder: Path, tmp_path: Path) -> None:
    base: dict[str, Any] = {
        "base_model": str(tiny_folder), "num_generations": 4, "theorems_per_step": 2, "max_proof_steps": 3,
        "max_tactic_tokens": 8, "learning_rate": 1e-3, "max_steps": 3, "progress": False,
    }  # fmt: skip

    def train(folder: Path, settings: Mapping[str, Any]) -> None:
        config = LeanGRPOConfig(**{**base, "output_dir": folder, **settings})
        by_name = {"reward_type", "reward_weights"} & settings.keys()
        policy = MockInferenceClient(default=("exact hp", "left", "nonsense", "constructor")) if by_name else None
        scorer = None if by_name else Letters()
        trainer = LeanGRPOTrainer(config, MockLeanInterface(), policy, scorer=scorer)
        trainer.setup()
        trainer.train(THEOREMS)

    composite = {"reward_type": "composite", "reward_weights": {"verified": 1.0, "format": 1.0}}
    changes = {
        "reward_type": ({"reward_type": "verified"}, "format"),
        "reward_weights": (composite, {"verified": 1.0, "format": 9.0}),
        "num_generations": 6,
        "max_proof_steps": ({"max_failures": 3}, 1),
        "max_failures": 2,
        "max_tactic_tokens": 4,
        "temperature": 0.7,
        "top_p": 0.5,
        "theorems_per_step": 1,
        "num_train_epochs": ({"max_steps": -1}, 1),
        "max_steps": 2,
        "max_lean_calls": 2,
        "updates_per_batch": 2,
        "learning_rate": 2e-3,
        "warmup_ratio": 0.9,
        "max_grad_norm": 1e-3,
        **ADAPTER,
        "seed": 1,
    }
    elsewhere = {
        "importance_cap": "of what a server has sampled: test_lean_grpo.py",
        "tokens_per_pass": "memory, no other result: test_lean_grpo.py",
        "max_rows": "memory, no other result: tests/policy/test_hf.py",
        "sync_every": "of a server that samples: test_lean_grpo.py",
        **dict.fromkeys(("tactic_timeout_s", "verify_timeout_s"), "seconds in Lean: tests/rollout/test_generator.py"),
    }
    assert names_of(LeanGRPOConfig) - FOR_ALL.keys() == changes.keys() | elsewhere.keys()
    assert idle(train, changes, tmp_path) == set()


@pytest.mark.slow
def test_single_tactics(tiny_folder: Path, tmp_path: Path, database: Any, logic: Any, arithmetic: Any) -> None:
    base: dict[str, Any] = {
        "batch_size": 8, "num_generations": 4, "max_steps": 3, "max_completion_length": 8, "lr": 1e-3,
        "progress": False,
    }  # fmt: skip

    def reward(completions: list[str], **_: Any) -> torch.Tensor:
        return torch.tensor([float(sum(map(ord, text)) % 7) for text in completions])

    def train(folder: Path, settings: Mapping[str, Any]) -> None:
        trainer = GRPOTrainer(tiny_folder, reward, folder, **{**base, **settings})
        trainer.train([logic, arithmetic], database, folder / "data")

    changes = {
        "epochs_per_repo": ({"max_steps": -1}, 2),
        "batch_size": 16,
        "lr": 2e-3,
        **ADAPTER,
        "num_generations": 8,
        "num_iterations": 2,
        "max_steps": 2,
        "max_completions": 8,
        "max_completion_length": 4,
        "temperature": 0.7,
        "warmup": 0.9,
        "curriculum": "easy_first",
        "replay": 0.0,
        "draw_ahead": True,
        "importance_cap": ({"draw_ahead": True}, 0.5),
        "seed": 1,
    }
    elsewhere = {
        **dict.fromkeys(
            ("premises", "retriever", "neighbours_in_prompt"), "of a corpus: tests/trainer/test_dataset.py"
        ),
        "known_proofs": "of the verified reward: tests/rewards/test_tactic.py",
    }
    assert names_of(GRPOSettings) - FOR_ALL.keys() == changes.keys() | elsewhere.keys()
    assert idle(train, changes, tmp_path) == set()


@pytest.mark.slow
def test_supervised(tiny_folder: Path, tmp_path: Path, database: Any, logic: Any, arithmetic: Any) -> None:
    base: dict[str, Any] = {"batch_size": 2, "lr": 1e-3, "max_steps": 3, "progress": False}

    def train(folder: Path, settings: Mapping[str, Any]) -> None:
        trainer = SFTTrainer(tiny_folder, folder, **{**base, **settings})
        trainer.train([logic, arithmetic], database, folder / "data")

    changes = {
        "epochs_per_repo": ({"max_steps": -1}, 2),
        "batch_size": 1,
        "lr": 2e-3,
        **ADAPTER,
        "max_steps": 2,
        "max_length": 24,
        "packing": True,
        "augment": 1,
        "warmup": 0.9,
        "seed": 1,
    }
    elsewhere = {
        "evaluations": "of theorems that are held out: test_sft_held_out.py",
        **dict.fromkeys(
            ("premises", "retriever", "neighbours_in_prompt"), "of a corpus: tests/trainer/test_dataset.py"
        ),
    }
    assert names_of(SFTSettings) - FOR_ALL.keys() == changes.keys() | elsewhere.keys()
    assert idle(train, changes, tmp_path) == set()


@pytest.mark.slow
def test_offline(tiny_folder: Path, tmp_path: Path) -> None:
    rows = [
        {"prompt": goal, "completions": [{"text": "rfl", "score": 0.5}, {"text": "intro h\nexact h", "score": best}]}
        for goal, best in (("⊢ p", 3.0), ("n : Nat\n⊢ n + 0 = n", 0.0), ("⊢ q ∧ p", 1.0))
    ]
    (tmp_path / "scored.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    base: dict[str, Any] = {
        "model_path": str(tiny_folder), "dataset_path": str(tmp_path / "scored.jsonl"), "batch_size": 2,
        "num_epochs": 2, "learning_rate": 1e-3,
    }  # fmt: skip

    def train(folder: Path, settings: Mapping[str, Any]) -> None:
        config = OfflineGRPOConfig(**{**base, "output_dir": str(folder), **settings})
        OfflineGRPOTrainer(config, progress=False).train()

    changes = {
        "max_seq_length": 12,
        "batch_size": 1,
        "num_epochs": 3,
        "learning_rate": 2e-3,
        "warmup": 0.9,
        "max_steps": 2,
        **ADAPTER,
        "temperature": 0.5,
        "length_normalize": True,
        "kl_direction": "policy_to_target",
        "negative_weight": 0.5,
        "eval_share": 0.5,
        "augment": 1,
        "seed": 1,
    }
    elsewhere = {
        "dataset_path": "the data",
        "eval_path": "what is measured, not what is learnt: test_offline_grpo.py",
        "lora_path": "an adapter to go on with: test_offline_grpo.py",
    }
    assert names_of(OfflineGRPOConfig) - FOR_ALL.keys() == changes.keys() | elsewhere.keys()
    assert idle(train, changes, tmp_path) == set()


@pytest.mark.slow
def test_preferences(tiny_folder: Path, tmp_path: Path) -> None:
    rows = [
        {"prompt": goal, "chosen": better, "rejected": "intro h\nexact h"}
        for goal, better in (("⊢ p", "rfl"), ("n : Nat\n⊢ n + 0 = n", "simp"), ("⊢ q ∧ p", "constructor"))
    ]
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    base: dict[str, Any] = {
        "model_path": str(tiny_folder), "dataset_path": str(tmp_path / "pairs.jsonl"), "batch_size": 2,
        "max_steps": 2, "learning_rate": 1e-3,
    }  # fmt: skip

    def train(folder: Path, settings: Mapping[str, Any]) -> None:
        DPOTrainer(DPOConfig(**{**base, "output_dir": str(folder), **settings}), progress=False).train()

    changes = {
        "beta": 1.0,
        "loss_type": "hinge",
        "loss_weights": [0.5],
        "label_smoothing": ({"loss_type": "robust"}, 0.2),
    }
    assert names_of(DPOConfig) - names_of(OfflineSettings) == changes.keys()
    assert idle(train, changes, tmp_path) == set()


@pytest.mark.parametrize("setting", FOR_ALL)
def test_what_is_listed_is_a_setting(setting: str) -> None:
    taken = set().union(*map(names_of, (LeanGRPOConfig, OfflineGRPOConfig, GRPOSettings, SFTSettings)))
    assert setting in taken
