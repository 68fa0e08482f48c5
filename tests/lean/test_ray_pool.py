"""Lean all over a Ray cluster: a real local one with two members, one of which is killed (`make test-ray`)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.errors import ConfigError, LeanError, LeanProcessDied, LeanRequestError, LeanStartupError, TacticFailure
from lean_agent.evaluation.evaluate import Attempt, evaluate
from lean_agent.lean.cluster import lean_server
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.runtime import LEAN_VARIABLE, EmbeddedRuntime
from lean_agent.lean.types import GoalState, LeanProject, Position, TheoremSite
from lean_agent.policy.base import Completion
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.provers import ScriptedProver
from lean_agent.rewards import get_scorer
from lean_agent.rollout import BatchRolloutManager, ProofRolloutGenerator, Theorem, TheoremFiles
from lean_agent.tracing import local_repository, trace_repository

if TYPE_CHECKING:
    from lean_agent.lean.cluster.ray_pool import RayPool

REPOS = Path(__file__).resolve().parents[2] / "repos"
STATEMENTS = [f"∀ (p q : Prop), p ∧ q → q ∧ (p ∨ {'p ∨ ' * n}q)" for n in range(8)]

real = [
    pytest.mark.ray,
    pytest.mark.long,
    pytest.mark.lean,
    pytest.mark.filterwarnings("ignore"),  # Ray's own
]


def with_marks(test: Callable[..., None]) -> Callable[..., None]:
    for mark in real:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture
def pool(cluster: None) -> Iterator[RayPool]:
    from lean_agent.lean.cluster.ray_pool import RayPool

    with RayPool(workers=1, members=2) as pool:
        wait_for(lambda: len(pool.actors()) == 2)
        yield pool


def wait_for(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.2)


def solid(results: Sequence[GoalState | LeanError]) -> list[GoalState]:
    """The states, when nothing failed."""
    assert [one for one in results if isinstance(one, LeanError)] == []
    return [one for one in results if isinstance(one, GoalState)]


def kill_one(pool: RayPool) -> int:
    """SIGKILL for the process of a member that has started Lean; its Lean processes die with it."""
    lean = next(pids[0] for pids in pool.pids() if pids)
    member = psutil.Process(lean).parent()
    assert member is not None
    os.kill(member.pid, signal.SIGKILL)
    wait_for(lambda: not psutil.pid_exists(lean))
    return member.pid


@with_marks
def test_states_of_a_member_that_was_killed_live_on(pool: RayPool) -> None:
    states = solid(pool.goal_starts(STATEMENTS))
    assert all(seat.states for seat in pool._seats), "both members are at work"
    split = solid(pool.goal_tactics([(state, "intro p q h; constructor") for state in states]))
    kill_one(pool)
    results = pool.goal_tactics([(state, "exact h.2") for state in split])
    assert all(isinstance(one, GoalState) and len(one.goals) == 1 for one in results)
    assert [one.script for one in results if isinstance(one, GoalState)] == [
        ("intro p q h; constructor", "exact h.2")
    ] * len(split)
    (failed,) = pool.goal_tactics([(split[0], "exact h")])
    assert isinstance(failed, TacticFailure)
    groups = pool.goal_splits(split)
    assert all(isinstance(parts, list) and len(parts) == 2 for parts in groups)
    assert pool.goal_lemmas(split, most=1) == [()] * len(split), "of variables there is nothing in the library"
    assert pool.goal_consequences(split) == [()] * len(split), "what says `∧` is no rule"
    pool.release(states)
    wait_for(lambda: len(pool.actors()) == 2)  # Ray has started another in its place


@with_marks
def test_a_killed_member_costs_an_evaluation_nothing_but_time(pool: RayPool, lean: LeanPool, tmp_path: Path) -> None:
    repository = local_repository(REPOS / "logic")
    budget = SearchBudget(expansions=4, lean_calls=40, seconds=300.0)
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        traced = trace_repository(repository, pool, database=database, progress=False)
        assert sum(file.theorems for file in traced.summaries) == 245
        assert not traced.skipped
        theorems = database.sorry_theorems([repository])[:16]

    killed: list[int] = []

    def on_attempt(_: Attempt) -> None:
        if not killed:
            killed.append(kill_one(pool))

    def outcomes(attempts: tuple[Attempt, ...]) -> list[tuple[str, str, str]]:
        return [(one.full_name, one.status, one.proof) for one in attempts]

    spread = evaluate([ScriptedProver(pool)], theorems, budget, batch=4, on_attempt=on_attempt)
    assert killed
    here = evaluate([ScriptedProver(lean)], theorems, budget)
    assert outcomes(spread.attempts) == outcomes(here.attempts)
    assert {one.status for one in here.attempts} >= {"proved"}


@with_marks
def test_a_killed_member_costs_rollouts_nothing_but_time(pool: RayPool, lean: LeanPool, tmp_path: Path) -> None:
    tasks = TheoremFiles(tmp_path).tasks(
        [Theorem(f"t{n}", f"theorem t{n} : {statement}") for n, statement in enumerate(STATEMENTS)]
    )
    steps = ("intro p q h", "constructor", "exact h.2", "exact Or.inr h.2", "simp_all", "exact h.1")
    killed: list[int] = []

    class Deadly(MockInferenceClient):
        def complete(self, goals: Sequence[str], k: int, *, seed: int | None = None) -> list[list[Completion]]:
            if len(self.calls) == 3 and not killed:
                killed.append(kill_one(pool))
            return super().complete(goals, k, seed=seed)

    def attempts(server: RayPool | LeanPool, policy: MockInferenceClient) -> list[tuple[tuple[str, ...], float | None]]:
        generator = ProofRolloutGenerator(server, policy, scorer=get_scorer("verified"))
        groups = asyncio.run(BatchRolloutManager(generator, theorems_per_batch=4).generate(tasks, 8, seed=0))
        return [(attempt.script, attempt.reward) for group in groups for attempt in group]

    spread = attempts(pool, Deadly(default=steps))
    assert killed
    assert spread == attempts(lean, MockInferenceClient(default=steps))
    assert {reward == 1.0 for _, reward in spread} == {True, False}, "some prove, some do not"


@with_marks
def test_an_agent_traces_and_proves_over_the_cluster(cluster: None, tmp_path: Path) -> None:
    with (
        DynamicDatabase(tmp_path / "database.sqlite") as database,
        ScriptedAgent(database=database, executor="ray", workers=1, runs_dir=tmp_path / "runs") as agent,
    ):
        traced = agent.setup_local_repository(REPOS / "logic")
        assert sum(file.theorems for file in traced.summaries) == 245
        results = agent.prove(theorems=agent.open_theorems()[:8])
        assert {result.proved for result in results} == {True, False}
        assert all(result.verdict is not None and result.verdict.accepted for result in results if result.proved)


@with_marks
def test_lean_processes_end_with_the_pool(cluster: None) -> None:
    from lean_agent.lean.cluster.ray_pool import RayPool

    with RayPool(workers=1, members=1) as pool:
        pool.goal_start("∀ (p : Prop), p → p")
        ((lean,),) = pool.pids()
    wait_for(lambda: not psutil.pid_exists(lean))


# -- without Ray: what becomes of the work of a lost member


class Lost(Exception):
    """Stands for Ray's error."""


