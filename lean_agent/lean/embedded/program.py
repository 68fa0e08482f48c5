"""The embedded Lean as the program ``lean``, on its user's files and channels.

A file is elaborated by a process that is watched, so that there is an end to it: by a limit of time, and where none of
its threads works any more. A program of ``--run`` may be a server, which waits for as long as it likes: without a limit
that was asked for, this process becomes it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from lean_agent.errors import LeanProcessDied, LeanStalled, LeanTimeout
from lean_agent.lean.embedded.install import RELEASE, Installation, install, node_command
from lean_agent.lean.process.channel import die_with_parent

LIMIT_S = 3600.0
IDLE_S = 60.0
_BEAT_S = 1.0
_LEAST_WORK = 0.02  # of a core: less is the timers of Node
_CRASHED = 70  # as host.cjs has it


def run_lean(arguments: Sequence[str], *, limit_s: float | None = None, idle_s: float | None = None) -> int:
    """Run ``lean ARGUMENTS`` on the channels of this process; return its exit code, if it returns at all.

    What the arguments mean is told in ``LeanAgent/CommandLine.lean``. Unlike the server it is hardly confined: it
    starts no process and reaches no network, and reads and writes its user's files, as the stock program does.

    Args:
        limit_s: seconds that it may take; by default :data:`LIMIT_S`, and with ``--run`` any number.
        idle_s: seconds for which none of its threads may work; by default :data:`IDLE_S`, and any number with ``--run``
            and ``--stdin``, which wait for others. Where Linux does not tell of threads nothing is known of that.

    Raises:
        LeanInstallError: embedded Lean could not be installed.
        LeanTimeout, LeanStalled: it took so long, or stood still for so long, and was ended.
        LeanProcessDied: it crashed, or a signal ended it.
    """
    where = install()
    answer = answer_at_once(arguments, where)
    if answer is not None:
        print(answer)
        return 0
    command = lean_command(arguments, where)
    environment = {"LEAN_PATH": os.environ.get("LEAN_PATH", "")}
    if "--run" in arguments and limit_s is None and idle_s is None:
        os.execve(command[0], command, environment)
    if "--run" not in arguments:
        limit_s = limit_s or LIMIT_S
        idle_s = idle_s or (None if "--stdin" in arguments else IDLE_S)
    return run_to_an_end(command, environment, limit_s=limit_s, idle_s=idle_s)


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


def run_to_an_end(
    command: Sequence[str], environment: Mapping[str, str], *, limit_s: float | None, idle_s: float | None
) -> int:
    """Run Lean's program on the channels of this process, for as long as it may; return its exit code.

    Raises:
        LeanTimeout, LeanStalled, LeanProcessDied: as for :func:`run_lean`.
    """
    began = time.monotonic()
    idle, worked = 0.0, 0.0
    with subprocess.Popen(command, env=environment, preexec_fn=die_with_parent) as process:  # noqa: PLW1509  # as there
        try:
            while True:
                try:
                    return _checked(process.wait(_BEAT_S))
                except subprocess.TimeoutExpired:
                    before, worked = worked, worked_s(process.pid)
                # A thread that ends takes its time with it. Beats are counted, since both of us may be stopped.
                is_idle = 0 <= worked - before < _LEAST_WORK * _BEAT_S and worked and not _waits_for_reader()
                idle = idle + _BEAT_S if is_idle else 0.0
                if idle_s is not None and idle >= idle_s:
                    raise LeanStalled(
                        f"No thread of Lean has worked for {idle_s:g} s, so it was ended: it hangs, or a program in "
                        "the file sleeps or waits for input. Run it once more, or give it more time with "
                        "--idle-seconds."
                    )
                if limit_s is not None and time.monotonic() - began >= limit_s:
                    raise LeanTimeout(
                        f"Lean was not done after {limit_s:g} s, so it was ended. Where nothing in the file runs for "
                        "ever (an #eval that loops, a tactic without a limit), give it more time with --seconds."
                    )
        finally:
            process.kill()


def worked_s(pid: int) -> float:
    """Return for how many seconds the threads of a process have worked, or could have and waited for a processor; 0
    where Linux does not tell."""
    figures = []
    try:
        for thread in os.scandir(f"/proc/{pid}/task"):
            figures += Path(thread.path, "schedstat").read_text().split()[:2]
    except OSError:  # no such thing here, or a thread has ended meanwhile
        return 0.0
    return sum(map(int, figures)) / 1e9


def _waits_for_reader() -> bool:
    """Check whether what we print is not being read, as by a pager: whoever prints more stands still."""
    try:
        return len(select.select([], [1, 2], [], 0)[1]) < 2
    except OSError:
        return False  # closed, so that nothing waits


def _checked(code: int) -> int:
    """Return the exit code of a program that has ended by itself.

    Raises:
        LeanProcessDied: it has not.
    """
    if code < 0:
        raise LeanProcessDied(
            f"Lean's process was ended by {signal.Signals(-code).name}. Where nobody did that, the machine has run out "
            "of memory: try again with fewer other programs, or with a smaller file."
        )
    if code == _CRASHED:
        raise LeanProcessDied(
            "Lean's process crashed, for the reason above. Where it is the stack ('call stack size exceeded'), a "
            "program or a term in the file goes too deep; where it is memory, there are 2 GiB at most. A native Lean "
            "has more of both (docs/native_lean.md)."
        )
    return code
