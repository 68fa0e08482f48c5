"""A Lean project at one commit, as a value; and what can be one: folders on this machine, loose Lean text, a list of
repositories in a YAML file.

It fetches nothing (:mod:`lean_agent.tracing.clones` does) and writes nothing but loose text, which is from then on a
repository like any other: traced, searched and verified by the same code.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import yaml

from lean_agent.errors import ConfigError, RepositoryNotFound, TraceError
from lean_agent.files import cache_dir, write_atomically
from lean_agent.lean.types import LeanProject
from lean_agent.tracing.project.lakefile import Lakefile
from lean_agent.tracing.project.packages import Package, read_manifest
from lean_agent.tracing.project.sources import (
    check_is_lean_project,
    content_digest,
    decisive_files,
    find_projects,
    has_lakefile,
    inner_projects,
)

WORKSPACE = "workspace.json"
BESIDE = "beside.json"
BENCHMARK = "benchmark:"
LOCAL = "local-"
LOCAL_ADDRESS = "local:"
RUNS_PROGRAMS = re.compile(r"filter\.|diff\.|include|core\.(fsmonitor|hookspath)|extensions\.worktreeconfig", re.I)


@dataclass(frozen=True, slots=True)
class Repository:
    """A Lean project at one commit. Two are equal when ``url`` and ``commit`` are.

    Attributes:
        url: where it came from, without credentials; of a folder of this machine ``local:`` and its name, so that no
            path is in what is exported (:func:`shared_address`). Of a project that is not at the top of its repository
            ``#`` and its folder follow.
        commit: full commit hash; ``local-`` and a hash of the content for a folder that is at no commit.
        name: for people: the last part of the address, and the folder.
        path: the top of the repository, read and never written. Paths of files are relative to it.
        folder: the project's own, relative to ``path``; empty for the top.
        origin: the folder that git clones it from, where ``path`` is a clone of one; kept nowhere.
    """

    url: str
    commit: str
    name: str = field(compare=False)
    path: Path = field(compare=False)
    folder: str = field(default="", compare=False)
    origin: str = field(default="", compare=False)

    @property
    def address(self) -> str:
        """The address of the whole repository, which git clones."""
        return self.url.removesuffix(f"#{self.folder}") if self.folder else self.url

    @property
    def place(self) -> str:
        """What commands take for it: a folder of this machine by its path, anything else by its address."""
        return project_url(self.origin or self.address, self.folder)

    @property
    def project_path(self) -> Path:
        """The folder with the project's lakefile, if it has one."""
        return self.path / self.folder

    def at(self, folder: str) -> Repository:
        """Return the project in another folder of the same repository, at the same commit."""
        name = self.name.removesuffix(f"/{self.folder}") if self.folder else self.name
        return replace(
            self, url=project_url(self.address, folder), name=f"{name}/{folder}" if folder else name, folder=folder
        )

    @property
    def is_benchmark(self) -> bool:
        """Whether it was made of somebody's statements to measure provers by."""
        return self.url.startswith(BENCHMARK)


def outdated(stored: Sequence[Repository]) -> list[Repository]:
    """Those that are a folder of this machine as it was before it was edited, and was traced again.

    What it is now is what its content says; where that cannot be read, or is not among them, what came last.

    Args:
        stored: in the order in which they came.
    """
    by_place: dict[tuple[Path, str], list[Repository]] = {}
    for repository in stored:
        by_place.setdefault((repository.path, repository.url), []).append(repository)
    old = []
    for versions in by_place.values():
        if len(versions) > 1 and any(map(is_edited, versions)):
            newest = _as_it_is(versions)
            old += [version for version in versions if is_edited(version) and version != newest]
    return old


def _as_it_is(versions: Sequence[Repository]) -> Repository:
    try:
        now = local_repository(project_url(str(versions[-1].path), versions[-1].folder))
    except TraceError:
        return versions[-1]
    return now if now in versions else versions[-1]


def project_url(address: str, folder: str) -> str:
    """Return the address of the project in a folder of a repository; of the top one the repository's own."""
    return f"{address}#{folder}" if folder else address


def split_url(url: str) -> tuple[str, str]:
    """Address and folder of ``address#folder``. A path that is there with its ``#`` is an address as a whole.

    Raises:
        RepositoryNotFound: the folder leads out of the repository.
    """
    address, mark, inside = url.rpartition("#")
    if not mark or (is_local(url) and Path(url.removeprefix("file://")).expanduser().exists()):
        return url, ""
    folder = PurePosixPath(os.path.normpath(inside))
    if folder.is_absolute() or ".." in folder.parts:
        raise RepositoryNotFound(f"{inside} is no folder of a repository; give one below its top: {address}#folder")
    return address, "" if folder == PurePosixPath(".") else folder.as_posix()


