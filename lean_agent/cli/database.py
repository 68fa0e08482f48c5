"""``lean-agent db …``: what was traced and proved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lean_agent.cache import cache_dir
from lean_agent.database import DynamicDatabase
from lean_agent.errors import DatabaseError
from lean_agent.tracing import Repository


def open_database(path: Path | None) -> DynamicDatabase:
    """The database at ``path``, by default the user's own.

    Raises:
        DatabaseError: there is none.
    """
    place = path or cache_dir() / "database.sqlite"
    if not place.is_file():
        raise DatabaseError(f"There is no database at {place}. `lean-agent trace PATH` makes one.")
    return DynamicDatabase(place)


def choose(database: DynamicDatabase, wanted: Sequence[str] | None) -> list[Repository]:
    """The repositories that these names, addresses or beginnings of commits mean; all of them without any.

    Raises:
        DatabaseError: one of them means none.
    """
    stored = database.repositories()
    if not wanted:
        return stored
    for word in wanted:
        if not any(_means(word, repository) for repository in stored):
            known = ", ".join(repository.name for repository in stored) or "none"
            raise DatabaseError(f"There is no repository {word} in the database; it has {known}.")
    return [repository for repository in stored if any(_means(word, repository) for word in wanted)]


def _means(word: str, repository: Repository) -> bool:
    is_commit = len(word) >= 7 and repository.commit.startswith(word)
    return is_commit or word in (repository.name, repository.url)


def print_database(path: Path | None) -> None:
    """A line for each repository.

    Raises:
        DatabaseError: there is no database at ``path``.
    """
    table = Table("repository", "commit", "theorems", "open", "proved", "address")
    with open_database(path) as database:
        for repository in database.repositories():
            theorems = database.theorems(repository)
            is_open = sum(theorem.theorem.has_sorry for theorem in theorems)
            proved = {(proof.file_path, proof.full_name) for proof in database.proofs([repository])}
            counts = (str(len(theorems)), str(is_open), str(len(proved)))
            table.add_row(repository.name, repository.commit[:12], *counts, Text(repository.url, overflow="fold"))
    Console().print(table)
