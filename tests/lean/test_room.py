"""How many processes a pool starts: no more than the machine has memory for, and of a native Lean one to begin with."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lean_agent.errors import LeanCrashed
from lean_agent.lean.native.toolchain import NativeLean
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.pool.affinity import AffinityScheduler
from lean_agent.lean.pool.room import Room, available_mb, own_mb
from lean_agent.lean.process.process import LeanProcess, ServeCommand
from lean_agent.lean.process.runtime import NativeRuntime


class Machine:
    """Memory and time of a machine, as a test wants them."""

    def __init__(self, available: float, own: dict[int, float]) -> None:
        self.available, self.own, self.now, self.asked = available, own, 0.0, 0

    def free(self) -> float:
        self.asked += 1
        return self.available

    def room(self) -> Room:
        return Room(available=self.free, own=lambda pid: self.own[pid], clock=lambda: self.now)


def test_there_is_room_for_as_much_as_the_largest_takes_and_something_to_spare() -> None:
    machine = Machine(2000.0, {1: 800.0, 2: 1400.0})
    room = machine.room()
    assert room.check([1])  # 800 + 512 < 2000
    machine.now = 0.5
    assert room.check([1, 2]) and machine.asked == 1  # what was true a second before
    machine.now = 2.0
    machine.available = 1900.0
    assert not room.check([1, 2])  # 1400 + 512 = 1912
    machine.now = 4.0
    machine.available = 1920.0
    assert room.check([1, 2])


def test_what_a_process_takes_is_counted_with_its_children_and_without_files() -> None:
    """Of its own it has 200 MB; a mapped file of 100 MB is the machine's."""
    hold = "import sys; x = bytearray(200 << 20); print(len(x), flush=True); sys.stdin.read()"
    with subprocess.Popen(
        ["/bin/sh", "-c", f'{sys.executable} -c "{hold}"; true'], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as shell:
        assert shell.stdout is not None and shell.stdout.readline() == b"209715200\n"
        taken = own_mb(shell.pid)
        shell.communicate()
    assert 200 <= taken < 260
    assert own_mb(shell.pid) == 0
    assert available_mb() > 0


def pool_of(monkeypatch: pytest.MonkeyPatch, machine: Machine, *, workers: int = 3, native: bool) -> LeanPool:
    pool = LeanPool(workers, room=machine.room())
    if native:
        pool.runtime = NativeRuntime(NativeLean(Path("/l/lean"), None, "4.28.0", "/l"))
    return pool


class Process:
    """A process that runs, as far as a pool looks at it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    async def kill(self) -> None:
        """Nothing to end."""


@pytest.mark.parametrize("native", [False, True])
def test_the_first_of_a_native_lean_starts_alone(monkeypatch: pytest.MonkeyPatch, native: bool) -> None:
    machine = Machine(1e6, {os.getpid(): 500.0})
    with pool_of(monkeypatch, machine, native=native) as pool:
        workers: list[Any] = pool._workers
        begins = [worker.starting_s() for worker in workers]
        assert [seconds == float("inf") for seconds in begins] == [False, native, native]
        workers[0].process = Process(os.getpid())
        assert [worker.starting_s() < float("inf") for worker in workers] == [True] * 3


def test_where_memory_is_short_work_waits_for_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(900.0, {os.getpid(): 500.0})
    with pool_of(monkeypatch, machine, native=False) as pool:
        workers: list[Any] = pool._workers
        workers[1].process = Process(os.getpid())
        assert pool._soonest() is workers[1]
        assert pool._shared_out([None] * 1000) == [workers[1]] * 1000
        machine.available, machine.now = 1100.0, 5.0
        assert len(set(pool._shared_out([None] * 1000))) == 3


def test_what_waits_is_offered_again_when_there_is_room() -> None:
    async def run() -> list[str]:
        costs = {"b": float("inf")}
        scheduler = AffinityScheduler(["a", "b"], max_requests=9)
        places: list[str] = []

        async def work() -> None:
            async with scheduler.assigned("a", lambda worker: costs[worker]) as worker:
                places.append(worker)
                await asyncio.sleep(0.05)

        first, second = asyncio.ensure_future(work()), asyncio.ensure_future(work())
        await asyncio.sleep(0.01)
        assert places == ["a"]
        costs["b"] = 0.0
        scheduler.reconsider()
        await asyncio.sleep(0.01)
        await asyncio.gather(first, second)
        return places

    assert asyncio.run(run()) == ["a", "b"]


PROGRAM = """
import mmap, pathlib, sys
print('{"ready": true}', flush=True)
sys.stdin.readline()
ITS_MEMORY
print('{"id": 0, "took": ' + str(sum(taken[::4096])) + '}', flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Program:
    """A program in the place of a native Lean: what it does with memory at a request, it does before it answers."""

    memory: str
    name: str = "a program"

    def serve_command(self, sandbox: Path) -> ServeCommand:
        """Return Python, with the program."""
        return ServeCommand((sys.executable, "-c", PROGRAM.replace("ITS_MEMORY", self.memory)))


async def asked(program: Program, kill_resident_mb: float) -> dict[str, Any]:
    process = await LeanProcess.start(program, kill_resident_mb=kill_resident_mb, own_mb=own_mb)
    try:
        return await process.request("tactic", timeout_s=60)
    finally:
        await process.kill()


def test_a_native_process_that_grows_in_the_middle_of_a_request_is_ended() -> None:
    with pytest.raises(LeanCrashed, match=r"`tactic` had the Lean process take \d+ MB, more than the 150 MB") as raised:
        asyncio.run(asked(Program("taken = bytearray(300 << 20)\nsys.stdin.read()"), 150))
    assert raised.value.kind == "out_of_memory"


def test_pages_of_mapped_files_do_not_count_for_that_limit(tmp_path: Path) -> None:
    """300 MB, all read, while it takes its time over an answer."""
    file = tmp_path / "module.olean"
    with file.open("wb") as module:
        module.truncate(300 << 20)
    mapped = f"file = open({str(file)!r}, 'rb')\ntaken = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)"
    answer = asyncio.run(asked(Program(f"{mapped}\nsum(taken[::4096])\nimport time; time.sleep(5)"), 150))
    assert answer["took"] == 0
