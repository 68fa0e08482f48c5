"""The walls around a native Lean: bubblewrap (``bwrap``), where the machine has it and lets it make namespaces.

Inside there is no network, no other process, no variable of the user's, and of the disk only what is named: the
system's libraries, the toolchain, our compiled code, the folders with a project's compiled modules and what
``LEAN_AGENT_READABLE`` names, all read-only; and a temporary folder, which goes with the process. When ``bwrap`` ends,
the kernel ends whatever was started in it.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

TRUST_VARIABLE = "LEAN_AGENT_TRUST_REPOSITORY"
READABLE_VARIABLE = "LEAN_AGENT_READABLE"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache")
_WITHOUT = ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
_ASK_S = 20


def is_trusted() -> bool:
    """Check whether the user has said that the repositories are trusted, and wants no walls."""
    return os.environ.get(TRUST_VARIABLE, "") not in ("", "0")


def why_unconfined() -> str:
    """Return why a native Lean is not confined here: nobody wants it to be, or it cannot be. Empty where it is."""
    return f"{TRUST_VARIABLE} is set" if is_trusted() else why_no_walls(os.environ.get("PATH", os.defpath))


@functools.cache
def why_no_walls(path: str) -> str:
    """Return why a native Lean cannot be confined; empty when it can be.

    Args:
        path: the folders in which ``bwrap`` is looked for, as ``PATH`` has them.
    """
    program = shutil.which("bwrap", path=path)
    if program is None:
        return "bubblewrap is not installed (Debian: apt install bubblewrap)"
    attempt = [program, *_WITHOUT, *_mounts(_SYSTEM), "--proc", "/proc", "--dev", "/dev", "/bin/true"]
    try:
        done = subprocess.run(attempt, capture_output=True, text=True, errors="replace", timeout=_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return f"{program} does not run ({e})"
    return "" if done.returncode == 0 else f"{program} can make no namespaces here ({done.stderr.strip()[-200:]})"


def _mounts(folders: Collection[Path | str]) -> list[str]:
    """Show folders read-only at their own places, outer ones first."""
    outer_first = sorted({str(folder) for folder in folders}, key=lambda folder: (folder.count("/"), folder))
    return [word for folder in outer_first for word in ("--ro-bind-try", folder, folder)]


def walled(
    argv: Sequence[str],
    *,
    readable: Collection[Path],
    scratch: Path | None,
    environment: Mapping[str, str],
    working: Path | None = None,
) -> tuple[str, ...]:
    """Return the command that runs another within walls.

    Args:
        readable: folders that it may read, beside the system's.
        scratch: the one folder of the machine that it may write to. Without one it has a ``/tmp`` of its own.
        environment: all its variables.
        working: where it works; by default where it may write.
    """
    program = shutil.which("bwrap") or "bwrap"
    home = str(scratch or "/tmp")
    variables = {"PATH": "/usr/bin:/bin", "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", **environment}
    named = [Path(folder).absolute() for folder in os.environ.get(READABLE_VARIABLE, "").split(os.pathsep) if folder]
    words = [program, *_WITHOUT, "--tmpfs", "/tmp", *_mounts([*_SYSTEM, *named, *readable])]
    words += ["--proc", "/proc", "--dev", "/dev"]
    if scratch is not None:
        words += ["--bind", home, home]
    words += ["--chdir", str(working or home)]
    for name, value in variables.items():
        words += ["--setenv", name, value]
    return (*words, "--", *argv)
