"""The order in which a project's files can be traced, and the work on them in that order.

Owns the import graph: it reads the header of every file (``module``, ``prelude`` and ``import`` lines, nothing after
them) and tells apart what can be ordered from what cannot: missing packages, missing files, cycles. Of files that can
be worked on, the one that most of the work waits for comes first.
"""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from lean_agent.errors import words_of
from lean_agent.lean.source import comment_end
from lean_agent.lean.types import module_parts
from lean_agent.tracing.project.sources import lean_files

if TYPE_CHECKING:
    import networkx as nx

_NEEDS = re.compile(r"needs (\S+), which is no part of the project")
CORE_PACKAGES = frozenset({"Init", "Std", "Lean", "Lake"})

_PART = r"(?:«[^»\n]+»|[^\W\d][\w'!?]*)"
_TOKEN = re.compile(rf"{_PART}(?:\.{_PART})*")
_SPACE = re.compile(r"\s+|--[^\n]*")


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module and the line (from 1) that asks for it. Parts of a name stand without ``«»``."""

    module: str
    line: int


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the project.

    Attributes:
        path: relative to the root of the repository.
        imports: those of the project's own modules.
        libraries: names of the build folders in which its other imports lie, Lean's own library aside.
    """

    path: str
    module: str
    imports: tuple[Import, ...]
    libraries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was not traced: ``line`` (from 1) is where the reason stands in it."""

    path: str
    line: int
    reason: str

    @property
    def package(self) -> str | None:
        """What it needs, itself or by way of what it imports, and the project does not have."""
        needs = _NEEDS.search(self.reason)
        return needs[1] if needs else None


@dataclass(frozen=True, slots=True)
class ImportGraph:
    """``files`` in an order in which imports come first; ``skipped`` are those that no order can serve."""

    files: tuple[SourceFile, ...]
    skipped: tuple[SkippedFile, ...]

    @property
    def paths(self) -> list[str]:
        """Of all files, traceable or not."""
        return [*(file.path for file in self.files), *(skipped.path for skipped in self.skipped)]

    @property
    def imported(self) -> list[str]:
        """The paths of the files that others of them import."""
        modules = {wanted.module for file in self.files for wanted in file.imports}
        return [file.path for file in self.files if file.module in modules]

    def of(self, paths: Collection[str]) -> ImportGraph:
        """Those files alone, and all that they import."""
        needed = {file.module for file in self.files if file.path in paths}
        for file in reversed(self.files):  # whoever imports a file comes before it, this way round
            if file.module in needed:
                needed.update(wanted.module for wanted in file.imports)
        files = tuple(file for file in self.files if file.module in needed)
        return ImportGraph(files, tuple(skipped for skipped in self.skipped if skipped.path in paths))


def module_name(path: str, sources: Sequence[str] = (".",)) -> str:
    """``A/B.lean`` is module ``A.B``, and so is ``src/A/B.lean`` where ``src`` is one of ``sources``."""
    return ".".join(module_parts(path, sources))


def read_imports(source: str) -> tuple[Import, ...]:
    """Read the imports of a file's header, in their order; everything after the header is left unread.

    Understands ``module``, ``prelude``, ``public import``, ``meta import``, ``import all``, comments between any of
    them, and quoted parts (``«a b»``). The implicit ``import Init`` is not listed.
    """
    imports: list[Import] = []
    tokens = _header_tokens(source)
    word, at = next(tokens, ("", 0))
    for keyword in ("module", "prelude"):
        if word == keyword:
            word, at = next(tokens, ("", 0))
    while True:
        while word in ("public", "private", "meta"):
            word, at = next(tokens, ("", 0))
        if word != "import":
            return tuple(imports)
        line = source.count("\n", 0, at) + 1
        word, at = next(tokens, ("", 0))
        while word in ("all", "runtime"):
            word, at = next(tokens, ("", 0))
        imports.append(Import(word.replace("«", "").replace("»", ""), line))
        word, at = next(tokens, ("", 0))


def _header_tokens(source: str) -> Iterator[tuple[str, int]]:
    """Names and keywords with their offsets, comments and space left out, up to the first other character."""
    at = 1 if source.startswith("\ufeff") else 0
    while at < len(source):
        if match := _SPACE.match(source, at):
            at = match.end()
        elif source.startswith("/-", at):
            at = comment_end(source, at) or len(source)
        elif match := _TOKEN.match(source, at):
            yield match.group(), at
            at = match.end()
        else:
            return


def read_import_graph(
    root: Path, libraries: Sequence[Path] = (), *, without: Collection[Path] = (), sources: Sequence[str] = (".",)
) -> ImportGraph:
    """Order the Lean files of a project by their imports.

    Args:
        root: the folder that paths are relative to.
        libraries: build folders of other projects, whose compiled modules may be imported.
        without: folders below ``root`` that are no part of the project.
        sources: folders below ``root`` that module names are resolved against, the project's own folder last.

    A file is skipped, with the line and the reason, when it imports a package or a file that is not there, when it
    takes part in a cycle, when it is not UTF-8, when another file has the name of the same module, or when it imports,
    however indirectly, a file that is skipped.
    """
    import networkx as nx  # takes a third of a second, which most uses of this package need not pay

    paths: dict[str, str] = {}
    twins: list[SkippedFile] = []
    for path in sorted(project_files(root, sources, without), key=lambda path: -path.count("/")):
        module = module_name(path, sources)
        first = paths.setdefault(module, path)
        if first != path:  # `A.B.lean` beside `A/B.lean`, which is the one that Lean looks for
            twins.append(SkippedFile(path, 1, f"its name makes it module {module}, which is {first}"))
    headers: dict[str, tuple[Import, ...]] = {}
    reasons: dict[str, tuple[int, str]] = {}
    for module, path in paths.items():
        try:
            headers[module] = read_imports((root / path).read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            headers[module] = ()
            line = error.object.count(b"\n", 0, error.start) + 1
            wrong = f"byte {error.object[error.start]:#04x} at offset {error.start}"
            reasons[module] = (line, f"the file could not be read as UTF-8 text: {wrong}")
        except OSError as error:
            headers[module] = ()
            reasons[module] = (1, f"the file could not be read: {words_of(error)}")

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(paths)
    for module, imports in headers.items():
        graph.add_edges_from((wanted.module, module) for wanted in imports if wanted.module in paths)
    for module, imports in headers.items():
        reasons.update(_missing(module, imports, paths, libraries))
    reasons.update(_cycles(graph, headers))
    _spread(graph, headers, reasons)

    traceable = graph.subgraph([module for module in paths if module not in reasons])
    # Ties are broken by path, so that the order is the same on every machine.
    order = nx.lexicographical_topological_sort(traceable, key=paths.__getitem__)
    files = tuple(_source_file(paths[m], m, headers[m], paths, libraries) for m in order)
    skipped = [SkippedFile(path, *reasons[m]) for m, path in paths.items() if m in reasons]
    return ImportGraph(files, tuple(sorted([*skipped, *twins], key=lambda file: file.path)))


def project_files(root: Path, sources: Sequence[str], without: Collection[Path] = ()) -> list[str]:
    """Return the Lean files of a project, relative to ``root``; its own folder is the last of ``sources``."""
    top = PurePosixPath(sources[-1])
    return [(top / path).as_posix() for path in lean_files(root / top, without)]


def _source_file(
    path: str, module: str, imports: tuple[Import, ...], paths: dict[str, str], libraries: Sequence[Path]
) -> SourceFile:
    own = tuple(wanted for wanted in imports if wanted.module in paths)
    homes = {home.name for wanted in imports if wanted not in own and (home := _home(wanted.module, libraries))}
    return SourceFile(path, module, own, tuple(sorted(homes)))


def _home(module: str, libraries: Sequence[Path]) -> Path | None:
    """Return the first library that has the module compiled."""
    compiled = module.replace(".", "/") + ".olean"
    return next((library for library in libraries if (library / compiled).is_file()), None)


def _missing(
    module: str, imports: tuple[Import, ...], paths: dict[str, str], libraries: Sequence[Path]
) -> dict[str, tuple[int, str]]:
    """Why ``module`` cannot be traced if it imports what is neither the project's, a library's nor core Lean's."""
    packages = {name.split(".")[0] for name in paths}
    for wanted in imports:
        package = wanted.module.split(".")[0]
        if wanted.module in paths or package in CORE_PACKAGES or _home(wanted.module, libraries):
            continue
        if package in packages:
            return {module: (wanted.line, f"imports {wanted.module}, but the project has no such file")}
        return {module: (wanted.line, f"needs {package}, which is no part of the project (import {wanted.module})")}
    return {}


