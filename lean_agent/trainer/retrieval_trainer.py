"""Train a retriever of premises on traced proofs: weights of features, or an encoder.

Without a model a small network learns to weigh what can be seen of a premise beside a goal
(:mod:`lean_agent.policy.retrieval.features`), by a softmax over the premises that a goal uses and others that it could
use. With a model an encoder is trained by contrast (ReProver's recipe, arXiv 2306.15626: mean of the last hidden
states, cosine, negatives from the batch and from the same file; the loss is InfoNCE, arXiv 1807.03748). The folder of
either is what ``retriever=`` takes everywhere.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file
from typing_extensions import override

from lean_agent.database.records import RepositoryKey
from lean_agent.policy.loading import no_file_bars, tokenizer_identity
from lean_agent.policy.model_files import check_config
from lean_agent.policy.retrieval.encoder import CARD, load_encoder, mean_states
from lean_agent.policy.retrieval.features import FEATURES
from lean_agent.policy.retrieval.learnt import WEIGHTS
from lean_agent.policy.retrieval.recall import measure_recall
from lean_agent.policy.retrieval.retriever import BM25, PremiseRetriever, load_ranker
from lean_agent.trainer.base import takes_settings, with_folder
from lean_agent.trainer.data.premise_rows import PremiseDataset, contrastive_rows, feature_rows
from lean_agent.trainer.repositories import RepositoryTrainer
from lean_agent.trainer.run.tracking import add_metrics
from lean_agent.trainer.settings import RetrievalSettings

WIDTH = 32
"""Of the network's hidden layer."""
DROPOUT = 0.1
WEIGHT_DECAY = 0.1
TEMPERATURE = 0.05
"""An encoder's cosines are divided by it before the softmax."""
MAX_TOKENS = 256
"""Of a text in training; ranking reads more of it."""


