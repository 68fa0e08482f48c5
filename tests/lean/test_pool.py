"""Processes die, hang and grow; nobody notices more than a retry."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from lean_agent.errors import LeanError, TacticFailure
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite

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


@pytest.mark.long
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


@pytest.mark.long
def test_a_process_full_of_threads_is_replaced(tmp_path: Path) -> None:
    """They outlive the request of the program that starts them, and hold more than Lean's heap tells."""
    threads = "for _ in [0:30] do discard <| IO.asTask (prio := .dedicated) (IO.sleep 1000000)"
    program = f"#eval show IO Unit from do\n  {threads}\n  IO.sleep 2500\n"
    (tmp_path / "Threads.lean").write_text(program, encoding="utf-8")
    (tmp_path / "Next.lean").write_text("theorem t : 1 = 1 := rfl\n")
    project = LeanProject(tmp_path, tmp_path / "build")
    with LeanPool(1, limits=PoolLimits(max_resident_mb=900)) as pool:
        assert not pool.trace_file(project, "Next.lean").errors
        pids = pool.pids()
        assert not pool.trace_file(project, "Threads.lean").errors
        assert pool.pids() == pids
        assert not pool.trace_file(project, "Next.lean").errors
        assert pool.pids() != pids


def test_a_closed_pool_leaves_no_process_and_says_so() -> None:
    pool = LeanPool(1)
    pool.goal_start("1 = 1")
    (pid,) = pool.pids()
    pool.close()
    pool.close()
    assert not psutil.pid_exists(pid)
    with pytest.raises(LeanError, match="closed"):
        pool.goal_start("1 = 1")


def _slow(pool: LeanPool, answers: list[object]) -> threading.Thread:
    """A thread that waits for a tactic of a second or so, and puts down what comes of it. It runs when this returns."""
    state = pool.goal_tactic(pool.goal_start("∀ a b c : Nat, a < b → b < c → a < c"), "intro a b c h k")
    script = "\n".join([*["have q : a < c + 1 := by omega"] * 60, "omega"])

    def run() -> None:
        try:
            answers.append(pool.goal_tactic(state, script).is_solved)
        except LeanError as error:
            answers.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.2)
    return thread


def test_closing_may_wait_for_what_is_under_way() -> None:
    pool, answers = LeanPool(1), list[object]()
    thread = _slow(pool, answers)
    assert not answers
    pool.close(wait_s=60)
    thread.join(timeout=5)
    assert answers == [True]


def test_closing_at_once_names_itself_to_who_waits() -> None:
    pool, answers = LeanPool(1), list[object]()
    thread = _slow(pool, answers)
    (pid,) = pool.pids()
    began = time.monotonic()
    pool.close()
    thread.join(timeout=5)
    assert time.monotonic() - began < 3
    (error,) = answers
    assert isinstance(error, LeanError) and "closed before it had an answer" in str(error)
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("ms", range(12))  # the moments of a start in which a cancellation could get lost
def test_closing_while_a_process_starts_leaves_none(ms: int) -> None:
    before = set(psutil.Process().children())

    async def wait(pool: LeanPool) -> LeanError | None:
        work = asyncio.ensure_future(pool.goal_start_async("1 = 1"))
        while set(psutil.Process().children()) <= before:
            await asyncio.sleep(0)
        await asyncio.sleep(ms / 1000)
        await asyncio.to_thread(pool.close)
        try:
            await work
        except LeanError as error:
            return error
        return None

    error = asyncio.run(wait(LeanPool(1)))
    assert "closed before it had an answer" in str(error)
    assert set(psutil.Process().children()) <= before


IDLE = """
from lean_agent.lean.pool import LeanPool
pool = LeanPool(1)
pool.goal_start("1 = 1")
"""
BUSY = """
import sys, threading
from pathlib import Path
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
folder, pool = Path(sys.argv[1]), LeanPool(2)
(folder / "A.lean").write_text("#eval 1\\ntheorem a : 1 = 1 := by rfl\\n")
site = TheoremSite(LeanProject(folder, folder / "build"), "A.lean", "a")
assert pool.verify(site, "by rfl").accepted  # a program has run, so another process is asked for its opinion
for state in pool.goal_starts([site, "1 = 1"]):
    threading.Thread(target=pool.goal_tactic, args=[state, "repeat sleep 100"], daemon=True).start()
while pool._scheduler.busy < 2:
    time.sleep(0.05)
"""