def _cycles(graph: nx.DiGraph[str], headers: dict[str, tuple[Import, ...]]) -> dict[str, tuple[int, str]]:
    """Return a reason for every file that imports itself through others, naming one round trip."""
    import networkx as nx

    reasons = {}
    for component in nx.strongly_connected_components(graph):
        inside = graph.subgraph(component)
        if len(component) == 1 and not inside.number_of_edges():
            continue
        for module in sorted(component):
            # Edges lead from the imported to the importing module; people read the cycle the other way round.
            back = nx.shortest_path(inside, module, next(iter(sorted(inside.predecessors(module)))))
            trip = " imports ".join([module, *reversed(back)]) if len(component) > 1 else f"{module} imports {module}"
            line = next(i.line for i in headers[module] if i.module in component)
            reasons[module] = (line, f"import cycle: {trip}")
    return reasons


def _spread(
    graph: nx.DiGraph[str], headers: dict[str, tuple[Import, ...]], reasons: dict[str, tuple[int, str]]
) -> None:
    """Give every file that imports a skipped one, however indirectly, the reason of the file that is to blame."""
    causes = {module: (module, reason) for module, (_, reason) in reasons.items()}
    waiting = deque(sorted(reasons))
    while waiting:
        skipped = waiting.popleft()
        cause, reason = causes[skipped]
        through = "which" if cause == skipped else f"which needs {cause}, which"
        for module in sorted(graph.successors(skipped)):
            if module not in reasons:
                line = next(i.line for i in headers[module] if i.module == skipped)
                reasons[module] = (line, f"imports {skipped}, {through} was skipped: {reason}")
                causes[module] = (cause, reason)
                waiting.append(module)