class StandIn:
    """A member in this process, with a mock server; once ``dead`` every call is lost."""

    def __init__(self, workers: int, _: object) -> None:
        self.server = MockLeanServer(STATEMENT_OF)
        self.dead = False
        self.calls: list[str] = []
        self.ready = self._remote(lambda: "4.30.0, a member's own")
        self.pids = self._remote(lambda: [17])
        self.release = self._remote(self.server.release)
        self.call = self._remote(self._call)

    def _call(self, method: str, *arguments: Any, **options: Any) -> Any:
        self.calls.append(method)
        try:
            return getattr(self.server, method)(*arguments, **options)
        except LeanError as error:
            return error

    def _remote(self, work: Callable[..., Any]) -> Any:
        async def run(*arguments: Any, **options: Any) -> Any:
            if self.dead:
                raise Lost
            return work(*arguments, **options)

        return SimpleNamespace(remote=run)


STATEMENT_OF = {"swap": "∀ (p q : Prop), p ∧ q → q ∧ p"}


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> list[StandIn]:
    """The members that were made, in their order; Ray itself is a stand-in too."""
    made: list[StandIn] = []

    def make(*arguments: Any) -> StandIn:
        made.append(StandIn(*arguments))
        return made[-1]

    maker = SimpleNamespace(options=lambda **_: SimpleNamespace(remote=make))
    ray: Any = ModuleType("ray")
    ray.is_initialized = lambda: True
    ray.cluster_resources = lambda: {"CPU": 2.0}
    ray.remote = lambda _: maker
    ray.kill = lambda _: None
    exceptions: Any = ModuleType("ray.exceptions")
    exceptions.RayActorError = exceptions.RayError = Lost
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.exceptions", exceptions)
    return made


def test_the_work_of_a_lost_member_goes_to_the_others(stand_ins: list[StandIn]) -> None:
    from lean_agent.lean.cluster.ray_pool import RayPool

    with RayPool() as pool:
        wait_for(lambda: len(pool.actors()) == 2)
        states = solid(pool.goal_starts([STATEMENT_OF["swap"]] * 4))
        assert [len(one.calls) for one in stand_ins] == [1, 1], "each got its share in one call"
        assert all(seat.states for seat in pool._seats)
        assert len(states) == 4

        stand_ins[0].dead = True
        sites = [TheoremSite(LeanProject(Path("r"), Path("b")), f"{name}.lean", "swap") for name in "abcd"]
        assert [one.origin for one in solid(pool.goal_starts(sites))] == sites
        wait_for(lambda: len(stand_ins) == 3)  # another in the place of the lost one

        for one in stand_ins:
            one.dead = True
        lost = pool.goal_starts(sites)
        assert all(isinstance(one, LeanProcessDied) for one in lost), "who is lost twice is told so"
        assert pool.verify(sites[0], "by\n  intro p q h\n  constructor\n  exact h.2\n  exact h.1").accepted, (
            "by one that came in their place"
        )


