"""Which goals a GRPO training sees after a repository, and in what order.

Owns the replay of earlier repositories, the order by difficulty, and the pass rates that one order goes by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

from lean_agent.database.exports.entries import TacticRow
from lean_agent.trainer.data.dataset import visit_files
from lean_agent.trainer.settings import Curriculum

Theorem = tuple[str, str, str, str]
"""(url, commit, file path, full name)."""

BANDS = 4
"""Goals are sorted into so many bands of difficulty; within a band their order is random, file by file for Lean."""


def theorem_of(row: TacticRow) -> Theorem:
    """Return the theorem that a row belongs to."""
    return (row.url, row.commit, row.file_path, row.full_name)


@dataclass(slots=True)
class PassRates:
    """How often tactics for the goals of each theorem got a reward above 0, as far as training has seen."""

    passed: Counter[Theorem] = field(default_factory=Counter)
    tried: Counter[Theorem] = field(default_factory=Counter)

    def record(self, theorems: Iterable[Theorem], rewards: Iterable[float | None]) -> None:
        """Count a batch; a completion that could not be scored does not count."""
        for theorem, reward in zip(theorems, rewards, strict=True):
            if reward is not None:
                self.tried[theorem] += 1
                self.passed[theorem] += reward > 0

    def rate(self, theorem: Theorem) -> float | None:
        """Return the share that passed, in [0, 1]; ``None`` for a theorem that was not met."""
        tried = self.tried[theorem]
        return self.passed[theorem] / tried if tried else None

    def state(self) -> list[list[Any]]:
        """Return the counts as JSON values."""
        return [[*theorem, self.passed[theorem], tried] for theorem, tried in self.tried.items()]

    def restore(self, state: Iterable[Sequence[Any]]) -> None:
        """Go on from :meth:`state`."""
        self.passed.clear()
        self.tried.clear()
        for url, commit, file_path, full_name, passed, tried in state:
            theorem = (url, commit, file_path, full_name)
            self.passed[theorem], self.tried[theorem] = passed, tried


def replayed(rows: Sequence[TacticRow], repository: tuple[str, str], share: float, seed: int) -> tuple[TacticRow, ...]:
    """Return the rows of ``repository`` (url, commit), and a random ``share`` of those of the others.

    Whole theorems stay or go; the order of rows stays.
    """
    if share >= 1:
        return tuple(rows)
    others = list(dict.fromkeys(theorem_of(row) for row in rows if (row.url, row.commit) != repository))
    kept = set(Random(seed).sample(others, round(share * len(others))))
    return tuple(row for row in rows if (row.url, row.commit) == repository or theorem_of(row) in kept)


def arranged(rows: Sequence[TacticRow], curriculum: Curriculum, rates: PassRates, seed: int) -> tuple[TacticRow, ...]:
    """Arrange the rows in the order of a curriculum.

    ``mixed``: at random, file by file (:func:`.dataset.visit_files`). ``easy_first``: theorems with
    short proofs come first. ``pass_rate``: theorems whose pass rate is nearest to one half come first, since a group
    that all passes or all fails teaches nothing; a theorem that was not met yet counts as 0.5 to the power of its
    proof's length.
    """
    if curriculum == "mixed":
        return visit_files(rows, seed)
    steps = Counter(theorem_of(row) for row in rows)
    difficulty = {
        theorem: float(count) if curriculum == "easy_first" else _distance(rates.rate(theorem), count)
        for theorem, count in steps.items()
    }
    return _by_bands(rows, difficulty, seed)


def _distance(rate: float | None, steps: int) -> float:
    return abs((0.5**steps if rate is None else rate) - 0.5)


def _by_bands(rows: Sequence[TacticRow], difficulty: Mapping[Theorem, float], seed: int) -> tuple[TacticRow, ...]:
    ordered = sorted(rows, key=lambda row: difficulty[theorem_of(row)])
    cuts = pairwise(len(ordered) * band // BANDS for band in range(BANDS + 1))
    bands = [visit_files(ordered[start:end], seed + band) for band, (start, end) in enumerate(cuts)]
    return tuple(row for band in bands for row in band)
