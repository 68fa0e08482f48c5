"""Installation by several processes, and by one that is killed: a real download into an empty cache. Takes minutes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lean_agent.lean.embedded.archive import Npm
from lean_agent.lean.embedded.install import node_binary

pytestmark = [pytest.mark.lean, pytest.mark.long]

INSTALL = [sys.executable, "-m", "lean_agent", "lean", "install"]


def start(cache: Path) -> subprocess.Popen[str]:
    """An installation in a process group of its own, so that it can be killed with all that it started."""
    environment = {**os.environ, "LEAN_AGENT_CACHE": str(cache)}
    return subprocess.Popen(
        INSTALL, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def leftovers(cache: Path) -> list[Path]:
    return list(cache.rglob(".preparing-*"))


def test_two_at_once_install_one_lean(tmp_path: Path) -> None:
    both = [start(tmp_path), start(tmp_path)]
    told = [process.communicate(timeout=900)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert len(list(tmp_path.rglob("lean.wasm"))) == len(list(tmp_path.rglob("LeanAgent.olean"))) == 1
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("seconds", [1.5, 8.0])
def test_a_killed_installation_is_made_good_by_the_next(tmp_path: Path, seconds: float) -> None:
    first = start(tmp_path)
    time.sleep(seconds)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    second = start(tmp_path)
    told = second.communicate(timeout=900)[0]
    assert second.returncode == 0, told
    assert leftovers(tmp_path) == []
    doctor = [*INSTALL[:-1], "doctor"]
    environment = {**os.environ, "LEAN_AGENT_CACHE": str(tmp_path)}
    assert subprocess.run(doctor, env=environment, check=False, capture_output=True, timeout=300).returncode == 0


def test_without_a_network_from_an_archive_and_from_an_installed_cache(tmp_path: Path) -> None:
    (tmp_path / "downloads").mkdir()
    Npm(node_binary(), tmp_path / "downloads").fetch(print)
    refuses = {**os.environ, "npm_config_registry": "http://127.0.0.1:9", "npm_config_cache": str(tmp_path / "npm")}
    for source, cache in (("downloads", "first"), ("first", "second")):
        environment = {**refuses, "LEAN_AGENT_CACHE": str(tmp_path / cache)}
        command = [*INSTALL, "--from", str(tmp_path / source)]
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=900)
        assert done.returncode == 0, done.stderr
    doctor = [*INSTALL[:-1], "doctor"]
    assert subprocess.run(doctor, env=environment, check=False, capture_output=True, timeout=300).returncode == 0
