"""``lean-agent verify``: judge the theorems that stand in Lean files, and say what else these take for granted.

A file belongs to the project of the nearest folder above it with a lakefile, or else to its own folder. Of that project
only what the file imports is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from lean_agent.errors import RepositoryNotFound
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import TheoremSite
from lean_agent.tracing import lean_project, local_repository, trace_repository
from lean_agent.tracing.sources import LAKEFILES


def verify_files(
    files: Sequence[Path], *, workers: int = 1, lean: str | None = None, server: LeanServer | None = None
) -> bool:
    """Print a verdict for each theorem of each file; returns whether all were accepted.

    Raises:
        RepositoryNotFound: no such file.
    """
    for file in files:
        if file.is_dir():
            raise RepositoryNotFound(
                f"{file} is a folder in which neither prove nor evaluate has left a proof; name a run folder of theirs,"
                " or Lean files."
            )
        if not file.is_file():
            raise RepositoryNotFound(f"There is no file {file}; name a .lean file.")
    if server is not None:
        return all([_verify(file.resolve(), server) for file in files])
    from lean_agent.lean.pool import LeanPool

    with LeanPool(workers=workers, lean=lean) as pool:
        return all([_verify(file.resolve(), pool) for file in files])


def project_folder(file: Path) -> Path:
    """The nearest folder above ``file`` with a lakefile, or the file's own."""
    with_lakefile = (folder for folder in file.parents if any((folder / name).is_file() for name in LAKEFILES))
    return next(with_lakefile, file.parent)


def _verify(file: Path, server: LeanServer) -> bool:
    repository = local_repository(project_folder(file))
    project = lean_project(repository)
    path = file.relative_to(project.root).as_posix()
    console = Console(highlight=False, soft_wrap=True)
    traced = trace_repository(repository, server, only=[path])
    accepted = True
    if path not in {one.path for one in traced.files} | {one.path for one in traced.skipped}:
        console.print(f"{file}: not checked: no Lean file of the project in {project.root}", markup=False)
        accepted = False
    for skipped in traced.skipped:
        if skipped.path == path:
            console.print(f"{file}:{skipped.line}: not checked: {skipped.reason}", markup=False)
            accepted = False
    for found in (found for found in traced.files if found.path == path):
        for message in sorted((*found.errors, *found.beside_theorems), key=lambda one: one.start.line):
            console.print(f"{file}:{message.start.line}: {message.text}", markup=False)
            accepted = False
        if not found.theorems:
            console.print(f"{file}: no theorem to judge", markup=False)
            accepted = False
        for theorem in found.theorems:
            site = TheoremSite(project, path, theorem.full_name)
            verdict = server.verify(site, theorem.proof, whole_file=True)
            words = "accepted" if verdict.accepted else f"{verdict.kind}: {verdict.reason}"
            axioms = f" (axioms: {', '.join(verdict.axioms)})" if verdict.axioms else ""
            console.print(f"{theorem.full_name}: {words}{axioms}", markup=False)
            accepted = accepted and verdict.accepted
    return accepted
