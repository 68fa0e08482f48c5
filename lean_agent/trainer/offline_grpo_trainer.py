"""Training on completions that were scored before: no generation, no reward, no Lean.

The objective is the grouped softmax-KL of :mod:`lean_agent.algorithms.softmax_kl`: the policy's softmax over the
sequence log-probabilities of a prompt's completions should be the softmax of their scores. Or DGPO's
(:mod:`lean_agent.algorithms.dgpo`), where the model that the training starts from is the reference, and stands for the
policy that the completions come from.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import torch
import transformers
from peft import PeftModel
from torch.utils.data import DataLoader
from transformers import PreTrainedModel, PreTrainedTokenizerBase, PrinterCallback, TrainerState, TrainingArguments

from lean_agent.algorithms import RLAlgorithm, SoftmaxKL, create_algorithm
from lean_agent.algorithms.softmax_kl import KLDirection
from lean_agent.errors import ConfigError, ModelNotFound
from lean_agent.policy.loading import install_files, load_causal_lm, no_file_bars
from lean_agent.policy.model_files import adapter_base
from lean_agent.settings import check_call, checked, checked_class, read_yaml
from lean_agent.trainer.data.scored_dataset import ScoredDataset, collate, read_groups
from lean_agent.trainer.run.callbacks import BarCallback, MetricsCallback
from lean_agent.trainer.run.loading import check_launch, quiet_libraries, save_model
from lean_agent.trainer.run.processes import Processes
from lean_agent.trainer.run.run_folder import RunFolder, resume_point, saved_in
from lean_agent.trainer.run.tracking import Tracker, check_tracker, default_tracker, tracker_folder

logger = logging.getLogger(__name__)

OfflineAlgorithm = Literal["softmax_kl", "dgpo"]

_INCIDENTAL = {
    *("dataset_path", "eval_path", "eval_share"),  # what of them is trained on has a fingerprint
    *("output_dir", "logging_dir", "logging_steps", "save_steps", "save_total_limit", "report_to"),
}
"""Settings that do not decide what comes out."""


@checked_class
@dataclass(frozen=True, kw_only=True)
class OfflineGRPOConfig:
    """Everything that decides an offline training. The first seven keys are those that YAML files for it have.

    Attributes:
        model_path: a folder, or a name on the HuggingFace hub.
        lora_path: a LoRA adapter of that model, whose training goes on; without one all weights are trained.
        dataset_path: JSONL, see :mod:`lean_agent.trainer.data.scored_dataset`.
        output_dir: checkpoints while it trains, the model (or adapter) at the end, metrics.jsonl.
        max_seq_length: tokens of prompt and completion together.
        batch_size: prompts in an optimizer step on each device, each with all its completions.
        num_epochs: epochs.
        logging_dir: where the files of ``report_to`` go; by default ``tracking/`` in ``output_dir``.
        learning_rate, warmup: peak, and part of the steps in which it rises; then it falls linearly to 0.
        logging_steps, save_steps, save_total_limit: steps between lines of the log and between checkpoints, and how
            many checkpoints stay.
        algorithm: ``softmax_kl``, or ``dgpo`` for pairs.
        algorithm_config: settings of ``dgpo``, see :class:`lean_agent.algorithms.dgpo.DGPOConfig`.
        temperature, length_normalize, kl_direction: of the objective ``softmax_kl``, see
            :class:`lean_agent.algorithms.softmax_kl.SoftmaxKLConfig`; what an evaluation says goes by them, too.
        eval_path: scored completions that are held out; a share of ``dataset_path`` when it is ``None``.
        eval_share: that share, in [0, 1); taken from the end of the file, so that it stays when lines are added before.
        seed: of the order of the prompts.
        report_to: ``none``, ``tensorboard`` or ``wandb``; by default ``tensorboard`` where ``logging_dir`` is given and
            TensorBoard is installed, and otherwise ``none``.

    Raises:
        ConfigError: a value that cannot work.
    """

    model_path: str
    dataset_path: str
    output_dir: str = "grpo_outputs"
    lora_path: str | None = None
    max_seq_length: int = 512
    batch_size: int = 8
    num_epochs: int = 3
    logging_dir: str | None = None
    learning_rate: float = 5e-5
    warmup: float = 0.05
    logging_steps: int = 20
    save_steps: int = 500
    save_total_limit: int = 2
    algorithm: str = "softmax_kl"
    algorithm_config: dict[str, Any] = field(default_factory=dict)
    temperature: float = 1.0
    length_normalize: bool = False
    kl_direction: KLDirection = "target_to_policy"
    eval_path: str | None = None
    eval_share: float = 0.0
    seed: int = 0
    report_to: Tracker | None = None

    def __post_init__(self) -> None:
        for name in ("batch_size", "num_epochs", "logging_steps", "save_steps", "save_total_limit"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise ConfigError(f"{name} must be a whole number of at least 1, not {getattr(self, name)!r}.")
        if self.max_seq_length < 2 or not self.learning_rate > 0:
            raise ConfigError(
                f"max_seq_length must be at least 2 and learning_rate above 0; they are {self.max_seq_length} and "
                f"{self.learning_rate}."
            )
        object.__setattr__(self, "report_to", self.report_to or default_tracker(self.logging_dir))
        check_tracker(str(self.report_to))
        self.make_algorithm()
        if not 0 <= self.warmup < 1 or not 0 <= self.eval_share < 1:
            raise ConfigError(f"warmup and eval_share must be in [0, 1); they are {self.warmup} and {self.eval_share}.")

    def make_algorithm(self) -> RLAlgorithm[Any]:
        """What is minimised.

        Raises:
            ConfigError: no objective for completions from elsewhere, or a setting that is not its own.
        """
        if self.algorithm not in get_args(OfflineAlgorithm):
            raise ConfigError(
                f"Scored completions are learnt from by {' or '.join(get_args(OfflineAlgorithm))}, not by "
                f"{self.algorithm!r}: the other algorithms draw completions themselves."
            )
        if self.algorithm == "softmax_kl":
            if self.algorithm_config:
                raise ConfigError("algorithm_config is for dgpo; softmax_kl's settings stand by themselves.")
            return self.make_ranking()
        if not isinstance(self.algorithm_config, dict):
            raise ConfigError(f"algorithm_config must hold names with values, not {self.algorithm_config!r}.")
        return create_algorithm(self.algorithm, **self.algorithm_config)

    def make_ranking(self) -> SoftmaxKL:
        """What an evaluation compares completions by."""
        return SoftmaxKL(
            temperature=self.temperature, length_normalize=self.length_normalize, kl_direction=self.kl_direction
        )

    @classmethod
    def create(cls, **settings: Any) -> OfflineGRPOConfig:
        """A configuration of these settings.

        Raises:
            ConfigError: an unknown setting (the nearest name is said), one that is missing, a value that cannot work.
        """
        check_call(cls.__init__, (None,), {"model_path": "", "dataset_path": "", **settings}, of=cls.__name__)
        for name in ("model_path", "dataset_path"):
            if not settings.get(name):
                raise ConfigError(f"An offline training needs {name}.")
        return cls(**settings)

    @classmethod
    def from_yaml(cls, path: str | Path, **changes: Any) -> OfflineGRPOConfig:
        """The configuration of a YAML file, with single settings changed.

        Raises:
            ConfigError: as :meth:`create`, or the file does not read.
        """
        return cls.create(**{**read_yaml(path), **changes})


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


class OfflineGRPOTrainer:
    """Trains a model, or a LoRA adapter, on scored completions.

        trainer = OfflineGRPOTrainer(OfflineGRPOConfig.from_yaml("configs/offline_grpo.yaml"))
        trainer.train()
        print(trainer.evaluate())

    A training that was interrupted goes on from its newest checkpoint in ``output_dir``; one with other settings or
    other data is refused there. Under ``accelerate launch`` every process trains on its part of a batch, and the first
    alone writes.

    Args:
        config: see :class:`OfflineGRPOConfig`.
        progress: show a progress bar.

    Attributes:
        model, tokenizer: as trained so far.

    Raises:
        ConfigError, ModelNotFound: a setting that cannot work, or no model or adapter there.
        TrainingError: the completions do not read, or there is nothing to compare.
    """

    @checked
    def __init__(self, config: OfflineGRPOConfig, *, progress: bool = True) -> None:
        check_launch()
        self.config = config
        self._progress = progress
        self._processes = Processes()  # before a model goes to a device
        groups = read_groups(config.dataset_path)
        held_out = round(config.eval_share * len(groups))
        self._groups = groups[: len(groups) - held_out]
        self._held_out = read_groups(config.eval_path) if config.eval_path else groups[len(groups) - held_out :]
        self.algorithm = config.make_algorithm()
        with quiet_libraries():
            self.model, self.tokenizer = self._load()

    def train(self) -> None:
        """Train to the end; the model or adapter is in ``output_dir`` afterwards.

        Raises:
            ConfigError: ``output_dir`` holds a run with other settings or data, or another process is at work there.
        """
        with self.claimed(), saved_in(Path(self.config.output_dir), first=self._processes.is_first):
            self._train()

    def claimed(self) -> AbstractContextManager[None]:
        """Keep other trainings out of ``output_dir``; :meth:`train` does so by itself.

        Raises:
            ConfigError: another process is at work there.
        """
        return self._processes.alone_in(Path(self.config.output_dir))

    def _train(self) -> None:
        run, first = RunFolder(self.config.output_dir, self._recorded()), self._processes.is_first
        output = run.path
        self._processes.wait()  # all have looked
        if first:
            run.claim()
        self._processes.wait()
        tracked = partial(tracker_folder, self.config.logging_dir or output / "tracking")
        data = self._dataset(self._groups)
        if not isinstance(self.algorithm, SoftmaxKL):
            data.reference = self._logprobs(data)
        with tracked():
            trainer = _GroupTrainer(
                algorithm=self.algorithm,
                model=self.model,
                args=self._arguments(),
                train_dataset=data,
                data_collator=self._collate,
                processing_class=self.tokenizer,
            )
        shown = "top1" if isinstance(self.algorithm, SoftmaxKL) else "dpo_accuracy"
        bar = BarCallback("Offline GRPO", ("loss", shown), enabled=self._progress and first)
        trainer.remove_callback(PrinterCallback)
        trainer.add_callback(bar)
        if first:
            trainer.add_callback(MetricsCallback(run.metrics_file, {}))
        resume = resume_point(output)
        try:
            with quiet_libraries(), no_file_bars(), tracked():
                trainer.train(resume_from_checkpoint=str(resume) if resume else None)
                if first:
                    self._save(output)
            self._processes.wait()
        finally:
            bar.close()

    def _save(self, output: Path) -> None:
        """Put the model into the output folder when it is written to its end."""
        with tempfile.TemporaryDirectory(dir=output, prefix=".model-") as temporary:
            save_model(self.model, Path(temporary))
            self.tokenizer.save_pretrained(temporary)
            install_files(Path(temporary), output)

    @property
    def is_finished(self) -> bool:
        """Whether :meth:`train` has nothing left to do.

        Raises:
            ConfigError: ``output_dir`` holds a run with other settings or data.
        """
        output = RunFolder(self.config.output_dir, self._recorded()).path
        newest = resume_point(output) if output.is_dir() else None
        if newest is None:
            return False
        state = TrainerState.load_from_json(str(newest / "trainer_state.json"))
        return bool(state.global_step >= state.max_steps > 0)

    def evaluate(self, path: str | Path | None = None) -> Agreement:
        """How well the model ranks held-out completions: those of ``path``, or of the configuration, or, when it names
        none, those that it is trained on. They are ranked by their log-probability, by token where
        ``length_normalize`` is set."""
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
                    best = scores[there][sequence[there].argmax()] == scores[there].max()
                    agreements.append(float(best))
        count = max(len(correlations), 1)
        return Agreement(
            sum(correlations) / count, sum(agreements) / count, len(correlations), sum(losses) / len(losses)
        )

    def _logprobs(self, data: ScoredDataset) -> list[list[list[float]]]:
        """Of the tokens of each completion of each group, by the model as it is now."""
        return [
            [rows[k][mask[b, k].bool()].tolist() for k in range(int(batch["scores"][b].isfinite().sum()))]
            for batch, logprobs, mask in self._passes(data)
            for b, rows in enumerate(logprobs)
        ]

    def _passes(self, data: ScoredDataset) -> Iterator[tuple[dict[str, torch.Tensor], torch.Tensor, torch.Tensor]]:
        """Batches of a data set in its order, each with :func:`completion_logprobs` of the model as it is now."""
        loader = DataLoader(data, batch_size=self.config.batch_size, collate_fn=self._collate)
        device = next(torch.nn.Module.parameters(self.model)).device
        torch.nn.Module.train(self.model, False)
        with torch.no_grad():
            for batch in loader:
                logprobs, mask = completion_logprobs(self.model, {name: x.to(device) for name, x in batch.items()})
                yield batch, logprobs.cpu(), mask.cpu()

    def _recorded(self) -> dict[str, Any]:
        """What decides the weights that come out."""
        settings = {name: value for name, value in asdict(self.config).items() if name not in _INCIDENTAL}
        data = hashlib.sha256(repr(self._groups).encode()).hexdigest()[:12]
        return {"kind": "Offline GRPO", **settings, "data": data}

    def _dataset(self, groups: Any) -> ScoredDataset:
        return ScoredDataset(groups, self.tokenizer, self.config.max_seq_length)

    @property
    def _collate(self) -> Any:
        return partial(collate, pad_id=self.tokenizer.pad_token_id)

    def _load(self) -> tuple[PreTrainedModel | PeftModel, PreTrainedTokenizerBase]:
        dtype = torch.float32 if self.config.lora_path is None else None  # as load_for_training has them
        model, tokenizer = load_causal_lm(self.config.model_path, dtype=dtype, chat=False)
        if self.config.lora_path is None:
            return model, tokenizer
        if adapter_base(self.config.lora_path) is None:
            raise ModelNotFound(
                f"There is no LoRA adapter at {self.config.lora_path} (no adapter_config.json). Leave lora_path out to "
                "train all weights, or name the folder that an adapter was saved to."
            )
        return PeftModel.from_pretrained(model, self.config.lora_path, is_trainable=True), tokenizer

    def _arguments(self) -> TrainingArguments:
        on_gpu, config = torch.cuda.is_available(), self.config
        return TrainingArguments(
            output_dir=config.output_dir,
            per_device_train_batch_size=config.batch_size,
            num_train_epochs=config.num_epochs,
            learning_rate=config.learning_rate,
            warmup_steps=config.warmup,
            logging_steps=config.logging_steps,
            save_steps=config.save_steps,
            save_total_limit=config.save_total_limit,
            seed=config.seed,
            report_to=config.report_to,
            bf16=on_gpu,
            use_cpu=not on_gpu,
            dataloader_pin_memory=on_gpu,
            remove_unused_columns=False,
            disable_tqdm=True,
        )


class _GroupTrainer(transformers.Trainer):
    """transformers' trainer on batches ``[B, K, T]``."""

    def __init__(self, *, algorithm: RLAlgorithm[Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._algorithm = algorithm
        self._metrics: defaultdict[str, list[float]] = defaultdict(list)

    def compute_loss(self, model: Any, inputs: Any, *_: Any, **__: Any) -> torch.Tensor:
        logprobs, mask = completion_logprobs(model, inputs)
        loss, metrics = grouped_loss(self._algorithm, logprobs, mask, inputs["scores"], inputs.get("reference"))
        for name, value in metrics.items():
            self._metrics[name].append(value)
        return loss

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        logs.update({name: sum(values) / len(values) for name, values in self._metrics.items()})
        self._metrics.clear()
        super().log(logs, start_time)


def completion_logprobs(model: Any, batch: dict[str, torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of the tokens of each completion, 0 elsewhere, and their mask; each ``[B, K, T − 1]``."""
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
    """The objective on a batch.

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


def rank_correlation(first: torch.Tensor, second: torch.Tensor) -> float:
    """Spearman's: the correlation of ranks, equal values sharing the mean of theirs; 0 where one is constant.

    Args:
        first, second: ``[K]``.
    """
    ranks = [((x.unsqueeze(1) > x).sum(1) - (x.unsqueeze(1) < x).sum(1)).double() for x in (first, second)]
    spread = ranks[0].norm() * ranks[1].norm()
    return float((ranks[0] @ ranks[1] / spread).item()) if spread > 0 else 0.0
