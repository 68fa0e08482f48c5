"""What is kept: repositories, traced files, theorems, tactics, premises, and the proofs that were found.

This room owns one SQLite file and what is read off it: exports for training, splits, difficulty. It asks Lean nothing
and trains nothing.
"""

from lean_agent.database.difficulty import RepositoryDifficulty
from lean_agent.database.records import ProofStatistics, RepositorySummary, StoredProof, StoredTheorem
from lean_agent.database.store import Database, DynamicDatabase

__all__ = [
    "Database",
    "DynamicDatabase",
    "ProofStatistics",
    "RepositoryDifficulty",
    "RepositorySummary",
    "StoredProof",
    "StoredTheorem",
]
