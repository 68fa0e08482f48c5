"""How hard theorems and repositories are, for a curriculum. Pure functions; nothing is asked of a model.

A measure gives a theorem a number or says that it is unknown; ``MEASURES`` names them. Whatever the measure, easy,
medium and hard are the thirds of all theorems of all repositories whose difficulty is known, as in LeanAgent (arXiv
2410.06209). Adding a measure is one function and one line of
:mod:`lean_agent.registry`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from lean_agent import registry
from lean_agent.errors import ConfigError
from lean_agent.registry import Registry
from lean_agent.tracing import Repository

EASY_PERCENTILE = 33
MEDIUM_PERCENTILE = 67
LONGEST_PROOF = 700
"""Longer proofs count as this long: e^709 is the largest power that a float holds."""


@dataclass(frozen=True, slots=True)
class TheoremFacts:
    """What measures look at.

    Attributes:
        has_sorry: there is no finished proof; then the next three say nothing.
        steps: tactics that are a step of their own; 0 for a proof by a term.
        characters: length of the proof's text.
        premises: how many different constants the proof names.
        tried: attempts of the policy that is asked about.
        proved: how many of them succeeded.
    """

    has_sorry: bool
    steps: int
    characters: int
    premises: int
    tried: int = 0
    proved: int = 0


def proof_steps(facts: TheoremFacts) -> float | None:
    """LeanAgent's measure: e to the number of steps, finite for any length; unknown without a tactic proof."""
    return None if facts.has_sorry or not facts.steps else math.exp(min(facts.steps, LONGEST_PROOF))


def proof_length(facts: TheoremFacts) -> float | None:
    """Characters of the proof."""
    return None if facts.has_sorry else float(facts.characters)


def premise_count(facts: TheoremFacts) -> float | None:
    """Different premises of the proof."""
    return None if facts.has_sorry else float(facts.premises)


def failure_rate(facts: TheoremFacts) -> float | None:
    """Return the share of a policy's attempts that failed, in [0, 1]; unknown for a theorem that it never tried."""
    return 1 - facts.proved / facts.tried if facts.tried else None


Measure = Callable[[TheoremFacts], float | None]

Order = Literal["easy_share", "easy_count"]
"""Measure of an easy repository: the share of easy theorems among those whose difficulty is known, which does not
go by size; or their number, as in LeanAgent (2410.06209, and ``sort_repositories_by_difficulty`` of LeanDojo-v2)."""

MEASURES: Registry[Measure] = registry.MEASURES


@dataclass(frozen=True, slots=True)
class RepositoryDifficulty:
    """How many theorems of a repository are easy, medium and hard, and of how many that is unknown."""

    repository: Repository
    easy: int
    medium: int
    hard: int
    unknown: int

    @property
    def easy_share(self) -> float:
        """Easy theorems among those whose difficulty is known; 0 where there is none."""
        known = self.easy + self.medium + self.hard
        return self.easy / known if known else 0.0


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that ``percent`` of 100 of all values do not exceed; infinite without values."""
    if not values:
        return math.inf
    rank = math.ceil(percent / 100 * len(values))
    return sorted(values)[max(rank, 1) - 1]


def rank_repositories(
    facts: Mapping[Repository, Sequence[TheoremFacts]], measure: Measure = proof_steps, order: Order = "easy_share"
) -> list[RepositoryDifficulty]:
    """Sort repositories, the easiest first; ties keep the order of ``facts``.

    Raises:
        ConfigError: no such order.
    """
    if order not in get_args(Order):
        raise ConfigError(f"Repositories are sorted by {' or '.join(get_args(Order))}, not by {order!r}.")
    measured = {repository: [measure(theorem) for theorem in theorems] for repository, theorems in facts.items()}
    known = [value for values in measured.values() for value in values if value is not None]
    easy, medium = percentile(known, EASY_PERCENTILE), percentile(known, MEDIUM_PERCENTILE)
    ranked = [_counted(repository, values, easy, medium) for repository, values in measured.items()]
    return sorted(ranked, key=lambda entry: -(entry.easy if order == "easy_count" else entry.easy_share))


def _counted(
    repository: Repository, values: Sequence[float | None], easy: float, medium: float
) -> RepositoryDifficulty:
    known = [value for value in values if value is not None]
    n_easy = sum(value <= easy for value in known)
    n_medium = sum(easy < value <= medium for value in known)
    return RepositoryDifficulty(
        repository, n_easy, n_medium, hard=len(known) - n_easy - n_medium, unknown=len(values) - len(known)
    )
