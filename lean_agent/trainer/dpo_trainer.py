"""Direct preference optimization: a better answer is to gain on a worse one, against the model that the training starts
from (arXiv 2305.18290). The losses are trl's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
import transformers
from datasets import Dataset
from trl.trainer.dpo_config import DPOConfig as TRLConfig
from trl.trainer.dpo_trainer import DPOTrainer as TRLTrainer
from typing_extensions import override

from lean_agent.errors import ConfigError, TrainingError, nearest
from lean_agent.prompts import TEMPLATE_SETTINGS, completion_messages, prompt_messages
from lean_agent.trainer.base import takes_settings
from lean_agent.trainer.data.scored_dataset import ScoredGroup
from lean_agent.trainer.offline import OfflineSettings, OfflineTrainer, weighed_negatives
from lean_agent.trainer.settings import AboveZero, PartBelowOne

logger = logging.getLogger(__name__)

LOSSES = (
    *("sigmoid", "hinge", "ipo", "exo_pair", "nca_pair", "robust", "bco_pair", "sppo_hard", "aot", "aot_unpaired"),
    *("apo_zero", "apo_down", "discopop", "sft", "sigmoid_norm"),
)
"""trl's names of losses."""


@dataclass(frozen=True, kw_only=True, init=False)
class DPOConfig(OfflineSettings):
    """Everything that decides a training by DPO.

    Attributes:
        beta: how dear it is to move away from the model that the training starts from; of ``ipo``, the paper's tau.
        loss_type: one of :data:`LOSSES`, or several that are added: ``["sigmoid", "sft"]`` keeps the better answers
            likely, too.
        loss_weights: of these, one for each; by default 1.
        label_smoothing: how likely a pair is the wrong way round, for ``robust`` (below 0.5); ``exo_pair`` needs a
            little (1e-3).
    """

    output_dir: Path = Path("dpo_outputs")
    beta: AboveZero = 0.1
    loss_type: str | Sequence[str] = "sigmoid"
    loss_weights: Sequence[float] | None = None
    label_smoothing: PartBelowOne = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.losses:
            if name not in LOSSES:
                raise ConfigError(f"There is no loss {name!r}. {nearest(name, LOSSES)}")
        if self.loss_weights is not None and len(self.loss_weights) != len(self.losses):
            raise ConfigError(f"loss_weights has {len(self.loss_weights)} numbers for {len(self.losses)} losses.")
        if "exo_pair" in self.losses and not self.label_smoothing:
            raise ConfigError("The loss exo_pair needs label_smoothing above 0; its paper takes 1e-3.")
        if "robust" in self.losses and self.label_smoothing >= 0.5:
            raise ConfigError(f"The loss robust needs label_smoothing below 0.5, not {self.label_smoothing}.")

    @property
    def losses(self) -> list[str]:
        """The names of the losses that are added."""
        return [self.loss_type] if isinstance(self.loss_type, str) else list(self.loss_type)


class DPOTrainer(OfflineTrainer[DPOConfig]):
    """Trains a model, or a LoRA adapter, to prefer better answers to worse ones.

        trainer = DPOTrainer("outputs", dataset_path="pairs.jsonl", output_dir="dpo", beta=0.1)
        trainer.train()

    Of a goal with more than two scored answers, every two of different scores are a pair.

    Args:
        config: the settings; or a YAML file of them, or the model, beside ``settings`` by name.

    Raises:
        ConfigError, ModelNotFound, TrainingError: see :class:`~lean_agent.trainer.offline.OfflineTrainer`.
    """

    kind = "DPO"
    shown_metrics = ("loss", "rewards/accuracies")

    @takes_settings
    def __init__(self, config: DPOConfig | str | Path, **settings: Any) -> None:
        super().__init__(DPOConfig.of(config, **settings))

    @override
    def _make(self) -> Callable[[], transformers.Trainer]:
        return self._build

    def _build(self) -> transformers.Trainer:
        settings = self.config
        arguments = TRLConfig(
            **self._arguments,
            beta=settings.beta,
            loss_type=settings.losses,
            loss_weights=None if settings.loss_weights is None else list(settings.loss_weights),
            label_smoothing=settings.label_smoothing,
            max_length=settings.max_seq_length,
        )
        rows = Dataset.from_list([row for group in self._with_copies() for row in self._rows(group)])
        trainer: transformers.Trainer = _PairTrainer(
            model=self.model, args=arguments, train_dataset=rows, processing_class=self.tokenizer
        )
        if settings.negative_weight != 1:
            torch.nn.Module.register_forward_hook(self.model, self._weigh)
        return trainer

    def _rows(self, group: ScoredGroup) -> Iterator[dict[str, Any]]:
        """Yield the pairs of a group as trl reads them: with a chat template as in training and search."""
        chat = self.tokenizer.chat_template is not None
        prompt = prompt_messages(group.prompt) if chat else group.prompt
        columns = {"chat_template_kwargs": TEMPLATE_SETTINGS} if chat else {}
        for high, better in zip(group.scores, group.texts, strict=True):
            for low, worse in zip(group.scores, group.texts, strict=True):
                if high > low:
                    chosen, rejected = (completion_messages(text) if chat else text for text in (better, worse))
                    yield {"prompt": prompt, "chosen": chosen, "rejected": rejected, **columns}

    def _weigh(self, model: Any, inputs: Any, output: Any) -> Any:
        """Let the worse answers, the second half of a batch, count ``negative_weight`` times in the gradient."""
        if torch.is_grad_enabled():
            rows = torch.arange(len(output.log_probs), device=output.log_probs.device).unsqueeze(1)
            negative = rows >= len(rows) // 2
            output.log_probs = weighed_negatives(output.log_probs, negative, self.config.negative_weight)
        return output


class _PairTrainer(TRLTrainer):
    """trl's trainer without pairs that are too long, since half a tactic is none."""

    def _prepare_dataset(self, dataset: Any, processing_class: Any, args: Any, dataset_name: str) -> Any:
        rows = super()._prepare_dataset(dataset, processing_class, args, dataset_name)
        longest = args.max_length
        lengths = zip(rows["prompt_ids"], rows["chosen_ids"], rows["rejected_ids"], strict=True)
        fitting = [
            place for place, (prompt, *both) in enumerate(lengths) if len(prompt) + max(map(len, both)) <= longest
        ]
        if not fitting:
            raise TrainingError(f"No pair fits into max_seq_length = {longest} tokens: give a larger one.")
        if len(fitting) < len(dataset):
            logger.info("%d of %d pairs are longer than %d tokens.", len(dataset) - len(fitting), len(dataset), longest)
        return cast("Dataset", rows.select(fitting))
