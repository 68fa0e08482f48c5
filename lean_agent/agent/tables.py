"""What an agent prints: a line for a traced repository, a table of results, a table of policies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lean_agent.evaluation.evaluate import Report
from lean_agent.evaluation.sections import HEADINGS, budget_words, left_out_words, some_names, table_cells
from lean_agent.evaluation.summary import left_out_by_reason, rows
from lean_agent.prover.provers import ProofResult
from lean_agent.prover.write_back import WrittenBack
from lean_agent.tracing import TracedRepository, missing_packages, missing_submodules
from lean_agent.tracing.versions import differs

if TYPE_CHECKING:
    from lean_agent.agent.many import SetUp

SHOWN_PROBLEMS = 5


def trace_summary(traced: TracedRepository) -> str:
    """One line of counts, then a line for each file that could not be traced or has errors, the first few."""
    files = traced.summaries
    reused = f" ({traced.reused:,} stored before)" if traced.reused else ""
    lines = [
        f"{traced.repository.name}: {_count(sum(file.theorems for file in files), 'theorem')} in "
        f"{_count(len(files), 'file')}{reused}, {sum(file.open_theorems for file in files)} of them open, "
        f"{_count(sum(file.tactics for file in files), 'tactic')} (those of open theorems too), {traced.seconds:.1f} s"
    ]
    if failed := sum(file.failed for file in files):
        left_out = f"{_count(failed, 'more theorem')} left out for errors inside"
        lines.append(f"  {left_out}; `lean-agent db show {traced.repository.name}` names them")
    problems = [f"{skipped.path}:{skipped.line}: not traced: {skipped.reason}" for skipped in traced.skipped]
    for file in files:
        if file.first_error is not None:
            more = f" (and {file.errors - 1:,} more in this file)" if file.errors > 1 else ""
            words = file.first_error.text.strip().splitlines()[0]
            problems.append(f"{file.path}:{file.first_error.start.line}: {words}{more}")
    lines += [f"  {problem}" for problem in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        lines.append(f"  and {_count(len(problems) - SHOWN_PROBLEMS, 'more file')}")
    lines += [f"  {words}" for words in _version_words(traced)]
    lines += [f"  {hint}" for hint in _hints(traced)]
    return "\n".join(lines)


def _version_words(traced: TracedRepository) -> list[str]:
    """Which Lean ran, where the project asks for another, and how many errors that may explain."""
    if not differs(traced.toolchain, traced.lean_version):
        return []
    errors = sum(file.errors for file in traced.summaries)
    unknown = sum(file.unknown for file in traced.summaries)
    return [
        f"asks for {traced.toolchain}, traced by Lean {traced.lean_version}: {unknown:,} of {_count(errors, 'error')} "
        "speak of names or syntax that the latter does not have"
    ]


def _hints(traced: TracedRepository) -> list[str]:
    """What of the repository is not here, and how to get it. Packages matter only where a file was left out."""
    hints = []
    if modules := missing_submodules(traced.repository.path):
        hints.append(f"{', '.join(modules)}: submodules that were not fetched; --submodules fetches them")
    if traced.skipped and (packages := missing_packages(traced.repository)):
        hints.append(f"{', '.join(packages)}: packages that were not traced; --dependencies traces them first")
    return hints


def print_written_back(console: Console, written: Sequence[WrittenBack]) -> None:
    """Where the proofs are now, and which files were left alone."""
    for one in written:
        places = [f"patch {one.patch}"]
        places += [f"branch {one.branch}"] if one.branch else []
        places += [f"changed {', '.join(one.changed)}"] if one.changed else []
        console.print(f"{one.name}: {'; '.join(places)}", markup=False, highlight=False, soft_wrap=True)
        for path, reason in one.left:
            console.print(f"  {path} was left as it is: {reason}", markup=False, highlight=False, soft_wrap=True)


def print_set_ups(console: Console, results: Sequence[SetUp]) -> None:
    """A table of the repositories that were traced, where there are several; below it those that failed, and how much
    memory the largest took."""
    traced = [result.traced for result in results if result.traced is not None]
    if len(results) > 1:
        table = Table("repository", "commit", "files", "skipped", "theorems", "open", "errors", "seconds")
        for column in table.columns[2:]:
            column.justify = "right"
        for one in traced:
            counts = (
                len(one.summaries),
                len(one.skipped),
                sum(file.theorems for file in one.summaries),
                sum(file.open_theorems for file in one.summaries),
                sum(file.errors for file in one.summaries),
            )
            words = [f"{count:,}" for count in counts] + [f"{one.seconds:.1f}"]
            table.add_row(Text(one.repository.name), one.repository.commit[:8], *words)
        console.print(table)
    for result in results:
        if result.error is not None:
            console.print(Text(f"{result.entry.url}: failed: {result.error}"), soft_wrap=True)
    if traced:
        python_mb, lean_mb = max(one.python_mb for one in traced), max(one.lean_mb for one in traced)
        console.print(f"Memory: at most {python_mb:,} MB in Python, {lean_mb:,} MB in Lean.", highlight=False)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def print_results(console: Console, results: Sequence[ProofResult], *, whole_list: bool) -> None:
    """A table of results; without ``whole_list`` only of the theorems that were proved."""
    proved = [result for result in results if result.proved]
    shown = results if whole_list else proved
    if shown:
        table = Table("theorem", "result", "proof")
        for result in shown:
            found = (" ; ".join(result.search.script),) if result.proved else ()
            proof = "\n".join((*found, *filter(None, [result.message])))
            table.add_row(Text(result.theorem.full_name), result.status, Text(proof))
        console.print(table)
    console.print(f"{len(proved)} of {len(results)} open theorems proved and verified.", highlight=False)


def print_report(console: Console, report: Report, folder: Path) -> None:
    """The table of policies, and where the rest is."""
    table = Table(*HEADINGS)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows(report):
        table.add_row(*table_cells(row))
    console.print(table)
    console.print(budget_words(report), highlight=False)
    if report.left_out:
        console.print(left_out_words(report), highlight=False)
    for reason, found in left_out_by_reason(report):
        console.print(Text(f"  {len(found):,}: {reason}: {some_names(found)}"), soft_wrap=True)
    console.print(f"Run folder: {folder}", highlight=False, soft_wrap=True)
