"""Marks: figures of a benchmark that have to stay on one side of a bound, printed for people and kept for programs.

A benchmark calls :func:`show` for each of its marks. That prints a line, and where :data:`KEPT_IN` names a file the
mark is added to it as a line of JSON. :mod:`bench` runs the benchmarks so, and puts all marks into one table.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from lean_agent.files import json_lines

KEPT_IN = "LEAN_AGENT_MARKS"
"""The environment variable that names the file."""

Side = Literal["at most", "at least"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A figure, and the bound that it has to keep.

    Attributes:
        name: what was measured; the same in every run, so that runs can be compared.
        unit: of the figure and of the bound: ``s``, ``ms``, ``MB``, ``times``; empty for a count.
        side: where the figure has to be, seen from the bound; the bound itself is met.
    """

    name: str
    value: float
    bound: float
    unit: str = ""
    side: Side = "at most"

    @property
    def is_met(self) -> bool:
        """Whether the figure is on the right side of the bound."""
        return self.value <= self.bound if self.side == "at most" else self.value >= self.bound

    @property
    def figure(self) -> str:
        """The figure with its unit."""
        return f"{short(self.value)} {self.unit}".rstrip()

    @property
    def wanted(self) -> str:
        """The bound with its side."""
        return f"{self.side} {short(self.bound)}"


def short(value: float) -> str:
    """Write a number with three digits, and whole numbers from a thousand on with commas."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def show(*marks: Mark) -> None:
    """Print marks, a line each, and add them to the file that :data:`KEPT_IN` names, if any."""
    for mark in marks:
        print(f"{mark.name}: {mark.figure} (mark: {mark.wanted}{'' if mark.is_met else '; MISSED'})", flush=True)
    if path := os.environ.get(KEPT_IN):
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(mark)) + "\n" for mark in marks)


def read_marks(path: Path) -> list[Mark]:
    """Read what :func:`show` has written to a file; none where it has written nothing.

    Of several marks of one name the last stands. A line that was cut short by a kill is left out.
    """
    marks: dict[str, Mark] = {}
    if path.is_file():
        whole, _, _ = path.read_text(encoding="utf-8").rpartition("\n")
        for line in json_lines(whole):
            mark = Mark(**json.loads(line))
            marks[mark.name] = mark
    return list(marks.values())
