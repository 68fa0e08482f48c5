"""Walls of Landlock, for where there is no bubblewrap: rights that a process gives up before it becomes the program.

Run as a program of its own, by its path, it takes what may be read and written, gives up everything else that this
kernel's Landlock knows of, and becomes the program (:func:`main`). What Landlock does not know of is in
:data:`LEFT_OPEN` and :func:`network_left_open`.
"""

from __future__ import annotations

import functools
import json
import os
import stat
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_ITSELF = "/proc/self"  # a process asks there what memory it takes
_ASK_S = 60
_VERSION = "version"
_TCP_SINCE, _SCOPES_SINCE, _UDP_SINCE = 4, 6, 10  # versions of Landlock's interface
LEFT_OPEN = (
    "how large files are, permissions and dates of those that are yours, and what it starts in a session of its own, "
    "which outlives it"
)


@functools.cache
def landlock_version() -> tuple[int, str]:
    """Return the version of Landlock's interface in this kernel; or 0, and why it cannot confine a program."""
    argv = (*_LAUNCHER, _VERSION)
    try:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=_ASK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        return 0, str(e)
    if done.returncode != 0:
        return 0, (done.stderr.strip().splitlines() or ["no message"])[-1][-200:]
    return int(done.stdout), ""


def network_left_open(version: int) -> str:
    """Return what of the network, and of other processes, a program within walls of this version reaches; empty for
    nothing."""
    parts = ["the network"] if version < _TCP_SINCE else ["UDP"] if version < _UDP_SINCE else []
    parts += ["signals to your processes"] if version < _SCOPES_SINCE else []
    return ", ".join(parts)


_LAUNCHER = (sys.executable, "-I", os.path.abspath(__file__))


def within_landlock(
    argv: Sequence[str],
    *,
    readable: Collection[Path],
    scratch: Path | None,
    environment: Mapping[str, str],
    working: Path,
) -> tuple[str, ...]:
    """Return the command that gives up its rights and becomes another; the arguments are those of
    :func:`lean_agent.lean.native.walls.walled`, the system's folders among those that are readable."""
    wanted = {
        "readable": sorted(map(str, readable)),
        "scratch": str(scratch) if scratch else None,
        "environment": dict(environment),
        "working": str(working),
    }
    return (*_LAUNCHER, json.dumps(wanted), *argv)


def main(arguments: Sequence[str]) -> None:
    """Give up all rights but the wanted ones, and become the program; or, asked for it, all but those to read, and
    print the version of Landlock's interface.

    Raises:
        OSError: there is no Landlock, or no such program. Nothing is run without walls.
    """
    from landlockpy import abi_version

    if list(arguments) == [_VERSION]:
        _give_up(["/"], None)
        print(abi_version())
        return
    wanted = json.loads(arguments[0])
    # Kept open: where the kernel forgets this folder, it makes another one, which no rule allows.
    os.set_inheritable(os.open(_ITSELF, os.O_PATH), True)
    _give_up(wanted["readable"], wanted["scratch"])
    os.chdir(wanted["working"])
    os.execve(arguments[1], list(arguments[1:]), wanted["environment"])


def _give_up(readable: Sequence[str], scratch: str | None) -> None:
    from landlockpy import AccessFS, Ruleset, Scope

    reads = AccessFS.READ_FILE | AccessFS.READ_DIR | AccessFS.EXECUTE
    writes = AccessFS.WRITE_FILE | AccessFS.TRUNCATE
    makes = AccessFS.MAKE_DIR | AccessFS.MAKE_REG | AccessFS.MAKE_SYM | AccessFS.MAKE_SOCK | AccessFS.MAKE_FIFO
    moves = AccessFS.REMOVE_DIR | AccessFS.REMOVE_FILE | AccessFS.REFER
    of_a_file = AccessFS.READ_FILE | AccessFS.EXECUTE | writes
    with Ruleset(scoped=Scope.SIGNAL | Scope.ABSTRACT_UNIX_SOCKET) as rules:

        def allow(path: str, rights: AccessFS) -> None:
            try:
                is_folder = stat.S_ISDIR(os.stat(path).st_mode)
            except OSError:
                return  # as there is nothing there
            rules.allow_path(path, rights if is_folder else rights & of_a_file)

        for path in (*readable, _ITSELF):
            allow(path, reads)
        for path in _DEVICES:
            allow(path, AccessFS.READ_FILE | writes)
        if scratch is not None:
            allow(scratch, (reads & ~AccessFS.EXECUTE) | writes | makes | moves)
        rules.restrict()


if __name__ == "__main__":
    main(sys.argv[1:])
