from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from lean_agent.database import schema
from lean_agent.database.splits import (
    Decision,
    Split,
    adopt,
    novel_premises_split,
    placements,
    premise_split,
    random_split,
    settle_novel_premises,
    settle_random,
    take_over,
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


def decisions(count: int) -> list[Decision]:
    """Statements of a few families, many of them near to others."""
    rng = Random(4)
    families = [[f"w{rng.randrange(300)}" for _ in range(30)] for _ in range(12)]
    wanted = []
    for number in range(count):
        words = list(rng.choice(families))
        for place in rng.sample(range(30), rng.randrange(4)):
            words[place] = f"x{rng.randrange(10_000)}"
        form, split = " ".join(words), random_split(str(number))
        wanted.append(Decision(str(number), form, split, split, given=number % 17 == 0))
    return wanted


def test_decisions_are_the_same_in_one_run_and_one_by_one() -> None:
    """Most candidates of the same run are ruled out by what is kept of them; those of earlier ones are looked up."""
    wanted = decisions(150)
    together, apart = (schema.connect(schema.IN_MEMORY) for _ in range(2))
    adopt(together, wanted)
    for decision in wanted:
        adopt(apart, [decision])
    placed = placements(together)
    assert placed == placements(apart)
    assert 30 < sum(placement.near is not None for placement in placed.values()) < 150
    assert any(placement.random is None for placement in placed.values())
    for connection in (together, apart):
        connection.close()


def test_what_is_taken_over_stands_as_if_placed_one_by_one(tmp_path: Path) -> None:
    """Of two databases with families in common, families of their own, and statements that both have decided."""
    alone = [
        Decision(f"alone {n}", " ".join(f"y{n * 40 + word}" for word in range(30)), "val", "train") for n in range(40)
    ]
    shared = decisions(150)
    here, there = shared[:60], [*alone[:20], *shared[40:], *alone[20:]]
    with closing(schema.connect(tmp_path / "other.sqlite")) as other, other:
        adopt(other, there)
        decided = [
            each._replace(random=placement.random, novel_premises=placement.novel_premises)
            for each, placement in zip(there, placements(other).values(), strict=True)
        ]
    copied, placed = (schema.connect(schema.IN_MEMORY) for _ in range(2))
    for connection in (copied, placed):
        adopt(connection, here)
    with schema.attached_copy(copied, tmp_path / "other.sqlite"):
        take_over(copied)
    adopt(placed, decided)
    assert placements(copied).keys() == placements(placed).keys()
    for hash_, placement in placements(placed).items():
        taken = placements(copied)[hash_]
        assert (taken.random, taken.novel_premises, taken.given) == (
            placement.random,
            placement.novel_premises,
            placement.given,
        ), hash_
    bands = "SELECT count(*) FROM bands"
    assert copied.execute(bands).fetchone() == placed.execute(bands).fetchone()
    for connection in (copied, placed):
        connection.close()
