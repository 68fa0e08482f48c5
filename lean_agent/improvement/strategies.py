"""How a round trains: functions of a :class:`TrainingTask` that return the new checkpoint.

Each trains from ``task.start`` in ``task.folder``, and called again after a kill goes on where it was. A strategy of
one's own is a function of the same kind, named by its place, ``module:name``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lean_agent.database import StoredTheorem
from lean_agent.files import write_atomically
from lean_agent.improvement.config import ImproveConfig
from lean_agent.lean.server import LeanServer
from lean_agent.rollout.theorems import ProofTask

if TYPE_CHECKING:
    from lean_agent.improvement.practice_data import PracticeData
    from lean_agent.trainer.offline import OfflineTrainer
    from lean_agent.trainer.settings import TrainerSettings


@dataclass(frozen=True, slots=True)
class TrainingTask:
    """What a strategy is given.

    Attributes:
        start: the checkpoint to train from, a folder or a model's name.
        folder: for all that the training writes.
        data: traced proofs and what practice has taught.
        theorems: those that may be practised.
        server: runs tactics and judges proofs, for strategies that attempt theorems.
        progress: whether to show bars.
    """

    start: str
    folder: Path
    data: PracticeData
    theorems: Sequence[StoredTheorem]
    server: LeanServer
    config: ImproveConfig
    progress: bool = True


Strategy = Callable[[TrainingTask], str]
"""Trains, and returns what to load to use the new model."""
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "supervised": {"batch_size": 16},
    "preference": {"epochs": 1, "algorithm": "dgpo"},
    "dpo": {"epochs": 1},
    "attempts": {"epochs": 1},
}
"""Settings of a strategy's trainer where the run's own do not say otherwise."""


def check_settings(config: ImproveConfig) -> None:
    """Refuse settings that the trainer of a strategy does not have, or that cannot work, before anything is searched.

    Raises:
        ConfigError: says which.
    """
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
    from lean_agent.trainer.dpo_trainer import DPOConfig
    from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig
    from lean_agent.trainer.settings import SFTSettings

    pairs = {"dataset_path": "pairs.jsonl"}
    classes: dict[str, tuple[type[TrainerSettings], dict[str, Any]]] = {
        "supervised": (SFTSettings, {}),
        "preference": (OfflineGRPOConfig, pairs),
        "dpo": (DPOConfig, pairs),
        "attempts": (LeanGRPOConfig, {}),
    }
    for name in config.strategies:
        if name in classes:
            settings_class, needed = classes[name]
            settings_class(model_name="start", **config.settings_of(name, **DEFAULTS[name], **needed))


def supervised(task: TrainingTask) -> str:
    """Learn the steps of all proofs, traced and found, each alike."""
    from lean_agent.trainer.sft_trainer import SFTTrainer

    settings = task.config.settings_of("supervised", **DEFAULTS["supervised"], progress=task.progress)
    trainer = SFTTrainer(task.start, task.folder, **settings)
    trainer.train([task.data.key], task.data, task.folder / "data")
    return trainer.model_path


def preference(task: TrainingTask) -> str:
    """Learn to prefer, at each goal of a search, steps of proofs to what failed or led astray (DGPO)."""
    from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOTrainer

    return _from_pairs(task, OfflineGRPOTrainer, "preference")


def dpo(task: TrainingTask) -> str:
    """Learn to prefer, at each goal of a search, steps of proofs to what failed or led astray (trl's DPO)."""
    from lean_agent.trainer.dpo_trainer import DPOTrainer

    return _from_pairs(task, DPOTrainer, "dpo")


def _from_pairs(task: TrainingTask, trainer_class: Callable[..., OfflineTrainer[Any]], name: str) -> str:
    """Train on the pairs; without any there is nothing to learn."""
    pairs = task.data.lessons.pairs
    if not pairs:
        return task.start
    lines = "".join(json.dumps(dict(pair), ensure_ascii=False) + "\n" for pair in pairs)
    path = write_atomically(task.folder / "pairs.jsonl", lines.encode())
    settings = task.config.settings_of(name, **DEFAULTS[name], progress=task.progress)
    trainer = trainer_class(task.start, dataset_path=str(path), output_dir=task.folder / "model", **settings)
    trainer.train()
    return trainer.model_path


def attempts(task: TrainingTask) -> str:
    """Learn by reinforcement from whole attempts at the theorems of practice, each judged."""
    from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer

    longest = task.config.max_tactic_tokens
    settings = task.config.settings_of(
        "attempts", **DEFAULTS["attempts"], max_tactic_tokens=longest, progress=task.progress
    )
    trainer = LeanGRPOTrainer(task.start, task.server, output_dir=task.folder, **settings)
    trainer.setup()
    places = ((theorem, theorem.theorem.start_pos.column) for theorem in task.theorems)
    trainer.train([ProofTask(theorem.full_name, theorem.site, column=column) for theorem, column in places])
    return trainer.model_path
