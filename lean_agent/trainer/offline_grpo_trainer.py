"""Training on completions that were scored before: no generation, no reward, no Lean.

The objective is the grouped softmax-KL of :mod:`lean_agent.algorithms.softmax_kl`: the policy's softmax over the
sequence log-probabilities of a prompt's completions should be the softmax of their scores. Or DGPO's
(:mod:`lean_agent.algorithms.dgpo`), where the model that the training starts from is the reference, and stands for the
policy that the completions come from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import TrainingArguments
from typing_extensions import override

from lean_agent.algorithms import RLAlgorithm, SoftmaxKL, create_algorithm
from lean_agent.algorithms.softmax_kl import KLDirection
from lean_agent.errors import ConfigError
from lean_agent.trainer.base import takes_settings
from lean_agent.trainer.data.scored_dataset import ScoredDataset
from lean_agent.trainer.offline import (
    OfflineSettings,
    OfflineTrainer,
    completion_logprobs,
    grouped_loss,
    weighed_negatives,
)

OFFLINE_ALGORITHMS = ("softmax_kl", "dgpo")


@dataclass(frozen=True, kw_only=True, init=False)
class OfflineGRPOConfig(OfflineSettings):
    """Everything that decides an offline training.

    Attributes:
        algorithm: ``softmax_kl``, or ``dgpo`` for pairs.
        algorithm_config: settings of ``dgpo``, see :class:`lean_agent.algorithms.dgpo.DGPOConfig`.
        temperature, length_normalize, kl_direction: of the objective ``softmax_kl``, see
            :class:`lean_agent.algorithms.softmax_kl.SoftmaxKLConfig`; what an evaluation says goes by them, too.
    """

    output_dir: Path = Path("grpo_outputs")
    algorithm: str = "softmax_kl"
    algorithm_config: Mapping[str, Any] = field(default_factory=dict)
    temperature: float = 1.0
    length_normalize: bool = False
    kl_direction: KLDirection = "target_to_policy"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.make_algorithm()

    def make_algorithm(self) -> RLAlgorithm[Any]:
        """Make what is minimised.

        Raises:
            ConfigError: no objective for completions from elsewhere, or a setting that is not its own.
        """
        if self.algorithm not in OFFLINE_ALGORITHMS:
            raise ConfigError(
                f"Scored completions are learnt from by {' or '.join(OFFLINE_ALGORITHMS)}, not by {self.algorithm!r}: "
                "the other algorithms draw completions themselves."
            )
        if self.algorithm == "softmax_kl":
            if self.algorithm_config:
                raise ConfigError("algorithm_config is for dgpo; softmax_kl's settings stand by themselves.")
            return self.make_ranking()
        return create_algorithm(self.algorithm, **self.algorithm_config)

    @override
    def make_ranking(self) -> SoftmaxKL:
        names = ("temperature", "length_normalize", "kl_direction")
        return SoftmaxKL(**{name: getattr(self, name) for name in names})


class OfflineGRPOTrainer(OfflineTrainer[OfflineGRPOConfig]):
    """Trains a model, or a LoRA adapter, on scored completions.

        trainer = OfflineGRPOTrainer(OfflineGRPOConfig.from_yaml("configs/offline_grpo.yaml"))
        trainer.train()
        print(trainer.evaluate())

    Args:
        config: the settings; or a YAML file of them, or the model, beside ``settings`` by name.

    Raises:
        ConfigError, ModelNotFound, TrainingError: see :class:`~lean_agent.trainer.offline.OfflineTrainer`.
    """

    kind = "Offline GRPO"

    @takes_settings
    def __init__(self, config: OfflineGRPOConfig | str | Path, **settings: Any) -> None:
        super().__init__(OfflineGRPOConfig.of(config, **settings))
        self.algorithm = self.config.make_algorithm()
        self.shown_metrics = ("loss", "top1" if isinstance(self.algorithm, SoftmaxKL) else "dpo_accuracy")

    @override
    def _make(self) -> Callable[[], transformers.Trainer]:
        data = self._dataset(self._with_copies())
        if not isinstance(self.algorithm, SoftmaxKL):
            data.reference = self._logprobs(data)
        return partial(self._build, data)

    def _build(self, data: ScoredDataset) -> transformers.Trainer:
        return _GroupTrainer(
            algorithm=self.algorithm,
            negative_weight=self.config.negative_weight,
            model=self.model,
            args=TrainingArguments(**self._arguments, remove_unused_columns=False),
            train_dataset=data,
            data_collator=self._collate,
            processing_class=self.tokenizer,
        )

    def _logprobs(self, data: ScoredDataset) -> list[list[list[float]]]:
        """Return those of the tokens of each completion of each group, by the model as it is now."""
        return [
            [rows[k][mask[b, k].bool()].tolist() for k in range(int(batch["scores"][b].isfinite().sum()))]
            for batch, logprobs, mask in self._passes(data)
            for b, rows in enumerate(logprobs)
        ]


class _GroupTrainer(transformers.Trainer):
    """transformers' trainer on batches ``[B, K, T]``."""

    def __init__(self, *, algorithm: RLAlgorithm[Any], negative_weight: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._algorithm = algorithm
        self._negative_weight = negative_weight
        self._metrics: defaultdict[str, list[float]] = defaultdict(list)

    def compute_loss(self, model: Any, inputs: Any, *_: Any, **__: Any) -> torch.Tensor:
        logprobs, mask = completion_logprobs(model, inputs)
        scores = inputs["scores"]
        worse = scores < scores.nan_to_num(-torch.inf).amax(dim=1, keepdim=True)
        logprobs = weighed_negatives(logprobs, worse.unsqueeze(2), self._negative_weight)
        loss, metrics = grouped_loss(self._algorithm, logprobs, mask, scores, inputs.get("reference"))
        for name, value in metrics.items():
            self._metrics[name].append(value)
        return loss

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        logs.update({name: sum(values) / len(values) for name, values in self._metrics.items()})
        self._metrics.clear()
        super().log(logs, start_time)
