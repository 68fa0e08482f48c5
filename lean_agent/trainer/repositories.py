"""Train repository by repository on the merged data, with a checkpoint after each.

A trainer of one kind (:class:`~lean_agent.trainer.sft_trainer.SFTTrainer`,
:class:`~lean_agent.trainer.grpo_trainer.GRPOTrainer`) says which rows it reads and how it turns a model and rows into a
trl trainer. Each repository starts from the checkpoint of the one before, read from disk, also within one call: so a
run that was interrupted does the same as one that was not.
"""

from __future__ import annotations

import json
import logging
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import transformers
from datasets import disable_progress_bars, enable_progress_bars

from lean_agent.database.records import RepositoryKey
from lean_agent.errors import TrainingError
from lean_agent.policy.model_files import record_help, recorded_help
from lean_agent.policy.retrieval import check_retriever
from lean_agent.progress import is_quiet
from lean_agent.trainer.base import Trainer
from lean_agent.trainer.run.callbacks import BarCallback, Memory, TimedCheckpoints
from lean_agent.trainer.run.loading import quiet_libraries
from lean_agent.trainer.settings import RepositorySettings

logger = logging.getLogger(__name__)

Settings = TypeVar("Settings", bound=RepositorySettings)

MEMORY_FILE = "memory.json"
"""In a checkpoint after a repository: what the trainer remembers beside the weights."""

LONG_PREPARATION = 5_000
"""Rows from which tokenizing takes over two seconds."""


class MergedDataExporter(Protocol):
    """What training needs of a database."""

    def export_merged_data(self, repos: Sequence[Any], path: Path) -> object:
        """Write the data of ``repos`` under ``path`` in the LeanDojo Benchmark 4 layout."""
        ...


class TrainingRows(Protocol):
    """What is learnt from: rows of a kind that the trainer itself knows."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def fingerprint(self) -> str:
        """Return twelve hexadecimal digits that change whenever a row does."""
        ...


class RepositoryTrainer(Trainer[Settings]):
    """Trains a causal language model on traced repositories, one after the other.

    ``model`` and ``tokenizer`` are ``None`` until :meth:`train` has been called.
    """

    shown_metrics: ClassVar[tuple[str, ...]]
    """What of the trainer's log stands beside the progress bar."""
    _steps_between_checkpoints = 1
    """A checkpoint is taken after a multiple of so many optimizer steps."""
    _memory: Memory | None = None
    """What is remembered beside the weights, within a repository and from one to the next."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._check_model()
        if settings.premises:
            check_retriever(settings.retriever)
        self.model: Any = None
        self.tokenizer: Any = None

    def _check_help(self) -> None:
        """Say so where the model was trained before with other things shown beside goals than now."""
        before, now = recorded_help(self.settings.model_name), self.settings.help_in_prompt
        if before and before != now and not before.filled:
            logger.warning(
                "%s was trained with premises=%d and neighbours_in_prompt=%d shown beside goals, and is now trained "
                "with %d and %d: give the same, or it will be asked what it has not learnt to read.",
                self.settings.model_name,
                *(before.premises, before.neighbours, now.premises, now.neighbours),
            )

    def train(self, repos: Sequence[RepositoryKey], database: MergedDataExporter, data_path: str | Path) -> None:
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
        with self._training():
            if self.processes.is_first:
                self._run.publish()  # the last run may have been killed just before it could
            for count, repository in enumerate(repos, start=1):
                if self._run.is_finished(repository):
                    logger.info("%s at %s is done already.", repository.url, repository.commit)
                    continue
                if self.processes.is_first:
                    database.export_merged_data(list(repos[:count]), Path(data_path))
                self.processes.wait()
                self._recall()
                with quiet_libraries():
                    dataset = self._read(Path(data_path), repository)
                    self._train_repository(repository, dataset, f"{self.kind} {count}/{len(repos)}")
            if self.model is None:
                self.model, self.tokenizer = self._load()

    @abstractmethod
    def _read(self, data_path: Path, repository: RepositoryKey) -> TrainingRows:
        """Return the training rows for ``repository``, of the merged data of all repositories up to it."""

    @abstractmethod
    def _build(self, dataset: Any, arguments: dict[str, Any]) -> transformers.Trainer:
        """Make a trainer of ``model`` for the rows that were read; ``arguments`` are what every one of transformers and
        trl takes."""

    def _train_repository(self, repository: RepositoryKey, dataset: TrainingRows, description: str) -> None:
        started = time.monotonic()
        with self.processes.first_alone():
            work = self._run.work_folder(repository, dataset.fingerprint())
        transformers.set_seed(self.settings.seed)  # of a new adapter's weights
        self.model, self.tokenizer = self._load()

        def make() -> transformers.Trainer:
            arguments = {**self._device_arguments(), "output_dir": str(work), "logging_steps": 10}
            arguments |= {"save_strategy": "no", "save_total_limit": 1}  # TimedCheckpoints asks for checkpoints
            with _preparation_bars(len(dataset)):
                return self._build(dataset, arguments)

        logger.info("%s: %s at %s, %d rows", description, repository.url, repository.commit, len(dataset))
        clock = TimedCheckpoints(self.settings.checkpoint_every_s, at_steps=self._steps_between_checkpoints)
        bar = BarCallback(description, self.shown_metrics, enabled=self.settings.progress and self.processes.is_first)
        labels = {"repository": repository.url, "commit": repository.commit}
        callbacks = [*([self._memory] if self._memory else []), clock]
        trainer = self._fit(make, work, bar, labels=labels, callbacks=callbacks)
        steps, seconds = trainer.state.global_step, time.monotonic() - started
        self._finish(repository, rows=len(dataset), steps=steps, seconds=seconds)

    def _save_model(self, folder: Path) -> None:
        super()._save_model(folder)
        before = recorded_help(self.settings.model_name)
        record_help(before if before.filled else self.settings.help_in_prompt, folder)
        if self._memory is not None:
            (folder / MEMORY_FILE).write_text(json.dumps(self._memory.read()), encoding="utf-8")

    def _recall(self) -> None:
        """Remember what was remembered after the last repository, and nothing of an attempt at the next."""
        checkpoint = self._run.last_checkpoint()
        if self._memory is not None and checkpoint is None:
            self._memory.forget()
        elif self._memory is not None and checkpoint is not None:
            self._memory.restore(json.loads((checkpoint / MEMORY_FILE).read_text(encoding="utf-8")))


@contextmanager
def _preparation_bars(rows: int) -> Iterator[None]:
    """Show the library's bars for tokenizing only where they are there to be read."""
    if rows < LONG_PREPARATION or is_quiet():
        disable_progress_bars()
    try:
        yield
    finally:
        enable_progress_bars()
