"""Premises ranked by what was learnt of their features: a small network, in a folder that a training has written.

Owns the file of weights and the arithmetic. It is trained by :mod:`lean_agent.trainer.retrieval_trainer`, and used
without torch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from lean_agent.errors import ModelNotFound
from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus
from lean_agent.policy.retrieval.features import FEATURES, PremiseFeatures
from lean_agent.policy.retrieval.near_proofs import NearProofs

WEIGHTS = "ranker.safetensors"
SHIPPED = Path(__file__).with_name("shipped")
"""A ranker that has learnt on the repositories under ``repos/``: ``benchmarks/premises.py --only ship`` makes it."""


def load_weights(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Read the weights of a ranker: ``mean`` and ``scale`` ``[F]``, ``hidden.weight`` ``[H, F]``, ``hidden.bias``
    ``[H]``, ``score.weight`` ``[1, H]``.

    Raises:
        ModelNotFound: there are none, or they are of other features than this version's.
    """
    path = folder / WEIGHTS
    try:
        weights: dict[str, NDArray[np.float32]] = load_file(path)
        n_features = weights["hidden.weight"].shape[1]
    except (OSError, SafetensorError, KeyError, IndexError) as error:
        raise ModelNotFound(f"{path} does not read as the weights of a retriever: train it again.") from error
    if n_features != len(FEATURES):
        raise ModelNotFound(
            f"The retriever in {folder} weighs {n_features} features, and this version has {len(FEATURES)}: train it "
            "again."
        )
    return weights


class LearntRanker:
    """A network of one hidden layer over :data:`~lean_agent.policy.retrieval.features.FEATURES`.

    Args:
        folder: where its weights are.
        proofs: the proofs that are known, for what they have used.
        most: of more documents, those that share most words with a goal are ranked, and those that proofs of similar
            goals use.

    Raises:
        ModelNotFound: there are none that fit.
    """

    def __init__(
        self, corpus: PremiseCorpus, folder: str | Path, proofs: NearProofs | None = None, *, most: int = 4096
    ) -> None:
        self._most = most
        self._weights = load_weights(Path(folder))
        self._features = PremiseFeatures(corpus, proofs)
        self._size = len(corpus.documents)
        digest = hashlib.sha256(b"".join(weights.tobytes() for _, weights in sorted(self._weights.items())))
        self.identity = f"learnt {digest.hexdigest()[:16]} {len(proofs or ())}"

    def scores(self, goals: Sequence[str], places: Sequence[Place]) -> NDArray[np.float32]:
        """Score documents: of two, the difference is how much likelier the greater is a premise (log odds). What cannot
        be used at a place has 0, and in a large corpus so has what shares hardly a word with the goal and no proof of
        a similar one uses."""
        scores = np.zeros((len(goals), self._size), dtype=np.float32)
        for row, goal, place in zip(scores, goals, places, strict=True):
            numbers, features = self._features.likely(goal, place, self._most)
            row[numbers] = self._of(features)
        return scores

    def _of(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        w = self._weights
        hidden = np.maximum((features - w["mean"]) * w["scale"] @ w["hidden.weight"].T + w["hidden.bias"], 0)
        return np.asarray(hidden @ w["score.weight"][0], dtype=np.float32)
