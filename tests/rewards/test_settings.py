"""Every setting of every scorer and reward function changes a reward, or is listed with what it is for; and no two
scorers pay alike."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from itertools import combinations
from typing import Any

import pytest

from lean_agent.policy.base import Completion
from lean_agent.rewards import (
    BaseRewardScorer,
    CompositeScorer,
    RewardLevels,
    available_scorers,
    create_composite_scorer,
    get_scorer,
)
from lean_agent.rewards.adaptor import RewardAdaptor
from lean_agent.rollout.single_tactics import VerifiedTacticReward
from lean_agent.trajectory import ProofStep, ProofTrajectory

from .trajectories import attempt, goal

AND = goal("p ∧ q", hp="p", hq="q")
P, Q = goal("p", hp="p", hq="q"), goal("q", hp="p", hq="q")
STATEMENTS = ["p ∧ q", "a * b = b * a", "n % 2 = 0 → 2 ∣ n", "x ∈ xs ++ ys", "a ≤ max a b"]


def written(trajectory: ProofTrajectory, text: str, tokens: int, seconds: float) -> ProofTrajectory:
    answer = Completion(text, -1.0, tokens, True)
    steps = tuple(replace(step, completion=answer, seconds=seconds) for step in trajectory.steps)
    return replace(trajectory, steps=steps)


ATTEMPTS = [
    attempt([AND], [P, Q], [Q], [], proved=True),
    written(attempt([AND], [], tactics=["exact ⟨hp, hq⟩"], proved=True), "exact ⟨hp, hq⟩", 9, 2.0),
    written(attempt([AND], [], tactics=["simp"], proved=True), "```lean\nsimp\n```", 400, 0.1),
    attempt([AND], [P, Q], [Q]),
    attempt([AND], [P, Q], tactics=["constructor"]),
    attempt([AND], [AND], tactics=["skip"]),
    ProofTrajectory("t", "True", (AND,), (ProofStep("omega", (AND,), failure="error"),)),
    ProofTrajectory("t", "True", (AND,), (ProofStep("sorry", (AND,), failure="sorry"),)),
    *(attempt([goal(text)], [], proved=True) for text in STATEMENTS),
]
"""Attempts of every outcome, over every domain."""

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "verified": {"levels": RewardLevels(progress=0.4)},
    "efficiency": {"half_steps": 4.0, "half_tokens": 64.0, "half_seconds": 1.0},
}
"""scorer -> each of its settings, with another value than the default."""


def rewards(scorer: BaseRewardScorer) -> list[float]:
    return [scorer.score(trajectory, pass_rate=0.25)[0] for trajectory in ATTEMPTS]


@pytest.mark.parametrize("name", available_scorers())
def test_every_setting_of_a_scorer_counts(name: str) -> None:
    default = get_scorer(name)
    taken = [] if type(default).__init__ is object.__init__ else list(inspect.signature(type(default)).parameters)
    changes = SETTINGS.get(name, {})
    if name not in {"logic", "algebra", "number_theory", "lists_and_sets", "order"}:  # functions without settings
        assert taken == list(changes)
    for setting, value in changes.items():
        assert rewards(get_scorer(name, **{setting: value})) != rewards(get_scorer(name)), setting


@pytest.mark.parametrize("level", [field.name for field in fields(RewardLevels)])
def test_every_level_counts(level: str) -> None:
    raised = replace(RewardLevels(), **{level: getattr(RewardLevels(), level) + 0.05})
    assert rewards(get_scorer("verified", levels=raised)) != rewards(get_scorer("verified"))


def test_every_weight_of_a_composite_counts() -> None:
    def made(weights: Mapping[str, float]) -> CompositeScorer:
        return create_composite_scorer("verified", "efficiency", weights=weights)

    even = {"verified": 1.0, "efficiency": 1.0}
    for name in even:
        assert rewards(made({**even, name: 3.0})) != rewards(made(even))


def test_no_two_scorers_pay_alike() -> None:
    paid = {name: rewards(get_scorer(name)) for name in available_scorers()}
    assert [pair for pair in combinations(paid, 2) if paid[pair[0]] == paid[pair[1]]] == []


@pytest.mark.parametrize(
    ("reward", "elsewhere"),
    [
        (
            VerifiedTacticReward,
            {
                **dict.fromkeys(("server", "projects"), "where tactics run"),
                "scorer": "what is paid: test_tactic.py, test_length_and_form_of_an_answer_count_…",
                "timeout_s": "seconds in Lean: tests/lean/test_conformance.py",
                "max_states": "memory, no other result: test_tactic.py, test_states_are_released",
            },
        ),
        (
            RewardAdaptor,
            {
                "reward_func": "what is paid: test_adaptor.py",
                "end_ids": "test_adaptor.py, test_a_completion_that_was_cut_off_holds_no_tactic",
                "give_up_after": "test_adaptor.py, test_batches_that_cannot_be_scored_end_the_training",
            },
        ),
    ],
)
def test_settings_of_reward_functions_are_accounted_for(reward: Callable[..., Any], elsewhere: dict[str, str]) -> None:
    assert inspect.signature(reward).parameters.keys() == elsewhere.keys()
