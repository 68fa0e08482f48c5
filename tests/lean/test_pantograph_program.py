"""A program that should speak the line protocol, and does not; without Lean."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded.doctor import _pantograph
from lean_agent.lean.embedded.install import LEAN_VERSION
from lean_agent.lean.pantograph import Server, ServerError, get_version
from lean_agent.lean.pantograph.transport import REPL_VARIABLE, find_pantograph

COUNTER = """
import json, sys
print("ready.", flush=True)
made = 0
for line in sys.stdin:
    cmd, _, rest = line.partition(" ")
    fields = json.loads(rest)
    goal = {"name": "g", "fragment": "tactic", "target": {"pp": "?"}, "vars": []}
    if cmd == "goal.start":
        goal["target"]["pp"] = shown = fields["expr"]
        answer, made = {"stateId": made, "root": "g"}, made + 1
    elif cmd == "goal.print":
        goal["target"]["pp"] = shown
        answer = {"goals": [goal], "rootHasMVar": True, "rootHasSorry": False}
    elif fields.get("tactic") == "die":
        print("out of ideas", file=sys.stderr, flush=True)
        sys.exit(3)
    else:
        answer = {}
    print(json.dumps(answer), flush=True)
"""


@contextmanager
def program(tmp_path: Path, text: str, *, timeout: float = 60, shell: str = "") -> Iterator[Server]:
    """A server over a Python program; ``shell`` wraps it, with ``$0`` and ``$1`` for its command."""
    (tmp_path / "program.py").write_text(text)
    command = [sys.executable, str(tmp_path / "program.py")]
    with Server(imports=[], timeout=timeout, repl=["/bin/sh", "-c", shell, *command] if shell else command) as server:
        yield server


def stand_in(folder: Path) -> Path:
    """A `pantograph-repl` of a folder, which says where it is as the answer to everything."""
    folder.mkdir()
    (folder / "pantograph-repl").write_text(
        '#!/bin/sh\necho ready.\nwhile read -r line; do echo "{\\"me\\": \\"$0\\", \\"given\\": \\"$*\\"}"; done\n'
    )
    (folder / "pantograph-repl").chmod(0o755)
    return folder / "pantograph-repl"


def test_a_native_pantograph_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REPL_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(LeanInstallError, match="neither on PATH nor in an installed PyPantograph"):
        Server(repl="native")
    assert _pantograph().good is None

    packaged = stand_in(tmp_path / "pantograph")
    importlib.invalidate_caches()
    with pytest.raises(LeanInstallError, match="neither on PATH"):  # a folder of that name is no package
        find_pantograph()
    (tmp_path / "pantograph" / "__init__.py").write_text("raise ImportError('must not run')")
    importlib.invalidate_caches()
    assert find_pantograph() == packaged
    on_path = stand_in(tmp_path / "path")
    assert find_pantograph() == on_path
    said = stand_in(tmp_path / "said")
    monkeypatch.setenv(REPL_VARIABLE, str(said.parent))
    assert find_pantograph() == said
    finding = _pantograph()
    assert finding.good and str(said) in finding.text
    with Server(repl="native", core_options=["pp.all=true"]) as server:
        assert server.run("stat", {}) == {"me": str(said), "given": "Init --pp.all=true"}
    given = stand_in(tmp_path / "given")
    for path in (given, str(given), given.parent):
        with Server(repl=path) as server:
            assert server.run("stat", {})["me"] == str(given)
    for missing in (tmp_path / "nowhere", tmp_path / "pantograph" / "__init__.py"):
        with pytest.raises(LeanInstallError, match="there is no program `pantograph-repl` at"):
            Server(repl=missing)
    monkeypatch.setenv(REPL_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(LeanInstallError, match="nowhere"):  # and not the one on PATH
        Server(repl="native")


def test_the_version_is_that_of_the_command() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "lean_agent", "pantograph-repl", "--version"], capture_output=True, text=True, check=True
    )
    assert told.stdout == get_version() + "\n"
    assert get_version() == f"0.3.15 (embedded Lean {LEAN_VERSION})"


def test_every_method_that_asks_lean_has_an_asynchronous_twin() -> None:
    methods = {name: method for name, method in inspect.getmembers(Server, inspect.isfunction) if name[0] != "_"}
    twins = {name for name in methods if name.endswith("_async")}
    plain = methods.keys() - twins - {"close", "is_automatic"}  # these ask nobody
    assert {f"{name}_async" for name in plain} == twins
    assert len(plain) > 25
    for name in plain:
        twin = methods[f"{name}_async"]
        assert inspect.iscoroutinefunction(twin) and not inspect.iscoroutinefunction(methods[name]), name
        assert inspect.unwrap(methods[name]) is twin, name  # the one code, and so the one signature
        assert methods[name].__name__ == name


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(ServerError) as caught:
        act()
    return str(caught.value)


def ends(pid: int) -> bool:
    """Whether a process that was killed is gone, at once or soon."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
    return False


