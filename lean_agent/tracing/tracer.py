"""Tracing a repository: every file once, in import order, each result handed over as soon as it is there.

Owns the schedule (files whose imports are done run side by side over the server), the skipping of files that are stored
already, and the account of what could not be traced. What a theorem or a tactic is, it leaves to the server; how things
are stored, to the store.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lean_agent.errors import LeanError, LeanInstallError, LeanStartupError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanMessage, LeanProject, TracedFile, TracedTheorem
from lean_agent.progress import ProgressBar
from lean_agent.tracing.clones import clone
from lean_agent.tracing.import_graph import Import, ImportGraph, SkippedFile, SourceFile, read_import_graph
from lean_agent.tracing.repository import Repository, lean_project
from lean_agent.tracing.sources import toolchain

FORMAT = "1"
"""Goes into every content hash: a new number makes every stored file stale."""


@dataclass(frozen=True, slots=True)
class TracedRepository:
    """What came of one run.

    Attributes:
        files: traced files in import order, those that had been stored before included.
        skipped: files that could not be traced, each with the reason.
        toolchain: what the project's ``lean-toolchain`` asks for, which need not be the Lean that traced it.
        seconds: wall time of this run.
    """

    repository: Repository
    files: tuple[TracedFile, ...]
    skipped: tuple[SkippedFile, ...]
    toolchain: str | None
    seconds: float

    @property
    def theorems(self) -> tuple[TracedTheorem, ...]:
        """All theorems, file after file."""
        return tuple(theorem for file in self.files for theorem in file.theorems)

    @property
    def errors(self) -> tuple[tuple[str, LeanMessage], ...]:
        """Path and message of every error that Lean found in the traced files."""
        return tuple((file.path, message) for file in self.files for message in file.errors)


class TraceStore(Protocol):
    """Where traced files are kept between runs; :class:`lean_agent.database.DynamicDatabase` is one."""

    def add_repository(self, repository: Repository) -> None: ...

    def file_is_current(self, repository: Repository, path: str, content_hash: str) -> bool: ...

    def load_file(self, repository: Repository, path: str) -> TracedFile: ...

    def store_file(self, repository: Repository, traced_file: TracedFile, content_hash: str) -> None: ...

    def store_skipped_file(self, repository: Repository, skipped: SkippedFile) -> None: ...


OnFile = Callable[[TracedFile | SkippedFile], None]


def trace_repository(
    repository: Repository,
    server: LeanServer,
    *,
    database: TraceStore | None = None,
    on_file: OnFile | None = None,
    progress: bool = True,
) -> TracedRepository:
    """Trace every file of a repository; see :func:`trace_repository_async`. Works in a notebook too."""
    work = trace_repository_async(repository, server, database=database, on_file=on_file, progress=progress)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as beside_the_running_loop:
        return beside_the_running_loop.submit(asyncio.run, work).result()


async def trace_repository_async(
    repository: Repository,
    server: LeanServer,
    *,
    database: TraceStore | None = None,
    on_file: OnFile | None = None,
    progress: bool = True,
) -> TracedRepository:
    """Trace every file of a repository, and go on past files that cannot be traced.

    Args:
        repository: cloned first where its folder is not there.
        server: elaborates the files; as many at a time as it can take.
        database: gets each file as soon as it is traced. A file that it holds with the same content hash, and whose
            compiled module is still there, is loaded instead of traced again.
        on_file: called with each result, in the order in which they are ready.
        progress: whether to show a progress bar.

    Raises:
        LeanStartupError, LeanInstallError: Lean does not run at all.
        TraceError: the repository could not be cloned.
        DatabaseError: from ``database``; what it had stored before stays.
    """
    started = time.monotonic()
    if not repository.path.is_dir():
        repository = await asyncio.to_thread(clone, repository.url, repository.commit, progress=progress)
    project = lean_project(repository)
    graph = read_import_graph(project.root)
    if database is not None:
        database.add_repository(repository)
    total = len(graph.files) + len(graph.skipped)
    with ProgressBar(f"Tracing {repository.name}", total=total, enabled=progress) as bar:
        run = _Run(repository, project, server, database, on_file, bar)
        await run.trace(graph)
    return TracedRepository(
        repository=repository,
        files=tuple(run.traced[file.module] for file in graph.files if file.module in run.traced),
        skipped=tuple(sorted(run.skipped, key=lambda skipped: skipped.path)),
        toolchain=toolchain(repository.path),
        seconds=time.monotonic() - started,
    )


def content_hashes(root: Path, files: tuple[SourceFile, ...]) -> dict[str, str]:
    """A hash per module over its text and the hashes of the project's modules that it imports.

    ``files`` come in import order, so a change anywhere below a file changes its hash.
    """
    hashes: dict[str, str] = {}
    for file in files:
        digest = hashlib.sha256(f"{FORMAT}\n{file.path}\n".encode())
        digest.update((root / file.path).read_bytes())
        for wanted in file.imports:
            digest.update(f"\n{wanted.module} {hashes[wanted.module]}".encode())
        hashes[file.module] = digest.hexdigest()
    return hashes


@dataclass(slots=True)
class _Run:
    """One run over one repository: ``traced`` by module and ``skipped`` grow as results come in."""

    repository: Repository
    project: LeanProject
    server: LeanServer
    database: TraceStore | None
    on_file: OnFile | None
    bar: ProgressBar
    traced: dict[str, TracedFile] = field(default_factory=dict)
    skipped: list[SkippedFile] = field(default_factory=list)
    theorems: int = 0
    errors: int = 0

    async def trace(self, graph: ImportGraph) -> None:
        for skipped in graph.skipped:
            self._skip(skipped)
        hashes = content_hashes(self.project.root, graph.files)
        tasks: dict[str, asyncio.Task[None]] = {}
        try:
            async with asyncio.TaskGroup() as group:
                for file in graph.files:
                    imported = [(wanted, tasks[wanted.module]) for wanted in file.imports]
                    tasks[file.module] = group.create_task(self._trace_file(file, imported, hashes[file.module]))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _trace_file(
        self, file: SourceFile, imported: Sequence[tuple[Import, asyncio.Task[None]]], content_hash: str
    ) -> None:
        """Trace one file once its imports are through, or say why not."""
        for wanted, task in imported:
            await task
            if wanted.module not in self.traced:
                self._skip(SkippedFile(file.path, wanted.line, f"imports {wanted.module}, which could not be traced"))
                return
        stored = self._stored(file, content_hash)
        if stored is not None:
            self._accept(file, stored)
            return
        try:
            traced = await self.server.trace_file_async(self.project, file.path)
        except (LeanStartupError, LeanInstallError):
            raise
        except LeanError as error:
            self._skip(SkippedFile(file.path, 1, str(error)))
            return
        if self.database is not None:
            self.database.store_file(self.repository, traced, content_hash)
        self._accept(file, traced)

    def _stored(self, file: SourceFile, content_hash: str) -> TracedFile | None:
        """The file as an earlier run has stored it, if it is current and others can still import its module."""
        compiled = (self.project.build / file.path).with_suffix(".olean")
        if self.database is None or not compiled.is_file():
            return None
        if not self.database.file_is_current(self.repository, file.path, content_hash):
            return None
        return self.database.load_file(self.repository, file.path)

    def _accept(self, file: SourceFile, traced: TracedFile) -> None:
        self.traced[file.module] = traced
        self.theorems += len(traced.theorems)
        self.errors += len(traced.errors)
        self._tell(traced)

    def _skip(self, skipped: SkippedFile) -> None:
        self.skipped.append(skipped)
        if self.database is not None:
            self.database.store_skipped_file(self.repository, skipped)
        self._tell(skipped)

    def _tell(self, result: TracedFile | SkippedFile) -> None:
        if self.on_file is not None:
            self.on_file(result)
        self.bar.advance(theorems=self.theorems, errors=self.errors, skipped=len(self.skipped))
