"""Accidents at every stage of a request: nobody gets a wrong answer, and what can be made good is made good."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar

import psutil
import pytest
import uvloop

from lean_agent.errors import LeanError, LeanProcessDied, LeanStartupError, LeanTimeout, TacticFailure
from lean_agent.lean.embedded.install import Installation, install
from lean_agent.lean.pantograph.session import Session
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.pool import pool as pool_module
from lean_agent.lean.process import runtime as runtime_module
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite

pytestmark = [pytest.mark.lean, pytest.mark.slow]

STATEMENT = "∀ a b c : Nat, a < b → b < c → a < c"
SLOW = "\n".join(["have q : a < c + 1 := by omega"] * 60)  # a second or more


def fake(tmp_path: Path, script: str) -> Installation:
    """An installation whose host script is ``script``: it plays a process in trouble."""
    host = tmp_path / "host.cjs"
    host.write_text(script)
    return Installation(node=install().node, host=host, lean=tmp_path, agent=tmp_path)


READY = 'console.log(JSON.stringify({ready: true}));\nprocess.stdin.on("data", (data) => { %s });\n'


async def asked(
    where: Installation, op: str, limits: dict[str, Any] | None = None, **fields: object
) -> dict[str, object]:
    """The answer of a new process to one request."""
    process = await LeanProcess.start(where, **(limits or {}))
    try:
        return await process.request(op, timeout_s=60, mounts=(), **fields)
    finally:
        await process.kill()


def lean_children() -> list[psutil.Process]:
    return [p for p in psutil.Process().children(recursive=True) if "host.cjs" in " ".join(p.cmdline())]


def later(seconds: float, act: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(seconds, act)
    timer.start()
    return timer


def test_a_process_that_never_gets_ready_is_named(tmp_path: Path) -> None:
    where = fake(tmp_path, 'console.error("no such file: lean.wasm"); process.exit(3);')
    with LeanPool(1, where=where) as pool, pytest.raises(LeanStartupError, match=r"code 3(.|\n)*lean\.wasm"):
        pool.goal_start("1 = 1")


def test_one_that_closes_its_channel_while_it_starts_is_not_waited_for(tmp_path: Path) -> None:
    where = fake(tmp_path, "for (const fd of [1, 2]) require('fs').closeSync(fd); setTimeout(() => {}, 1e6);")
    with LeanPool(1, where=where) as pool, pytest.raises(LeanStartupError, match="closed its channel"):
        pool.goal_start("1 = 1")


def test_one_that_ends_while_it_starts_is_started_once_more(tmp_path: Path) -> None:
    (tmp_path / "short").touch()
    where = fake(
        tmp_path,
        f"""if (require("fs").existsSync({json.dumps(str(tmp_path / "short"))})) {{
          console.error("bad_alloc"); process.exit(70);
        }}"""
        + READY % 'console.log(\'{"id":0,"items":[{"state":1,"goals":[]}]}\')',
    )

    class Recovered(LeanProcess):
        async def kill(self) -> None:
            await super().kill()
            (tmp_path / "short").unlink(missing_ok=True)

    with LeanPool(1, where=where, process=Recovered) as pool:
        assert pool.goal_start("1 = 1").is_solved


def test_killed_while_it_works() -> None:
    """The request is tried again in a new process, and the caller sees the right answer only."""
    with LeanPool(1) as pool:
        state = pool.goal_tactic(pool.goal_start(STATEMENT), "intro a b c h k")
        (pid,) = pool.pids()
        timer = later(0.2, lambda: os.kill(pid, signal.SIGKILL))
        results = pool.goal_tactics([(state, SLOW), (state, "omega"), (state, "nonsense"), (state, "exact h")])
        timer.join()
        assert pool.pids() != [pid]
        assert isinstance(results[0], GoalState)
        assert isinstance(results[1], GoalState)
        assert results[1].is_solved
        assert [type(r).__name__ for r in results[2:]] == ["TacticFailure", "TacticFailure"]


def test_killed_while_it_starts() -> None:
    others = lean_children()
    with LeanPool(1) as pool:

        def kill_the_first() -> None:
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                for process in lean_children():
                    if process not in others:
                        process.kill()
                        return
                time.sleep(0.01)

        killer = later(0.0, kill_the_first)
        assert pool.goal_tactic(pool.goal_start("1 = 1"), "rfl").is_solved
        killer.join()


def test_killed_at_every_start_is_a_startup_error(tmp_path: Path) -> None:
    where = fake(tmp_path, 'process.kill(process.pid, "SIGKILL");')
    with (
        LeanPool(1, where=where) as pool,
        pytest.raises(LeanStartupError, match=r"killed by signal 9(.|\n)*the time before"),
    ):
        pool.goal_start("1 = 1")


class Mortal(LeanProcess):
    """A process that is killed while it works on a request, as often as :meth:`killed_during` says."""

    op = ""
    times = 0
    stop = False
    died: ClassVar[list[int]] = []

    @classmethod
    def killed_during(cls, op: str, times: int, *, stop: bool = False) -> list[int]:
        """The ids of those that will be killed, once they have died of it.

        With ``stop`` one stands still before: a request of a millisecond is not answered sooner than it is killed.
        """
        cls.op, cls.times, cls.stop, cls.died = op, times, stop, []
        return cls.died

    async def request(self, op: str, **fields: Any) -> dict[str, Any]:
        ours, died = op == self.op and self.times > 0, self.died
        if ours:
            type(self).times -= 1
            if self.stop:
                os.kill(self.pid, signal.SIGSTOP)
            asyncio.get_running_loop().call_later(0.05 if op == "check" else 0.3, os.kill, self.pid, signal.SIGKILL)
        try:
            return await super().request(op, **fields)
        except LeanProcessDied:
            if ours:
                died.append(self.pid)
            raise


STAGES = [
    pytest.param("trace", False, marks=pytest.mark.long),
    ("open", False),  # the file of a proof that is to be judged
    pytest.param("verify", True, marks=pytest.mark.long),
    ("check", False),  # the second opinion, which a program in the file makes necessary
]


@pytest.mark.parametrize(("stage", "whole_file"), STAGES)
def test_killed_while_it_traces_or_judges(tmp_path: Path, stage: str, whole_file: bool) -> None:
    """Once: the caller gets what he would have got. Twice: he is told so. Either way nothing is half there."""
    (tmp_path / "A.lean").write_text("#eval IO.sleep 700\ntheorem a : 1 = 1 := by rfl\n", "utf-8")
    project = LeanProject(tmp_path, tmp_path / "build")
    others = lean_children()

    def ask() -> tuple[object, ...]:
        if stage != "trace":
            verdict = pool.verify(TheoremSite(project, "A.lean", "a"), "by rfl", whole_file=whole_file)
            return verdict.accepted, verdict.kind, verdict.axioms
        traced = pool.trace_file(project, "A.lean")
        return traced.errors, [(theorem.full_name, theorem.proof) for theorem in traced.theorems]

    with LeanPool(1, process=Mortal) as pool:
        died = Mortal.killed_during(stage, 2)
        with pytest.raises(LeanProcessDied):
            ask()
        assert len({*died}) == 2
        assert not list(project.build.rglob("*.olean*"))
        died = Mortal.killed_during(stage, 1)
        told = ask()
        assert len(died) == 1
        assert told == ask() and told[0] in ((), True)
        assert project.build.joinpath("A.olean").exists() == (stage == "trace")
        left = {process.pid for process in lean_children() if process not in others}
        assert not left & {*died} and len(left) == 1 + (stage != "trace")  # what it has now, and who is asked besides
    assert lean_children() == others


@pytest.mark.parametrize(
    "stage", ["start", *(pytest.param(stage, marks=pytest.mark.long) for stage in ("split", "pantograph"))]
)
def test_killed_while_it_starts_or_splits_or_answers_a_session(stage: str) -> None:
    """Once: the caller gets what he would have got. Twice: he is told so, and may ask again. No process is left."""
    others = lean_children()

    def ask() -> object:
        if stage == "pantograph":
            answer = session.run("goal.tactic", {"stateId": 0, "tactic": "intro p q"})
            return [(goal["target"], [v["userName"] for v in goal["vars"]]) for goal in answer["goals"]]
        if stage == "start":
            return shown(pool.goal_start(STATEMENT))
        (parts,) = pool.goal_splits([state])
        if isinstance(parts, LeanError):
            raise parts
        return [shown(part) for part in parts]

    def shown(one: GoalState) -> tuple[str, str]:
        return one.key, one.text

    with LeanPool(1, process=Mortal) as pool, closing(Session(pool)) as session:
        session.run("goal.start", {"expr": "∀ p q : Prop, p → q → p ∧ q"})
        state = pool.goal_tactic(pool.goal_start("True ∧ 1 = 1"), "constructor")
        expected = ask()
        died = Mortal.killed_during(stage, 1, stop=True)
        assert ask() == expected
        assert len(died) == 1
        died = Mortal.killed_during(stage, 2, stop=True)
        with pytest.raises(LeanProcessDied):
            ask()
        assert len({*died}) == 2
        assert ask() == expected
        assert len([process for process in lean_children() if process not in others]) == 1
    assert lean_children() == others


@pytest.mark.parametrize(
    "answer",
    [
        "process.exit(0);",  # read the request, and ended
        "process.stdout.write('{\"id\":0,\"ok\"'); process.kill(process.pid, 'SIGKILL');",  # half a line
        'process.stdout.write(\'{"id":0,"goals":[]\'); process.exit(9);',  # half a line, and ended
        "process.stdout.write('{\"id\":0,\"ok\":true}'); process.kill(process.pid, 'SIGKILL');",  # all but its end
        "process.stdout.write('garbage\\n[1]\\n{\"id\":77}\\n'); process.exit(1);",  # lines that are no answer
        "require('fs').closeSync(1); setTimeout(() => process.exit(1), 300);",  # closed its channel first
    ],
)
def test_what_is_no_whole_answer_is_a_death(tmp_path: Path, answer: str) -> None:
    where = fake(tmp_path, READY % answer)

    with pytest.raises(LeanProcessDied):
        asyncio.run(asked(where, "ping"))


@pytest.mark.long
def test_a_process_that_stands_still_is_replaced_long_before_its_request_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with LeanPool(1, limits=PoolLimits(silent_s=5.0)) as pool:
        state = pool.goal_start(STATEMENT)
        (pid,) = pool.pids()
        os.kill(pid, signal.SIGSTOP)
        began = time.monotonic()
        results = pool.goal_tactics([(state, "skip"), (state, "nonsense")])
        assert time.monotonic() - began < 25  # the limit of the request is 42 s
        assert isinstance(results[0], GoalState) and isinstance(results[1], TacticFailure)
        assert pool.pids() != [pid]
        assert not psutil.pid_exists(pid)
        assert f"Lean process {pid} stands still in `tactic`" in caplog.text


def test_a_request_is_late_by_its_own_limit(tmp_path: Path) -> None:
    """Lean's limits have no part in it: this process gives signs of life and never answers."""
    beats = "console.log(JSON.stringify({ready: true, beats: true})); setInterval(() => console.log('{}'), 20);"
    where = fake(tmp_path, beats + "process.stdin.on('data', () => {});")

    async def run() -> None:
        process = await LeanProcess.start(where)
        try:
            with pytest.raises(LeanTimeout, match="`ping` had no answer in time"):
                await asyncio.wait_for(process.request("ping", timeout_s=0.2), 10)
            assert not process.alive
        finally:
            await process.kill()

    asyncio.run(run())


