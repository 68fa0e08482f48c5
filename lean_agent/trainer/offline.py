"""The life of a training on answers that were there before: no generation, no reward, no Lean.

A file holds goals with scored answers, or pairs of a better and a worse one. Owns the file, the folder, the loading,
what is measured, and the weight of negatives; what is minimised is the trainers' own
(:class:`~lean_agent.trainer.offline_grpo_trainer.OfflineGRPOTrainer`,
:class:`~lean_agent.trainer.dpo_trainer.DPOTrainer`).
"""

from __future__ import annotations

import hashlib
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import torch
import transformers
from torch.utils.data import DataLoader
from transformers import TrainerState

from lean_agent.algorithms import RLAlgorithm, SoftmaxKL
from lean_agent.errors import ConfigError, ModelNotFound
from lean_agent.policy.loading import install_files
from lean_agent.policy.model_files import adapter_base
from lean_agent.settings import Count, CountFrom0, NotNegative
from lean_agent.trainer.base import Trainer
from lean_agent.trainer.data.renaming import with_copies
from lean_agent.trainer.data.scored_dataset import ScoredDataset, ScoredGroup, collate, in_other_names, read_groups
from lean_agent.trainer.run.callbacks import BarCallback
from lean_agent.trainer.run.loading import Trainable, load_for_training, quiet_libraries
from lean_agent.trainer.run.run_folder import resume_point
from lean_agent.trainer.run.tracking import Tracker, default_tracker
from lean_agent.trainer.settings import AboveZero, AtLeastTwo, PartBelowOne, TrainerSettings


@dataclass(frozen=True, kw_only=True, init=False)
class OfflineSettings(TrainerSettings):
    """What every training on a file of answers takes.

    Its names for the settings of all trainers are ``model_path``, ``num_epochs`` and ``learning_rate``.

    Attributes:
        lora_path: a LoRA adapter of that model, whose training goes on.
        dataset_path: JSONL, see :mod:`lean_agent.trainer.data.scored_dataset`.
        output_dir: checkpoints while it trains, the model (or adapter) at the end, metrics.jsonl.
        max_seq_length: tokens of prompt and completion together.
        batch_size: prompts in an optimizer step on each device, each with all its completions; of DPO, pairs.
        logging_dir: where the files of ``report_to`` go; by default ``tracking/`` in ``output_dir``.
        logging_steps, save_steps, save_total_limit: steps between lines of the log and between checkpoints, and how
            many checkpoints stay.
        negative_weight: how much the answers count in the gradient that score less than the best of their group: 1 as
            the objective has it, 0 not at all.
        augment: so many copies of each prompt are learnt, too, which is then taken for a goal: hypotheses, bound
            variables and what completions bind have other names, alike in all of them.
        eval_path: scored completions that are held out; a share of ``dataset_path`` when it is ``None``.
        eval_share: that share, in [0, 1); taken from the end of the file, so that it stays when lines are added before.
        report_to: by default ``tensorboard`` where ``logging_dir`` is given and TensorBoard is installed, and otherwise
            ``none``.
    """

    dataset_path: str
    lora_path: str | None = None
    max_seq_length: AtLeastTwo = 512
    batch_size: Count = 8
    epochs: Count = 3
    logging_dir: str | None = None
    lr: AboveZero = 5e-5
    logging_steps: Count = 20
    save_steps: Count = 500
    save_total_limit: Count = 2
    negative_weight: NotNegative = 1.0
    augment: CountFrom0 = 0
    eval_path: str | None = None
    eval_share: PartBelowOne = 0.0
    gradient_checkpointing: bool | None = False
    report_to: Tracker | None = None

    NAMES: ClassVar = {"model_name": "model_path", "epochs": "num_epochs", "lr": "learning_rate"}
    INCIDENTAL = TrainerSettings.INCIDENTAL | {
        *("dataset_path", "eval_path", "eval_share"),  # what of them is trained on has a fingerprint
        *("logging_dir", "logging_steps", "save_steps", "save_total_limit"),
    }
    LATER = frozenset(
        (
            *("max_steps", "lora_rank", "lora_alpha", "lora_config", "quantization", "use_unsloth"),
            *("negative_weight", "augment"),
        )
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "report_to", self.report_to or default_tracker(self.logging_dir))
        super().__post_init__()
        for name in ("model_name", "dataset_path"):
            if not getattr(self, name):
                raise ConfigError(f"A training on a file of answers needs {self.name_of(name)}.")

    def make_ranking(self) -> SoftmaxKL:
        """Make what an evaluation compares completions by."""
        return SoftmaxKL()


