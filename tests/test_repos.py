"""The Lean repositories that ship with the project, traced whole by real Lean: large enough, sound, and fair.

Fair: what is left open is provable (the solutions beside these tests are judged like any proof), and no open theorem
equals one that a model is trained on. `make test` traces and judges two of the demo's repositories, which takes a
minute, and `make test-long` all, the later ones too.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lean_agent.agent.demo import DemoConfig
from lean_agent.database import DynamicDatabase
from lean_agent.database.near_duplicates import near_pairs, normal_form
from lean_agent.database.splits import random_split
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, TheoremSite, TracedTheorem, Verdict
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.tracing import TracedRepository, lean_project, local_repository, trace_repository
from lean_agent.tracing.check import TraceCheck, check_file

pytestmark = [pytest.mark.lean, pytest.mark.slow, pytest.mark.timeout(3000)]

REPOS = Path(__file__).resolve().parents[1] / "repos"
FOLDERS = [REPOS / name for name in DemoConfig().repositories]
LATER = sorted({path.parent for path in REPOS.glob("*/lakefile.toml")} - {*FOLDERS})
TWO = [folder for folder in FOLDERS if folder.name in ("arithmetic", "logic")]
SOLUTIONS = Path(__file__).resolve().parent / "repos_solutions"


AT_ONCE = (
    *("rfl", "decide", "simp", "simp_all", "omega", "grind", "contradiction", "grind [{definitions}]"),
    *("induction {local} <;> simp_all!", "cases {local} <;> simp_all!"),
)
"""Tactics and schemes that take no thought; few of the later open theorems fall to one, after ``intros`` or at once."""


@dataclass(frozen=True)
class Shipped:
    traced: dict[str, TracedRepository]
    database: DynamicDatabase
    exported: dict[str, Any]
    theorems: list[tuple[str, TracedTheorem]]


@pytest.fixture(scope="module")
def pool() -> Iterator[LeanPool]:
    with LeanPool(2) as pool:
        yield pool


@pytest.fixture(
    scope="module", params=[pytest.param(TWO, id="two"), pytest.param(FOLDERS, id="all", marks=pytest.mark.long)]
)
def shipped(
    request: pytest.FixtureRequest, pool: LeanPool, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shipped]:
    folder = tmp_path_factory.mktemp("repos")
    with DynamicDatabase(folder / "db") as database:
        traced = {
            folder.name: trace_repository(local_repository(folder), pool, database=database, progress=False)
            for folder in request.param
        }
        repositories = [r.repository for r in traced.values()]
        exported = database.export_merged_data(repositories, folder / "data", progress=False)
        theorems = [(name, t) for name, r in traced.items() for f in r.files for t in f.theorems]
        yield Shipped(traced, database, exported, theorems)


def test_everything_is_traced_and_stored(shipped: Shipped) -> None:
    for repository in shipped.traced.values():
        assert (repository.errors, repository.skipped) == ((), ())
        stored = [shipped.database.load_file(repository.repository, file.path) for file in repository.files]
        assert stored == list(repository.files)
    assert any(len(r.files) > 1 and any("/" in f.path for f in r.files) for r in shipped.traced.values())


def test_there_is_enough_to_learn_from(shipped: Shipped) -> None:
    proved = [t for _, t in shipped.theorems if not t.has_sorry and t.mode == "tactic"]
    open_ones = [t for _, t in shipped.theorems if t.has_sorry]
    steps = [sum(1 for tactic in t.tactics if tactic.step) for t in proved]
    assert len(proved) >= 300
    assert sum(count >= 3 for count in steps) >= len(proved) / 3
    assert len(open_ones) >= 60


def test_no_open_theorem_equals_another_up_to_renaming(shipped: Shipped) -> None:
    """Lean's structural hash of a type does not see the names of bound variables."""
    by_type: dict[str, list[tuple[str, TracedTheorem]]] = {}
    for name, theorem in shipped.theorems:
        by_type.setdefault(theorem.type_hash, []).append((name, theorem))
    clashes = [
        [f"{name}: {t.full_name}" for name, t in same]
        for same in by_type.values()
        if len(same) > 1 and any(t.has_sorry for _, t in same)
    ]
    assert clashes == []


