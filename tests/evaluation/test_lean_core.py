"""lean-core: the list that ships, and that no way leads from a theorem's file to the theorem itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import ConfigError, TacticFailure
from lean_agent.evaluation.benchmarks import Benchmark, Request, folder_of, lean_core, load_benchmark
from lean_agent.evaluation.benchmarks.core_sample import (
    Candidate,
    Library,
    halves,
    in_turns,
    one_from_each,
    qualified,
    read_library,
)
from lean_agent.evaluation.benchmarks.problem import Problem, read_problems, write_problems
from lean_agent.evaluation.evaluate import evaluate
from lean_agent.evaluation.results import ATTEMPTS, is_results, keep_repositories, recheck
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.provers import ScriptedProver

NAMES = ("Int.emod_add_mul_ediv", "List.any_reverse", "Nat.add_self_ne_one")
"""The first is what much of division rests on, the second a simp lemma, the third what omega proves."""


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    return read_problems(lean_core.LIST)


@pytest.fixture(scope="module")
def chosen(problems: list[Problem]) -> list[Problem]:
    return [one for one in problems if one.name in NAMES]


@pytest.fixture(scope="module")
def benchmark(
    lean: LeanPool, chosen: list[Problem], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Benchmark, Path]]:
    """Three of the theorems, loaded as users load them."""
    folder = tmp_path_factory.mktemp("lean core")
    path = write_problems(chosen, folder / "three.jsonl")
    with DynamicDatabase(folder / "database.sqlite") as database:
        yield load_benchmark("jsonl", Request(lean, database, str(path), progress=False)), folder


def theorem(benchmark: tuple[Benchmark, Path], name: str) -> StoredTheorem:
    return next(one for one in benchmark[0].theorems if one.full_name == name)


# -- the list


def test_the_list_is_a_thousand_theorems_the_easiest_first(problems: list[Problem]) -> None:
    assert len(problems) == len({one.name for one in problems}) == 1000
    levels = [one.difficulty for one in problems]
    assert levels == sorted(levels, key=lambda level: level or 0)
    assert set(levels) == {1.0, 2.0, 3.0}
    assert all(one.prelude and one.imports and one.type_hash and one.group for one in problems)
    assert len({one.group for one in problems}) > 150, "many modules, none of which dominates"
    assert max(Counter(one.group for one in problems).values()) <= 16


def test_the_halves_share_no_folder_of_modules(problems: list[Problem]) -> None:
    folders = {split: {folder_of(one.group) for one in problems if one.split == split} for split in ("train", "test")}
    assert not folders["train"] & folders["test"]
    assert Counter(one.split for one in problems) == {"train": 500, "test": 500}


def test_what_qualifies() -> None:
    answer = {
        "modules": [
            {"module": "Init.Tactics", "imports": [], "theorems": [["early", "1", 5]]},
            {"module": "Init.A", "imports": ["Init.Tactics"], "theorems": [["first", "2", 5], ["T.instFoo", "3", 5]]},
            {"module": "Init.B", "imports": ["Init.A"], "theorems": [["again", "2", 5], ["new", "4", 5]]},
            {"module": "Init.C", "imports": ["Init.Tactics"], "theorems": [["beside", "2", 5]]},
            {"module": "Init.Omega.D", "imports": ["Init.B"], "theorems": [["serves", "5", 5]]},
        ]
    }
    library = read_library(answer)
    assert library.below["Init.B"] == {"Init.A", "Init.Tactics"}
    # `early` has no tactics, `instFoo` is an instance, `again` is stated by Init.A, which Init.B imports; Init.C
    # imports no module that states the same.
    assert [one.name for one in qualified(library)] == ["first", "new", "beside"]


def test_the_draw_is_the_same_every_time_and_takes_from_every_module_in_turn() -> None:
    candidates = [Candidate(f"{module}{n}", module, str(n), 1) for module in "AB" for n in range(5)]
    first, again = (list(in_turns(candidates, 3, 2)) for _ in range(2))
    assert first == again == list(in_turns(candidates[::-1], 3, 2))
    assert sorted(one.module for mine in first for one in mine) == ["A", "A", "B", "B"]
    a, b = ([Problem(f"{module}{n}", "") for n in range(count)] for module, count in (("a", 3), ("b", 1)))
    assert [one.name for one in one_from_each([a, b], 3)] == ["a0", "b0", "a1"]


def test_halves_are_cut_by_folder() -> None:
    modules = ["Init.Data.List.Basic"] * 3 + ["Init.Data.List.Nat.Perm"] + ["Init.Core"] * 2 + ["Std.Sat.AIG"] * 2
    found = halves(modules, 0)
    assert found["Init.Data.List"] != found["Init.Core"] == found["Std.Sat.AIG"]


def test_a_library_of_nothing_has_no_candidates() -> None:
    assert qualified(Library((), {})) == []


# -- in Lean


@pytest.mark.lean
def test_the_statement_is_the_librarys_own(
    lean: LeanPool, chosen: list[Problem], benchmark: tuple[Benchmark, Path]
) -> None:
    """Drawn again from Lean's library, and as Lean reads the file."""
    _, answer = lean.loop.run(lean.ask("statement", items=[{"name": one.name} for one in chosen], timeout_s=300))
    for item, shipped in zip(answer["items"], chosen, strict=True):
        drawn = (item["statement"], item["module"], item["typeHash"], tuple(dict.fromkeys(item["imports"])))
        assert drawn == (shipped.statement, shipped.group, shipped.type_hash, shipped.imports)
    assert benchmark[0].left_out == ()
    assert {one.full_name: one.theorem.type_hash for one in benchmark[0].theorems} == {
        one.name: one.type_hash for one in chosen
    }


