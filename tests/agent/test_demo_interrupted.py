"""The demo as a process on real Lean, interrupted and killed at several moments and run again. Takes minutes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

pytestmark = [pytest.mark.lean, pytest.mark.long]

SOURCE = "\n".join(
    f"theorem t{n} (a b : Nat) (h : a < b) : a + {n} < b + {n} := by\n  have k := h\n  omega\n" for n in range(12)
)
OPEN = "\ntheorem left_open (a b : Nat) (h : a < b) : a + 40 < b + 40 := by\n  sorry\n"


def start(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lean_agent", "demo", "--repos", str(folder / "repos")]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ)
    )


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_whenever_it_ends_the_next_run_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    project = tmp_path / "repos" / "klein"
    project.mkdir(parents=True)
    (project / "lakefile.toml").write_text('name = "klein"\n', encoding="utf-8")
    (project / "Klein.lean").write_text(SOURCE + OPEN, encoding="utf-8")
    for seconds in (4.0, 8.0, 12.0, 16.0):
        process = start(tmp_path)
        time.sleep(seconds)
        if process.poll() is not None:
            break
        started = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(how)
        told = process.communicate(timeout=60)[0]
        if "At equal Lean calls" in told:
            break  # it was at its end
        if how == signal.SIGINT:
            assert process.returncode == 130, told
            assert told.strip().endswith("run the same command again to go on."), told
            assert "Traceback" not in told
        _, orphans = psutil.wait_procs(started, timeout=10)
        assert not orphans
    process = start(tmp_path)
    told = process.communicate(timeout=900)[0]
    assert process.returncode == 0, told
    assert "mixture" in told and "At equal Lean calls" in told
    finished = list((tmp_path / "runs").glob("*/report.md"))
    assert len(finished) >= 1