Settings = TypeVar("Settings", bound=OfflineSettings)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well a policy ranks completions as their scores do.

    Attributes:
        rank_correlation: Spearman's, of sequence log-probabilities with scores, mean over prompts whose scores differ.
        top1_agreement: share of those prompts whose likeliest completion is one of the best.
        prompts: how many they are.
        loss: mean of the softmax-KL over all prompts, whichever the objective.
    """

    rank_correlation: float
    top1_agreement: float
    prompts: int
    loss: float

    def __str__(self) -> str:
        return (
            f"rank correlation {self.rank_correlation:.3f}, the likeliest completion is one of the best at "
            f"{self.top1_agreement:.1%} of {self.prompts:,} prompts, loss {self.loss:.4f}"
        )


class OfflineTrainer(Trainer[Settings]):
    """Trains a model, or a LoRA adapter, on a file of answers.

    Attributes:
        model, tokenizer: as trained so far; there from the beginning.

    Raises:
        ConfigError, ModelNotFound: a setting that cannot work, or no model or adapter there.
        TrainingError: the completions do not read, or there is nothing to compare.
    """

    shown_metrics: tuple[str, ...]
    """What of the trainer's log stands beside the progress bar."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        groups = read_groups(settings.dataset_path)
        held_out = round(settings.eval_share * len(groups))
        self._groups = groups[: len(groups) - held_out]
        self._held_out = read_groups(settings.eval_path) if settings.eval_path else groups[len(groups) - held_out :]
        self.model, self.tokenizer = self._load()

    def train(self) -> None:
        """Train to the end; the model or adapter is in ``output_dir`` afterwards.

        Raises:
            ConfigError: ``output_dir`` holds a run with other settings or data, or another process is at work there.
        """
        with self._training():
            if self.processes.is_first:
                self._run.claim()
            self.processes.wait()
            enabled = self.config.progress and self.processes.is_first
            bar = BarCallback(self.kind, self.shown_metrics, enabled=enabled)
            self._fit(self._make(), self.output_dir, bar, labels={})
            self._check_weights()
            if self.processes.is_first:
                self._save(self.output_dir)
            self.processes.wait()

    def _with_copies(self) -> tuple[ScoredGroup, ...]:
        """Return the groups that are trained on, and copies of them in other names."""
        return tuple(with_copies(lambda: self._groups, self.config.augment, self.config.seed, in_other_names))

    @abstractmethod
    def _make(self) -> Callable[[], transformers.Trainer]:
        """Return what makes a trainer of ``model`` for the groups."""

    @property
    def _arguments(self) -> dict[str, Any]:
        """What the configuration of a trainer of transformers takes of the settings."""
        steps = {name: getattr(self.config, name) for name in ("logging_steps", "save_steps", "save_total_limit")}
        return {**self._device_arguments(), **steps, "output_dir": str(self.output_dir)}

    def _tracking(self, work: Path) -> Path:
        return Path(self.config.logging_dir or work / "tracking")

    @property
    def model_path(self) -> str:
        """What to load to use the model as trained so far."""
        return str(self.output_dir) if self.is_finished else self.config.model_name

    def _save(self, output: Path) -> None:
        """Put the model into the output folder when it is written to its end."""
        with tempfile.TemporaryDirectory(dir=output, prefix=".model-") as temporary:
            self._save_model(Path(temporary))
            install_files(Path(temporary), output)

    @property
    def is_finished(self) -> bool:
        """Whether :meth:`train` has nothing left to do.

        Raises:
            ConfigError: ``output_dir`` holds a run with other settings or data.
        """
        self._run.refresh()
        newest = resume_point(self.output_dir) if self.output_dir.is_dir() else None
        if newest is None:
            return False
        state = TrainerState.load_from_json(str(newest / "trainer_state.json"))
        return bool(state.global_step >= state.max_steps > 0)

    def evaluate(self, path: str | Path | None = None) -> Agreement:
        """Measure how well the model ranks held-out completions.

        They are those of ``path``, or of the configuration, or, when it names none, those that it is trained on, ranked
        by their log-probability, by token where ``length_normalize`` is set.
        """
        groups = read_groups(path) if path else self._held_out or self._groups
        ranking = self.config.make_ranking()
        correlations, agreements, losses = [], [], []
        for batch, logprobs, mask in self._passes(self._dataset(groups)):
            loss, _ = grouped_loss(ranking, logprobs, mask, batch["scores"])
            losses += [loss.item()] * len(batch["scores"])
            values = ranking.sequence_values(logprobs, mask)
            for scores, sequence in zip(batch["scores"], values, strict=True):
                there = scores.isfinite()
                if len(scores[there].unique()) > 1:
                    correlations.append(rank_correlation(sequence[there], scores[there]))
                    agreements.append(float(scores[there][sequence[there].argmax()] == scores[there].max()))
        prompts, mean_loss = len(correlations), sum(losses) / len(losses)
        return Agreement(sum(correlations) / max(prompts, 1), sum(agreements) / max(prompts, 1), prompts, mean_loss)

    def _passes(self, data: ScoredDataset) -> Iterator[tuple[dict[str, torch.Tensor], torch.Tensor, torch.Tensor]]:
        """Yield batches of a data set in its order, each with :func:`completion_logprobs` of the model as it is now."""
        loader = DataLoader(data, batch_size=self.config.batch_size, collate_fn=self._collate)
        device = next(torch.nn.Module.parameters(self.model)).device
        torch.nn.Module.train(self.model, False)
        with torch.no_grad():
            for batch in loader:
                logprobs, mask = completion_logprobs(self.model, {name: x.to(device) for name, x in batch.items()})
                yield batch, logprobs.cpu(), mask.cpu()

    def _recorded(self) -> dict[str, Any]:
        data = hashlib.sha256(repr(self._groups).encode()).hexdigest()[:12]
        return {**super()._recorded(), "data": data}

    def _dataset(self, groups: Any) -> ScoredDataset:
        return ScoredDataset(groups, self.tokenizer, self.config.max_seq_length)

    @property
    def _collate(self) -> Any:
        return partial(collate, pad_id=self.tokenizer.pad_token_id)

    def _load(self, source: str | None = None) -> Trainable:
        settings, adapter = self.config, self.config.lora_path
        if adapter is not None and adapter_base(adapter) is None:
            raise ModelNotFound(
                f"There is no LoRA adapter at {adapter} (no adapter_config.json). Leave lora_path out to train all "
                "weights, or name the folder that an adapter was saved to."
            )
        start, base = adapter or settings.model_name, settings.model_name if adapter else None
        self._check_loading(start)
        with quiet_libraries():
            return load_for_training(start, **settings.loading, chat=False, base=base)


