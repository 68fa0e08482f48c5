"""OpenEnv's own client against the server that its commands would start."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "openenv"

pytestmark = [pytest.mark.openenv, pytest.mark.lean]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Start it by the command that OpenEnv's client runs (behind uv), and wait as that client does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "server.app:app", "--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(FOLDER.parents[1])}
    server = subprocess.Popen(command, cwd=FOLDER, env=environment)
    try:
        deadline = time.monotonic() + 120
        while True:
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200:
                    break
            except httpx.TransportError:
                assert server.poll() is None and time.monotonic() < deadline, "the server did not come up"
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_its_client_proves_a_theorem(address: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    with GenericEnvClient(base_url=address).sync() as client:
        first = client.reset(statement="theorem mine (p : Prop) (h : p) : p ∧ p")
        assert first.observation["goals"] == "p : Prop\nh : p\n⊢ p ∧ p" and not first.done
        hole = client.step({"tool": "submit", "argument": "by sorry"})
        assert (hole.reward, hole.done, hole.observation["verdict"]) == (0.0, False, "sorry")
        two = client.step({"tool": "run_tactic", "argument": "constructor"})
        assert two.observation["goals"].count("⊢") == 2
        proved = client.step({"tool": "run_tactic", "argument": "all_goals exact h"})
        assert (proved.reward, proved.done, proved.observation["outcome"]) == (1.0, True, "proved")
        state: Any = client.state()
        assert state["step_count"] == 3


def test_sessions_are_apart(address: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    with GenericEnvClient(base_url=address).sync() as one_client, GenericEnvClient(base_url=address).sync() as other:
        one_client.reset(seed=0)
        drawn = other.reset(seed=1).observation["goals"]
        one_client.step({"tool": "submit", "argument": "by simp"})
        assert other.step({"tool": "undo"}).observation["goals"] == drawn
