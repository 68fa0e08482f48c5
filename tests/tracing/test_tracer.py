"""The schedule of a trace, over the mock server: who is traced when, what is skipped, what is stored."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.agent.tables import LONGEST_MESSAGE, trace_summary
from lean_agent.database import DynamicDatabase
from lean_agent.errors import DatabaseError, LeanError, LeanProcessDied, LeanRequestError, LeanStartupError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanMessage, LeanProject, Position, TracedFile, TracedTheorem
from lean_agent.tracing import (
    FileSummary,
    Repository,
    SkippedFile,
    clone,
    lean_project,
    local_repository,
    trace_repository,
)
from lean_agent.tracing.tracer import trace_repository_async

CHAIN = {
    "lean-toolchain": "leanprover/lean4:v4.28.0\n",
    "A.lean": "-- a\n",
    "B.lean": "import A\n",
    "C.lean": "import A\n",
    "D.lean": "import C\nimport B\n",
}


class TracingServer(MockLeanServer):
    """Answers every file with one theorem named after it, writes its compiled module, and remembers the order."""

    def __init__(self, failures: Mapping[str, LeanError] | None = None, delay_s: float = 0.0) -> None:
        super().__init__()
        self.events: list[str] = []
        self._failures = failures or {}
        self._delay_s = delay_s

    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        self.events.append(f"start {file_path}")
        await asyncio.sleep(self._delay_s)
        if file_path in self._failures:
            raise self._failures[file_path]
        compiled = project.build / project.compiled(file_path)
        compiled.parent.mkdir(parents=True, exist_ok=True)
        compiled.touch()
        self.events.append(f"end {file_path}")
        return traced(file_path)

    @property
    def traced(self) -> list[str]:
        return sorted(event.removeprefix("end ") for event in self.events if event.startswith("end "))


def traced(path: str) -> TracedFile:
    name, here = path.removesuffix(".lean"), Position(1, 0)
    theorem = TracedTheorem(name, f"theorem {name}", "by x", "tactic", False, "p", name, 0, 9, here, here)
    error = LeanMessage("error", "unknown identifier", Position(2, 4))
    return TracedFile(path, name, ("Init",), (theorem,), (), (error,), 0.1, 0.1)


@pytest.fixture
def repository(tmp_path: Path, write_project: Callable[..., Path]) -> Repository:
    return local_repository(write_project(tmp_path / "project", CHAIN))


def test_files_go_in_import_order_and_side_by_side(repository: Repository) -> None:
    server = TracingServer(delay_s=0.01)
    result = trace_repository(repository, server, progress=False)
    a, bc, d = server.events[:2], server.events[2:6], server.events[6:]
    assert a == ["start A.lean", "end A.lean"]
    assert set(bc[:2]) == {"start B.lean", "start C.lean"}  # both run before either ends
    assert d == ["start D.lean", "end D.lean"]
    assert [file.path for file in result.files] == ["A.lean", "B.lean", "C.lean", "D.lean"]
    assert [theorem.full_name for theorem in result.theorems] == list("ABCD")
    assert [(path, message.text) for path, message in result.errors][:1] == [("A.lean", "unknown identifier")]
    assert result.toolchain == "leanprover/lean4:v4.28.0"
    assert result.seconds >= 0.03  # three layers of 0.01 s


def test_of_some_files_what_they_import_is_traced_and_nothing_else(
    tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    files = {**CHAIN, "Bad.lean": "import Nowhere\n", "Worse.lean": "import Bad\n"}
    repository = local_repository(write_project(tmp_path / "project", files))
    server = TracingServer()
    result = trace_repository(repository, server, only=["C.lean", "Worse.lean"], progress=False)
    assert server.traced == ["A.lean", "C.lean"]
    assert [file.path for file in result.files] == ["A.lean", "C.lean"]
    assert [skipped.path for skipped in result.skipped] == ["Worse.lean"]


def test_a_file_that_fails_is_reported_and_the_rest_goes_on(repository: Repository) -> None:
    server = TracingServer({"B.lean": LeanProcessDied("the Lean process ended twice on B.lean")})
    result = trace_repository(repository, server, progress=False)
    assert [file.path for file in result.files] == ["A.lean", "C.lean"]
    assert result.skipped == (
        SkippedFile("B.lean", 1, "the Lean process ended twice on B.lean"),
        SkippedFile("D.lean", 2, "imports B, which could not be traced"),
    )


def test_the_file_that_is_to_blame_is_named_far_above_it(
    repository: Repository, write_project: Callable[..., Path]
) -> None:
    write_project(repository.path, {"E.lean": "import D\n", "F.lean": "import A\nimport E\n"})
    server = TracingServer({"B.lean": LeanProcessDied("gone")})
    result = trace_repository(repository, server, progress=False)
    assert [(skipped.path, skipped.line, skipped.reason) for skipped in result.skipped] == [
        ("B.lean", 1, "gone"),
        ("D.lean", 2, "imports B, which could not be traced"),
        ("E.lean", 1, "imports D, which could not be traced; it needs B"),
        ("F.lean", 2, "imports E, which could not be traced; it needs B"),
    ]
    assert server.traced == ["A.lean", "C.lean"]


def test_a_module_that_this_lean_does_not_have_is_said_in_words(repository: Repository) -> None:
    (repository.path / "C.lean").write_text("import A\nimport Std.New\n")
    (repository.path / "lean-toolchain").write_text("leanprover/lean4:v4.99.0\n")
    words = "C.lean: object file '/lean/lib/lean/Std/New.olean' of module Std.New does not exist"
    server = TracingServer({"C.lean": LeanRequestError(words)})
    skipped, _ = trace_repository(repository, server, progress=False).skipped
    reason = (
        f"imports Std.New, which Lean {server.version} does not have; the project asks for leanprover/lean4:v4.99.0"
    )
    assert skipped == SkippedFile("C.lean", 2, reason)


def test_lean_that_does_not_run_is_an_error_of_its_own(repository: Repository) -> None:
    with pytest.raises(LeanStartupError, match="no node"):
        trace_repository(repository, TracingServer({"A.lean": LeanStartupError("no node")}), progress=False)


def test_the_second_run_traces_nothing(repository: Repository, tmp_path: Path) -> None:
    with DynamicDatabase(tmp_path / "db") as database:
        first = trace_repository(repository, TracingServer(), database=database, progress=False)
        server = TracingServer()
        second = trace_repository(repository, server, database=database, progress=False)
        assert {file.lean_version for file in second.files} == {server.version}
    assert server.events == []
    assert (first.reused, second.reused) == (0, 4)
    assert second.summaries == first.summaries
    assert second.skipped == first.skipped == ()


def test_with_a_database_files_are_read_when_they_are_asked_for(repository: Repository, tmp_path: Path) -> None:
    with DynamicDatabase(tmp_path / "db") as database:
        result = trace_repository(repository, TracingServer(), database=database, progress=False)
        alone = trace_repository(repository, TracingServer(), progress=False)
        assert len(result.files) == 4
        assert [file.path for file in result.files[1:3]] == ["B.lean", "C.lean"]
        assert list(result.files) == list(alone.files)
        assert result.theorems == alone.theorems
    with pytest.raises(DatabaseError):
        result.files[0]  # nothing was kept in memory


def test_counts_are_kept_of_every_file(repository: Repository) -> None:
    result = trace_repository(repository, TracingServer(), progress=False)
    error = LeanMessage("error", "unknown identifier", Position(2, 4))
    # one theorem without a hole and without tactics, one error, which speaks of something unknown, 0.1 s of elaboration
    # and 0.1 s of walking
    assert result.summaries[0] == FileSummary("A.lean", 1, 0, 0, 1, 1, error, 0.2)
    assert result.python_mb > 10


def test_a_change_is_traced_again_with_all_that_imports_it(repository: Repository, tmp_path: Path) -> None:
    with DynamicDatabase(tmp_path / "db") as database:
        trace_repository(repository, TracingServer(), database=database, progress=False)
        (repository.path / "B.lean").write_text("import A\n-- changed\n")
        server = TracingServer()
        trace_repository(repository, server, database=database, progress=False)
    assert server.traced == ["B.lean", "D.lean"]


def test_a_lost_compiled_module_is_made_again(repository: Repository, tmp_path: Path, cache: Path) -> None:
    with DynamicDatabase(tmp_path / "db") as database:
        trace_repository(repository, TracingServer(), database=database, progress=False)
        (lost,) = cache.rglob("C.olean")
        lost.unlink()
        server = TracingServer()
        trace_repository(repository, server, database=database, progress=False)
    assert server.traced == ["C.lean"]


def test_another_commit_traces_only_what_changed(
    upstream: Path, tmp_path: Path, write_project: Callable[..., Path], git: Callable[..., str]
) -> None:
    # first: A <- B/C and a file E of its own. second: E changes. third: A changes, and with it B/C.
    write_project(upstream, {"E.lean": "-- one\n"})
    git(upstream, "add", ".")
    git(upstream, "commit", "--quiet", "-m", "first")
    expected = {"E.lean": ["E.lean"], "A.lean": ["A.lean", "B/C.lean"]}
    with DynamicDatabase(tmp_path / "db") as database:
        first = clone(str(upstream), progress=False)
        trace_repository(first, TracingServer(), database=database, progress=False)
        for changed, traced_again in expected.items():
            write_project(upstream, {changed: "-- changed\n"})
            git(upstream, "commit", "--quiet", "-am", "change")
            later = clone(str(upstream), progress=False)
            server = TracingServer()
            result = trace_repository(later, server, database=database, progress=False)
            assert server.traced == traced_again
            assert result.reused == 3 - len(traced_again)
            assert [file.path for file in database.files(later)] == ["A.lean", "B/C.lean", "E.lean"]
            build = lean_project(later).build
            assert all((build / path).is_file() for path in ("A.olean", "B/C.olean", "E.olean"))
        # a module that was cleared away in all commits is made again
        for compiled in lean_project(first).build.parent.rglob("E.olean"):
            compiled.unlink()
        server = TracingServer()
        trace_repository(first, server, database=database, progress=False)
        assert server.traced == ["E.lean"]


def test_what_was_skipped_is_tried_again(repository: Repository, tmp_path: Path) -> None:
    with DynamicDatabase(tmp_path / "db") as database:
        failing = TracingServer({"C.lean": LeanProcessDied("gone")})
        trace_repository(repository, failing, database=database, progress=False)
        assert [skipped.path for skipped in database.skipped_files(repository)] == ["C.lean", "D.lean"]
        server = TracingServer()
        trace_repository(repository, server, database=database, progress=False)
        assert server.traced == ["C.lean", "D.lean"]
        assert database.skipped_files(repository) == []


def test_results_are_handed_over_one_by_one(repository: Repository, write_project: Callable[..., Path]) -> None:
    write_project(repository.path, {"M.lean": "import Mathlib\n"})
    seen: list[str] = []
    trace_repository(repository, TracingServer(), on_file=lambda result: seen.append(result.path), progress=False)
    assert seen[:2] == ["M.lean", "A.lean"]
    assert sorted(seen) == ["A.lean", "B.lean", "C.lean", "D.lean", "M.lean"]


def test_an_error_of_the_caller_ends_the_run(repository: Repository) -> None:
    def refuse(_: object) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        trace_repository(repository, TracingServer(), on_file=refuse, progress=False)


def test_it_runs_inside_an_event_loop_too(repository: Repository) -> None:
    async def notebook() -> tuple[int, int]:
        awaited = await trace_repository_async(repository, TracingServer(), progress=False)
        called = trace_repository(repository, TracingServer(), progress=False)
        return len(awaited.files), len(called.files)

    assert asyncio.run(notebook()) == (4, 4)


def test_a_repository_that_is_not_there_is_cloned(upstream: Path) -> None:
    known = clone(str(upstream), progress=False)
    light = replace(known, path=known.path.with_name("not there"))
    assert trace_repository(light, TracingServer(), progress=False).repository.path == known.path


def test_nothing_is_written_into_the_repository(repository: Repository, tmp_path: Path) -> None:
    def contents() -> dict[str, int]:
        return {str(path): path.stat().st_mtime_ns for path in repository.path.rglob("*")}

    before = contents()
    trace_repository(repository, TracingServer(), progress=False)
    assert contents() == before


def test_the_bar_shows_the_counts(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    trace_repository(repository, TracingServer())
    shown = capsys.readouterr().err
    assert "Tracing project" in shown
    assert "4/4" in shown
    words = " ".join(shown.split())
    assert "theorems 4" in words and "errors 4" in words


KILLED = """
import asyncio, sys
from pathlib import Path
from lean_agent.database import DynamicDatabase
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import TracedFile
from lean_agent.tracing import local_repository, trace_repository

