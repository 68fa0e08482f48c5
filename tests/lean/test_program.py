"""``lean-agent lean run``: whatever is in a file, there is an end, with a sentence that says what to do."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from lean_agent.errors import LeanAgentError, LeanProcessDied, LeanStalled, LeanTimeout
from lean_agent.lean.embedded.program import run_to_an_end

FOREVER = "while True: pass"
ASLEEP = "import time; time.sleep(600)"
IN_TURNS = "import time\nfor _ in range(40):\n    time.sleep(0.1); sum(range(300_000))"


@pytest.mark.parametrize(
    ("program", "error", "advice"),
    [
        (FOREVER, LeanTimeout, "--seconds"),
        (ASLEEP, LeanStalled, "--idle-seconds"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGABRT)", LeanProcessDied, "SIGABRT"),
        ("raise SystemExit(70)", LeanProcessDied, "docs/native_lean.md"),
    ],
)
def test_every_program_ends_with_what_to_do(program: str, error: type[LeanAgentError], advice: str) -> None:
    began = time.monotonic()
    with pytest.raises(error, match=advice):
        run_to_an_end([sys.executable, "-c", program], {}, limit_s=6, idle_s=3)
    assert time.monotonic() - began < 60


def test_what_works_now_and_then_is_not_idle() -> None:
    code = run_to_an_end([sys.executable, "-c", IN_TURNS + "\nraise SystemExit(3)"], {}, limit_s=300, idle_s=2)
    assert code == 3


def lean_run(text: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "A.lean").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "lean_agent", "lean", "run", *options, "--", "A.lean"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.lean
@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        pytest.param(
            "partial def spin (n : Nat) : IO Unit := spin (n + 1)\n#eval spin 0\n",
            ("--seconds", "6"),
            "after 6 s",
            marks=pytest.mark.long,
        ),
        pytest.param("#eval IO.sleep 600000\n", ("--idle-seconds", "4"), "worked for 4 s", marks=pytest.mark.long),
    ],
)
def test_hostile_files_end_too(text: str, options: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    done = lean_run(text, tmp_path, *options)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ") and sentence in done.stderr


@pytest.mark.lean
def test_limits_stand_before_leans_own_arguments(tmp_path: Path) -> None:
    done = lean_run("#eval 6 * 7\n#check nothing\n", tmp_path, "--seconds", "600")
    assert (done.returncode, done.stdout.splitlines()[0]) == (1, "42")
    assert "nothing" in done.stdout