@pytest.mark.parametrize(("script", "count"), [(IDLE, 1), (BUSY, 3)], ids=["idle", "busy"])
def test_no_orphan_when_the_parent_is_killed(tmp_path: Path, script: str, count: int) -> None:
    script = f"import time\n{script}\nprint(flush=True)\ntime.sleep(600)\n"
    with subprocess.Popen([sys.executable, "-c", script, tmp_path], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        kill_the_parent(parent, count)


def test_no_orphan_when_the_program_of_the_protocol_is_killed() -> None:
    command = [sys.executable, "-m", "lean_agent", "pantograph-repl", "Init"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None and program.stdout is not None
        assert program.stdout.readline() == "ready.\n"
        program.stdin.write('goal.start {"expr": "True"}\n')
        program.stdin.flush()
        assert json.loads(program.stdout.readline())["stateId"] == 0
        program.stdin.write('goal.tactic {"stateId": 0, "tactic": "repeat sleep 100"}\n')
        program.stdin.flush()
        time.sleep(0.5)  # in which Lean has begun with it
        kill_the_parent(program, 1)


def kill_the_parent(parent: subprocess.Popen[str], count: int) -> None:
    """Kill a process whose children are so many Lean processes: none of them may be left."""
    try:
        deadline = time.monotonic() + 60  # the last of them may be about to become one
        while True:
            children = psutil.Process(parent.pid).children(recursive=True)
            lean = ["host.cjs" in " ".join(child.cmdline()) for child in children]
            if lean == [True] * count:
                break
            assert time.monotonic() < deadline, lean
            time.sleep(0.05)
        children[0].suspend()  # one that cannot even see that its input has ended
    finally:
        parent.kill()
    parent.wait()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(_runs(child.pid) for child in children):
        time.sleep(0.05)
    assert not [child for child in children if _runs(child.pid)]


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_evicted_states_are_made_again() -> None:
    """A heap limit of 1 MB evicts after every growth; nobody sees it."""
    with LeanPool(1, limits=PoolLimits(evict_heap_mb=1)) as pool:
        state = pool.goal_start("∀ p q : Prop, p → q → p ∧ q")
        states = [state := pool.goal_tactic(state, tactic) for tactic in ("intro p q h k", "constructor", "exact h")]
        worker = pool._workers[0]
        for held in list(worker.states):
            worker.drop(held)
        assert pool.goal_tactic(states[2], "exact k").is_solved
        assert len(pool.goal_tactic(states[0], "constructor").goals) == 2


def test_no_more_requests_come_in_than_the_limit_allows() -> None:
    """With one at a time, a second process that is free gets nothing to do."""
    with LeanPool(2, limits=PoolLimits(requests=1)) as pool:
        most = 0
        granted = pool._scheduler._assign

        async def watched(*asked: Any) -> Any:
            nonlocal most
            worker = await granted(*asked)
            most = max(most, pool._scheduler.busy)
            return worker

        pool._scheduler._assign = watched  # type: ignore[method-assign, assignment]
        states = pool.goal_starts(["1 = 1", "2 = 2"] * 40)
        results = pool.goal_tactics([(s, "rfl") for s in states if isinstance(s, GoalState)])
        assert len(results) == 80 and all(isinstance(r, GoalState) and r.is_solved for r in results)
        assert most == 1


def test_the_states_used_longest_ago_are_evicted_first() -> None:
    asked: list[str] = []
    released: list[int] = []

    class Heard(LeanProcess):
        async def request(self, op: str, **fields: Any) -> dict[str, Any]:
            asked.append(op)
            released.extend(fields.get("release", []))
            return await super().request(op, **fields)

    with LeanPool(1, limits=PoolLimits(evict_heap_mb=1), process=Heard) as pool:
        states = [pool.goal_start("0 = 0")]
        worker = pool._workers[0]
        worker._evicted_mb = 1_000_000  # no growth is enough
        states += [pool.goal_start(f"{i} = {i}") for i in range(1, 6)]
        numbers = [worker.states[state.key] for state in states]

        def use(state: GoalState) -> None:
            with pytest.raises(TacticFailure):  # no new state is made
                pool.goal_tactic(state, "nonsense")

        use(states[0])
        use(states[2])
        worker._evicted_mb = -1_000_000  # whatever its size, it has grown
        use(states[4])  # the order of use is now 1, 3, 5, 0, 2, 4
        assert list(worker.states) == [states[i].key for i in (0, 2, 4)]
        worker._evicted_mb = 1_000_000
        asked.clear()
        for i in (2, 4, 0):  # Lean has them still
            use(states[i])
        assert asked == ["tactic"] * 3
        assert released == [numbers[i] for i in (1, 3, 5)]
        for i in (1, 3, 5):  # and makes these anew
            assert pool.goal_tactic(states[i], "rfl").is_solved
        assert asked[3:] == ["start", "tactic"] * 3


@pytest.mark.parametrize(("evict_files_mb", "kept"), [(1, ["F2", "F0"]), (1_000_000, ["F1", "F3", "F2", "F0"])])
def test_files_outlive_states_where_the_heap_may_grow(tmp_path: Path, evict_files_mb: int, kept: list[str]) -> None:
    project = LeanProject(root=tmp_path, build=tmp_path / "build")
    for i in range(4):
        (tmp_path / f"F{i}.lean").write_text(f"theorem t{i} : {i} = {i} := by rfl\n")
    sites = [TheoremSite(project, f"F{i}.lean", f"t{i}") for i in range(4)]
    with LeanPool(1, limits=PoolLimits(evict_heap_mb=1, evict_files_mb=evict_files_mb)) as pool:
        pool.goal_start("True")
        worker = pool._workers[0]
        worker._evicted_mb = 1_000_000  # no growth is enough
        for i in (0, 1, 3, 2):
            pool.goal_start(sites[i])
        worker._evicted_mb = -1_000_000  # whatever its size, it has grown
        pool.goal_start(sites[0])
        assert [key[:2] for key in worker.files] == kept
        assert len(worker.states) == 3  # of five


@pytest.mark.long
def test_what_a_process_lost_without_a_file_counts_for_opening_it(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("theorem t (a b : Nat) (h : a < b) : a + 1 < b + 1 := sorry\n", "utf-8")
    site = TheoremSite(LeanProject(root=tmp_path, build=tmp_path / "build"), "A.lean", "t")
    with LeanPool(2) as pool:
        pool.goal_starts(["True"] * 64)  # both are up
        state = pool.goal_start(site)
        home, other = sorted(pool._workers, key=lambda worker: len(worker.files), reverse=True)
        (file,) = home.files
        key = file.rsplit("-", 1)[0]
        assert not other.opened(key)
        assert other.opening_s([key]) > 0
        pool._latency._files[key] = 3600.0  # so long that no single request waits for it
        slow = [(state, f"have : {i} + a < b + {i} := by omega") for i in range(320)]
        pool.goal_tactics(slow)
        assert not other.opened(key)
        assert 0 < other._idle_s[key] < 3600.0
        other.stood_idle([key], 36_000.0)  # more than it takes on a machine that is ten times slower
        assert other.opening_s([key]) == 0
        pool.goal_tactics([(state, tactic + "; skip") for state, tactic in slow])
        assert other.opened(key)
        assert not other._idle_s


def test_another_process_serves_a_state_when_its_own_is_busy() -> None:
    with LeanPool(2) as pool:
        state = pool.goal_tactic(pool.goal_start("∀ a b c : Nat, a < b → b < c → a < c"), "intro a b c h k")
        pool._latency._seconds.update(process=0.0, start=0.0, tactic=0.0)  # so that nothing is too dear to move
        busy = "\n".join(["have q : a < c + 1 := by omega"] * 100)
        others = [(state, f"exact Nat.lt_trans h (id{' ' * i} k)") for i in range(63)]
        results = pool.goal_tactics([(state, busy), *others])
        assert all(isinstance(r, GoalState) for r in results)
        assert all(r.is_solved for r in results[1:] if isinstance(r, GoalState))
        assert len(pool.pids()) == 2
        assert [state.key in worker.states for worker in pool._workers] == [True, True]


def test_the_same_pair_is_run_once(lean: LeanPool) -> None:
    state = lean.goal_start("1 + 1 = 2")
    first, second = lean.goal_tactics([(state, "rfl"), (state, "rfl")])
    assert first == second
    assert isinstance(first, GoalState)
    assert any(first.key in worker.states for worker in lean._workers)


def test_a_state_of_a_text_that_is_gone_is_not_rebuilt_from_another(tmp_path: Path) -> None:
    project = LeanProject(root=tmp_path, build=tmp_path / "build")
    (tmp_path / "A.lean").write_text("theorem a : 1 = 1 := by rfl\n")
    with LeanPool(1) as pool:
        state = pool.goal_start(TheoremSite(project, "A.lean", "a"))
        (tmp_path / "A.lean").write_text("theorem a : 2 = 2 := by rfl\n")
        assert pool.goal_tactic(state, "rfl").is_solved  # it lives
        os.kill(pool.pids()[0], signal.SIGKILL)
        with pytest.raises(LeanError, match="has changed"):
            pool.goal_tactic(state, "rfl")


@pytest.mark.long
def test_more_files_at_once_than_a_process_keeps_open(tmp_path: Path) -> None:
    project = LeanProject(root=tmp_path, build=tmp_path / "build")
    sites = []
    for i in range(12):
        (tmp_path / f"F{i}.lean").write_text(f"theorem t{i} : {i} = {i} := by rfl\n")
        sites.append(TheoremSite(project, f"F{i}.lean", f"t{i}"))
    for open_files in (5, 16):
        with LeanPool(1, limits=PoolLimits(open_files=open_files)) as pool:
            states = pool.goal_starts(sites)
            assert [r for r in states if isinstance(r, LeanError)] == []
            assert len(pool._workers[0].files) == min(12, open_files)


@pytest.mark.long
def test_a_file_that_is_being_opened_is_not_opened_elsewhere(tmp_path: Path) -> None:
    theorems = ("s", "t")
    slow = "".join(f"def d{i} : Nat → Nat\n  | 0 => {i}\n  | n + 1 => d{i} n + n\n" for i in range(60))
    (tmp_path / "A.lean").write_text(slow + "".join(f"theorem {t} : True := sorry\n" for t in theorems), "utf-8")
    project = LeanProject(root=tmp_path, build=tmp_path / "build")

    async def each_by_itself(pool: LeanPool) -> None:
        await asyncio.gather(*(pool.goal_starts_async([TheoremSite(project, "A.lean", t)]) for t in theorems))

    with LeanPool(2) as pool:
        pool.goal_starts(["True"] * 64)  # both are up
        assert len(pool.pids()) == 2
        asyncio.run(each_by_itself(pool))
        assert sorted(len(worker.files) for worker in pool._workers) == [0, 1]
        assert not any(pool._due.values())


def test_a_state_is_rebuilt_in_the_time_that_it_takes() -> None:
    with LeanPool(1, limits=PoolLimits(tactic_timeout_s=0.2, start_timeout_s=1)) as lean:
        start = lean.goal_start("∀ p : Prop, p → p", timeout_s=30)
        slow = lean.goal_tactic(start, "iterate 10 (sleep 50)", timeout_s=30)
        os.kill(lean.pids()[0], signal.SIGKILL)
        assert lean.goal_tactic(slow, "exact fun _ h => h").is_solved


def test_what_is_no_text_fails_alone(lean: LeanPool) -> None:
    start = lean.goal_start("∀ p : Prop, p → p")
    good, bad, other = lean.goal_tactics([(start, "intro p"), (start, "exact \ud800"), (start, "skip")])
    assert isinstance(good, GoalState) and isinstance(other, GoalState)
    assert isinstance(bad, TacticFailure)
    assert (bad.kind, "surrogate" in bad.message) == ("parse", True)
    first, second = lean.goal_starts(["\ud800", "1 = 1"])
    assert isinstance(first, LeanError) and isinstance(second, GoalState)


def test_starting_a_proof_leaves_lean_nothing_to_complain_of(lean: LeanPool) -> None:
    lean.goal_start("1 + 2 = 3")  # no hypothesis
    process = lean._workers[0].process
    assert process is not None
    assert "PANIC" not in process.last_words()
