"""A report of an evaluation: ``report.md`` with its pictures, ``report.html`` in one file, ``report.json``.

First what it says, as tables and words, then how it looks. The page needs no network and no script.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from lean_agent.evaluation import summary
from lean_agent.evaluation.benchmarks import LeftOut
from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.statistics import Interval, percent_range
from lean_agent.evaluation.summary import CostMeasure, ProvedShare, ReportRow
from lean_agent.files import write_atomically
from lean_agent.wording import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEADINGS = ("policy", "proved", "95 %", "of those no single tactic closes", "seconds", "Lean calls", "tokens")
DRAWN = 12
"""More bars than for so many lines nobody reads."""
NAMED = 5
"""So many of those that were left out for one reason are named; report.json has all."""
MEASURES: Mapping[CostMeasure, str] = {"lean_calls": "Lean calls", "tokens": "tokens"}


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, a sentence or two, a table (cells as text, the first column names the line), and a picture."""

    title: str
    words: str = ""
    headings: Sequence[str] = ()
    lines: Sequence[Sequence[str]] = ()
    figure: Figure | None = None


def table_cells(row: ReportRow) -> tuple[str, ...]:
    """Return one line of the main table, a cell for each of ``HEADINGS``."""
    return (
        row.prover,
        f"{_count(row.proved)}/{row.attempted}",
        percent_range(row.rate),
        f"{_count(row.hard_proved)}/{row.hard_attempted}",
        f"{row.seconds:.1f}",
        f"{row.lean_calls:,}",
        f"{row.tokens:,}",
    )


def budget_words(report: Report) -> str:
    """Return the limits of every attempt, in words."""
    budget = report.budget
    tokens = "" if budget.tokens is None else f"{counted(budget.tokens, 'token')}, "
    seeds = max((summary.seeds_of(report.of(prover)) for prover in report.provers), default=0)
    times = f" Every theorem was tried with {seeds} seeds; what is proved is the mean." if seeds > 1 else ""
    counts = f"{counted(budget.expansions, 'expansion')}, {counted(budget.lean_calls, 'Lean call')}, {tokens}"
    return f"Budget for each theorem: {counts}{budget.seconds:g} seconds.{times}"


def unfinished_words(report: Report) -> str:
    """Say how many theorems nobody could prove, since their statements rest on a ``sorry``; empty where there are
    none."""
    count = max((row.unfinished for row in summary.rows(report)), default=0)
    if not count:
        return ""
    what = "theorem rests on a sorry in what it states" if count == 1 else "theorems rest on a sorry in what they state"
    return f"{count:,} {what}: no proof could be accepted, none was tried, and they count as not proved."


def left_out_words(report: Report) -> str:
    """Say how many theorems stand behind the numbers, and how many of the benchmark do not; empty where all do."""
    tried = len({attempt.key for attempt in report.attempts})
    files = sum(missing.is_file for missing in report.left_out)
    theorems = len(report.left_out) - files
    missing = [counted(count, what) for count, what in ((theorems, "theorem"), (files, "file")) if count]
    return f"{counted(tried, 'theorem')} tried; {' and '.join(missing)} of the benchmark left out." if missing else ""


def sections(report: Report) -> Iterator[Section]:
    """Yield the parts of a report, those without anything to say left out."""
    yield _main(report)
    yield from _left_out(report)
    yield from _pass_at_k(report)
    for measure in MEASURES:
        yield from _budgets(report, measure)
    yield from _comparisons(report)
    yield _time(report)
    yield _shares("By difficulty", "difficulty", summary.by_difficulty(report), report.provers)
    yield _shares("By repository", "repository or part of it", summary.by_group(report), report.provers)
    yield _outcomes(report)


def _main(report: Report) -> Section:
    words = (
        "Only proofs that were verified in their own file count. The interval is that of the share of theorems proved, "
        "from drawing the theorems anew 10,000 times; where all came out alike, an exact bound."
    )
    words = " ".join(filter(None, [words, unfinished_words(report)]))
    return Section("Proved", words, HEADINGS, [table_cells(row) for row in summary.rows(report)])


