"""A repository that wants to run programs, or to be given files that are not its own, when it is fetched and read."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.errors import NotALeanProject
from lean_agent.tracing import clone
from lean_agent.tracing.project.lakefile import Lakefile
from lean_agent.tracing.project.repository import local_repository
from lean_agent.tracing.project.sources import content_digest, lean_files, toolchain

Git = Callable[..., str]
SECRET = "the-secret-of-this-machine"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret.txt"
    file.write_text(SECRET)
    return file


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that exists as soon as a program of the repository has run."""
    return tmp_path / "ran"


def commit_all(folder: Path, git: Git) -> None:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")


def script(path: Path, marker: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{marker}'\ncat\n")
    path.chmod(0o755)


def test_links_out_of_the_repository_are_no_sources(tmp_path: Path, git: Git, secret: Path) -> None:
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "A.lean").write_text("theorem a : 1 = 1 := rfl\n")
    (folder / "Out.lean").symlink_to(secret)
    (folder / "Up.lean").symlink_to("../secret.txt")
    (folder / "Loop.lean").symlink_to("Loop.lean")
    (folder / "Config.lean").symlink_to(".git/config")
    (folder / "Inner.lean").symlink_to("A.lean")
    (folder / "Folder").symlink_to(tmp_path)
    (folder / "lean-toolchain").symlink_to(secret)
    (folder / "lakefile.toml").symlink_to(secret)
    commit_all(folder, git)
    for root in (folder, clone(str(folder), progress=False).path):
        assert lean_files(root) == ["A.lean", "Inner.lean"]
        assert toolchain(root) is None
        assert Lakefile.of(root).sources == (".",)
    before = content_digest(folder)
    secret.write_text("another secret")
    assert content_digest(folder) == before


def test_a_link_alone_makes_no_lean_project(tmp_path: Path, git: Git, secret: Path) -> None:
    folder = tmp_path / "links"
    folder.mkdir()
    (folder / "A.lean").symlink_to(secret)
    (folder / "lakefile.lean").symlink_to(secret)
    commit_all(folder, git)
    with pytest.raises(NotALeanProject):
        clone(str(folder), progress=False)


def test_submodules_are_not_fetched(tmp_path: Path, upstream: Path, git: Git, marker: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "O.lean").write_text("")
    commit_all(other, git)
    git(upstream, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    modules = upstream / ".gitmodules"
    modules.write_text(modules.read_text() + f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch% {marker}"\n')
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "--message", "submodules")
    found = clone(str(upstream), progress=False)
    assert not (found.path / "sub" / "O.lean").exists()
    assert (found.path / "A.lean").is_file()
    assert not marker.exists()


def test_programs_in_the_source_repository_do_not_run(upstream: Path, git: Git, marker: Path) -> None:
    """A path is cloned by a git that runs in that very repository, whose settings and hooks are its owner's."""
    hooks = upstream / ".git" / "hooks"
    for name in ("post-checkout", "pre-receive", "post-upload-pack", "reference-transaction", "post-index-change"):
        script(hooks / name, marker)
    program = upstream / ".git" / "program"
    script(program, marker)
    for setting in ("uploadpack.packObjectsHook", "core.fsmonitor", "core.sshCommand", "core.alternateRefsCommand"):
        git(upstream, "config", setting, str(program))
    (upstream / ".gitattributes").write_text("* filter=run\n")
    git(upstream, "add", "--all")
    git(upstream, "commit", "--quiet", "--message", "attributes")
    git(upstream, "config", "filter.run.smudge", str(program))
    marker.unlink(missing_ok=True)
    assert (clone(str(upstream), progress=False).path / "A.lean").is_file()
    assert (clone(upstream.as_uri().replace("%20", " ").replace("%C3%A9", "é"), "v1", progress=False).path).is_dir()
    assert not marker.exists()


@pytest.mark.parametrize("setting", ["core.fsmonitor", "filter.run.clean", "include.path", "core.hooksPath"])
def test_the_settings_of_an_unpacked_folder_run_nothing(upstream: Path, git: Git, marker: Path, setting: str) -> None:
    program = upstream / ".git" / "program"
    script(program, marker)
    script(upstream / ".git" / "hooks" / "post-index-change", marker)
    (upstream / ".git" / "info").mkdir(exist_ok=True)
    (upstream / ".git" / "info" / "attributes").write_text("* filter=run\n")
    more = upstream / ".git" / "more"
    more.write_text(f"[core]\n\tfsmonitor = {program}\n")
    value = {"include.path": str(more), "core.hooksPath": str(upstream / ".git" / "hooks")}.get(setting, str(program))
    git(upstream, "config", setting, value)
    (upstream / "A.lean").touch()  # git compares its content
    found = local_repository(upstream)
    assert not marker.exists()
    assert found.commit.startswith("local-")
    if setting in {"core.fsmonitor", "filter.run.clean"}:  # the trap works where it is sprung
        subprocess.run(["git", "-C", str(upstream), "status"], check=False, capture_output=True)
        assert marker.exists()


def test_an_ordinary_folder_is_known_by_its_commit(upstream: Path, git: Git) -> None:
    assert local_repository(upstream).commit == git(upstream, "rev-parse", "HEAD")