def test_what_a_wrapper_started_ends_with_it(tmp_path: Path) -> None:
    busy = f"import os\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
    busy += "print('ready.', flush=True)\ninput()\nwhile True: pass"
    with program(tmp_path, busy, timeout=0.5, shell='"$0" "$1"; true') as server:
        assert "within 0 s" in refused(lambda: server.run("stat", {}))
        assert ends(int((tmp_path / "pid").read_text()))


def test_a_program_that_does_not_listen_is_late(tmp_path: Path) -> None:
    deaf = "import time\nprint('ready.', flush=True)\ntime.sleep(60)"
    with program(tmp_path, deaf, timeout=0.5) as server:
        assert "stopped" in refused(lambda: server.run("frontend.process", {"file": "x" * 4_000_000}))


def test_a_start_that_nobody_waits_for_leaves_nothing(tmp_path: Path) -> None:
    slow = f"import os\nopen({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
    slow += f"while not os.path.exists({str(tmp_path / 'go')!r}): pass\n" + COUNTER

    async def play(server: Server) -> dict[str, object]:
        task = asyncio.ensure_future(server.run_async("stat", {}))
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        (tmp_path / "go").touch()
        return await server.run_async("goal.start", {"expr": "A"})

    with program(tmp_path, slow) as server:
        assert asyncio.run(play(server)) == {"stateId": 0, "root": "g"}


def test_a_state_does_not_become_another_when_its_program_has_died(tmp_path: Path) -> None:
    with program(tmp_path, COUNTER) as server:
        old = [server.goal_start("A")]
        told = refused(lambda: server.goal_tactic(old[0], "die"))
        assert "Its last words: out of ideas" in told
        new = server.goal_start("B")
        assert (new.state_id, new.goals[0].target) == (old[0].state_id, "B")
        assert "State 0 is gone" in refused(lambda: server.goal_tactic(old[0], "intro"))
        assert "State 0 is gone" in refused(lambda: server.goal_continue(new, old[0]))
        old.clear()
        assert server.to_remove_goal_states == []  # its number is another state's by now


def test_text_that_cannot_be_sent_is_refused(tmp_path: Path) -> None:
    with program(tmp_path, COUNTER) as server:
        assert "surrogates" in refused(lambda: server.goal_start("\ud800"))
        assert server.goal_start("A").goals[0].target == "A"


def test_closing_ends_what_still_starts(tmp_path: Path) -> None:
    silent = f"import os, time\nos.mkfifo({str(tmp_path / 'born')!r})\ntime.sleep(60)"

    async def play() -> None:
        with program(tmp_path, silent) as server:
            task = asyncio.ensure_future(server.run_async("stat", {}))
            while not (tmp_path / "born").exists():
                await asyncio.sleep(0.01)
        with pytest.raises(ServerError, match="closed"):
            await task

    asyncio.run(play())
    assert not [p for p in psutil.Process(os.getpid()).children() if str(tmp_path) in " ".join(p.cmdline())]
