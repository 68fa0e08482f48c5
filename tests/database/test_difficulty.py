from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.database.difficulty import (
    MEASURES,
    TheoremFacts,
    percentile,
    proof_steps,
    rank_repositories,
)
from lean_agent.errors import ConfigError
from lean_agent.lean.types import TracedFile, TracedTheorem
from lean_agent.tracing import Repository


def repository(name: str) -> Repository:
    return Repository(f"https://example.org/{name}", "c" * 40, name, Path(name))


def proof(steps: int, characters: int = 10, premises: int = 0) -> TheoremFacts:
    return TheoremFacts(False, steps, characters, premises)


OPEN = TheoremFacts(True, 1, 5, 0)


def test_the_difficulty_of_steps_is_exponential() -> None:
    assert proof_steps(proof(1)) == pytest.approx(2.718282)
    assert proof_steps(proof(2)) == pytest.approx(7.389056)
    assert proof_steps(proof(0)) is None  # by a term: no steps
    assert proof_steps(OPEN) is None


def test_no_proof_is_too_long() -> None:
    longest, long = proof_steps(proof(1_000_000)), proof_steps(proof(699))
    assert longest is not None and long is not None
    assert long < longest < math.inf


@pytest.mark.parametrize(
    ("measure", "finished", "unfinished"),
    # Seven steps are e^7 = 1096.6; two of eight attempts succeeded, so 6/8 failed.
    [("steps", 1096.633, None), ("length", 120.0, None), ("premises", 3.0, None), ("pass_rate", 0.75, 1.0)],
)
def test_measures_by_name(measure: str, finished: float, unfinished: float | None) -> None:
    assert MEASURES[measure](TheoremFacts(False, 7, 120, 3, 8, 2)) == pytest.approx(finished)
    assert MEASURES[measure](TheoremFacts(True, 1, 5, 0, 4, 0)) == unfinished


def test_what_was_never_tried_has_no_pass_rate() -> None:
    assert MEASURES["pass_rate"](proof(3)) is None


def test_leanagent_sorts_by_the_number_of_easy_theorems() -> None:
    def facts(*steps: int) -> list[TheoremFacts]:
        return [TheoremFacts(False, number, 0, 0) for number in steps]

    small, large = repository("small"), repository("large")
    # Of nine proofs three are easy (a third): 1 of 2 in the small repository, 2 of 7 in the large one.
    stored = {small: facts(1, 9), large: facts(1, 1, 5, 6, 7, 8, 9)}
    by_share, by_count = rank_repositories(stored), rank_repositories(stored, order="easy_count")
    assert [(entry.repository, entry.easy) for entry in by_share] == [(small, 1), (large, 2)]
    assert [entry.repository for entry in by_count] == [large, small]
    with pytest.raises(ConfigError, match="easy_share or easy_count, not by 'easy'"):
        rank_repositories(stored, order="easy")  # type: ignore[arg-type]


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(ConfigError, match=r"no measure of difficulty .luck.*length, pass_rate, premises, steps"):
        MEASURES.find("luck")


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
        {
            hard: [proof(4), proof(5), proof(6), OPEN],
            mixed: [proof(1), proof(2), proof(3)],
            easy: [proof(1), proof(1), proof(2)],
            open_: [OPEN, OPEN],
        }
    )
    assert [(r.repository.name, r.easy, r.medium, r.hard, r.unknown) for r in ranked] == [
        ("easy", 2, 1, 0, 0),
        ("mixed", 1, 2, 0, 0),
        ("hard", 0, 1, 2, 1),
        ("open", 0, 0, 0, 2),
    ]
    assert ranked[0].easy_share == pytest.approx(2 / 3)
    assert ranked[3].easy_share == 0.0


def test_nothing_is_ranked_where_nothing_is_proved() -> None:
    assert rank_repositories({}) == []
    (only,) = rank_repositories({repository("open"): [OPEN]})
    assert (only.easy, only.unknown) == (0, 1)


def test_the_database_counts_the_steps(
    database: DynamicDatabase,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    long, short = repository("long"), repository("short")
    for repo, steps in ((long, (3, 4)), (short, (1, 1))):
        database.add_repository(repo)
        theorems = [make_theorem(f"t{n}", steps=n_steps) for n, n_steps in enumerate(steps)]
        # A term proof has no steps, a hole has no difficulty whatever tactics it has: two unknown.
        theorems += [make_theorem("term", steps=0), make_theorem("open", steps=9, sorry=True)]
        database.store_file(repo, make_file("A.lean", theorems), "1")
    found = database.repositories_by_difficulty()
    # Steps 1 1 3 4: 33 % of four is 1.32, the second: 1 is easy; 67 % is 2.68, the third: 3 is medium.
    assert [(r.repository.name, r.easy, r.medium, r.hard, r.unknown) for r in found] == [
        ("short", 2, 0, 0, 2),
        ("long", 0, 1, 1, 2),
    ]
    assert database.sort_repositories_by_difficulty() == [short, long]
    assert database.sort_repositories_by_difficulty([long]) == [long]


def test_what_rests_on_a_hole_has_no_difficulty(
    database: DynamicDatabase,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    theorems = [make_theorem("t", steps=1), replace(make_theorem("on_a_hole", steps=1), axioms=("sorryAx",))]
    database.add_repository(repository("holes"))
    database.store_file(repository("holes"), make_file("A.lean", theorems), "1")
    (ranked,) = database.repositories_by_difficulty()
    assert (ranked.easy, ranked.unknown) == (1, 1)


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


def test_other_measures_rank_otherwise(
    database: DynamicDatabase,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    short, bare = repository("short"), repository("bare")
    for repo, theorem in (
        (bare, make_theorem("b", steps=3)),
        (short, make_theorem("s", steps=1, premises=["x", "y", "x"])),
    ):
        database.add_repository(repo)
        database.store_file(repo, make_file("A.lean", [theorem]), "1")
    assert database.sort_repositories_by_difficulty(measure="steps") == [short, bare]
    assert database.sort_repositories_by_difficulty(measure="premises") == [bare, short]
    with pytest.raises(ConfigError, match="luck"):
        database.sort_repositories_by_difficulty(measure="luck")


def test_the_pass_rate_is_that_of_the_policy_that_tried_last(
    database: DynamicDatabase,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    one, two = repository("one"), repository("two")
    for repo in (one, two):
        database.add_repository(repo)
        database.store_file(repo, make_file("A.lean", [make_theorem("t", sorry=True)]), "1")

    def attempts(source: str, proved_in_one: bool) -> None:
        for repo, proved in ((one, proved_in_one), (two, not proved_in_one)):
            for outcome in (proved, False):
                database.store_attempt(repo, "A.lean", "t", source=source, proved=outcome)

    attempts("old", True)
    assert database.sort_repositories_by_difficulty(measure="pass_rate") == [one, two]
    attempts("new", False)
    assert database.sort_repositories_by_difficulty(measure="pass_rate") == [two, one]
    by_old = database.repositories_by_difficulty("pass_rate", source="old")
    # Failure rates 1/2 and 1: the first of two is the 33rd percentile, the second the 67th.
    assert [(r.repository, r.easy, r.medium, r.hard, r.unknown) for r in by_old] == [
        (one, 1, 0, 0, 0),
        (two, 0, 1, 0, 0),
    ]
