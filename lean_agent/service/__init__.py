"""Lean for programs that speak HTTP: a service over any Lean server.

Owns the addresses, limits, tokens, jobs, logs and metrics. Knows Lean by the contract of
:class:`~lean_agent.lean.server.LeanServer` alone, so that a pool, a Ray cluster and a mock are served by the same code.
What passes over the wire, and the client, are in :mod:`lean_agent.lean.remote`.
"""