class RetrievalTrainer(RepositoryTrainer[RetrievalSettings]):
    """Trains a retriever (:func:`lean_agent.policy.retrieval.load_ranker`).

    After each repository ``metrics.jsonl`` and ``retriever.json`` have recall@1, recall@10 and the mean reciprocal
    rank on held-out theorems, beside BM25's. Features are weighed anew on the merged data after each repository, which
    takes seconds; an encoder goes on.

    Args:
        model_name: the encoder to start from, or nothing, to weigh features; or all settings, or a YAML file of them.
        output_dir: checkpoints, metrics, and the newest retriever.
        settings: those of :class:`~lean_agent.trainer.settings.RetrievalSettings`, by name.

    Raises:
        ConfigError, ModelNotFound: see :class:`~lean_agent.trainer.base.Trainer`.
    """

    kind = "retrieval"
    shown_metrics = ("loss",)

    @takes_settings
    def __init__(
        self, model_name: str | Path | RetrievalSettings = "", output_dir: str | Path | None = None, **settings: Any
    ) -> None:
        self._dataset: PremiseDataset | None = None
        self._held_out: dict[str, float] = {}
        super().__init__(RetrievalSettings.of(model_name, **with_folder(output_dir, settings)))

    @property
    def _is_encoder(self) -> bool:
        return bool(self.settings.model_name)

    @override
    def _check_model(self) -> None:
        if not self._run.finished and self._is_encoder:
            check_config(self.settings.model_name)

    @override
    def _load(self, source: str | None = None) -> Any:
        checkpoint = source or self.model_path
        if self._is_encoder:
            return load_encoder(checkpoint)
        network = FeatureNetwork()
        if checkpoint:
            network.load_state_dict(load_file(Path(checkpoint) / WEIGHTS))
        return network, None

    @override
    def _read(self, data_path: Path, repository: RepositoryKey) -> PremiseDataset:
        self._dataset = PremiseDataset.read(data_path, self.settings.split)
        return self._dataset

    @override
    def _build(self, dataset: PremiseDataset, arguments: dict[str, Any]) -> transformers.Trainer:
        del arguments["activation_checkpointing"]
        settings = self.settings
        if self._is_encoder:
            rows: Sequence[Any] = contrastive_rows(dataset, settings.seed)
            model: torch.nn.Module = ContrastiveEncoder(self.model)
            collate: Callable[[Any], Any] = ContrastiveBatch(self.tokenizer)
        else:
            rows = feature_rows(dataset, settings.negatives, settings.seed)
            model, collate = FeatureNetwork([row["features"] for row in rows]), feature_batch
        config = transformers.TrainingArguments(**arguments, remove_unused_columns=False, weight_decay=WEIGHT_DECAY)
        return transformers.Trainer(model=model, args=config, train_dataset=rows, data_collator=collate)

    @override
    def _finish(self, part: RepositoryKey, **facts: Any) -> None:
        if isinstance(self.model, ContrastiveEncoder):
            self.model = self.model.encoder
        self._check_weights()
        if self.processes.is_first:
            self._held_out = self._measured()
            measured = {f"eval_{name}": value for name, value in self._held_out.items()}
            labels = {"repository": part.url, "commit": part.commit}
            add_metrics(self.metrics_file, labels, facts["steps"], measured)
        super()._finish(part, **facts)

    @override
    def _save_model(self, folder: Path) -> None:
        card: dict[str, Any] = {"kind": "encoder" if self._is_encoder else "features", "held_out": self._held_out}
        if self._is_encoder:
            with no_file_bars():
                self.model.save_pretrained(str(folder))
            self.tokenizer.save_pretrained(folder)
            card["tokenizer"] = tokenizer_identity(self.tokenizer)
        else:
            save_file(
                {name: tensor.contiguous().cpu() for name, tensor in self.model.state_dict().items()}, folder / WEIGHTS
            )
        (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")

    def _measured(self) -> dict[str, float]:
        """Return what is found on held-out theorems, by the retriever as it will be used and by BM25; nothing without
        such theorems."""
        assert self._dataset is not None
        corpus, held_out, proofs = self._dataset.corpus, self._dataset.held_out, self._dataset.proofs
        with tempfile.TemporaryDirectory() as folder:
            self._save_model(Path(folder))
            rankers = {"": load_ranker(folder, corpus, proofs, progress=False), "bm25_": load_ranker(BM25, corpus)}
        values: dict[str, float] = {}
        for prefix, ranker in rankers.items():
            recall = measure_recall(PremiseRetriever(corpus, ranker), held_out)
            values |= {f"{prefix}recall@{k}": share for k, share in recall.at.items()} if recall.states else {}
            values |= {f"{prefix}mean_reciprocal_rank": recall.mean_reciprocal_rank} if recall.states else {}
        return values


class FeatureNetwork(torch.nn.Module):
    """A hidden layer over standardised features; :class:`~lean_agent.policy.retrieval.learnt.LearntRanker` computes the
    same.

    Args:
        rows: features ``[P, F]`` of premises, to standardise by. One that never varies counts for nothing.
    """

    mean: torch.Tensor
    scale: torch.Tensor

    def __init__(self, rows: Sequence[Any] = ()) -> None:
        super().__init__()
        stacked = np.concatenate(rows) if rows else np.zeros((1, len(FEATURES)), dtype=np.float32)
        spread = stacked.std(axis=0)
        scale = np.where(spread > 1e-4, 1 / np.maximum(spread, 1e-4), 0)
        self.register_buffer("mean", torch.tensor(stacked.mean(axis=0), dtype=torch.float32))
        self.register_buffer("scale", torch.tensor(scale, dtype=torch.float32))
        self.hidden = torch.nn.Linear(len(FEATURES), WIDTH)
        self.score = torch.nn.Linear(WIDTH, 1, bias=False)

    def forward(self, features: torch.Tensor, relevant: torch.Tensor, mask: torch.Tensor) -> dict[str, torch.Tensor]:
        """Compute scores ``[B, P]`` and the loss.

        Args:
            features: ``[B, P, F]``.
            relevant: ``[B, P]``, true for a premise that the goal uses.
            mask: ``[B, P]``, true for a premise, false for padding.
        """
        hidden = torch.relu(self.hidden((features - self.mean) * self.scale))
        hidden = torch.nn.functional.dropout(hidden, DROPOUT, self.training)
        scores = self.score(hidden).squeeze(-1).masked_fill(~mask, -1e9)
        return {"loss": softmax_loss(scores, relevant), "scores": scores}


class ContrastiveEncoder(torch.nn.Module):
    """An encoder with its loss."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(
        self, goals: Mapping[str, Any], premises: Mapping[str, Any], relevant: torch.Tensor, mask: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        """Compute cosines ``[B, P]`` of all goals with all premises of a batch, and the loss.

        Args:
            goals, premises: tokens of ``B`` and of ``P`` texts.
            relevant: ``[B, P]``, true for the premise of the goal's own row.
            mask: ``[B, P]``, false for other premises that the goal uses, which are no negatives.
        """
        cosines = mean_states(self.encoder, goals) @ mean_states(self.encoder, premises).T
        scores = (cosines / TEMPERATURE).masked_fill(~mask, -1e9)
        return {"loss": softmax_loss(scores, relevant), "scores": scores}


def softmax_loss(scores: torch.Tensor, relevant: torch.Tensor) -> torch.Tensor:
    """Compute the mean negative log-probability of what is relevant, first over each row, then over rows.

    Args:
        scores: ``[B, P]``.
        relevant: ``[B, P]``, with at least one in each row.
    """
    likelihoods = torch.log_softmax(scores, dim=1)
    of_rows = torch.where(relevant, likelihoods, 0.0).sum(dim=1) / relevant.sum(dim=1)
    return -of_rows.mean()


def feature_batch(rows: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
    """Pad rows of :func:`~lean_agent.trainer.data.premise_rows.feature_rows` to one length."""
    most = max(len(row["relevant"]) for row in rows)
    features = torch.zeros(len(rows), most, len(FEATURES))
    relevant, mask = (torch.zeros(len(rows), most, dtype=torch.bool) for _ in range(2))
    for at, row in enumerate(rows):
        count = len(row["relevant"])
        features[at, :count] = torch.from_numpy(row["features"])
        relevant[at, :count] = torch.from_numpy(row["relevant"])
        mask[at, :count] = True
    return {"features": features, "relevant": relevant, "mask": mask}


class ContrastiveBatch:
    """Puts rows of :func:`~lean_agent.trainer.data.premise_rows.contrastive_rows` together: all premises of the batch,
    each text once, for all goals."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        premises = list(dict.fromkeys(text for row in rows for text in row["premises"]))
        relevant = torch.tensor([[text == row["premises"][0] for text in premises] for row in rows])
        mask = torch.tensor([[text not in row["used"] for text in premises] for row in rows]) | relevant
        return {
            "goals": self._tokens([row["goal"] for row in rows]),
            "premises": self._tokens(premises),
            "relevant": relevant,
            "mask": mask,
        }

    def _tokens(self, texts: Sequence[str]) -> dict[str, torch.Tensor]:
        tokens = self._tokenizer(list(texts), padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
        return {name: tokens[name] for name in ("input_ids", "attention_mask")}
