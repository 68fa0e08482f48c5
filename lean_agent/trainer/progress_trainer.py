"""Training of a value model: from a goal, and perhaps a tactic, to the number of steps that its proof has left.

It starts from a causal language model, by preference the policy that will search, with a head over numbers of steps on
its trunk. It learns from traced proofs, and from saved searches: those that failed say how many steps are too few.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import transformers
from datasets import Dataset
from torch.utils.data import Sampler
from transformers import (
    AutoModelForSequenceClassification,
    DataCollatorWithPadding,
    EvalPrediction,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)
from typing_extensions import override

from lean_agent.database.records import RepositoryKey
from lean_agent.errors import ConfigError, TrainingError
from lean_agent.policy.loading import load_causal_lm, no_file_bars
from lean_agent.policy.model_files import adapter_base
from lean_agent.policy.progress import (
    MOST_STEPS,
    SETTING,
    expected_steps,
    load_progress_model,
    step_text,
    steps_loss,
    trained_with,
)
from lean_agent.trainer.base import takes_settings, with_folder
from lean_agent.trainer.data.dataset import HELD_OUT_FILE, TEST_FILE, TRAIN_FILE, read_split
from lean_agent.trainer.data.distances import (
    Distance,
    concordance,
    in_other_names,
    merged,
    rank_correlation,
    read_distances,
    trace_distances,
)
from lean_agent.trainer.data.renaming import with_copies
from lean_agent.trainer.repositories import RepositoryTrainer
from lean_agent.trainer.run.callbacks import Evaluations, keeping_the_best
from lean_agent.trainer.run.loading import Trainable, quiet_libraries
from lean_agent.trainer.settings import ProgressSettings
from lean_agent.trainer.sft_trainer import LengthGroupedSampler


class DistanceDataset:
    """Goals, with and without tactics, and the steps that their proofs have left.

    Attributes:
        rows: one for each goal and tactic.
    """

    def __init__(self, rows: Sequence[Distance]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def fingerprint(self) -> str:
        """Return twelve hexadecimal digits that change whenever a row does."""
        lines = "\n".join(json.dumps(asdict(row), sort_keys=True) for row in self.rows)
        return hashlib.sha256(lines.encode()).hexdigest()[:12]


class ProgressTrainer(RepositoryTrainer[ProgressSettings]):
    """Trains a value model for searches (:class:`~lean_agent.policy.progress.ProgressModel`).

    With held-out theorems among the data, ``metrics.jsonl`` has the loss on their goals, the rank correlation with the
    steps that are known, and the concordance; the last beside that of two baselines, the length of a printed goal
    (``concordance_of_length``) and the number of its hypotheses (``concordance_of_hypotheses``).

    Args:
        model_name: the causal language model to start from; or all settings, or a YAML file of them.
        output_dir: checkpoints, metrics, and the newest model.
        settings: those of :class:`~lean_agent.trainer.settings.ProgressSettings`, by name.

    Raises:
        ConfigError, ModelNotFound: see :class:`~lean_agent.trainer.base.Trainer`.
    """

    kind = "progress"
    shown_metrics = ("loss", "eval_concordance")

    @takes_settings
    def __init__(
        self, model_name: str | Path | ProgressSettings, output_dir: str | Path | None = None, **settings: Any
    ) -> None:
        self._held_out: DistanceDataset | None = None
        super().__init__(ProgressSettings.of(model_name, **with_folder(output_dir, settings)))
        if adapter_base(self.settings.model_name) is not None:
            raise ConfigError(
                f"{self.settings.model_name} is a LoRA adapter, and a value model trains all weights: name its base "
                "model, or a checkpoint with the adapter merged into it."
            )

    @override
    def _load(self, source: str | None = None) -> Trainable:
        source = source or self.model_path
        config = Path(source) / "config.json"
        if config.is_file() and SETTING in json.loads(config.read_text(encoding="utf-8")):
            return load_progress_model(source)
        with quiet_libraries(), no_file_bars():
            return value_model(*load_causal_lm(source, dtype=torch.float32))

    @override
    def _read(self, data_path: Path, repository: RepositoryKey) -> DistanceDataset:
        parts = (data_path / HELD_OUT_FILE, data_path / TEST_FILE)
        held_out, test = (read_split(path) if path.is_file() else [] for path in parts)
        rows = [row for theorem in read_split(data_path / TRAIN_FILE) for row in trace_distances(theorem)]
        measured = [row for theorem in held_out for row in trace_distances(theorem)]
        if self.settings.searches:
            names = {str(theorem["full_name"]) for theorem in held_out}
            others = {str(theorem["full_name"]) for theorem in test}
            searched = [*read_distances(self.settings.searches)]
            rows += [row for row in searched if row.theorem not in names | others]
            measured += [row for row in searched if row.theorem in names]
        if not rows:
            raise TrainingError(
                f"{data_path / TRAIN_FILE} has no finished tactic proof, so that there is no goal to learn from. Add a "
                "repository with tactic proofs."
            )
        self._held_out = DistanceDataset(merged(measured)) if measured and self.settings.evaluations else None
        augment, seed = self.settings.augment, self.settings.seed
        distances = merged(rows)
        return DistanceDataset(tuple(with_copies(lambda: distances, augment, seed, in_other_names)))

    @override
    def _build(self, dataset: DistanceDataset, arguments: dict[str, Any]) -> transformers.Trainer:
        held_out = self._held_out
        if held_out:
            arguments |= keeping_the_best(self.settings.batch_size)
        trainer = _StepsTrainer(
            model=self.model,
            args=transformers.TrainingArguments(**arguments, remove_unused_columns=False),
            train_dataset=self._encoded(dataset),
            eval_dataset=self._encoded(held_out) if held_out else None,
            data_collator=DataCollatorWithPadding(self.tokenizer),
            processing_class=self.tokenizer,
            compute_metrics=(lambda answers: _measured(answers, held_out.rows)) if held_out else None,
        )
        if held_out:
            trainer.add_callback(Evaluations(self.settings.evaluations))
        return trainer

    def _encoded(self, dataset: DistanceDataset) -> Dataset:
        texts = [step_text(self.tokenizer, row.goal, row.tactic) for row in dataset.rows]
        encoding = self.tokenizer(texts, add_special_tokens=False)
        labels = [[row.steps, int(row.censored)] for row in dataset.rows]
        return Dataset.from_dict({**encoding, "labels": labels})


def value_model(
    policy: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Return a value model with the trunk of a causal language model and a new head, and its tokenizer."""
    config = copy.deepcopy(policy.config)
    config.num_labels = MOST_STEPS
    config.pad_token_id = tokenizer.pad_token_id
    setattr(config, SETTING, trained_with(tokenizer))
    classifier: Any = AutoModelForSequenceClassification
    model: PreTrainedModel = classifier.from_config(config, dtype=torch.float32)
    model.base_model.load_state_dict(policy.base_model.state_dict())
    torch.nn.Module.to(model, policy.device)
    return model, tokenizer


