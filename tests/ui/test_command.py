"""`lean-agent ui` as a process: its address, its pages, its end; the files that it needs are in the wheel."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]


def test_the_command_shows_pages_without_lean_and_ends_at_sigterm(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lean_agent", "ui", "--port", "0", "--runs-dir", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LEAN_AGENT_CACHE": str(tmp_path / "cache")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        words = process.stdout.readline()
        assert words.startswith("lean_agent at http://127.0.0.1:"), words
        address = words.split()[-1]
        assert "No repository has been traced yet" in httpx.get(address, timeout=60).text
        assert httpx.get(f"{address}/health", timeout=60).json() == {"status": "ok"}
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert not (tmp_path / "cache" / "lean").exists()  # Lean was not asked for


def test_a_port_in_use_ends_the_command_with_a_sentence(address: str) -> None:
    command = [sys.executable, "-m", "lean_agent", "ui", "--port", address.rpartition(":")[2]]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)
    assert done.returncode == 1 and done.stderr.startswith("Error: Another program listens at 127.0.0.1 port")


def test_templates_scripts_and_styles_are_in_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["hatch"]["build"]["targets"]["wheel"]["artifacts"]
    folders = ("lean_agent/service/ui/templates", "lean_agent/service/ui/static", "lean_agent/prover/saved")
    needed = [file.relative_to(ROOT).as_posix() for folder in folders for file in (ROOT / folder).iterdir()]
    needed = [file for file in needed if file.endswith((".html", ".css", ".js"))]
    assert len(needed) > 20
    assert [file for file in needed if not any(fnmatch(file, pattern) for pattern in patterns)] == []