@pytest.mark.lean
@pytest.mark.parametrize(
    ("name", "statement", "variables"),
    [
        ("Int.emod_add_mul_ediv", "∀ (a b : Int), a % b + b * (a / b) = a", "a b"),
        ("List.any_reverse", "∀ {α : Type u_1} {f : α → Bool} {l : List α}, l.reverse.any f = l.any f", "α f l"),
        ("Nat.add_self_ne_one", "∀ (n : Nat), n + n ≠ 1", "n"),
    ],
)
def test_the_type_of_a_name_starts_its_theorem(
    lean: LeanPool, benchmark: tuple[Benchmark, Path], name: str, statement: str, variables: str
) -> None:
    """Where all of the library is there, the statement comes from the environment itself, exactly."""
    state = lean.goal_start(f"type_of% @{name}")
    (goal,) = state.goals
    assert (goal.text, goal.key) == (f"⊢ {statement}", lean.goal_start(statement).goals[0].key)
    # It is what the benchmark's file states, with no variable named yet.
    after = lean.goal_tactic(state, f"intro {variables}")
    assert after.goals[0].key == lean.goal_start(theorem(benchmark, name).site).goals[0].key
    assert lean.goal_tactic(state, f"exact @{name}").is_solved


@pytest.mark.lean
def test_another_statement_under_the_same_name_is_left_out(
    lean: LeanPool, chosen: list[Problem], tmp_path: Path
) -> None:
    (omega,) = (one for one in chosen if one.name == "Nat.add_self_ne_one")
    easier = replace(omega, statement="theorem Nat.add_self_ne_one (n : Nat) : n = n")
    path = write_problems([easier], tmp_path / "easier.jsonl")
    with (
        DynamicDatabase(tmp_path / "database.sqlite") as database,
        pytest.raises(ConfigError, match="reads it as another statement"),
    ):
        load_benchmark("jsonl", Request(lean, database, str(path), progress=False))


@pytest.mark.lean
@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.parametrize("tactic", ["exact {}", "exact @{} ..", "apply {}", "simp [{}]", "rw [{}]", "exact?", "simp"])
def test_a_theorem_is_not_its_own_proof(
    lean: LeanPool, benchmark: tuple[Benchmark, Path], name: str, tactic: str
) -> None:
    state = lean.goal_start(theorem(benchmark, name).site)
    (result,) = lean.goal_tactics([(state, tactic.format(name))])
    assert not (isinstance(result, GoalState) and result.is_solved)
    if "{}" in tactic:
        assert isinstance(result, TacticFailure)
        verdict = lean.verify(theorem(benchmark, name).site, f"by {tactic.format(name)}", whole_file=True)
        assert not verdict.accepted


