"""The best premises for a goal at a place, by the ranker that a user names.

A retriever is named ``bm25``, ``learnt`` (the one that ships with this package), or by the folder (or the name on the
hub) of one that was trained. Nothing is asked of Lean.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lean_agent.errors import ModelNotFound
from lean_agent.policy.model_files import check_config
from lean_agent.policy.retrieval.corpus import Document, Place, PremiseCorpus
from lean_agent.policy.retrieval.encoder import CARD, DenseRanker
from lean_agent.policy.retrieval.learnt import SHIPPED, WEIGHTS, LearntRanker, load_weights
from lean_agent.policy.retrieval.near_proofs import NearProofs, ProofPremises
from lean_agent.policy.retrieval.rankers import BM25Ranker, Ranker

BM25 = "bm25"
LEARNT = "learnt"


def check_retriever(name: str | Path) -> None:
    """Make sure, before anything is loaded, that there is a retriever of this name.

    Raises:
        ModelNotFound: there is none, or the folder holds something else.
    """
    folder = Path(name)
    if str(name) in (BM25, LEARNT):
        return
    if (folder / WEIGHTS).is_file():
        load_weights(folder)
        return
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise ModelNotFound(
            f"{name} is no retriever: it holds neither {WEIGHTS} nor the config.json of an encoder. Give bm25, learnt, "
            "or a folder that `lean-agent train --kind retrieval` has written."
        )
    check_config(str(name))
    if folder.is_dir():
        architectures = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("architectures") or [""]
        if architectures[0].endswith("ForCausalLM") and not (folder / CARD).is_file():
            raise ModelNotFound(
                f"{name} is no encoder but a model that writes text ({architectures[0]}): train one of it with "
                f"`lean-agent train --kind retrieval --model {name}`, or give bm25."
            )


def load_ranker(
    name: str | Path, corpus: PremiseCorpus, proofs: Iterable[ProofPremises] = (), *, progress: bool = True
) -> Ranker:
    """Return the ranker of this name for a corpus.

    Args:
        proofs: the proofs that are known, for one that looks at what they have used; no other one reads them.
        progress: show a bar while an encoder reads a large corpus.

    Raises:
        ModelNotFound: there is none of that name.
    """
    check_retriever(name)
    if str(name) == BM25:
        return BM25Ranker(corpus)
    folder = SHIPPED if str(name) == LEARNT else Path(name)
    if (folder / WEIGHTS).is_file():
        return LearntRanker(corpus, folder, NearProofs(corpus, proofs))
    return DenseRanker(corpus, name, progress=progress)


class PremiseRetriever:
    """The best premises for a goal at a place.

    Args:
        ranker: by default BM25.
        facts: leave out what no tactic can use as a fact or unfold (:attr:`PremiseCorpus.is_fact`).
    """

    def __init__(self, corpus: PremiseCorpus, ranker: Ranker | None = None, *, facts: bool = False) -> None:
        self.corpus = corpus
        self._facts = facts
        self._ranker = ranker or BM25Ranker(corpus)

    @property
    def identity(self) -> str:
        """The same for retrievers that rank alike."""
        return self._ranker.identity

    def retrieve(self, goals: Sequence[str], places: Sequence[Place], k: int) -> list[list[Document]]:
        """Return up to ``k`` different premises for each goal, the best first, all of them accessible at its place."""
        ranked = self.numbers(goals, places, k)
        return [[self.corpus.documents[number] for number in numbers] for numbers in ranked]

    def numbers(self, goals: Sequence[str], places: Sequence[Place], k: int) -> list[list[int]]:
        """Return the same by their numbers in the corpus."""
        scores = self._ranker.scores(goals, places)
        return [self._best(row, place, k) for row, place in zip(scores, places, strict=True)]

    def _best(self, scores: NDArray[np.float32], place: Place, k: int) -> list[int]:
        usable = np.flatnonzero(
            self.corpus.accessible(place) & (scores != 0) & (self.corpus.is_fact | (not self._facts))
        )
        if len(usable) > k:  # of a large corpus only what can be among the first is sorted
            worst = np.partition(scores[usable], len(usable) - k)[len(usable) - k]
            usable = usable[scores[usable] >= worst]
        # The order of the corpus decides between equals, so that the same goal gets the same premises everywhere.
        return [int(number) for number in usable[np.argsort(-scores[usable], kind="stable")][:k]]
