"""Supervised fine-tuning: the model learns the tactic that stands in the traced proof."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack, cast

import transformers
from datasets import Dataset
from peft import LoraConfig, PeftModel
from torch.utils.data import Sampler
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer as TRLTrainer

from lean_agent.errors import ConfigError
from lean_agent.trainer.base import MachineSettings, RepositoryTrainer, TrainingSettings
from lean_agent.trainer.dataset import SFTDataset, TacticDataset
from lean_agent.trainer.run_folder import Repository
from lean_agent.trainer.sampler import LengthGroupedSampler


class SFTTrainer(RepositoryTrainer):
    """Trains on (goal, tactic) pairs; the loss is on the tactic and its end alone.

    Args:
        model_name: a folder (a LoRA adapter too: its training goes on) or a name on the HuggingFace hub.
        output_dir: checkpoints, metrics, and the newest model; see :mod:`lean_agent.trainer.run_folder`.
        epochs_per_repo: epochs over the merged data after each new repository.
        batch_size: rows in an optimizer step on each device.
        lr: peak learning rate.
        lora_config: trains an adapter instead of all weights.
        max_steps: when positive, so many optimizer steps for each repository instead of epochs.
        max_length: tokens of prompt and tactic together; what is longer loses its end.
        warmup: part of the steps in which the learning rate rises; then it falls linearly to 0.
        seed: of the order of the rows.
        checkpoint_every_s: seconds between checkpoints within a repository.
        progress: show a progress bar.
        machine: see :class:`~lean_agent.trainer.base.RepositoryTrainer`.

    Raises:
        ConfigError, ModelNotFound: see :class:`~lean_agent.trainer.base.RepositoryTrainer`.
    """

    kind = "SFT"
    shown_metrics = ("loss", "mean_token_accuracy")

    def __init__(
        self,
        model_name: str | Path,
        output_dir: str | Path = "outputs",
        *,
        epochs_per_repo: int = 1,
        batch_size: int = 1,
        lr: float = 2e-5,
        lora_config: LoraConfig | None = None,
        max_steps: int = -1,
        max_length: int = 1024,
        warmup: float = 0.05,
        seed: int = 0,
        checkpoint_every_s: float = 300.0,
        progress: bool = True,
        **machine: Unpack[MachineSettings],
    ) -> None:
        if max_length < 2:
            raise ConfigError(f"max_length must leave room for a prompt and a tactic; it is {max_length}.")
        self._max_length = max_length
        settings = TrainingSettings(
            model_name=str(model_name),
            output_dir=Path(output_dir),
            epochs_per_repo=epochs_per_repo,
            batch_size=batch_size,
            lr=lr,
            lora_config=lora_config,
            max_steps=max_steps,
            warmup=warmup,
            seed=seed,
            checkpoint_every_s=checkpoint_every_s,
            progress=progress,
            **machine,
        )
        super().__init__(settings, {"max_length": max_length})

    def _read(self, data_path: Path, repository: Repository) -> TacticDataset:
        return SFTDataset(data_path)

    def _build(
        self,
        model: PreTrainedModel | PeftModel,
        tokenizer: PreTrainedTokenizerBase,
        dataset: TacticDataset,
        arguments: dict[str, Any],
    ) -> transformers.Trainer:
        config = SFTConfig(**arguments, completion_only_loss=True, max_length=self._max_length)
        return _LengthGroupedTrainer(
            model=model, args=config, train_dataset=dataset.to_hf(), processing_class=tokenizer
        )


class _LengthGroupedTrainer(TRLTrainer):
    """trl's trainer with this package's order of rows."""

    def _get_train_sampler(self, train_dataset: Dataset | None = None) -> Sampler[int]:
        rows = cast("Dataset", self.train_dataset if train_dataset is None else train_dataset)
        lengths = [len(ids) for ids in rows["input_ids"]]
        return LengthGroupedSampler(lengths, self.args.train_batch_size, self.args.seed)
