"""How much a premise has to do with a goal: the protocol of rankers, BM25, and the sum of several.

A ranker is made for one corpus and scores all of it; what can be used at a place is the retriever's question.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus, text_of, words


class Ranker(Protocol):
    """What says how much a premise has to do with a goal.

    Attributes:
        identity: the same for rankers that rank alike.
    """

    identity: str

    def scores(self, goals: Sequence[str], places: Sequence[Place]) -> NDArray[np.float32]:
        """Score each document of the corpus for each goal at its place, greater is better, 0 for one that has nothing
        to do with it; ``[goals, documents]``."""
        ...


class BM25Ranker:
    """Words in common, rare ones first (BM25 as in Lucene). Names count by their parts: ``Nat.add_comm`` is ``nat``,
    ``add`` and ``comm``.

    Args:
        large: documents from which goals are multiplied with a sparse matrix, where SciPy is installed: that is five
            times as fast, and SciPy takes half a second to load.
    """

    identity = "bm25"

    def __init__(self, corpus: PremiseCorpus, *, large: int = 20_000) -> None:
        self._size = len(corpus.documents)
        self._index: Any = _bm25s().BM25()
        self._matrix: Any = None
        if self._size:
            self._index.index([words(text_of(document)) or ["∅"] for document in corpus.documents], show_progress=False)
        if self._size >= large:
            self._matrix = _matrix(self._index)

    def scores(self, goals: Sequence[str], places: Sequence[Place] = ()) -> NDArray[np.float32]:
        """Score documents by the words in common; 0 for one without any. Places make no difference."""
        if not self._size:
            return np.zeros((len(goals), 0), dtype=np.float32)
        known = self._index.vocab_dict
        queries = [[word for word in words(goal) if word in known] for goal in goals]
        if self._matrix is not None:
            counts = np.zeros((self._matrix.shape[1], len(goals)), dtype=np.float32)
            for goal, query in enumerate(queries):
                np.add.at(counts[:, goal], [known[word] for word in query], 1)
            return np.ascontiguousarray((self._matrix @ counts).T)
        empty = np.zeros(self._size, dtype=np.float32)
        return np.stack([self._index.get_scores(query) if query else empty for query in queries])


def _bm25s() -> Any:
    """Import ``bm25s`` without JAX, which it starts when it is imported, for a sorting that is not asked of it here: on
    a GPU, JAX takes three quarters of the memory as it starts, which models need."""
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    jax = modules.get("jax")
    modules["jax"] = None
    try:
        import bm25s
    finally:
        modules.pop("jax")
        if jax:
            modules["jax"] = jax
    return bm25s


def _matrix(index: Any) -> Any:
    """Return what each word is worth to each document of an index of ``bm25s``, ``[documents, words]``; ``None``
    without SciPy."""
    try:
        from scipy import sparse  # of the extra `train`
    except ImportError:
        return None
    columns = index.scores
    shape = (columns["num_docs"], len(columns["indptr"]) - 1)
    return sparse.csc_matrix((columns["data"], columns["indices"], columns["indptr"]), shape=shape).tocsr()


class HybridRanker:
    """The sum of several rankers, each in units of its standard deviation over the corpus.

    Args:
        rankers: of the same corpus.
    """

    def __init__(self, *rankers: Ranker) -> None:
        self._rankers = rankers
        self.identity = " + ".join(ranker.identity for ranker in rankers)

    def scores(self, goals: Sequence[str], places: Sequence[Place]) -> NDArray[np.float32]:
        """Score documents by the sum."""
        total = np.zeros((), dtype=np.float32)
        for ranker in self._rankers:
            scores = ranker.scores(goals, places)
            spread = scores.std(axis=1, keepdims=True)
            total = total + (scores - scores.mean(axis=1, keepdims=True)) / np.maximum(spread, 1e-6)
        return np.asarray(total, dtype=np.float32)