def local_repository(path: str | os.PathLike[str]) -> Repository:
    """Return a folder on this machine, traced where it lies: the top of a git work tree, or any folder with Lean files.

    Its commit is git's when the folder is a clean work tree, else a hash of its Lean files, so that an edit makes
    another commit. A Lean file that git does not know, or was told to ignore, makes it no clean one.

    Args:
        path: ``PATH#FOLDER`` is the Lake project in a folder of it. Others are found by :func:`lean_projects`.

    Raises:
        RepositoryNotFound: no such folder.
        NotALeanProject: neither a lakefile nor any ``.lean`` file.
    """
    address, inside = split_url(str(path))
    top = Path(address).expanduser().resolve()
    if not top.is_dir():
        raise RepositoryNotFound(f"there is no folder {top}; give the folder of a Lean 4 project")
    check_is_lean_project(top, str(top))
    whole = Repository(shared_address(str(top)), _clean_head(top) or "", top.name, top, origin=str(top))
    return _local_project(whole, inside)


def _local_project(whole: Repository, folder: str) -> Repository:
    """Return the project in a folder of a repository that lies here, at the commit of git or of its own content."""
    project = whole.at(folder)
    check_folder(project)
    if whole.commit and not whole.commit.startswith(LOCAL):
        return project
    digests = [content_digest(project.path / part, inner_projects(project.path, part)) for part in _made_of(project)]
    digest = digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return replace(project, commit=f"{LOCAL}{digest[:16]}")


def _made_of(project: Repository) -> list[str]:
    """Return the folders of a repository whose content decides what a trace of a project says: its own, and its
    packages'."""
    try:
        packages = read_manifest(project.path, project.folder)
    except TraceError:
        return [project.folder]
    return [project.folder, *(package.folder for package in packages if package.url is None)]


def check_folder(project: Repository) -> None:
    """Refuse a project whose folder is not in its repository.

    Raises:
        RepositoryNotFound: there is no such folder.
        NotALeanProject: neither a lakefile nor any ``.lean`` file in it.
    """
    if not project.folder:
        return
    inside = project.project_path.resolve()
    if not inside.is_dir() or not inside.is_relative_to(project.path.resolve()):
        raise RepositoryNotFound(f"{project.address} has no folder {project.folder}; name one of its Lake projects")
    check_is_lean_project(project.project_path, project.url)


def lean_projects(repository: Repository) -> tuple[Repository, ...]:
    """Return the Lake projects of a repository, each as one of its own, by folder; that of ``folder`` alone if it has
    one.

    Raises:
        NotALeanProject: neither a lakefile nor any ``.lean`` file.
    """
    if repository.folder:
        return (repository,)
    folders = find_projects(repository.path)
    if is_edited(repository):
        return tuple(_local_project(repository, folder) for folder in folders)
    return tuple(map(repository.at, folders))


def is_edited(repository: Repository) -> bool:
    """Return whether it is a folder of this machine at no commit of git."""
    return repository.commit.startswith(LOCAL)


setup_local_repository = local_repository


def lean_project(repository: Repository) -> LeanProject:
    """Say where Lean finds the repository's modules, and the folder of ours where their compiled forms are kept.

    Paths of traced files are relative to ``root``, the top of the repository; names of modules to ``sources``, which
    its lakefile names; from there are ``options``, too. ``libraries`` are those packages of its workspace that were
    traced before.
    """
    builds = [build_folder(member) for member in workspace(repository) if member != repository]
    libraries = tuple(build for build in builds if build.is_dir())
    lakefile = Lakefile.of(repository.path, repository.folder)
    return LeanProject(
        repository.path, build_folder(repository), libraries, sources=lakefile.sources, options=lakefile.options
    )


def build_folder(repository: Repository) -> Path:
    """Return the folder of ours for the compiled modules of a repository at its commit, and in its workspace if it is a
    package of one."""
    place = f"\n{repository.path.parent.name}" if _is_member(repository) else ""
    key = hashlib.sha256(f"{repository.url}\n{repository.commit}{place}".encode()).hexdigest()[:16]
    return cache_dir() / "projects" / key


