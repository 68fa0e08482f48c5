"""Write modules of a user's own where Python finds them, and packages that bring one by an entry point."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lean_agent.policy.tiny import make_tiny_model

Install = Callable[..., str]
STATEMENT = "theorem and (p q : Prop) (hp : p) (hq : q) : p ∧ q"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Write a module, and let its package bring an object of it: ``install(name, code, group, object)``."""
    names: list[str] = []

    def write(name: str, code: str, group: str, own: str) -> str:
        folder = tmp_path / "packages"
        metadata = folder / f"{name}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (metadata / "entry_points.txt").write_text(f"[{group}]\n{name} = {name}:{own}\n", encoding="utf-8")
        monkeypatch.syspath_prepend(folder)
        names.append(name)
        return f"{name}:{own}"

    yield write
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model without training, of some thousand weights."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    return make_tiny_model([STATEMENT, "exact ⟨hp, hq⟩"], folder, vocab_size=300, hidden_size=64, layers=1)


@pytest.fixture
def theorems(tmp_path: Path) -> Path:
    """A file with one theorem, which the mock can prove."""
    path = tmp_path / "theorems.jsonl"
    path.write_text(json.dumps({"name": "and", "statement": STATEMENT}) + "\n", encoding="utf-8")
    return path
