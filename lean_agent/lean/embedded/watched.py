"""Run a program of the installation to its end, telling meanwhile how far it is. It ends with us, however we end."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lean_agent.lean.process.channel import die_with_parent

Report = Callable[[str], None]
"""Is told what is being done, every half second."""

_POLL_S = 0.5


def run_watched(
    argv: Sequence[str],
    tell: Callable[[int], None],
    *,
    environment: Mapping[str, str],
    folder: Path | None = None,
    timeout_s: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Return what a program has printed and its exit code.

    Args:
        tell: is called with the process id while it runs.
        timeout_s: seconds after which it is killed.

    Raises:
        subprocess.TimeoutExpired: it was killed.
    """
    began = time.monotonic()
    with subprocess.Popen(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=die_with_parent,  # noqa: PLW1509  # of this thread, which waits; it makes one call of the system
    ) as process:
        try:
            while True:
                try:
                    printed, errors = process.communicate(timeout=_POLL_S)
                    return subprocess.CompletedProcess(argv, process.returncode, printed, errors)
                except subprocess.TimeoutExpired:
                    if timeout_s is not None and time.monotonic() - began > timeout_s:
                        raise
                    tell(process.pid)
        except BaseException:
            process.kill()
            raise
