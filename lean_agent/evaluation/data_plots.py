"""Plots of what a database holds: lengths of proofs, tactics, sizes of states, difficulty of repositories.

Draws without a display. The numbers behind the plots lie beside them in ``statistics.json``.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from lean_agent.database import ProofStatistics, RepositoryDifficulty
from lean_agent.evaluation.plots import count_in_whole_numbers
from lean_agent.files import write_atomically
from lean_agent.folder_lock import locked_folder
from lean_agent.wording import counted

COMMONEST = 25
LONGEST_SHOWN = 30
BINS_A_DECADE = 8
LONGEST_NAME = 32
ROOM_OF_A_DIGIT = 0.014
"""Part of the longest bar that a digit takes; a count that has no room in its part is not written into it."""


def write_data_plots(
    statistics: ProofStatistics, difficulty: Sequence[RepositoryDifficulty], measure: str, folder: Path
) -> list[Path]:
    """Write four PNGs and ``statistics.json`` into ``folder``; returns their paths.

    Raises:
        ConfigError: another process is at work in the folder, or it cannot be written.
    """
    numbers = {
        "proof_steps": sorted(statistics.steps),
        "tactics": dict(statistics.tactics.most_common()),
        "state_characters": sorted(statistics.state_characters),
        "difficulty": {
            "measure": measure,
            "repositories": [
                {"name": row.repository.name, "easy": row.easy, "medium": row.medium, "hard": row.hard,
                 "unknown": row.unknown}
                for row in difficulty
            ],
        },
    }  # fmt: skip
    text = json.dumps(numbers, ensure_ascii=False) + "\n"
    plots = {
        "proof_lengths.png": _draw(lambda axes: _proof_lengths(axes, statistics.steps)),
        "tactics.png": _draw(lambda axes: _tactics(axes, statistics)),
        "state_sizes.png": _draw(lambda axes: _sizes(axes, statistics.state_characters)),
        "difficulty.png": _draw(lambda axes: _difficulty(axes, difficulty, measure), height=_height(difficulty)),
    }
    with locked_folder(folder):
        paths = [write_atomically(folder / name, png) for name, png in plots.items()]
        return [*paths, write_atomically(folder / "statistics.json", text.encode())]


def _draw(plot: Callable[[Axes], None], *, height: float = 4.5) -> bytes:
    figure = Figure(figsize=(7, height), layout="constrained")
    FigureCanvasAgg(figure)
    plot(figure.add_subplot())
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=150)
    return png.getvalue()


def _proof_lengths(axes: Axes, steps: Sequence[int]) -> None:
    """Draw a bar for each number of steps; the last one stands for all longer proofs."""
    counts = [0] * LONGEST_SHOWN
    for count in steps:
        counts[min(count, LONGEST_SHOWN) - 1] += 1
    shown = max((place for place, count in enumerate(counts, start=1) if count), default=1)
    axes.bar(range(1, shown + 1), counts[:shown])
    count_in_whole_numbers(axes.xaxis)
    count_in_whole_numbers(axes.yaxis)
    axes.set_xlabel("steps of the proof" + (f" ({LONGEST_SHOWN}: that or more)" if shown == LONGEST_SHOWN else ""))
    axes.set_ylabel(f"theorems, of {len(steps):,} with a tactic proof")


def _tactics(axes: Axes, statistics: ProofStatistics) -> None:
    commonest = statistics.tactics.most_common(COMMONEST)[::-1]
    axes.barh([name for name, _ in commonest], [count for _, count in commonest])
    axes.tick_params(axis="y", labelsize=8)
    count_in_whole_numbers(axes.xaxis)
    steps, tactics = counted(sum(statistics.tactics.values()), "step"), counted(len(statistics.tactics), "tactic")
    axes.set_xlabel(f"uses, of {steps} with {tactics}")


def _sizes(axes: Axes, characters: Sequence[int]) -> None:
    """Sizes differ by orders of magnitude, so the bins grow with them."""
    decades = len(str(max(characters, default=1)))
    edges = [10 ** (place / BINS_A_DECADE) for place in range(decades * BINS_A_DECADE + 1)]
    axes.hist(characters, bins=edges)
    count_in_whole_numbers(axes.yaxis)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(edges[0] if not characters else min(characters) / 2, 2 * max(characters, default=1))
    axes.set_xlabel("characters of the state before a step")
    axes.set_ylabel("steps")


def _difficulty(axes: Axes, difficulty: Sequence[RepositoryDifficulty], measure: str) -> None:
    """Draw a bar for each repository, the easiest on top, with the count of each class inside."""
    places = range(len(difficulty))  # and not names, which two repositories can share
    left = [0] * len(difficulty)
    longest = max(
        (row.easy + row.medium + row.hard + row.unknown for row in difficulty),
        default=0,
    )
    for label, colour in (("easy", "C2"), ("medium", "C1"), ("hard", "C3"), ("unknown", "0.8")):
        counts = [int(getattr(row, label)) for row in difficulty][::-1]
        bars = axes.barh(places, counts, left=left, label=label, color=colour)
        fitting = [f"{count:,}" if count >= ROOM_OF_A_DIGIT * len(f"{count:,}") * longest else "" for count in counts]
        axes.bar_label(bars, fitting, label_type="center", fontsize=7)
        left = [start + count for start, count in zip(left, counts, strict=True)]
    for place, total in zip(places, left, strict=True):
        axes.text(total + 0.008 * longest, place, f"{total:,}", va="center", fontsize=7, fontweight="bold")
    axes.set_xlim(0, 1.1 * longest or 1)
    count_in_whole_numbers(axes.xaxis)
    axes.set_xlabel(f"theorems, by thirds of all repositories ({measure})")
    axes.set_yticks(places, [_shortened(row.repository.name) for row in difficulty][::-1])
    axes.set_ylim(-0.6, len(difficulty) - 0.4)
    if difficulty:
        figure = axes.get_figure()
        assert isinstance(figure, Figure)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=4, frameon=False, fontsize=8)


def _height(difficulty: Sequence[RepositoryDifficulty]) -> float:
    """Inches that leave room for every name."""
    return max(2.5, 1.3 + 0.3 * len(difficulty))


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
