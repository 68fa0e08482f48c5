"""Estimates against numbers worked by hand."""

from __future__ import annotations

import math

import pytest

from lean_agent.evaluation.statistics import compare, mcnemar, pass_at_k, share_interval


def test_pass_at_k_is_the_chance_that_a_draw_without_replacement_holds_a_success() -> None:
    assert pass_at_k(4, 1, 1) == pytest.approx(1 / 4)
    # Two of four attempts, one of which succeeded: 6 pairs, 3 of them without it.
    assert pass_at_k(4, 1, 2) == pytest.approx(1 / 2)
    # 5 attempts, 2 successes, k = 3: 10 triples, the one of the 3 failures misses both.
    assert pass_at_k(5, 2, 3) == pytest.approx(9 / 10)
    assert (pass_at_k(3, 0, 2), pass_at_k(3, 3, 1), pass_at_k(3, 1, 3)) == (0, 1, 1)


@pytest.mark.parametrize(("attempts", "proved", "k"), [(3, 1, 4), (3, 1, 0), (3, 4, 1), (3, -1, 1)])
def test_pass_at_k_refuses_what_cannot_be_estimated(attempts: int, proved: int, k: int) -> None:
    with pytest.raises(ValueError, match="pass@"):
        pass_at_k(attempts, proved, k)


def test_the_interval_of_a_share_is_about_two_standard_errors_to_each_side() -> None:
    found = share_interval([1.0] * 40 + [0.0] * 60)
    # sqrt(0.4 * 0.6 / 100) = 0.049; 1.96 of them are 0.096.
    assert found.value == pytest.approx(0.4)
    error = 1.96 * math.sqrt(0.4 * 0.6 / 100)
    assert (found.low, found.high) == (pytest.approx(0.4 - error, abs=0.011), pytest.approx(0.4 + error, abs=0.011))
    assert share_interval([1.0] * 40 + [0.0] * 60) == found, "the same numbers give the same interval"


def test_nothing_proved_does_not_mean_that_nothing_ever_is() -> None:
    # With a true share of 10.9 % none of 32 would be proved in 2.5 % of cases: (1 - 0.109)^32 = 0.025.
    none, every = share_interval([0.0] * 32), share_interval([1.0] * 32)
    assert (none.value, none.low, none.high) == (0, 0, pytest.approx(0.109, abs=5e-4))
    assert (1 - none.high) ** 32 == pytest.approx(0.025)
    assert (every.value, every.high, every.low) == (1, 1, pytest.approx(1 - none.high))
    assert share_interval([]).high == 0
    # All alike in between: 0.025^(1/4) = 0.398, so up to 60.2 % of all theorems may be others, and be 0 or 1.
    half = share_interval([0.5] * 4)
    assert (half.value, half.low, half.high) == (0.5, pytest.approx(0.199, abs=5e-4), pytest.approx(0.801, abs=5e-4))
    third = share_interval([1 / 3] * 50)  # 1/3 is no number of the machine's, and its sums are rounded
    assert third.value == 1 / 3 and third.low < 0.32 and third.high > 0.37


def test_mcnemar_is_a_coin_tossed_for_each_theorem_that_one_of_the_two_proved() -> None:
    # 1 to 9 of ten: (C(10,0) + C(10,1)) / 2^10 = 11 / 1024, twice.
    assert mcnemar(1, 9) == mcnemar(9, 1) == pytest.approx(22 / 1024)
    assert mcnemar(5, 0) == pytest.approx(2 / 32)
    assert (mcnemar(0, 0), mcnemar(3, 3)) == (1, 1)


def test_a_comparison_pairs_the_theorems() -> None:
    first = [[True], [True], [True], [False], [True], [False]]
    second = [[True, True], [False, False], [False, True], [False, True], [False, False], [True, True]]
    found = compare(first, second)
    # At the first attempt: only the first proves the second, third and fifth, only the second the last.
    assert (found.only_first, found.only_second) == (3, 1)
    assert found.p_value == pytest.approx(2 * (1 + 4) / 16)
    # Over all attempts: 4 against 1 + 0 + 0.5 + 0.5 + 0 + 1 = 3, of six.
    assert found.difference.value == pytest.approx((4 - 3) / 6)
    assert found.difference.low < found.difference.value < found.difference.high
    same = compare(first, first)
    # 0.025^(1/6) = 0.541: up to 45.9 % of all theorems may be proved by one alone.
    assert (same.difference.value, same.p_value) == (0, 1)
    assert (same.difference.low, same.difference.high) == (
        pytest.approx(-0.459, abs=5e-4),
        pytest.approx(0.459, abs=5e-4),
    )
    # 0.025^(1/3) = 0.292: the second alone may prove 70.8 %, then the difference is 0.292 - 0.708.
    better = compare([[True]] * 3, [[False]] * 3).difference
    assert (better.value, better.low, better.high) == (1, pytest.approx(2 * 0.2924 - 1, abs=5e-4), 1)
    with pytest.raises(ValueError, match="same theorems"):
        compare(first, second[:-1])
