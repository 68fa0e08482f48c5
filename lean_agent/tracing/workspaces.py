"""Fetching the packages of a workspace: each cloned, all of them side by side in a folder of ours."""

from __future__ import annotations

import json
import os
from pathlib import Path

from lean_agent.errors import TraceError
from lean_agent.files import write_atomically
from lean_agent.tracing.clones import FULL_SHA, clone
from lean_agent.tracing.packages import MANIFEST, Package, package_order, read_manifest
from lean_agent.tracing.repository import WORKSPACE, Repository, build_folder, is_local, workspace
from lean_agent.tracing.sources import check_is_lean_project, source_folder


def fetch_packages(
    repository: Repository, *, cache_dir: Path | None = None, submodules: bool = False, progress: bool = True
) -> list[Repository]:
    """Clone the Lake packages that a repository's manifest pins.

    Args:
        repository: one whose folder is there.
        cache_dir, submodules, progress: as for :func:`~lean_agent.tracing.clone`.

    Returns:
        The packages in the order in which they are to be traced. Once traced, the repository can import them.

    Raises:
        TraceError: the manifest cannot be used, or a package cannot be fetched.
    """
    packages, members = read_manifest(repository.path), workspace(repository)
    for package, member in zip(packages, members, strict=True):
        source = _source(repository, package, cache_dir, submodules, progress)
        check_is_lean_project(source, f"the package {package.name}")
        member.path.parent.mkdir(parents=True, exist_ok=True)
        beside = member.path.with_name(f".{package.name}.{os.getpid()}")
        beside.unlink(missing_ok=True)
        beside.symlink_to(source, target_is_directory=True)
        beside.replace(member.path)
    if members:
        listed = [[member.name, member.url, member.commit] for member in members]
        write_atomically(members[0].path.parent / WORKSPACE, json.dumps(listed).encode())
    by_name = {member.name: member for member in members}
    return [by_name[name] for name in package_order({name: source_folder(by_name[name].path) for name in by_name})]


def _source(repository: Repository, package: Package, cache_dir: Path | None, submodules: bool, progress: bool) -> Path:
    """The folder with the package's files, by way of links or not, but never outside its repository.

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
    source = (top / package.folder).resolve()
    if not source.is_relative_to(top.resolve()):
        raise TraceError(f"the package {package.name} leads out of its repository, which is not followed")
    return source


def nested_packages(repository: Repository) -> list[Path]:
    """Folders of the project itself that were traced as packages, and so hold no files of its own."""
    traced = {member.name for member in workspace(repository) if build_folder(member).is_dir()}
    if not traced or (repository.path.parent / WORKSPACE).is_file():
        return []
    return [repository.path / p.folder for p in read_manifest(repository.path) if p.url is None and p.name in traced]


def missing_packages(repository: Repository) -> list[str]:
    """The names of packages that the manifest pins and that were not traced."""
    return [member.name for member in workspace(repository) if not build_folder(member).is_dir()]