class Hanging(MockLeanServer):
    async def trace_file_async(self, project, path):
        if path == "C.lean":
            print("in C", flush=True)
            await asyncio.sleep(60)
        return TracedFile(path, path[0], (), (), (), (), 0.0, 0.0)

trace_repository(local_repository(sys.argv[1]), Hanging(), database=DynamicDatabase(sys.argv[2]), progress=False)
"""


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_loses_only_the_file_in_flight(repository: Repository, tmp_path: Path, how: signal.Signals) -> None:
    path = tmp_path / "db"
    command = [sys.executable, "-c", KILLED, str(repository.path), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in C\n"
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with DynamicDatabase(path) as database:
                if len(list(database.files(repository))) == 2:
                    break
            time.sleep(0.05)
        process.send_signal(how)
        assert process.wait(timeout=20) != 0
    with DynamicDatabase(path) as database:
        assert [file.path for file in database.files(repository)] == ["A.lean", "B.lean"]


def test_what_was_left_out_makes_a_result_partial_and_the_build_s_errors_are_counted_apart(
    repository: Repository,
) -> None:
    result = trace_repository(repository, TracingServer(), progress=False)
    assert not result.is_partial and "bodies" not in trace_summary(result)
    first, *rest = result.summaries
    unread = replace(result, summaries=(replace(first, unread=1), *rest))
    assert unread.is_partial and "(5 theorems stated)" in trace_summary(unread)
    bodies = replace(result, summaries=(replace(first, hidden_bodies=1), *rest), toolchain="leanprover/lean4:v4.9.0")
    words = trace_summary(bodies)
    assert "1 of 4 errors: the library's bodies are not in this build" in words
    assert "that may be why it has 3 other errors" in words  # the fourth is no difference of version


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("unknown identifier `f`\n", "unknown identifier `f`"),
        ("unsolved goals\nn : Nat\n⊢ n = 0", "unsolved goals"),
        (
            "Application type mismatch: The argument\n  h\nhas type\n  p\nbut is expected to have type\n  q",
            "Application type mismatch: The argument h has type p but is expected to have type q",
        ),
        ("Function expected at\n  " + "f " * 160 + "\nbut this term has type\n  Nat", "Function expected at f f"),
    ],
)
def test_the_first_error_of_a_file_is_shown_as_far_as_it_says_something(
    repository: Repository, message: str, shown: str
) -> None:
    result = trace_repository(repository, TracingServer(), progress=False)
    first, *rest = result.summaries
    error = LeanMessage("error", message, Position(3, 0))
    words = trace_summary(replace(result, summaries=(replace(first, errors=1, first_error=error), *rest)))
    (line,) = (line.strip() for line in words.splitlines() if f"{first.path}:3: " in line)
    assert line.startswith(f"{first.path}:3: {shown}") and len(line) < 340
    assert line.endswith(" …" if len(message) > LONGEST_MESSAGE else shown)
