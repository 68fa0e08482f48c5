"""A model for the whole room: untrained, of 0.1 million parameters, made in a fraction of a second."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from lean_agent.policy.tiny import make_tiny_model


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Matrices this small gain nothing from a second thread, and lose much where cores are shared."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    # 260 tokens is the least: bytes and special tokens, so a tactic has as many tokens as bytes.
    return make_tiny_model(["p q : Prop\n⊢ p → q", "intro h"], folder, vocab_size=260, hidden_size=64, layers=2)
