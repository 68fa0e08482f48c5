"""Small Lean projects on disk and in git, made by the test that needs them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

WriteProject = Callable[[Path, Mapping[str, str]], Path]
Git = Callable[..., str]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache, for this test alone, in a folder with a space and letters beyond ASCII."""
    folder = tmp_path / "cache ∀ü"
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(folder))
    return folder


@pytest.fixture
def write_project() -> WriteProject:
    def write(folder: Path, files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Git:
    """``git(folder, "commit", …)``, without the user's own configuration."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "no-gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(tmp_path / "no-gitconfig"))

    def run(folder: Path, *arguments: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        command = ["git", "-C", str(folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    return run


@pytest.fixture
def upstream(tmp_path: Path, write_project: WriteProject, git: Git) -> Path:
    """A repository with two commits on ``main``, the first one tagged ``v1`` (annotated)."""
    folder = write_project(tmp_path / "up stream é", {"lakefile.toml": 'name = "demo"\n', "A.lean": "-- one\n"})
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "one")
    git(folder, "tag", "-a", "v1", "-m", "one")
    write_project(folder, {"A.lean": "-- two\n", "B/C.lean": "import A\n"})
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "two")
    return folder
