"""Every setting of every search changes what it does, or is refused, or matters elsewhere: over the mock world."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest

from lean_agent.errors import ConfigError, LeanError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import ProofRequest, Suggestion
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig, settings_class
from lean_agent.prover.driver import Driver
from lean_agent.registry import SEARCHES
from lean_agent.settings import setting_fields

ELSEWHERE = {
    "search": "it is the search",
    "budget": "limits: test_searches.py",
    "total": "limits of a whole run: test_driver.py",
    "tactic_timeout_s": "wall-clock seconds: test_driver.py",
    **dict.fromkeys(("patience", "briefly_s"), "of tactics that are stopped: test_best_step.py"),
    "parallel_theorems": "how many theorems are under way: test_driver.py",
    "settings": "they are looked at one by one",
    "assume_open": "nothing where no statement rests on an open theorem: test_project_axioms.py",
    "project_axioms": "nothing where no project states axioms: test_project_axioms.py",
    "drafts": "of proofs that are begun: test_drafts.py",
    "value_weight": "nothing without a value model: test_values.py",
    "seed": "what is drawn at random, of which no search of the package draws anything: the policy's own seed counts",
}
"""Settings that change nothing in these runs, and where they do."""

IDLE = {
    "beam": {
        "length_exponent": "all states of a depth are equally deep",
        "priority": "no depth has more states than the beam here: test_a_beam_keeps_what_ranks_first",
    },
    "mcts": {
        "exploration": "of so few states all are visited: test_searches.py",
    },
    "whole_proof": {
        "and_or": "a script is one step",
        "remember": "a script proves the theorem, and no goal by itself",
    },
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

EXTRA = {
    "twins": (("intro p q k", -1.05),),  # a twin of `intro p q h`
    "mend_names": (("exact hq.1", -2.2),),  # names what no goal has
    "closers_at_once": (("trivial", -2.1),),  # beside `assumption`
}
"""Tactics that show what a setting does, beside the others."""


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


def behaviour(config: SearchConfig, extra: Sequence[tuple[str, float]] = ()) -> list[object]:
    """Everything that a search asks of Lean and of the policy, and what comes out."""
    server, policy = Diary(), Writer({}, default=[*TACTICS, *extra])
    results = [(index, result.status, result.script) for index, result in Driver(server, policy, config).run(THEOREMS)]
    return [server.ran, policy.calls, results]


def others(config: SearchConfig, setting: str) -> list[SearchConfig]:
    """Return the configuration with other values of one setting; those that are refused are left out."""
    value = getattr(config, setting)
    special: dict[str, list[Any]] = {
        "priority": ["goals"],
        "closers": [("assumption",)],
        "portfolio": [("beam", "depth_first")],
        "twins": [True],
        "intro_first": [True],
    }
    numbers: list[Any] = [0.0, 0.2, 5.0] if isinstance(value, float) else [0, 1, 3]
    candidates = special.get(setting, [not value] if isinstance(value, bool) else numbers)
    changed = []
    for candidate in candidates:
        if candidate != value:
            try:
                changed.append(replace(config, **{setting: candidate}))
            except ConfigError:
                continue
    return changed


@pytest.mark.parametrize("search", list(SEARCHES))
def test_every_setting_counts(search: str) -> None:
    budget = SearchBudget(expansions=120, lean_calls=900)
    config = SearchConfig(search=search, budget=budget, tactics_per_node=len(TACTICS), parallel_theorems=1)
    idle = set()
    own = [field.name for field in setting_fields(settings_class(search))]
    for setting in (*(field.name for field in fields(SearchConfig)), *own):
        if setting in ELSEWHERE:
            continue
        changed = others(config, setting)
        assert changed, setting
        extra = EXTRA.get(setting, ())
        before = behaviour(config, extra)
        if all(behaviour(other, extra) == before for other in changed):
            idle.add(setting)
    assert idle == IDLE.get(search, {}).keys()


def own_settings(search: str) -> dict[str, Any]:
    """Return the search's own settings, each at another value than its default."""
    config = SearchConfig(search)
    names = [field.name for field in setting_fields(settings_class(search))]
    return {name: getattr(changed[-1], name) for name in names if (changed := others(config, name))}


@pytest.mark.parametrize("search", list(SEARCHES))
def test_another_searchs_setting_is_refused(search: str) -> None:
    own = own_settings(search)
    assert replace(SearchConfig(search), **own) == SearchConfig(search, **own)
    if search == "portfolio":
        return  # it takes those of its parts: below
    for other in SEARCHES:
        for name, value in own_settings(other).items():
            if name not in own:
                with pytest.raises(ConfigError, match=rf"{search} has no use for {name}, which is of .*--search "):
                    SearchConfig(search, **{name: value})
                default = getattr(SearchConfig(other), name)
                assert SearchConfig(search, **{name: default}) == SearchConfig(search)  # it says nothing
                assert name not in vars(SearchConfig(other, **{name: value}).with_search(search).settings)


def test_a_portfolio_takes_the_settings_of_its_parts() -> None:
    config = SearchConfig("portfolio", portfolio=("beam", "mcts"), beam_width=3, exploration=2.0, nodes_per_round=1)
    beam, mcts = config.with_search("beam"), config.with_search("mcts")
    assert (beam.beam_width, beam.nodes_per_round) == (3, 1)
    assert (mcts.exploration, mcts.nodes_per_round) == (2.0, 1)
    assert replace(config, seed=3).with_search("beam").beam_width == 3
    with pytest.raises(ConfigError, match="portfolio has no use for trials, which is of depth_first"):
        SearchConfig("portfolio", settings=config.settings, trials=3)
    with pytest.raises(ConfigError, match="beam_width must be a whole number from 1 on, not 0"):
        SearchConfig("portfolio", portfolio=("beam", "mcts"), beam_width=0)


def test_configurations_are_values() -> None:
    config = SearchConfig("mcts", exploration=2.0, seed=3)
    assert pickle.loads(pickle.dumps(config)) == config == copy.copy(config)
    assert len({config, SearchConfig("mcts", exploration=2.0, seed=3), SearchConfig("mcts")}) == 2
    assert config.with_search("beam").with_search("mcts") == SearchConfig("mcts", seed=3)
    with pytest.raises(AttributeError, match="SearchConfig has no beam_width, and neither has the search 'mcts'"):
        config.beam_width  # noqa: B018
