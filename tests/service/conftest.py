"""What the tests of the service share: a mock behind it, and one with embedded Lean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings

SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"


@pytest.fixture(scope="module")
def mock() -> MockLeanServer:
    return MockLeanServer({"swap": SWAP})


@pytest.fixture(scope="module")
def mock_address(mock: MockLeanServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service over a mock."""
    with serving(mock, ServiceSettings(port=0, roots=(tmp_path_factory.getbasetemp(),))) as address:
        yield address


@pytest.fixture
def http(mock_address: str) -> Iterator[httpx.Client]:
    """A client of the service over a mock."""
    with httpx.Client(base_url=mock_address, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def lean_address(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service over embedded Lean, which is up by then."""
    lean.check("", timeout_s=600)
    with serving(lean, ServiceSettings(port=0, roots=(tmp_path_factory.getbasetemp(),))) as address:
        yield address


@pytest.fixture
def lean_http(lean_address: str) -> Iterator[httpx.Client]:
    """A client of the service over embedded Lean."""
    with httpx.Client(base_url=lean_address, timeout=120) as client:
        yield client


@pytest.fixture
def project_file(tmp_path: Path) -> Path:
    """A file of a project that the services may read."""
    path = tmp_path / "A.lean"
    path.write_text(f"theorem swap : {SWAP} := by\n  sorry\n", encoding="utf-8")
    return path