def test_a_process_that_gives_signs_of_life_may_take_its_time(tmp_path: Path) -> None:
    beats = "console.log(JSON.stringify({ready: true, beats: true})); setInterval(() => console.log('{}'), 100);"
    where = fake(tmp_path, beats + "process.stdin.on('data', () => setTimeout(() => console.log('{\"id\":0}'), 2000));")
    assert asyncio.run(asked(where, "ping", {"silent_s": 0.5})) == {"id": 0}


@pytest.mark.long
def test_a_process_whose_threads_all_sleep_ends_itself(impatient_lean: Installation) -> None:
    text = "import Init\n#eval IO.sleep 1000000"
    sleeping = asked(impatient_lean, "open", file="A", module=["A"], text=text)
    with pytest.raises(LeanProcessDied, match="nothing has worked on a request for 5 s"):
        asyncio.run(sleeping)


def test_a_request_that_is_cancelled_before_lean_has_read_it_is_stopped() -> None:
    async def run() -> bool:
        process = await LeanProcess.start(install())
        try:
            (start,) = (await process.request("start", timeout_s=60, items=[{"expr": STATEMENT}]))["items"]
            item = {"state": start["state"], "tactic": "intro a b c h k\n" + SLOW, "limit": 60_000}
            long = process.request("tactic", timeout_s=60, items=[item] * 30, padding="x" * 8_000_000)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(long, 0.3)
            return process.alive
        finally:
            await process.kill()

    assert asyncio.run(run())


