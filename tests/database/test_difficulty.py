from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.database.difficulty import difficulty, percentile, rank_repositories
from lean_agent.lean.types import TracedFile, TracedTheorem
from lean_agent.tracing import Repository


def repository(name: str) -> Repository:
    return Repository(f"https://example.org/{name}", "c" * 40, name, Path(name))


def test_difficulty_is_e_to_the_steps() -> None:
    assert difficulty(0) == 1.0
    assert difficulty(2) == pytest.approx(7.389056)
    assert difficulty(None) == math.inf


def test_no_proof_is_too_long() -> None:
    assert math.isfinite(difficulty(1_000_000))
    assert difficulty(1_000_000) >= difficulty(699)


@pytest.mark.parametrize(
    ("percent", "value"),
    # Of five values, 20 % is one of them: 33 % needs 1.65, so two; 67 % needs 3.35, so four.
    [(0, 1.0), (20, 1.0), (33, 2.0), (67, 4.0), (100, 5.0)],
)
def test_percentile_is_the_nearest_rank(percent: float, value: float) -> None:
    assert percentile([3.0, 1.0, 5.0, 2.0, 4.0], percent) == value


def test_repositories_are_ranked_by_their_share_of_easy_theorems() -> None:
    hard, mixed, easy, open_ = (repository(name) for name in ("hard", "mixed", "easy", "open"))
    # All nine proofs by steps: 1 1 1 2 2 3 4 5 6. 33 % of nine is 2.97, so the third: 1 step is easy.
    # 67 % is 6.03, so the seventh: up to 4 steps is medium.
    ranked = rank_repositories(
        {hard: [4, 5, 6, None], mixed: [1, 2, 3], easy: [1, 1, 2], open_: [None, None]},
    )
    assert [(r.repository.name, r.easy, r.medium, r.hard, r.unproved) for r in ranked] == [
        ("easy", 2, 1, 0, 0),
        ("mixed", 1, 2, 0, 0),
        ("hard", 0, 1, 2, 1),
        ("open", 0, 0, 0, 2),
    ]
    assert ranked[0].easy_share == pytest.approx(2 / 3)
    assert ranked[3].easy_share == 0.0


def test_nothing_is_ranked_where_nothing_is_proved() -> None:
    assert rank_repositories({}) == []
    (only,) = rank_repositories({repository("open"): [None]})
    assert (only.easy, only.unproved) == (0, 1)


def test_the_database_counts_the_steps(
    database: DynamicDatabase,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    long, short = repository("long"), repository("short")
    for repo, steps in ((long, (3, 4)), (short, (1, 1))):
        database.add_repository(repo)
        theorems = [make_theorem(f"t{n}", steps=n_steps) for n, n_steps in enumerate(steps)]
        # A term proof has no tactics and counts nowhere; a hole counts as unproved whatever tactics it has.
        theorems += [make_theorem("term", steps=0), make_theorem("open", steps=9, sorry=True)]
        database.store_file(repo, make_file("A.lean", theorems), "1")
    found = database.repositories_by_difficulty()
    # Steps 1 1 3 4: 33 % of four is 1.32, the second: 1 is easy; 67 % is 2.68, the third: 3 is medium.
    assert [(r.repository.name, r.easy, r.medium, r.hard, r.unproved) for r in found] == [
        ("short", 2, 0, 0, 1),
        ("long", 0, 1, 1, 1),
    ]
    assert database.sort_repositories_by_difficulty() == [short, long]
    assert database.sort_repositories_by_difficulty([long]) == [long]


def test_structural_tactics_are_no_steps(
    database: DynamicDatabase,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    bullets, plain = repository("bullets"), repository("plain")
    theorem = make_theorem("t", steps=3)
    for tactic in theorem.tactics[1:]:
        object.__setattr__(tactic, "step", "")
    for repo, chosen in ((plain, make_theorem("t", steps=2)), (bullets, theorem)):
        database.add_repository(repo)
        database.store_file(repo, make_file("A.lean", [chosen]), "1")
    assert database.sort_repositories_by_difficulty() == [bullets, plain]  # one step against two
