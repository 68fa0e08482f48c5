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
from lean_agent.errors import ConfigError, LeanRequestError, LeanStartupError, RepositoryNotFound
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanProject, Position, TracedFile, TracedTheorem
from lean_agent.tracing import RepositoryEntry


class Server(MockLeanServer):
    """One open theorem in every file; a file named Fatal.lean shows that Lean does not run at all. Who has it trace
    Gone.lean has deleted the folder."""

    def __init__(self, *, compiles: bool = False) -> None:
        super().__init__()
        self.compiles = compiles

    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        if file_path == "Gone.lean":
            shutil.rmtree(project.root)
            raise LeanRequestError(f"there is no file Gone.lean in {project.root}")
        if file_path == "Fatal.lean":
            raise LeanStartupError("no node")
        if self.compiles:
            compiled = self.module_path(project, file_path)
            compiled.parent.mkdir(parents=True, exist_ok=True)
            compiled.touch()
        here = Position(1, 0)
        theorem = TracedTheorem("t", "theorem t : p", "by sorry", "tactic", True, "p", "p", 0, 9, here, here)
        return TracedFile(file_path, file_path.removesuffix(".lean"), (), (theorem,), (), (), 0.1, 0.1)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedAgent:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    return ScriptedAgent(lean=Server(), runs_dir=tmp_path / "runs", progress=False)


@pytest.fixture
def compiling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedAgent:
    """An agent whose server leaves the compiled module of every file that it traces."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    return ScriptedAgent(lean=Server(compiles=True), runs_dir=tmp_path / "runs", progress=False)


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


def lake_projects(folder: Path, *projects: str) -> Path:
    for name in projects:
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "lakefile.toml").write_text(f'name = "p"\nsrcDir = "{SRC}"\n')
        (folder / name / SRC).mkdir()
        (folder / name / SRC / "A.lean").write_text("")
        (folder / name / SRC / "B.lean").write_text("import A\n")
    return folder


SRC = "src"


def test_each_lake_project_of_a_repository_is_traced_as_one(agent: ScriptedAgent, tmp_path: Path) -> None:
    folder = lake_projects(tmp_path / "several", "easy", "hard/er")
    results = set_up_all(agent, [RepositoryEntry(str(folder))])
    traced = [result.traced.repository for result in results if result.traced]
    assert [(repository.name, repository.url, repository.path) for repository in traced] == [
        ("several/easy", "local:several#easy", folder),
        ("several/hard/er", "local:several#hard/er", folder),
    ]
    assert [result.place for result in results] == [f"{folder}#easy", f"{folder}#hard/er"]
    assert all(result.traced and result.traced.skipped == () for result in results)  # each has its own A
    theorems = agent.open_theorems()
    assert [theorem.file_path for theorem in theorems] == [
        f"{name}/src/{file}.lean" for name in ("easy", "hard/er") for file in "AB"
    ]
    assert all((folder / theorem.file_path).is_file() for theorem in theorems)
    assert [theorem.site.project.module(theorem.file_path) for theorem in theorems] == [("A",), ("B",)] * 2
    assert len({theorem.site.project.build for theorem in theorems}) == 2


def test_a_package_in_another_folder_needs_no_option(compiling: ScriptedAgent, tmp_path: Path) -> None:
    folder = lake_projects(tmp_path / "several", "lib", "docs")
    package = {"type": "path", "name": "lib", "dir": "../lib"}
    (folder / "docs" / "lake-manifest.json").write_text(json.dumps({"version": "1.1.0", "packages": [package]}))
    (folder / "lib" / SRC / "Lib.lean").write_text("")
    (folder / "docs" / SRC / "A.lean").write_text("import Lib\n")
    results = set_up_all(compiling, [RepositoryEntry(str(folder))])
    assert [(result.traced.repository.name, result.traced.skipped) for result in results if result.traced] == [
        ("several/docs", ()),
        ("several/lib", ()),
    ]


@pytest.mark.parametrize("place", ["{}#hard/er", "{}#./hard/../hard/er/"])
def test_one_lake_project_by_its_address(agent: ScriptedAgent, tmp_path: Path, place: str) -> None:
    folder = lake_projects(tmp_path / "several", "easy", "hard/er")
    traced = agent.setup_repository(place.format(folder))
    assert [repository.repository.name for repository in agent.repositories] == ["several/hard/er"]
    (again,) = agent.projects(str(folder), subfolders=["hard/er"])
    assert again == traced.repository
    for wrong in (f"{folder}#nowhere", f"{folder}#../other", f"{folder}#/etc"):
        with pytest.raises(RepositoryNotFound, match=r"has no folder nowhere|no folder of a repository"):
            agent.setup_repository(wrong)


def test_a_path_with_a_hash_is_a_path(agent: ScriptedAgent, tmp_path: Path) -> None:
    folder = lake_projects(tmp_path / "c#", "")
    traced = agent.setup_repository(str(folder))
    assert (traced.repository.url, traced.repository.folder, traced.repository.address) == (
        "local:c#",
        "",
        "local:c#",
    )
    assert traced.repository.place == str(folder)
    (stored,) = agent.database.repositories()
    assert stored.project_path == folder


def test_an_agent_proves_what_is_named(agent: ScriptedAgent, tmp_path: Path) -> None:
    agent.setup_repository(project(tmp_path / "one", "A.lean", "B.lean", "C.lean"))
    stored = agent.open_theorems()
    assert [theorem.file_path for theorem in stored] == ["A.lean", "B.lean", "C.lean"]
    assert [result.theorem for result in agent.prove(theorems=[stored[2], "?"])] == [stored[2], *stored[:2]]
    with pytest.raises(ConfigError, match="called nothing"):
        agent.prove(theorems=["nothing"])


def test_nothing_new_is_one_line(compiling: ScriptedAgent, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = project(tmp_path / "one", "A.lean")
    (tmp_path / "one" / "B.lean").write_text("import Mathlib\n")
    for _ in range(2):
        compiling.setup_repository(place)
        printed = capsys.readouterr().out.splitlines()
    (line,) = printed
    assert line.startswith("one: 1 theorem in 1 file (1 of them stored before)")
    assert line.endswith("; 1 file not traced: `lean-agent db show one`")


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
    assert f"packages that were not traced: std; `lean-agent trace {place} --dependencies` traces" in printed
