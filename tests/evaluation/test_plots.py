"""Plots: numbers all along an axis, and no text over another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from lean_agent.database import ProofStatistics, RepositoryDifficulty
from lean_agent.evaluation import plots
from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.plots import against_budget, outcomes
from lean_agent.prover.config import SearchBudget
from lean_agent.tracing import Repository


def attempt(lean_calls: int) -> Attempt:
    name = f"t{lean_calls}"
    return Attempt("p", "local:lists", "1", "A.lean", name, "proved", "by simp", 1, 1, lean_calls, 0, 1.0, "", {})


def overlapping(axes: Axes) -> list[tuple[str, str]]:
    """Pairs of texts of which one lies over the other."""
    figure = axes.figure
    assert isinstance(figure, Figure)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = [*axes.texts, *axes.get_xticklabels(), *axes.get_yticklabels()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_text()]
    return [(text, other) for (text, a), (other, b) in combinations(boxes, 2) if a.overlaps(b)]


@pytest.mark.parametrize("most", [3, 17, 60, 100, 101, 256, 512, 5_000, 90_000, 2_000_000])
def test_an_axis_of_costs_has_numbers_all_along_it(most: int) -> None:
    report = Report(("p",), tuple(map(attempt, (1, most // 2, most))), SearchBudget(), frozenset())
    (axes,) = against_budget(report, "lean_calls", "Lean calls").axes
    assert overlapping(axes) == []
    low, high = axes.get_xlim()
    marks = [mark for mark in axes.get_xticks() if low <= mark <= high]
    assert 4 <= len(marks) <= 16
    assert marks[-1] >= most / 10
    assert all("^" not in label.get_text() for label in axes.get_xticklabels())


def is_whole(marks: Iterable[float]) -> bool:
    return all(float(mark).is_integer() for mark in marks)


@pytest.mark.parametrize("proved", [0, 1, 2, 3, 7])
def test_axes_of_counts_have_whole_numbers(proved: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = [replace(attempt(calls), status="proved" if calls <= proved else "exhausted") for calls in range(1, 9)]
    report = Report(("p",), tuple(attempts), SearchBudget(), frozenset())
    assert is_whole(against_budget(report, "lean_calls", "Lean calls").axes[0].get_yticks())
    assert is_whole(outcomes({"p": Counter(proved=proved)}, ["proved"]).axes[0].get_xticks())

    drawn: list[Axes] = []

    def draw(plot: Callable[[Axes], None], *, height: float = 4.5) -> bytes:
        drawn.append(Figure().add_subplot())
        plot(drawn[-1])
        return b""

    monkeypatch.setattr(plots, "_draw", draw)
    statistics = ProofStatistics((1,) * proved, Counter({"simp": proved} if proved else {}), (5,) * proved)
    ranked = [RepositoryDifficulty(Repository("u", "c", "r", Path()), proved, 0, 0, 0)]
    plots.write_data_plots(statistics, ranked, "steps", tmp_path)
    lengths, tactics, sizes, difficulty = drawn
    for marks in (lengths.get_yticks(), tactics.get_xticks(), sizes.get_yticks(), difficulty.get_xticks()):
        assert is_whole(marks)


def test_counts_have_room_in_their_bars() -> None:
    ranked = [
        RepositoryDifficulty(Repository(f"u{n}", "c", f"repository-{n}" * (n % 4 + 1), Path()), *counts)
        for n, counts in enumerate([(4000, 3, 2, 1), (1, 1, 1, 1), (0, 0, 0, 0), (900, 40, 35, 20)] * 6)
    ]
    drawn: list[Axes] = []

    def draw(axes: Axes) -> None:
        plots._difficulty(axes, ranked, "steps")
        drawn.append(axes)

    plots._draw(draw, height=plots._height(ranked))
    (axes,) = drawn
    assert overlapping(axes) == []
    shown = [text.get_text() for text in axes.texts]
    assert shown.count("4,000") == 6 and shown.count("4,006") == 6  # the part, and the whole beside the bar
    assert "3" not in shown
