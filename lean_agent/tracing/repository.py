"""A Lean project at one commit, as a value; and the folders on this machine that are one.

It fetches nothing (:mod:`lean_agent.tracing.clones` does) and writes nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from lean_agent.cache import cache_dir
from lean_agent.errors import RepositoryNotFound, TraceError
from lean_agent.lean.types import LeanProject
from lean_agent.tracing.packages import Package, read_manifest
from lean_agent.tracing.sources import check_is_lean_project, content_digest, decisive_files, source_folder

WORKSPACE = "workspace.json"
BENCHMARK = "benchmark:"
RUNS_PROGRAMS = re.compile(r"filter\.|diff\.|include|core\.(fsmonitor|hookspath)|extensions\.worktreeconfig", re.I)


@dataclass(frozen=True, slots=True)
class Repository:
    """A Lean project at one commit. Two are equal when ``url`` and ``commit`` are.

    Attributes:
        url: where it came from, without credentials; for a local folder its absolute path.
        commit: full commit hash; ``local-`` and a hash of the content for a folder that is at no commit.
        name: for people: the last part of ``url``.
        path: the folder with its files, read and never written.
    """

    url: str
    commit: str
    name: str = field(compare=False)
    path: Path = field(compare=False)

    @property
    def is_benchmark(self) -> bool:
        """Whether it was made of somebody's statements to measure provers by."""
        return self.url.startswith(BENCHMARK)


def local_repository(path: str | os.PathLike[str]) -> Repository:
    """A folder on this machine, traced where it lies: the top of a git work tree, or any folder with Lean files.

    Its commit is git's when the folder is a clean work tree, else a hash of its Lean files, so that an edit makes
    another commit. A Lean file that git does not know, or was told to ignore, makes it no clean one.

    Raises:
        RepositoryNotFound: no such folder.
        NotALeanProject: neither a lakefile nor any ``.lean`` file.
    """
    folder = Path(path).expanduser().resolve()
    if not folder.is_dir():
        raise RepositoryNotFound(f"there is no folder {folder}; give the folder of a Lean 4 project")
    check_is_lean_project(folder, str(folder))
    commit = _clean_head(folder) or f"local-{content_digest(folder)[:16]}"
    return Repository(str(folder), commit, folder.name, folder)


setup_local_repository = local_repository


def lean_project(repository: Repository) -> LeanProject:
    """Where Lean finds the repository's modules, and the folder of ours where their compiled forms are kept.

    Paths of traced files are relative to ``root``, which is the repository's folder or its lakefile's ``srcDir``.
    ``libraries`` are those packages of its workspace that were traced before.
    """
    builds = [build_folder(member) for member in workspace(repository) if member != repository]
    libraries = tuple(build for build in builds if build.is_dir())
    return LeanProject(root=source_folder(repository.path), build=build_folder(repository), libraries=libraries)


def build_folder(repository: Repository) -> Path:
    """The folder of ours for the compiled modules of a repository at its commit, and in its workspace if it is a
    package of one."""
    place = f"\n{repository.path.parent.name}" if _is_member(repository) else ""
    key = hashlib.sha256(f"{repository.url}\n{repository.commit}{place}".encode()).hexdigest()[:16]
    return cache_dir() / "projects" / key


def workspace(repository: Repository) -> tuple[Repository, ...]:
    """The packages that the repository's Lake manifest names; for one of them, all packages beside it.

    Their paths are places in a folder of ours that :func:`lean_agent.tracing.fetch_packages` fills. A manifest that
    cannot be read names none here; whoever asks for packages is told.
    """
    if _is_member(repository):
        folder = repository.path.parent
        listed = json.loads((folder / WORKSPACE).read_text(encoding="utf-8"))
    else:
        try:
            listed = [_member(repository, package) for package in read_manifest(repository.path)]
        except TraceError:
            return ()
        folder = cache_dir() / "workspaces" / hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:16]
    return tuple(Repository(url, commit, name, folder / name) for name, url, commit in listed)


def _member(repository: Repository, package: Package) -> list[str]:
    inside = "" if package.folder == "." else f"/{package.folder}"
    url = repository.url if package.url is None else public_url(package.url)
    return [package.name, url + inside, package.commit or repository.commit]


def _is_member(repository: Repository) -> bool:
    folder = repository.path.parent
    return folder.parent == cache_dir() / "workspaces" and (folder / WORKSPACE).is_file()


def is_remote(url: str) -> bool:
    """Whether an address names another machine or a protocol, and is no path."""
    return "://" in url or bool(re.match(r"[\w.-]+@[\w.-]+:", url))


def is_local(url: str) -> bool:
    """Whether an address names a folder of this machine: a path, or ``file:``."""
    return not is_remote(url) or url.startswith("file:")


def public_url(url: str) -> str:
    """The address without a user's name and password, and absolute when it is a path."""
    if not is_remote(url):
        return str(Path(url).expanduser().resolve())
    parts = urlsplit(url)
    if parts.scheme in ("http", "https"):
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        return urlunsplit(parts).rstrip("/")
    return url.rstrip("/")


def _names_programs(folder: Path) -> bool:
    """Whether the folder's own git settings name programs that git would run to compare its files.

    Who unpacks somebody's archive has somebody's ``.git/config``. Reading it runs nothing.
    """
    command = ["git", "-C", str(folder), "config", "--local", "--no-includes", "--name-only", "--list"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError:  # no git program
        return False
    return listed.returncode != 0 or any(RUNS_PROGRAMS.match(line) for line in listed.stdout.splitlines())


def _clean_head(folder: Path) -> str | None:
    """The commit of a folder that is the top of a git work tree without changes, else ``None``."""
    if not (folder / ".git").exists() or _names_programs(folder):
        return None
    try:
        import git
    except ImportError:  # no git program: the folder is taken by its content
        return None
    try:
        with git.Repo(folder) as repo:
            if repo.is_dirty(untracked_files=True):
                return None
            known = repo.git(c="core.fsmonitor=false").ls_files("-z", "--recurse-submodules").split("\0")
            return repo.head.commit.hexsha if set(decisive_files(folder)) <= set(known) else None
    except (git.GitError, ValueError):  # no commit yet, or not a repository after all
        return None