def completion_logprobs(model: Any, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the log-probabilities of completions' tokens, 0 elsewhere, and their mask; each ``[B, K, T − 1]``."""
    shape = batch["input_ids"].shape
    ids = batch["input_ids"].flatten(0, 1)
    logits = model(input_ids=ids, attention_mask=batch["attention_mask"].flatten(0, 1)).logits[:, :-1].float()
    chosen = logits.log_softmax(dim=-1).gather(2, ids[:, 1:, None]).squeeze(2)
    mask = batch["completion_mask"][:, :, 1:]
    logprobs = torch.where(mask.bool(), chosen.view(shape[0], shape[1], -1), 0.0)
    return logprobs, mask


def grouped_loss(
    algorithm: RLAlgorithm[Any],
    logprobs: torch.Tensor,
    mask: torch.Tensor,
    scores: torch.Tensor,
    reference: torch.Tensor | None = None,
) -> tuple[torch.Tensor, dict[str, float]]:
    """Compute the objective on a batch.

    Args:
        logprobs, mask: ``[B, K, T]``, as :func:`completion_logprobs` gives them.
        scores: ``[B, K]``, NaN where a group has fewer completions.
        reference: log-probabilities under the model that the training started from, ``[B, K, T]``.
    """
    there = scores.isfinite()
    groups = torch.arange(len(scores), device=scores.device).unsqueeze(1).expand_as(scores)
    old = None if reference is None else reference[there]
    advantages = algorithm.compute_advantages(scores)[there]
    return algorithm.compute_loss(logprobs[there], old, old, advantages, mask[there], groups=groups[there])


def weighed_negatives(logprobs: torch.Tensor, negative: torch.Tensor, weight: float) -> torch.Tensor:
    """Return the same log-probabilities, whose gradient counts ``weight`` times where an answer is a negative.

    Args:
        logprobs: of any shape.
        negative: true for those of negatives, of a shape that goes with it.
    """
    return torch.where(negative, weight * logprobs + (1 - weight) * logprobs.detach(), logprobs)


def rank_correlation(first: torch.Tensor, second: torch.Tensor) -> float:
    """Compute Spearman's: the correlation of ranks, equal values sharing the mean of theirs; 0 where one is constant.

    Args:
        first, second: ``[K]``.
    """
    ranks = [((x.unsqueeze(1) > x).sum(1) - (x.unsqueeze(1) < x).sum(1)).double() for x in (first, second)]
    spread = ranks[0].norm() * ranks[1].norm()
    return float((ranks[0] @ ranks[1] / spread).item()) if spread > 0 else 0.0