def test_a_process_that_goes_on_with_what_was_cancelled_twice_is_killed() -> None:
    async def run() -> bool:
        process = await LeanProcess.start(install())
        try:
            text = "import Init\n#eval IO.sleep 100000"
            deaf = asyncio.ensure_future(process.request("open", timeout_s=60, file="A", module=["A"], text=text))
            for _ in range(2):
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(deaf), 0.2)
                deaf.cancel()
            with pytest.raises(asyncio.CancelledError):
                await deaf
            return process.alive
        finally:
            await process.kill()

    assert not asyncio.run(run())


def test_a_folder_in_the_place_of_a_compiled_module_is_an_error_of_its_request() -> None:
    program = '#eval IO.FS.createDirAll "/out/A.olean"\n'
    answer = asyncio.run(asked(install(), "trace", file="A", module=["A"], text=program, olean="/out/A.olean"))
    assert "Is a directory" in str(answer["error"])


def test_a_line_without_end_is_a_death(tmp_path: Path) -> None:
    where = fake(tmp_path, READY % "setInterval(() => process.stdout.write('x'.repeat(1000)), 0);")
    with pytest.raises(LeanProcessDied):
        asyncio.run(asked(where, "ping", {"line_limit": 1_000_000}))


def test_an_answer_in_pieces_is_one_answer(tmp_path: Path) -> None:
    where = fake(
        tmp_path,
        READY % "process.stdout.write('{\"id\":0,'); setTimeout(() => process.stdout.write('\"ok\":true}\\n'), 200);",
    )
    assert asyncio.run(asked(where, "ping")) == {"id": 0, "ok": True}