def workspace(repository: Repository) -> tuple[Repository, ...]:
    """Return the packages that the repository's Lake manifest names; for one of them, all packages beside it; for a
    folder of ours that stands beside a repository, that one and its packages.

    Their paths are places in a folder of ours that :func:`lean_agent.tracing.fetch_packages` fills. A manifest that
    cannot be read names none here; whoever asks for packages is told.
    """
    if (original := beside(repository)) is not None:
        return (original, *workspace(original))
    if _is_member(repository):
        folder = repository.path.parent
        listed = json.loads((folder / WORKSPACE).read_text(encoding="utf-8"))
    else:
        try:
            listed = [_member(repository, package) for package in read_manifest(repository.path, repository.folder)]
        except TraceError:
            return ()
        folder = cache_dir() / "workspaces" / hashlib.sha256(json.dumps(listed).encode()).hexdigest()[:16]
    return tuple(
        Repository(url, commit, name, folder / name, inside[0] if inside else "")
        for name, url, commit, *inside in listed
    )


def beside(repository: Repository) -> Repository | None:
    """Return the repository that a folder of ours stands beside, whose files may import its modules
    (:func:`text_project`); ``None`` for any other."""
    place = repository.path / BESIDE
    if not (repository.is_benchmark and place.is_file()):
        return None
    kept = json.loads(place.read_text(encoding="utf-8"))
    return Repository(**{**kept, "path": Path(kept["path"])})


def _member(repository: Repository, package: Package) -> list[str]:
    inside = "" if package.folder == "." else package.folder
    address = repository.address if package.url is None else shared_address(public_url(package.url))
    return [package.name, project_url(address, inside), package.commit or repository.commit, inside]


def _is_member(repository: Repository) -> bool:
    folder = repository.path.parent
    return folder.parent == cache_dir() / "workspaces" and (folder / WORKSPACE).is_file()


def is_remote(url: str) -> bool:
    """Return whether an address names another machine or a protocol, and is no path."""
    return "://" in url or bool(re.match(r"[\w.-]+@[\w.-]+:", url))


def is_local(url: str) -> bool:
    """Return whether an address names a folder of this machine: a path, or ``file:``."""
    return not is_remote(url) or url.startswith("file:")


def shared_address(url: str) -> str:
    """Return the address as others may see it: of a folder of this machine ``local:`` and its name, without the way
    there.

    Two folders of one name are told apart by their commits, which say what they hold.
    """
    path = unquote(url.removeprefix("file://")) if url.startswith("file://") else url
    place, mark, inside = path.partition("#")
    if not place.startswith("/"):
        return url
    return f"{LOCAL_ADDRESS}{Path(place).name.removesuffix('.git') or 'repository'}{mark}{inside}"


def public_url(url: str) -> str:
    """Return the address without a user's name and password, and absolute when it is a path."""
    if not is_remote(url):
        return str(Path(url).expanduser().resolve())
    parts = urlsplit(url)
    if parts.scheme in ("http", "https"):
        parts = parts._replace(netloc=parts.netloc.rpartition("@")[2])
        return urlunsplit(parts).rstrip("/")
    return url.rstrip("/")


