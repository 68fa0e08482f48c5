from __future__ import annotations

import io

from rich.console import Console

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
