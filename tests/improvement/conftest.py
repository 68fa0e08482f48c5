"""Theorems of a mock world, by name and statement, in a database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.lean.types import Position, TracedFile, TracedTactic, TracedTheorem
from lean_agent.tracing import Repository


def _traced(name: str, type_: str, *steps: tuple[str, str], sorry: bool = True) -> TracedTheorem:
    """A theorem; ``steps`` are (state before, tactic)."""
    tactics = tuple(TracedTactic(tactic, tactic, 0, 1, state, "no goals", 1, 0) for state, tactic in steps)
    proof = "by sorry" if sorry else "by " + "; ".join(tactic for _, tactic in steps)
    start, end = Position(1, 0), Position(2, 0)
    text = f"theorem {name} : {type_}"
    return TracedTheorem(name, text, proof, "tactic", sorry, type_, f"hash {name}", 0, 9, start, end, tactics)


@pytest.fixture
def small_project(tmp_path: Path, own_cache: Path) -> Callable[[str], Path]:
    """``small_project(text)``: a project of one file, ``Small.lean``, whose build is the test's own."""

    def make(text: str) -> Path:
        folder = tmp_path / "small"
        folder.mkdir()
        (folder / "lakefile.toml").write_text('name = "small"\n', encoding="utf-8")
        (folder / "Small.lean").write_text(text, encoding="utf-8")
        return folder

    return make


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder = tmp_path / "repos" / "small"
    folder.mkdir(parents=True)
    (folder / "A.lean").write_text("-- nothing\n", encoding="utf-8")
    return Repository("https://example.org/small", "a" * 40, "small", folder)


@pytest.fixture
def stored(database: DynamicDatabase, repository: Repository) -> Callable[..., list[StoredTheorem]]:
    """``stored((name, type), …)``: open theorems of one file, kept in the database beside those that are there.

    Further parts of a theorem are steps, (state before, tactic); with ``sorry=False`` they are its proof.
    """

    def store(*theorems: tuple[Any, ...], of: Repository = repository, sorry: bool = True) -> list[StoredTheorem]:
        database.add_repository(of)
        path = f"A{sum(1 for _ in database.files(of))}.lean"
        traced = tuple(_traced(*theorem, sorry=sorry) for theorem in theorems)
        database.store_file(of, TracedFile(path, path[:2], (), traced, (), (), 0.1, 0.1), "1")
        return [theorem for theorem in database.theorems(of) if theorem.file_path == path]

    return store
