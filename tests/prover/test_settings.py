"""Every setting of every search changes what it does, or is refused, or matters elsewhere: over the mock world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, fields, replace
from typing import Any

import pytest

from lean_agent.errors import ConfigError, LeanError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import ProofRequest, Suggestion
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver
from lean_agent.registry import SEARCHES

ELSEWHERE = {
    "search": "it is the search",
    "budget": "limits: test_searches.py",
    "total": "limits of a whole run: test_driver.py",
    "tactic_timeout_s": "wall-clock seconds: test_driver.py",
    "parallel_theorems": "how many theorems are under way: test_driver.py",
    "seed": "what is drawn at random, of which no search of the package draws anything: the policy's own seed counts",
}
"""Settings that change nothing in these runs, and where they do."""

IDLE = {
    "beam": {
        "length_exponent": "all states of a depth are equally deep",
        "priority": "no depth has more states than the beam here: test_a_beam_keeps_what_ranks_first",
    },
    "mcts": {
        "length_exponent": "it ranks nothing by the sum of log-probabilities",
        "exploration": "of so few states all are visited: test_searches.py",
    },
    "depth_first": {
        "length_exponent": "it ranks nothing by the sum of log-probabilities",
        "nodes_per_round": "it goes down one path",
    },
    "whole_proof": {
        "length_exponent": "a script is one step",
        "nodes_per_round": "a script is one step",
        "and_or": "a script is one step",
        "remember": "a script proves the theorem, and no goal by itself",
    },
    "portfolio": {"exploration": "as for mcts"},
}
"""Settings of a search that change nothing in these runs, and why."""

THEOREMS = (
    "∀ (p q : Prop), p ∧ q → q ∧ p",
    "∀ (p q r : Prop), (p ∧ q) ∧ r → r ∧ (q ∧ p)",
    "∀ (p q : Prop), p ∨ q → q ∨ p",
    "∀ (p q : Prop), p ∧ q → q ∧ p",
)
TACTICS = (
    ("skip", -0.1),
    ("exact h.1", -0.7),
    ("constructor", -0.9),
    ("intro p q h", -1.0),
    ("intro p q r h", -1.1),
    ("exact h.2", -1.2),
    ("assumption", -2.0),
    ("left", -2.5),
    ("right", -2.6),
    ("exact h.1.1", -3.0),
    ("exact h.1.2", -3.1),
    ("exact ⟨h.2, h.1⟩", -5.0),
)


class Writer(MockPolicy):
    """Says that it draws at random, and writes whole scripts, of which the second attempt is longer."""

    samples = True

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        self.calls.append(tuple(f"{request.goal} {request.attempt}" for request in requests))
        texts = [f"{request.attempt}\nskip" if request.attempt else "intro p q h" for request in requests]
        return [[Suggestion(text, -1.0, 5), Suggestion("intro p q h\nleft", -2.0, 3)][:k] for text in texts]


class Diary(MockLeanServer):
    """Writes down every tactic, with its state."""

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[tuple[str, str]] = []

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult | LeanError]:
        self.ran += [(state.text, tactic) for state, tactic in pairs]
        return [*super().goal_tactics(pairs, timeout_s=timeout_s)]


def behaviour(config: SearchConfig) -> list[object]:
    """Everything that a search asks of Lean and of the policy, and what comes out."""
    server, policy = Diary(), Writer({}, default=TACTICS)
    results = [(index, result.status, result.script) for index, result in Driver(server, policy, config).run(THEOREMS)]
    return [server.ran, policy.calls, results]


def others(config: SearchConfig, field: Field[Any]) -> list[SearchConfig]:
    """Return the configuration with other values of one setting; empty where it is refused."""
    value = getattr(config, field.name)
    special: dict[str, list[Any]] = {
        "priority": ["goals"],
        "closers": [("assumption",)],
        "portfolio": [("beam", "depth_first")],
    }
    numbers: list[Any] = [0.0, 0.2, 5.0] if isinstance(value, float) else [0, 1, 3]
    candidates = special.get(field.name, [not value] if isinstance(value, bool) else numbers)
    changed = []
    for candidate in candidates:
        if candidate != value:
            try:
                changed.append(replace(config, **{field.name: candidate}))
            except ConfigError:
                continue
    return changed


@pytest.mark.parametrize("search", list(SEARCHES))
def test_every_setting_counts(search: str) -> None:
    budget = SearchBudget(expansions=120, lean_calls=900)
    config = SearchConfig(search=search, budget=budget, tactics_per_node=12, parallel_theorems=1)
    before = behaviour(config)
    idle = set()
    for field in fields(SearchConfig):
        changed = [] if field.name in ELSEWHERE else others(config, field)
        if changed and all(behaviour(other) == before for other in changed):
            idle.add(field.name)
    assert idle == IDLE.get(search, {}).keys()
