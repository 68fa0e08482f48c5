"""Accepted proofs, put where the ``sorry``s are: as a patch, in the work tree, or on a git branch.

Nothing is written over work that is in no commit. All proofs of a file are judged once more, together in that file.
"""

from __future__ import annotations

import difflib
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from lean_agent.errors import LeanError, TraceError
from lean_agent.files import cache_dir, write_atomically
from lean_agent.lean.server import LeanServer
from lean_agent.prover.proofs.lemmas import in_place, one_of_each
from lean_agent.prover.proofs.result import ProofResult
from lean_agent.prover.provers import file_name
from lean_agent.tracing.project.repository import Repository, shared_address
from lean_agent.tracing.working_tree import commit_on_branch, is_committed, work_tree

WriteBackPlace = Literal["patch", "branch"]


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """What was written for one git work tree, which may hold several repositories; paths are relative to its top.

    Attributes:
        name: of the repository, or of the work tree where it holds several.
        patch: a file for ``git apply`` at the top, always written.
        changed: files of the work tree that hold their proofs now.
        branch: the branch that was made.
        left: files that were not touched, and why.
    """

    name: str
    patch: Path
    changed: tuple[str, ...] = ()
    branch: str | None = None
    left: tuple[tuple[str, str], ...] = ()


def write_back(
    results: Sequence[ProofResult], server: LeanServer, folder: Path, *, place: WriteBackPlace, branch: str
) -> list[WrittenBack]:
    """Put the accepted proofs among ``results`` into their repositories.

    Clones of ours, packages among them, are not touched: what they hold is what their commit holds. For them there is
    the patch.

    Args:
        server: judges the proofs of each file together.
        folder: where the patches go, one for each git work tree.
        place: ``patch`` changes the files of the work tree, those that are as they were committed; ``branch`` commits
            them to a new branch and leaves the work tree alone.
        branch: the name of that branch.
    """
    by_tree: defaultdict[Path, defaultdict[str, list[ProofResult]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.proved:
            root = result.theorem.site.project.root.resolve()
            top = work_tree(root) or root
            by_tree[top][(root / result.theorem.file_path).relative_to(top).as_posix()].append(result)
    return [_write_tree(top, files, server, folder, place, branch) for top, files in by_tree.items()]


def _write_tree(  # noqa: PLR0917
    top: Path,
    files: Mapping[str, Sequence[ProofResult]],
    server: LeanServer,
    folder: Path,
    place: WriteBackPlace,
    branch: str,
) -> WrittenBack:
    left: list[tuple[str, str]] = []
    contents: dict[str, bytes] = {}
    diff = ""
    for path, proved in files.items():
        try:
            before = (top / path).read_bytes()
            contents[path] = _with_all(proved, server)
        except (TraceError, LeanError, OSError) as error:
            left.append((path, str(error)))
        else:
            diff += _diff(path, before, contents[path])
    names = {result.theorem.repository.name for proved in files.values() for result in proved}
    name = names.pop() if len(names) == 1 else top.name
    patch = write_atomically(folder / f"{file_name(name, str(top))}.patch", diff.encode())
    for path in [*contents]:
        if any(_is_ours(result.theorem.repository) for result in files[path]):
            left.append((path, "it is in a clone that belongs to the cache; apply the patch where you work"))
            del contents[path]
        elif not is_committed(top, path):
            left.append((path, "it holds work that is in no commit of git; apply the patch by hand"))
            del contents[path]
    written = WrittenBack(name, patch, left=tuple(left))
    if not contents:
        return written
    if place == "branch":
        theorems = ", ".join(dict.fromkeys(result.theorem.full_name for path in contents for result in files[path]))
        try:
            commit_on_branch(top, contents, branch, f"Proofs found by lean_agent\n\n{theorems}\n")
        except TraceError as error:
            return replace(written, left=(*left, *((path, str(error)) for path in contents)))
        return replace(written, branch=branch)
    for path, content in contents.items():
        write_atomically(top / path, content)
    return replace(written, changed=tuple(contents))


def _is_ours(repository: Repository) -> bool:
    """Return whether its folder is a clone that we have made, and not a folder of the user's."""
    is_the_folder = repository.address == shared_address(str(repository.path))
    return not is_the_folder or repository.path.is_relative_to(cache_dir().resolve())


def _with_all(proved: Sequence[ProofResult], server: LeanServer) -> bytes:
    """Return the text of a file with all its proofs in place, one for each theorem, as they were judged.

    Raises:
        TraceError: the file has changed, or the proofs do not hold together.
    """
    site = proved[0].theorem.site
    own = one_of_each(result.lemma for result in reversed(proved))  # what was proved last counts
    lemmas = one_of_each([*own, *(lemma for result in proved for lemma in result.lemmas)])
    with in_place(server, site.project, site.file_path, lemmas) as project:
        for lemma in own:
            there = replace(site, project=project, full_name=lemma.theorem.full_name)
            verdict = server.verify(there, lemma.proof)
            if not verdict.accepted:
                raise TraceError(
                    f"{lemma.theorem.full_name} does not hold beside the other proofs of its file: {verdict.reason}"
                )
        return (project.root / site.file_path).read_bytes()


def _diff(path: str, before: bytes, after: bytes) -> str:
    """Return the change as ``git apply`` reads it."""
    # for git a line ends with a newline alone, which splitlines() does not know
    old, new = (io.StringIO(content.decode()).readlines() for content in (before, after))
    lines = difflib.unified_diff(old, new, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
