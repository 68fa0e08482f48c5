"""Advantages, against figures worked by hand."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable
from typing import Any

import pytest
import torch

from lean_agent.algorithms import (
    ALGORITHMS,
    DAPO,
    DGPO,
    GRPO,
    GSPO,
    NSR,
    DrGRPO,
    PassAtK,
    RLAlgorithm,
    SoftmaxKL,
    Unlikeliness,
    create_algorithm,
)

NAN = math.nan


def rows(*groups: list[float]) -> torch.Tensor:
    return torch.tensor(groups)


def advantages(algorithm: RLAlgorithm[Any], *groups: list[float]) -> list[list[float]]:
    values: list[list[float]] = algorithm.compute_advantages(rows(*groups)).tolist()
    return values


def test_a_list_gives_a_dictionary_as_lean_grpo_does() -> None:
    # mean 0.52; squares of the distances 0.2704 + 0.0004 + 0.2304 + 0.0484 + 0.0784 = 0.628; std √(0.628 / 4) = 0.39623
    found = GRPO(group_size=8, normalize_advantages=True).compute_advantages([0.0, 0.5, 1.0, 0.3, 0.8])
    assert list(found) == [0, 1, 2, 3, 4]
    # -0.52 / 0.39633, -0.02 / 0.39633, …
    assert list(found.values()) == pytest.approx([-1.31204, -0.05046, 1.21111, -0.55509, 0.70648], abs=1e-4)


def test_grpo_by_hand() -> None:
    # mean 0.5, distances ±0.5, std √(4 · 0.25 / 3) = 0.57735; 0.5 / 0.57745 = 0.86588
    assert advantages(GRPO(), [0.0, 0.0, 1.0, 1.0]) == [pytest.approx([-0.86588, -0.86588, 0.86588, 0.86588], abs=1e-5)]


@pytest.mark.parametrize(
    "algorithm", [GRPO(normalize_advantages=False), create_algorithm("drgrpo", preset="published")]
)
def test_dr_grpo_leaves_the_deviation_out(algorithm: RLAlgorithm[Any]) -> None:
    # mean (0 + 0 + 1 + 3) / 4 = 1
    assert advantages(algorithm, [0.0, 0.0, 1.0, 3.0]) == [[-1.0, -1.0, 0.0, 2.0]]


def test_winsorized_holds_an_outlier() -> None:
    # Five rewards, quantiles 0.25 and 0.75: the second and the fourth, 0 and 2, which are 2 apart. So -2 0 1 2 4:
    # mean 1, std √((9 + 1 + 0 + 1 + 9) / 4) = 2.23607; 3 / 2.23617 and 1 / 2.23617.
    algorithm = DrGRPO(winsor_quantile=0.25)
    wanted = [-1.34158, -0.44719, 0, 0.44719, 1.34158]
    assert advantages(algorithm, [-50.0, 0.0, 1.0, 2.0, 100.0]) == [pytest.approx(wanted, abs=1e-4)]


@pytest.mark.parametrize("outlier", [100.0, 1e6])
def test_an_outlier_does_not_move_what_it_is_held_to(outlier: float) -> None:
    # Eight rewards: the second is 0.1 and the seventh 0.6, 0.5 apart. The outlier is held to 1.1: mean 3.2 / 8 = 0.4,
    # std √((0.16 + 0.09 + 0.04 + 0.01 + 0 + 0.01 + 0.04 + 0.49) / 7) = 0.34641; -0.4 / 0.34651, …, 0.7 / 0.34651.
    (found,) = advantages(DrGRPO(), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, outlier])
    wanted = [-1.15437, -0.86577, -0.57718, -0.28859, 0.0, 0.28859, 0.57718, 2.02014]
    assert found == pytest.approx(wanted, abs=1e-4)
    # Two and three rewards have none that lies between others on either side: they stay as they are.
    assert advantages(DrGRPO(), [0.0, outlier]) == advantages(GRPO(), [0.0, outlier])
    assert advantages(DrGRPO(), [0.0, NAN, 1.0, outlier]) == advantages(GRPO(), [0.0, NAN, 1.0, outlier])


def test_winsorizing_leaves_a_proof_above_progress() -> None:
    # -0.2 and 0.3 are 0.5 apart, so the proof counts 0.8: mean 0.1 / 8 = 0.0125, squares 5 · 0.045156 + 0.000156 +
    # 0.082656 + 0.620156 = 0.92875, std √(0.92875 / 7) = 0.36425; 0.2875 / 0.36435 and 0.7875 / 0.36435.
    (found,) = advantages(DrGRPO(), [-0.2] * 5 + [0.0, 0.3, 1.0])
    assert found[-2:] == pytest.approx([0.78908, 2.16138], abs=1e-4)


@pytest.mark.parametrize("size", [8, 11, 32])
def test_winsorizing_leaves_a_lone_success(size: int) -> None:
    # Both quantiles are 0. One 1 among G: mean 1/G, std √((1 - 1/G)² + (G - 1)/G²) / √(G - 1) = 1/√G.
    (found,) = advantages(DrGRPO(), [1.0] + [0.0] * (size - 1))
    assert found[0] == pytest.approx((1 - 1 / size) * size**0.5, rel=1e-2)
    assert found[1:] == pytest.approx([-(size**-0.5)] * (size - 1), rel=1e-2)


def test_ranks_do_not_look_at_distances() -> None:
    # 0 is below three others: (0 - 3) / 3. The two 5s: one below, one above each: 0. 100: 3 / 3.
    algorithm = DrGRPO(advantage_norm_method="rank")
    assert advantages(algorithm, [0.0, 5.0, 5.0, 100.0]) == [[-1.0, 0.0, 0.0, 1.0]]
    assert advantages(algorithm, [NAN, 5.0, 6.0, NAN]) == [[0.0, -1.0, 1.0, 0.0]]


def test_pass_at_k_by_the_equations_of_its_paper() -> None:
    # 8 attempts, 2 proofs, k = 4: a set of four fails with 1 - R = C(6, 4) / C(8, 4) = 15 / 70, so R = 55 / 70,
    # σ = √(R (1 - R)) = 0.410326. A proof: (1 - R) / σ = 0.522233 (equation 14).
    # A failure: (1 - R - C(5, 3) / C(7, 3)) / σ = (15 / 70 - 10 / 35) / σ = -0.174078 (equation 15).
    found = advantages(PassAtK(k=4), [0.0] * 6 + [1.0] * 2)
    assert found == [pytest.approx([-0.174078] * 6 + [0.522233] * 2, abs=2e-4)]


def test_pass_at_k_pays_for_the_best_of_k() -> None:
    # 0, 1, 3 in pairs: best 1, 3, 3, mean 7/3. With the 0: (1 + 3) / 2 = 2; with the 1: 2; with the 3: 3.
    algorithm = PassAtK(k=2, normalize_advantages=False)
    assert advantages(algorithm, [3.0, 0.0, 1.0]) == [pytest.approx([2 / 3, -1 / 3, -1 / 3])]
    # One that could not be scored takes part in no pair.
    assert advantages(algorithm, [3.0, NAN, 0.0, 1.0]) == [pytest.approx([2 / 3, 0, -1 / 3, -1 / 3])]
    # No more than k are known: the best of one, 3 or 0, mean 3/2.
    assert advantages(algorithm, [3.0, NAN, 0.0]) == [[1.5, 0.0, -1.5]]


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_at_k_is_what_counting_all_sets_gives(k: int) -> None:
    group = [0.3, 1.0, 0.0, 0.3, 0.7, 0.0]
    sets = [(chosen, max(group[i] for i in chosen)) for chosen in itertools.combinations(range(len(group)), k)]
    mean, spread = statistics.fmean(best for _, best in sets), statistics.pstdev(best for _, best in sets)
    given = [statistics.fmean(best for chosen, best in sets if i in chosen) for i in range(len(group))]
    wanted = [(value - mean) / (spread + 1e-4) for value in given]
    assert advantages(PassAtK(k=k), group) == [pytest.approx(wanted, abs=1e-5)]


def test_dapo_compares_with_the_population() -> None:
    algorithm = DAPO(population_size=4, advantage_ema_decay=0.0)
    # The population is the batch: mean 0.5, std 0.57735. A group of equals is no longer worth 0.
    a = 0.5 / (math.sqrt(1 / 3) + 1e-4)
    assert advantages(algorithm, [0.0, 0.0], [1.0, 1.0]) == [pytest.approx([-a, -a]), pytest.approx([a, a])]
    # Then the newest four: 1, 1, 1, 1 … and 0: the population is 1, 1, 0 of the second batch and a 1 of the first.
    # mean 0.75, std √((3 · 0.0625 + 0.5625) / 3) = 0.5; (0 - 0.75) / 0.5001
    assert advantages(algorithm, [1.0, 1.0, 0.0])[0] == pytest.approx([0.49990, 0.49990, -1.49970], abs=1e-4)


def test_dapo_smooths_its_statistics() -> None:
    algorithm = DAPO(population_size=2, advantage_ema_decay=0.5, normalize_advantages=False, use_reward_shaping=False)
    assert advantages(algorithm, [0.0, 0.0]) == [[0.0, 0.0]]
    # The population is now 1, 1: mean 1, smoothed 0.5 · 0 + 0.5 · 1.
    assert advantages(algorithm, [1.0, 1.0]) == [[0.5, 0.5]]


def test_dapo_stays_near_the_population_after_batches_without_spread() -> None:
    algorithm = DAPO(use_reward_shaping=False)
    assert advantages(algorithm, [0.0] * 8) == advantages(algorithm, [0.0] * 8) == [[0.0] * 8]
    # One success in 24: mean 1/24, std √(23 / 24² · 24 / 23) = 0.20412, a z-score of 4.7. Smoothed mean: 0.1 / 24.
    (found,) = advantages(algorithm, [0.0] * 7 + [1.0])
    assert found[-2:] == pytest.approx([-0.00417 / 0.20422, 0.99583 / 0.20422], abs=1e-3)  # -0.02 and 4.88
    # Nine in 32: mean 0.28125, std √(9 · 23 / 32² · 32 / 31) = 0.45680; smoothed 0.9 · 0.00417 + 0.02813 = 0.03188.
    assert advantages(algorithm, [1.0] * 8) == [pytest.approx([0.96813 / 0.45690] * 8, abs=1e-3)]  # 2.12


def test_dapo_smooths_the_moments() -> None:
    algorithm = DAPO(population_size=4, use_reward_shaping=False)
    advantages(algorithm, [0.0] * 8)
    # 0, 0, 0, 1: mean 0.25, std 0.5; smoothed 0.025 and √(0.1 · 0.25 + 0.09 · 0.25²) = 0.175, less than 0.5.
    assert advantages(algorithm, [0.0] * 7 + [1.0])[0][-1] == pytest.approx(0.975 / 0.5001, abs=1e-4)
    # 1, 1, 1, 1: mean 1, no spread; smoothed 0.0225 + 0.1 and √(0.9 · 0.175² + 0.09 · 0.975²) = 0.33633, since one
    # part in ten of the rewards is 1 and the others are near 0.025.
    assert advantages(algorithm, [1.0] * 8) == [pytest.approx([0.8775 / 0.33643] * 8, abs=1e-4)]


def test_dapo_shapes_while_rewards_are_sparse() -> None:
    shaping: dict[str, Any] = {
        "use_population": False,
        "use_reward_shaping": True,
        "shaping_weight": 0.4,
        "normalize_advantages": False,
    }
    # Three of four are not above 0: 0.75 ≥ 0.75, sparse. Shares beaten, ties half: -1 → 0.125, 0 and 0 →
    # (1 + 1) / 4 = 0.5, 1 → 0.875. Shaped: -1 + 0.05, 0.2, 0.2, 1.35; mean 0.2.
    sparse = DAPO(**shaping, sparse_reward_threshold=0.75)
    assert advantages(sparse, [-1.0, 0.0, 0.0, 1.0])[0] == pytest.approx([-1.15, 0.0, 0.0, 1.15])
    dense = DAPO(**shaping, sparse_reward_threshold=0.76)
    assert advantages(dense, [-1.0, 0.0, 0.0, 1.0]) == [[-1.0, 0.0, 0.0, 1.0]]
    assert not dense.is_sparse


def test_gspo_mixes_in_a_consensus() -> None:
    algorithm = GSPO(consensus_weight=0.25, normalize_advantages=False)
    # Own: ±1 and 0, 0. Over the whole batch the mean is (0 + 2 + 4 + 4) / 4 = 2.5.
    # 0.75 · -1 + 0.25 · -2.5; 0.75 · 1 + 0.25 · -0.5; 0.25 · 1.5
    assert advantages(algorithm, [0.0, 2.0], [4.0, 4.0]) == [[-1.375, 0.625], [0.375, 0.375]]


def test_gspo_groups_grow_while_they_have_no_spread() -> None:
    algorithm = GSPO(group_size=4, use_dynamic_groups=True, max_group_size=8, min_group_size=2)
    same, different = [1.0, 1.0], [0.0, 1.0]
    sizes = []
    for batch in ([same] * 4, [same] * 4, [different, same], [different] * 4, [different] * 4, [different] * 4):
        algorithm.compute_advantages(rows(*batch))
        sizes.append(algorithm.next_group_size())
    # No group of four has spread: 8, then at the bound. One of two: as it is. All: 4, 2, and there is no less.
    assert sizes == [8, 8, 8, 4, 2, 2]
    other = GSPO(group_size=4, use_dynamic_groups=True)
    other.load_state_dict(algorithm.state_dict())
    assert other.next_group_size() == 2


def test_a_rare_success_is_worth_more() -> None:
    algorithm = Unlikeliness(unlikeliness=0.4, normalize_advantages=False)
    rewards, lengths = rows([1.0, 1.0, 0.0, 1.0]), torch.tensor([[2, 4, 1, 1]])
    # Means -0.5, -1, -0.1, -2: ranks from the least likely 2, 1, 3, 0 of 4. 1 - 0.4 · 2/4, 1 - 0.4 · 1/4, a failure, 1.
    logprobs = rows([-1.0, -4.0, -0.1, -2.0])
    assert algorithm.shape_rewards(rewards, lengths, 8, logprobs)[0].tolist() == pytest.approx([0.8, 0.9, 0.0, 1.0])
    # Sums -1, -4, -0.1, -2: ranks 2, 0, 3, 1.
    by_sum = Unlikeliness(unlikeliness=0.4, rank_by="sum").shape_rewards(rewards, lengths, 8, logprobs)
    assert by_sum[0].tolist() == pytest.approx([0.8, 1.0, 0.0, 0.9])
    # Progress is no success, and what is not known takes no rank: of three, -4 / 4 is the least likely but one.
    shaped = algorithm.shape_rewards(rows([0.5, 1.0, NAN, 1.0]), lengths, 8, logprobs)[0]
    assert shaped[[0, 1, 3]].tolist() == pytest.approx([0.5, 1 - 0.4 / 3, 1.0])
    assert math.isnan(shaped[2])
    # Mean 0.675 of 0.8, 0.9, 0, 1.
    assert advantages(algorithm, [0.8, 0.9, 0.0, 1.0])[0] == pytest.approx([0.125, 0.225, -0.675, 0.325])
    with pytest.raises(ValueError, match="needs the log-probabilities"):
        algorithm.shape_rewards(rewards, lengths, 8)


def test_equally_likely_successes_are_worth_the_same() -> None:
    shaped = Unlikeliness().shape_rewards(torch.ones(1, 4), torch.ones(1, 4), 8, torch.full((1, 4), -1.0))
    assert shaped.unique().numel() == 1


def test_failures_weigh_more_than_successes() -> None:
    assert advantages(NSR(), [1.0, 0.6, 0.5, -1.0, NAN]) == [pytest.approx([0.1, 0.1, -1.0, -1.0, 0.0])]
    # Nothing is compared: a group without spread teaches too.
    assert advantages(NSR(positive_weight=0.0, negative_weight=0.5), [1.0, 1.0], [0.0, 0.0]) == [[0, 0], [-0.5, -0.5]]


def test_softmax_kl_centres_alone() -> None:
    assert advantages(SoftmaxKL(), [0.0, 4.0]) == [[-2.0, 2.0]]


def test_overlong_punishment() -> None:
    # DAPO, equation 13, limit 20, cache 4: free up to 16, then (16 - length) / 4, -1 from 20.
    algorithm = DAPO(overlong_cache=4)
    lengths = torch.tensor([[10, 16, 17, 19, 20, 30]])
    found = algorithm.shape_rewards(torch.ones(1, 6), lengths, 20)
    assert found.tolist() == [[1.0, 1.0, 0.75, 0.25, 0.0, 0.0]]
    assert GRPO().shape_rewards(torch.ones(1, 6), lengths, 20).tolist() == [[1.0] * 6]


# What every algorithm does where there is nothing to compare.

ON_GROUPS: list[RLAlgorithm[Any]] = [
    GRPO(),
    GRPO(normalize_advantages=False),
    DGPO(),
    DrGRPO(),
    DrGRPO(advantage_norm_method="rank"),
    create_algorithm("drgrpo", preset="published"),
    create_algorithm("dapo", preset="published"),
    GSPO(use_consensus=False),
    PassAtK(),
    SoftmaxKL(),
    Unlikeliness(),
]


@pytest.mark.parametrize("algorithm", ON_GROUPS, ids=repr)
def test_a_group_without_spread_gives_exactly_zero(algorithm: RLAlgorithm[Any]) -> None:
    # 0.3 is not a number of float32: its mean over eight rounds to something else.
    found = algorithm.compute_advantages(torch.full((2, 8), 0.3))
    assert found.tolist() == [[0.0] * 8] * 2


@pytest.mark.parametrize("algorithm", ON_GROUPS, ids=repr)
def test_one_known_reward_among_unknown_gives_zero(algorithm: RLAlgorithm[Any]) -> None:
    assert algorithm.compute_advantages([None, 1.0, None]) == {0: 0.0, 1: 0.0, 2: 0.0}


@pytest.mark.parametrize("algorithm", ON_GROUPS, ids=repr)
def test_a_group_of_one_gives_zero(algorithm: RLAlgorithm[Any]) -> None:
    assert advantages(algorithm, [1.0], [0.0]) == [[0.0], [0.0]]


@pytest.mark.parametrize(
    "make",
    [DAPO, lambda: DAPO(use_reward_shaping=False), lambda: DAPO(sparse_reward_threshold=0.1), GSPO],
    ids=["dapo", "dapo, not shaped", "dapo, shaped", "gspo"],
)
def test_where_all_that_is_known_is_equal_others_give_exactly_zero_too(make: Callable[[], RLAlgorithm[Any]]) -> None:
    """A population, or all groups of a batch, in which there is nothing to tell a completion from."""
    for value in (0.3, 0.1, -0.2, 1.0, 0.0):
        algorithm = make()
        for batch in (torch.full((1, 8), value), torch.full((3, 7), value), torch.full((16, 8), value)):
            assert not algorithm.compute_advantages(batch).any()
    assert make().compute_advantages([None, 0.3, None]) == {0: 0.0, 1: 0.0, 2: 0.0}
    assert make().compute_advantages([0.3]) == {0: 0.0}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_unknown_is_not_worthless(name: str) -> None:
    """A completion that could not be scored gets 0, and the others what they would get without it."""
    with_unknown = create_algorithm(name).compute_advantages([0.0, None, 1.0, 1.0])
    without = create_algorithm(name).compute_advantages([0.0, 1.0, 1.0])
    assert with_unknown[1] == 0.0
    assert [with_unknown[i] for i in (0, 2, 3)] == pytest.approx(list(without.values()), abs=1e-6)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_better_is_never_worth_less(name: str) -> None:
    generator = torch.Generator().manual_seed(3)
    algorithm = create_algorithm(name)
    for _ in range(20):
        rewards = torch.rand(4, 6, generator=generator).mul(5).round() / 5
        found = algorithm.compute_advantages(rewards)
        assert found.shape == rewards.shape
        assert found.isfinite().all()
        better = rewards.unsqueeze(2) > rewards.unsqueeze(1)
        assert (found.unsqueeze(2) >= found.unsqueeze(1))[better].all()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_nothing_at_all(name: str) -> None:
    algorithm = create_algorithm(name)
    assert algorithm.compute_advantages([]) == {}
    assert algorithm.compute_advantages([None, None]) == {0: 0.0, 1: 0.0}
    with pytest.raises(ValueError, match=r"\[B, G\]"):
        algorithm.compute_advantages(torch.zeros(3))
    with pytest.raises(ValueError, match="infinite"):
        algorithm.compute_advantages([1.0, math.inf])


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_algorithm_goes_on_from_its_state(name: str) -> None:
    import json

    generator = torch.Generator().manual_seed(0)
    batches = [torch.rand(2, 4, generator=generator) for _ in range(4)]
    straight, first, second = (create_algorithm(name) for _ in range(3))
    for batch in batches[:2]:
        straight.compute_advantages(batch)
        first.compute_advantages(batch)
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for batch in batches[2:]:
        assert second.compute_advantages(batch).tolist() == straight.compute_advantages(batch).tolist()
