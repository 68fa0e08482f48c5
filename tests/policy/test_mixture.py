"""Mixtures: probabilities are weighted sums, weights follow proofs, and sources that learn are given them."""

from __future__ import annotations

import math

import pytest

from lean_agent.errors import ConfigError
from lean_agent.policy.base import LearnsAtOnce, Policy, ProofRequest, TacticExample, WritesProofs
from lean_agent.policy.closers.scripted import LearningClosers, ScriptedPolicy
from lean_agent.policy.mixture import PRIOR_STEPS, MixturePolicy
from lean_agent.policy.neighbours import NeighbourPolicy
from lean_agent.prompts import with_help

GOAL = "p : Prop\nh : p\n⊢ p"


def probabilities(policy: Policy, goal: str = GOAL, k: int = 8) -> dict[str, float]:
    (answers,) = policy.suggest([goal], k)
    return {answer.tactic: math.exp(answer.logprob) for answer in answers}


def test_a_probability_is_the_weighted_sum_of_the_sources() -> None:
    mixture = MixturePolicy(
        {"a": ScriptedPolicy(["simp", "rfl"]), "b": ScriptedPolicy(["rfl", "omega"])}, {"a": 3, "b": 1}
    )
    # a gives simp 2/3 and rfl 1/3; b gives rfl 2/3 and omega 1/3
    assert probabilities(mixture) == pytest.approx({"simp": 1 / 2, "rfl": 1 / 4 + 1 / 6, "omega": 1 / 12})
    assert list(probabilities(mixture)) == ["simp", "rfl", "omega"]


def test_a_source_without_an_answer_leaves_its_weight_to_the_others() -> None:
    mixture = MixturePolicy({"neighbours": NeighbourPolicy(), "closers": ScriptedPolicy(["simp"])})
    assert probabilities(mixture) == pytest.approx({"simp": 1.0})


def test_a_source_may_be_shown_goals_without_their_premises() -> None:
    shown = {"a": ScriptedPolicy(["exact {premise}"]), "b": ScriptedPolicy(["apply {premise}"])}
    mixture = MixturePolicy(shown, goals_alone=["b"])
    assert probabilities(mixture, with_help(GOAL, ["one: theorem one : p"])) == pytest.approx({"exact one": 1.0})


def test_weights_follow_the_proofs() -> None:
    mixture = MixturePolicy({"a": ScriptedPolicy(["simp", "rfl"]), "b": ScriptedPolicy(["rfl", "omega"])})
    probabilities(mixture)
    mixture.add([TacticExample(GOAL, "rfl")])  # a said 1/3, b 2/3: one step's credit is shared 1 to 2
    assert mixture.weights["b"] == pytest.approx((PRIOR_STEPS / 2 + 2 / 3) / (PRIOR_STEPS + 1))
    assert sum(mixture.weights.values()) == pytest.approx(1.0)
    before = mixture.weights
    mixture.add(
        [TacticExample(GOAL, "exact h"), TacticExample("⊢ True", "trivial")]
    )  # nobody said so, or nobody was asked
    assert mixture.weights == before


def test_a_step_that_was_taken_at_the_same_goal_comes_first() -> None:
    mixture = MixturePolicy({"a": ScriptedPolicy(["simp", "rfl"])})  # 2/3 and 1/3
    mixture.add([TacticExample(GOAL, "rfl"), TacticExample(GOAL, "exact h")])
    assert probabilities(mixture) == pytest.approx({"rfl": 1 / 4 + 1 / 6, "simp": 1 / 3, "exact h": 1 / 4})
    assert list(probabilities(mixture, k=2)) == ["rfl", "simp"]
    assert probabilities(mixture, "⊢ p") == pytest.approx({"simp": 2 / 3, "rfl": 1 / 3})
    nothing = MixturePolicy({"neighbours": NeighbourPolicy()})
    nothing.add([TacticExample(GOAL, "exact h")])
    assert next(iter(probabilities(nothing))) == "exact h"


def test_sources_that_learn_get_the_proofs() -> None:
    mixture = MixturePolicy({"neighbours": NeighbourPolicy(), "closers": ScriptedPolicy(["simp"])})
    assert isinstance(mixture, LearnsAtOnce)
    identity = mixture.identity
    mixture.add([TacticExample(GOAL, "exact h")])
    assert probabilities(mixture, "q : Prop\nhq : q\n⊢ q")["exact hq"] == pytest.approx(
        0.5, abs=0.02
    )  # half, less what other names get
    assert mixture.identity != identity


def test_whole_proofs_come_from_the_sources_that_write_them() -> None:
    mixture = MixturePolicy({"neighbours": NeighbourPolicy(), "closers": ScriptedPolicy(["simp"])})
    assert isinstance(mixture, WritesProofs)
    assert [s.tactic for s in mixture.write_proofs([ProofRequest(GOAL)], 4)[0]] == ["simp"]
    with pytest.raises(ConfigError, match=r"writes whole proofs"):
        MixturePolicy({"neighbours": NeighbourPolicy()}).write_proofs([ProofRequest(GOAL)], 4)


@pytest.mark.parametrize("weights", [{"a": 1.0}, {"a": 1.0, "b": 0.0}, {"a": 1.0, "c": 1.0}])
def test_weights_are_those_of_the_sources(weights: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=r"needs sources, and a weight above 0"):
        MixturePolicy({"a": ScriptedPolicy(), "b": ScriptedPolicy()}, weights)
    with pytest.raises(ConfigError, match=r"none are there"):
        MixturePolicy({})


def test_what_a_source_makes_anew_at_each_goal_is_not_carried_over_by_another() -> None:
    neighbours, closers = NeighbourPolicy(), LearningClosers()
    mixture = MixturePolicy({"neighbours": neighbours, "closers": closers})
    goal = "xs : List Nat\n⊢ length (reversed xs) = length xs"
    listed = TacticExample(goal, "induction xs <;> first | (simp_all!; done) | grind [length, reversed]")
    own = TacticExample(goal, "rw [reversed_length]")
    mixture.add([listed, own])
    assert closers.remakes(listed) and not closers.remakes(own)
    assert (len(closers), len(neighbours)) == (1, 1)
    like = "ys : List Nat\n⊢ length (mirrored ys) = length ys"
    assert not any("grind [length, reversed]" in tactic for tactic in probabilities(neighbours, like))
    assert listed in mixture.learnt and listed.tactic in probabilities(mixture, goal), "it is known at its own goal"
