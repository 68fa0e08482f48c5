"""Rank states for best-first and beam search. One more priority is one function and one line of
:mod:`lean_agent.registry`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from lean_agent import registry
from lean_agent.errors import ConfigError
from lean_agent.prover.config import SearchConfig
from lean_agent.prover.tree.graph import Node
from lean_agent.registry import Registry


class ValueModel(Protocol):
    """A model that guesses how far goals are from being proved.

    One with an ``identity``, as policies have (:class:`~lean_agent.policy.base.Identified`), is told from others of its
    class when an evaluation is gone on with.
    """

    def values(self, goals: Sequence[str]) -> list[float]:
        """Return a number for each state, as Lean prints it: higher is better; by convention minus the number of steps
        that its proof has left, each of which counts as a nat of log-probability.

        Raises:
            PolicyError: the model could not answer.
        """
        ...


@runtime_checkable
class RatesTactics(ValueModel, Protocol):
    """A value model that also guesses what a tactic would lead to before it is run."""

    def step_values(self, steps: Sequence[tuple[str, str]]) -> list[float]:
        """Return the value of each (main goal, tactic): that of the goal when the tactic, one of the steps, comes
        first."""
        ...


Priority = Callable[[Node, SearchConfig], float]
"""The higher, the sooner."""


def by_logprob(node: Node, config: SearchConfig) -> float:
    """Return the log-probability of the tactics that lead there, divided by ``length ** exponent`` (BFS-Prover, arXiv
    2502.03438, eq. 1), plus the weighted value where a model gives one (LeanProgress, arXiv 2502.17925)."""
    exponent = config.length_exponent  # none where the configuration is another search's
    length: float = max(node.depth, 1) ** (1.0 if exponent is None else exponent)
    return node.logprob / length + (0.0 if node.value is None else float(config.value_weight * node.value))


def by_value(node: Node, config: SearchConfig) -> float:
    """Return what the value model says.

    Raises:
        ConfigError: there is no value model.
    """
    if node.value is None:
        raise ConfigError("The priority `value` needs a value model: Prover(…, value=…), or `--value FOLDER`.")
    return node.value


def by_goals(node: Node, config: SearchConfig) -> float:
    """Rank by goals, the fewer the sooner; among as many the shorter ones, counted in characters as printed."""
    return -len(node.state.goals) - min(len(node.state.text), 10**6) / 10**7


PRIORITIES: Registry[Priority] = registry.PRIORITIES
