"""A search of one's own in one module, as CONTRIBUTING.md says: a settings class and two methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from typing_extensions import override

from lean_agent import LeanPool, SearchBudget, SearchConfig, TreeSearch
from lean_agent.errors import ConfigError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import LeanServer
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import TreeSettings
from lean_agent.prover.driver import Driver
from lean_agent.prover.tree.graph import Node
from lean_agent.settings import Count

# The module that somebody writes.


@dataclass(frozen=True)
class ShallowSettings(TreeSettings):
    """Settings of the shallow search.

    Attributes:
        deepest: states deeper than this are left alone.
    """

    deepest: Count = 3


class Shallow(TreeSearch[ShallowSettings]):
    """Expand the newest state that is not too deep."""

    settings_class = ShallowSettings

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.waiting: list[Node] = []

    @override
    def opened(self, node: Node) -> None:
        if node.depth <= self.settings.deepest:
            self.waiting.append(node)

    @override
    def choose(self, limit: int) -> list[Node]:
        useful = [node for node in self.waiting if self.may_help(node)]
        self.waiting = useful[:-limit]
        return useful[: -limit - 1 : -1]


# What it is worth.

SHALLOW = f"{__name__}:Shallow"
SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"
TACTICS = ("intro p q h", "constructor", "exact h.2", "exact h.1")
BUDGET = SearchBudget(expansions=16, lean_calls=64, seconds=60.0)


def status(server: LeanServer, **settings: Any) -> str:
    """Search for a proof of SWAP, which takes an ``intro`` and a ``constructor`` before goals are closed at depth 2."""
    policy = MockPolicy({}, default=TACTICS)
    ((_, result),) = Driver(server, policy, SearchConfig(SHALLOW, budget=BUDGET, **settings)).run([SWAP])
    return result.status


def test_it_proves_on_the_mock_and_its_settings_count() -> None:
    assert status(MockLeanServer()) == "proved"
    assert status(MockLeanServer(), deepest=2) == "proved"
    assert status(MockLeanServer(), deepest=1) == "failed"


@pytest.mark.lean
def test_it_proves_on_lean(lean: LeanPool) -> None:
    assert status(lean) == "proved"
    assert status(lean, deepest=1) == "failed"


def test_other_settings_are_refused() -> None:
    assert SearchConfig(SHALLOW, deepest=5, nodes_per_round=1).deepest == 5
    with pytest.raises(ConfigError, match="has no use for beam_width, which is of beam: leave it out"):
        SearchConfig(SHALLOW, beam_width=3)
    with pytest.raises(ConfigError, match=r"no setting 'deepst'\. Did you mean 'deepest'"):
        SearchConfig(SHALLOW, deepst=3)
    with pytest.raises(ConfigError, match="deepest must be a whole number from 1 on, not 0"):
        SearchConfig(SHALLOW, deepest=0)
