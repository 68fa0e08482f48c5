"""Search trees on disk: written, read, shown, and made into training data."""

from lean_agent.prover.saved.trees import SavedSearch, find_searches, load_search

__all__ = ["SavedSearch", "find_searches", "load_search"]
