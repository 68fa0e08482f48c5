"""Where :class:`TreeSearch` was in version 0.1; import it from :mod:`lean_agent`."""

from lean_agent.prover.searches.tree_search import TreeSearch

__all__ = ["TreeSearch"]
