"""Which files of a folder are Lean sources of its project, and what else says how to build it.

Owns the reading of a project's layout: lakefile, toolchain file, source folder, ``.lean`` files. It writes nothing and
reads no Lean code.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Collection
from pathlib import Path

from lean_agent.errors import NotALeanProject

LAKEFILES = ("lakefile.toml", "lakefile.lean")
NOT_SOURCES = frozenset({"build", "lake-packages"})
"""Folders that Lake before version 5 made at the top of a project."""


def lean_files(root: Path, without: Collection[Path] = ()) -> list[str]:
    """Lean sources below ``root``, as sorted paths relative to it with forward slashes.

    Left out: lakefiles, hidden folders (``.lake``, ``.git``), ``build`` and ``lake-packages`` at the top of a project
    (``root``, and folders with a lakefile), the folders ``without``, and links that lead out of ``root``.
    """
    found = []
    resolved_root = root.resolve()
    for folder, folders, files in os.walk(root):
        made = NOT_SOURCES if Path(folder) == root or any(name in files for name in LAKEFILES) else ()
        folders[:] = [name for name in folders if not name.startswith(".") and name not in made]
        folders[:] = [name for name in folders if Path(folder, name) not in without]
        for name in files:
            path = Path(folder, name)
            if path.suffix != ".lean" or name.startswith(".") or name in LAKEFILES:
                continue
            if not is_own_file(path, resolved_root):
                continue
            found.append(path.relative_to(root).as_posix())
    return sorted(found)


def is_own_file(path: Path, resolved_root: Path) -> bool:
    """Whether ``path`` is a plain file, by way of links or not, that lies in the project and not in its ``.git``."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):  # a link to nowhere, or to itself
        return False
    return real.is_file() and real.is_relative_to(resolved_root) and ".git" not in real.relative_to(resolved_root).parts


def check_is_lean_project(folder: Path, shown_as: str) -> None:
    """Refuse a folder without Lean.

    Raises:
        NotALeanProject: neither a lakefile nor any ``.lean`` file.
    """
    if not any(is_own_file(folder / name, folder.resolve()) for name in LAKEFILES) and not lean_files(folder):
        raise NotALeanProject(
            f"{shown_as} has neither a lakefile nor any .lean file; give the folder or repository of a Lean 4 project"
        )


def source_folder(folder: Path) -> Path:
    """The folder that module names are resolved against: ``srcDir`` of ``lakefile.toml``, else ``folder`` itself.

    Where several libraries name different source folders, ``folder`` itself is taken.

    Raises:
        NotALeanProject: ``lakefile.toml`` cannot be read.
    """
    lakefile = folder / "lakefile.toml"
    if not is_own_file(lakefile, folder.resolve()):
        return folder
    try:
        config = tomllib.loads(lakefile.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NotALeanProject(f"{lakefile} is no valid TOML ({error}); mend it, or trace a copy without it") from error
    package = str(config.get("srcDir", "."))
    libraries = config.get("lean_lib", [])
    choices = {Path(package, str(library.get("srcDir", "."))) for library in libraries} or {Path(package)}
    chosen = folder / (choices.pop() if len(choices) == 1 else Path())
    is_inside = chosen.resolve().is_relative_to(folder.resolve())
    return chosen if is_inside and chosen.is_dir() else folder


def toolchain(folder: Path) -> str | None:
    """What ``lean-toolchain`` asks for, such as ``leanprover/lean4:v4.28.0``; ``None`` without that file."""
    if not is_own_file(folder / "lean-toolchain", folder.resolve()):
        return None
    try:
        return (folder / "lean-toolchain").read_text(encoding="utf-8").strip() or None
    except (FileNotFoundError, UnicodeDecodeError):
        return None


def decisive_files(folder: Path) -> list[str]:
    """All that decides what a trace of ``folder`` says: its lakefiles, toolchain file and sources."""
    settings = [name for name in (*LAKEFILES, "lean-toolchain") if is_own_file(folder / name, folder.resolve())]
    return [*settings, *lean_files(folder)]


def content_digest(folder: Path) -> str:
    """SHA-256 over all that decides what a trace of ``folder`` says."""
    digest = hashlib.sha256()
    for name in decisive_files(folder):
        content = (folder / name).read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
