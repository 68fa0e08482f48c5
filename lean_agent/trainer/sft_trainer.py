"""Supervised fine-tuning: the model learns the tactic that stands in the traced proof."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any, Unpack, cast

import transformers
from datasets import Dataset
from peft import LoraConfig, PeftModel
from torch.utils.data import Sampler
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer as TRLTrainer

from lean_agent.errors import ConfigError, TrainingError
from lean_agent.prompts import TEMPLATE_SETTINGS
from lean_agent.settings import checked
from lean_agent.trainer.base import MachineSettings, RepositoryTrainer, TrainingSettings
from lean_agent.trainer.data.dataset import HELD_OUT_FILE, SFTDataset, TacticDataset
from lean_agent.trainer.data.sampler import LengthGroupedSampler
from lean_agent.trainer.run.callbacks import Evaluations
from lean_agent.trainer.run.run_folder import Repository

logger = logging.getLogger(__name__)

NEVER = 10**9


class SFTTrainer(RepositoryTrainer):
    """Trains on (goal, tactic) pairs; the loss is on the tactic and its end alone.

    Args:
        model_name: a folder (a LoRA adapter too: its training goes on) or a name on the HuggingFace hub.
        output_dir: checkpoints, metrics, and the newest model; see :mod:`lean_agent.trainer.run.run_folder`.
        epochs_per_repo: epochs over the merged data after each new repository.
        batch_size: rows in an optimizer step on each device.
        lr: peak learning rate.
        lora_config: trains an adapter instead of all weights.
        max_steps: when positive, so many optimizer steps for each repository instead of epochs.
        max_length: tokens of prompt and tactic together; steps that are longer are left out, since half a tactic is
            none.
        packing: put several steps into one row of ``max_length`` tokens, where they do not see one another. Worth it
            for large batches on a GPU; rows of like length stand together without it.
        evaluations: how often the loss on held-out theorems (``random/val.json``) is taken within a repository; the
            weights of the lowest are kept. 0 keeps the last.
        premises: how many premises are shown with each goal (:mod:`lean_agent.policy.retrieval`).
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

    @checked
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
        packing: bool = False,
        evaluations: int = 4,
        premises: int = 0,
        warmup: float = 0.05,
        seed: int = 0,
        checkpoint_every_s: float = 300.0,
        progress: bool = True,
        **machine: Unpack[MachineSettings],
    ) -> None:
        if max_length < 2:
            raise ConfigError(f"max_length must leave room for a prompt and a tactic; it is {max_length}.")
        if evaluations < 0 or premises < 0:
            raise ConfigError(f"evaluations and premises must be at least 0; they are {evaluations} and {premises}.")
        self._max_length = max_length
        self._packing = packing
        self._evaluations = evaluations
        self._premises = premises
        self._held_out: SFTDataset | None = None
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
        recorded = {"max_length": max_length, "packing": packing, "evaluations": evaluations}
        super().__init__(settings, {**recorded, **({"premises": premises} if premises else {})})

    def _read(self, data_path: Path, repository: Repository) -> TacticDataset:
        self._held_out = None
        held_out = data_path / HELD_OUT_FILE
        if self._evaluations and held_out.is_file() and json.loads(held_out.read_text(encoding="utf-8")):
            self._held_out = SFTDataset(data_path, file=HELD_OUT_FILE, premises=self._premises)
        return SFTDataset(data_path, premises=self._premises)

    def _build(
        self,
        model: PreTrainedModel | PeftModel,
        tokenizer: PreTrainedTokenizerBase,
        dataset: TacticDataset,
        arguments: dict[str, Any],
    ) -> transformers.Trainer:
        held_out = self._fitting(self._held_out.to_hf(), tokenizer) if self._held_out else None
        if held_out:
            # Transformers wants a schedule before it goes back to the best; Evaluations gives the true one.
            never = {"eval_steps": NEVER, "save_steps": NEVER}
            arguments |= {"eval_strategy": "steps", "save_strategy": "steps", "load_best_model_at_end": True, **never}
            arguments |= {"metric_for_best_model": "eval_loss", "save_total_limit": 2}
            arguments |= {"per_device_eval_batch_size": self.settings.batch_size}
        config = SFTConfig(
            **arguments,
            completion_only_loss=True,
            max_length=self._max_length,
            packing=self._packing,
            eval_packing=False,
        )
        trainer_class = TRLTrainer if self._packing else _LengthGroupedTrainer
        trainer: transformers.Trainer = trainer_class(
            model=model,
            args=config,
            train_dataset=self._fitting(dataset.to_hf(), tokenizer),
            eval_dataset=held_out,
            processing_class=tokenizer,
        )
        if held_out:
            trainer.add_callback(Evaluations(self._evaluations))
        return trainer

    def _fitting(self, rows: Dataset, tokenizer: PreTrainedTokenizerBase) -> Dataset:
        """The rows that fit into ``max_length`` tokens.

        Raises:
            TrainingError: none does.
        """

        def fits(row: dict[str, Any]) -> bool:
            messages = [*row["prompt"], *row["completion"]]
            # A token is at least a byte, and no template adds so much as a quarter.
            if sum(len(message["content"].encode()) for message in messages) * 5 < self._max_length * 4:
                return True
            text = str(tokenizer.apply_chat_template(messages, tokenize=False, **TEMPLATE_SETTINGS))
            return len(tokenizer(text, add_special_tokens=False)["input_ids"]) <= self._max_length

        kept = rows.filter(fits)
        if len(kept) < len(rows):
            logger.info("%d of %d steps are longer than %d tokens.", len(rows) - len(kept), len(rows), self._max_length)
        if not kept:
            raise TrainingError(f"No step fits into max_length = {self._max_length} tokens: give a larger one.")
        return kept


class _LengthGroupedTrainer(TRLTrainer):
    """trl's trainer with this package's order of rows."""

    def _get_train_sampler(self, train_dataset: Dataset | None = None) -> Sampler[int]:
        rows = cast("Dataset", self.train_dataset if train_dataset is None else train_dataset)
        lengths = [len(ids) for ids in rows["input_ids"]]
        return LengthGroupedSampler(lengths, self.args.train_batch_size, self.args.seed)
