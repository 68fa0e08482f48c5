"""Traced values made by hand, shared by the tests of the database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.lean.types import (
    LeanMessage,
    Position,
    Premise,
    TracedDeclaration,
    TracedFile,
    TracedTactic,
    TracedTheorem,
)
from lean_agent.tracing import Repository

MakeTheorem = Callable[..., TracedTheorem]
MakeFile = Callable[..., TracedFile]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder = tmp_path / "swap"
    folder.mkdir()
    (folder / "lean-toolchain").write_text("leanprover/lean4:v4.28.0\n", encoding="utf-8")
    return Repository("https://example.org/swap", "a" * 40, "swap", folder)


@pytest.fixture
def make_theorem() -> MakeTheorem:
    """``make_theorem("swap", steps=2, premises=["And.intro"])``: a theorem with that many tactics."""

    def make(
        name: str,
        *,
        steps: int = 1,
        premises: list[str] | None = None,
        sorry: bool = False,
        type_hash: str | None = None,
    ) -> TracedTheorem:
        used = tuple(Premise(p, "Init.Core", 60 + n, 63 + n) for n, p in enumerate(premises or []))
        tactics = tuple(
            TracedTactic(f"tac {n}", f"tac {n}", 60 + 10 * n, 65 + 10 * n, f"⊢ p{n}", "no goals", 1, 0)
            for n in range(steps)
        )
        return TracedTheorem(
            full_name=name,
            statement=f"theorem {name} : p",
            proof="by sorry" if sorry else "by tac",
            mode="tactic",
            has_sorry=sorry,
            type=f"∀ (x : {name}), says_{name} x",  # no near-duplicate of another's
            type_hash=type_hash or f"hash of {name}",
            start=50,
            end=50 + 10 * steps,
            start_pos=Position(3, 0),
            end_pos=Position(4, 8),
            tactics=tactics,
            premises=used,
        )

    return make


@pytest.fixture
def make_file() -> MakeFile:
    """``make_file("A/B.lean", [theorem, …])``: a traced file with a message and a declaration per theorem."""

    def make(
        path: str, theorems: list[TracedTheorem] | None = None, imports: tuple[str, ...] = ("Init",)
    ) -> TracedFile:
        return TracedFile(
            path=path,
            module=path.removesuffix(".lean").replace("/", "."),
            imports=imports,
            theorems=tuple(theorems or []),
            declarations=tuple(
                TracedDeclaration(t.full_name, "theorem", t.statement, t.start, t.end, t.start_pos, t.end_pos)
                for t in theorems or []
            ),
            messages=(LeanMessage("warning", "declaration uses `sorry` — ∀ x ✝", Position(3, 8)),),
            elaborate_s=0.1,
            walk_s=0.02,
        )

    return make


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where ``datasets`` keeps things of its own."""
    import datasets

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hub")
    return tmp_path / "hub"
