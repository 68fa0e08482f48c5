from __future__ import annotations

from collections import Counter

import pytest

from lean_agent.database.splits import (
    Split,
    novel_premises_split,
    premise_split,
    random_split,
    settle_novel_premises,
    settle_random,
)


def kept_for(split: str, number: int = 1) -> list[str]:
    """Names of premises that are kept for a split."""
    names = (f"premise.{n}" for n in range(10_000))
    return [name for name in names if premise_split(name) == split][:number]


def test_the_shares_of_the_random_split() -> None:
    counts = Counter(random_split(str(n)) for n in range(10_000))
    # 8000, 1000, 1000 are expected; the standard deviation is 40, 30, 30, so these bounds are over six of them.
    assert abs(counts["train"] - 8000) < 250
    assert abs(counts["val"] - 1000) < 190
    assert abs(counts["test"] - 1000) < 190


def test_the_random_split_is_written_in_stone() -> None:
    # `printf 'random\0%s' N | sha256sum` begins 6eaa for 0, 14ab for 11, 1fc0 for 8: as fractions of 2^64
    # 0x6eaa / 0x10000 = 0.432 (train), 0x14ab / 0x10000 = 0.081 (test), 0x1fc0 / 0x10000 = 0.124 (val).
    assert [random_split(n) for n in ("0", "11", "8")] == ["train", "test", "val"]


def test_the_shares_of_held_out_premises() -> None:
    counts = Counter(premise_split(str(n)) for n in range(10_000))
    # 500 each are expected; the standard deviation is 22, so these bounds are over six of them.
    assert abs(counts["val"] - 500) < 135
    assert abs(counts["test"] - 500) < 135


def test_one_premise_that_is_kept_decides() -> None:
    common, val, test = kept_for("train", 3), kept_for("val"), kept_for("test")
    assert novel_premises_split([]) == "train"
    assert novel_premises_split(common) == "train"
    assert novel_premises_split(common + val) == "val"
    assert novel_premises_split(test + common) == "test"
    assert novel_premises_split(val + test) == "test"


@pytest.mark.parametrize(
    ("own", "near", "random", "novel_premises"),
    [
        ("train", [], "train", "train"),
        ("train", ["train", "train"], "train", "train"),
        ("train", ["test"], "test", None),  # the hash can give way, the premises cannot
        ("test", ["val", "val"], "val", None),
        ("test", ["val", "train"], None, None),  # near to both sides: in none
        ("val", [None], "val", "val"),  # a near-duplicate that is in no split leaks nothing
    ],
)
def test_near_duplicates_share_a_side(
    own: Split, near: list[Split | None], random: Split | None, novel_premises: Split | None
) -> None:
    assert settle_random(own, near) == random
    assert settle_novel_premises(own, near) == novel_premises
