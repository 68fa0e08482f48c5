"""Losses against figures worked by hand, and where there is nothing to learn from or nothing to compute with."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from lean_agent.algorithms import ALGORITHMS, DAPO, DGPO, GRPO, DrGRPO, RLAlgorithm, SoftmaxKL, create_algorithm
from lean_agent.algorithms.functional import importance_weights

LOG2 = math.log(2)


def t(*rows: list[float]) -> torch.Tensor:
    return torch.tensor(rows)


def loss_of(algorithm: RLAlgorithm[Any], logprobs: Any, old: Any, advantages: Any, mask: Any, **more: Any) -> float:
    return algorithm.compute_loss(logprobs, old, more.pop("ref", None), torch.tensor(advantages), mask, **more)[
        0
    ].item()


def test_grpo_by_hand() -> None:
    # Ratios 2 and 1 with A = 1: -min(2, 1.2) = -1.2 and -1, mean -1.1. Second row, one token, ratio ½, A = -1:
    # -min(-½, -0.8) = 0.8. Mean of the rows: (-1.1 + 0.8) / 2.
    logprobs, old, mask = t([LOG2, 0.0], [-LOG2, 0.0]), torch.zeros(2, 2), t([1, 1], [1, 0])
    assert loss_of(GRPO(), logprobs, old, [1.0, -1.0], mask) == pytest.approx(-0.15)
    # Over all tokens: (-1.2 - 1 + 0.8) / 3. Divided by a constant, 2 rows of 4: -1.4 / 8.
    assert loss_of(GRPO(loss_aggregation="token"), logprobs, old, [1.0, -1.0], mask) == pytest.approx(-1.4 / 3)
    constant = GRPO(loss_aggregation="constant")
    assert loss_of(constant, logprobs, old, [1.0, -1.0], mask, max_length=4) == pytest.approx(-0.175)
    _, metrics = GRPO().compute_loss(logprobs, old, None, torch.tensor([1.0, -1.0]), mask)
    # Of three tokens one is above 1.2 and one below 0.8. Ratios 2, 1, ½.
    assert metrics["clipped_high"] == pytest.approx(1 / 3)
    assert metrics["clipped_low"] == pytest.approx(1 / 3)
    assert metrics["ratio"] == pytest.approx(3.5 / 3)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        # Log-ratios log 2 and log 8. Tokens: ratios 2 and 8.
        ("token", -(2 + 8) / 2),
        # The sequence: 16. Its geometric mean: 16^(1/2) = 4.
        ("sequence", -16.0),
        ("geometric_mean", -4.0),
    ],
)
def test_levels_of_the_ratio(level: Any, expected: float) -> None:
    algorithm = DrGRPO(is_level=level, epsilon=1.0, epsilon_high=100.0, beta=0.0)
    logprobs, mask = t([LOG2, 3 * LOG2, 7.0]), t([1, 1, 0])
    assert loss_of(algorithm, logprobs, torch.zeros(1, 3), [1.0], mask) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        # d = log π_ref - log π = log 2: e^d - d - 1 = 2 - 0.69315 - 1; |d|; d² / 2
        ("schulman", 1 - LOG2),
        ("abs", LOG2),
        ("mse", LOG2**2 / 2),
    ],
)
def test_estimators_of_the_divergence(estimator: Any, expected: float) -> None:
    logprobs, mask = t([0.0, 5.0]), t([1, 0])
    plain = DrGRPO(beta=1.0, kl_estimator=estimator, use_unbiased_kl=False)
    assert loss_of(plain, logprobs, None, [0.0], mask, ref=t([LOG2, 0.0])) == pytest.approx(expected)
    # Sampled by a policy that gave the token half the probability: ratio 2.
    unbiased = DrGRPO(beta=1.0, kl_estimator=estimator)
    assert loss_of(unbiased, logprobs, t([-LOG2, 0.0]), [0.0], mask, ref=t([LOG2, 0.0])) == pytest.approx(2 * expected)


def test_asymmetric_clip() -> None:
    # Ratio 2, A = 1: held at 1.28; without the asymmetry at 1.2.
    logprobs, mask = t([LOG2]), t([1.0])
    assert loss_of(DrGRPO(beta=0.0), logprobs, t([0.0]), [1.0], mask) == pytest.approx(-1.28)
    symmetric = DrGRPO(use_asymmetric_clip=False, beta=0.0)
    assert loss_of(symmetric, logprobs, t([0.0]), [1.0], mask) == pytest.approx(-1.2)


def test_dapo_weighs_by_sign() -> None:
    algorithm = DAPO(positive_advantage_scale=0.5, negative_advantage_scale=0.25)
    logprobs, mask = torch.zeros(2, 1), torch.ones(2, 1)
    # Ratio 1: (-0.5 · 2 + 0.25 · 2) / 2
    assert loss_of(algorithm, logprobs, None, [2.0, -2.0], mask) == pytest.approx(-0.25)
    plain = DAPO(use_asymmetric_loss=False, negative_advantage_scale=0.25)
    assert loss_of(plain, logprobs, None, [2.0, -2.0], mask) == 0.0


def dpo_only(**settings: Any) -> tuple[DGPO, GRPO]:
    return DGPO(dpo_coef=1.0, dpo_beta=1.0, **settings), GRPO()


def test_dgpo_pairs_by_hand() -> None:
    # Scores s = log π - log π_ref: 1, 0, -1 with advantages 1, 0, 0: pairs (0, 1) and (0, 2).
    # (log(1 + e^-1) + log(1 + e^-2)) / 2 = (0.313262 + 0.126928) / 2 = 0.220095
    dgpo, grpo = dpo_only(group_size=3)
    logprobs, reference, mask = t([1.0], [0.0], [-1.0]), torch.zeros(3, 1), torch.ones(3, 1)
    args = (logprobs, logprobs, [1.0, 0.0, 0.0], mask)
    assert loss_of(dgpo, *args, ref=reference) - loss_of(grpo, *args) == pytest.approx(0.220095, abs=1e-5)
    _, metrics = dgpo.compute_loss(logprobs, logprobs, reference, torch.tensor([1.0, 0.0, 0.0]), mask)
    assert metrics["dpo_accuracy"] == 1.0
    # Known pairs take the place of those: only row 2 over row 0, -log σ(-2) = log(1 + e^2) = 2.126928
    known = torch.tensor([[2, 0]])
    found = loss_of(dgpo, *args, ref=reference, preferences=known) - loss_of(grpo, *args)
    assert found == pytest.approx(2.126928, abs=1e-5)
    # Coefficient 0, or without the loss, is plain GRPO.
    for off in (DGPO(dpo_coef=0.0), DGPO(use_dpo_loss=False)):
        assert loss_of(off, *args, ref=reference) == loss_of(grpo, *args)


def test_dgpo_ranking_by_hand() -> None:
    # Scores 1, 0, -1, in that order of preference: -log(e / (e + 1 + e^-1)) and -log(1 / (1 + e^-1)), mean of the two.
    # (0.407606 + 0.313262) / 2
    dgpo, grpo = dpo_only(group_size=3, ranked_preferences=True)
    args = (t([1.0], [0.0], [-1.0]), torch.zeros(3, 1), [3.0, 2.0, 1.0], torch.ones(3, 1))
    assert loss_of(dgpo, *args) - loss_of(grpo, *args) == pytest.approx(0.360434, abs=1e-5)


def test_dgpo_compares_within_groups_alone() -> None:
    dgpo, grpo = dpo_only(group_size=2)
    args = (t([1.0], [0.0], [5.0], [5.0]), torch.zeros(4, 1), [1.0, 0.0, 9.0, 9.0], torch.ones(4, 1))
    pair = math.log(1 + math.exp(-1))
    assert loss_of(dgpo, *args) - loss_of(grpo, *args) == pytest.approx(pair, abs=1e-5)
    # Groups named otherwise: rows 0 and 2, 1 and 3. 2 beats 0 by s = 4, 3 beats 1 by s = 5.
    found = loss_of(dgpo, *args, groups=torch.tensor([7, 3, 7, 3])) - loss_of(grpo, *args)
    assert found == pytest.approx((math.log(1 + math.exp(-4)) + math.log(1 + math.exp(-5))) / 2, abs=1e-5)


def test_softmax_kl_by_hand() -> None:
    # p = softmax(log 3, 0) = ¾, ¼; q = softmax(0, 0) = ½, ½. KL(p ‖ q) = ¾ log 1.5 + ¼ log ½ = 0.130812;
    # KL(q ‖ p) = ½ log ⅔ + ½ log 2 = 0.143841
    logprobs, mask = t([math.log(3) - 1, 1.0], [0.0, 9.0]), t([1, 1], [1, 0])
    assert loss_of(SoftmaxKL(group_size=2), logprobs, None, [4.0, 4.0], mask) == pytest.approx(0.143841, abs=1e-5)
    other = SoftmaxKL(group_size=2, kl_direction="policy_to_target")
    assert loss_of(other, logprobs, None, [4.0, 4.0], mask) == pytest.approx(0.130812, abs=1e-5)
    # Scores log 9 and 0 at temperature 2: q = softmax(log 3, 0) = p.
    warm = SoftmaxKL(group_size=2, temperature=2.0)
    assert loss_of(warm, logprobs, None, [math.log(9), 0.0], mask) == pytest.approx(0.0, abs=1e-6)
    # Torch's own function is the default direction.
    p, q = torch.tensor([0.75, 0.25]), torch.tensor([0.5, 0.5])
    assert torch.nn.functional.kl_div(p.log(), q, reduction="sum").item() == pytest.approx(0.143841, abs=1e-5)


def test_softmax_kl_leaves_padding_of_a_group_out() -> None:
    logprobs, mask = t([math.log(3)], [0.0], [50.0]), torch.ones(3, 1)
    loss = loss_of(SoftmaxKL(group_size=3), logprobs, None, [4.0, 4.0, math.nan], mask)
    assert loss == pytest.approx(0.143841, abs=1e-5)
    assert loss_of(SoftmaxKL(group_size=3), logprobs[:1], None, [4.0], mask[:1]) == 0.0


@pytest.mark.parametrize("direction", ["policy_to_target", "target_to_policy"])
def test_softmax_kl_goes_to_the_scores(direction: Any) -> None:
    """Its minimum is where the policy's shares are those of the scores."""
    algorithm = SoftmaxKL(group_size=3, kl_direction=direction)
    logprobs = torch.zeros(3, 1, requires_grad=True)
    optimizer = torch.optim.Adam([logprobs], lr=0.05)
    scores = torch.tensor([2.0, 0.0, 1.0])
    for _ in range(400):
        optimizer.zero_grad()
        algorithm.compute_loss(logprobs, None, None, scores, torch.ones(3, 1))[0].backward()
        optimizer.step()
    assert logprobs.detach().squeeze(1).softmax(0).tolist() == pytest.approx(scores.softmax(0).tolist(), abs=1e-3)


