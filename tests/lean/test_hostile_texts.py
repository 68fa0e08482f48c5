"""Texts that a model can write and that end a Lean process: each is a failure or a verdict with a name, once, within
its limit, and the next request is served by the one process there is.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from lean_agent.errors import LeanCrashed, LeanProcessDied, LeanStalled, LeanTimeout, TacticFailure
from lean_agent.lean.embedded.install import Installation, install
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite
from lean_agent.rollout.single_tactics import VerifiedTacticReward

pytestmark = [pytest.mark.lean, pytest.mark.slow]

PANIC = "have : 1 <<< 2^40 = 0 := by decide +kernel"
CONJUNCTION = "have : " + " ∧ ".join(["True"] * 3000) + " := by simp"
BRACKETS = "exact " + "(" * 20_000 + "rfl" + ")" * 20_000
CRASHES = ("crashed", "out_of_memory", "deep_recursion")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> TheoremSite:
    root = tmp_path_factory.mktemp("hostile")
    (root / "T.lean").write_text("theorem t : 1 = 1 := by\n  sorry\n", encoding="utf-8")
    (root / "Crash.lean").write_text(f"theorem u : True := by\n  {PANIC}\n  trivial\n", encoding="utf-8")
    return TheoremSite(LeanProject(root, root / "build"), "T.lean", "t")


STARTED: list[int] = []


class Counted(LeanProcess):
    """``STARTED`` grows by the id of each process."""

    async def _got_ready(self, name: str, timeout_s: float) -> None:
        await super()._got_ready(name, timeout_s)
        STARTED.append(self.pid)


@pytest.fixture(scope="module")
def pool(lean: LeanPool) -> Iterator[LeanPool]:
    before = {*psutil.Process().children(recursive=True)}
    limits = PoolLimits(tactic_timeout_s=20.0, verify_timeout_s=20.0, grace_s=0.5)
    with LeanPool(1, limits=limits, process=Counted) as pool:
        yield pool
        pool.release([pool.goal_start("True")])  # the last test may have ended its process
        left = {process.pid for process in {*psutil.Process().children(recursive=True)} - before}
        assert left - {*lean.pids()} == {*pool.pids()}  # the shared one may have a new process since
    left = {process.pid for process in {*psutil.Process().children(recursive=True)} - before}
    assert left <= {*lean.pids()}


@pytest.fixture
def starts() -> list[int]:
    """Grows by the id of each process that is started."""
    STARTED.clear()
    return STARTED


def still_works(pool: LeanPool, site: TheoremSite) -> None:
    assert pool.goal_tactic(pool.goal_start(site, timeout_s=60), "rfl", timeout_s=60).is_solved


def test_a_tactic_that_ends_the_process_has_failed_and_runs_once(
    pool: LeanPool, site: TheoremSite, starts: list[int]
) -> None:
    state = pool.goal_start(site, timeout_s=60)
    starts.clear()
    (result,) = pool.goal_tactics([(state, PANIC)])
    assert isinstance(result, TacticFailure) and result.kind == "crashed"
    assert "Nat.shiftl exponent is too big" in result.message
    assert starts == []
    still_works(pool, site)
    with pytest.raises(TacticFailure) as raised:
        pool.goal_tactic(state, PANIC)
    assert raised.value.kind == "crashed"


@pytest.mark.long
def test_it_costs_those_that_run_with_it_nothing(pool: LeanPool, site: TheoremSite) -> None:
    state = pool.goal_start(site, timeout_s=60)
    results = pool.goal_tactics([(state, "skip"), (state, PANIC), (state, "rfl"), (state, "omega +")])
    kinds = [result.kind if isinstance(result, TacticFailure) else type(result).__name__ for result in results]
    assert kinds == ["GoalState", "crashed", "GoalState", "parse"]


@pytest.mark.long
def test_it_earns_what_a_failed_tactic_earns(pool: LeanPool, site: TheoremSite) -> None:
    reward = VerifiedTacticReward(pool, {("u", "c"): site.project})
    where: dict[str, Any] = {"url": "u", "commit": "c", "file_path": "T.lean", "full_name": "t", "position": 26}
    columns: dict[str, Any] = {key: [value] * 2 for key, value in where.items()}
    rewards = reward([PANIC, "nonsense"], **columns).tolist()
    assert rewards[0] == rewards[1] < 0
    assert reward.statistics.levels == {"error": 2}


def test_a_deep_term_is_refused_by_lean_itself(pool: LeanPool, site: TheoremSite, starts: list[int]) -> None:
    state = pool.goal_start(site, timeout_s=60)
    starts.clear()
    (result,) = pool.goal_tactics([(state, CONJUNCTION)], timeout_s=60)
    assert isinstance(result, TacticFailure) and result.kind == "error" and "recursion" in result.message
    still_works(pool, site)
    assert starts == []


@pytest.mark.long
def test_nested_brackets(pool: LeanPool, site: TheoremSite) -> None:
    (result,) = pool.goal_tactics([(pool.goal_start(site, timeout_s=60), BRACKETS)], timeout_s=60)
    assert isinstance(result, TacticFailure) and result.kind in (*CRASHES, "timeout"), result
    still_works(pool, site)


@pytest.mark.parametrize("proof", [PANIC, BRACKETS], ids=["panic", "brackets"])
def test_a_proof_that_ends_the_process_is_not_accepted(pool: LeanPool, site: TheoremSite, proof: str) -> None:
    verdict = pool.verify(site, f"by\n  {proof}\n  rfl", timeout_s=60)
    assert verdict.kind in (*CRASHES, "timeout") and not verdict.accepted
    assert pool.verify(site, "by rfl", timeout_s=60).accepted


@pytest.mark.long
def test_a_tactic_that_sleeps_is_late(pool: LeanPool, site: TheoremSite) -> None:
    began = time.monotonic()
    verdict = pool.verify(site, "by\n  sleep 100000\n  rfl", timeout_s=1)
    assert verdict.kind == "timeout"
    state = pool.goal_start(site, timeout_s=60)
    (result,) = pool.goal_tactics([(state, "sleep 100000")], timeout_s=1)
    assert isinstance(result, TacticFailure) and result.kind == "timeout"
    assert time.monotonic() - began < 60  # and not the 100 seconds of one of them


@pytest.mark.long
def test_an_expression_that_ends_the_process_is_told_by_name(
    pool: LeanPool, site: TheoremSite, starts: list[int]
) -> None:
    still_works(pool, site)
    starts.clear()
    crashing, good = pool.goal_starts(["(by decide +kernel : 1 <<< 2^40 = 0) = rfl", "1 = 1"])
    assert isinstance(crashing, LeanCrashed) and crashing.op == "start" and isinstance(good, GoalState)
    with pytest.raises(LeanCrashed, match="`start` ended the Lean process"):
        pool.goal_start("(by decide +kernel : 1 <<< 2^40 = 0) = rfl")


def test_a_file_that_ends_the_process_is_tried_once_more_and_told(
    pool: LeanPool, site: TheoremSite, starts: list[int]
) -> None:
    still_works(pool, site)
    starts.clear()
    with pytest.raises(LeanCrashed, match="`trace` ended the Lean process") as raised:
        pool.trace_file(site.project, "Crash.lean")
    assert raised.value.kind == "crashed" and len(starts) == 1  # a fault of the process's own would have lost the file
    with pytest.raises(LeanCrashed, match="`open`"):  # no word on the proof, which nobody has looked at
        pool.verify(TheoremSite(site.project, "Crash.lean", "u"), "by trivial")
    still_works(pool, site)


DEEP_ARROWS = "theorem a : " + "True → " * 2500 + "True := by\n  intros\n  trivial\n"
DEEP_CONJUNCTION = "theorem a : " + " ∧ ".join(["True"] * 3000) + " := by\n  repeat' constructor\n"
DEEPER = "set_option maxRecDepth 100000 in\n"
PROGRAM = 'import Lean\nrun_cmd Lean.logInfo "x"\n'


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        (DEEPER + DEEP_ARROWS, True),
        (DEEPER + DEEP_CONJUNCTION, True),
        (DEEPER + DEEP_ARROWS.replace("theorem a", "example"), True),
        (DEEPER + "mutual\n" + DEEP_ARROWS + "theorem b : True := trivial\nend\n", True),
        (DEEPER + DEEP_ARROWS.replace("True :=", "False :="), False),
        (DEEP_CONJUNCTION, False),  # Lean itself goes no deeper
        ("open Nat in\n" * 100 + "theorem a : True := trivial\n", True),
    ],
    ids=["arrows", "conjunction", "example", "mutual", "false", "without the option", "below `in`"],
)
def test_a_file_with_a_deep_statement_is_judged(
    pool: LeanPool, site: TheoremSite, starts: list[int], text: str, accepted: bool
) -> None:
    still_works(pool, site)
    starts.clear()
    verdict = pool.verify_text(text, timeout_s=120)
    assert (verdict.accepted, verdict.kind) == (accepted, None), verdict.against
    name = verdict.claims[0].name
    assert name == ("example" if "example" in text else "a") and starts == []
    if accepted and "open Nat" not in text:
        assert verdict.claims[0].verdict.statement == ""
        assert any(note.text.startswith(f"the statement of `{name}` is too deep to be") for note in verdict.notes)


@pytest.mark.long
def test_a_deep_statement_is_written_out_for_the_second_process() -> None:
    with LeanPool(1) as pool:
        verdict = pool.verify_text(PROGRAM + DEEPER + DEEP_ARROWS, timeout_s=120)
    assert verdict.accepted, verdict.against
    assert any(note.text.startswith("the statement of `a` is too deep to be printed") for note in verdict.notes)


def test_a_statement_that_is_deep_is_printed_as_long_as_lean_prints_it(pool: LeanPool) -> None:
    verdict = pool.verify_text("theorem a : " + "True → " * 60 + "True := by\n  intros\n  trivial\n")
    assert verdict.accepted and verdict.notes == ()
    assert verdict.claims[0].verdict.statement.startswith("True → True → ")


@pytest.mark.long
def test_a_file_whose_program_fills_the_stack_has_a_kind(pool: LeanPool, site: TheoremSite) -> None:
    verdict = pool.verify_text("partial def f (n : Nat) : Nat := 1 + f (n + 1)\n#eval f 0\n")
    assert (verdict.accepted, verdict.kind, verdict.declarations) == (False, "deep_recursion", ())
    (problem,) = verdict.problems
    assert "its stack was full" in problem.text and "stacktrace" not in problem.text and "#1" not in problem.text
    still_works(pool, site)


def test_a_file_that_ends_the_process_has_a_kind(pool: LeanPool, site: TheoremSite) -> None:
    verdict = pool.verify_file(site.project, "Crash.lean")
    assert (verdict.accepted, verdict.kind) == (False, "crashed")


@pytest.mark.long
def test_a_file_that_sleeps_is_tried_once_more_and_late_then(
    site: TheoremSite, starts: list[int], impatient_lean: Installation
) -> None:
    (site.project.root / "Sleep.lean").write_text("#eval IO.sleep 100000\n", encoding="utf-8")

    async def ask(pool: LeanPool) -> tuple[Any, Any]:
        text = "theorem a : True := trivial\n#eval IO.sleep 100000\n"
        return await asyncio.gather(
            pool.verify_text_async(text, timeout_s=90),
            pool.trace_file_async(site.project, "Sleep.lean"),
            return_exceptions=True,
        )

    began = time.monotonic()
    with LeanPool(2, where=impatient_lean, process=Counted) as pool:
        verdict, error = asyncio.run(ask(pool))
    assert (verdict.accepted, verdict.kind) == (False, "timeout")
    assert "timeout" in verdict.problems[0].text
    assert isinstance(error, LeanTimeout) and "timeout" in str(error)
    assert time.monotonic() - began < 80 and len(starts) == 4  # 5 s without work, twice for each


class StandsStillOnce(Counted):
    """The first process ends at its first trace as one does in which a thread never wakes up."""

    async def request(self, op: str, *, timeout_s: float, **fields: Any) -> dict[str, Any]:
        if op == "trace" and [self.pid] == STARTED:
            await self.kill()
            raise LeanStalled("timeout: nothing had worked on `trace` for long")
        return await super().request(op, timeout_s=timeout_s, **fields)


def test_a_file_in_which_a_thread_never_woke_up_is_traced_by_another_process(
    site: TheoremSite, starts: list[int]
) -> None:
    with LeanPool(1, process=StandsStillOnce) as pool:
        file = pool.trace_file(site.project, "T.lean")
    assert [theorem.full_name for theorem in file.theorems] == ["t"]
    assert len(starts) == 2


@pytest.mark.long
def test_a_process_that_others_kill_is_no_fault_of_the_tactic(pool: LeanPool, site: TheoremSite) -> None:
    state = pool.goal_start(site, timeout_s=60)
    (pid,) = pool.pids()
    os.kill(pid, signal.SIGKILL)
    assert isinstance(pool.goal_tactic(state, "skip", timeout_s=60), GoalState)
    assert pool.pids() != [pid]


@pytest.mark.long
def test_the_grace_is_a_setting(site: TheoremSite) -> None:
    """A tactic that listens to nobody is stopped that much later than its limit; by default a second."""
    with LeanPool(1, limits=PoolLimits(grace_s=3.0)) as pool:
        state = pool.goal_start(site, timeout_s=60)
        began = time.monotonic()
        (result,) = pool.goal_tactics([(state, "sleep 100000")], timeout_s=1)
        assert time.monotonic() - began >= 4
    assert isinstance(result, TacticFailure) and result.kind == "timeout"


READY = 'console.log(JSON.stringify({ready: true})); process.stdin.on("data", () => { END });'


def fake_end(tmp_path: Path, end: str) -> str:
    """Return the name of the error of a process that comes to this end (JavaScript) in the middle of a request."""
    host = tmp_path / "host.cjs"
    host.write_text(READY.replace("END", end), encoding="utf-8")
    where = Installation(node=install().node, host=host, lean=tmp_path, agent=tmp_path)
    with LeanPool(1, where=where) as pool, pytest.raises(LeanProcessDied) as raised:
        pool.goal_start("1 = 1")
    return raised.value.kind if isinstance(raised.value, LeanCrashed) else type(raised.value).__name__


@pytest.mark.parametrize(
    ("end", "name"),
    [
        ("console.error('FATAL C++ exception St9bad_alloc: '); process.exit(70)", "out_of_memory"),
        ("console.error('INTERNAL PANIC: out of memory'); process.exit(70)", "out_of_memory"),
        ("console.error('FATAL RangeError: Maximum call stack size exceeded'); process.exit(70)", "deep_recursion"),
        ("console.error('uncaught exception: deep recursion was detected'); process.exit(70)", "deep_recursion"),
        ("console.error('FATAL RuntimeError: unreachable'); process.exit(70)", "crashed"),
        ("console.error('Stack overflow detected. Aborting.'); process.abort()", "deep_recursion"),
        ("process.exit(75)", "LeanProcessDied"),  # it has run the initializers of another project
        ("process.kill(process.pid, 'SIGTERM')", "LeanProcessDied"),
        # what has been in the heap before may be to blame
        (
            "console.log(JSON.stringify({beat: true, heap: 1500})); console.error('bad_alloc'); process.exit(70)",
            "out_of_memory",
        ),
    ],
)
def test_how_a_process_ended_is_told_by_its_name(tmp_path: Path, end: str, name: str) -> None:
    assert fake_end(tmp_path, end) == name
