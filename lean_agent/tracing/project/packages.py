"""The Lake packages that a project needs, as its manifest pins them.

Lake lets the manifest of the project at the top decide the revision of every package, also of those that packages need
themselves. So a package is traced once for each *workspace* (a list of packages at their revisions): which modules it
was compiled against is part of what it is. It is a repository like any other otherwise.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from lean_agent.errors import TraceError
from lean_agent.tracing.project.import_graph import CORE_PACKAGES, module_name, project_files, read_imports
from lean_agent.tracing.project.lakefile import Lakefile
from lean_agent.tracing.project.sources import inner_projects, is_own_file

MANIFEST = "lake-manifest.json"
NAME = re.compile(r"[\w-][\w .+-]*")


@dataclass(frozen=True, slots=True)
class Package:
    """One entry of a manifest.

    Attributes:
        url: what git clones; ``None`` for a package in a folder of the project itself.
        commit: the full hash that is pinned; ``None`` likewise.
        folder: where the package lies in its repository; ``.`` is the top.
    """

    name: str
    url: str | None
    commit: str | None
    folder: str


def read_manifest(root: Path, folder: str = "") -> tuple[Package, ...]:
    """Read the packages of ``lake-manifest.json`` in a folder of a repository, those that packages need themselves
    included.

    Without that file there are none.

    Raises:
        TraceError: the file is no manifest, or a package lies outside the repository.
    """
    path = root / folder / MANIFEST
    if not is_own_file(path, root.resolve()):
        return ()
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["packages"]
        return tuple(_package(entry, path, folder) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TraceError(f"{path} is no manifest that Lake writes ({error!r}); run `lake update` there") from error


def _package(entry: dict[str, Any], manifest: Path, project: str) -> Package:
    if "type" not in entry:  # before version 7 an entry is {"git": {…}} or {"path": {…}}
        ((kind, fields),) = entry.items()
        entry = {**fields, "type": kind}
    name = str(entry["name"]).replace("«", "").replace("»", "")
    if not NAME.fullmatch(name):  # it becomes the name of a folder
        raise TraceError(f"{manifest}: {name!r} is no name of a package")
    is_git = entry["type"] == "git"
    named = PurePosixPath("" if is_git else project, str((entry.get("subDir") if is_git else entry["dir"]) or "."))
    folder = PurePosixPath(os.path.normpath(named))
    if folder.is_absolute() or ".." in folder.parts:
        raise TraceError(f"{manifest}: package {name} lies outside its repository ({folder}), which is not followed")
    if not is_git:
        return Package(name, None, None, str(folder))
    return Package(name, str(entry["url"]), str(entry["rev"]), str(folder))


@dataclass(frozen=True, slots=True)
class PackageFiles:
    """The Lean files of a package.

    Attributes:
        root: what paths are relative to.
        paths: of its files, by module.
    """

    root: Path
    paths: Mapping[str, str]

    @classmethod
    def of(cls, repository: Path, folder: str) -> PackageFiles:
        """Of the project in a folder of a repository."""
        sources = Lakefile.of(repository, folder).sources
        paths = project_files(repository, sources, inner_projects(repository, folder))
        return cls(repository, {module_name(path, sources): path for path in paths})

    def imports(self, module: str) -> list[str]:
        """Return what one of its files imports."""
        text = (self.root / self.paths[module]).read_text(encoding="utf-8", errors="replace")
        return [wanted.module for wanted in read_imports(text)]


@dataclass(frozen=True, slots=True)
class Closure:
    """What some modules import of packages, however indirectly.

    Attributes:
        paths: the files that are needed of each package. A package comes after those that it imports.
        missing: modules that are in no package.
    """

    paths: Mapping[str, frozenset[str]]
    missing: frozenset[str]


def closure(wanted: Iterable[str], packages: Mapping[str, PackageFiles]) -> Closure:
    """Follow imports through packages.

    Args:
        wanted: modules.
        packages: by name.

    Raises:
        TraceError: packages import each other.
    """
    import networkx as nx  # takes a third of a second

    homes = {module: name for name, files in reversed([*packages.items()]) for module in files.paths}
    waiting, seen = list(wanted), set(wanted)
    needed: dict[str, set[str]] = {}
    graph: nx.DiGraph[str] = nx.DiGraph()
    while waiting:
        module = waiting.pop()
        if module not in homes:
            continue
        home = homes[module]
        needed.setdefault(home, set()).add(packages[home].paths[module])
        graph.add_node(home)
        for imported in packages[home].imports(module):
            if homes.get(imported, home) != home:
                graph.add_edge(homes[imported], home)
            if imported not in seen:
                seen.add(imported)
                waiting.append(imported)
    missing = frozenset(module for module in seen - homes.keys() if module.split(".")[0] not in CORE_PACKAGES)
    try:
        order = list(nx.lexicographical_topological_sort(graph))
    except nx.NetworkXUnfeasible:
        raise TraceError(f"the packages {', '.join(sorted(needed))} import each other in a circle") from None
    return Closure({name: frozenset(needed[name]) for name in order}, missing)
