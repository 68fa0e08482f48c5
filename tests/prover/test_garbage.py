"""The garbage collector runs less often while searches run, and as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from lean_agent.lean.mock import MockLeanServer
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchConfig
from lean_agent.prover.driver import Driver
from lean_agent.prover.garbage import NEW_OBJECTS, fewer_collections


@pytest.fixture(autouse=True)
def threshold() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield gc.get_threshold()
    gc.set_threshold(*before)


def test_the_threshold_is_raised_as_long_as_anybody_wants_it() -> None:
    first, second = fewer_collections(), fewer_collections()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == (NEW_OBJECTS, 10, 10)
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("chosen", [(0, 10, 10), (90_000, 5, 5)])
def test_what_somebody_has_chosen_stays(chosen: tuple[int, int, int]) -> None:
    gc.set_threshold(*chosen)
    with fewer_collections():
        assert gc.get_threshold() == chosen
    assert gc.get_threshold() == chosen


def test_a_run_that_is_left_half_way_leaves_the_threshold_as_it_was() -> None:
    with MockLeanServer() as lean:
        driver = Driver(lean, MockPolicy({}, default=("rfl",)), SearchConfig())
        results: Any = driver.run(["1 = 1", "2 = 2"])
        next(results)
        assert gc.get_threshold()[0] == NEW_OBJECTS
        results.close()
    assert gc.get_threshold() == (700, 10, 10)
