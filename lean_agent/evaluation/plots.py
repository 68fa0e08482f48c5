"""The pictures of a report. Draws without a display, and leaves matplotlib's global state alone."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, StrMethodFormatter

from lean_agent.evaluation.evaluate import Report
from lean_agent.evaluation.summary import CostMeasure, ProvedShare, ReportRow, by_theorem

WIDTH = 8.0
LINEAR_UP_TO = 100
"""Costs up to which the axis is not logarithmic: on two decades there would be next to no numbers."""
_PALETTE = "tab10"


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