def test_another_event_loop() -> None:
    """Ray's actors run on uvloop where it is installed, as vLLM does; its transports derive from none of asyncio's."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(asked(install(), "stats"))["states"] == 0


@pytest.mark.long
def test_the_cache_is_deleted_while_a_process_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = install()
    lean, agent = tmp_path / "lean", tmp_path / "agent"

    def installed_again() -> Installation:
        if not agent.exists():
            shutil.copytree(real.agent, agent)
            lean.mkdir()
            for part in real.lean.iterdir():
                (lean / part.name).hardlink_to(part) if part.is_file() else shutil.copytree(
                    part, lean / part.name, copy_function=os.link
                )
        return Installation(node=real.node, host=real.host, lean=lean, agent=agent)

    monkeypatch.setattr(runtime_module, "install", installed_again)
    project = LeanProject(root=tmp_path / "root", build=tmp_path / "projects" / "p")
    project.root.mkdir()
    (project.root / "A.lean").write_text("theorem a : 1 = 1 := by rfl\n")
    (project.root / "B.lean").write_text("import A\ntheorem b : 1 = 1 := by exact a\n")
    with LeanPool(1) as pool:
        assert len(pool.trace_file(project, "A.lean").theorems) == 1
        (pid,) = pool.pids()
        for folder in (lean, agent, project.build.parent):
            shutil.rmtree(folder)
        state = pool.goal_start("1 = 1")  # what is loaded goes on
        assert pool.goal_tactic(state, "rfl").is_solved
        assert len(pool.trace_file(project, "A.lean").theorems) == 1  # its module is compiled anew
        os.kill(pid, signal.SIGKILL)
        assert len(pool.trace_file(project, "B.lean").theorems) == 1  # and Lean installed anew
        assert (project.build / "B.olean").is_file()
        assert pool.goal_tactic(state, "rfl").is_solved


def test_a_clock_that_jumps_changes_no_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deadlines are of a clock that only runs forward; the wall's may be set at any time."""
    with LeanPool(1) as pool:
        state = pool.goal_tactic(pool.goal_start(STATEMENT), "intro a b c h k")
        real = time.time
        for jump_s in (-10 * 86400.0, 10 * 86400.0):
            monkeypatch.setattr(time, "time", lambda jump_s=jump_s: real() + jump_s)
            (pid,) = pool.pids()
            assert pool.goal_tactic(state, "omega", timeout_s=20).is_solved
            assert pool.pids() == [pid]
    room = Path(pool_module.__file__).parent.parent
    asks = [
        p.name for p in room.rglob("*.py") if re.search(r"time\.time\(|datetime\.(now|today)|utcnow", p.read_text())
    ]
    assert asks == ["install.py"]  # which notes the day of the installation
    lean = "".join(p.read_text("utf-8") for p in room.rglob("*.lean"))
    assert "monoMsNow" in lean
    assert "getTime" not in lean