def test_tokens_that_a_server_drew_otherwise_are_weighed() -> None:
    # Ratios e^0.5 and e^-0.5, the first held at 1.2; of the third nothing is reported, the fourth is padding.
    here, there = t([-1.0, -1.5, -3.0, -1.0]), t([-1.5, -1.0, math.nan, -9.0])
    mask = t([1, 1, 1, 0])
    weights, metrics = importance_weights(here, there, mask, 1.2)
    assert weights[0, :3].tolist() == pytest.approx([1.2, math.exp(-0.5), 1.0])
    assert metrics == pytest.approx({"sampler_kl": 0.0, "sampler_gap": 0.5, "weights_capped": 0.5})
    loss, _ = GRPO().compute_loss(here, None, None, torch.tensor([1.0]), mask, token_weights=weights)
    assert loss.item() == pytest.approx(-(1.2 + math.exp(-0.5) + 1.0) / 3)


# Degenerate tensors, for every algorithm.


def both(name: str) -> list[RLAlgorithm[Any]]:
    with_reference = {} if "beta" in ALGORITHMS[name].config_class.UNUSED else {"beta": 0.1}
    return [
        create_algorithm(name, group_size=2),
        create_algorithm(name, preset="published", group_size=2, **with_reference),
    ]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_tokens_without_a_finite_logprob_take_no_part(name: str) -> None:
    for algorithm in both(name):
        logprobs = t([-1.0, -2.0, -1.0], [-1.0, -1.0, -3.0])
        broken = logprobs.clone()
        broken[0, 1], broken[1, 2] = math.nan, -math.inf
        mask = torch.ones(2, 3)
        without = mask.clone()
        without[0, 1] = without[1, 2] = 0
        reference, advantages = torch.zeros(2, 3), torch.tensor([1.0, -1.0])
        broken.requires_grad_()
        loss, metrics = algorithm.compute_loss(broken, None, reference, advantages, mask)
        expected, _ = algorithm.compute_loss(logprobs, None, reference, advantages, without)
        loss.backward()
        assert loss.item() == pytest.approx(expected.item())
        assert broken.grad is not None
        assert broken.grad.isfinite().all()
        if "dropped_tokens" in metrics:
            assert metrics["dropped_tokens"] == pytest.approx(2 / 6)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_completions_without_tokens(name: str) -> None:
    for algorithm in both(name):
        logprobs = torch.full((2, 3), -1.0, requires_grad=True)
        loss, metrics = algorithm.compute_loss(
            logprobs, None, logprobs.detach(), torch.tensor([1.0, -1.0]), torch.zeros(2, 3)
        )
        loss.backward()
        assert loss.item() == 0.0
        assert all(math.isfinite(value) for value in metrics.values())
        none, _ = algorithm.compute_loss(logprobs[:0], None, logprobs[:0].detach(), torch.zeros(0), torch.zeros(0, 3))
        assert none.item() == 0.0