@pytest.mark.long
def test_open_theorems_are_provable(shipped: Shipped, pool: LeanPool) -> None:
    """Every solution is accepted by the judge, in the place of its `sorry`, from the state before its theorem."""
    cases = [case for repository in shipped.traced.values() for case in _cases(repository)]
    assert _refused(pool, cases) == []
    assert len(cases) >= 60


def _cases(traced: TracedRepository) -> list[tuple[TheoremSite, str]]:
    """Every open theorem of a repository with its proof."""
    project, name = lean_project(traced.repository), traced.repository.name
    return [
        (TheoremSite(project, file.path, theorem.full_name), _solution(name, project.root, file.path, theorem))
        for file in traced.files
        for theorem in file.theorems
        if theorem.has_sorry
    ]


def _refused(pool: LeanPool, cases: Sequence[tuple[TheoremSite, str]]) -> list[tuple[str, str | None, str]]:
    async def judge() -> list[Verdict]:
        return await asyncio.gather(*(pool.verify_async(site, proof) for site, proof in cases))

    return [
        (site.full_name, verdict.kind, verdict.reason)
        for (site, _), verdict in zip(cases, asyncio.run(judge()), strict=True)
        if not verdict.accepted
    ]


def _solution(repository: str, root: Path, path: str, theorem: TracedTheorem) -> str:
    """The proof at the same place of the solved file: between the same statement and what follows the open theorem."""
    source = (root / path).read_bytes()
    solved = (SOLUTIONS / repository / path).read_text(encoding="utf-8")
    head = source[theorem.start : theorem.end].decode()
    statement = head[: head.index(theorem.statement) + len(theorem.statement)]
    at = solved.index(statement) + len(statement)
    rest = re.split(r"\n(?=\S)", solved[at:], maxsplit=1)[0]
    return rest.strip().removeprefix(":=").strip()


def test_statements_are_unique_by_name(shipped: Shipped) -> None:
    counts = Counter((name, t.full_name) for name, t in shipped.theorems)
    assert [name for name, count in counts.items() if count > 1] == []


def test_the_benchmark_layout_holds_every_proved_theorem(shipped: Shipped) -> None:
    metadata = shipped.exported
    splits = metadata["splits"]["random"]
    assert all(splits[split] > 0 for split in ("train", "val", "test"))
    assert splits["train"] + splits["val"] + splits["test"] == metadata["theorems"] - metadata["sorries"]
    assert metadata["theorems"] == len(shipped.theorems)


def test_no_near_duplicate_is_on_another_side(shipped: Shipped) -> None:
    placed = shipped.database.placements()
    stored = [one for r in shipped.database.repositories() for one in shipped.database.theorems(r, sorry=False)]
    proved = {one.theorem.type_hash: one.theorem for one in stored}  # in the order of the decisions
    pairs = list(near_pairs((hash_, normal_form(t.type)) for hash_, t in proved.items()))
    apart = [pair for pair in pairs if random_split(pair[0]) != random_split(pair[1])]
    assert len({later for _, later in pairs}) == shipped.exported["leaks"]["near_duplicates"] > 0
    assert apart, "without the search for near-duplicates some of them would have leaked"
    for method in ("random", "novel_premises"):
        sides = [{getattr(placed[one], method), getattr(placed[other], method)} - {None} for one, other in pairs]
        assert all(len(side) <= 1 for side in sides)


@pytest.mark.long
@pytest.mark.parametrize(
    ("shipped", "folder"),
    [(FOLDERS, folder) for folder in FOLDERS],
    ids=lambda value: getattr(value, "name", "all"),
    indirect=["shipped"],
)
def test_every_traced_step_runs_again(shipped: Shipped, pool: LeanPool, folder: Path) -> None:
    _steps_run_again(shipped.traced[folder.name], pool)


