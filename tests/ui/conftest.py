"""A service with pages over the samples."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from lean_agent.lean.mock import MockLeanServer
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings
from tests.ui.samples import Place, make_database, make_runs


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The samples, made once."""
    folder = tmp_path_factory.mktemp("site")
    path, before, after = make_database(folder)
    return Place(path, make_runs(folder / "runs"), before, after)


@pytest.fixture(scope="package")
def address(place: Place) -> Iterator[str]:
    """The address of a service without Lean."""
    with serving(MockLeanServer(), ServiceSettings(port=0, database=place.database, runs_dir=place.runs)) as address:
        yield address


@pytest.fixture
def http(address: str) -> Iterator[httpx.Client]:
    """A client of it, which follows where it is sent."""
    with httpx.Client(base_url=address, timeout=60, follow_redirects=True) as client:
        yield client
