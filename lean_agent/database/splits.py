"""Which split a theorem belongs to, so that no later repository can move it and none leaks from one into another.

A split is never drawn: it follows from hashes of the theorem itself, and from the statements before it in the database
that say nearly the same. A statement that is a near-duplicate of an earlier one goes where that one is; one that is
near to statements of two splits goes nowhere. What was decided once is stored and stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = ("train", "val", "test")

RANDOM_SHARES = {"val": 0.1, "test": 0.1}
HELD_OUT_PREMISES = {"val": 0.05, "test": 0.05}
"""Shares of all premises. A theorem uses several, so these hold out a larger share of theorems: 1 - 0.9^3 = 27 % of
those with three premises that are all equally rare."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a statement stands under each method; ``None``: in no split.

    Attributes:
        near: hash of the first near-duplicate that was decided before.
        given: the splits are those of a data set that was imported, whatever hashes say.
    """

    random: Split | None
    novel_premises: Split | None
    near: str | None = None
    given: bool = False


def random_split(type_hash: str) -> Split:
    """80 % train, 10 % val, 10 % test, by the hash of the statement up to renaming of bound variables.

    Two theorems that state the same always share a split, in whatever repositories they stand.
    """
    return _by_share(_unit_interval("random", type_hash), RANDOM_SHARES)


def premise_split(full_name: str) -> Split:
    """Which split a premise is kept for; ``train`` means that every split may use it."""
    return _by_share(_unit_interval("novel_premises", full_name), HELD_OUT_PREMISES)


def novel_premises_split(premises: Iterable[str]) -> Split:
    """``test`` for a theorem that uses a premise kept for test, else ``val`` for one kept for val, else ``train``.

    So every theorem of val or test uses a premise that no theorem of train uses, and every theorem of test one that no
    theorem of train or val uses.
    """
    kept_for = {premise_split(name) for name in premises}
    return "test" if "test" in kept_for else "val" if "val" in kept_for else "train"


def settle_random(own: Split, near: Iterable[Split | None]) -> Split | None:
    """Return the split of a statement under ``random``, given its own hash's and those of the near-duplicates before
    it."""
    sides = {split for split in near if split is not None}
    if not sides:
        return own
    return sides.pop() if len(sides) == 1 else None


def settle_novel_premises(own: Split, near: Iterable[Split | None]) -> Split | None:
    """Return the split of a statement under ``novel_premises``, given what its premises say and where near-duplicates
    are.

    Its premises cannot be moved, so it stands where both agree or nowhere: either side would break a promise.
    """
    return own if {split for split in near if split is not None} <= {own} else None


def _by_share(number: float, shares: dict[str, float]) -> Split:
    """Map a number in [0, 1) to ``test`` below its share, to ``val`` in the next one, else to ``train``."""
    if number < shares["test"]:
        return "test"
    return "val" if number < shares["test"] + shares["val"] else "train"


def _unit_interval(salt: str, text: str) -> float:
    """Return a number in [0, 1) that depends on nothing but the text."""
    digest = hashlib.sha256(f"{salt}\0{text}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
