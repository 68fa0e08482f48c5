from __future__ import annotations

import io

import pytest
from rich.console import Console

from lean_agent import progress
from lean_agent.progress import ProgressBar


def test_it_shows_units_and_counts() -> None:
    out = io.StringIO()
    with ProgressBar("Tracing", total=3, console=Console(file=out, width=120)) as bar:
        bar.advance(theorems=7, in_error=0)
        bar.advance(2, theorems=12, in_error=1)
    assert "Tracing" in out.getvalue()
    assert "3/3" in out.getvalue()  # 1 + 2 units
    assert "theorems 12, in error 1" in out.getvalue()


def test_disabled_it_is_silent() -> None:
    out = io.StringIO()
    with ProgressBar("Tracing", total=1, enabled=False, console=Console(file=out)) as bar:
        bar.advance(theorems=1)
    assert out.getvalue() == ""


def test_finish_moves_to_the_end() -> None:
    out = io.StringIO()
    with ProgressBar("Cloning", total=100, console=Console(file=out, width=120)) as bar:
        bar.advance(40)
        bar.finish()
    assert "100/100" in out.getvalue()


def test_without_a_terminal_it_writes_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("lean_agent.progress.time.monotonic", lambda: now)
    out = io.StringIO()
    with ProgressBar("Tracing", total=100, console=Console(file=out, width=120)) as bar:
        bar.advance(theorems=7)
        assert out.getvalue() == ""
        now += 31  # half a minute is over
        bar.advance(4, theorems=12, errors=0)
        bar.advance(theorems=13)
        (line,) = out.getvalue().splitlines()
    assert line.startswith("Tracing: 5/100, theorems 12, errors 0, ")


def test_on_a_terminal_there_is_the_bar_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "BETWEEN_LINES_S", -1.0)
    out = io.StringIO()
    with ProgressBar("Tracing", total=2, console=Console(file=out, width=120, force_terminal=True)) as bar:
        bar.advance(theorems=7)
    assert "Tracing: 1/2" not in out.getvalue()