def _left_out(report: Report) -> Iterator[Section]:
    if report.left_out:
        lines = [
            [reason, str(len(missing)), some_names(missing)] for reason, missing in summary.left_out_by_reason(report)
        ]
        yield Section("Left out", "", ["reason", "how many", "which"], lines)


def some_names(missing: Sequence[LeftOut]) -> str:
    """Return the first few names, and how many more there are."""
    more = f" and {len(missing) - NAMED:,} more" if len(missing) > NAMED else ""
    return ", ".join(entry.name for entry in missing[:NAMED]) + more


def _pass_at_k(report: Report) -> Iterator[Section]:
    """Yield a section where there are several seeds."""
    ks = summary.stated_ks(report)
    if len(ks) < 2:
        return
    seeds = {prover: summary.seeds_of(report.of(prover)) for prover in report.provers}
    lines = [
        [name, *(percent(summary.pass_at(report, name, k)) if k <= seeds[name] else "" for k in ks)]
        for name in report.provers
    ]
    words = "The unbiased estimate of arXiv 2107.03374 with its 95 % interval. A policy without chance has one attempt."
    yield Section("pass@k", words, ["policy", *(f"pass@{k}" for k in ks)], lines)


def _budgets(report: Report, measure: CostMeasure) -> Iterator[Section]:
    from lean_agent.evaluation import plots  # matplotlib, which the extra `train` brings

    stated = summary.budgets(report, measure)
    if not stated:
        return
    name = MEASURES[measure]
    lines = [
        [prover, f"pass@{k}", *(percent(summary.at_budget(report, prover, measure, budget, k)) for budget in stated)]
        for prover in report.provers
        for k in summary.stated_ks(report)
        if k <= summary.seeds_of(report.of(prover))
    ]
    words = f"What would be proved had every attempt been stopped after so many {name}."
    headings = ["policy", "", *(f"{budget:,}" for budget in stated)]
    yield Section(f"Proved against {name}", words, headings, lines, plots.against_budget(report, measure, name))


def _comparisons(report: Report) -> Iterator[Section]:
    pairs = summary.comparisons(report)
    if not pairs:
        return
    lines = []
    for first, second, paired in pairs:
        value, low, high = (100 * share for share in astuple(paired.difference))
        difference = [f"{first} − {second}", f"{value:+.1f} points", f"{low:+.1f} to {high:+.1f}"]
        lines.append([*difference, str(paired.only_first), str(paired.only_second), f"{paired.p_value:.2g}"])
    words = (
        "Paired by theorem: the difference of the shares proved with its 95 % interval, as above, and McNemar's exact "
        "test over the theorems that only one of the two has proved at its first attempt."
    )
    headings = ["policies", "difference", "95 %", "only the first", "only the second", "McNemar p"]
    yield Section("Comparisons", words, headings, lines)


def _time(report: Report) -> Section:
    from lean_agent.evaluation import plots  # matplotlib, which the extra `train` brings

    measured = summary.rows(report)
    lines = [[row.prover, f"{row.policy_s:.1f}", f"{row.lean_s:.1f}", f"{row.seconds:.1f}"] for row in measured]
    words = (
        "Seconds in which the policy and Lean were at work, which can be at the same time; and those of all "
        "attempts: to start each proof, its share of the search, and the verification."
    )
    headings = ["policy", "in the policy", "in Lean", "of all attempts"]
    return Section("Time", words, headings, lines, plots.time(measured))


def _shares(title: str, what: str, table: Mapping[str, Mapping[str, ProvedShare]], provers: Sequence[str]) -> Section:
    from lean_agent.evaluation import plots  # matplotlib, which the extra `train` brings

    lines = [
        [label, *(f"{_count(shares[name].proved)}/{shares[name].attempted}" for name in provers)]
        for label, shares in table.items()
    ]
    drawn = _largest(table, DRAWN)
    words = f"Drawn are the {DRAWN} with the most theorems." if len(drawn) < len(table) else ""
    return Section(
        title, words, [what, *provers], lines, plots.shares(drawn, provers, what) if len(table) > 1 else None
    )


