"""Lean's own library as premises: what its modules declare, asked of Lean once and kept in the database.

Every repository imports some of it, and no trace of a repository records its statements. Its source is not there to be
quoted, so a premise has its type as Lean prints it, and no position.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lean_agent.database.exports.entries import DatasetEntry, import_order
from lean_agent.errors import LeanRequestError
from lean_agent.progress import ProgressBar

if TYPE_CHECKING:
    from lean_agent.lean.pool import LeanPool

_TIMEOUT_S = 900.0
_AT_ONCE = 16
"""Modules of one request: a few seconds of work."""
_OFFERED = ("Init", "Std")
"""Where mathematics and programs lie; of ``Lean`` and ``Lake``, the implementation, only imports are kept."""
_MADE = frozenset(
    {"casesOn", "recOn", "brecOn", "below", "noConfusionType", "ctorIdx", "toCtorIdx", "ctorElim", "ctorElimType"}
)
"""Last parts of names that Lean gives to what it makes of a type by itself."""
_NO_POSITION = [0, 0]
"""Lines count from 1."""


@dataclass(frozen=True, slots=True)
class LibraryModule:
    """A module of the library.

    Attributes:
        imports: names of the modules that it imports.
        premises: (full name, kind, type) of each declaration that a proof may name.
    """

    module: str
    imports: tuple[str, ...]
    premises: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class LibrarySummary:
    """What is kept of the library."""

    lean_version: str
    modules: int
    premises: int


def read_library(pool: LeanPool, *, progress: bool = True) -> list[LibraryModule]:
    """Ask Lean for its library, over all processes of the pool.

    Raises:
        LeanRequestError: Lean could not say.
    """
    return pool.loop.run(_read(pool, progress, lambda done, total: None))


async def read_library_async(pool: LeanPool, report: Callable[[int, int], object]) -> list[LibraryModule]:
    """Ask Lean for its library, from any event loop.

    Args:
        report: called in the pool's thread with how many modules are read, and of how many.

    Raises:
        LeanRequestError: Lean could not say.
    """
    return await pool.loop.run_async(_read(pool, False, report))


async def _read(pool: LeanPool, progress: bool, report: Callable[[int, int], object]) -> list[LibraryModule]:
    _, answer = await pool.ask("modules", timeout_s=_TIMEOUT_S)
    imports = {entry["module"]: tuple(dict.fromkeys(entry["imports"])) for entry in answer["modules"]}
    asked = [module for module in imports if module.split(".")[0] in _OFFERED]
    parts = [asked[at : at + _AT_ONCE] for at in range(0, len(asked), _AT_ONCE)]
    premises: dict[str, tuple[tuple[str, str, str], ...]] = {}
    with ProgressBar("Lean's library", total=len(asked), enabled=progress) as bar:

        async def read(part: list[str]) -> None:
            _, answer = await pool.ask("premises", timeout_s=_TIMEOUT_S, items=[{"module": module} for module in part])
            for module, item in zip(part, answer["items"], strict=True):
                if "error" in item:
                    raise LeanRequestError(f"{module}: {item['error']}")
                premises[module] = tuple(_stated(item["premises"]))
            bar.advance(len(part))
            report(len(premises), len(asked))

        await asyncio.gather(*map(read, parts))
    return [LibraryModule(module, imported, premises.get(module, ())) for module, imported in imports.items()]


def _stated(premises: Sequence[Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """Return the names that somebody has written and others would name: nothing of an instance, nothing made of a
    constructor."""
    constructors = {name for name, kind, _ in premises if kind == "constructor"}
    for name, kind, type_ in premises:
        parts = name.split(".")
        of_an_instance = any(part.startswith("inst") for part in parts)
        if not (of_an_instance or parts[-1] in _MADE or name.rpartition(".")[0] in constructors):
            yield name, kind, " ".join(type_.split())


def write_library(connection: sqlite3.Connection, lean_version: str, modules: Iterable[LibraryModule]) -> None:
    """Keep a library in the place of the one that was kept. The caller holds a transaction."""
    connection.execute("DELETE FROM library")
    connection.executemany(
        "INSERT INTO library (module, lean_version, imports, premises) VALUES (?, ?, ?, ?)",
        (
            (module.module, lean_version, json.dumps(module.imports), json.dumps(module.premises, ensure_ascii=False))
            for module in modules
        ),
    )


def library_summary(connection: sqlite3.Connection) -> LibrarySummary | None:
    """Return what is kept of the library; ``None`` for nothing."""
    version, modules, premises = connection.execute(
        "SELECT max(lean_version), count(*), coalesce(sum(json_array_length(premises)), 0) FROM library"
    ).fetchone()
    return LibrarySummary(version, modules, premises) if modules else None


def library_entries(connection: sqlite3.Connection) -> Iterator[DatasetEntry]:
    """Yield the library as lines of a corpus, which belong to no repository: address and commit are empty."""
    modules = {
        module: (json.loads(imports), premises)
        for module, imports, premises in connection.execute("SELECT module, imports, premises FROM library")
    }
    for module in import_order({module: imports for module, (imports, _) in modules.items()}):
        imports, premises = modules[module]
        yield {
            "path": _path(module),
            "imports": [_path(imported) for imported in imports if imported in modules],
            "premises": [
                {"full_name": name, "code": f"{kind} {name} : {type_}", "start": _NO_POSITION, "end": _NO_POSITION,
                 "kind": kind}
                for name, kind, type_ in json.loads(premises)
            ],
            "url": "",
            "commit": "",
            "subfolder": "",
        }  # fmt: skip


def _path(module: str) -> str:
    return module.replace(".", "/") + ".lean"
