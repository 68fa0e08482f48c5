"""Rank states for best-first and beam search. One more priority is one function and one line of
:mod:`lean_agent.registry`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from lean_agent import registry
from lean_agent.errors import ConfigError
from lean_agent.prover.config import SearchConfig
from lean_agent.prover.tree.graph import Node
from lean_agent.registry import Registry


class ValueModel(Protocol):
    """A model that guesses how likely goals are to be proved.

    One with an ``identity``, as policies have (:class:`~lean_agent.policy.base.Identified`), is told from others of its
    class when an evaluation is gone on with.
    """

    def values(self, goals: Sequence[str]) -> list[float]:
        """Return a number for each state, as Lean prints it: higher is better; log-probabilities of a proof by
        convention."""
        ...


Priority = Callable[[Node, SearchConfig], float]
"""The higher, the sooner."""


def by_logprob(node: Node, config: SearchConfig) -> float:
    """Return the log-probability of the tactics that lead there, divided by ``length ** exponent`` (BFS-Prover, arXiv
    2502.03438, eq. 1)."""
    length: float = max(node.depth, 1) ** config.length_exponent
    return node.logprob / length


def by_value(node: Node, config: SearchConfig) -> float:
    """Return what the value model says.

    Raises:
        ConfigError: there is no value model.
    """
    if node.value is None:
        raise ConfigError("The priority `value` needs a value model: Prover(…, value=…).")
    return node.value


def by_goals(node: Node, config: SearchConfig) -> float:
    """Rank by goals, the fewer the sooner; among as many the shorter ones, counted in characters as printed."""
    return -len(node.state.goals) - min(len(node.state.text), 10**6) / 10**7


PRIORITIES: Registry[Priority] = registry.PRIORITIES
