"""One process at a time writes to a folder.

The lock is the operating system's (``flock``, by filelock), so it ends with the process that holds it, however that
dies. Beside it stands who holds it, for the sentence that a second one gets. It knows nothing of what is written.
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
from pathlib import Path

from filelock import FileLock, Timeout

from lean_agent.errors import ConfigError, next_step, words_of
from lean_agent.files import write_atomically

LOCK = ".lock"
HOLDER = ".lock.json"
MAX_COMMAND_CHARS = 100

_Owner = tuple[int, int]
"""Process and thread."""

_held: dict[Path, _Owner] = {}
_guard = threading.Lock()


@contextmanager
def locked_folder(folder: str | os.PathLike[str], *, instead: str = "name another folder") -> Iterator[None]:
    """Keep everybody else from writing to ``folder``, which is made if need be. A thread may ask again for what it has.

    Args:
        instead: what the user can do beside waiting.

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
                path.rmdir()


def _sign(folder: Path) -> None:
    """Note who holds the lock. It holds without the note, as on a disk that is full."""
    program, *arguments = sys.argv or [""]
    holder = {
        "process": os.getpid(),
        "machine": socket.gethostname(),
        "command": shlex.join([Path(program).name, *arguments]),
        "since": time.strftime("%Y-%m-%d %H:%M:%S"),
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
