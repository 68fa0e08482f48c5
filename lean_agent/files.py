"""Files that are whole at any moment, files of JSON lines, and the folder for what can be fetched or computed again."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs

from lean_agent.errors import LeanAgentError, StorageError, failed_write


def write_atomically(path: Path, content: bytes) -> Path:
    """Put ``content`` in the place of ``path`` in one step; a kill leaves the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")  # no writer meets another
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path


@contextmanager
def writing_to(folder: Path, error: type[LeanAgentError] = StorageError) -> Iterator[None]:
    """Say in one sentence that the disk under ``folder`` takes no more, whichever library notices.

    Raises:
        StorageError: or ``error``, in the place of what the library raises.
    """
    try:
        yield
    except LeanAgentError:
        raise
    except Exception as failure:
        words = failed_write(failure)
        if words is None:
            raise
        raise error(
            f"{folder} could not be written ({words}). What was saved there before is kept: make room, then run the "
            "same again to go on from it."
        ) from failure


def json_lines(text: str) -> list[str]:
    """Return the lines of JSON Lines, without their ends.

    Not ``str.splitlines``, which also splits at U+0085, U+2028 and U+2029: JSON may hold these as they are.
    """
    return text.removesuffix("\n").split("\n") if text else []


def json_array(path: Path) -> Iterator[Any]:
    """Yield the elements of the JSON array in a file, one at a time where each has a line of its own, as exports here
    write them; another file is read whole.

    Raises:
        ValueError: it holds something else, or is cut short.
    """
    with path.open(encoding="utf-8") as file:
        if file.readline() == "[\n":
            line = file.readline()
            try:
                # where files are indented an element may have several lines
                first = None if line[:1].isspace() else [json.loads(line.removesuffix(",\n"))]
            except ValueError:
                first = None
            if first is not None:
                yield from first
                for line in file:
                    if line.rstrip() == "]":
                        return
                    yield json.loads(line.removesuffix(",\n"))
                raise ValueError("the array is cut short")
        file.seek(0)
        elements = json.load(file)
    if not isinstance(elements, list):
        raise ValueError("it is no list")
    yield from elements


def json_array_text(elements: Iterable[Any]) -> str:
    """Write a JSON array as :func:`json_array` reads it best: with a line for each element."""
    lines = [json.dumps(element, ensure_ascii=False) for element in elements]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"


def keep_json_lines(path: Path, kept: Callable[[Any], bool]) -> None:
    """Leave in a file of JSON lines those that ``kept`` wants; one at its end that was cut short goes. No file stays
    none."""
    if path.is_file():
        whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
        write_atomically(path, "".join(f"{line}\n" for line in json_lines(whole) if kept(json.loads(line))).encode())


def cache_dir() -> Path:
    """Return the user's cache folder for this package, which may not exist yet.

    ``LEAN_AGENT_CACHE`` overrides the platform's choice (on Linux ``$XDG_CACHE_HOME/lean_agent``).
    """
    override = os.environ.get("LEAN_AGENT_CACHE")
    return Path(override).expanduser().absolute() if override else platformdirs.user_cache_path("lean_agent")


def default_database(folder: Path | None = None) -> Path:
    """Return the database that is used where none is named: in a folder, by default :func:`cache_dir`."""
    return (folder or cache_dir()) / "database.sqlite"
