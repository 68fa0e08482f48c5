from __future__ import annotations

from pathlib import Path

import pytest

import lean_agent
from lean_agent.progress import terminal


def test_line_numbers_are_no_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    terminal(soft_wrap=True).print("A.lean:100: unknown constant", markup=False)
    assert capsys.readouterr().out == "A.lean:100: unknown constant\n"


def test_no_other_console_is_made() -> None:
    package = Path(lean_agent.__file__).parent
    makers = [
        path for path in package.rglob("*.py") if " Console(" in path.read_text("utf-8").replace("class Console(", "")
    ]
    assert makers == [package / "progress.py"]
