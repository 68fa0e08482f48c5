"""Which files of a folder are Lean sources of its project, and what else says how to build it, and with which Lean.

Owns the reading of a project's layout: where lakefiles are, toolchain file, ``.lean`` files. It writes nothing and
reads no Lean code.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from lean_agent.errors import ConfigError, NotALeanProject
from lean_agent.lean.types import LeanMessage

TOML_LAKEFILE, LEAN_LAKEFILE = LAKEFILES = ("lakefile.toml", "lakefile.lean")
NOT_SOURCES = frozenset({"build", "lake-packages"})
"""Folders that Lake before version 5 made at the top of a project."""
LEAN_3_FILE = "leanpkg.toml"
_VERSION = re.compile(r"(\d+)\.(\d+)")
_NOT_KNOWN = re.compile(
    r"unknown (identifier|constant|option|attribute|namespace|tactic|declaration|universe|module|package)"
    r"|unexpected (token|identifier)|expected token|invalid (field|attribute|argument name|option|pattern)"
    r"|has not been implemented|Since Lean v4|object file .* does not exist|no such attribute|is not a structure field",
    re.IGNORECASE,
)


def lean_files(root: Path, without: Collection[Path] = ()) -> list[str]:
    """Return the Lean sources below ``root``, as sorted paths relative to it with forward slashes.

    Left out: lakefiles, hidden folders (``.lake``, ``.git``), ``build`` and ``lake-packages`` at the top of a project
    (``root``, and folders with a lakefile), the folders ``without``, and links that lead out of ``root``.
    """
    resolved_root = root.resolve()
    return sorted(
        path.relative_to(root).as_posix()
        for folder, files, _ in _folders(root, without)
        for path in (folder / name for name in files)
        if path.suffix == ".lean" and path.name not in LAKEFILES and not path.name.startswith(".")
        if is_own_file(path, resolved_root)
    )


def _folders(root: Path, without: Collection[Path] = ()) -> Iterator[tuple[Path, list[str], bool]]:
    """Yield the folders that may hold sources, with their files and whether each is a Lake project."""
    resolved_root = root.resolve()
    for place, folders, files in os.walk(root):
        folder = Path(place)
        is_project = has_lakefile(folder, resolved_root)
        made = NOT_SOURCES if is_project or folder == root else ()
        folders[:] = [name for name in folders if not name.startswith(".") and name not in made]
        folders[:] = [name for name in folders if folder / name not in without]
        yield folder, files, is_project


def has_lakefile(folder: Path, resolved_root: Path | None = None) -> bool:
    """Return whether a folder is a Lake project: it has a lakefile that lies in the root, by default in itself."""
    inside = resolved_root or folder.resolve()
    return any(is_own_file(folder / name, inside) for name in LAKEFILES)


def is_own_file(path: Path, resolved_root: Path) -> bool:
    """Return whether ``path`` is a plain file, by way of links or not, that lies in the project and not in its
    ``.git``."""
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
    if not has_lakefile(folder) and not lean_files(folder):
        raise NotALeanProject(
            f"{shown_as} has neither a lakefile nor any .lean file; give the folder or repository of a Lean 4 project"
        )


def find_projects(root: Path) -> tuple[str, ...]:
    """Find the folders below ``root`` that are Lake projects, relative to it, sorted; ``""`` is ``root`` itself.

    It is one of them with a lakefile of its own, with Lean files that lie in no other, and where there is no other.
    What Lake has built or fetched is none, nor are hidden folders.
    """
    projects = [folder.relative_to(root).as_posix() for folder, _, is_project in _folders(root) if is_project]
    inner = sorted(folder for folder in projects if folder != ".")
    has_files = "." in projects or not inner or lean_files(root, [root / folder for folder in inner])
    return ("", *inner) if has_files else tuple(inner)


def inner_projects(root: Path, folder: str = "") -> tuple[Path, ...]:
    """Return the folders of other projects that lie in the project's own, which are no part of it."""
    top = root / folder
    return tuple(top / inner for inner in find_projects(top) if inner)


def is_lean_3(root: Path, folder: str = "") -> bool:
    """Return whether a project is written for Lean 3: it has a ``leanpkg.toml`` and no lakefile, or asks for such a
    Lean."""
    top, resolved_root = root / folder, root.resolve()
    if has_lakefile(top, resolved_root):
        return False
    return is_own_file(top / LEAN_3_FILE, resolved_root) or ":3." in (toolchain(root, folder) or "")


def toolchain(root: Path, folder: str = "") -> str | None:
    """Return what ``lean-toolchain`` asks for, such as ``leanprover/lean4:v4.28.0``; ``None`` without that file.

    As with elan the file of the nearest folder counts, from the project's own up to ``root``.
    """
    for above in (PurePosixPath(folder), *PurePosixPath(folder).parents):
        path = root / above / "lean-toolchain"
        if is_own_file(path, root.resolve()):
            try:
                return path.read_text(encoding="utf-8").strip() or None
            except (FileNotFoundError, UnicodeDecodeError):
                return None
    return None


def decisive_files(folder: Path, without: Collection[Path] = ()) -> list[str]:
    """Return all that decides what a trace of ``folder`` says: its lakefiles, toolchain file and sources, but for those
    in the folders ``without``."""
    settings = [name for name in (*LAKEFILES, "lean-toolchain") if is_own_file(folder / name, folder.resolve())]
    return [*settings, *lean_files(folder, without)]


def content_digest(folder: Path, without: Collection[Path] = ()) -> str:
    """SHA-256 over all that decides what a trace of ``folder`` says (:func:`decisive_files`)."""
    digest = hashlib.sha256()
    for name in decisive_files(folder, without):
        content = (folder / name).read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def minor_version(text: str | None) -> tuple[int, int] | None:
    """``leanprover/lean4:v4.28.0-rc1`` is (4, 28); ``None`` where there is no number, as for ``nightly``."""
    match = _VERSION.search(text.partition(":")[2] or text) if text else None
    return (int(match[1]), int(match[2])) if match else None


def differs(toolchain: str | None, ran: str) -> bool:
    """Return whether a project asks for another minor version than the one that ran; without one, it does not."""
    asked = minor_version(toolchain)
    return toolchain is not None and asked != minor_version(ran)


def is_unknown_here(error: LeanMessage) -> bool:
    """Return whether an error speaks of a name, option, attribute or syntax that the Lean which ran does not have.

    In a project that was written for another version these are what the difference breaks first. It is a count of
    suspects: such an error may also be the project's own.
    """
    return _NOT_KNOWN.search(error.text) is not None


def find_repositories(repos: Path | None) -> list[Path]:
    """Return the Lean projects of a folder; by default those that ship with the package: ``repos/`` of the source
    checkout, or what an installed package holds of it.

    Raises:
        ConfigError: there is no such folder, or no Lean project in it.
    """
    package = Path(__file__).resolve().parents[2]
    shipped = next((path for path in (package.parent / "repos", package / "repos") if path.is_dir()), package / "repos")
    folder = repos or shipped
    folders = sorted(path for path in folder.glob("*") if has_lakefile(path))
    if not folders:
        raise ConfigError(
            f"The demo works on the Lean repositories that ship with the package, and there are none in {folder}. "
            "Install it again, or name a folder of Lean projects with --repos."
        )
    return folders
