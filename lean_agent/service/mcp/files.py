"""The Lean files that agents may name: those below the folders that the server was given, and no others.

A file belongs to the project of the nearest folder above it with a lakefile, or else to its own folder. What it imports
of that project is compiled before it is looked at, and again when it has changed.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lean_agent.errors import ConfigError, TraceError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.source import as_lean_reads
from lean_agent.lean.types import LeanProject
from lean_agent.tracing import Repository, lean_project
from lean_agent.tracing.project.import_graph import SourceFile, run_in_import_order
from lean_agent.tracing.project.repository import LOCAL, shared_address
from lean_agent.tracing.project.sources import has_lakefile
from lean_agent.tracing.tracer import content_hashes, project_graph, share_module


@dataclass(frozen=True)
class AgentFile:
    """A file that an agent has named, its imports compiled.

    Attributes:
        path: relative to the project's root.
        source: as Lean reads it, in UTF-8.
    """

    repository: Repository
    project: LeanProject
    path: str
    source: bytes

    @property
    def lines(self) -> list[str]:
        """The lines of its text."""
        return self.source.decode().split("\n")

    def line(self, number: int) -> str:
        """Return a line, counted from 1.

        Raises:
            ConfigError: there is none of that number.
        """
        lines = self.lines
        if not 1 <= number <= len(lines):
            raise ConfigError(f"There is no line {number}: {self.path} has {len(lines)}.")
        return lines[number - 1]

    def offset(self, line: int, column: int) -> int:
        """Return the byte that a place stands for; a column past the end of the line is its end.

        Args:
            line, column: from 1; columns count code points.

        Raises:
            ConfigError: there is no such line.
        """
        text = self.line(line)
        before = self.lines[: line - 1]
        return sum(len(earlier.encode()) + 1 for earlier in before) + len(text[: max(0, column - 1)].encode())


class AgentFiles:
    """The files below some folders.

    Args:
        server: compiles what they import.
        roots: the folders.
    """

    def __init__(self, server: LeanServer, roots: Sequence[Path]) -> None:
        self._server = server
        self._roots = [root.resolve() for root in roots]
        self._compiled: dict[str, Path] = {}  # modules, by a hash of their text and that of their imports
        self._locks: defaultdict[Path, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def ready(self, file_path: str) -> AgentFile:
        """Return a file, after compiling what it imports.

        Args:
            file_path: absolute, or relative to one of the folders.

        Raises:
            ConfigError: it lies below none of the folders, or is no Lean file.
            TraceError: it imports what is not there.
            LeanError: Lean could not compile an import.
        """
        place = self._located(file_path)
        repository = self._project_of(place)
        async with self._locks[repository.path]:
            return await self._ready(repository, place)

    def _located(self, file_path: str) -> Path:
        """Return the file itself, links followed."""
        if not self._roots:
            raise ConfigError("This server was given no folder of Lean files; --root names one.")
        refusal = ConfigError(f"{file_path[:200]!r} is no Lean file below the folders that this server was given.")
        if "\0" in file_path or not file_path.endswith(".lean"):
            raise refusal
        try:
            candidates = [(root / file_path).resolve() for root in self._roots]
            below = [path for path in candidates if any(path.is_relative_to(root) for root in self._roots)]
            place = next((path for path in below if path.is_file()), None)
        except (OSError, RuntimeError, ValueError):  # a name that is too long, a link that leads to itself
            raise refusal from None
        if place is None or place.suffix != ".lean":
            raise refusal
        return place

    def _project_of(self, place: Path) -> Repository:
        """Return the project of a file: no folder above those that were given is looked at."""
        above = [folder for folder in place.parents if any(folder.is_relative_to(root) for root in self._roots)]
        folder = next(filter(has_lakefile, above), place.parent)
        return Repository(shared_address(str(folder)), _commit(str(folder)), folder.name, folder, origin=str(folder))

    async def _ready(self, repository: Repository, place: Path) -> AgentFile:
        project = await asyncio.to_thread(lean_project, repository)
        path = place.relative_to(project.root).as_posix()
        whole = await asyncio.to_thread(project_graph, repository, project, self._server)
        graph = whole.of([path])
        if graph.skipped:
            raise TraceError(f"{path}, line {graph.skipped[0].line}: {graph.skipped[0].reason}.")
        if not graph.files:
            raise TraceError(f"{path} is no file of the Lean project in {project.root.name}.")
        hashes = await asyncio.to_thread(content_hashes, project, graph.files)
        imports = tuple(file for file in graph.files if file.path != path)
        if imports:
            # Lean keeps what it has imported from a folder: other imports are in another one
            commit = _commit(str(repository.path), *(hashes[file.module] for file in imports))
            repository = replace(repository, commit=commit)
            project = await asyncio.to_thread(lean_project, repository)
            # in a task of its own: a group of asyncio's tasks that fails cancels the task that has it, and the library
            # of the protocol takes that for the client's wish
            await asyncio.create_task(self._compile(project, path, imports, hashes))
        return AgentFile(repository, project, path, as_lean_reads(await asyncio.to_thread(place.read_bytes)))

    async def _compile(
        self, project: LeanProject, path: str, imports: Sequence[SourceFile], hashes: Mapping[str, str]
    ) -> None:
        """Have the compiled modules of a file's imports in the project's build folder.

        Raises:
            TraceError: Lean finds an error in one.
        """

        async def compiled(file: SourceFile) -> None:
            place, digest = self._server.module_path(project, file.path), hashes[file.module]
            known = self._compiled.get(digest)
            if not place.is_file() and not (known is not None and share_module(known, place)):
                traced = await self._server.trace_file_async(project, file.path)
                if traced.errors:
                    place.unlink(missing_ok=True)
                    error = traced.errors[0]
                    raise TraceError(f"{path} imports {file.path}, line {error.start.line}: {error.text}")
            self._compiled[digest] = place

        sizes = {file.module: (project.root / file.path).stat().st_size for file in imports}
        await run_in_import_order(imports, compiled, width=self._server.workers, costs=sizes)


def _commit(*parts: str) -> str:
    """Return what stands for a commit of a folder: it decides where its compiled modules are."""
    return LOCAL + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