def test_a_module_that_cannot_be_kept_is_named(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("theorem a : 1 = 1 := by rfl\n")
    (tmp_path / "file").write_text("no folder")
    with LeanPool(1) as pool, pytest.raises(LeanError, match="Not a directory"):
        pool.trace_file(LeanProject(root=tmp_path, build=tmp_path / "file" / "build"), "A.lean")


def test_a_cancelled_request_leaves_the_pool_fit_for_the_next() -> None:
    others = lean_children()
    with LeanPool(1) as pool:
        state = pool.goal_tactic(pool.goal_start(STATEMENT), "intro a b c h k")
        pids = pool.pids()

        async def impatient() -> None:
            slow = [(state, SLOW + " " * i) for i in range(40)]
            await asyncio.wait_for(pool.goal_tactics_async(slow), 0.2)

        with pytest.raises(TimeoutError):
            asyncio.run(impatient())
        assert pool.goal_tactic(state, "omega").is_solved
        assert pool.pids() == pids, "Lean stopped when it was told to"
    assert lean_children() == others


UNCHECKED = """import Lean.Elab.Tactic
open Lean Elab Tactic Meta
/-- Closes the goal with a proof that only the kernel looks at. -/
elab "only_the_kernel" : tactic => do
  let goal ← getMainGoal
  let type ← goal.getType
  let found ← synthInstance (← mkAppM ``Decidable #[type])
  goal.assign (mkApp3 (mkConst ``of_decide_eq_true) type found (← mkEqRefl (mkConst ``true)))
theorem heavy : (List.range 3000000).foldl (fun a b => (a * 31 + b) % 1000003) 0 = 1 := by
  sorry
"""


def test_a_kernel_that_is_stopped_is_late_and_refuses_nothing(tmp_path: Path) -> None:
    (tmp_path / "Heavy.lean").write_text(UNCHECKED, encoding="utf-8")
    site = TheoremSite(LeanProject(root=tmp_path, build=tmp_path / "build"), "Heavy.lean", "heavy")
    with LeanPool(1, limits=PoolLimits(tactic_timeout_s=1.0)) as lean:
        with pytest.raises(TacticFailure) as failed:
            lean.goal_tactic(lean.goal_start(site), "only_the_kernel")
        assert failed.value.kind == "timeout"
