"""A Lean server without Lean, for tests of what uses one: it knows a little propositional logic."""

from lean_agent.lean.mock.server import MockLeanServer

__all__ = ["MockLeanServer"]
