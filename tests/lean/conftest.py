"""One embedded Lean for the whole folder: it takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lean_agent.lean.pool import LeanPool


@pytest.fixture(scope="session")
def lean() -> Iterator[LeanPool]:
    with LeanPool(1) as pool:
        yield pool
