"""Which split a theorem belongs to: pure functions of the theorem, so that no later repository can move it.

A split is never drawn: it follows from hashes of the theorem itself. The same theorem gets the same split in every
database, on every machine, however many repositories come after it, so nothing that was tested on leaks into training.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Literal

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = ("train", "val", "test")

RANDOM_SHARES = {"val": 0.1, "test": 0.1}
HELD_OUT_PREMISES = {"val": 0.05, "test": 0.05}
"""Shares of all premises. A theorem uses several, so these hold out a larger share of theorems: 1 - 0.9^3 = 27 % of
those with three premises that are all equally rare."""


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


def first_come(theorems: Iterable[tuple[str, Sequence[str]]]) -> dict[str, Split]:
    """The split of each statement under ``novel_premises``, decided by the first theorem that states it.

    Two proofs of one statement can use different premises. The first one stored decides; a later one whose premises
    say otherwise belongs to no split, since either side would break a promise.

    Args:
        theorems: hash of the statement and names of the premises, in the order in which they were stored.
    """
    decided: dict[str, Split] = {}
    for type_hash, premises in theorems:
        decided.setdefault(type_hash, novel_premises_split(premises))
    return decided


def _by_share(number: float, shares: dict[str, float]) -> Split:
    """Map a number in [0, 1) to ``test`` below its share, to ``val`` in the next one, else to ``train``."""
    if number < shares["test"]:
        return "test"
    return "val" if number < shares["test"] + shares["val"] else "train"


def _unit_interval(salt: str, text: str) -> float:
    """A number in [0, 1) that depends on nothing but the text."""
    digest = hashlib.sha256(f"{salt}\0{text}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
