from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from lean_agent.errors import ConfigError, ModelNotFound, TrainingError
from lean_agent.policy.retrieval import LearntRanker, PremiseCorpus, PremiseRetriever, load_ranker, measure_recall
from lean_agent.policy.retrieval.corpus import Place
from lean_agent.policy.retrieval.encoder import load_encoder
from lean_agent.policy.retrieval.features import FEATURES
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.tracing.project.repository import Repository
from lean_agent.trainer.retrieval_trainer import (
    ContrastiveBatch,
    FeatureNetwork,
    RetrievalTrainer,
    feature_batch,
    softmax_loss,
)

WHOSE = {"url": "local:r", "commit": "c"}
NAMES = [f"Tree.{first}{second}" for first in ("size", "flip", "sum") for second in ("Left", "Right", "Both")]
REPOSITORY = Repository("local:r", "c", "r", Path("r"))


class Written:
    """A small repository: each theorem uses the definition that its goal names, and none that shares more words."""

    def __init__(self, used: bool = True) -> None:
        self._used = used

    def export_merged_data(self, repos: Sequence[Any], path: Path) -> None:
        premises = [
            {"full_name": name, "code": f"def {name.split('.')[1]} : Tree → Nat", "start": [row, 1], "end": [row, 9],
             "kind": "definition"}
            for row, name in enumerate(NAMES, start=1)
        ]  # fmt: skip
        lures = [
            {"full_name": f"Lure.{name.split('.')[1]}", "code": f"theorem lure : t.{name.split('.')[1]} = t.x ∧ t.y",
             "start": [row, 1], "end": [row, 9], "kind": "theorem"}
            for row, name in enumerate(NAMES, start=20)
        ]  # fmt: skip
        line = {"path": "A.lean", "imports": [], "premises": [*premises, *lures], **WHOSE}
        (path / "random").mkdir(parents=True, exist_ok=True)
        (path / "corpus.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
        for part, names in (("train", NAMES[:7]), ("val", NAMES[7:])):
            theorems = [self._theorem(name) for name in names]
            (path / "random" / f"{part}.json").write_text(json.dumps(theorems), encoding="utf-8")

    def _theorem(self, name: str) -> dict[str, Any]:
        used = [{"full_name": name}] if self._used else []
        tactic = {
            "state_before": f"t : Tree\n⊢ t.{name.split('.')[1]} = t.x ∧ t.y",
            "annotated_tactic": ["", used],
        }
        place = {"file_path": "A.lean", "start": [50, 1]}
        return {**WHOSE, **place, "full_name": f"about_{name}", "traced_tactics": [tactic]}


def test_weights_of_features_are_learnt_and_used(tmp_path: Path) -> None:
    trainer = RetrievalTrainer(output_dir=tmp_path / "out", epochs=20, progress=False)
    trainer.train([REPOSITORY], Written(), tmp_path / "data")
    card = json.loads((tmp_path / "out" / "retriever.json").read_text())
    assert card["kind"] == "features"
    # BM25 prefers the lures, which have every word of a goal; what is used is the definition.
    assert card["held_out"]["recall@1"] == 1.0 and card["held_out"]["bm25_recall@1"] == 0.0
    last = json.loads(trainer.metrics_file.read_text().splitlines()[-1])
    assert last["eval_recall@1"] == 1.0 and last["repository"] == "local:r"
    corpus = PremiseCorpus.read(tmp_path / "data")
    ranker = load_ranker(trainer.model_path, corpus)
    assert isinstance(ranker, LearntRanker)
    val = json.loads((tmp_path / "data" / "random" / "val.json").read_text())
    assert measure_recall(PremiseRetriever(corpus, ranker), val, (1,)).at[1] == 1.0
    before = load_file(tmp_path / "out" / "ranker.safetensors")
    again = RetrievalTrainer(output_dir=tmp_path / "out", epochs=20, progress=False)
    again.train([REPOSITORY], Written(), tmp_path / "data")  # done already
    assert all((before[name] == value).all() for name, value in load_file(tmp_path / "out/ranker.safetensors").items())
    with pytest.raises(ConfigError, match="holds a training run with epochs_per_repo=20"):
        RetrievalTrainer(output_dir=tmp_path / "out", epochs=21)


def test_the_network_and_its_use_without_torch_agree(tmp_path: Path) -> None:
    Written().export_merged_data([], tmp_path / "data")
    trainer = RetrievalTrainer(output_dir=tmp_path / "out", epochs=1, progress=False)
    trainer.train([REPOSITORY], Written(), tmp_path / "data")
    ranker = LearntRanker(PremiseCorpus.read(tmp_path / "data"), tmp_path / "out")
    goal, place = "t : Tree\n⊢ t.sizeLeft = t.x", Place("local:r", "c", "A.lean", (50, 1))
    features = ranker._features.of(goal, place)
    batch = feature_batch([{"features": features, "relevant": np.arange(len(features)) == 0}])
    trainer.model.train(False)
    on_gpu = torch.cuda.is_available()
    batch = {name: tensor.to("cuda" if on_gpu else "cpu") for name, tensor in batch.items()}
    scores = trainer.model(**batch)["scores"][0].detach().float().cpu().numpy()
    assert np.allclose(scores, ranker.scores([goal], [place])[0], atol=2e-2 if on_gpu else 1e-4)


def test_an_encoder_is_trained_by_contrast(tmp_path: Path) -> None:
    tiny = make_tiny_model(NAMES, tmp_path / "tiny", vocab_size=300, hidden_size=64, layers=1)
    trainer = RetrievalTrainer(tiny, tmp_path / "out", epochs=1, batch_size=4, lr=1e-3, progress=False)
    trainer.train([REPOSITORY], Written(), tmp_path / "data")
    assert json.loads((tmp_path / "out" / "retriever.json").read_text())["kind"] == "encoder"
    corpus = PremiseCorpus.read(tmp_path / "data")
    assert load_ranker(tmp_path / "out", corpus, progress=False).identity.startswith("encoder ")


def test_the_loss_is_the_mean_over_what_is_used() -> None:
    scores = torch.log(
        torch.tensor([[2.0, 1.0, 1.0], [1.0, 1.0, 2.0]])
    )  # probabilities 1/2, 1/4, 1/4 and 1/4, 1/4, 1/2
    relevant = torch.tensor([[True, True, False], [False, False, True]])
    # ((ln 2 + ln 4) / 2 + ln 2) / 2 = 1.25 ln 2
    assert softmax_loss(scores, relevant).item() == pytest.approx(1.25 * np.log(2))


def test_padding_and_features_that_never_vary_count_for_nothing() -> None:
    rows = [np.zeros((2, len(FEATURES)), dtype=np.float32), np.ones((1, len(FEATURES)), dtype=np.float32)]
    for features in rows:
        features[:, 3] = 7
    network = FeatureNetwork(rows)
    assert network.scale[3] == 0 and network.scale[4] == pytest.approx(1 / np.std([0, 0, 1]), rel=1e-4)
    relevant = [np.array([True, False]), np.array([True])]
    batch = feature_batch([{"features": f, "relevant": r} for f, r in zip(rows, relevant, strict=True)])
    assert batch["mask"].tolist() == [[True, True], [True, False]]
    assert network(**batch)["scores"][1, 1] == -1e9


def test_another_premise_of_a_goal_is_no_negative(tmp_path: Path) -> None:
    tiny = make_tiny_model(["a b c d"], tmp_path / "tiny", vocab_size=300, hidden_size=64, layers=1)
    batch = ContrastiveBatch(load_encoder(tiny)[1])(
        [
            {"goal": "g", "premises": ["a", "c"], "used": ["a", "b"]},
            {"goal": "h", "premises": ["b", "a"], "used": ["b"]},
        ]
    )
    # The premises of the batch are a, c, b; b is used by the first goal, too.
    assert batch["relevant"].tolist() == [[True, False, False], [False, False, True]]
    assert batch["mask"].tolist() == [[True, True, False], [True, True, True]]


def test_what_cannot_be_trained_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="premises is no setting of a retriever"):
        RetrievalTrainer(output_dir=tmp_path, premises=4)
    with pytest.raises(ModelNotFound):
        RetrievalTrainer(tmp_path / "nowhere", tmp_path / "out")
    with pytest.raises(TrainingError, match=r"No tactic of .* names a premise of the corpus"):
        RetrievalTrainer(output_dir=tmp_path / "out").train([REPOSITORY], Written(used=False), tmp_path / "data")
