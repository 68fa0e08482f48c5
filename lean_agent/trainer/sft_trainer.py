"""Supervised fine-tuning: the model learns the tactic that stands in the traced proof."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
import transformers
from datasets import Dataset
from peft import PeftModel
from torch.utils.data import Sampler
from trl.trainer.sft_config import SFTConfig
from trl.trainer.sft_trainer import SFTTrainer as TRLTrainer
from typing_extensions import override

from lean_agent.database.records import RepositoryKey
from lean_agent.errors import TrainingError
from lean_agent.policy.decoding.matrices import HalfLinear, fastest_layer, multiplies_half, set_layers
from lean_agent.prompts import TEMPLATE_SETTINGS
from lean_agent.trainer.base import takes_settings, with_folder
from lean_agent.trainer.data.dataset import HELD_OUT_FILE, SFTDataset, TacticDataset
from lean_agent.trainer.repositories import RepositoryTrainer
from lean_agent.trainer.run.callbacks import Evaluations, keeping_the_best
from lean_agent.trainer.settings import SFTSettings

logger = logging.getLogger(__name__)

IGNORED = -100
"""The label of a token that no loss is on, in transformers."""
HALF_PADDING = 8
"""Rows are padded to a multiple of so many tokens where bfloat16 is multiplied on a CPU: oneDNN compiles a product for
each number of rows that it has not seen, and of 16 rows of any length there are too many."""
BATCHES_IN_A_POOL = 50
"""Rows are sorted within random pools of so many batches: large enough for little padding, small enough to mix."""


class LengthGroupedSampler(Sampler[int]):
    """Row numbers, batch after batch: batches of rows of like length, in random order.

    Goals differ much in length, and a batch is padded to its longest row: on traced repositories this halves the work
    of an epoch. The order depends on the seed and the epoch alone, so a resumed training sees the rows that are left.

    Args:
        lengths: tokens of each row.
        batch_size: rows in a batch.
        seed: decides the order, together with the epoch.
    """

    def __init__(self, lengths: Sequence[int], batch_size: int, seed: int) -> None:
        self._lengths = list(lengths)
        self._batch_size = batch_size
        self._seed = seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Note the epoch; the trainer does so before each."""
        self._epoch = epoch

    def __len__(self) -> int:
        return len(self._lengths)

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + self._epoch)
        rows = torch.randperm(len(self._lengths), generator=generator).tolist()
        size = self._batch_size
        pools = [rows[i : i + size * BATCHES_IN_A_POOL] for i in range(0, len(rows), size * BATCHES_IN_A_POOL)]
        ordered = [row for pool in pools for row in sorted(pool, key=lambda row: self._lengths[row])]
        batches = [ordered[i : i + size] for i in range(0, len(ordered), size)]
        whole = len(rows) // size
        # An incomplete batch stays at the end: anywhere else it would shift the rows of all batches after it.
        for batch in [*torch.randperm(whole, generator=generator).tolist(), *range(whole, len(batches))]:
            yield from batches[batch]


class LengthGroupedTrainer(TRLTrainer):
    """trl's trainer with this package's order of rows, and on a CPU with probabilities of tactics' tokens alone."""

    def compute_loss(self, model: Any, inputs: dict[str, Any], *args: Any, **options: Any) -> Any:
        """Return trl's loss.

        Off a GPU trl takes log-probabilities of all tokens, the goals' too, and leaves these out later. Most tokens
        are a goal's, so here only the states before a tactic's tokens reach the head.
        """
        labels = inputs["labels"]
        if labels.device.type != "cpu":
            return super().compute_loss(model, inputs, *args, **options)  # type: ignore[no-untyped-call]
        inputs = {key: value for key, value in inputs.items() if key != "labels"}
        scored = labels[:, 1:] != IGNORED
        inputs["shift_labels"] = labels[:, 1:][scored][None]

        def only_scored(_: torch.nn.Module, __: Any, output: Any) -> Any:
            output.last_hidden_state = output.last_hidden_state[:, :-1][scored][None]
            return output

        inner: Any = self.accelerator.unwrap_model(model)
        inner = inner.get_base_model() if isinstance(inner, PeftModel) else inner
        hook = inner.base_model.register_forward_hook(only_scored)
        try:
            return super().compute_loss(model, inputs, *args, **options)  # type: ignore[no-untyped-call]
        finally:
            hook.remove()

    def _get_train_sampler(self, train_dataset: Dataset | None = None) -> Sampler[int]:
        rows = cast("Dataset", self.train_dataset if train_dataset is None else train_dataset)
        lengths = [len(ids) for ids in rows["input_ids"]]
        return LengthGroupedSampler(lengths, self.args.train_batch_size, self.args.seed)