def _largest(table: Mapping[str, Mapping[str, ProvedShare]], count: int) -> dict[str, Mapping[str, ProvedShare]]:
    """Return the ``count`` lines with the most theorems, in their order."""
    sizes = {label: max((share.attempted for share in shares.values()), default=0) for label, shares in table.items()}
    kept = sorted(table, key=lambda label: -sizes[label])[:count]
    return {label: shares for label, shares in table.items() if label in kept}


def _outcomes(report: Report) -> Section:
    from lean_agent.evaluation import plots  # matplotlib, which the extra `train` brings

    ended = summary.outcomes(report)
    kinds = sorted({kind for counts in ended.values() for kind in counts}, key=lambda kind: (kind != "proved", kind))
    lines = [[prover, *(str(counts[kind] or "") for kind in kinds)] for prover, counts in ended.items()]
    return Section("How attempts ended", "", ["policy", *kinds], lines, plots.outcomes(ended, kinds))


def percent(interval: Interval) -> str:
    """Format as ``37.5 % (26–49)``."""
    return f"{100 * interval.value:.1f} % ({100 * interval.low:.0f}–{100 * interval.high:.0f})"


def _count(mean: float) -> str:
    """Format a whole number as such, the mean of several seeds with one decimal."""
    return f"{mean:.0f}" if abs(mean - round(mean)) < 1e-9 else f"{mean:.1f}"


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
    from lean_agent.evaluation import plots  # matplotlib, which the extra `train` brings

    parts = list(sections(report))
    write_atomically(folder / "report.json", (json.dumps(_json(report), indent=2, ensure_ascii=False) + "\n").encode())
    write_atomically(folder / "report.html", _html(report, parts, title, notes).encode())
    for part in parts:
        if part.figure is not None:
            write_atomically(folder / _picture(part), plots.image(part.figure, "png"))
    return write_atomically(folder / "report.md", _markdown(report, parts, title, notes).encode())


def _json(report: Report) -> dict[str, object]:
    return {
        "budget": asdict(report.budget),
        "rows": [asdict(row) for row in summary.rows(report)],
        "pass_at_k": [asdict(rate) for rate in summary.pass_rates(report)],
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
        lines += _table(part.headings, part.lines)
        if part.figure is not None:
            lines += [f"![{part.title}]({_picture(part)})", ""]
    for prover in report.provers:
        headings = ["theorem", "seed", "result", "steps", "Lean calls", "seconds"]
        rows = [[f"`{name}`", *cells] for name, *cells in map(_attempt_cells, report.of(prover))]
        lines += [f"## Attempts: {prover}", "", *_table(headings, rows)]
    return "\n".join(lines)


def _attempt_cells(attempt: Attempt) -> list[str]:
    result = f"{summary.outcome(attempt)}: {attempt.message}" if attempt.message else summary.outcome(attempt)
    figures = [str(attempt.steps or ""), str(attempt.lean_calls), f"{attempt.seconds:.1f}"]
    return [attempt.full_name, str(attempt.seed), result, *figures]


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    table = (headings, ["---"] * len(headings), *lines)
    escaped = ([" ".join(cell.split()).replace("|", r"\|") for cell in cells] for cells in table)
    return [*(f"| {' | '.join(cells)} |" for cells in escaped), ""]


# -- HTML


def _html(report: Report, parts: Sequence[Section], title: str, notes: str) -> str:
    from lean_agent.evaluation import plots  # matplotlib, which the extra `train` brings

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
            svg = plots.image(part.figure, "svg").decode()
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
        proof = f"<details><summary>proof</summary><pre>{escape(attempt.proof)}</pre></details>"
        proof = proof if attempt.proof else ""
        lines.append(
            f'<tr><td><code>{name}</code>{proof}</td><td>{seed}</td><td class="{escape(attempt.status)}">{result}</td>'
            f"<td>{steps}</td><td>{calls}</td><td>{seconds}</td></tr>"
        )
    head = "<tr><th>theorem</th><th>seed</th><th>result</th><th>steps</th><th>Lean calls</th><th>seconds</th></tr>"
    table = f'<div class="scroll"><table class="attempts">{head}{"".join(lines)}</table></div>'
    return f"<details><summary>{escape(prover)}: {counted(len(attempts), 'attempt')}</summary>{table}</details>"
