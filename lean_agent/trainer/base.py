"""The base of all trainers: run folder, resuming, guards, callbacks, metrics, processes, weights for a server.

A trainer says what it learns from and how a step goes; its whole life around that is here. Those of this package are
:class:`~lean_agent.trainer.sft_trainer.SFTTrainer` and :class:`~lean_agent.trainer.grpo_trainer.GRPOTrainer`
(repository by repository, :mod:`lean_agent.trainer.repositories`),
:class:`~lean_agent.trainer.attempts.lean_grpo_trainer.LeanGRPOTrainer` and, on a file of answers
(:mod:`lean_agent.trainer.offline`), :class:`~lean_agent.trainer.offline_grpo_trainer.OfflineGRPOTrainer` and
:class:`~lean_agent.trainer.dpo_trainer.DPOTrainer`.
"""

from __future__ import annotations

import shutil
from abc import ABC
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, wraps
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar, cast

import torch
import transformers
from peft import PeftModel
from transformers import PreTrainedModel, PreTrainedTokenizerBase, PrinterCallback, TrainerCallback

from lean_agent.database.records import RepositoryKey
from lean_agent.errors import TrainingError
from lean_agent.files import writing_to
from lean_agent.policy.base import Followable, UpdatablePolicy
from lean_agent.policy.loading import check_causal_lm, no_file_bars
from lean_agent.policy.threads import fitting_threads
from lean_agent.settings import check_call
from lean_agent.trainer.run import loading
from lean_agent.trainer.run.callbacks import BarCallback, MetricsCallback
from lean_agent.trainer.run.loading import Trainable, quiet_libraries
from lean_agent.trainer.run.processes import Processes
from lean_agent.trainer.run.run_folder import TrainingFolder, resume_point, saved_in, write_folder
from lean_agent.trainer.run.tracking import tracker_folder
from lean_agent.trainer.settings import TrainerSettings

Settings = TypeVar("Settings", bound=TrainerSettings)
P = ParamSpec("P")

KEEPS_ACTIVATIONS = 100_000_000
"""Parameters of a model whose activations fit into any GPU; computing them again would take longer for nothing."""


def takes_settings(initialise: Callable[P, None]) -> Callable[P, None]:
    """Decorate a trainer's ``__init__``: what is named there is checked, other keywords are left to its settings.

    Raises:
        ConfigTypeError: when called with an argument of another type than its annotation.
    """
    own = signature(initialise).parameters

    @wraps(initialise)
    def checking(*args: P.args, **keywords: P.kwargs) -> None:
        named = {name: value for name, value in keywords.items() if name in own}
        check_call(initialise, args, named, of=type(args[0]).__name__)
        initialise(*args, **keywords)

    return checking


