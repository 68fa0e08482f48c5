"""One process at a time writes to a folder.

The lock is the operating system's (``flock``, by filelock), so it ends with the process that holds it, however that
dies. Beside it stands who holds it, for the sentence that a second one gets; where a run goes on when its command is
given again, that command stays when the lock has gone. It knows nothing of what is written.
"""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from lean_agent.errors import ConfigError, next_step, words_of
from lean_agent.files import write_atomically

LOCK = ".lock"
HOLDER = ".lock.json"
COMMAND = ".command.json"
MAX_COMMAND_CHARS = 100
_SINCE = "%Y-%m-%d %H:%M:%S"

_Owner = tuple[int, int]
"""Process and thread."""

_held: dict[Path, _Owner] = {}
_guard = threading.Lock()


@dataclass(frozen=True, slots=True)
class Holder:
    """Who is at work in a folder.

    Attributes:
        command: as it was typed.
        is_here: whether it is a process of this machine; another one's may have ended.
    """

    process: int
    machine: str
    command: str
    since: str
    is_here: bool


@dataclass(frozen=True, slots=True)
class LastCommand:
    """The command that was at work in a folder last: its program, the words after that, and its working directory."""

    program: str
    arguments: tuple[str, ...]
    folder: Path


@contextmanager
def locked_folder(
    folder: str | os.PathLike[str], *, instead: str = "name another folder", keeps_command: bool = False
) -> Iterator[None]:
    """Keep everybody else from writing to ``folder``, which is made if need be. A thread may ask again for what it has.

    Args:
        instead: what the user can do beside waiting.
        keeps_command: note the command of this process, for :func:`last_command`.

    Raises:
        ConfigError: another process, or another thread of this one, is at work there; names the process. Or the folder
            cannot be written.
    """
    path, owner = Path(folder).expanduser().resolve(), (os.getpid(), threading.get_ident())
    if _held.get(path) == owner:
        yield
        return
    is_new = not path.exists()
    lock = FileLock(path / LOCK, thread_local=False)
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise ConfigError(f"{_holder(path)} is at work in {path}: wait until it ends, or {instead}.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({words_of(error)}): {next_step(error)}.") from error
    with _guard:
        _held[path] = owner
    try:
        _sign(path)
        if keeps_command:
            _note_command(path)
        yield
    finally:
        with _guard:
            del _held[path]
        with suppress(OSError):  # whoever has opened the lock's file meanwhile finds it gone, and makes another
            (path / HOLDER).unlink(missing_ok=True)
            (path / LOCK).unlink(missing_ok=True)
        lock.release()
        if is_new:
            with suppress(OSError):  # where something was written, it stays
                if [file.name for file in path.iterdir()] == [COMMAND]:
                    (path / COMMAND).unlink()
                path.rmdir()


def holder(folder: Path) -> Holder | None:
    """Return who is at work in a folder; ``None`` where nobody is, or a killed process has left its note."""
    try:
        note = json.loads((folder / HOLDER).read_text(encoding="utf-8"))
        machine, process, since = str(note["machine"]), int(note["process"]), str(note["since"])
        is_here = machine == socket.gethostname()
        known = Holder(process, machine, str(note["command"]), since, is_here)
        return known if not is_here or _lives(process, since) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def last_command(folder: Path) -> LastCommand | None:
    """Return the command that was at work in a folder last, where it was noted."""
    try:
        note = json.loads((folder / COMMAND).read_text(encoding="utf-8"))
        return LastCommand(str(note["program"]), tuple(map(str, note["arguments"])), Path(note["folder"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _lives(process: int, since: str) -> bool:
    """Check whether a process is there that had begun by then: numbers of processes are used again."""
    try:
        return psutil.Process(process).create_time() <= datetime.strptime(since, _SINCE).timestamp() + 1
    except psutil.Error:
        return False


def _note_command(folder: Path) -> None:
    """Note the command of this process. The lock holds without the note."""
    program, *arguments = sys.argv or [""]
    note = {"program": Path(program).name, "arguments": arguments, "folder": os.getcwd()}
    with suppress(OSError):
        write_atomically(folder / COMMAND, json.dumps(note, ensure_ascii=False).encode())


def _sign(folder: Path) -> None:
    """Note who holds the lock. It holds without the note, as on a disk that is full."""
    program, *arguments = sys.argv or [""]
    holder = {
        "process": os.getpid(),
        "machine": socket.gethostname(),
        "command": shlex.join([Path(program).name, *arguments]),
        "since": time.strftime(_SINCE),
    }
    with suppress(OSError):
        write_atomically(folder / HOLDER, json.dumps(holder, ensure_ascii=False).encode())


def _holder(folder: Path) -> str:
    """Return the process that holds the lock of a folder, in words."""
    try:
        holder = json.loads((folder / HOLDER).read_text(encoding="utf-8"))
        command, machine = str(holder["command"]), str(holder["machine"])
        if len(command) > MAX_COMMAND_CHARS:
            command = f"{command[: MAX_COMMAND_CHARS - 1]}…"
        where = "" if machine == socket.gethostname() else f" on {machine}"
        return f"Process {int(holder['process'])}{where} ({command}, since {holder['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "Another process"
