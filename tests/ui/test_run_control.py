"""Runs that go on: their state, the time that is left, stopping them and giving their command again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from lean_agent.folder_lock import COMMAND, HOLDER, holder, last_command, locked_folder
from lean_agent.lean.mock import MockLeanServer
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings
from lean_agent.service.ui.run_control import command_to_resume
from lean_agent.service.ui.run_files import parts_of, work_of
from lean_agent.service.ui.run_list import find_run, list_runs
from tests.ui.samples import TRAINING, make_runs

WORKER = """
import sys, time
sys.argv = ["lean-agent", "train", "--max-steps", "2"]
from lean_agent.folder_lock import locked_folder
with locked_folder(sys.argv.pop() and sys.orig_argv[-1], keeps_command=True):
    print("begun", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Run folders of this test alone."""
    return make_runs(tmp_path / "runs")


@pytest.fixture
def pages(runs: Path) -> Iterator[httpx.Client]:
    """A client of pages over them."""
    settings = ServiceSettings(port=0, database=runs / "none.sqlite", runs_dir=runs)
    with (
        serving(MockLeanServer(), settings) as address,
        httpx.Client(base_url=address, timeout=60, follow_redirects=True) as client,
    ):
        yield client


@pytest.fixture
def at_work(runs: Path, hears_ctrl_c: None) -> Iterator[subprocess.Popen[str]]:
    """A process that is at work in the training's folder."""
    command = [sys.executable, "-c", WORKER, str(runs / TRAINING)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "begun\n"
        yield process
        process.kill()


def until(holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
    end = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_run_under_way_is_stopped_like_by_ctrl_c(
    pages: httpx.Client, runs: Path, at_work: subprocess.Popen[str]
) -> None:
    page = pages.get("/run", params={"run": TRAINING}).text
    assert f"Process {at_work.pid}" in page and "/run/stop" in page and "/run/resume" not in page
    assert pages.post("/run/resume", data={"run": TRAINING}).status_code == 409
    assert pages.post("/run/stop", data={"run": TRAINING}).status_code == 200
    assert at_work.wait(60) != 0  # KeyboardInterrupt
    after = pages.get("/run", params={"run": TRAINING}).text
    assert "goes on where it was stopped" in after and "/run/resume" in after
    assert pages.post("/run/stop", data={"run": TRAINING}).status_code == 409


def test_a_stopped_run_is_taken_up_by_its_own_command(pages: httpx.Client, runs: Path) -> None:
    folder = runs / TRAINING
    note = {"program": "lean-agent", "arguments": ["train", "--no-such-option"], "folder": str(runs)}
    (folder / COMMAND).write_text(json.dumps(note), encoding="utf-8")
    assert pages.post("/run/resume", data={"run": TRAINING}).status_code == 200
    until(lambda: "No such option" in (folder / "resumed.log").read_text(encoding="utf-8"))
    until(lambda: "No such option" in pages.get("/run", params={"run": TRAINING}).text)


@pytest.mark.parametrize(
    ("program", "arguments", "expected"),
    [
        ("lean-agent", ["demo", "--fresh"], ["demo"]),  # a fresh start would be another run
        ("lean-grpo", ["train", "t.jsonl"], ["train-attempts", "t.jsonl"]),
        ("lean-agent", ["evaluate", "sorries"], ["evaluate", "sorries", "--output", "{run}"]),
        ("lean-agent", ["evaluate", "sorries", "--output", "x"], ["evaluate", "sorries", "--output", "x"]),
        ("lean-agent", ["prove", "A.lean"], None),  # begins anew
        ("lean-agent", ["db", "remove", "lists", "--yes"], None),
        ("lean-agent", [], None),
    ],
)
def test_only_commands_that_go_on_are_given_again(
    program: str, arguments: list[str], expected: list[str] | None, runs: Path
) -> None:
    note = {"program": program, "arguments": arguments, "folder": str(runs)}
    (runs / TRAINING / COMMAND).write_text(json.dumps(note), encoding="utf-8")
    run = find_run(runs, TRAINING)
    wanted = None if expected is None else [word.format(run=run.path) for word in expected]
    assert command_to_resume(run) == wanted


def test_a_lock_says_who_holds_it_and_keeps_the_command(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with locked_folder(folder, keeps_command=True):
        known = holder(folder)
        assert known is not None and known.is_here
        (folder / "work").touch()
    assert holder(folder) is None
    kept = last_command(folder)
    assert kept is not None and kept.arguments == tuple(sys.argv[1:]) and kept.folder == Path.cwd()
    stale = {"process": 2**22 + 1, "machine": known.machine, "command": "c", "since": known.since}
    (folder / HOLDER).write_text(json.dumps(stale), encoding="utf-8")
    assert holder(folder) is None  # a killed process left it
    with locked_folder(tmp_path / "empty", keeps_command=True):
        pass
    assert not (tmp_path / "empty").exists()  # nothing was written there


def test_the_time_that_is_left(runs: Path) -> None:
    run = find_run(runs, TRAINING)
    (work,) = work_of(run, parts_of(run))
    # epoch 1 of 2 after 3 s (from step 1 to step 4): as much is left
    assert (work.share, work.left_s, work.words) == (0.5, 3.0, "epoch 1.00 of 2")


def test_the_newest_run_stands_first(runs: Path) -> None:
    later = time.time() + 100
    os.utime(runs / TRAINING / "metrics.jsonl", (later, later))
    assert list_runs(runs)[0].name == TRAINING
    assert list_runs(runs / "none") == []


def test_a_page_is_told_when_its_run_changes(pages: httpx.Client, runs: Path) -> None:
    """And a stream that is asked for again begins with what is the case now, so a tab that slept misses nothing."""
    marks = []
    for _ in range(2):
        with pages.stream("GET", "/run/events", params={"run": TRAINING}) as events:
            lines = events.iter_lines()
            marks.append(next(line for line in lines if line.startswith("data:")))
            with (runs / TRAINING / "metrics.jsonl").open("a", encoding="utf-8") as file:
                file.write("\n")
            marks.append(next(line for line in lines if line.startswith("data:")))
    first, second, third, fourth = marks
    assert first != second == third != fourth


def test_a_page_is_told_of_a_process_that_was_killed(
    pages: httpx.Client, runs: Path, at_work: subprocess.Popen[str]
) -> None:
    """It has left every file as it was."""
    with pages.stream("GET", "/run/events", params={"run": TRAINING}) as events:
        lines = (line for line in events.iter_lines() if line.startswith("data:"))
        first = next(lines)
        at_work.kill()
        at_work.wait(60)
        assert next(lines) != first
    assert (runs / TRAINING / HOLDER).exists()
    assert find_run(runs, TRAINING).state == "stopped"
