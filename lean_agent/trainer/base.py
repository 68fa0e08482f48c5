"""What every trainer does: repository by repository on the merged data, a checkpoint after each, resumable.

A trainer of one kind (:class:`~lean_agent.trainer.sft_trainer.SFTTrainer`,
:class:`~lean_agent.trainer.grpo_trainer.GRPOTrainer`) says which rows it reads and how it turns a model and rows into a
trl trainer; everything else is here.

Each repository starts from the checkpoint of the one before, read from disk, also within one call: so a run that was
interrupted does the same as one that was not.
"""

from __future__ import annotations

import json
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypedDict, cast

import torch
import transformers
from datasets import disable_progress_bars, enable_progress_bars
from peft import LoraConfig, PeftModel
from transformers import PreTrainedModel, PreTrainedTokenizerBase, PrinterCallback

from lean_agent.errors import ConfigError, TrainingError
from lean_agent.files import writing_to
from lean_agent.policy.loading import check_causal_lm, no_file_bars
from lean_agent.progress import is_quiet
from lean_agent.trainer.data.dataset import TacticDataset
from lean_agent.trainer.run.callbacks import BarCallback, Memory, MetricsCallback, TimedCheckpoints
from lean_agent.trainer.run.loading import (
    Quantization,
    check_launch,
    check_loading,
    load_for_training,
    quiet_libraries,
    save_model,
)
from lean_agent.trainer.run.processes import Processes
from lean_agent.trainer.run.run_folder import Repository, RunFolder, resume_point, saved_in
from lean_agent.trainer.run.tracking import Tracker, check_tracker, tracker_folder

logger = logging.getLogger(__name__)

MEMORY_FILE = "memory.json"
"""In a checkpoint after a repository: what the trainer remembers beside the weights."""

LONG_PREPARATION = 5_000
"""Rows from which tokenizing takes over two seconds."""


class MergedDataExporter(Protocol):
    """What training needs of a database."""

    def export_merged_data(self, repos: Sequence[Any], path: Path) -> object:
        """Write the data of ``repos`` under ``path`` in the LeanDojo Benchmark 4 layout."""
        ...


class MachineSettings(TypedDict, total=False):
    """What the machine is good for. See :class:`RepositoryTrainer` for the meaning."""

    quantization: Quantization | None
    use_unsloth: bool
    gradient_checkpointing: bool | None
    report_to: Tracker


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """What every trainer takes. See :class:`RepositoryTrainer` for the meaning."""

    model_name: str
    output_dir: Path
    epochs_per_repo: int
    batch_size: int
    lr: float
    lora_config: LoraConfig | None
    max_steps: int
    warmup: float
    seed: int
    checkpoint_every_s: float
    progress: bool
    quantization: Quantization | None = None
    use_unsloth: bool = False
    gradient_checkpointing: bool | None = None
    report_to: Tracker = "none"

    def __post_init__(self) -> None:
        check_tracker(self.report_to)
        if self.epochs_per_repo < 1 or self.batch_size < 1:
            raise ConfigError(
                f"epochs_per_repo and batch_size must be at least 1; they are {self.epochs_per_repo} and "
                f"{self.batch_size}."
            )
        if self.lr <= 0 or not 0 <= self.warmup < 1:
            raise ConfigError(f"lr must be above 0 and warmup in [0, 1); they are {self.lr} and {self.warmup}.")
        if self.max_steps != -1 and self.max_steps < 1:
            raise ConfigError(f"max_steps must be at least 1, or -1 for epochs_per_repo; it is {self.max_steps}.")
        if self.checkpoint_every_s < 0 or not 0 <= self.seed < 2**32:
            raise ConfigError(
                f"checkpoint_every_s must be at least 0 and seed in [0, 2^32); they are {self.checkpoint_every_s} and "
                f"{self.seed}."
            )


