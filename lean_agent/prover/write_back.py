"""Accepted proofs, put where the ``sorry``s are: as a patch, in the work tree, or on a git branch.

Nothing is written over work that is in no commit. All proofs of a file are judged once more, together in that file.
"""

from __future__ import annotations

import difflib
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from lean_agent.errors import LeanError, TraceError
from lean_agent.files import write_atomically
from lean_agent.lean.server import LeanServer
from lean_agent.prover.proof_text import with_proof
from lean_agent.prover.provers import ProofResult, file_name
from lean_agent.tracing.repository import Repository
from lean_agent.tracing.working_tree import commit_on_branch, is_committed

Place = Literal["patch", "branch"]


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """What was written for one repository.

    Attributes:
        patch: a file for ``git apply``, always written.
        changed: files of the work tree that hold their proofs now.
        branch: the branch that was made.
        left: files that were not touched, and why.
    """

    repository: Repository
    patch: Path
    changed: tuple[str, ...] = ()
    branch: str | None = None
    left: tuple[tuple[str, str], ...] = ()


def write_back(
    results: Sequence[ProofResult], server: LeanServer, folder: Path, *, place: Place, branch: str
) -> list[WrittenBack]:
    """Put the accepted proofs among ``results`` into their repositories.

    Args:
        server: judges the proofs of each file together.
        folder: where the patches go, one for each repository.
        place: ``patch`` changes the files of the work tree, those that are as they were committed; ``branch`` commits
            them to a new branch and leaves the work tree alone.
        branch: the name of that branch.
    """
    by_repository: defaultdict[Repository, defaultdict[str, list[ProofResult]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.proved:
            by_repository[result.theorem.repository][result.theorem.file_path].append(result)
    return [
        _write_repository(repository, files, server, folder, place, branch)
        for repository, files in by_repository.items()
    ]


def _write_repository(  # noqa: PLR0917
    repository: Repository,
    files: dict[str, list[ProofResult]],
    server: LeanServer,
    folder: Path,
    place: Place,
    branch: str,
) -> WrittenBack:
    root = next(iter(files.values()))[0].theorem.site.project.root
    left: list[tuple[str, str]] = []
    contents: dict[str, bytes] = {}
    for path, proved in files.items():
        try:
            contents[path] = _with_all(root, path, proved, server)
        except (TraceError, LeanError) as error:
            left.append((path, str(error)))
    diff = "".join(_diff(path, (root / path).read_bytes(), content) for path, content in contents.items())
    patch = write_atomically(folder / f"{file_name(repository.name)}.patch", diff.encode())
    for path in [path for path in contents if not is_committed(root, path)]:
        left.append((path, "it holds work that is in no commit of git; apply the patch by hand"))
        del contents[path]
    written = WrittenBack(repository, patch, left=tuple(left))
    if not contents:
        return written
    if place == "branch":
        names = ", ".join(one.theorem.full_name for path in contents for one in files[path])
        commit_on_branch(root, contents, branch, f"Proofs found by lean_agent\n\n{names}\n")
        return replace(written, branch=branch)
    for path, content in contents.items():
        write_atomically(root / path, content)
    return replace(written, changed=tuple(contents))


def _with_all(root: Path, path: str, proved: Sequence[ProofResult], server: LeanServer) -> bytes:
    """The file with all its proofs in place.

    Raises:
        TraceError: the file has changed, or the proofs do not hold together.
    """
    content = (root / path).read_bytes()
    for one in sorted(proved, key=lambda one: -one.theorem.theorem.start):  # so that no offset before it moves
        content = with_proof(content, one.theorem.theorem, one.proof)
    with tempfile.TemporaryDirectory(prefix="lean-agent-") as scratch:
        write_atomically(Path(scratch) / path, content)
        for one in proved:
            site = one.theorem.site
            there = replace(site, project=replace(site.project, root=Path(scratch)))
            verdict = server.verify(there, one.proof)
            if not verdict.accepted:
                raise TraceError(
                    f"{one.theorem.full_name} does not hold beside the other proofs of its file: {verdict.reason}"
                )
    return content


def _diff(path: str, before: bytes, after: bytes) -> str:
    """The change as ``git apply`` reads it."""
    lines = difflib.unified_diff(
        before.decode().splitlines(keepends=True),
        after.decode().splitlines(keepends=True),
        f"a/{path}",
        f"b/{path}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
