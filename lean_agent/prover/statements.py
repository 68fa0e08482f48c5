"""Theorems to be proved that are given as text, or stand in a file, instead of in a repository that was traced."""

from __future__ import annotations

from pathlib import Path

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import TraceError
from lean_agent.lean.server import LeanServer
from lean_agent.tracing import Repository, local_repository, trace_repository
from lean_agent.tracing.project.repository import open_text, project_folder, text_project


def theorems_of_text(text: str, server: LeanServer, database: DynamicDatabase | None = None) -> list[StoredTheorem]:
    """Return the open theorems of Lean text: a file's, with ``sorry``, or one statement.

    Args:
        text: ``theorem two : 1 + 1 = 2``, with or without ``:= by sorry``; a proposition, ``∀ n : Nat, n + 0 = n``; or
            a whole file with imports, definitions and any number of theorems left as ``sorry``.
        server: elaborates it.
        database: knows it from then on, as it has to where proofs and attempts are stored.

    Raises:
        TraceError: Lean finds an error in it, or it leaves nothing open.
    """
    repository = text_project("text", {"Text.lean": open_text(text)})
    return _open_theorems(repository, "Text.lean", "The text", server, database)


def theorems_of_file(file: Path, server: LeanServer, database: DynamicDatabase | None = None) -> list[StoredTheorem]:
    """Return the open theorems of a Lean file; of the project that it lies in only what it imports is traced.

    Raises:
        TraceError: there is no such file, Lean finds an error in it, or it leaves nothing open.
    """
    if not file.is_file():
        raise TraceError(f"There is no file {file}; name a .lean file.")
    file = file.resolve()
    repository = local_repository(project_folder(file))
    return _open_theorems(repository, file.relative_to(repository.path).as_posix(), str(file), server, database)


def _open_theorems(
    repository: Repository, path: str, called: str, server: LeanServer, database: DynamicDatabase | None
) -> list[StoredTheorem]:
    traced = trace_repository(repository, server, database=database, only=[path], progress=False)
    for skipped in traced.skipped:
        if skipped.path == path:
            raise TraceError(f"{called}, line {skipped.line}: {skipped.reason}")
    (file,) = [file for file in traced.files if file.path == path]
    theorems = [StoredTheorem(repository, path, theorem) for theorem in file.theorems if theorem.has_sorry]
    if not theorems:
        error = next(iter(file.errors), None)
        reason = f"line {error.start.line}: {error.text}" if error else "it leaves no theorem as sorry"
        raise TraceError(f"{called} has nothing to prove; {reason}.")
    return theorems
