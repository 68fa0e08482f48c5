"""A repository of three theorems, with a mock Lean server that has traced it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.database.splits import random_split
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import Position, TracedFile, TracedTactic, TracedTheorem

IDENTITY = "∀ (p : Prop), p → p"
SECOND = "∀ (p q : Prop), p ∧ q → q"
HOPELESS = "∀ (p : Prop), p"
SOURCE = f"""theorem identity : {IDENTITY} := by
  intro p h
  exact h

theorem second : {SECOND} := by
  sorry

theorem hopeless : {HOPELESS} := by
  sorry
"""
GOALS = (f"⊢ {IDENTITY}", "p : Prop\nh : p\n⊢ p")


def at(text: str) -> int:
    return len(SOURCE[: SOURCE.index(text)].encode())


def training_hash() -> str:
    """A hash of a statement that falls into the training split."""
    return next(name for name in map(str, range(100)) if random_split(name) == "train")


def theorem(name: str, statement: str, proof: str, tactics: tuple[TracedTactic, ...] = ()) -> TracedTheorem:
    text = f"theorem {name} : {statement}"
    declaration = f"{text} := {proof}"
    return TracedTheorem(
        full_name=name,
        statement=text,
        proof=proof,
        mode="tactic",
        has_sorry="sorry" in proof,
        type=statement,
        type_hash=training_hash() if tactics else name,
        start=at(declaration),
        end=at(declaration) + len(declaration.encode()),
        start_pos=Position(1, 0),
        end_pos=Position(2, 0),
        tactics=tactics,
    )


def tactic(text: str, before: str, after: str, goals_after: int) -> TracedTactic:
    return TracedTactic(text, text, at(text), at(text) + len(text), before, after, 1, goals_after)


@pytest.fixture
def traced_file() -> TracedFile:
    steps = (tactic("intro p h", GOALS[0], GOALS[1], 1), tactic("exact h", GOALS[1], "no goals", 0))
    theorems = (
        theorem("identity", IDENTITY, "by\n  intro p h\n  exact h", steps),
        theorem("second", SECOND, "by\n  sorry"),
        theorem("hopeless", HOPELESS, "by\n  sorry"),
    )
    return TracedFile("A.lean", "A", (), theorems, (), (), 0.1, 0.1)


@pytest.fixture
def server(traced_file: TracedFile) -> MockLeanServer:
    return MockLeanServer(
        {"identity": IDENTITY, "second": SECOND, "hopeless": HOPELESS},
        positions={("identity", at("intro p h")): GOALS[:1], ("identity", at("exact h")): GOALS[1:]},
        files={"A.lean": traced_file},
    )


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "repos" / "små teorem"
    folder.mkdir(parents=True)
    (folder / "A.lean").write_text(SOURCE, encoding="utf-8")
    (folder / "lakefile.toml").write_text('name = "small"\n', encoding="utf-8")
    return folder
