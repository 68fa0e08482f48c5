"""The pictures of a report and of what a database holds. Draws without a display, and leaves matplotlib's global state
alone."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

from lean_agent.database import ProofStatistics, RepositoryDifficulty
from lean_agent.evaluation.evaluate import Report
from lean_agent.evaluation.summary import CostMeasure, ProvedShare, ReportRow, by_theorem
from lean_agent.files import write_atomically
from lean_agent.folder_lock import locked_folder
from lean_agent.wording import counted

WIDTH = 8.0
LINEAR_UP_TO = 100
"""Costs up to which the axis is not logarithmic: on two decades there would be next to no numbers."""
_PALETTE = "tab10"
COMMONEST = 25
LONGEST_SHOWN = 30
BINS_A_DECADE = 8
LONGEST_NAME = 32
ROOM_OF_A_DIGIT = 0.014
"""Part of the longest bar that a digit takes; a count that has no room in its part is not written into it."""


def image(figure: Figure, kind: Literal["png", "svg"]) -> bytes:
    """Return a figure as a file. Two figures of the same numbers are the same bytes."""
    FigureCanvasAgg(figure)
    content = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "lean_agent", "svg.fonttype": "path"}):
        figure.savefig(content, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
    return content.getvalue()


def count_in_whole_numbers(axis: Axis) -> None:
    """Put numbers at whole counts alone, also where an axis is shorter than 1."""
    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def against_budget(report: Report, measure: CostMeasure, name: str) -> Figure:
    """Plot theorems proved (mean over seeds) against what each proof has cost, a line for each prover."""
    figure = Figure(figsize=(WIDTH, 4.2), layout="constrained")
    axes = figure.add_subplot()
    spent = [getattr(attempt, measure) for attempt in report.attempts]
    for index, prover in enumerate(report.provers):
        attempts = report.of(prover)
        seeds = max(map(len, by_theorem(attempts).values()), default=1)
        costs = sorted(getattr(attempt, measure) for attempt in attempts if attempt.proved)
        # From nothing proved, up by one attempt at each proof, then level to the end.
        heights = [count / seeds for count in range(len(costs) + 1)]
        label = f"{prover} ({heights[-1]:.4g})"
        steps = [0, *costs, max(spent, default=0)]
        axes.step(steps, [*heights, heights[-1]], where="post", label=label, color=_color(index))
    axes.set_xlabel(f"{name} spent on a theorem")
    axes.set_ylabel("theorems proved")
    _scale_costs(axes, max(spent, default=0))
    axes.set_ylim(bottom=0)
    count_in_whole_numbers(axes.yaxis)
    axes.grid(alpha=0.3)
    if report.provers:
        axes.legend()
    return figure


def shares(table: Mapping[str, Mapping[str, ProvedShare]], provers: Sequence[str], what: str) -> Figure:
    """Plot percent proved for each label, a bar for each prover."""
    height = max(2.4, 0.28 * len(table) * max(1, len(provers)) * 0.6 + 1.6)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.add_subplot()
    thickness = 0.8 / max(1, len(provers))
    labels = list(table)
    for index, prover in enumerate(provers):
        of_prover = [table[label][prover] for label in labels]
        places = [row + index * thickness for row in range(len(labels))]
        rates = [100 * share.proved / share.attempted if share.attempted else 0.0 for share in of_prover]
        axes.barh(places, rates, height=thickness, label=prover, color=_color(index))
    axes.set_yticks([row + 0.4 - thickness / 2 for row in range(len(labels))], labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% proved")
    axes.set_ylabel(what)
    axes.grid(axis="x", alpha=0.3)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=4, frameon=False)
    return figure


def outcomes(ended: Mapping[str, Counter[str]], kinds: Sequence[str]) -> Figure:
    """Plot how the attempts of each prover ended, as one bar in parts."""
    figure = Figure(figsize=(WIDTH, 1.4 + 0.45 * len(ended)), layout="constrained")
    axes = figure.add_subplot()
    left = [0.0] * len(ended)
    for index, kind in enumerate(kinds):
        parts = [float(counts[kind]) for counts in ended.values()]
        axes.barh(list(ended), parts, left=left, label=kind, color=_color(index))
        left = [before + part for before, part in zip(left, parts, strict=True)]
    axes.invert_yaxis()
    count_in_whole_numbers(axes.xaxis)
    axes.set_xlabel("attempts")
    if kinds:
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=4, frameon=False)
    return figure


def time(rows: Sequence[ReportRow]) -> Figure:
    """Plot seconds of each prover: in the policy, in Lean, and of all attempts."""
    figure = Figure(figsize=(WIDTH, 1.4 + 0.6 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    parts = {
        "in the policy": [row.policy_s for row in rows],
        "in Lean": [row.lean_s for row in rows],
        "of all attempts": [row.seconds for row in rows],
    }
    for index, (what, seconds) in enumerate(parts.items()):
        places = [row + 0.27 * index for row in range(len(rows))]
        axes.barh(places, seconds, height=0.25, label=what, color=_color(index))
    axes.set_yticks([row + 0.27 for row in range(len(rows))], [row.prover for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("seconds")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper left", ncols=3, frameon=False)
    return figure


def _scale_costs(axes: Axes, most: float) -> None:
    """Make the axis of costs end at the largest, with numbers all along it: linear, or logarithmic where it is long."""
    if most > LINEAR_UP_TO:
        axes.set_xscale("symlog", linthresh=10)
        axes.xaxis.set_major_locator(FixedLocator(_marks(most)))
        axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.10g}"))
    axes.set_xlim(0, 1.05 * most or 1)


def _marks(most: float) -> list[float]:
    """Return 0, 5, 10, 20, 50, 100, … up to ``most``; powers of ten alone where these would be more than a dozen."""
    powers = [10.0**exponent for exponent in range(1, 1 + len(str(int(most))))]
    steps = (1, 2, 5) if most < 100 * LINEAR_UP_TO else (1,)
    return [0.0, 5.0, *(mark for power in powers for step in steps if (mark := power * step) <= most)]


def _color(index: int) -> tuple[float, float, float, float]:
    color: tuple[float, float, float, float] = matplotlib.colormaps[_PALETTE](index % 10)
    return color


def write_data_plots(
    statistics: ProofStatistics, difficulty: Sequence[RepositoryDifficulty], measure: str, folder: Path
) -> list[Path]:
    """Write four PNGs and ``statistics.json`` into ``folder``; returns their paths.

    Raises:
        ConfigError: another process is at work in the folder, or it cannot be written.
    """
    classes = ("easy", "medium", "hard", "unknown")
    rows = [{"name": row.repository.name, **{name: getattr(row, name) for name in classes}} for row in difficulty]
    numbers = {
        "proof_steps": sorted(statistics.steps),
        "tactics": dict(statistics.tactics.most_common()),
        "state_characters": sorted(statistics.state_characters),
        "difficulty": {"measure": measure, "repositories": rows},
    }
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
    plot(figure.add_subplot())
    return image(figure, "png")


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
    longest = max((row.easy + row.medium + row.hard + row.unknown for row in difficulty), default=0)
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
