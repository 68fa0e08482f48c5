"""Ctrl-C in the first moments of the programs, while they import: one line and exit code 130, never a traceback."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

AGENT = [sys.executable, "-m", "lean_agent"]
GRPO = [sys.executable, "-c", "from lean_agent.cli.entry import grpo; grpo()"]
STARTED = 0.05  # seconds that Python takes to begin with us; before that it is Python's own affair


def interrupted(command: list[str], after_s: float, folder: Path) -> tuple[int, str]:
    """Exit code of a program that is interrupted, and what it has written."""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=60)[0]
    return process.returncode, output


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize(
    "after_s",
    [
        STARTED * step if step in (3, 12) else pytest.param(STARTED * step, marks=pytest.mark.long)
        for step in (1, 3, 6, 9, 12)
    ],
)
@pytest.mark.parametrize("command", [[*AGENT, "verify", "A.lean"], [*GRPO, "train", "a.jsonl", "--mock"]])
def test_ctrl_c_in_the_first_moments(tmp_path: Path, command: list[str], after_s: float) -> None:
    (tmp_path / "A.lean").write_text("theorem a : 1 = 1 := rfl\n")
    (tmp_path / "a.jsonl").write_text('{"name": "a", "statement": "theorem a : 1 = 1"}\n')
    code, output = interrupted(command, after_s, tmp_path)
    assert "lean_agent/cli" not in output, f"a traceback of ours: {output}"
    if "Traceback" not in output and code != -signal.SIGINT:  # Python itself was not up yet, or all was over
        assert code == 130 and output.splitlines()[-1].startswith("Interrupted."), output


IMPORTED = """
import os, signal, sys
sys.meta_path.insert(0, type("Finder", (), {{"find_spec": staticmethod(
    lambda name, *_: os.kill(os.getpid(), signal.SIGINT) if name == {first!r} else None
)}}))
sys.modules.pop({first!r}, None)
from lean_agent.cli.entry import {program}
{before_call}
{program}()
"""
KILL = "os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("program", ["agent", "grpo"])
@pytest.mark.parametrize(("first", "before_call"), [("lean_agent.cli.interrupts", ""), ("none", KILL)])
def test_ctrl_c_before_a_program_is_called_is_one_line(program: str, first: str, before_call: str) -> None:
    """In the imports of the module itself, and between them and the call, as the installed script has it."""
    text = IMPORTED.format(first=first, before_call=before_call, program=program)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.usefixtures("hears_ctrl_c")
def test_a_program_that_imports_the_commands_keeps_its_own_handler() -> None:
    text = (
        "import signal, sys, lean_agent.cli.main, lean_agent.cli.grpo, lean_agent.cli.program\n"
        "assert 'lean_agent.cli.entry' not in sys.modules\n"
        "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


SPAWNS = """
import multiprocessing, signal, sys
from lean_agent.cli.entry import agent

def hears():
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(hears(), pool.apply(hears))
"""


@pytest.mark.usefixtures("hears_ctrl_c")
def test_a_child_of_multiprocessing_keeps_its_own_handler(tmp_path: Path) -> None:
    """It runs the script that started the program once more."""
    (tmp_path / "script.py").write_text(SPAWNS)
    command = [sys.executable, str(tmp_path / "script.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "False True\n"), done.stderr


PROGRAM = """
import os, signal, sys, types
module = types.ModuleType("slow")
sys.argv = ["lean-agent", "--version"]
from lean_agent.cli import entry
loaded = entry.import_module
def slowly(name):
    {moment}
    return loaded(name)
entry.import_module = slowly
entry.{program}()
"""


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("program", ["agent", "grpo"])
def test_ctrl_c_while_a_program_imports_is_one_line(program: str) -> None:
    text = PROGRAM.format(moment="os.kill(os.getpid(), signal.SIGINT)", program=program)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


COMMAND = """
import importlib, sys, time, types
from lean_agent.cli import entry
commands = types.ModuleType("commands")
def app():
    import asyncio
    async def work():
        import fragile
    asyncio.run(work()) if {in_a_loop} else importlib.import_module("fragile")
    time.sleep(10)
    print("went on", flush=True)
commands.app = app
sys.modules["lean_agent.cli.main"] = commands
entry.agent()
"""
FRAGILE = """
import os, signal, time
try:
    for _ in range({times}):
        os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
    print("loaded", flush=True)
except BaseException:
    print("broken", flush=True)
"""


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize(
    ("times", "in_a_loop", "written"), [(1, False, ["loaded"]), (1, True, ["loaded"]), (2, False, [])]
)
def test_ctrl_c_while_a_command_imports_a_library_waits_for_it(
    tmp_path: Path, times: int, in_a_loop: bool, written: list[str]
) -> None:
    """numpy, interrupted in its import, once ended a training by a recursion without end."""
    (tmp_path / "fragile.py").write_text(FRAGILE.format(times=times))
    text = COMMAND.format(in_a_loop=in_a_loop)
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split(), done.stderr) == (130, written, "Interrupted.\n")


SWALLOWED = """
import os, signal, sys
from lean_agent.cli import entry
from lean_agent.cli.main import app
@app.command()
def swallow():
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt as error:
        raise ValueError("no schema") from None
sys.argv = ["lean-agent", "swallow"]
entry.agent()
"""


@pytest.mark.usefixtures("hears_ctrl_c")
def test_a_library_that_makes_another_error_of_it_changes_nothing() -> None:
    """As pydantic's compiled code does."""
    done = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_while_the_arguments_are_read_is_one_line() -> None:
    text = (
        "import sys; sys.argv = ['lean-agent', 'trace']\n"
        "from typer.core import TyperGroup\n"
        "def interrupted(*_, **__): raise KeyboardInterrupt\n"
        "TyperGroup.make_context = interrupted\n"
        "from lean_agent.cli.entry import agent; agent()\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.parametrize("program", ["agent", "grpo"])
def test_a_program_that_is_told_to_ignore_it_goes_on(program: str) -> None:
    """As `nohup` and a shell's background jobs are."""
    text = PROGRAM.format(moment="os.kill(os.getpid(), signal.SIGINT)", program=program)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
