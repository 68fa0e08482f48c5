"""The Lake packages that a project needs, as its manifest pins them.

Lake lets the manifest of the project at the top decide the revision of every package, also of those that packages need
themselves. So a package is traced once for each *workspace* (a list of packages at their revisions): which modules it
was compiled against is part of what it is. It is a repository like any other otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from lean_agent.errors import TraceError
from lean_agent.tracing.import_graph import module_name, read_imports
from lean_agent.tracing.sources import is_own_file, lean_files

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


def read_manifest(folder: Path) -> tuple[Package, ...]:
    """The packages of ``lake-manifest.json`` in ``folder``, those that packages need themselves included.

    Without that file there are none.

    Raises:
        TraceError: the file is no manifest, or a package lies outside the project.
    """
    path = folder / MANIFEST
    if not is_own_file(path, folder.resolve()):
        return ()
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["packages"]
        return tuple(_package(entry, path) for entry in entries)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TraceError(f"{path} is no manifest that Lake writes ({error!r}); run `lake update` there") from error


def _package(entry: dict[str, Any], manifest: Path) -> Package:
    if "type" not in entry:  # before version 7 an entry is {"git": {…}} or {"path": {…}}
        ((kind, fields),) = entry.items()
        entry = {**fields, "type": kind}
    name = str(entry["name"]).replace("«", "").replace("»", "")
    if not NAME.fullmatch(name):  # it becomes the name of a folder
        raise TraceError(f"{manifest}: {name!r} is no name of a package")
    is_git = entry["type"] == "git"
    folder = PurePosixPath(str((entry.get("subDir") if is_git else entry["dir"]) or "."))
    if folder.is_absolute() or ".." in folder.parts:
        raise TraceError(f"{manifest}: package {name} lies outside its repository ({folder}), which is not followed")
    if not is_git:
        return Package(name, None, None, str(folder))
    return Package(name, str(entry["url"]), str(entry["rev"]), str(folder))


def package_order(folders: Mapping[str, Path]) -> list[str]:
    """Packages in an order in which those that others import come first.

    Args:
        folders: the source folder of each package.

    Raises:
        TraceError: packages import each other.
    """
    import networkx as nx  # takes a third of a second

    home, wanted = {}, {}
    for package, folder in folders.items():
        paths = lean_files(folder)
        home.update({module_name(path): package for path in paths})
        texts = ((folder / path).read_text(encoding="utf-8", errors="replace") for path in paths)
        wanted[package] = {entry.module for text in texts for entry in read_imports(text)}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(folders)
    for package, modules in wanted.items():
        below = {home[module] for module in modules if module in home} - {package}
        graph.add_edges_from((other, package) for other in below)
    try:
        return list(nx.lexicographical_topological_sort(graph))
    except nx.NetworkXUnfeasible:
        raise TraceError(f"the packages {', '.join(sorted(folders))} import each other in a circle") from None
