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

from lean_agent.database import ProofStatistics, RepositoryDifficulty
from lean_agent.files import write_atomically

COMMONEST = 25
LONGEST_SHOWN = 30
BINS_A_DECADE = 8


def write_data_plots(
    statistics: ProofStatistics, difficulty: Sequence[RepositoryDifficulty], measure: str, folder: Path
) -> list[Path]:
    """Write four PNGs and ``statistics.json`` into ``folder``; returns their paths."""
    numbers = {
        "proof_steps": sorted(statistics.steps),
        "tactics": dict(statistics.tactics.most_common()),
        "state_characters": sorted(statistics.state_characters),
        "difficulty": {
            "measure": measure,
            "repositories": [
                {"name": one.repository.name, "easy": one.easy, "medium": one.medium, "hard": one.hard,
                 "unknown": one.unknown}
                for one in difficulty
            ],
        },
    }  # fmt: skip
    text = json.dumps(numbers, ensure_ascii=False) + "\n"
    return [
        write_atomically(folder / "proof_lengths.png", _draw(lambda axes: _proof_lengths(axes, statistics.steps))),
        write_atomically(folder / "tactics.png", _draw(lambda axes: _tactics(axes, statistics))),
        write_atomically(folder / "state_sizes.png", _draw(lambda axes: _sizes(axes, statistics.state_characters))),
        write_atomically(folder / "difficulty.png", _draw(lambda axes: _difficulty(axes, difficulty, measure))),
        write_atomically(folder / "statistics.json", text.encode()),
    ]


def _draw(plot: Callable[[Axes], None]) -> bytes:
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    plot(figure.add_subplot())
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=150)
    return png.getvalue()


def _proof_lengths(axes: Axes, steps: Sequence[int]) -> None:
    """A bar a number of steps; the last one stands for all longer proofs."""
    counts = [0] * LONGEST_SHOWN
    for count in steps:
        counts[min(count, LONGEST_SHOWN) - 1] += 1
    shown = max((place for place, count in enumerate(counts, start=1) if count), default=1)
    axes.bar(range(1, shown + 1), counts[:shown])
    axes.set_xlabel("steps of the proof" + (f" ({LONGEST_SHOWN}: that or more)" if shown == LONGEST_SHOWN else ""))
    axes.set_ylabel(f"theorems, of {len(steps):,} with a tactic proof")


def _tactics(axes: Axes, statistics: ProofStatistics) -> None:
    commonest = statistics.tactics.most_common(COMMONEST)[::-1]
    axes.barh([name for name, _ in commonest], [count for _, count in commonest])
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel(f"uses, of {sum(statistics.tactics.values()):,} steps with {len(statistics.tactics):,} tactics")


def _sizes(axes: Axes, characters: Sequence[int]) -> None:
    """Sizes differ by orders of magnitude, so the bins grow with them."""
    decades = len(str(max(characters, default=1)))
    edges = [10 ** (place / BINS_A_DECADE) for place in range(decades * BINS_A_DECADE + 1)]
    axes.hist(characters, bins=edges)
    axes.set_xscale("log")
    axes.set_xlabel("characters of the state before a step")
    axes.set_ylabel("steps")


def _difficulty(axes: Axes, difficulty: Sequence[RepositoryDifficulty], measure: str) -> None:
    """A bar a repository, the easiest on top, with the count of each class inside."""
    places = range(len(difficulty))  # and not names, which two repositories can share
    left = [0] * len(difficulty)
    for label, colour in (("easy", "C2"), ("medium", "C1"), ("hard", "C3"), ("unknown", "0.8")):
        counts = [int(getattr(one, label)) for one in difficulty][::-1]
        bars = axes.barh(places, counts, left=left, label=label, color=colour)
        axes.bar_label(bars, [str(count) if count else "" for count in counts], label_type="center", fontsize=7)
        left = [start + count for start, count in zip(left, counts, strict=True)]
    axes.set_xlabel(f"theorems, by thirds of all repositories ({measure})")
    axes.set_yticks(places, [one.repository.name for one in difficulty][::-1])
    if difficulty:
        axes.legend(fontsize=8)