@pytest.mark.lean
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_no_theorem_of_the_list_is_its_own_proof(lean: LeanPool, tmp_path: Path) -> None:
    """All thousand, each by its own name, and every twentieth by Lean's search through the library."""
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        theorems = load_benchmark("lean-core", Request(lean, database, progress=False)).theorems
    assert len(theorems) == 1000
    searched = 0
    for first in range(0, len(theorems), 20):
        some = theorems[first : first + 20]
        states = [state for state in lean.goal_starts([one.site for one in some]) if isinstance(state, GoalState)]
        assert len(states) == len(some)
        pairs = [
            (state, tactic)
            for one, state in zip(some, states, strict=True)
            for tactic in (f"exact @{one.full_name}", f"simp [{one.full_name}]")
        ]
        for (_, tactic), result in zip(pairs, lean.goal_tactics(pairs), strict=True):
            assert isinstance(result, TacticFailure), tactic
            assert result.kind in ("error", "parse"), f"{tactic}: {result}"
        (found,) = lean.goal_tactics([(states[0], "exact?")], timeout_s=120)
        assert isinstance(found, TacticFailure | GoalState), found
        if isinstance(found, GoalState) and found.is_solved:
            assert some[0].full_name not in " ".join(found.messages).split(), found.messages
        searched += 1
        lean.release(states)
    assert searched == 50


@pytest.mark.lean
@pytest.mark.parametrize(
    ("name", "proof"),
    [
        # proved from it, or beside it in its own module
        ("Int.emod_add_mul_ediv", "by have := Int.mul_ediv_self a b; omega"),
        ("Int.emod_add_mul_ediv", "by rw [Int.emod_def]; omega"),
        # an alias with the sides exchanged, from a later module
        ("Int.emod_add_mul_ediv", "by rw [Int.add_comm]; exact Int.mul_ediv_add_emod a b"),
        # a tactic whose own lemmas were proved from it: this module does not import it
        ("Int.emod_add_mul_ediv", "by grind"),
        ("List.any_reverse", "by simp [List.any_reverse]"),
        ("List.any_reverse", "by rw [List.any_eq]; simp"),
    ],
)
def test_what_came_after_a_theorem_does_not_prove_it(
    lean: LeanPool, benchmark: tuple[Benchmark, Path], name: str, proof: str
) -> None:
    assert not lean.verify(theorem(benchmark, name).site, proof, whole_file=True).accepted


@pytest.mark.lean
def test_results_can_be_checked_again_and_a_forged_proof_is_found_out(
    lean: LeanPool, benchmark: tuple[Benchmark, Path], tmp_path: Path
) -> None:
    theorems = benchmark[0].theorems
    keep_repositories(tmp_path, theorems)
    prover = ScriptedProver(lean, tactics=["omega"])
    budget = SearchBudget(expansions=2, lean_calls=4)
    report = evaluate([prover], theorems, budget, facts=benchmark[0].facts, results_path=tmp_path / ATTEMPTS)
    assert {one.full_name for one in report.attempts if one.proved} >= {"Nat.add_self_ne_one"}
    assert {one.group for one in report.attempts} == {"Init.Data.Nat", "Init.Data.Int", "Init.Data.List"}
    assert is_results(tmp_path)
    assert all(one.verdict.accepted for one in recheck(tmp_path, lean, progress=False))

    lines = (tmp_path / ATTEMPTS).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    (failed, *_) = (row for row in rows if row["full_name"] == "List.any_reverse")
    forged = {**failed, "status": "proved", "proof": "by exact List.any_reverse"}
    (tmp_path / ATTEMPTS).write_text(
        "".join(json.dumps(row) + "\n" for row in [*(row for row in rows if row is not failed), forged]),
        encoding="utf-8",
    )
    refused = [one for one in recheck(tmp_path, lean, progress=False) if not one.verdict.accepted]
    assert [one.attempt.full_name for one in refused] == ["List.any_reverse"]

    # The statements that came along are those that the proofs are checked against: changed ones are refused.
    (source,) = (tmp_path / "sources").rglob("Nat_add_self_ne_one.lean")
    source.write_text(source.read_text(encoding="utf-8").replace("≠ 1", "= n + n"), encoding="utf-8")
    with pytest.raises(ConfigError, match="not what it was"):
        list(recheck(tmp_path, lean, progress=False))
