"""Lake packages and git submodules: fetched when asked for, and never otherwise."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.errors import RepositoryNotFound, TraceError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanProject, TracedFile
from lean_agent.tracing import (
    Repository,
    clone,
    fetch_packages,
    lean_project,
    lean_projects,
    local_repository,
    missing_packages,
    missing_submodules,
    trace_repository,
)
from lean_agent.tracing.project.packages import Package, read_manifest

Git = Callable[..., str]
Write = Callable[..., Path]


class Compiling(MockLeanServer):
    """Writes an empty module for every file, and remembers what the project was."""

    def __init__(self) -> None:
        super().__init__()
        self.projects: dict[str, LeanProject] = {}

    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        await asyncio.sleep(0)
        self.projects[file_path] = project
        compiled = project.build / project.compiled(file_path)
        compiled.parent.mkdir(parents=True, exist_ok=True)
        compiled.touch()
        return TracedFile(file_path, file_path.removesuffix(".lean").replace("/", "."), (), (), (), (), 0.0, 0.0)


@pytest.fixture
def package(tmp_path: Path, write_project: Write, git: Git) -> Callable[..., Path]:
    """``package(name, files)``: a git repository with one commit."""

    def make(name: str, files: dict[str, str]) -> Path:
        folder = write_project(tmp_path / "origins" / name, {"lakefile.toml": f'name = "{name}"\n', **files})
        git(folder, "init", "--quiet")
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "-m", "one")
        return folder

    return make


def trace_packages(repository: Repository, server: Compiling, database: DynamicDatabase) -> None:
    for package, paths in fetch_packages(repository, progress=False).needed:
        trace_repository(package, server, database=database, only=paths, progress=False)


def manifest(*packages: dict[str, Any]) -> str:
    return json.dumps({"version": "1.1.0", "packagesDir": ".lake/packages", "packages": packages, "name": "top"})


def pinned(folder: Path, git: Git, **more: Any) -> dict[str, Any]:
    rev = git(folder, "rev-parse", "HEAD")
    return {"url": str(folder), "type": "git", "subDir": None, "rev": rev, "name": folder.name, **more}


@pytest.fixture
def top(tmp_path: Path, write_project: Write, package: Callable[..., Path], git: Git) -> Repository:
    """A project that needs Sets, which needs Basics, and a package in a folder of its own."""
    basics = package("basics", {"Basics.lean": ""})
    sets = package("sets", {"Sets.lean": "import Basics\n", "Sets/More.lean": "import Sets\n"})
    entries = [
        pinned(sets, git),
        pinned(basics, git, inherited=True),
        {"type": "path", "dir": "libs/own", "name": "own"},
    ]
    files = {
        "lake-manifest.json": manifest(*entries),
        "Top.lean": "import Sets.More\nimport Own\n",
        "Alone.lean": "",
        "libs/own/lakefile.toml": 'name = "own"\n',
        "libs/own/Own.lean": "",
    }
    return local_repository(write_project(tmp_path / "top", files))


def test_packages_are_not_looked_at_unless_asked_for(top: Repository) -> None:
    result = trace_repository(top, Compiling(), progress=False)
    assert [file.path for file in result.files] == ["Alone.lean"]  # Own.lean is another project's
    assert [skipped.path for skipped in result.skipped] == ["Top.lean"]
    assert missing_packages(top) == ["sets", "basics", "own"]


def test_packages_are_traced_first_and_then_imported(top: Repository, tmp_path: Path, git: Git) -> None:
    server = Compiling()
    with DynamicDatabase(tmp_path / "db") as database:
        fetched = fetch_packages(top, progress=False)
        packages = [package for package, _ in fetched.needed]
        assert [package.name for package in packages] == ["basics", "own", "sets"]  # Sets imports Basics
        assert [sorted(paths) for _, paths in fetched.needed] == [
            ["Basics.lean"],
            ["libs/own/Own.lean"],
            ["Sets.lean", "Sets/More.lean"],
        ]
        trace_packages(top, server, database)
        result = trace_repository(top, server, database=database, progress=False)
        assert [file.path for file in result.files] == ["Alone.lean", "Top.lean"]  # Own is a package now
        assert result.skipped == ()
        assert missing_packages(top) == []
        stored = {repository.name: repository for repository in database.repositories()}
        assert set(stored) == {"basics", "own", "sets", "top"}
        assert stored["sets"].url == "local:sets"
        assert (stored["own"].url, stored["own"].folder) == (f"local:{top.path.name}#libs/own", "libs/own")
        assert [file.path for file in database.files(stored["own"])] == ["libs/own/Own.lean"]
        assert [file.path for file in database.files(stored["sets"])] == ["Sets.lean", "Sets/More.lean"]
        # who has a repository from the database finds the same modules again
        assert lean_project(stored["sets"]) == lean_project(packages[2])
        # Sets sees what was traced before it, Basics and Own; Basics was the first
        assert [len(server.projects[file].libraries) for file in ("Basics.lean", "Sets.lean", "Top.lean")] == [0, 2, 3]
        assert trace_repository(top, Compiling(), database=database, progress=False).reused == 2


def test_another_revision_of_a_package_traces_what_imports_it(
    top: Repository, tmp_path: Path, write_project: Write, git: Git
) -> None:
    with DynamicDatabase(tmp_path / "db") as database:
        trace_packages(top, Compiling(), database)
        trace_repository(top, Compiling(), database=database, progress=False)
        sets = tmp_path / "origins" / "sets"
        write_project(sets, {"Sets/More.lean": "import Sets\n-- changed\n"})
        git(sets, "commit", "--quiet", "-am", "two")
        listed = json.loads((top.path / "lake-manifest.json").read_text())
        listed["packages"][0] = pinned(sets, git)
        write_project(top.path, {"lake-manifest.json": json.dumps(listed)})
        again = Compiling()
        trace_packages(top, again, database)
        trace_repository(top, again, database=database, progress=False)
        assert "Top.lean" in again.projects
        assert "Alone.lean" not in again.projects


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no manifest that Lake writes"),
        ("[]", "no manifest that Lake writes"),
        (manifest({"type": "git", "name": "a"}), "no manifest that Lake writes"),
        (manifest({"type": "path", "dir": "../a", "name": "a"}), "lies outside its repository"),
        (manifest({"type": "path", "dir": "/a", "name": "a"}), "lies outside its repository"),
        (manifest({"type": "path", "dir": "a", "name": "../../a"}), "no name of a package"),
    ],
)
def test_a_manifest_that_cannot_be_used(tmp_path: Path, write_project: Write, text: str, words: str) -> None:
    repository = local_repository(write_project(tmp_path / "p", {"A.lean": "", "lake-manifest.json": text}))
    assert len(trace_repository(repository, Compiling(), progress=False).files) == 1  # packages were not asked for
    with pytest.raises(TraceError, match=words):
        fetch_packages(repository, progress=False)


@pytest.mark.parametrize(
    ("url", "rev", "words"),
    [
        ("u", "main", "does not pin a to a commit"),
        ("ext::sh -c id", "a" * 40, "there is no folder"),
        ("x://e.org/a", "a" * 40, "cannot be cloned"),
    ],
)
def test_a_package_that_cannot_be_had_is_named_and_the_rest_goes_on(
    tmp_path: Path, write_project: Write, package: Callable[..., Path], git: Git, *, url: str, rev: str, words: str
) -> None:
    good = package("good", {"Good.lean": ""})
    entries = [{"type": "git", "name": name, "url": url, "rev": rev} for name in "ab"]
    files = {"Top.lean": "import Good\n", "Bad.lean": "import A\n"}
    text = manifest(*entries, pinned(good, git))
    repository = local_repository(write_project(tmp_path / "p", {**files, "lake-manifest.json": text}))
    fetched = fetch_packages(repository, progress=False)
    assert [member.name for member, _ in fetched.needed] == ["good"]
    assert [name for name, _ in fetched.failed] == ["a", "b"]
    assert all(words.replace("pin a", f"pin {name}") in reason for name, reason in fetched.failed)
    with DynamicDatabase(tmp_path / "db") as database:
        trace_packages(repository, Compiling(), database)
        result = trace_repository(repository, Compiling(), database=database, progress=False)
    assert [file.path for file in result.summaries] == ["Top.lean"]
    assert [skipped.path for skipped in result.skipped] == ["Bad.lean"]


def test_of_a_package_only_what_is_imported_is_traced(
    tmp_path: Path, write_project: Write, package: Callable[..., Path], git: Git
) -> None:
    # 30 files: Big.N29 imports Big.N28 … imports Big.N0; the project needs N2 and so N1 and N0
    chain = {f"src/Big/N{n}.lean": f"import Big.N{n - 1}\n" if n else "" for n in range(30)}
    big = package("big", {**chain, "lakefile.toml": 'name = "big"\nsrcDir = "src"\n'})
    unused = package("unused", {"Unused.lean": ""})
    files = {"Top.lean": "import Big.N2\n", "lake-manifest.json": manifest(pinned(big, git), pinned(unused, git))}
    repository = local_repository(write_project(tmp_path / "p", files))
    server = Compiling()
    with DynamicDatabase(tmp_path / "db") as database:
        trace_packages(repository, server, database)
        result = trace_repository(repository, server, database=database, progress=False)
        assert result.skipped == ()
        stored = {
            repository.name: [file.path for file in database.files(repository)]
            for repository in database.repositories()
        }
    # the package that nothing imports is not even cloned
    assert stored == {"big": [f"src/Big/N{n}.lean" for n in range(3)], "p": ["Top.lean"]}


def test_a_project_beside_another_is_a_package_of_it(tmp_path: Path, write_project: Write, git: Git) -> None:
    """``docs`` needs ``..``, as the documentation of many a library does."""
    text = manifest({"type": "path", "dir": "..", "name": "top"})
    files = {
        "lakefile.toml": 'name = "top"\n',
        "Top.lean": "",
        "docs/lakefile.toml": 'name = "docs"\n',
        "docs/Docs.lean": "import Top\n",
        "docs/lake-manifest.json": text,
    }
    folder = write_project(tmp_path / "p", files)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    whole = local_repository(folder)
    top, docs = lean_projects(whole)
    assert [(project.url, project.name, project.commit) for project in (top, docs)] == [
        ("local:p", "p", whole.commit),
        ("local:p#docs", "p/docs", whole.commit),
    ]
    with DynamicDatabase(tmp_path / "db") as database:
        trace_packages(docs, Compiling(), database)
        result = trace_repository(docs, Compiling(), database=database, progress=False)
        assert ([file.path for file in result.files], result.skipped) == (["docs/Docs.lean"], ())
        assert {repository.url for repository in database.repositories()} == {top.url, docs.url}


def test_a_package_behind_a_link_out_of_the_project_is_refused(tmp_path: Path, write_project: Write) -> None:
    write_project(tmp_path / "secret", {"S.lean": ""})
    text = manifest({"type": "path", "dir": "inside", "name": "a"})
    folder = write_project(tmp_path / "p", {"A.lean": "import S", "lake-manifest.json": text})
    (folder / "inside").symlink_to(tmp_path / "secret", target_is_directory=True)
    ((name, reason),) = fetch_packages(local_repository(folder), progress=False).failed
    assert name == "a" and "leads out of its repository" in reason


@pytest.mark.parametrize("url", ["{}", "file://{}", "{}/../private"])
def test_a_repository_from_elsewhere_names_no_folder_of_this_machine_as_a_package(
    tmp_path: Path, write_project: Write, package: Callable[..., Path], git: Git, url: str
) -> None:
    private = package("private", {"Private.lean": ""})
    text = manifest(pinned(private, git, url=url.format(private)))
    folder = write_project(tmp_path / "top", {"A.lean": "import Private", "lake-manifest.json": text})
    clones = tmp_path / "clones"
    for remote in ("https://e.org/top", "git@e.org:top"):
        refused = fetch_packages(Repository(remote, "a" * 40, "top", folder), cache_dir=clones, progress=False)
        ((_, reason),) = refused.failed
        assert f"private of {remote} is to come from a folder of this machine" in reason
        assert refused.needed == ()
    assert not clones.exists()
    fetched = fetch_packages(local_repository(folder), cache_dir=clones, progress=False)  # one's own project may
    assert [package.name for package, _ in fetched.needed] == ["private"]


def test_older_manifests(tmp_path: Path, write_project: Write) -> None:
    entries = [
        {"git": {"url": "https://e.org/std", "subDir?": None, "rev": "a" * 40, "name": "std", "inherited": False}},
        {"path": {"name": "«my lib»", "dir": "./lib"}},
    ]
    text = json.dumps({"version": 5, "packagesDir": "lake-packages", "packages": entries})
    folder = write_project(tmp_path, {"lake-manifest.json": text})
    assert read_manifest(folder) == (
        Package("std", "https://e.org/std", "a" * 40, "."),
        Package("my lib", None, None, "lib"),
    )


@pytest.fixture
def with_submodule(package: Callable[..., Path], git: Git) -> Path:
    inner = package("inner", {"Inner.lean": "-- inner\n"})
    outer = package("outer", {"A.lean": ""})
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner), "libs/inner")
    git(outer, "commit", "--quiet", "-m", "with a submodule")
    return outer


def test_submodules_only_when_asked_for(with_submodule: Path) -> None:
    plain = clone(str(with_submodule), progress=False)
    assert missing_submodules(plain.path) == ("libs/inner",)
    full = clone(str(with_submodule), submodules=True, progress=False)
    assert full == plain and full.path != plain.path
    assert (full.path / "libs/inner/Inner.lean").read_text() == "-- inner\n"
    assert missing_submodules(full.path) == ()
    assert clone(str(with_submodule), plain.commit, submodules=True, progress=False).path == full.path
    assert clone(str(with_submodule), plain.commit, progress=False).path == plain.path


def test_a_submodule_that_is_gone_is_named(with_submodule: Path) -> None:
    inner = with_submodule.with_name("inner")
    inner.rename(inner.with_name("moved"))
    with pytest.raises(RepositoryNotFound, match=r"a submodule of .*outer could not be fetched"):
        clone(str(with_submodule), submodules=True, progress=False)
    assert clone(str(with_submodule), progress=False).path.is_dir()


def test_a_repository_from_elsewhere_names_no_folder_of_this_machine(
    with_submodule: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lean_agent.tracing.clones.is_local", lambda url: False)  # as if it came over the network
    with pytest.raises(RepositoryNotFound, match="transport 'file' not allowed"):
        clone(str(with_submodule), submodules=True, progress=False)


@pytest.mark.parametrize("setting", ["url", "update"])
def test_a_submodule_runs_no_program(with_submodule: Path, tmp_path: Path, git: Git, setting: str) -> None:
    marker = tmp_path / "it ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    program.chmod(0o755)
    value = f"ext::{program} %S" if setting == "url" else f"!{program}"
    git(with_submodule, "config", "-f", ".gitmodules", f"submodule.libs/inner.{setting}", value)
    git(with_submodule, "commit", "--quiet", "-am", "hostile")
    with pytest.raises(RepositoryNotFound, match="submodule"):
        clone(str(with_submodule), submodules=True, progress=False)
    assert not marker.exists()