def _names_programs(folder: Path) -> bool:
    """Return whether the folder's own git settings name programs that git would run to compare its files.

    Who unpacks somebody's archive has somebody's ``.git/config``. Reading it runs nothing.
    """
    command = ["git", "-C", str(folder), "config", "--local", "--no-includes", "--name-only", "--list"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError:  # no git program
        return False
    return listed.returncode != 0 or any(RUNS_PROGRAMS.match(line) for line in listed.stdout.splitlines())


def _clean_head(folder: Path) -> str | None:
    """Return the commit of a folder that is the top of a git work tree without changes, else ``None``."""
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


OPEN_PROOF = " := by\n  sorry\n"

_KEYWORD = re.compile(r"(?:@\[[^\]]*\]\s*)?(?:(?:private|protected|noncomputable)\s+)*(?:theorem|lemma|example)\b")
_PROOF = re.compile(r"\s*:=\s*(?:by)?\s*(?:sorry|admit)?\s*$")
_NOT_PLAIN = re.compile(r"[^\w']+")


def plain_name(text: str) -> str:
    """Return ``text`` with what no file name should have replaced."""
    return _NOT_PLAIN.sub("_", text)


def text_project(
    name: str, files: Mapping[str, str], *, kind: str = BENCHMARK, original: Repository | None = None
) -> Repository:
    """Write a Lean project of files given as text (path -> text) into the user's cache folder, unless it is there.

    Args:
        original: a repository whose modules the files may import, once it was traced.
    """
    digest = hashlib.sha256(f"{original.url}\n{original.commit}\n".encode() if original else b"")
    for path, text in sorted(files.items()):
        digest.update(f"{path}\0{len(text)}\0{text}".encode())
    commit = digest.hexdigest()[:40]
    folder = cache_dir() / "benchmarks" / plain_name(name) / commit[:16]
    finished = folder / "lakefile.toml"  # written last: a folder without it was never finished
    if not finished.is_file():
        for path, text in files.items():
            write_atomically(folder / path, text.encode())
        if original is not None:
            kept = {**asdict(original), "path": str(original.path)}
            write_atomically(folder / BESIDE, json.dumps(kept, ensure_ascii=False).encode())
        write_atomically(finished, f'name = "{plain_name(name)}"\n'.encode())
    return Repository(f"{kind}{name}", commit, name, folder)


def declaration_of(name: str, text: str) -> str:
    """Return a statement with its keyword and without its open proof; a bare proposition is given ``name``."""
    statement = _PROOF.sub("", text.strip()) if ":=" in text else text.strip()
    return statement if _KEYWORD.match(statement) else f"theorem {name} : {statement}"


def is_text(given: str) -> bool:
    """Decide whether somebody who names a theorem, a file or a repository has written Lean text instead: names and
    addresses hold no white space, and statements do."""
    return any(character.isspace() for character in given.strip())


def open_text(text: str, name: str = "goal") -> str:
    """Return Lean text that leaves something open: as it is where a ``sorry`` stands in it, and otherwise taken for one
    statement, with or without ``theorem NAME``, whose proof is to be found."""
    return text if re.search(r"\bsorry\b", text) else f"{declaration_of(name, text)}{OPEN_PROOF}"


def project_folder(file: Path) -> Path:
    """Return the nearest folder above ``file`` with a lakefile, or the file's own."""
    return next(filter(has_lakefile, file.parents), file.parent)


KEYS = ("url", "commit", "licence")
EXAMPLE = "- url: https://github.com/durant42040/lean4-example"


@dataclass(frozen=True, slots=True)
class RepositoryEntry:
    """One line of the list.

    Attributes:
        url: what git clones, or a folder; a relative path counts from the folder of the list.
        commit: a hash, branch or tag; ``None`` is the default branch, or the folder as it lies there.
        licence: an SPDX identifier such as ``Apache-2.0``, where the repository itself does not say.
    """

    url: str
    commit: str | None = None
    licence: str | None = None


def read_repository_list(path: Path) -> tuple[RepositoryEntry, ...]:
    """Read the entries of a list.

    Such as::

        - url: https://github.com/durant42040/lean4-example
          commit: b14fef0
          licence: Apache-2.0
        - url: ../a-folder

    Raises:
        ConfigError: the file is no such list; the message names the line's place and, for a key that nobody knows, the
            nearest one.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} could not be read ({error.strerror}); name a YAML file of repositories.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, list) or not content:
        raise ConfigError(f"{path} has to be a list of repositories, each such as `{EXAMPLE}`.")
    entries = tuple(_entry(item, f"{path}, entry {n}", path.parent) for n, item in enumerate(content, start=1))
    for n, entry in enumerate(entries):
        if (entry.url, entry.commit) in {(other.url, other.commit) for other in entries[:n]}:
            raise ConfigError(f"{path}, entry {n + 1}: {entry.url} is listed twice at the same commit.")
    return entries


def _entry(item: Any, place: str, folder: Path) -> RepositoryEntry:
    if not isinstance(item, dict):
        raise ConfigError(f"{place} has to be a repository such as `{EXAMPLE}`, not {item!r}.")
    for key, value in item.items():
        if key not in KEYS:
            near = get_close_matches(str(key), KEYS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(KEYS)}."
            raise ConfigError(f"{place}: {key!r} is no key of a repository; {hint}")
        if value is not None and not isinstance(value, str):  # `commit: 1234567` is a number in YAML
            raise ConfigError(f"{place}: {key} has to be text; write it in quotes: {key}: '{value}'.")
    if not item.get("url"):
        raise ConfigError(f"{place} has no url.")
    url = item["url"] if is_remote(item["url"]) else str(folder / Path(item["url"]).expanduser())
    return RepositoryEntry(url, item.get("commit"), item.get("licence"))
