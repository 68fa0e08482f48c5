"""Old builds out of the cache: what earlier versions of this package, and of its Lean code, have left there.

A build that a process runs on stays, whatever is asked for: it goes on reading modules from there. Which these are, the
command lines of processes tell, so that those of other versions count as well.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded.archive import PACKAGE
from lean_agent.lean.embedded.install import installation, lean_root
from lean_agent.lean.native.toolchain import is_up_to_date

_REMOVING = ".removing-"
_LOCKS = ("install.lock", "native.lock")  # under which builds are made


@dataclass(frozen=True, slots=True)
class Build:
    """A folder of the cache.

    Attributes:
        size: in bytes.
        kept: why it stays; empty when it goes.
    """

    folder: Path
    size: int
    kept: str


def clean(*, everything: bool = False, dry_run: bool = False) -> Iterator[Build]:
    """Remove builds, one after the other, and tell of each; of those that stay, too.

    Args:
        everything: those that this version would use as well.
        dry_run: remove nothing.

    Raises:
        LeanInstallError: an installation is under way.
    """
    root = lean_root()
    if not root.is_dir():
        return
    locks = [FileLock(root / name, timeout=0) for name in _LOCKS]
    try:
        for lock in locks:
            lock.acquire()
        yield from _clean(root, everything, dry_run)
    except Timeout:
        raise LeanInstallError(f"an installation is under way in {root}; try again when it has ended") from None
    finally:
        for lock in locks:
            lock.release()


def _clean(root: Path, everything: bool, dry_run: bool) -> Iterator[Build]:
    where = installation()
    for folder in sorted(_builds(root)):
        wanted = folder in (where.lean, where.agent) or (folder.name.startswith("native-") and is_up_to_date(folder))
        size = _size(folder)
        kept = _in_use(folder) or ("this version uses it" if wanted and not everything else "")
        if not kept and not dry_run:
            kept = _remove(folder)
        yield Build(folder, size, kept)


def _builds(root: Path) -> Iterator[Path]:
    """Return what installations have made, whole or not."""
    for pattern in (f"{PACKAGE}-*", "agent-*", "native-*", ".preparing-*", ".native-*", f"{_REMOVING}*"):
        yield from (folder for folder in root.glob(pattern) if folder.is_dir() and not folder.is_symlink())


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def _in_use(folder: Path) -> str:
    """Return the process that uses it, if any does."""
    for process in psutil.process_iter(["cmdline"]):
        arguments: list[str] = process.info["cmdline"] or []
        if process.pid != os.getpid() and any(str(folder) in argument for argument in arguments):
            return f"process {process.pid} runs on it"
    return ""


def _remove(folder: Path) -> str:
    """Remove it and return why it could not be removed; empty when it is gone."""
    going = folder if folder.name.startswith(".") else folder.with_name(_REMOVING + folder.name)
    try:
        folder.rename(going)
        if user := _in_use(folder):  # who came in between has it back
            going.rename(folder)
            return user
        shutil.rmtree(going)
    except OSError as e:
        return f"it cannot be removed: {e.strerror or e}"
    return ""
