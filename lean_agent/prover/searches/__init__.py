"""Tree searches, one in each module, over one protocol (:mod:`lean_agent.prover.searches.base`)."""
