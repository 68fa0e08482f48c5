"""Curves as SVG, coloured by the page's style: drawn again each second while a run goes on, in the reader's light."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup, escape

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 360, 170
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 8, 22
MOST_POINTS = 400
"""More points than this are joined: a point of the curve is the mean of its neighbours."""
COLOURS = 6


def line_chart(title: str, series: Mapping[str, Points]) -> Markup:
    """Return a drawing of some curves, with axes and a legend.

    Args:
        title: what a reader of the page who sees no pictures is told, beside the last value of each curve.
        series: name of a curve -> its points by ``x``.
    """
    curves = {name: thinned(points) for name, points in series.items() if points}
    everything = [point for points in curves.values() for point in points]
    if not everything:
        return Markup("")
    x_low, x_high = _range([x for x, _ in everything], whole=False)
    y_low, y_high = _range([y for _, y in everything], whole=True)

    def place(x: float, y: float) -> str:
        across = LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{down:.1f}"

    last = ", ".join(f"{name} {number(points[-1][1])}" for name, points in series.items() if points)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(f"{title}; last: {last}")}">',
        *_axes(x_low, x_high, y_low, y_high),
    ]
    for index, points in enumerate(curves.values()):
        places = " ".join(place(x, y) for x, y in points)
        parts.append(f'<polyline class="s{index % COLOURS}" points="{places}"/>')
    legend = "".join(
        f'<li><svg viewBox="0 0 16 5" aria-hidden="true"><line class="s{index % COLOURS}" x2="16" y1="2.5" y2="2.5"/>'
        f"</svg> {escape(name)}: {number(series[name][-1][1])}</li>"
        for index, name in enumerate(curves)
    )
    return Markup("".join(parts) + f'</svg><ul class="legend">{legend}</ul>')


def thinned(points: Points, most: int = MOST_POINTS) -> Points:
    """Return no more than ``most`` points, each the mean of as many neighbours."""
    size = math.ceil(len(points) / most)
    if size <= 1:
        return points
    groups = [points[start : start + size] for start in range(0, len(points), size)]
    return [(group[-1][0], math.fsum(y for _, y in group) / len(group)) for group in groups]


def number(value: float) -> str:
    """Return a number in few characters: ``0.0013``, ``12.5``, ``1,408``."""
    if value and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.2g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _range(values: Sequence[float], *, whole: bool) -> tuple[float, float]:
    """Return the ends of an axis; ``whole`` leaves some room at both."""
    low, high = min(values), max(values)
    if low == high:
        return low - (abs(low) / 10 or 1), high + (abs(high) / 10 or 1)
    room = (high - low) * 0.05 if whole else 0.0
    return (0.0 if 0 <= low < room else low - room), high + room


def _axes(x_low: float, x_high: float, y_low: float, y_high: float) -> Iterator[str]:
    bottom = HEIGHT - BOTTOM
    for share in (0.0, 0.5, 1.0):
        down = bottom - share * (bottom - TOP)
        yield f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{down:.1f}" y2="{down:.1f}"/>'
        words = number(y_low + share * (y_high - y_low))
        yield f'<text x="{LEFT - 5}" y="{down + 4:.1f}" text-anchor="end">{words}</text>'
    for share, anchor in ((0.0, "start"), (1.0, "end")):
        across = LEFT + share * (WIDTH - LEFT - RIGHT)
        words = number(x_low + share * (x_high - x_low))
        yield f'<text x="{across:.1f}" y="{HEIGHT - 6}" text-anchor="{anchor}">{words}</text>'