class RepositoryTrainer(ABC):
    """Trains a causal language model on traced repositories, one after the other.

    In float32 on a CPU; on a GPU in bfloat16, over weights in float32 where all of them are trained. Settings are
    checked before any weight is loaded. Under ``accelerate launch`` every process trains on its part of a batch, and
    the first alone writes.

    Every trainer takes, beside its own settings:
        quantization: ``"4bit"`` or ``"8bit"`` holds the weights under a LoRA adapter in so many bits (QLoRA); needs a
            CUDA GPU and bitsandbytes.
        use_unsloth: load the model by Unsloth, which must be installed.
        gradient_checkpointing: compute activations again instead of keeping them; by default on a GPU.
        report_to: ``tensorboard`` or ``wandb``, whose files go to ``tracking/`` in ``output_dir``; metrics.jsonl is
            written in any case.

    Attributes:
        model: the model as trained so far; ``None`` until :meth:`train` has been called.
        tokenizer: its tokenizer; ``None`` until :meth:`train` has been called.
        output_dir: see :mod:`lean_agent.trainer.run.run_folder`.

    Raises:
        ConfigError: a setting that cannot work, or ``output_dir`` holds a run with other settings.
        ModelNotFound: no causal language model at that name or path.
    """

    kind: ClassVar[str]
    """Names the trainer in progress.json and beside the progress bar."""
    shown_metrics: ClassVar[tuple[str, ...]]
    """What of the trainer's log stands beside the progress bar."""
    _steps_between_checkpoints = 1
    """A checkpoint is taken after a multiple of so many optimizer steps."""
    _memory: Memory | None = None
    """What is remembered beside the weights, within a repository and from one to the next."""

    def __init__(self, settings: TrainingSettings, recorded: dict[str, Any]) -> None:
        self.settings = settings
        # The run's folder comes first: a run that is done needs its model no more.
        self._run = RunFolder(settings.output_dir, {**_recorded(self.kind, settings), **recorded})
        if not self._run.finished:
            check_causal_lm(settings.model_name)
        check_launch()
        check_loading(
            settings.model_name,
            new_adapter=settings.lora_config is not None,
            quantization=settings.quantization,
            use_unsloth=settings.use_unsloth,
        )
        self.output_dir = self._run.path
        self.model: PreTrainedModel | PeftModel | None = None
        self.tokenizer: PreTrainedTokenizerBase | None = None

    @property
    def model_path(self) -> str:
        """What to load to use the model as trained so far: the newest checkpoint, or the model that it starts from."""
        return str(self._run.last_checkpoint() or self.settings.model_name)

    @property
    def metrics_file(self) -> Path:
        """The history of metrics, as JSON lines."""
        return self._run.metrics_file

    def train(self, repos: Sequence[Repository], database: MergedDataExporter, data_path: str | Path) -> None:
        """Train on ``repos`` in their order, each time on the merged data of all repositories so far.

        A checkpoint is written after every repository. A second call, also in another process after a kill, skips the
        repositories that are done and goes on within the one that was in work.

        Args:
            repos: repositories of ``database``.
            database: exports the merged data.
            data_path: where to.

        Raises:
            ConfigError: another process is at work in ``output_dir``.
            TrainingError: there is nothing to learn from, or the training cannot go on.
        """
        if not repos:
            raise TrainingError("There is no repository to train on. Set one up and trace it first.")
        with self.claimed(), writing_to(self.output_dir, TrainingError):
            self._train(repos, database, Path(data_path))

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other trainings out of ``output_dir``; :meth:`train` does so by itself.

        Raises:
            ConfigError: another process is at work there.
        """
        with Processes().alone_in(self.output_dir):
            self._run.refresh()  # whoever was at work there before may have come further
            yield

    def _train(self, repos: Sequence[Repository], database: MergedDataExporter, data_path: Path) -> None:
        processes = Processes()
        if processes.is_first:
            self._run.publish()  # the last run may have been killed just before it could
        for count, repository in enumerate(repos, start=1):
            if self._run.is_finished(repository):
                logger.info("%s at %s is done already.", repository.url, repository.commit)
                continue
            if processes.is_first:
                database.export_merged_data(list(repos[:count]), data_path)
            processes.wait()
            self._recall()
            with quiet_libraries():
                dataset = self._read(data_path, repository)
                self._train_repository(repository, dataset, f"{self.kind} {count}/{len(repos)}")
        if self.model is None:
            with quiet_libraries():
                self.model, self.tokenizer = self._load()

    @abstractmethod
    def _read(self, data_path: Path, repository: Repository) -> TacticDataset:
        """The training rows for ``repository``, of the merged data of all repositories up to it."""

    @abstractmethod
    def _build(
        self,
        model: PreTrainedModel | PeftModel,
        tokenizer: PreTrainedTokenizerBase,
        dataset: TacticDataset,
        arguments: dict[str, Any],
    ) -> transformers.Trainer:
        """A trl trainer for these rows; ``arguments`` are those that every trl configuration takes."""

    def _train_repository(self, repository: Repository, dataset: TacticDataset, description: str) -> None:
        started = time.monotonic()
        with Processes().first_alone():
            work = self._run.work_folder(repository, dataset.fingerprint())
        resume = resume_point(work)
        transformers.set_seed(self.settings.seed)  # of a new adapter's weights
        self.model, self.tokenizer = self._load()
        with _preparation_bars(len(dataset)), self._tracked(work):
            trainer = self._build(self.model, self.tokenizer, dataset, self._arguments(work))
        first = Processes().is_first
        bar = BarCallback(description, self.shown_metrics, enabled=self.settings.progress and first)
        labels = {"repository": repository.url, "commit": repository.commit}
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(bar)
        if first:
            trainer.add_callback(MetricsCallback(self._run.metrics_file, labels))
        if self._memory is not None:
            trainer.add_callback(self._memory)
        trainer.add_callback(
            TimedCheckpoints(self.settings.checkpoint_every_s, at_steps=self._steps_between_checkpoints)
        )
        logger.info("%s: %s at %s, %d rows", description, repository.url, repository.commit, len(dataset))
        try:
            with no_file_bars(), self._tracked(work), saved_in(work, first=first):
                trainer.train(resume_from_checkpoint=str(resume) if resume else None)
        except torch.OutOfMemoryError as error:
            raise TrainingError(
                f"Out of GPU memory at batch size {self.settings.batch_size}: take a smaller batch_size, a smaller "
                "model, or a lora_config. What was trained before is kept."
            ) from error
        finally:
            bar.close()
        self._keep(trainer, repository, rows=len(dataset), seconds=time.monotonic() - started)

    def _tracked(self, work: Path) -> AbstractContextManager[None]:
        """A folder for each repository, since its steps begin anew."""
        return tracker_folder(self.output_dir / "tracking" / work.name)

    def _keep(self, trainer: transformers.Trainer, repository: Repository, *, rows: int, seconds: float) -> None:
        """Write the checkpoint after a repository, unless the training went astray."""
        model, tokenizer = cast("PreTrainedModel | PeftModel", trainer.model), self.tokenizer
        assert tokenizer is not None, "it was there when the training began"
        if not all(torch.isfinite(parameter).all().item() for parameter in torch.nn.Module.parameters(model)):
            raise TrainingError(
                f"The training diverged: weights are no longer finite. Take a lower lr than {self.settings.lr}. The "
                "checkpoint before this repository is kept."
            )

        def save(folder: Path) -> None:
            with no_file_bars():
                save_model(model, folder)
            tokenizer.save_pretrained(folder)
            if self._memory is not None:
                (folder / MEMORY_FILE).write_text(json.dumps(self._memory.read()), encoding="utf-8")

        processes = Processes()
        if processes.is_first:
            self._run.finish(repository, save, rows=rows, steps=trainer.state.global_step, seconds=seconds)
        processes.wait()
        self._run.refresh()
        self.model = model

    def _recall(self) -> None:
        """Remember what was remembered after the last repository, and nothing of an attempt at the next."""
        checkpoint = self._run.last_checkpoint()
        if self._memory is not None and checkpoint is None:
            self._memory.forget()
        elif self._memory is not None and checkpoint is not None:
            self._memory.restore(json.loads((checkpoint / MEMORY_FILE).read_text(encoding="utf-8")))

    def _load(self) -> tuple[PreTrainedModel | PeftModel, PreTrainedTokenizerBase]:
        """The model to go on from: the newest checkpoint, or the one that the run starts from."""
        settings = self.settings
        return load_for_training(
            self.model_path,
            lora_config=settings.lora_config,
            quantization=settings.quantization,
            use_unsloth=settings.use_unsloth,
        )

    def _arguments(self, work: Path) -> dict[str, Any]:
        """What every trl configuration takes."""
        on_gpu = torch.cuda.is_available()
        settings, checkpointing = self.settings, self.settings.gradient_checkpointing
        return {
            "output_dir": str(work),
            "num_train_epochs": settings.epochs_per_repo,
            "max_steps": settings.max_steps,
            "per_device_train_batch_size": settings.batch_size,
            "learning_rate": settings.lr,
            "warmup_steps": settings.warmup,
            "seed": settings.seed,
            "bf16": on_gpu,
            "use_cpu": not on_gpu,
            "activation_checkpointing": on_gpu if checkpointing is None else checkpointing,
            "dataloader_pin_memory": on_gpu,
            "report_to": settings.report_to,
            "disable_tqdm": True,
            "logging_steps": 10,
            "save_strategy": "no",  # TimedCheckpoints asks for checkpoints
            "save_total_limit": 1,
        }


@contextmanager
def _preparation_bars(rows: int) -> Iterator[None]:
    """Show the library's bars for tokenizing only where they are there to be read."""
    if rows < LONG_PREPARATION or is_quiet():
        disable_progress_bars()
    try:
        yield
    finally:
        enable_progress_bars()


def _recorded(kind: str, settings: TrainingSettings) -> dict[str, Any]:
    """The settings that decide what comes out, as JSON values."""
    lora = settings.lora_config
    return {
        "kind": kind,
        "model_name": settings.model_name,
        "epochs_per_repo": settings.epochs_per_repo,
        "batch_size": settings.batch_size,
        "lr": settings.lr,
        "max_steps": settings.max_steps,
        "warmup": settings.warmup,
        "seed": settings.seed,
        "lora_config": None if lora is None else _lora_values(lora),
        "quantization": settings.quantization,
        "use_unsloth": settings.use_unsloth,
    }


def _lora_values(config: LoraConfig) -> dict[str, object]:
    """What a LoRA configuration says of the adapter; not which library wrote it and for which base."""
    incidental = {"peft_version", "base_model_name_or_path", "runtime_config", "inference_mode"}
    return {name: _json(value) for name, value in sorted(vars(config).items()) if name not in incidental}


def _json(value: object) -> object:
    """Sets and enumerations, as a LoRA configuration has them, in a form that compares equal after JSON."""
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    return value if isinstance(value, (int, float, str, list, dict, type(None))) else str(value)
