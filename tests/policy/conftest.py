"""A model for the whole room: untrained, of 0.1 million parameters, made in a fraction of a second."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.policy.tiny import make_tiny_model


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    # 260 tokens is the least: bytes and special tokens, so a tactic has as many tokens as bytes.
    return make_tiny_model(["p q : Prop\n⊢ p → q", "intro h"], folder, vocab_size=260, hidden_size=64, layers=2)
