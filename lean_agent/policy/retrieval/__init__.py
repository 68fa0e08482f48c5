"""Premises that may help with a goal, among those that a theorem can use: ranked by BM25, by what was learnt of their
features, or by an encoder.
"""

from lean_agent.policy.retrieval.corpus import Document, Place, PremiseCorpus
from lean_agent.policy.retrieval.encoder import DenseRanker
from lean_agent.policy.retrieval.learnt import LearntRanker
from lean_agent.policy.retrieval.near_proofs import NearProofs, premises_of_entries
from lean_agent.policy.retrieval.rankers import BM25Ranker, HybridRanker, Ranker
from lean_agent.policy.retrieval.recall import Recall, measure_recall
from lean_agent.policy.retrieval.retriever import (
    PremiseRetriever,
    check_retriever,
    load_ranker,
)

__all__ = [
    "BM25Ranker",
    "DenseRanker",
    "Document",
    "HybridRanker",
    "LearntRanker",
    "NearProofs",
    "Place",
    "PremiseCorpus",
    "PremiseRetriever",
    "Ranker",
    "Recall",
    "check_retriever",
    "load_ranker",
    "measure_recall",
    "premises_of_entries",
]
