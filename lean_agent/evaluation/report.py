"""A report of an evaluation: ``report.md`` with its pictures, ``report.html`` in one file, ``report.json``.

Owns their layout; what they say comes from :mod:`.sections`. The page needs no network and no script.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path

from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.plots import image
from lean_agent.evaluation.sections import Section, budget_words, left_out_words, sections
from lean_agent.evaluation.summary import outcome, pass_rates, rows
from lean_agent.files import write_atomically
from lean_agent.wording import counted

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
th { background: #f4f4f4; }
.scroll { overflow-x: auto; }
.attempts td { text-align: left; }
.proved { color: #1a7f37; } .rejected, .error { color: #b42318; }
pre { margin: .3rem 0; white-space: pre-wrap; background: #f7f7f7; padding: .5rem; }
svg { max-width: 100%; height: auto; }
summary { cursor: pointer; }
"""


def write_report(report: Report, folder: Path, *, title: str, notes: str = "") -> Path:
    """Write ``report.md``, its pictures, ``report.html`` and ``report.json``; returns the path of ``report.md``.

    Args:
        notes: Markdown paragraphs that stand above the tables.
    """
    parts = list(sections(report))
    write_atomically(folder / "report.json", (json.dumps(_json(report), indent=2, ensure_ascii=False) + "\n").encode())
    write_atomically(folder / "report.html", _html(report, parts, title, notes).encode())
    for part in parts:
        if part.figure is not None:
            write_atomically(folder / _picture(part), image(part.figure, "png"))
    return write_atomically(folder / "report.md", _markdown(report, parts, title, notes).encode())


def _json(report: Report) -> dict[str, object]:
    return {
        "budget": asdict(report.budget),
        "rows": [asdict(row) for row in rows(report)],
        "pass_at_k": [asdict(rate) for rate in pass_rates(report)],
        "hard": sorted(map(list, report.hard)),
        "left_out": [asdict(missing) for missing in report.left_out],
        "attempts": [asdict(attempt) for attempt in report.attempts],
    }


def _picture(part: Section) -> str:
    return f"{part.title.lower().replace(' ', '_')}.png"


# -- Markdown


def _markdown(report: Report, parts: Sequence[Section], title: str, notes: str) -> str:
    lines = [f"# {title}", "", budget_words(report), ""]
    if report.left_out:
        lines += [left_out_words(report), ""]
    if notes:
        lines += [notes.strip(), ""]
    for part in parts:
        lines += [f"## {part.title}", ""]
        if part.words:
            lines += [part.words, ""]
        lines += [_table_line(part.headings), _table_line(["---"] * len(part.headings))]
        lines += [_table_line(line) for line in part.lines]
        lines.append("")
        if part.figure is not None:
            lines += [f"![{part.title}]({_picture(part)})", ""]
    for prover in report.provers:
        headings = ["theorem", "seed", "result", "steps", "Lean calls", "seconds"]
        lines += [f"## Attempts: {prover}", "", _table_line(headings), _table_line(["---"] * len(headings))]
        lines += [_table_line([f"`{cells[0]}`", *cells[1:]]) for cells in map(_attempt_cells, report.of(prover))]
        lines.append("")
    return "\n".join(lines)


def _attempt_cells(attempt: Attempt) -> list[str]:
    result = f"{outcome(attempt)}: {attempt.message}" if attempt.message else outcome(attempt)
    return [
        attempt.full_name,
        str(attempt.seed),
        result,
        str(attempt.steps or ""),
        str(attempt.lean_calls),
        f"{attempt.seconds:.1f}",
    ]


def _table_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


# -- HTML


def _html(report: Report, parts: Sequence[Section], title: str, notes: str) -> str:
    body = [f"<h1>{escape(title)}</h1>", f"<p>{escape(budget_words(report))}</p>"]
    if report.left_out:
        body.append(f"<p>{escape(left_out_words(report))}</p>")
    body += [f"<p>{escape(paragraph)}</p>" for paragraph in notes.strip().split("\n\n") if paragraph]
    for part in parts:
        body.append(f"<h2>{escape(part.title)}</h2>")
        if part.words:
            body.append(f"<p>{escape(part.words)}</p>")
        body.append(_html_table(part.headings, part.lines))
        if part.figure is not None:
            svg = image(part.figure, "svg").decode()
            body.append(svg[svg.index("<svg") :])
    body.append("<h2>Attempts</h2>")
    body += [_html_attempts(prover, report.of(prover)) for prover in report.provers]
    return (
        f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _html_table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in headings)
    rest = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    return f'<div class="scroll"><table><tr>{head}</tr>{rest}</table></div>'


def _html_attempts(prover: str, attempts: Sequence[Attempt]) -> str:
    lines = []
    for attempt in attempts:
        name, seed, result, steps, calls, seconds = map(escape, _attempt_cells(attempt))
        proof = (
            f"<details><summary>proof</summary><pre>{escape(attempt.proof)}</pre></details>" if attempt.proof else ""
        )
        lines.append(
            f'<tr><td><code>{name}</code>{proof}</td><td>{seed}</td><td class="{escape(attempt.status)}">{result}</td>'
            f"<td>{steps}</td><td>{calls}</td><td>{seconds}</td></tr>"
        )
    head = "<tr><th>theorem</th><th>seed</th><th>result</th><th>steps</th><th>Lean calls</th><th>seconds</th></tr>"
    table = f'<div class="scroll"><table class="attempts">{head}{"".join(lines)}</table></div>'
    return f"<details><summary>{escape(prover)}: {counted(len(attempts), 'attempt')}</summary>{table}</details>"
