"""Small models do without threads that would wait for one another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from lean_agent.policy.threads import SMALL_MODEL, fitting_threads


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_a_small_model_has_one_thread_for_as_long_as_it_works() -> None:
    with pytest.raises(RuntimeError), fitting_threads(torch.nn.Linear(8, 8)):
        assert torch.get_num_threads() == 1
        raise RuntimeError
    assert torch.get_num_threads() == 2


def test_a_large_model_keeps_all() -> None:
    large = torch.nn.Linear(SMALL_MODEL // 1000, 1000)
    with fitting_threads(large):
        assert torch.get_num_threads() == 2
