"""Processes die, hang and grow; nobody notices more than a retry."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.types import GoalState

pytestmark = pytest.mark.lean


def test_states_outlive_their_process(lean: LeanPool) -> None:
    state = lean.goal_tactic(lean.goal_start("∀ p q : Prop, p ∧ q → q ∧ p"), "intro p q h")
    (pid,) = lean.pids()
    os.kill(pid, signal.SIGKILL)
    results = lean.goal_tactics([(state, "exact ⟨h.2, h.1⟩"), (state, "nonsense"), (state, "constructor")])
    assert isinstance(results[0], GoalState)
    assert results[0].is_solved
    assert isinstance(results[1], LeanError)
    assert isinstance(results[2], GoalState)
    assert len(results[2].goals) == 2
    assert lean.pids() != [pid]


def test_two_thousand_commands_leave_the_size_flat(lean: LeanPool) -> None:
    def work(count: int) -> None:
        for _ in range(count // 40):
            state = lean.goal_start("∀ (a b : Nat), a < b → a + 1 < b + 1 ∧ True")
            start = lean.goal_tactic(state, "intro a b h")
            made = lean.goal_tactics([(start, t) for t in ("constructor", "omega", "simp", "skip", "exact h") * 7])
            lean.release([state, start, *(s for s in made if isinstance(s, GoalState))])

    work(400)
    (pid,) = lean.pids()
    before = psutil.Process(pid).memory_info().rss
    work(2000)
    assert lean.pids() == [pid]
    after = psutil.Process(pid).memory_info().rss
    assert after < before * 1.1, f"{before >> 20} MB before, {after >> 20} MB after 2,000 commands"


def test_both_faces_work_from_any_loop(lean: LeanPool) -> None:
    async def prove() -> list[bool]:
        state = await lean.goal_start_async("1 + 1 = 2")
        solved = await asyncio.gather(*(lean.goal_tactic_async(state, t) for t in ("rfl", "decide", "omega")))
        return [s.is_solved for s in solved]

    assert asyncio.run(prove()) == [True, True, True]


def test_a_grown_process_is_replaced_between_requests() -> None:
    with LeanPool(1, limits=PoolLimits(max_heap_mb=1)) as pool:
        state = pool.goal_start("1 = 1")
        (first,) = pool.pids()
        assert pool.goal_tactic(state, "rfl").is_solved
        assert pool.pids() != [first]


def test_a_closed_pool_leaves_no_process_and_says_so() -> None:
    pool = LeanPool(1)
    pool.goal_start("1 = 1")
    (pid,) = pool.pids()
    pool.close()
    pool.close()
    assert not psutil.pid_exists(pid)
    with pytest.raises(LeanError, match="closed"):
        pool.goal_start("1 = 1")


def test_no_orphan_when_the_parent_is_killed() -> None:
    script = (
        "from lean_agent.lean.pool import LeanPool\nimport time\npool = LeanPool(1)\npool.goal_start('1 = 1')\n"
        "print(pool.pids()[0], flush=True)\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        parent.kill()
        parent.wait()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and _runs(pid):
        time.sleep(0.05)
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
