"""The embedded ``lean`` as a program, with the arguments of the stock one.

What they mean is told in ``LeanAgent/CommandLine.lean``. Unlike the server it is hardly confined: it starts
no process and reaches no network. It reads and writes its user's files, as the stock program does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lean_agent.lean.embedded.install import RELEASE, install
from lean_agent.lean.embedded.installation import Installation, node_command


def lean_command(arguments: Sequence[str], where: Installation) -> list[str]:
    """Return the command line that is ``lean ARGUMENTS``."""
    everything = Path("*")
    return [*node_command(where, "run", where.agent, everything, writable=[everything])[:-1], *arguments]


def answer_at_once(arguments: Sequence[str], where: Installation) -> str | None:
    """Return what to print for arguments that ask about the installation, which Lean need not be started for."""
    version, commit = RELEASE
    match list(arguments):
        case ["--version" | "-v"]:
            return f"Lean (version {version}, wasm32-unknown-emscripten, commit {commit}, Release)"
        case ["--short-version" | "-V"]:
            return version
        case ["--githash" | "-g"]:
            return commit
        case ["--print-prefix"]:
            return str(where.lean)
        case ["--print-libdir"]:
            return str(where.lean / "lib" / "lean")
    return None


def become_lean(arguments: Sequence[str]) -> None:
    """Be ``lean ARGUMENTS`` from now on: in this process, on its channels. Returns only when all is printed already.

    Raises:
        LeanInstallError: embedded Lean could not be installed.
    """
    where = install()
    answer = answer_at_once(arguments, where)
    if answer is not None:
        print(answer)
        return
    command = lean_command(arguments, where)
    os.execve(command[0], command, {"LEAN_PATH": os.environ.get("LEAN_PATH", "")})
