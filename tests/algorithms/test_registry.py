"""Algorithms by name: every setting is there, and what is not is refused in words."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
import torch

from lean_agent.algorithms import (
    ALGORITHMS,
    DAPO,
    GRPO,
    AlgorithmConfig,
    DAPOConfig,
    GSPOConfig,
    RLAlgorithm,
    create_algorithm,
)
from lean_agent.errors import ConfigError

SEEDS = {
    "grpo": "group_size normalize_advantages epsilon",
    "dgpo": "use_dpo_loss dpo_beta dpo_coef ranked_preferences",
    "drgrpo": "is_level kl_estimator advantage_norm_method use_asymmetric_clip use_unbiased_kl",
    "dapo": "population_size advantage_ema_decay use_asymmetric_loss positive_advantage_scale "
    "negative_advantage_scale sparse_reward_threshold use_reward_shaping",
    "gspo": "sync_frequency use_consensus consensus_weight use_dynamic_groups",
}


@pytest.mark.parametrize("name", SEEDS)
def test_every_setting_of_the_specification(name: str) -> None:
    known = {field.name for field in fields(ALGORITHMS[name].config_class)}
    assert set(SEEDS[name].split()) <= known
    common = set(SEEDS["grpo"].split())
    assert common <= known


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("DAPO", "dapo"), ("DGRPO", "dgpo"), ("dr_grpo", "drgrpo"), ("Grpo", "grpo"), ("pass@k", "passk")],
)
def test_names_in_any_spelling(spelling: str, name: str) -> None:
    assert type(create_algorithm(spelling)) is ALGORITHMS[name]


def test_what_is_unknown_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"no algorithm 'dapoo'. Did you mean 'dapo'\?"):
        create_algorithm("dapoo")
    with pytest.raises(
        ConfigError, match=r"DAPOConfig has no setting 'populaton_size'. Did you mean 'population_size'\?"
    ):
        create_algorithm("dapo", populaton_size=3)
    with pytest.raises(ConfigError, match="group_size"):
        GRPO(groupsize=4)
    with pytest.raises(ConfigError, match=r"no preset 'publshed'. There is one, 'published'"):
        create_algorithm("dapo", preset="publshed")
    with pytest.raises(ConfigError, match=r"no algorithm 'gprs'. Did you mean 'gspo'\?"):
        create_algorithm("gprs")


@pytest.mark.parametrize(
    ("setting", "owner"),
    [
        ("populaton_size", "'population_size', a setting of the algorithm dapo"),
        ("population_size", "'population_size', a setting of the algorithm dapo"),
        ("use_asymmetric_lip", "'use_asymmetric_clip', a setting of the algorithm drgrpo"),
    ],
)
def test_a_setting_of_another_algorithm_is_said_to_be_its(setting: str, owner: str) -> None:
    settings: dict[str, Any] = {setting: 3}
    with pytest.raises(ConfigError, match=rf"GRPOConfig has no setting '{setting}'. Did you mean {owner}\?"):
        create_algorithm("grpo", **settings)


@pytest.mark.parametrize(
    ("name", "settings", "complaint"),
    [
        ("grpo", {"group_size": 0}, "group_size must be at least 1"),
        ("grpo", {"group_size": 2.5}, "group_size must be a whole number, not 2.5"),
        ("grpo", {"epsilon": "wide"}, "epsilon must be a number, not 'wide'"),
        ("grpo", {"epsilon": float("nan")}, "epsilon must be a finite number"),
        ("grpo", {"normalize_advantages": "no"}, "normalize_advantages must be true or false"),
        ("passk", {"k": 0}, "k must be at least 1"),
        ("drgrpo", {"kl_estimator": "k3"}, "kl_estimator must be one of schulman, abs, mse"),
        ("drgrpo", {"use_asymmetric_clip": False, "epsilon_high": 0.3}, "epsilon_high needs use_asymmetric_clip"),
        ("dapo", {"population_size": 1}, "population_size must be at least 2"),
        ("dapo", {"advantage_ema_decay": 1.0}, "advantage_ema_decay"),
        ("gspo", {"consensus_weight": 1.5}, "consensus_weight"),
        ("gspo", {"use_dynamic_groups": True, "group_size": 128}, "max_group_size"),
        ("dgpo", {"dpo_beta": 0}, "dpo_beta must be above 0"),
    ],
)
def test_values_that_cannot_work(name: str, settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        create_algorithm(name, **settings)


def test_configurations_as_objects() -> None:
    assert DAPO(DAPOConfig(population_size=7)).config.population_size == 7
    with pytest.raises(ConfigError, match="takes a DAPOConfig"):
        DAPO(GSPOConfig())  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="not both"):
        DAPO(DAPOConfig(), population_size=7)
    assert repr(DAPO(population_size=7)) == "DAPO(population_size=7)"


def test_presets_are_the_papers() -> None:
    drgrpo = create_algorithm("drgrpo", preset="published").config
    assert (drgrpo.normalize_advantages, drgrpo.loss_aggregation) == (False, "constant")
    dapo = create_algorithm("dapo", preset="published", dynamic_sampling=5)
    assert dapo.clip_bounds == (0.2, 0.28)
    assert (dapo.config.loss_aggregation, dapo.config.dynamic_sampling, dapo.config.mask_truncated) == (
        "token",
        5,
        True,
    )
    gspo = create_algorithm("gspo", preset="published")
    assert (gspo.config.is_level, gspo.clip_bounds) == ("geometric_mean", (3e-4, 4e-4))


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_says_what_it_is(name: str) -> None:
    algorithm = ALGORITHMS[name]
    assert issubclass(algorithm, RLAlgorithm)
    assert algorithm.full_name
    assert algorithm.best_for


def test_an_algorithm_of_two_public_methods() -> None:
    class Centred(RLAlgorithm[AlgorithmConfig]):
        def compute_advantages(self, rewards: Any) -> Any:
            return rewards - rewards.mean(dim=1, keepdim=True)

        def compute_loss(self, logprobs: Any, *others: Any, **_: Any) -> Any:
            _, _, advantages, mask = others
            return -(advantages[:, None] * logprobs * mask).sum(), {}

    algorithm = Centred(group_size=2)
    advantages = algorithm.compute_advantages(torch.tensor([[0.0, 1.0]]))
    assert advantages.tolist() == [[-0.5, 0.5]]
    loss, _ = algorithm.compute_loss(torch.tensor([[-2.0], [-1.0]]), None, None, advantages[0], torch.ones(2, 1))
    assert loss.item() == -0.5  # -(-0.5 * -2 + 0.5 * -1)


def test_an_algorithm_without_advantages_says_so() -> None:
    class Nothing(RLAlgorithm[AlgorithmConfig]):
        pass

    with pytest.raises(NotImplementedError, match="Nothing does not say what advantages are: it needs _advantages"):
        Nothing().compute_advantages([0.0, 1.0])