class _StepsTrainer(transformers.Trainer):
    """The trainer of transformers with the loss over steps, and with rows of like length in a batch."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = steps_loss(outputs.logits, labels[:, 0], labels[:, 1])
        return (loss, {"logits": outputs.logits}) if return_outputs else loss

    def _get_train_sampler(self, train_dataset: Any = None) -> Sampler[int]:
        rows: Any = self.train_dataset if train_dataset is None else train_dataset
        lengths = [len(ids) for ids in rows["input_ids"]]
        return LengthGroupedSampler(lengths, self.args.train_batch_size, self.args.seed)


def _measured(answers: EvalPrediction, rows: Sequence[Distance]) -> dict[str, float]:
    """Return how well steps are foretold, beside simple baselines; over goals by themselves, without a tactic."""
    logits = torch.as_tensor(answers.predictions)
    predicted = expected_steps(logits).numpy()
    alone = [place for place, row in enumerate(rows) if not row.tactic]
    goals = [rows[place] for place in alone]
    return {
        "rank_correlation": rank_correlation(predicted[alone], goals),
        "concordance": concordance(predicted[alone], goals),
        "concordance_with_tactics": concordance(predicted, rows),
        "concordance_of_length": concordance([len(row.goal) for row in goals], goals),
        "concordance_of_hypotheses": concordance([row.goal.count("\n") for row in goals], goals),
    }
