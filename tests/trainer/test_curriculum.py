"""Which goals are trained on, and in what order."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from lean_agent.database.exports.entries import TacticRow
from lean_agent.trainer.data.dataset import PassRates, arranged, replayed, theorem_of


def rows(repository: str, lengths: dict[str, int]) -> list[TacticRow]:
    """Theorems with proofs of so many steps."""
    return [
        TacticRow(f"⊢ {name} {step}", "simp", repository, "c", f"{name[0]}.lean", name, step)
        for name, steps in lengths.items()
        for step in range(steps)
    ]


def names(arrangement: tuple[TacticRow, ...]) -> list[str]:
    return [row.full_name for row in arrangement]


def test_easy_theorems_first() -> None:
    given = rows("r", {"long": 4, "one": 1, "two": 2, "other": 1})
    order = names(arranged(given, "easy_first", PassRates(), seed=0))
    # Eight rows in four bands: {one, other}, {two, two}, {long, long}, {long, long}.
    assert set(order[:2]) == {"one", "other"}
    assert order[2:] == ["two", "two", "long", "long", "long", "long"]


def test_those_near_one_half_first() -> None:
    given = rows("r", {"always": 1, "half": 1, "never": 1, "new": 2, "seldom": 1})
    rates = PassRates()
    theorems = {row.full_name: theorem_of(row) for row in given}
    for name, passed in {"always": 4, "half": 2, "never": 0, "seldom": 1}.items():
        rates.record([theorems[name]] * 5, [1.0] * passed + [0.0] * (4 - passed) + [None])
    assert rates.rate(theorems["seldom"]) == 0.25
    assert rates.rate(theorems["new"]) is None
    order = names(arranged(given, "pass_rate", rates, seed=0))
    # Distances from one half: half 0; seldom 0.25; new, two steps, |0.5² - 0.5| = 0.25; always and never 0.5. Six rows
    # in bands of 1, 2, 1, 2.
    assert order[0] == "half"
    assert Counter(order[1:4]) == {"seldom": 1, "new": 2}
    assert set(order[4:]) == {"always", "never"}


@pytest.mark.parametrize("curriculum", ["mixed", "easy_first", "pass_rate"])
def test_an_order_loses_nothing_and_depends_on_the_seed_alone(curriculum: str) -> None:
    given = rows("r", {f"{letter}{i}": 1 + i % 5 for letter in "abc" for i in range(20)})
    order = arranged(given, curriculum, PassRates(), seed=1)  # type: ignore[arg-type]
    assert sorted(order, key=repr) == sorted(given, key=repr)
    assert order == arranged(given, curriculum, PassRates(), seed=1)  # type: ignore[arg-type]
    assert order != arranged(given, curriculum, PassRates(), seed=2)  # type: ignore[arg-type]


def test_a_share_of_earlier_repositories() -> None:
    given = rows("old", {f"o{i}": 2 for i in range(10)}) + rows("new", {"n": 3})
    assert replayed(given, ("new", "c"), 1.0, seed=0) == tuple(given)
    assert names(replayed(given, ("new", "c"), 0.0, seed=0)) == ["n"] * 3
    some = Counter(names(replayed(given, ("new", "c"), 0.3, seed=0)))
    # Three of ten theorems, whole.
    assert some.pop("n") == 3
    assert list(some.values()) == [2, 2, 2]


def test_pass_rates_are_kept_as_json() -> None:
    rates, other = PassRates(), PassRates()
    rates.record([("u", "c", "f", "t"), ("u", "c", "f", "t")], [0.3, -0.2])
    other.record([("x", "c", "f", "t")], [1.0])
    other.restore(json.loads(json.dumps(rates.state())))
    assert other == rates
    assert other.rate(("u", "c", "f", "t")) == 0.5
