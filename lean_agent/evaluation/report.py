"""A report of an evaluation: report.md, report.json and one plot, in one folder.

Owns their layout; computes nothing that is not in the :class:`~lean_agent.evaluation.evaluate.Report`. Draws without a
display, and leaves matplotlib's global state alone.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from lean_agent.evaluation.evaluate import Report, Row
from lean_agent.files import write_atomically

HEADINGS = ("policy", "proved", "of those no single tactic closes", "seconds", "Lean calls", "tokens")
PLOT = "proved.png"


def table_cells(row: Row) -> tuple[str, ...]:
    """One line of the table, a cell for each of ``HEADINGS``."""
    return (
        row.prover,
        f"{row.proved}/{row.attempted}",
        f"{row.hard_proved}/{row.hard_attempted}",
        f"{row.seconds:.1f}",
        f"{row.lean_calls:,}",
        f"{row.tokens:,}",
    )


def budget_words(report: Report) -> str:
    """The limits of every attempt, in words."""
    budget = report.budget
    return (
        f"Budget for each theorem: {budget.expansions} expansions, {budget.lean_calls} Lean calls, "
        f"{budget.seconds:g} seconds."
    )


def write_report(report: Report, folder: Path, *, title: str, notes: str = "") -> Path:
    """Write ``report.md``, ``report.json`` and the plot; returns the path of ``report.md``."""
    write_atomically(folder / PLOT, draw(report))
    write_atomically(folder / "report.json", (json.dumps(_json(report), indent=2, ensure_ascii=False) + "\n").encode())
    return write_atomically(folder / "report.md", _markdown(report, title, notes).encode())


def draw(report: Report) -> bytes:
    """A PNG: theorems proved against the Lean calls that each took, one line for each prover."""
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for row in report.rows:
        calls = sorted(one.lean_calls for one in report.attempts if one.prover == row.prover and one.proved)
        # From nothing proved, up by one at each proof, then level to the budget's end.
        steps = [0, *calls, max([report.budget.lean_calls, *calls])]
        axes.step(steps, [*range(len(calls) + 1), len(calls)], where="post", label=f"{row.prover} ({row.proved})")
    axes.set_xlabel("Lean calls spent on a theorem")
    axes.set_ylabel("theorems proved")
    axes.set_ylim(bottom=0)
    axes.set_xscale("symlog", linthresh=10)
    if report.rows:
        axes.legend()
    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=150)
    return png.getvalue()


def _json(report: Report) -> dict[str, object]:
    return {
        "budget": asdict(report.budget),
        "rows": [asdict(row) for row in report.rows],
        "hard": sorted(map(list, report.hard)),
        "attempts": [asdict(attempt) for attempt in report.attempts],
    }


def _markdown(report: Report, title: str, notes: str) -> str:
    lines = [f"# {title}", "", budget_words(report), ""]
    lines += [_table_line(HEADINGS), _table_line(["---"] * len(HEADINGS))]
    lines += [_table_line(table_cells(row)) for row in report.rows]
    lines += ["", "Only proofs that were verified in their own file count.", "", f"![proved]({PLOT})", ""]
    if notes:
        lines += [notes.strip(), ""]
    for row in report.rows:
        lines += [f"## {row.prover}", ""]
        attempts = [one for one in report.attempts if one.prover == row.prover]
        lines += [_table_line(["theorem", "result", "steps", "Lean calls", "seconds"]), _table_line(["---"] * 5)]
        for one in attempts:
            result = f"{one.status}: {one.message}" if one.message else one.status
            cells = [f"`{one.full_name}`", result, str(one.steps or ""), str(one.lean_calls), f"{one.seconds:.1f}"]
            lines.append(_table_line(cells))
        lines.append("")
    return "\n".join(lines)


def _table_line(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"
