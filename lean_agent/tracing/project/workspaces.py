"""Fetching the packages of a workspace: each cloned, all of them side by side in a folder of ours."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from lean_agent.errors import TraceError
from lean_agent.files import write_atomically
from lean_agent.tracing.clones import FULL_SHA, clone
from lean_agent.tracing.project.packages import MANIFEST, Package, PackageFiles, closure, read_manifest
from lean_agent.tracing.project.repository import WORKSPACE, Repository, build_folder, is_local, workspace
from lean_agent.tracing.project.sources import check_is_lean_project


@dataclass(frozen=True, slots=True)
class FetchedPackages:
    """The packages of a project.

    Attributes:
        needed: those that it imports, each with the files that are needed of it, in the order in which they are to be
            traced. Once traced, the project can import them.
        failed: names of those that could not be fetched, each with the reason.
    """

    needed: tuple[tuple[Repository, frozenset[str]], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()


def fetch_packages(
    repository: Repository,
    *,
    elsewhere: bool = True,
    cache_dir: Path | None = None,
    submodules: bool = False,
    progress: bool = True,
) -> FetchedPackages:
    """Clone the Lake packages that a repository's manifest pins, until everything that it imports is there.

    Args:
        repository: one whose folder is there.
        elsewhere: packages of other repositories too; without it only those in folders of this one.
        cache_dir, submodules, progress: as for :func:`~lean_agent.tracing.clone`.

    Raises:
        TraceError: the manifest cannot be used.
    """
    listed = read_manifest(repository.path, repository.folder)
    if not any(elsewhere or package.url is None for package in listed):
        return FetchedPackages()
    members = workspace(repository)
    wanted, files = _imports(repository), dict[str, PackageFiles]()
    failed: list[tuple[str, str]] = []
    for package, member in zip(listed, members, strict=True):
        if not closure(wanted, files).missing:
            break
        if package.url is not None and not elsewhere:
            continue
        try:
            top = _source(repository, package, cache_dir, submodules, progress)
            files[package.name] = PackageFiles.of(top, member.folder)
            _link(member.path, top)
        except TraceError as error:
            failed.append((package.name, str(error)))
    if members:
        rows = [[member.name, member.url, member.commit, member.folder] for member in members]
        write_atomically(members[0].path.parent / WORKSPACE, json.dumps(rows).encode())
    by_name = {member.name: member for member in members}
    needed = closure(wanted, files).paths
    return FetchedPackages(tuple((by_name[name], paths) for name, paths in needed.items()), tuple(failed))


def _imports(repository: Repository) -> set[str]:
    """Return the modules that a project's files import and that are none of its own."""
    own = PackageFiles.of(repository.path, repository.folder)
    return {module for name in own.paths for module in own.imports(name)} - own.paths.keys()


def _link(place: Path, top: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.symlink_to(top, target_is_directory=True)
    beside.replace(place)


def _source(repository: Repository, package: Package, cache_dir: Path | None, submodules: bool, progress: bool) -> Path:
    """Return the top of the package's repository. Its folder lies in there, by way of links or not.

    A repository from elsewhere cannot name a folder of this machine as its package.
    """
    top = repository.path
    if package.url is not None:
        if not FULL_SHA.fullmatch(package.commit or ""):
            raise TraceError(f"{MANIFEST} does not pin {package.name} to a commit; run `lake update` in the project")
        if is_local(package.url) and not is_local(repository.url):
            raise TraceError(
                f"the package {package.name} of {repository.url} is to come from a folder of this machine, which a "
                "repository from elsewhere cannot name; clone it, and trace the clone if you trust it"
            )
        top = clone(package.url, package.commit, cache_dir=cache_dir, submodules=submodules, progress=progress).path
    top = top.resolve()
    if not (top / package.folder).resolve().is_relative_to(top):
        raise TraceError(f"the package {package.name} leads out of its repository, which is not followed")
    check_is_lean_project(top / package.folder, f"the package {package.name}")
    return top


def nested_packages(repository: Repository) -> list[Path]:
    """Folders of the project itself that were traced as packages, and so hold no files of its own."""
    traced = {member.name for member in workspace(repository) if build_folder(member).is_dir()}
    if not traced or (repository.path.parent / WORKSPACE).is_file():
        return []
    listed = read_manifest(repository.path, repository.folder)
    return [repository.path / p.folder for p in listed if p.url is None and p.name in traced]


def missing_packages(repository: Repository) -> list[str]:
    """Return the names of packages that the manifest pins and that were not traced."""
    return [member.name for member in workspace(repository) if not build_folder(member).is_dir()]
