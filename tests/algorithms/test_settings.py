"""Every setting of every algorithm changes something, or is refused, or is named among the idle ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import Field, fields, replace
from typing import Any, get_args, get_type_hints

import pytest
import torch

from lean_agent.algorithms import ALGORITHMS, AlgorithmConfig, RLAlgorithm, algorithm_class
from lean_agent.errors import ConfigError

ELSEWHERE = {
    "updates_per_batch": "a trainer reads it: tests/trainer/test_differences.py",
    "dynamic_sampling": "a trainer samples again: test_algorithm_trainer.py, test_lean_grpo.py",
    "mask_truncated": "a trainer knows what was cut off: test_algorithm_trainer.py, test_lean_grpo.py",
}
"""Settings that do not matter in this room, and where they do."""

BATCHES = (
    # Half of the groups have spread; then all, with an outlier and rewards of more than two values; then none.
    [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]],
    [[-1.0, 0.0, 0.2, 0.9], [0.0, 0.1, 0.3, 9.0]],
    [[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]],
    [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]],
)
SETTINGS = [(name, field.name) for name in ALGORITHMS for field in fields(ALGORITHMS[name].config_class)]


def effect(algorithm: RLAlgorithm[Any]) -> list[Any]:
    """Everything that an algorithm says to the same rewards and log-probabilities, batch after batch."""
    generator = torch.Generator().manual_seed(0)
    answers: list[Any] = [algorithm.batches_per_update]
    for batch in BATCHES:
        rewards = torch.tensor(batch)
        lengths = torch.tensor([[3, 8, 5, 6], [2, 4, 7, 8]])
        sums = -4.0 * torch.rand(2, 4, generator=generator) * lengths
        shaped = algorithm.shape_rewards(rewards, lengths, 8, sums)
        advantages = algorithm.compute_advantages(shaped)
        mask = (torch.arange(8) < lengths.flatten().unsqueeze(1)).float()
        old = -2.0 * torch.rand(8, 8, generator=generator)
        # With one update a batch, the policy in training is the one that sampled.
        drift = 0.6 * torch.randn(8, 8, generator=generator) if algorithm.config.updates_per_batch > 1 else 0.0
        logprobs = (old + drift).requires_grad_()
        reference = -2.0 * torch.rand(8, 8, generator=generator)
        groups = torch.arange(8) // 4
        loss, _ = algorithm.compute_loss(
            logprobs, old, reference, advantages.flatten(), mask, groups=groups, max_length=8
        )
        (gradient,) = torch.autograd.grad(loss, logprobs)
        answers += [shaped.tolist(), advantages.tolist(), gradient.tolist(), algorithm.next_group_size()]
    return answers


def same(first: list[Any], second: list[Any]) -> bool:
    return all(
        torch.allclose(torch.tensor(value, dtype=torch.float), torch.tensor(other, dtype=torch.float), atol=1e-6)
        for value, other in zip(first, second, strict=True)
    )


def others(config: AlgorithmConfig, field: Field[Any]) -> Iterator[AlgorithmConfig]:
    """Yield the configuration with other values of one setting, as far as they are allowed."""
    value, hint = getattr(config, field.name), get_type_hints(type(config))[field.name]
    options = get_args(hint)
    candidates: list[Any]
    if isinstance(value, bool):
        candidates = [not value]
    elif options and isinstance(options[0], str):
        candidates = [option for option in options if option != value]
    elif isinstance(value, int):
        candidates = [value + 1, value * 2, value // 2, value - 1, 3, 4]
    else:
        candidates = [0.05, 0.3, 0.45, 0.7, 0.0, 1.5]
    for candidate in candidates:
        if candidate != value:
            try:
                yield replace(config, **{field.name: candidate})
            except ConfigError:
                continue


def default(name: str) -> AlgorithmConfig:
    return algorithm_class(name).config_class(group_size=4)


@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_a_setting_counts_or_is_known_to_be_idle(name: str, setting: str) -> None:
    config = default(name)
    (field,) = [field for field in fields(config) if field.name == setting]
    changed = list(others(config, field))
    if setting in config.UNUSED:
        assert changed == []
        return
    assert changed
    if setting in ELSEWHERE:
        return
    before = effect(algorithm_class(name)(config))
    counts = [not same(before, effect(algorithm_class(name)(other))) for other in changed]
    if setting in config.idle_settings():
        assert not any(counts) or setting == "is_level"  # `sequence` counts, and is not idle
    else:
        assert any(counts)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("preset", [None, "published"])
def test_what_a_preset_leaves_idle_is_idle(name: str, preset: str | None) -> None:
    config = algorithm_class(name).config_class.create({"group_size": 4}, preset)
    before = effect(algorithm_class(name)(config))
    for setting in config.idle_settings():
        (field,) = [field for field in fields(config) if field.name == setting]
        for other in others(config, field):
            if setting in other.idle_settings():
                assert same(before, effect(algorithm_class(name)(other))), setting


def test_a_setting_without_use_is_refused() -> None:
    with pytest.raises(ConfigError, match="beta would change nothing: softmax_kl has no reference model"):
        algorithm_class("softmax_kl").config_class.create({"beta": 0.1})
    with pytest.raises(ConfigError, match="normalize_advantages would change nothing: ranks"):
        algorithm_class("drgrpo")(advantage_norm_method="rank", normalize_advantages=False)


def test_idle_settings_are_said_with_their_reasons() -> None:
    assert algorithm_class("grpo")().idle_report() == (
        "Group Relative Policy Optimization: settings that change nothing here: epsilon (at one update a batch no "
        "probability ratio is clipped); is_level (at one update a batch token and geometric_mean have the same "
        "gradient); kl_estimator, use_unbiased_kl (beta is 0)."
    )
    assert algorithm_class("drgrpo")().idle_report() is None
