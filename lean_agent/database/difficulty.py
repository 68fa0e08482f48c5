"""How hard theorems and repositories are, for a curriculum. Pure functions; nothing is asked of a model.

The measure is LeanAgent's (arXiv 2410.06209): a theorem's difficulty is e to the number of its proof steps, a theorem
without a proof is infinitely hard, and easy, medium and hard are the thirds of all theorems of all repositories.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lean_agent.tracing import Repository

EASY_PERCENTILE = 33
MEDIUM_PERCENTILE = 67
LONGEST_PROOF = 700
"""Longer proofs count as this long: e^709 is the largest power that a float holds."""


@dataclass(frozen=True, slots=True)
class RepositoryDifficulty:
    """How many theorems of a repository are easy, medium and hard, and how many are left as ``sorry``.

    Theorems proved by a term, which have no steps, are in none of the counts.
    """

    repository: Repository
    easy: int
    medium: int
    hard: int
    unproved: int

    @property
    def easy_share(self) -> float:
        """Easy theorems among those with a tactic proof; 0 where there is none."""
        proved = self.easy + self.medium + self.hard
        return self.easy / proved if proved else 0.0


def difficulty(steps: int | None) -> float:
    """e^steps, finite for proofs of any length; infinite for ``None``, a theorem without a proof."""
    return math.inf if steps is None else math.exp(min(steps, LONGEST_PROOF))


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least ``percent`` of 100 of all values do not exceed; infinite without values."""
    if not values:
        return math.inf
    rank = math.ceil(percent / 100 * len(values))
    return sorted(values)[max(rank, 1) - 1]


def rank_repositories(steps: Mapping[Repository, Sequence[int | None]]) -> list[RepositoryDifficulty]:
    """Repositories by their share of easy theorems, the easiest first; ties keep the order of ``steps``.

    Args:
        steps: for each theorem of each repository the number of its proof steps (``None``: no proof).
    """
    known = [difficulty(n) for counts in steps.values() for n in counts if n is not None]
    easy, medium = percentile(known, EASY_PERCENTILE), percentile(known, MEDIUM_PERCENTILE)
    ranked = []
    for repository, counts in steps.items():
        proved = [difficulty(n) for n in counts if n is not None]
        n_easy = sum(d <= easy for d in proved)
        n_medium = sum(easy < d <= medium for d in proved)
        ranked.append(
            RepositoryDifficulty(
                repository,
                easy=n_easy,
                medium=n_medium,
                hard=len(proved) - n_easy - n_medium,
                unproved=len(counts) - len(proved),
            )
        )
    return sorted(ranked, key=lambda entry: -entry.easy_share)
