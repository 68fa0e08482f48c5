"""Programs without end: in a file that is traced, where a proof is judged, in a tactic. Each is an error with a name
within its limit, the next request is served, and no process is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from lean_agent.errors import LeanCrashed, LeanProcessDied, LeanTimeout, TacticFailure
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.types import LeanProject, TheoremSite

pytestmark = [pytest.mark.lean, pytest.mark.slow]

PROGRAMS = """
/-- No heartbeat is counted in it, and nobody asks whether it was cancelled. -/
partial def spun (n : Nat) : Nat := spun (n + 1)
def spin : IO Unit := IO.println s!"{spun 0}"
def wait : IO Unit := do
  repeat IO.sleep 10
def fill : IO Unit := do
  let mut kept : Array (Array Nat) := #[]
  repeat kept := kept.push (Array.replicate 1000000 kept.size)
def fork : IO Unit := do
  repeat discard <| IO.asTask (prio := .dedicated) (IO.sleep 100000000)
"""
TACTICS = "".join(f'elab "{name}!" : tactic => do {name}\n' for name in ("spin", "wait", "fill", "fork"))
NAMES = ("spin", "wait", "fill", "fork")
CASES = [pytest.param(name, marks=pytest.mark.long) if name != "spin" else name for name in NAMES]


@contextmanager
def pool_of(**limits: float) -> Iterator[LeanPool]:
    """A pool that may take little; its next request is served by the only process there is, and it leaves none."""
    before = {*psutil.Process().children(recursive=True)}
    with LeanPool(1, limits=PoolLimits(**limits)) as pool:  # type: ignore[arg-type]
        yield pool
        assert pool.goal_tactic(pool.goal_start("1 = 1", timeout_s=60), "rfl", timeout_s=60).is_solved
        left = {*psutil.Process().children(recursive=True)} - before
        assert [process.pid for process in left] == pool.pids()
    assert {*psutil.Process().children(recursive=True)} <= before


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    root = tmp_path_factory.mktemp("endless")
    theorem = "theorem t : 1 = 1 := by\n  rfl\n"
    (root / "Tactics.lean").write_text(
        "import Lean\n" + PROGRAMS + "open Lean Elab Tactic\n" + TACTICS + theorem, encoding="utf-8"
    )
    for name in NAMES:
        (root / f"{name}.lean").write_text(f"{PROGRAMS}#eval {name}\n{theorem}", encoding="utf-8")
    return LeanProject(root, root / "build")


LARGE = r"out of memory|more than the 1500 MB"


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_in_a_file_that_is_traced(project: LeanProject, name: str) -> None:
    with (
        pool_of(file_timeout_s=4.0, kill_resident_mb=1500) as pool,
        pytest.raises((LeanTimeout, LeanProcessDied), match=f"`trace` had no answer in time|{LARGE}"),
    ):
        pool.trace_file(project, f"{name}.lean")


@pytest.mark.long
@pytest.mark.parametrize("name", ["spin", "fill"])
def test_in_the_file_of_a_proof_that_is_judged(project: LeanProject, name: str) -> None:
    judged(project, name, f"{name}.lean", "by rfl", "`open` had no answer in time", file_timeout_s=5.0)


@pytest.mark.parametrize("name", ["spin", pytest.param("fork", marks=pytest.mark.long)])
def test_in_a_proof_that_is_judged(project: LeanProject, name: str) -> None:
    judged(
        project,
        name,
        "Tactics.lean",
        f"by {name}!; rfl",
        "ignored its time limit|`verify` had no answer in time",
        verify_timeout_s=1.0,
    )


def judged(project: LeanProject, name: str, file: str, proof: str, late: str, **limits: float) -> None:
    """The proof is neither accepted nor refused."""
    with pool_of(kill_resident_mb=1500, **limits) as pool:
        try:
            verdict = pool.verify(TheoremSite(project, file, "t"), proof)
        except LeanCrashed as error:
            assert error.op == "open" and re.search(LARGE, str(error)) and name == "fill", error
        else:
            if verdict.kind == "out_of_memory":
                assert re.search(LARGE, verdict.reason) and name == "fork", verdict
            else:
                assert verdict.kind == "timeout" and re.search(late, verdict.reason)


@pytest.mark.parametrize("name", CASES)
def test_in_a_tactic(project: LeanProject, name: str) -> None:
    with pool_of(tactic_timeout_s=1.0, kill_resident_mb=1500) as pool:
        state = pool.goal_start(TheoremSite(project, "Tactics.lean", "t"), timeout_s=60)
        (result,) = pool.goal_tactics([(state, f"{name}!")])
        assert isinstance(result, TacticFailure)
        if result.kind != "timeout":
            assert result.kind == "out_of_memory" and re.search(LARGE, result.message) and name in ("fill", "fork")


@pytest.mark.long
def test_threads_without_end_end_long_before_the_time(project: LeanProject) -> None:
    with (
        pool_of(file_timeout_s=600.0, kill_resident_mb=1000) as pool,
        pytest.raises(LeanProcessDied, match=r"`trace` had the Lean process take \d+ MB, more than the 1000 MB"),
    ):
        pool.trace_file(project, "fork.lean")
