"""Walls of bubblewrap (``bwrap``): namespaces of a process's own.

Inside there is no network, no other process, and of the disk only what is named, read-only, and one folder to write to.
When ``bwrap`` ends, the kernel ends whatever was started in it.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

_WITHOUT = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
_ASK_S = 20


@functools.cache
def why_no_bubblewrap(path: str, system: tuple[Path, ...]) -> str:
    """Return why bubblewrap cannot confine a program; empty when it can.

    Args:
        path: the folders in which ``bwrap`` is looked for, as ``PATH`` has them.
        system: the folders that programs need of the system.
    """
    program = shutil.which("bwrap", path=path)
    if program is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap)"
    attempt = [program, *_WITHOUT, *_mounts(system), "--proc", "/proc", "--dev", "/dev", "/bin/true"]
    try:
        done = subprocess.run(attempt, capture_output=True, text=True, errors="replace", timeout=_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return f"{program} does not run ({e})"
    return "" if done.returncode == 0 else f"{program} can make no namespaces here ({done.stderr.strip()[-200:]})"


def _mounts(folders: Collection[Path]) -> list[str]:
    """Show folders read-only at their own places, outer ones first."""
    outer_first = sorted({str(folder) for folder in folders}, key=lambda folder: (folder.count("/"), folder))
    return [word for folder in outer_first for word in ("--ro-bind-try", folder, folder)]


def within_bubblewrap(
    argv: Sequence[str],
    *,
    readable: Collection[Path],
    scratch: Path | None,
    environment: Mapping[str, str],
    working: Path,
) -> tuple[str, ...]:
    """Return the command that runs another within namespaces of its own; the arguments are those of
    :func:`lean_agent.lean.native.walls.walled`, the system's folders among those that are readable."""
    words = [shutil.which("bwrap") or "bwrap", *_WITHOUT, "--tmpfs", "/tmp", *_mounts(readable)]
    words += ["--proc", "/proc", "--dev", "/dev"]
    if scratch is not None:
        words += ["--bind", str(scratch), str(scratch)]
    words += ["--chdir", str(working)]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    return (*words, "--", *argv)