def test_tracing_is_as_wide_as_the_cluster_before_its_members_are_up(
    stand_ins: list[StandIn], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lean_agent.lean.cluster.ray_pool import RayPool

    wide = 3 * 2
    all_under_way, begun = asyncio.Barrier(wide), asyncio.Event()
    traced: list[str] = []

    def slowly(self: StandIn, *arguments: object) -> None:
        async def call(method: str, project: LeanProject, path: str) -> LeanError:
            traced.append(path)
            begun.set()
            await asyncio.wait_for(all_under_way.wait(), 10)  # Lean takes its time, until as many files are under way
            return LeanRequestError("not today")

        async def late() -> str:
            await begun.wait()
            return "4.30.0"

        made(self, *arguments)
        self.call = SimpleNamespace(remote=call)
        if len(stand_ins) > 0:  # the first is up at once
            self.ready = SimpleNamespace(remote=late)

    made: Callable[..., None] = StandIn.__init__
    monkeypatch.setattr(StandIn, "__init__", slowly)
    for n in range(wide):
        (tmp_path / f"A{n}.lean").write_text("theorem t : True := trivial\n", encoding="utf-8")
    with RayPool(workers=2, members=3) as pool:
        assert pool.workers == wide
        report = trace_repository(local_repository(tmp_path), pool)
        assert len(traced) == len(report.skipped) == wide
        assert {one.reason for one in report.skipped} == {"not today"}
        stand_ins[0].dead = True
        pool.pids()
        assert pool.workers == wide  # Ray is asked for another


def test_it_says_which_lean_its_members_run(stand_ins: list[StandIn]) -> None:
    from lean_agent.lean.cluster.ray_pool import RayPool

    with RayPool() as pool:
        assert pool.version == "4.30.0, a member's own"  # tracing writes it down


def test_a_member_says_which_lean_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lean_agent.lean.cluster.ray_pool import Member

    lean = tmp_path / "lean"
    lean.write_text("#!/bin/sh\necho 'Lean (version 4.30.0, x86_64)'\n")
    lean.chmod(0o755)

    async def told() -> str:
        member = Member(1, None)
        try:
            return await member.ready()
        finally:
            await member.close()

    monkeypatch.delenv(LEAN_VARIABLE, raising=False)
    assert asyncio.run(told()) == EmbeddedRuntime().version
    monkeypatch.setenv(LEAN_VARIABLE, str(lean))
    assert asyncio.run(told()) == "4.30.0"


def test_a_member_that_has_just_died_has_no_processes(stand_ins: list[StandIn]) -> None:
    from lean_agent.lean.cluster.ray_pool import RayPool

    with RayPool() as pool:
        wait_for(lambda: len(pool.actors()) == 2)
        assert pool.pids() == [[17], [17]]
        stand_ins[0].dead = True
        assert pool.pids() == [[17]]
        wait_for(lambda: len(stand_ins) == 3)  # another in its place


def test_a_cluster_where_no_member_comes_up_says_so(stand_ins: list[StandIn], monkeypatch: pytest.MonkeyPatch) -> None:
    from lean_agent.lean.cluster.ray_pool import RayPool

    def no_package(self: StandIn, *_: object) -> None:
        made(self, *_)
        self.dead = True

    made: Callable[..., None] = StandIn.__init__
    monkeypatch.setattr(StandIn, "__init__", no_package)
    with RayPool() as pool, pytest.raises(LeanStartupError, match="installed on its nodes"):
        pool.goal_start(STATEMENT_OF["swap"])
    with RayPool() as pool, pytest.raises(LeanStartupError, match="installed on its nodes"):
        _ = pool.version


def test_errors_come_back_as_they_were_raised(stand_ins: list[StandIn]) -> None:
    from lean_agent.lean.cluster.ray_pool import RayPool

    with RayPool(members=1) as pool:
        with pytest.raises(LeanRequestError, match="does not elaborate"):
            pool.goal_start("no proposition (")
        with pytest.raises(LeanRequestError, match="was given no file"):
            pool.trace_file(LeanProject(Path("r"), Path("b")), "A.lean")
        state = pool.goal_start(STATEMENT_OF["swap"])
        with pytest.raises(TacticFailure):
            pool.goal_tactic(state, "exact 3")
        assert (pool.workers, len(stand_ins)) == (1, 1)
        stand_ins[0].server.close()


def test_an_executor_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="local or ray, not 'cloud'"):
        lean_server("cloud")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"lean4-agent\[ray\]"):
        lean_server("ray")


def test_a_text_is_checked_by_a_member(stand_ins: list[StandIn]) -> None:
    from lean_agent.lean.cluster.ray_pool import RayPool

    with RayPool() as pool:
        (message,) = pool.check("theorem t : ∀ (p : Prop), p := by sorry", timeout_s=5)
        assert (message.severity, message.start) == ("warning", Position(1, 0))
        stand_ins[0].dead = True
        assert pool.check("theorem t : True := by trivial") == (), "by another in the place of a lost one"
