"""What docs/tutorial.md has its reader write and run does what it says."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "tutorial.md"
FILES = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.M | re.S)
SESSIONS = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
SECONDS = re.compile(r", [\d.]+ s$")
FAILS = {"lean-agent verify One.lean"}
"""Commands that end with 1."""


def sessions() -> list[tuple[str, list[str]]]:
    """Return the commands of the page, with the lines that they print."""
    parts = [part for session in SESSIONS.findall(PAGE.read_text(encoding="utf-8")) for part in session.split("$ ")]
    lines = [part.splitlines() for part in parts if part.strip()]
    return [(command, printed) for command, *printed in lines]


@pytest.mark.lean
@pytest.mark.slow
@pytest.mark.long
def test_the_tutorial(tmp_path: Path, own_cache: Path) -> None:
    for name, text in FILES.findall(PAGE.read_text(encoding="utf-8")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    environment = {**os.environ, "COLUMNS": "200"}
    for command, printed in sessions():
        words = shlex.split(command)
        if words[0] == "lean-agent":
            words[:1] = [sys.executable, "-m", "lean_agent"]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == (command in FAILS), (command, done.stdout, done.stderr)
        lines = {SECONDS.sub("", line) for line in done.stdout.splitlines()}
        assert [line for line in printed if line and SECONDS.sub("", line) not in lines] == [], (command, done.stdout)
    assert "sorry" not in (tmp_path / "stacks" / "Stacks.lean").read_text(encoding="utf-8")