def ranks(files: Sequence[SourceFile], costs: Mapping[str, int]) -> dict[str, int]:
    """Per module the cost of the longest way from it to a file that nothing imports, itself included.

    A file with a large rank holds up much work, so it goes first (highest level first: Hu, 1961).

    Args:
        files: imports before importers.
        costs: what each module costs, in any unit.
    """
    longest = dict.fromkeys((file.module for file in files), 0)
    for file in reversed(files):
        longest[file.module] += costs[file.module]
        for wanted in file.imports:
            longest[wanted.module] = max(longest[wanted.module], longest[file.module])
    return longest


async def run_in_import_order(
    files: Sequence[SourceFile], work: Callable[[SourceFile], Awaitable[None]], *, width: int, costs: Mapping[str, int]
) -> None:
    """Await ``work`` once for each file, at most ``width`` at a time, and for no file before its imports are done.

    A file starts as soon as its last import is done, whatever else is still running. An exception ends the run and
    comes out as it is.
    """
    rank = ranks(files, costs)
    place = {file.module: index for index, file in enumerate(files)}
    order = TopologicalSorter({file.module: [wanted.module for wanted in file.imports] for file in files})
    order.prepare()
    ready: asyncio.PriorityQueue[tuple[int, int]] = asyncio.PriorityQueue()  # (-rank, place in files)

    def offer() -> None:
        for module in order.get_ready():
            ready.put_nowait((-rank[module], place[module]))

    async def consume() -> None:
        while True:
            _, index = await ready.get()
            if index < 0:
                return
            await work(files[index])
            order.done(files[index].module)
            offer()
            if not order.is_active():
                for _ in range(width):
                    ready.put_nowait((0, -1))

    offer()
    if not files:
        return
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(width):
                group.create_task(consume())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
