"""What the tests of the Lean room share."""

from __future__ import annotations

import shlex
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from filelock import FileLock

import lean_agent
from lean_agent.lean.embedded.install import Installation, install


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toolchain's folder whose ``lean`` is the embedded one: a stand-in for a stock toolchain."""
    folder = tmp_path_factory.mktemp("toolchain")
    lean = folder / "bin" / "lean"
    lean.parent.mkdir()
    package = Path(lean_agent.__file__).parent.parent
    command = f"PYTHONPATH={shlex.quote(str(package))} exec {shlex.quote(sys.executable)} -m lean_agent lean run --"
    lean.write_text(f'#!/bin/sh\n{command} "$@"\n')
    lean.chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def impatient_lean(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Embedded Lean that looks after its threads four times as often: it ends after 5 s without work, not 20 s."""
    where = install()
    folder = tmp_path_factory.mktemp("impatient")
    for script in where.host.parent.glob("*.?js"):
        shutil.copy(script, folder)
    host = folder / where.host.name
    text = host.read_text(encoding="utf-8")
    assert text.count("const BEAT_MS = 2000;") == 1
    host.write_text(text.replace("const BEAT_MS = 2000;", "const BEAT_MS = 500;"), encoding="utf-8")
    return replace(where, host=host)


@pytest.fixture
def told_while_held(capsys: pytest.CaptureFixture[str]) -> Callable[[Path, Callable[[], object]], str]:
    """Holds a lock until work that needs it has said something, lets the work go on, and returns what was said."""

    def told(path: Path, work: Callable[[], object]) -> str:
        path.parent.mkdir(parents=True, exist_ok=True)
        words, deadline = "", time.monotonic() + 60
        with ThreadPoolExecutor(1) as thread:
            with FileLock(path, thread_local=False):
                working = thread.submit(work)
                while not words and time.monotonic() < deadline:
                    assert not working.done(), "it did not wait"
                    words = capsys.readouterr().err
                    time.sleep(0.02)
            working.result()
        return words

    return told
