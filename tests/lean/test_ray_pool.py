"""Lean all over a Ray cluster: a real local one with two members, one of which is killed (`make test-ray`)."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.errors import ConfigError, LeanError, TacticFailure
from lean_agent.evaluation.evaluate import Attempt, evaluate
from lean_agent.lean.executor import lean_server
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.provers import ScriptedProver
from lean_agent.tracing import local_repository, trace_repository

if TYPE_CHECKING:
    from lean_agent.lean.ray_pool import RayPool

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
    from lean_agent.lean.ray_pool import RayPool

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
def test_lean_processes_end_with_the_pool(cluster: None) -> None:
    from lean_agent.lean.ray_pool import RayPool

    with RayPool(workers=1, members=1) as pool:
        pool.goal_start("∀ (p : Prop), p → p")
        ((lean,),) = pool.pids()
    wait_for(lambda: not psutil.pid_exists(lean))


def test_an_executor_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="local or ray, not 'cloud'"):
        lean_server("cloud")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match=r"lean-agent\[ray\]"):
        lean_server("ray")
