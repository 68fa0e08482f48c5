"""What the tests of the Lean room share."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

import lean_agent


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
