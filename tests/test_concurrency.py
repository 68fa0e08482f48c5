"""Every program of docs/concurrency.md runs as it stands; what belongs to a process is refused in its children."""

from __future__ import annotations

import ast
import asyncio
import inspect
import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.errors import DatabaseError, LeanAgentError, LeanForkError, PolicyError
from lean_agent.lean.facade import LoopThread
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.endpoint import InferenceClient

DOCS = Path(__file__).resolve().parents[1] / "docs" / "concurrency.md"
PROGRAMS = dict(re.findall(r"^## (\w+).*?```python\n(.*?)```", DOCS.read_text("utf-8"), re.M | re.S))
LOADER = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.S)[-1]

# Newer Pythons warn of forks in a process with threads, which is what these tests are about.
forks = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


def run(program: str, folder: Path) -> list[str]:
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def in_child(work: Callable[[], object]) -> str:
    """Return what a forked child says: the error of ``work`` by name and words, or that there was none."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            words = f"no error: {work()!r}"
        except BaseException as error:
            words = f"{type(error).__name__}: {error}"
        os.write(write, words.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        words = answer.read()
    os.waitpid(child, 0)
    return words


def test_there_are_as_many_programs_as_are_run_here() -> None:
    assert list(PROGRAMS) == ["Jupyter", "asyncio", "Threads", "Processes"]
    assert DOCS.read_text("utf-8").count("```python") == len([*PROGRAMS, LOADER])


@pytest.mark.lean
def test_jupyter(capsys: pytest.CaptureFixture[str]) -> None:
    """Its cells are compiled like this, and run in a loop that runs already."""
    code = compile(PROGRAMS["Jupyter"], "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    async def cell() -> None:
        done = eval(code, {})
        if inspect.isawaitable(done):
            await done

    asyncio.run(cell())
    printed = capsys.readouterr().out
    assert printed.startswith("p q : Prop\nh : p ∧ q\n⊢ q ∧ p\n1 30 ")


@pytest.mark.lean
def test_asyncio(tmp_path: Path) -> None:
    tactics, checks = run(PROGRAMS["asyncio"], tmp_path)
    assert tactics.count("GoalState(") == 2 and "TacticFailure" in tactics
    assert checks == str([()] * 8)


@pytest.mark.lean
def test_threads(tmp_path: Path) -> None:
    assert run(PROGRAMS["Threads"], tmp_path) == ["20"]


@pytest.mark.lean
def test_processes(tmp_path: Path) -> None:
    refused, solved = run(PROGRAMS["Processes"], tmp_path)
    assert refused.startswith("this Lean pool belongs to process") and solved == "True"


@pytest.mark.lean
def test_a_data_loader(tmp_path: Path) -> None:
    assert run(LOADER, tmp_path) == ["[0, 1]"]


@forks
@pytest.mark.lean
def test_every_method_of_a_pool_is_refused_in_a_forked_child(lean: LeanPool, tmp_path: Path) -> None:
    state = lean.goal_start("1 = 1")
    project = LeanProject(tmp_path, tmp_path / "build")
    (tmp_path / "A.lean").write_text("theorem a : 1 = 1 := rfl\n")
    site = TheoremSite(project, "A.lean", "a")
    calls: list[Callable[[], object]] = [
        lambda: lean.goal_start("1 = 1"),
        lambda: lean.goal_starts(["1 = 1"]),
        lambda: lean.goal_tactic(state, "rfl"),
        lambda: lean.goal_tactics([(state, "rfl")]),
        lambda: lean.goal_splits([state]),
        lambda: lean.release([state]),
        lambda: lean.check("example := 1"),
        lambda: lean.trace_file(project, "A.lean"),
        lambda: lean.verify(site, "rfl"),
        lambda: asyncio.run(lean.goal_start_async("1 = 1")),
        lambda: asyncio.run(lean.check_async("example := 1")),
    ]
    for call in calls:
        assert in_child(call).startswith("LeanForkError: this Lean pool belongs to process"), inspect.getsource(call)
    pids = lean.pids()
    assert in_child(lean.close) == "no error: None"
    assert lean.goal_tactic(state, "rfl").is_solved and lean.pids() == pids


@forks
@pytest.mark.lean
def test_a_child_that_ends_like_any_program_leaves_the_parent_its_folders(tmp_path: Path) -> None:
    program = f"""
import os, sys
from pathlib import Path
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject
project = LeanProject(Path({str(tmp_path)!r}), Path({str(tmp_path / "build")!r}))
lean = LeanPool(1)
lean.trace_file(project, "A.lean")
shown = lean._workers[0].process._sandbox.path
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print(shown.exists(), len(lean.trace_file(project, "A.lean").theorems))
lean.close()
print(shown.exists())
"""
    (tmp_path / "A.lean").write_text("theorem a : 1 = 1 := rfl\n")
    assert run(program, tmp_path) == ["True 1", "False"]


@forks
def test_a_loop_is_refused_even_while_the_parent_holds_its_lock() -> None:
    async def nothing() -> None: ...

    loop = LoopThread("thread")
    with loop._door:
        words = in_child(lambda: loop.run(nothing()))
    assert words.startswith("LeanForkError: this thread belongs to process")
    assert loop.run(nothing()) is None
    loop.close(nothing())
    assert issubclass(LeanForkError, LeanAgentError)


@forks
def test_a_database_is_opened_again_in_a_child(tmp_path: Path) -> None:
    with DynamicDatabase(tmp_path / "a.sqlite") as database:
        with database._lock:
            words = in_child(database.repositories)
        assert words.startswith(f"{DatabaseError.__name__}: this database belongs to process")
        assert in_child(database.close) == "no error: None"
        assert in_child(lambda: DynamicDatabase(tmp_path / "a.sqlite").repositories()) == "no error: []"
        assert database.repositories() == []


@forks
def test_an_inference_client_is_made_again_in_a_child() -> None:
    with InferenceClient("http://127.0.0.1:9/v1", "model", max_retries=0) as client:
        words = in_child(lambda: client.complete(["⊢ True"], 1))
        assert words.startswith(f"{PolicyError.__name__}: this inference client belongs to process")
        assert in_child(client.close) == "no error: None"
    assert multiprocessing.active_children() == []