class SFTTrainer(RepositoryTrainer[SFTSettings]):
    """Trains on (goal, tactic) pairs; the loss is on the tactic and its end alone.

    Args:
        model_name: the model; or all settings, or a YAML file of them.
        output_dir: checkpoints, metrics, and the newest model.
        settings: those of :class:`~lean_agent.trainer.settings.SFTSettings`, by name.
    """

    kind = "SFT"
    shown_metrics = ("loss", "mean_token_accuracy")
    step_trainer: ClassVar[type[TRLTrainer]] = LengthGroupedTrainer
    """The trl trainer that takes the steps where rows are not packed."""

    @takes_settings
    def __init__(
        self, model_name: str | Path | SFTSettings, output_dir: str | Path | None = None, **settings: Any
    ) -> None:
        self._held_out: SFTDataset | None = None
        super().__init__(SFTSettings.of(model_name, **with_folder(output_dir, settings)))
        self._check_help()

    def _read(self, data_path: Path, repository: RepositoryKey) -> TacticDataset:
        self._held_out = None
        held_out = data_path / HELD_OUT_FILE
        shown = self.settings.help_in_prompt
        if self.settings.evaluations and held_out.is_file() and json.loads(held_out.read_text(encoding="utf-8")):
            self._held_out = SFTDataset(data_path, file=HELD_OUT_FILE, shown=shown)
        return SFTDataset(data_path, augment=self.settings.augment, seed=self.settings.seed, shown=shown)

    def _build(self, dataset: TacticDataset, arguments: dict[str, Any]) -> transformers.Trainer:
        settings = self.settings
        work = Path(arguments["output_dir"])
        held_out = self._fitting(self._held_out.to_hf(work)) if self._held_out else None
        if held_out:
            arguments |= keeping_the_best(settings.batch_size)
        lengths: dict[str, Any] = {"max_length": settings.max_length, "packing": settings.packing}
        if not torch.cuda.is_available() and multiplies_half():
            set_layers(self.model, HalfLinear)
            lengths["pad_to_multiple_of"] = HALF_PADDING
        config = SFTConfig(**arguments, **lengths, eval_packing=False, completion_only_loss=True)
        trainer_class = TRLTrainer if settings.packing else self.step_trainer
        if settings.packing:  # long rows, for which cuDNN's attention is worth its plans
            torch.backends.cuda.enable_cudnn_sdp(True)
        trainer: transformers.Trainer = trainer_class(
            model=self.model,
            args=config,
            train_dataset=self._fitting(dataset.to_hf(work)),
            eval_dataset=held_out,
            processing_class=self.tokenizer,
        )
        if held_out:
            trainer.add_callback(Evaluations(settings.evaluations))
        return trainer

    @override
    def _fit(self, *arguments: Any, **options: Any) -> transformers.Trainer:
        trainer = super()._fit(*arguments, **options)
        set_layers(self.model, fastest_layer())  # whoever goes on with the model computes as with any other
        return trainer

    def _fitting(self, rows: Dataset) -> Dataset:
        """Return the rows that fit into ``max_length`` tokens; refuse data in which none does."""
        longest, tokenizer = self.settings.max_length, self.tokenizer

        def fits(row: dict[str, Any]) -> bool:
            messages = [*row["prompt"], *row["completion"]]
            # A token is at least a byte, and no template adds so much as a quarter.
            if sum(len(message["content"].encode()) for message in messages) * 5 < longest * 4:
                return True
            text = str(tokenizer.apply_chat_template(messages, tokenize=False, **TEMPLATE_SETTINGS))
            return len(tokenizer(text, add_special_tokens=False)["input_ids"]) <= longest

        kept = rows.filter(fits)
        if len(kept) < len(rows):
            logger.info("%d of %d steps are longer than %d tokens.", len(rows) - len(kept), len(rows), longest)
        if not kept:
            raise TrainingError(f"No step fits into max_length = {longest} tokens: give a larger one.")
        return kept
