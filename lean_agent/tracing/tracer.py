"""Tracing a repository: every file once, in import order, each result handed over as soon as it is there.

Owns the reuse of what is stored already, at this commit or another, and the account of what could not be traced. The
order is :mod:`.project.import_graph`'s; what a theorem or a tactic is, the server's; how things are kept, the store's.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, overload

import psutil

from lean_agent.errors import LeanError, LeanInstallError, LeanStartupError, RepositoryNotFound
from lean_agent.files import write_atomically
from lean_agent.lean.server import PROGRAMS_SUFFIX, LeanServer
from lean_agent.lean.types import LeanMessage, LeanProject, TracedFile, TracedTheorem
from lean_agent.progress import ProgressBar
from lean_agent.settings import checked
from lean_agent.tracing.clones import clone, nested_packages
from lean_agent.tracing.project.import_graph import (
    Import,
    ImportGraph,
    SkippedFile,
    SourceFile,
    module_name,
    project_files,
    read_import_graph,
    read_imports,
    run_in_import_order,
)
from lean_agent.tracing.project.repository import Repository, lean_project, project_url
from lean_agent.tracing.project.sources import differs, inner_projects, is_lean_3, is_unknown_here, toolchain

FORMAT = "12"
"""Goes into every content hash: a new number makes every stored file stale."""
_NO_MODULE = re.compile(r"object file '[^']*' of module (\S+) does not exist")
FILE_BYTES = 1000
"""What a file costs beside its text (its imports, its module), in bytes of text that cost as much."""
BETWEEN_LOOKS_S = 0.5
MEGABYTE = 1024 * 1024
LEAN_3 = "written for Lean 3, which no Lean 4 reads"


class MemoryWatch:
    """The largest resident memory seen, in megabytes; :meth:`look` is called whenever something has been done.

    Attributes:
        python_mb: of this process.
        lean_mb: of all processes that it has started, together.
    """

    def __init__(self) -> None:
        self.python_mb = 0
        self.lean_mb = 0
        self._next = 0.0

    def look(self) -> None:
        """Look now, unless the last look was half a second ago."""
        if time.monotonic() < self._next:
            return
        this = psutil.Process()
        self.python_mb = max(self.python_mb, this.memory_info().rss // MEGABYTE)
        self.lean_mb = max(self.lean_mb, sum(map(_resident, this.children(recursive=True))) // MEGABYTE)
        self._next = time.monotonic() + BETWEEN_LOOKS_S


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:  # it has ended since it was listed
        return 0


@dataclass(frozen=True, slots=True)
class FileSummary:
    """What a run remembers of a traced file.

    Attributes:
        theorems, open_theorems, tactics, errors: how many; an open theorem has a ``sorry``, and its tactics count.
        examples, open_examples: how many of the theorems are examples.
        failed: how many more theorems there are with an error inside, which are not traced.
        undeclared, unread: how many that Lean has read without declaring them, and how many stand in text that it has
            passed over. With ``theorems`` and ``failed`` they are all that the text states (``stated``).
        products: how many that attributes, macros and programs have made beside them.
        hidden_bodies: those of the errors that come of what the embedded build does not ship.
        unknown: those of the errors that speak of a name or syntax which the Lean that ran does not have.
        open_beside: names of what is left as ``sorry`` and is no theorem: a ``def`` or an ``instance``, of a
            proposition or of data.
        first_error: the first of the errors, in Lean's words.
        seconds: what Lean took for it, when it was traced.
    """

    path: str
    theorems: int
    open_theorems: int
    tactics: int
    errors: int
    unknown: int
    first_error: LeanMessage | None
    seconds: float
    failed: int = 0
    undeclared: int = 0
    unread: int = 0
    products: int = 0
    hidden_bodies: int = 0
    examples: int = 0
    open_examples: int = 0
    open_beside: tuple[str, ...] = ()

    @property
    def stated(self) -> int:
        """The theorems of the text, whatever became of them."""
        return self.theorems + self.failed + self.undeclared + self.unread

    @classmethod
    def of(cls, file: TracedFile) -> FileSummary:
        """Count what is in a file."""
        errors = file.errors
        lost = Counter(theorem.kind for theorem in file.lost)
        return cls(
            path=file.path,
            theorems=len(file.theorems),
            open_theorems=sum(theorem.has_sorry for theorem in file.theorems),
            tactics=sum(len(theorem.tactics) for theorem in file.theorems),
            errors=len(errors),
            unknown=sum(map(is_unknown_here, errors)),
            first_error=errors[0] if errors else None,
            seconds=file.elaborate_s + file.walk_s,
            failed=lost["failed"],
            undeclared=lost["undeclared"],
            unread=lost["unread"],
            products=len(file.products),
            hidden_bodies=sum(error.cause == "hidden body" for error in errors),
            examples=sum(theorem.is_example for theorem in file.theorems),
            open_examples=sum(theorem.is_example and theorem.has_sorry for theorem in file.theorems),
            open_beside=_open_beside(file),
        )


def _open_beside(file: TracedFile) -> tuple[str, ...]:
    """Return what of the declarations that are no theorems has a ``sorry`` of its own."""
    theorems = {theorem.full_name for theorem in file.theorems}
    warnings = [message for message in file.messages if message.severity == "warning"]  # an error leaves it out anyway
    holes = [message.start for message in warnings if message.text.startswith("declaration uses")]
    return tuple(
        each.full_name
        for each in file.declarations
        if each.full_name not in theorems and any(each.start_pos <= hole <= each.end_pos for hole in holes)
    )


@dataclass(frozen=True, slots=True)
class TracedRepository:
    """What came of one run.

    Attributes:
        files: traced files in import order, those that had been stored before included. With a database they are read
            from it one by one, each time anew, so that a large repository is never in memory as a whole.
        summaries: counts for each of ``files``, in the same order.
        skipped: files that could not be traced, each with the reason.
        toolchain: what the project's ``lean-toolchain`` asks for, which need not be the Lean that traced it.
        lean_version: the Lean that traced it.
        seconds: wall time of this run.
        reused: how many of ``files`` had been stored before with the same content.
        unasked: how many more files there are, which were not asked for.
        failed_packages: names of packages that could not be fetched, each with the reason.
        python_mb, lean_mb: the largest resident memory seen during the run, in megabytes: of this process, and of all
            processes that it has started together.
    """

    repository: Repository
    files: Sequence[TracedFile]
    summaries: tuple[FileSummary, ...]
    skipped: tuple[SkippedFile, ...]
    toolchain: str | None
    lean_version: str
    seconds: float
    reused: int = 0
    python_mb: int = 0
    lean_mb: int = 0
    unasked: int = 0
    failed_packages: tuple[tuple[str, str], ...] = ()

    @property
    def is_partial(self) -> bool:
        """Whether something that should be there is not: a file that was not traced, a theorem that was left out, or a
        package that could not be fetched."""
        return bool(self.skipped or self.failed_packages or any(file.stated > file.theorems for file in self.summaries))

    @property
    def theorems(self) -> tuple[TracedTheorem, ...]:
        """All theorems at once, file after file; ``summaries`` has their numbers."""
        return tuple(theorem for file in self.files for theorem in file.theorems)

    @property
    def errors(self) -> tuple[tuple[str, LeanMessage], ...]:
        """Path and message of every error that Lean found in the traced files."""
        return tuple((file.path, message) for file in self.files for message in file.errors)


class TraceStore(Protocol):
    """Where traced files are kept between runs; :class:`lean_agent.database.DynamicDatabase` is one."""

    def add_repository(self, repository: Repository, *, partly: bool = False) -> None: ...

    def repository_with(self, repository: Repository, path: str, content_hash: str) -> Repository | None: ...

    def load_file(self, repository: Repository, path: str) -> TracedFile: ...

    def store_file(self, repository: Repository, traced_file: TracedFile, content_hash: str) -> None: ...

    def store_skipped_file(self, repository: Repository, skipped: SkippedFile) -> None: ...

    def keep_files(self, repository: Repository, paths: Collection[str]) -> None: ...


class StoredFiles(Sequence[TracedFile]):
    """Traced files that are read from a store one by one, when they are asked for."""

    def __init__(self, store: TraceStore, repository: Repository, paths: Sequence[str]) -> None:
        self._store = store
        self._repository = repository
        self._paths = tuple(paths)

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, index: int) -> TracedFile: ...

    @overload
    def __getitem__(self, index: slice) -> StoredFiles: ...

    def __getitem__(self, index: int | slice) -> TracedFile | StoredFiles:
        if isinstance(index, slice):
            return StoredFiles(self._store, self._repository, self._paths[index])
        return self._store.load_file(self._repository, self._paths[index])


OnFile = Callable[[TracedFile | SkippedFile], None]


@checked
def trace_repository(
    repository: Repository,
    server: LeanServer,
    *,
    database: TraceStore | None = None,
    on_file: OnFile | None = None,
    only: Collection[str] | None = None,
    progress: bool = True,
) -> TracedRepository:
    """Trace every file of a repository; see :func:`trace_repository_async`. Works in a notebook too."""
    work = trace_repository_async(repository, server, database=database, on_file=on_file, only=only, progress=progress)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as beside_the_running_loop:
        return beside_the_running_loop.submit(asyncio.run, work).result()


@checked
async def trace_repository_async(
    repository: Repository,
    server: LeanServer,
    *,
    database: TraceStore | None = None,
    on_file: OnFile | None = None,
    only: Collection[str] | None = None,
    progress: bool = True,
) -> TracedRepository:
    """Trace every file of a repository, and go on past files that cannot be traced.

    Args:
        repository: cloned first where its folder is not there.
        server: elaborates the files; as many at a time as it can take.
        database: gets each file as soon as it is traced. A file that it holds with the same content hash, at this
            commit or another one of the same address, and whose compiled module is still there, is not traced again.
        on_file: called with each result, in the order in which they are ready.
        only: these files, relative to the top of the repository, and all that they import, and no others.
        progress: whether to show a progress bar.

    Raises:
        LeanStartupError, LeanInstallError: Lean does not run at all.
        TraceError: the repository could not be cloned, or its folder was deleted meanwhile.
        DatabaseError: from ``database``; what it had stored before stays.
    """
    started = time.monotonic()
    if not repository.path.is_dir():
        origin = project_url(repository.origin, repository.folder) if repository.origin else repository.url
        repository = await asyncio.to_thread(clone, origin, repository.commit, progress=progress)
    project = lean_project(repository)
    whole = graph = await asyncio.to_thread(project_graph, repository, project, server)
    if only is not None:
        graph = graph.of(only)
    if database is not None:
        database.add_repository(repository, partly=only is not None)
        if only is None:
            database.keep_files(repository, graph.paths)
    total = len(graph.paths)
    sizes = {file.module: (project.root / file.path).stat().st_size for file in graph.files}
    work = sum(sizes.values()) + FILE_BYTES * len(sizes)
    with ProgressBar(f"Tracing {repository.name}", total=total, work=work, enabled=progress) as bar:
        run = _Run(repository, project, server, database, on_file, bar, sizes)
        await run.trace(graph)
    traced = [run.summaries[file.module] for file in graph.files if file.module in run.summaries]
    files: Sequence[TracedFile]
    if database is None:
        files = tuple(run.held[summary.path] for summary in traced)
    else:
        files = StoredFiles(database, repository, [summary.path for summary in traced])
    return TracedRepository(
        repository=repository,
        files=files,
        summaries=tuple(traced),
        skipped=tuple(sorted(run.skipped.values(), key=lambda skipped: skipped.path)),
        toolchain=toolchain(repository.path, repository.folder),
        unasked=len(whole.paths) - len(graph.paths),
        lean_version=server.version,
        seconds=time.monotonic() - started,
        reused=run.reused,
        python_mb=run.memory.python_mb,
        lean_mb=run.memory.lean_mb,
    )


def project_graph(repository: Repository, project: LeanProject, server: LeanServer) -> ImportGraph:
    """Return the files of a project in their order. Of one for Lean 3 there is none that could be traced."""
    without = [*nested_packages(repository), *inner_projects(repository.path, repository.folder)]
    if is_lean_3(repository.path, repository.folder):
        paths = project_files(project.root, project.sources, without)
        return ImportGraph((), tuple(SkippedFile(path, 1, LEAN_3) for path in paths))
    libraries = (*project.libraries, *server.package_folders(project))
    return read_import_graph(project.root, libraries, without=without, sources=project.sources)


def content_hashes(project: LeanProject, files: tuple[SourceFile, ...]) -> dict[str, str]:
    """Return a hash per module over its text, its options and the hashes of the project's modules that it imports.

    ``files`` come in import order, so a change anywhere below a file changes its hash.
    """
    hashes: dict[str, str] = {}
    for file in files:
        name = "" if file.module == module_name(file.path) else f"{file.module}\n"
        digest = hashlib.sha256(f"{FORMAT}\n{file.path}\n{name}".encode())
        digest.update((project.root / file.path).read_bytes())
        for option, value in project.options.of(project.module(file.path)):
            digest.update(f"\n{option}={value}".encode())
        for wanted in file.imports:
            digest.update(f"\n{wanted.module} {hashes[wanted.module]}".encode())
        for library in file.libraries:  # the name of its folder says which commit of it
            digest.update(f"\n{library}".encode())
        hashes[file.module] = digest.hexdigest()
    return hashes


@dataclass(slots=True)
class _Run:
    """One run over one repository; ``summaries`` and ``skipped``, by module, grow as results come in. What the graph
    has skipped is there by path.

    ``held`` has whole files by path, and only where there is no database to read them from again.
    """

    repository: Repository
    project: LeanProject
    server: LeanServer
    database: TraceStore | None
    on_file: OnFile | None
    bar: ProgressBar
    sizes: Mapping[str, int]
    memory: MemoryWatch = field(default_factory=MemoryWatch)
    hashes: dict[str, str] = field(default_factory=dict)
    summaries: dict[str, FileSummary] = field(default_factory=dict)
    skipped: dict[str, SkippedFile] = field(default_factory=dict)
    causes: dict[str, str] = field(default_factory=dict)
    held: dict[str, TracedFile] = field(default_factory=dict)
    reused: int = 0
    theorems: int = 0
    errors: int = 0

    async def trace(self, graph: ImportGraph) -> None:
        for skipped in graph.skipped:
            self._skip(skipped.path, skipped)  # not by module: of two files of one module the other may be traced
        self.hashes = content_hashes(self.project, graph.files)
        looking = asyncio.create_task(self._look({file.path: self.sizes[file.module] for file in graph.files}))
        try:
            await run_in_import_order(graph.files, self._trace_file, width=self.server.workers, costs=self.sizes)
        finally:
            looking.cancel()

    async def _look(self, sizes: Mapping[str, int]) -> None:
        """Show how far the files are that are under way."""
        while True:
            await asyncio.sleep(BETWEEN_LOOKS_S)
            under_way = self.server.under_way(self.project)
            self.bar.under_way(sum(min(reached, sizes.get(path, 0)) for path, reached in under_way.items()))

    async def _trace_file(self, file: SourceFile) -> None:
        """Trace one file, whose imports are through, or say why not."""
        for wanted in file.imports:
            if wanted.module in self.skipped:
                self._skip_importer(file, wanted)
                return
        stored = self._stored(file)
        if stored is not None:
            self.reused += 1
            self._accept(file, stored, was_done=True)
            await asyncio.sleep(0)  # a long row of these leaves room for others on the loop
            return
        try:
            answered = await self.server.trace_file_async(self.project, file.path)
        except (LeanStartupError, LeanInstallError):
            raise
        except LeanError as error:
            if not self.repository.path.is_dir():
                raise RepositoryNotFound(
                    f"{self.repository.path} was there when its trace began and is gone; what was traced is kept, "
                    "so bring it back and trace it again"
                ) from error
            self._skip(file.module, self._refused(file, error))
            return
        traced = replace(answered, lean_version=self.server.version)
        if self.database is not None:
            self.database.store_file(self.repository, traced, self.hashes[file.module])
        self._accept(file, traced)

    def _refused(self, file: SourceFile, error: LeanError) -> SkippedFile:
        """Why Lean did not take a file; of a module that it does not have, in a plain sentence with its line."""
        words = str(error).removeprefix(f"{file.path}: ")
        lacks = _NO_MODULE.search(words)
        if lacks is None:
            return SkippedFile(file.path, 1, words)
        module = lacks[1].replace("«", "").replace("»", "")
        imports = read_imports((self.project.root / file.path).read_text(encoding="utf-8"))
        line = next((wanted.line for wanted in imports if wanted.module == module), 1)
        asked_for = toolchain(self.repository.path, self.repository.folder)
        other = f"; the project asks for {asked_for}" if differs(asked_for, self.server.version) else ""
        return SkippedFile(file.path, line, f"imports {module}, which Lean {self.server.version} does not have{other}")

    def _stored(self, file: SourceFile) -> TracedFile | None:
        """Return the file as an earlier run has stored it, at this commit or another, with the module that others
        import."""
        if self.database is None:
            return None
        content_hash = self.hashes[file.module]
        known = self.database.repository_with(self.repository, file.path, content_hash)
        if known is None:
            return None
        place = self.server.module_path(self.project, file.path)
        if known == self.repository:
            return self.database.load_file(known, file.path) if place.is_file() else None
        if not share_module(self.server.module_path(lean_project(known), file.path), place):
            return None
        traced = self.database.load_file(known, file.path)
        self.database.store_file(self.repository, traced, content_hash)
        return traced

    def _accept(self, file: SourceFile, traced: TracedFile, *, was_done: bool = False) -> None:
        summary = FileSummary.of(traced)
        self.summaries[file.module] = summary
        self.theorems += summary.theorems
        self.errors += summary.errors
        if self.database is None:
            self.held[file.path] = traced
        self._tell(traced, self.sizes[file.module] + FILE_BYTES, was_done)

    def _skip_importer(self, file: SourceFile, wanted: Import) -> None:
        """Skip a file for one of its imports, naming the file that is to blame, however far below."""
        cause = self.causes.get(wanted.module, wanted.module)
        self.causes[file.module] = cause
        through = "" if cause == wanted.module else f"; it needs {cause}"
        reason = f"imports {wanted.module}, which could not be traced{through}"
        self._skip(file.module, SkippedFile(file.path, wanted.line, reason))

    def _skip(self, module: str, skipped: SkippedFile) -> None:
        self.skipped[module] = skipped
        if self.database is not None:
            self.database.store_skipped_file(self.repository, skipped)
        size = self.sizes[module] + FILE_BYTES if module in self.sizes else 0
        self._tell(skipped, size, was_done=True)

    def _tell(self, result: TracedFile | SkippedFile, size: int, was_done: bool) -> None:
        self.memory.look()
        if self.on_file is not None:
            self.on_file(result)
        counts = {"theorems": self.theorems, "errors": self.errors, "skipped": len(self.skipped)}
        self.bar.advance(size=size, was_done=was_done, **counts)


def share_module(compiled: Path, place: Path) -> bool:
    """Have a compiled module of another build folder at ``place`` too; returns ``False`` when it is gone.

    A link is enough: a compiled module is replaced as a whole and never written into. Its mark goes before it.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    mark = compiled.with_suffix(PROGRAMS_SUFFIX)
    if mark.is_file():
        write_atomically(place.with_suffix(PROGRAMS_SUFFIX), mark.read_bytes())
    place.unlink(missing_ok=True)
    try:
        os.link(compiled, place)
    except FileNotFoundError:
        return False
    except OSError:  # another file system, or one without links
        write_atomically(place, compiled.read_bytes())
    return True
