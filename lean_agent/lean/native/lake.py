"""Where the compiled modules of a project's packages are: as the project's own Lake has it, or else as Lake lays them
out on disk.

Owns the question to Lake and the reading of ``lake-manifest.json``; it builds nothing. A package that was never built
is told in a sentence, with the command that builds it.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lean_agent.errors import LeanInstallError, LeanRequestError
from lean_agent.lean.native.toolchain import Command, as_it_is, ask, named_on_path

LAKEFILES = ("lakefile.lean", "lakefile.toml")
_MANIFEST = "lake-manifest.json"
_LIBRARY = Path(".lake", "build", "lib")
_CACHED = "mathlib"  # the package whose cache has the modules of all that it needs


def read_library_path(lake: Path | None, root: Path, command: Command = as_it_is) -> tuple[str, ...]:
    """Return where the modules of a project's packages are; empty for a folder without a lakefile.

    Lake is asked (``lake env``). Where there is none, or it fails on a project that it has built before (a folder that
    is read-only, for one), they are where Lake puts them by itself.

    Raises:
        LeanRequestError: Lake cannot tell, and nothing is built; or a package of the manifest is not built.
    """
    if not any((root / name).is_file() for name in LAKEFILES):
        return ()
    laid_out = tuple(str(folder) for _, folder in _built(root))
    folders = laid_out
    if lake is not None:
        try:
            answer = ask(lake, "env", "printenv", "LEAN_PATH", folder=root, command=command)
            folders = tuple(folder for folder in answer.strip().split(os.pathsep) if folder)
        except LeanInstallError as e:
            if not laid_out:
                raise LeanRequestError(
                    f"Lake does not know where the packages of {root} are; run `{build_command(root)}` there. {e}"
                ) from e
    _refuse_unbuilt(root, folders)
    return folders


library_path = functools.lru_cache(maxsize=64)(read_library_path)
"""The same, asked once for each project."""


def found_library_path(root: Path) -> tuple[str, ...]:
    """Return the same, as the Lake that is on ``PATH`` or under ``~/.elan`` has it.

    Raises:
        LeanRequestError: Lake cannot tell, or a package is not built.
    """
    return read_library_path(named_on_path("lake"), root)


def build_command(root: Path) -> str:
    """Return the command that builds what a project imports: Mathlib is fetched and not built."""
    names = {package["name"].lower() for package in _packages(root)}
    return "lake exe cache get && lake build" if _CACHED in names else "lake build"


def _refuse_unbuilt(root: Path, folders: Sequence[str]) -> None:
    unbuilt = [name for name, place in _places(root) if not _has_modules([place, *_of_package(folders, name)])]
    if unbuilt:
        raise LeanRequestError(
            f"{', '.join(unbuilt)} of {root} has no compiled modules; run `{build_command(root)}` there, and try again"
        )


def _of_package(folders: Sequence[str], name: str) -> list[Path]:
    return [Path(folder) for folder in folders if name.lower() in (part.lower() for part in Path(folder).parts)]


def _built(root: Path) -> list[tuple[str, Path]]:
    """Return the packages that are built, the project itself first, each with the folder of its modules."""
    own = _library(root)
    places = [*([(root.name, own)] if own.is_dir() else []), *_places(root)]
    return [(name, folder) for name, folder in places if _has_modules([folder])]


def _has_modules(folders: Sequence[Path]) -> bool:
    return any(next(folder.rglob("*.olean"), None) is not None for folder in folders if folder.is_dir())


def _places(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield each package of the manifest that has sources here, with the folder of its modules."""
    manifest = _manifest(root)
    packages = root / manifest.get("packagesDir", ".lake/packages")
    for package in _packages(root):
        folder = root / package["dir"] if "dir" in package else packages / package["name"].strip("«»")
        folder /= package.get("subDir") or "."
        yield package["name"].strip("«»"), _library(folder)


def _library(package: Path) -> Path:
    """Return the folder of a package's modules; before Lake 5 it was ``build/lib`` itself."""
    new = package / _LIBRARY / "lean"
    return new if new.is_dir() or not (package / _LIBRARY).is_dir() else package / _LIBRARY


def _packages(root: Path) -> list[dict[str, Any]]:
    return [package for package in _manifest(root).get("packages", []) if isinstance(package.get("name"), str)]


def _manifest(root: Path) -> dict[str, Any]:
    path = root / _MANIFEST
    if not path.is_file():
        return {}
    try:
        manifest = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as e:
        raise LeanRequestError(f"{path} cannot be read ({e}); run `lake update` there") from e
    return manifest if isinstance(manifest, dict) else {}
