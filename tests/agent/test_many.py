"""Many repositories in one call, over the mock server."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from lean_agent.agent.many import set_up_all
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.agent.tables import print_set_ups
from lean_agent.errors import LeanRequestError, LeanStartupError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanProject, Position, TracedFile, TracedTheorem
from lean_agent.tracing import RepositoryEntry


class Server(MockLeanServer):
    """One open theorem in every file; a file named Fatal.lean shows that Lean does not run at all. Who has it trace
    Gone.lean has deleted the folder."""

    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        if file_path == "Gone.lean":
            shutil.rmtree(project.root)
            raise LeanRequestError(f"there is no file Gone.lean in {project.root}")
        if file_path == "Fatal.lean":
            raise LeanStartupError("no node")
        here = Position(1, 0)
        theorem = TracedTheorem("t", "theorem t : p", "by sorry", "tactic", True, "p", "p", 0, 9, here, here)
        return TracedFile(file_path, file_path.removesuffix(".lean"), (), (theorem,), (), (), 0.1, 0.1)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedAgent:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    return ScriptedAgent(lean=Server(), runs_dir=tmp_path / "runs", progress=False)


def project(folder: Path, *files: str) -> str:
    folder.mkdir()
    for name in files:
        (folder / name).write_text("", encoding="utf-8")
    return str(folder)


def test_one_that_fails_does_not_stop_the_others(agent: ScriptedAgent, tmp_path: Path) -> None:
    entries = [
        RepositoryEntry(project(tmp_path / "one", "A.lean")),
        RepositoryEntry(str(tmp_path / "nowhere"), "main"),
        RepositoryEntry(project(tmp_path / "empty")),
        RepositoryEntry(project(tmp_path / "deleted", "A.lean", "Gone.lean")),
        RepositoryEntry(project(tmp_path / "two", "A.lean", "B.lean"), licence="MIT"),
    ]
    results = set_up_all(agent, entries)
    assert [result.traced is not None for result in results] == [True, False, False, False, True]
    assert [traced.repository.name for traced in agent.repositories] == ["one", "two"]
    console = Console(width=80, record=True)
    print_set_ups(console, results)
    lines = console.export_text().splitlines()
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines]
    shown = {row[0]: row[2:7] for row in rows if row}
    # files, skipped, theorems, open, errors
    assert shown == {"one": ["1", "0", "1", "1", "0"], "two": ["2", "0", "2", "2", "0"]}
    nowhere, empty, deleted = (line for line in lines if "failed:" in line)
    assert nowhere.startswith(f"{tmp_path / 'nowhere'}: failed: there is no folder")
    assert "neither a lakefile nor any .lean file" in empty
    assert deleted.startswith(f"{tmp_path / 'deleted'}: failed: {tmp_path / 'deleted'} was there when its trace began")
    assert lines[-1].startswith("Memory: at most")


def test_lean_that_does_not_run_stops_all(agent: ScriptedAgent, tmp_path: Path) -> None:
    entries = [RepositoryEntry(project(tmp_path / "one", "Fatal.lean")), RepositoryEntry(str(tmp_path))]
    with pytest.raises(LeanStartupError, match="no node"):
        set_up_all(agent, entries)


def test_what_is_missing_is_named_with_the_option_that_fetches_it(
    agent: ScriptedAgent, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = Path(project(tmp_path / "one", "A.lean"))
    package = {"type": "git", "url": "https://example.org/std", "rev": "a" * 40, "name": "std"}
    (place / "lake-manifest.json").write_text(json.dumps({"version": "1.1.0", "packages": [package]}))
    (place / ".gitmodules").write_text('[submodule "inner"]\n\tpath = libs/inner\n\turl = ../inner\n')
    agent.setup_repository(str(place))
    printed = capsys.readouterr().out
    assert "libs/inner: submodules that were not fetched; --submodules fetches them" in printed
    assert "std" not in printed  # no file was left out for it
    (place / "B.lean").write_text("import Std2.Logic\n")
    agent.setup_repository(str(place))
    printed = capsys.readouterr().out
    assert "B.lean:1: not traced: needs Std2, which is no part of the project" in printed
    assert "std: packages that were not traced; --dependencies traces them first" in printed