def with_folder(output_dir: str | Path | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with the folder, where it is given by its place."""
    return {**settings, **({} if output_dir is None else {"output_dir": output_dir})}


def computes_again(wanted: bool | None, model: torch.nn.Module, *, on_gpu: bool) -> bool:
    """Decide whether activations are computed again in the backward pass: as the setting says, and without one on a GPU
    for models with more than :data:`KEEPS_ACTIVATIONS` parameters."""
    if wanted is not None:
        return wanted
    return on_gpu and sum(weights.numel() for weights in torch.nn.Module.parameters(model)) > KEEPS_ACTIVATIONS


class Trainer(ABC, Generic[Settings]):
    """The life of a training.

    Every trainer is made of its settings, of the model that it starts from, or of a YAML file, with single settings by
    name: ``SFTTrainer("path/or/name", lr=1e-4)``, ``SFTTrainer("sft.yaml", seed=1)``, ``SFTTrainer(settings, seed=1)``.
    They are checked before any weight is loaded. It trains in float32 on a CPU; on a GPU in bfloat16, over weights in
    float32 where all of them are trained. A training that was interrupted goes on at its newest checkpoint when the
    same is run again; one with other settings is refused in its folder. Under ``accelerate launch`` every process
    trains on its part of a batch, and the first alone writes.

    Attributes:
        settings: its settings.
        model: the model as trained so far.
        tokenizer: its tokenizer.
        output_dir: see :mod:`lean_agent.trainer.run.run_folder`.
        processes: this one and those that train beside it.

    Raises:
        ConfigError: a setting that cannot work, or ``output_dir`` holds a run with other settings.
        ModelNotFound: no causal language model at that name or path.
    """

    kind: ClassVar[str]
    """Names the trainer in progress.json."""

    model: PreTrainedModel | PeftModel
    tokenizer: PreTrainedTokenizerBase

    def __init__(self, settings: Settings) -> None:
        loading.check_launch()
        self.settings = settings
        self.processes = Processes()  # before a model goes to a device
        self.output_dir = Path(settings.output_dir).expanduser().absolute()

    @cached_property
    def _run(self) -> TrainingFolder:
        return TrainingFolder(self.output_dir, {"kind": self.kind, **self._recorded()})

    def _recorded(self) -> dict[str, Any]:
        """Return what decides the weights that come out, as JSON values."""
        return self.settings.recorded()

    @property
    def config(self) -> Settings:
        """Its settings, as they are called where they are a configuration."""
        return self.settings

    @property
    def model_path(self) -> str:
        """What to load to use the model as trained so far: the newest checkpoint, or the model that it starts from."""
        return str(self._run.last_checkpoint() or self.settings.model_name)

    @property
    def metrics_file(self) -> Path:
        """The history of metrics, as JSON lines."""
        return self._run.metrics_file

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other trainings out of ``output_dir``; ``train`` does so by itself.

        Raises:
            ConfigError: another process is at work there, or a run with other settings was.
        """
        with self.processes.alone_in(self.output_dir):
            self._run.refresh()  # whoever was at work there before may have come further
            yield

    @contextmanager
    def _training(self) -> Iterator[None]:
        """Claim the folder, and say what to do when a disk is full or memory too small."""
        with self.claimed(), writing_to(self.output_dir, TrainingError):
            try:
                yield
            except torch.OutOfMemoryError as error:
                raise TrainingError(f"Out of GPU memory {self._smaller()} What was trained before is kept.") from error

    def _smaller(self) -> str:
        """Say at which size memory was too small, and what would make do with less."""
        size = f"{self.settings.name_of('batch_size')} {self.settings.batch_size}"
        return f"at {size}: take a smaller one, a smaller model, or a LoRA adapter (lora_rank)."

    # The model

    def _check_model(self) -> None:
        """Refuse a model that is not there, or that this machine cannot train; what is done needs none."""
        if not self._run.finished:
            check_causal_lm(self.settings.model_name)
        self._check_loading(self.settings.model_name)

    def _check_loading(self, source: str) -> None:
        """Refuse what this machine cannot load as the settings want it."""
        settings, new = self.settings, self.settings.adapter is not None
        bits, unsloth = settings.quantization, settings.use_unsloth
        loading.check_loading(source, new_adapter=new, quantization=bits, use_unsloth=unsloth)

    def _load(self, source: str | None = None) -> Trainable:
        """Load the model to go on from: by default the newest checkpoint, or the one that the run starts from."""
        with quiet_libraries():
            return loading.load_for_training(source or self.model_path, **self.settings.loading)

    def _save_model(self, folder: Path) -> None:
        with no_file_bars(), quiet_libraries():
            loading.save_model(self.model, folder)
        self.tokenizer.save_pretrained(folder)

    def _check_weights(self) -> None:
        """Refuse to keep weights that went astray: NaN or infinite."""
        if not all(torch.isfinite(weights).all().item() for weights in torch.nn.Module.parameters(self.model)):
            raise TrainingError(
                f"The training diverged: weights are no longer finite. Take a lower {self.settings.name_of('lr')} than "
                f"{self.settings.lr}. What was trained before is kept."
            )

    def _finish(
        self, part: RepositoryKey, *, rows: int, steps: int, seconds: float, save: Callable[[Path], None] | None = None
    ) -> None:
        """Write the model after a part of the training (a repository, a dataset), unless it went astray."""
        self._check_weights()
        if self.processes.is_first:
            self._run.finish(part, save or self._save_model, rows=rows, steps=steps, seconds=seconds)
        self.processes.wait()
        self._run.refresh()

    # A trainer of transformers in it

    def _tracking(self, work: Path) -> Path:
        """Return the folder of what ``report_to`` writes."""
        return self.output_dir / "tracking" / work.name

    def _device_arguments(self) -> dict[str, Any]:
        """Return what every configuration of transformers takes of this machine and these settings."""
        on_gpu = torch.cuda.is_available()
        return {
            "max_steps": self.settings.max_steps,
            "num_train_epochs": self.settings.epochs,
            "per_device_train_batch_size": self.settings.batch_size,
            "learning_rate": self.settings.lr,
            "warmup_steps": self.settings.warmup,
            "seed": self.settings.seed,
            "report_to": self.settings.report_to,
            "activation_checkpointing": computes_again(self.settings.gradient_checkpointing, self.model, on_gpu=on_gpu),
            "bf16": on_gpu,
            "use_cpu": not on_gpu,
            "dataloader_pin_memory": on_gpu,
            "disable_tqdm": True,
        }

    def _fit(
        self,
        make: Callable[[], transformers.Trainer],
        work: Path,
        bar: BarCallback,
        *,
        labels: Mapping[str, str],
        callbacks: Sequence[TrainerCallback] = (),
    ) -> transformers.Trainer:
        """Train with a trainer of transformers, from its newest whole checkpoint in ``work`` to the end.

        Args:
            labels: stand in every line of metrics.jsonl.
            callbacks: beside the bar and the metrics.
        """
        first = self.processes.is_first
        with tracker_folder(self._tracking(work)):
            trainer = make()
        trainer.remove_callback(PrinterCallback)
        metrics = [MetricsCallback(self._run.metrics_file, dict(labels))] if first else []
        for callback in (bar, *metrics, *callbacks):
            trainer.add_callback(callback)
        resume = resume_point(work)
        try:
            with (
                quiet_libraries(),
                no_file_bars(),
                tracker_folder(self._tracking(work)),
                saved_in(work, first=first),
                fitting_threads(self.model),
            ):
                trainer.train(resume_from_checkpoint=str(resume) if resume else None)
        finally:
            bar.close()
        self.model = cast("PreTrainedModel | PeftModel", trainer.model)
        return trainer

    # An inference server

    def _send_weights(self, policy: UpdatablePolicy, version: int) -> None:
        """Give a server that samples the weights as they are; other processes follow when it has them."""
        if self.processes.is_first:
            folder = self.output_dir / "served" / f"update-{version}"
            write_folder(folder, self._save_model)
            policy.update(folder)
            for old in folder.parent.iterdir():
                if old != folder:
                    shutil.rmtree(old)
        if self.processes.count > 1 and isinstance(policy, Followable):
            name = self.processes.broadcast(policy.model)
            if not self.processes.is_first:
                policy.follow(name)
        self.processes.wait()
