"""Stop a run as Ctrl-C does, and give its command again.

A run is taken up only by the command that was noted in its folder (:func:`lean_agent.folder_lock.last_command`), and
only where that is one of the commands that go on where they were stopped. Nothing of a request is part of it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from http import HTTPStatus
from pathlib import Path

from lean_agent.folder_lock import LastCommand, last_command
from lean_agent.service.failures import refusal
from lean_agent.service.ui.run_list import Run
from lean_agent.wording import RESUMED

OUTPUT = "resumed.log"
"""Of a run folder: what a command says that was given again from a page."""


def stop(run: Run) -> None:
    """Interrupt the process that is at work in a run folder.

    Raises:
        HTTPException: there is none on this machine, or it is another user's.
    """
    if run.holder is None:
        raise refusal(HTTPStatus.CONFLICT, "Nothing is at work in this run any more.")
    if not run.holder.is_here:
        raise refusal(HTTPStatus.CONFLICT, f"The run goes on at {run.holder.machine[:80]}: stop it there.")
    if run.holder.process == os.getpid():
        raise refusal(HTTPStatus.CONFLICT, "This very service is at work in the run.")
    try:
        os.kill(run.holder.process, _signal_for(run.holder.process))
    except (ProcessLookupError, PermissionError):
        raise refusal(HTTPStatus.CONFLICT, "Its process has ended, or is another user's.") from None


def resume(run: Run) -> None:
    """Give the command of a run again, in a process of its own that outlives this one.

    Raises:
        HTTPException: it is under way, or has no command that would go on.
    """
    arguments = command_to_resume(run)
    last = last_command(run.path)
    if run.holder is not None:
        raise refusal(HTTPStatus.CONFLICT, "The run is under way.")
    if arguments is None or last is None:
        raise refusal(HTTPStatus.CONFLICT, "No command is noted in this run folder that would go on with it.")
    with (run.path / OUTPUT).open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "lean_agent", *arguments],
            cwd=last.folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    threading.Thread(target=process.wait, name="resumed run", daemon=True).start()  # so that no zombie stays


def command_to_resume(run: Run) -> list[str] | None:
    """Return the words after ``lean-agent`` with which a run goes on; ``None`` where none is known to do so."""
    last = last_command(run.path)
    if last is None or not last.arguments or not last.folder.is_dir():
        return None
    words = _as_lean_agent(last)
    if words[0] == "evaluate":
        return words if "--output" in words else [*words, "--output", str(run.path)]
    return words if words[0] in RESUMED else None


def _as_lean_agent(last: LastCommand) -> list[str]:
    """Return a command in the words of ``lean-agent``, which has those of ``lean-grpo`` too."""
    words = [word for word in last.arguments if word != "--fresh"]
    if last.program.startswith("lean-grpo") and words and words[0] == "train":
        words[0] = "train-attempts"
    return words or [""]


def _signal_for(process: int) -> signal.Signals:
    """Return what stops a process: an interrupt, or SIGTERM for one that was started with interrupts ignored."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
        ignored = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigIgn"))
    except (OSError, ValueError, StopIteration):
        return signal.SIGINT
    return signal.SIGTERM if ignored >> (signal.SIGINT - 1) & 1 else signal.SIGINT
