"""A full disk while a training saves: one sentence, the last good checkpoint stays, and training goes on from it."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import TrainerCallback

from lean_agent.errors import TrainingError
from lean_agent.lean.interface import MockLeanInterface
from lean_agent.policy.loading import load_causal_lm
from lean_agent.rewards import BaseRewardScorer
from lean_agent.rollout import Theorem
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer
from lean_agent.trainer.sft_trainer import SFTTrainer
from lean_agent.trajectory import ProofTrajectory

MEGABYTE = 1_000_000
DISK = "16m"
FILLER = "filler"
Hook = Callable[[int], None]
"""Told after each checkpoint, or step, how many there were."""


class Spelling(BaseRewardScorer):
    """Tells the attempts of an untrained model apart, which all fail: by their letters."""

    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, dict[str, float]]:
        text = "".join(step.completion.text for step in trajectory.steps if step.completion)
        return self.graded(trajectory, sum(map(ord, text)) % 7 / 7), {}


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of sixteen megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(disk: Path, leave: int) -> None:
    """Take all room but ``leave`` bytes."""
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    (disk / FILLER).write_bytes(b"\0" * max(0, free - leave))


class AfterSaves(TrainerCallback):
    """Calls a hook after each checkpoint with their number."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook
        self._saved = 0

    def on_save(self, *_: Any, **__: Any) -> None:
        self._saved += 1
        self._hook(self._saved)


class AfterSteps(TrainerCallback):
    """Calls a hook after each step with its number."""

    def __init__(self, hook: Hook) -> None:
        self._hook = hook

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._hook(state.global_step)


def hooked(kind: Any, callback: TrainerCallback) -> Any:
    """A trainer of transformers with one callback more."""

    class Hooked(kind):  # type: ignore[misc]
        def _fit(self, *given: Any, callbacks: Sequence[TrainerCallback] = (), **options: Any) -> Any:
            return super()._fit(*given, callbacks=[*callbacks, callback], **options)

    return Hooked


def tactic_trainer(kind: Any, model: Path, folder: Path, data: Any, hook: Hook) -> Path:
    common: dict[str, Any] = {"lr": 1e-3, "max_steps": 4, "checkpoint_every_s": 0.0, "progress": False}
    if kind is SFTTrainer:
        trainer: Any = hooked(SFTTrainer, AfterSaves(hook))(model, folder, batch_size=2, **common)
    else:

        def reward(completions: list[str], **_: Any) -> torch.Tensor:
            return torch.tensor([float(len(tactic) % 5) for tactic in completions])

        sampled: dict[str, Any] = {"batch_size": 8, "num_generations": 4, "max_completion_length": 8}
        trainer = hooked(GRPOTrainer, AfterSaves(hook))(model, reward, folder, **sampled, **common)
    trainer.train(list(data.steps)[:1], data, folder.parent.parent / "data")
    return folder


def attempts_trainer(model: Path, folder: Path, hook: Hook) -> Path:
    settings = LeanGRPOConfig(
        base_model=str(model), output_dir=folder, num_generations=4, theorems_per_step=2, max_proof_steps=3,
        max_tactic_tokens=8, learning_rate=1e-3, max_steps=4, checkpoint_every=1, progress=False,
    )  # fmt: skip
    trainer = LeanGRPOTrainer(settings, MockLeanInterface(), scorer=Spelling())
    trainer.setup()
    theorems = [Theorem("or", "theorem or (p q : Prop) (hp : p) : p ∨ q"), Theorem("id", "theorem id : p → p")]
    trainer.train(theorems, on_step=hook)
    return folder


def offline_trainer(model: Path, folder: Path, hook: Hook) -> Path:
    path = folder.parent.parent / "scored.jsonl"
    row = {"prompt": "⊢ True", "completions": [{"text": "rfl", "score": 0}, {"text": "trivial", "score": 1}]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    settings = OfflineGRPOConfig(
        model_path=str(model), dataset_path=str(path), output_dir=str(folder), num_epochs=4, save_steps=1
    )
    hooked(OfflineGRPOTrainer, AfterSteps(hook))(settings, progress=False).train()
    return folder


@pytest.fixture(params=["sft", "grpo", "attempts", "offline"])
def train(request: Any, tiny_folder: Path, database: Any) -> Callable[[Path, Hook], Path]:
    """Trains into a folder with one of the trainers; each saves after every step, of which there are at least four."""

    def run(folder: Path, hook: Hook = lambda count: None) -> Path:
        if request.param == "attempts":
            return attempts_trainer(tiny_folder, folder, hook)
        if request.param == "offline":
            return offline_trainer(tiny_folder, folder, hook)
        kind = SFTTrainer if request.param == "sft" else GRPOTrainer
        return tactic_trainer(kind, tiny_folder, folder, database, hook)

    return run


@pytest.mark.parametrize("leave", [0, MEGABYTE], ids=["no room for the weights", "no room for the optimizer"])
def test_a_full_disk_costs_what_was_not_saved(
    train: Callable[..., Path], disk: Path, tmp_path: Path, tiny_folder: Path, leave: int
) -> None:
    size = (tiny_folder / "model.safetensors").stat().st_size
    assert size < MEGABYTE < 3 * size, "the weights have room in a megabyte, the optimizer's state has not"
    (tmp_path / "straight").mkdir()
    straight = weights(train(tmp_path / "straight" / "out"))

    def after_two(count: int) -> None:
        if count == 2:
            fill(disk, leave)

    with pytest.raises(TrainingError) as refused:
        train(disk / "out", after_two)
    words = str(refused.value)
    assert "\n" not in words and "could not be written" in words and "make room" in words
    checkpoints = [path.parent for path in (disk / "out").rglob("trainer_state.json")]
    newest = max(checkpoints, key=lambda path: int(path.name.rpartition("-")[2]))
    assert all(tensor.isfinite().all() for tensor in load_file(newest / "model.safetensors").values())
    assert not [path for path in (disk / "out").rglob("checkpoint-*") if path not in checkpoints], "no halves are left"

    with pytest.raises(TrainingError, match="could not be written"):  # again, on a disk that is still full
        train(disk / "out")
    (disk / FILLER).unlink()
    resumed = weights(train(disk / "out"))
    assert all(torch.allclose(resumed[name], tensor, atol=1e-6) for name, tensor in straight.items())
    assert load_causal_lm(disk / "out")


def test_a_limit_on_files_is_as_good_as_a_full_disk(train: Callable[..., Path], tmp_path: Path) -> None:
    """Set what anybody can set, root or not: ``ulimit -f``."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limit(count: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))

    (tmp_path / "disk").mkdir()
    try:
        with pytest.raises(TrainingError, match="could not be written"):
            train(tmp_path / "disk" / "out", limit)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert load_causal_lm(train(tmp_path / "disk" / "out"))
