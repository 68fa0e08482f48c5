"""How much of what proofs use a retriever finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus, place_of, premise_names
from lean_agent.policy.retrieval.retriever import PremiseRetriever

RANKED = 100
"""Premises that are ranked, at least."""


@dataclass(frozen=True, slots=True)
class PremiseUse:
    """A tactic that uses premises of a corpus: what is asked, and what should be found.

    Attributes:
        goal: the state before the tactic.
        place: where its theorem starts.
        names: full names of the premises that are accessible there.
        theorem: full name of the theorem.
    """

    goal: str
    place: Place
    names: frozenset[str]
    theorem: str


@dataclass(frozen=True, slots=True)
class Recall:
    """How much of what proofs use is found.

    Attributes:
        states: tactics that use at least one premise of the corpus that is accessible where they stand.
        premises: how many such uses there are, each premise once for a tactic.
        outside: premises that are in no file of the corpus, such as those of a library that was not traced; they count
            in nothing else.
        at: for each ``k`` the mean, over ``states``, of the share of their premises among the first ``k``.
        mean_reciprocal_rank: over ``states``; of the first premise that is found, 0 where none is among the first 100.
    """

    states: int
    premises: int
    outside: int
    at: Mapping[int, float]
    mean_reciprocal_rank: float


def premise_uses(corpus: PremiseCorpus, theorems: Iterable[Mapping[str, Any]]) -> tuple[list[PremiseUse], int]:
    """Return the tactics that use premises, and how many uses are of premises outside the corpus.

    Args:
        theorems: entries of a split of LeanDojo Benchmark 4, such as ``novel_premises/test.json``.
    """
    uses, outside = [], 0
    for theorem in theorems:
        place = place_of(theorem)
        usable = corpus.accessible(place)
        for tactic in theorem["traced_tactics"]:
            names = premise_names(tactic)
            outside += sum(name not in corpus.by_name for name in names)
            wanted = frozenset(n for n in names if any(usable[number] for number in corpus.by_name.get(n, ())))
            if wanted:
                uses.append(PremiseUse(tactic["state_before"], place, wanted, theorem["full_name"]))
    return uses, outside


def ranks(retriever: PremiseRetriever, uses: Sequence[PremiseUse], *, batch: int = 64) -> Iterator[list[int]]:
    """Yield for each use the ranks of its premises, from 1; 0 for one that is not among the first :data:`RANKED`."""
    for at in range(0, len(uses), batch):
        part = uses[at : at + batch]
        rankings = retriever.retrieve([use.goal for use in part], [use.place for use in part], RANKED)
        for use, ranking in zip(part, rankings, strict=True):
            first: dict[str, int] = {}
            for rank, document in enumerate(ranking, start=1):
                first.setdefault(document.full_name, rank)
            yield [first.get(name, 0) for name in sorted(use.names)]


def share_found(ranks_of_use: Sequence[int], k: int) -> float:
    """Return the share of a use's premises that are among the first ``k``."""
    return sum(0 < rank <= k for rank in ranks_of_use) / len(ranks_of_use)


def reciprocal_rank(ranks_of_use: Sequence[int]) -> float:
    """Return 1 / the rank of the first premise that is found; 0 where none is."""
    return 1 / min((rank for rank in ranks_of_use if rank), default=float("inf"))


def measure_recall(
    retriever: PremiseRetriever, theorems: Iterable[Mapping[str, Any]], ks: Sequence[int] = (1, 10)
) -> Recall:
    """Recall@k as ReProver measures it: asked with the state before each tactic, for the premises that it names.

    Args:
        theorems: entries of a split of LeanDojo Benchmark 4, such as ``novel_premises/test.json``.
        ks: each at most :data:`RANKED`.
    """
    uses, outside = premise_uses(retriever.corpus, theorems)
    found_at = list(ranks(retriever, uses))
    means = {k: float(np.mean([share_found(each, k) for each in found_at])) if uses else 0.0 for k in ks}
    mrr = float(np.mean([reciprocal_rank(each) for each in found_at])) if uses else 0.0
    return Recall(len(uses), sum(len(use.names) for use in uses), outside, means, mrr)