@pytest.mark.parametrize("name", ALGORITHMS)
def test_ratios_that_overflow_stay_finite(name: str) -> None:
    sequence = {} if "is_level" in ALGORITHMS[name].config_class.UNUSED else {"is_level": "sequence"}
    for algorithm in [*both(name), create_algorithm(name, group_size=2, **sequence)]:
        logprobs = torch.full((2, 4), -1.0, requires_grad=True)
        far = torch.tensor([[-500.0] * 4, [200.0] * 4])
        for advantages in ([1.0, -1.0], [-1.0, 1.0]):
            loss, metrics = algorithm.compute_loss(logprobs, far, far, torch.tensor(advantages), torch.ones(2, 4))
            loss.backward()
            assert math.isfinite(loss.item())
            assert all(math.isfinite(value) for value in metrics.values())
        assert logprobs.grad is not None
        assert logprobs.grad.isfinite().all()


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "softmax_kl"])
def test_a_step_makes_the_better_completion_likelier(name: str) -> None:
    for algorithm in both(name):
        logprobs = torch.full((2, 3), -1.0, requires_grad=True)
        advantages = algorithm.compute_advantages(torch.tensor([[1.0, 0.0]])).flatten()
        algorithm.compute_loss(logprobs, None, logprobs.detach(), advantages, torch.ones(2, 3))[0].backward()
        assert logprobs.grad is not None
        assert (logprobs.grad[0] < 0).all()
        assert (logprobs.grad[1] > 0).all()


def test_shapes_are_checked() -> None:
    values = torch.zeros(2, 3)
    with pytest.raises(ValueError, match="mask must have the shape"):
        GRPO().compute_loss(values, None, None, torch.zeros(2), torch.zeros(2, 2))
    with pytest.raises(ValueError, match="advantages must be"):
        GRPO().compute_loss(values, None, None, torch.zeros(3), values)
    with pytest.raises(ValueError, match="needs ref_logprobs"):
        GRPO(beta=0.1).compute_loss(values, None, None, torch.zeros(2), torch.ones(2, 3))
