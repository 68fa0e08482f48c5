"""Goals of traced proofs with the premises that their tactics use, as rows that a retriever learns from.

Reads the corpus and a split of an export. Negatives are drawn once, by the seed, so that a training that was
interrupted sees the same rows as one that was not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_agent.errors import TrainingError
from lean_agent.policy.retrieval.corpus import PremiseCorpus, place_of, text_of
from lean_agent.policy.retrieval.features import PremiseFeatures
from lean_agent.policy.retrieval.near_proofs import NearProofs, ProofPremises, premises_of_entries
from lean_agent.policy.retrieval.rankers import BM25Ranker
from lean_agent.policy.retrieval.recall import PremiseUse, premise_uses
from lean_agent.trainer.data.dataset import read_split

WITHOUT_PROOFS = 0.25
"""The share of goals whose features say nothing of proofs."""


@dataclass(frozen=True)
class PremiseDataset:
    """The tactics of a split that use premises, and the corpus that these are chosen from.

    Attributes:
        held_out: theorems that are measured on.
        proofs: what the training theorems' proofs use.
    """

    corpus: PremiseCorpus
    uses: Sequence[PremiseUse]
    held_out: Sequence[Mapping[str, Any]]
    proofs: Sequence[ProofPremises]

    @classmethod
    def read(cls, data_path: Path, split: str) -> PremiseDataset:
        """Read an export.

        Raises:
            ConfigError: it has no corpus, or one that lacks the file of a theorem.
            TrainingError: it has no such split, or nothing in it uses a premise.
        """
        corpus = PremiseCorpus.read(data_path)
        train, held_out = (read_split(data_path / split / f"{part}.json") for part in ("train", "val"))
        corpus.check(place_of(theorem) for theorem in train)
        uses, _ = premise_uses(corpus, train)
        if not uses:
            raise TrainingError(
                f"No tactic of {data_path / split / 'train.json'} names a premise of the corpus, so that there is "
                "nothing to learn from. Add a repository whose proofs use lemmas or definitions."
            )
        return cls(corpus, uses, held_out, tuple(premises_of_entries(train)))

    def __len__(self) -> int:
        return len(self.uses)

    def fingerprint(self) -> str:
        """Return twelve hexadecimal digits that change whenever a row or the corpus does."""
        digest = hashlib.sha256()
        for use in self.uses:
            digest.update(json.dumps([use.goal, use.place.file_path, use.place.start, sorted(use.names)]).encode())
        for document in self.corpus.documents:
            digest.update(text_of(document).encode())
        return digest.hexdigest()[:12]


def feature_rows(dataset: PremiseDataset, negatives: int, seed: int) -> list[dict[str, NDArray[Any]]]:
    """Return the features of premises that each goal uses and of others that it could use.

    Some goals are taken as if no proof were known, as in a repository that has none.

    Args:
        negatives: how many others: half of them BM25's best, the rest at random.

    Returns:
        for each goal ``features [P, F]`` and ``relevant [P]``, true for a premise that is used.
    """
    corpus, bm25 = dataset.corpus, BM25Ranker(dataset.corpus)
    features = PremiseFeatures(corpus, NearProofs(corpus, dataset.proofs), bm25=bm25)
    random = np.random.default_rng(seed)
    rows = []
    for use in dataset.uses:
        used, unused = _parted(corpus, use)
        others = np.flatnonzero(unused)
        best = others[np.argsort(-bm25.scores([use.goal])[0][others], kind="stable")]
        drawn = random.permutation(best[negatives // 2 :])[: negatives - negatives // 2]
        chosen = np.concatenate([used, best[: negatives // 2], drawn])
        relevant = np.arange(len(chosen)) < len(used)
        sees_proofs = random.random() >= WITHOUT_PROOFS
        values = features.of(use.goal, use.place, chosen, sees_proofs=sees_proofs)
        rows.append({"features": values, "relevant": relevant})
    return rows


def contrastive_rows(dataset: PremiseDataset, seed: int) -> list[dict[str, Any]]:
    """Return each goal with each premise that it uses, and a negative from that premise's file.

    Returns:
        rows with ``goal``, ``premises`` (the texts of the premise and of its negative) and ``used`` (all that the
        goal uses: none of these is a negative, wherever in a batch it stands).
    """
    corpus = dataset.corpus
    random = np.random.default_rng(seed)
    rows = []
    for use in dataset.uses:
        used, unused = _parted(corpus, use)
        for number in used:
            beside = np.flatnonzero(unused & (corpus.file_of == corpus.file_of[number]))
            chosen = [int(number), *random.permutation(beside)[:1]]
            texts = [text_of(corpus.documents[other]) for other in chosen]
            rows.append({"goal": use.goal, "premises": texts, "used": [text_of(corpus.documents[n]) for n in used]})
    return rows


def _parted(corpus: PremiseCorpus, use: PremiseUse) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the numbers of the premises that a goal uses, and which of the others it could use, ``[documents]``."""
    usable = corpus.accessible(use.place)
    numbers = [number for name in sorted(use.names) for number in corpus.by_name[name] if usable[number]]
    usable[numbers] = False
    return np.array(numbers, dtype=np.int64), usable