def _steps_run_again(traced: TracedRepository, pool: LeanPool) -> None:
    """``lean-agent trace check``: every stored state is started again, and its tactic leaves what is stored."""
    check = TraceCheck()
    for file in traced.files:
        check_file(lean_project(traced.repository), file, pool, check)
    assert check.missed == []
    assert check.matched > 500


@pytest.fixture(scope="module")
def later(pool: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, TracedRepository]]:
    """The repositories that the demo does not use, by name."""
    with DynamicDatabase(tmp_path_factory.mktemp("later") / "db") as database:
        yield {
            folder.name: trace_repository(local_repository(folder), pool, database=database, progress=False)
            for folder in LATER
        }


@pytest.mark.long
@pytest.mark.parametrize("name", [folder.name for folder in LATER])
def test_a_later_repository_is_large_and_sound(later: dict[str, TracedRepository], name: str) -> None:
    """Without an error, and without a warning but for what is left open; half of the proofs take three steps."""
    assert (later[name].errors, later[name].skipped) == ((), ())
    messages = [message.text for file in later[name].files for message in file.messages]
    assert [text for text in messages if not text.startswith("declaration uses")] == []
    theorems = [theorem for file in later[name].files for theorem in file.theorems]
    proved = [theorem for theorem in theorems if not theorem.has_sorry]
    steps = [sum(1 for tactic in theorem.tactics if tactic.step) for theorem in proved]
    assert len(proved) >= 100
    assert len(theorems) - len(proved) >= len(proved) / 8
    assert sum(count >= 3 for count in steps) >= len(proved) / 2


@pytest.mark.long
@pytest.mark.parametrize("shipped", [FOLDERS], ids=["all"], indirect=True)
def test_no_later_statement_stands_twice(shipped: Shipped, later: dict[str, TracedRepository]) -> None:
    named = [(name, theorem) for name, r in later.items() for file in r.files for theorem in file.theorems]
    by_type: dict[str, list[str]] = {}
    for name, theorem in (*shipped.theorems, *named):
        by_type.setdefault(theorem.type_hash, []).append(f"{name}: {theorem.full_name}")
    of_later = {theorem.type_hash for _, theorem in named}
    assert [same for hash_, same in by_type.items() if len(same) > 1 and hash_ in of_later] == []


@pytest.mark.long
@pytest.mark.parametrize("name", [folder.name for folder in LATER])
def test_open_theorems_of_a_later_repository_are_provable(
    later: dict[str, TracedRepository], pool: LeanPool, name: str
) -> None:
    assert _refused(pool, _cases(later[name])) == []


@pytest.mark.long
@pytest.mark.parametrize("name", [folder.name for folder in LATER])
def test_a_third_of_the_later_open_theorems_at_most_is_easy(
    later: dict[str, TracedRepository], pool: LeanPool, name: str
) -> None:
    """Every third is tried, which is enough to see it."""
    sites = [site for site, _ in _cases(later[name])][::3]
    easy = [site.full_name for site in sites if _falls_at_once(pool, site)]
    assert len(easy) <= len(sites) / 3, easy


def _falls_at_once(pool: LeanPool, site: TheoremSite) -> bool:
    start = pool.goal_start(site)
    states = [start, *pool.goal_tactics([(start, "intros")])]
    pairs = [
        (state, tactic)
        for state in states
        if isinstance(state, GoalState)
        for scheme in AT_ONCE
        for tactic in tactics_of(scheme, state.text)
    ]
    return any(isinstance(after, GoalState) and after.is_solved for after in pool.goal_tactics(pairs))


@pytest.mark.long
@pytest.mark.parametrize("name", [folder.name for folder in LATER])
def test_every_traced_step_of_a_later_repository_runs_again(
    later: dict[str, TracedRepository], pool: LeanPool, name: str
) -> None:
    _steps_run_again(later[name], pool)
