"""``lean-agent db …``: what was traced and proved."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lean_agent.cache import cache_dir
from lean_agent.database import DynamicDatabase
from lean_agent.errors import DatabaseError


def print_database(path: Path | None) -> None:
    """A line for each repository.

    Raises:
        DatabaseError: there is no database at ``path``.
    """
    place = path or cache_dir() / "database.sqlite"
    if not place.is_file():
        raise DatabaseError(f"There is no database at {place}. `lean-agent trace PATH` makes one.")
    table = Table("repository", "commit", "theorems", "open", "proved", "address")
    with DynamicDatabase(place) as database:
        for repository in database.repositories():
            theorems = database.theorems(repository)
            is_open = sum(theorem.theorem.has_sorry for theorem in theorems)
            proved = {(proof.file_path, proof.full_name) for proof in database.proofs([repository])}
            counts = (str(len(theorems)), str(is_open), str(len(proved)))
            table.add_row(repository.name, repository.commit[:12], *counts, Text(repository.url, overflow="fold"))
    Console().print(table)
