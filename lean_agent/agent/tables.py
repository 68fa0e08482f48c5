"""What an agent prints: a line for a traced repository, a table of results, a table of policies."""

from __future__ import annotations

import shlex
import textwrap
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from lean_agent.evaluation.evaluate import Report
from lean_agent.evaluation.report import (
    HEADINGS,
    budget_words,
    left_out_words,
    some_names,
    table_cells,
    unfinished_words,
)
from lean_agent.evaluation.summary import left_out_by_reason, rows
from lean_agent.improvement.report import HEADINGS as IMPROVE_HEADINGS
from lean_agent.improvement.report import ImproveReport, RoundReport
from lean_agent.improvement.report import words as improvement_words
from lean_agent.improvement.variants import FATES, Variant, counts
from lean_agent.lean.types import user_name
from lean_agent.progress import is_quiet
from lean_agent.prover.proofs.result import ProofResult
from lean_agent.prover.proofs.write_back import WrittenBack
from lean_agent.tracing import SkippedFile, TracedRepository, missing_packages, missing_submodules
from lean_agent.tracing.project.sources import differs
from lean_agent.tracing.tracer import LEAN_3
from lean_agent.wording import HIDDEN_BODIES, LOST, counted

SHOWN_PROBLEMS = 5
SHOWN_NAMES = 3
LONGEST_MESSAGE = 300
"""Characters of an error of Lean that are shown."""
TOO_LARGE = frozenset({"Mathlib"})


@dataclass(frozen=True, slots=True)
class SetUp:
    """Outcome of an entry, or of one of its Lake projects: a traced repository, or why there is none.

    Attributes:
        place: the address of the entry, or of the project.
    """

    place: str
    traced: TracedRepository | None
    error: Exception | None = None


def trace_summary(traced: TracedRepository, *, brief: bool = False, database: Path | None = None) -> str:
    """Return a line of counts, then what is missing and why: files that could not be traced, theorems that were left
    out, the first errors.

    Args:
        brief: no more than one line where every traced file had been stored before.
        database: where it is stored, if that is not the default.
    """
    files = traced.summaries
    show = f"lean-agent db show {traced.repository.name}"
    show += f" --database {shlex.quote(str(database))}" if database else ""
    unasked = f" that are imported (of {len(files) + traced.unasked:,})" if traced.unasked else ""
    reused = f" ({traced.reused:,} of them stored before)" if traced.reused else ""
    examples = sum(file.examples for file in files)
    of_examples = f" ({examples:,} of them examples)" if examples else ""
    open_examples = sum(file.open_examples for file in files)
    of_open = f" ({counted(open_examples, 'example')})" if open_examples else ""
    line = (
        f"{traced.repository.name}: {counted(sum(file.theorems for file in files), 'theorem')}{of_examples} in "
        f"{counted(len(files), 'file')}{unasked}{reused}, {sum(file.open_theorems for file in files):,} of them open"
        f"{of_open}, "
        f"{counted(sum(file.tactics for file in files), 'tactic')} (those of open theorems too), {traced.seconds:.1f} s"
    )
    if brief and files and traced.reused == len(files):
        missing = _missing(traced)
        return f"{line}; {missing}: `{show}`" if missing else line
    words = chain(
        _open_beside_words(traced),
        _failed_words(traced, show),
        _skipped_words(traced, show),
        _error_words(traced, show),
        _body_words(traced),
        _version_words(traced),
        _hints(traced),
    )
    return "\n".join([line, *(f"  {each}" for each in words)])


def _missing(traced: TracedRepository) -> str:
    """Return what of it is not there, in a few words; nothing if all is there."""
    lost = sum(file.stated - file.theorems for file in traced.summaries)
    words = [f"{counted(len(traced.skipped), 'file')} not traced"] if traced.skipped else []
    words += [f"{counted(lost, 'theorem')} left out"] if lost else []
    return ", ".join(words)


def _failed_words(traced: TracedRepository, show: str) -> list[str]:
    files = traced.summaries
    counts = {kind: sum(getattr(file, kind) for file in files) for kind in LOST}
    words = [f"{counted(count, 'more theorem')} {LOST[kind]}" for kind, count in counts.items() if count]
    if not words:
        return []
    stated = counted(sum(file.stated for file in files), "theorem")
    return [*words[:-1], f"{words[-1]}; `{show}` names them ({stated} stated)"]


def _open_beside_words(traced: TracedRepository) -> list[str]:
    names = [name for file in traced.summaries for name in file.open_beside]
    if not names:
        return []
    left = counted(len(names), "declaration that is no theorem is", "declarations that are no theorems are")
    return [f"{left} left as sorry, and never searched for ({_first_of(names)}): state a proposition as `theorem`"]


def _first_of(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = f" and {len(names) - SHOWN_NAMES:,} more" if len(names) > SHOWN_NAMES else ""
    return ", ".join(names[:SHOWN_NAMES]) + more


def _skipped_words(traced: TracedRepository, show: str) -> list[str]:
    """Files that were not traced: a line for each reason that many have in common, and for each of the first others."""
    shared: dict[str, list[SkippedFile]] = defaultdict(list)
    alone: list[SkippedFile] = []
    lines = []
    for skipped in traced.skipped:
        if skipped.package is not None:
            shared[f"need {skipped.package}, which is no part of the project"].append(skipped)
        else:
            (shared[LEAN_3] if skipped.reason == LEAN_3 else alone).append(skipped)
    for reason, files in shared.items():
        if len(files) == 1:
            alone += files
            continue
        named = _first_of([f"{file.path}:{file.line}" for file in files])
        lines.append(f"{counted(len(files), 'file')} not traced: {reason} ({named})")
    others = [f"{file.path}:{file.line}: not traced: {file.reason}" for file in alone]
    return [*lines, *_first(others, "more file not traced", "more files not traced", show)]


def _error_words(traced: TracedRepository, show: str) -> list[str]:
    """Return the first error of each file, of the first files that have some."""
    lines = []
    for file in traced.summaries:
        if file.first_error is not None:
            more = f" (and {file.errors - 1:,} more in this file)" if file.errors > 1 else ""
            lines.append(f"{file.path}:{file.first_error.start.line}: {_in_short(file.first_error.text)}{more}")
    return _first(lines, "more file with errors", "more files with errors", show)


def _in_short(message: str) -> str:
    """Return what a message of Lean says first, on one line: its first line, and where the second is indented what
    follows too, since the first is then no sentence (``The argument``, and on the next lines which, and of what type).
    """
    first, *others = message.strip().splitlines()
    return (
        textwrap.shorten(message, LONGEST_MESSAGE, placeholder=" …") if others[:1] and others[0][:1] == " " else first
    )


def _first(lines: list[str], thing: str, things: str, show: str) -> list[str]:
    left = len(lines) - SHOWN_PROBLEMS
    rest = f"and {counted(left, thing, things)}; `{show} --all` lists all"
    return [*lines[:SHOWN_PROBLEMS], rest] if left > 0 else lines


def _body_words(traced: TracedRepository) -> list[str]:
    """Say how many of the errors come of the build that ran, and of nothing in the project."""
    hidden = sum(file.hidden_bodies for file in traced.summaries)
    errors = counted(sum(file.errors for file in traced.summaries), "error")
    return [f"{hidden:,} of {errors}: {HIDDEN_BODIES}"] if hidden else []


MANY_UNKNOWN = 3
"""Errors about unknown names or syntax that are no slip any more, in a project that names no version."""


def _version_words(traced: TracedRepository) -> list[str]:
    """Return which Lean ran, where the project asks for another or for none, and how many errors that may explain."""
    errors = sum(file.errors - file.hidden_bodies for file in traced.summaries)
    unknown = sum(file.unknown for file in traced.summaries)
    if traced.toolchain is None and unknown >= MANY_UNKNOWN:
        return [
            f"it has no lean-toolchain, and {unknown:,} of {counted(errors, 'error')} speak of names or syntax that "
            f"Lean {traced.lean_version} does not know: it may be written for another version"
        ]
    if not differs(traced.toolchain, traced.lean_version):
        return []
    both = f"asks for {traced.toolchain}, traced by Lean {traced.lean_version}"
    if not traced.summaries:
        return [both]
    if not errors:
        return [f"{both}, which finds no error in {counted(len(traced.summaries), 'file')}"]
    other = "other error" if any(file.hidden_bodies for file in traced.summaries) else "error"
    words = f"{both}: that may be why it has {counted(errors, other)}"
    which = f", {unknown:,} of which speak of names or syntax that this Lean does not know" if unknown else ""
    return [f"{words}{which}"]


def _hints(traced: TracedRepository) -> list[str]:
    """Say what of the repository is not here, and how to get it. Packages matter only where a file was left out."""
    hints = [f"the package {name} is not there: {reason}" for name, reason in traced.failed_packages]
    if modules := missing_submodules(traced.repository.path):
        hints.append(f"{', '.join(modules)}: submodules that were not fetched; --submodules fetches them")
    needed = {skipped.package for skipped in traced.skipped if skipped.package is not None}
    if needed & TOO_LARGE:
        hints.append(
            f"{', '.join(sorted(needed & TOO_LARGE))} is too large for embedded Lean: build the project with a native "
            "toolchain (install elan; `lake exe cache get`, `lake build`), and trace its folder with `--lean native` "
            "(docs/native_lean.md)"
        )
    ask = needed - TOO_LARGE and not traced.failed_packages
    if ask and (packages := missing_packages(traced.repository)):
        advice = f"`lean-agent trace {traced.repository.place} --dependencies` traces them first"
        hints.append(f"packages that were not traced: {', '.join(packages)}; {advice}")
    if any(skipped.reason == LEAN_3 for skipped in traced.skipped):
        hints.append("Lean 3 is another language: trace its port to Lean 4, which a native toolchain needs too")
    return hints


def print_written_back(console: Console, written: Sequence[WrittenBack]) -> None:
    """Print where the proofs are now, and which files were left alone."""
    for place in written:
        places = [f"patch {place.patch}"]
        places += [f"branch {place.branch}"] if place.branch else []
        places += [f"changed {', '.join(place.changed)}"] if place.changed else []
        console.print(f"{place.name}: {'; '.join(places)}", markup=False, highlight=False, soft_wrap=True)
        for path, reason in place.left:
            console.print(f"  {path} was left as it is: {reason}", markup=False, highlight=False, soft_wrap=True)


def print_set_ups(console: Console, results: Sequence[SetUp]) -> None:
    """Print a table of the repositories that were traced, where there are several; below it those that failed, and how
    much memory the largest took, which is no result."""
    traced = [result.traced for result in results if result.traced is not None]
    if len(results) > 1:
        table = Table("repository", "commit", "files", "skipped", "theorems", "open", "errors", "seconds")
        for column in table.columns[2:]:
            column.justify = "right"
        for repository in traced:
            files, kinds = repository.summaries, ("theorems", "open_theorems", "errors")
            sums = (sum(getattr(file, kind) for file in files) for kind in kinds)
            words = [f"{count:,}" for count in (len(files), len(repository.skipped), *sums)]
            words.append(f"{repository.seconds:.1f}")
            table.add_row(Text(repository.repository.name), repository.repository.commit[:8], *words)
        console.print(table)
    for result in results:
        if result.error is not None:
            console.print(Text(f"{result.place}: failed: {result.error}"), soft_wrap=True)
    if traced and not is_quiet():
        python_mb, lean_mb = (max(getattr(each, what) for each in traced) for what in ("python_mb", "lean_mb"))
        console.print(f"Memory: at most {python_mb:,} MB in Python, {lean_mb:,} MB in Lean.", highlight=False)


def print_results(console: Console, results: Sequence[ProofResult], *, whole_list: bool) -> None:
    """Print a table of results; without ``whole_list`` only of the theorems that were proved."""
    proved = [result for result in results if result.proved]
    conditional = [result for result in results if result.given]
    shown = results if whole_list else [result for result in results if result.proved or result.given]
    if shown:
        table = Table(Column("theorem", overflow="fold"), "result", "proof")
        several = len({result.theorem.repository for result in results}) > 1
        for result in shown:
            place = f"{result.theorem.repository.name}: " if several else ""
            script = (" ; ".join(result.search.script),) if result.proved or result.given else ()
            lemmas = ", ".join(user_name(lemma.theorem.full_name) for lemma in result.lemmas)
            proof = "\n".join((*script, *filter(None, [lemmas and f"(uses {lemmas})", result.message])))
            table.add_row(Text(f"{place}{user_name(result.theorem.full_name)}"), result.status, Text(proof))
        console.print(table)
    console.print(f"{len(proved):,} of {counted(len(results), 'open theorem')} proved and verified.", highlight=False)
    if conditional:
        words = f"{len(conditional):,} more are proved given theorems that are left open, and do not count as proved."
        console.print(words, highlight=False)
    unfinished = [result for result in results if result.status == "unfinished"]
    words = f"No proof of {len(unfinished):,} of them can be accepted, and none was tried:"
    _print_by_message(console, words, unfinished)
    refused = [result for result in results if result.status in ("failed", "budget") and result.search.message]
    words = f"Proofs of {len(refused):,} of them were refused; with `--project-axioms` they may be accepted:"
    _print_by_message(console, words, refused)
    for result in results:
        if result.partial_path is not None and (draft := result.search.filled_draft):
            words = f"{user_name(result.theorem.full_name)}: {draft.filled:,} of {counted(draft.holes, 'hole')} filled"
            console.print(Text(f"{words} of the proof that was begun: {result.partial_path}"), soft_wrap=True)
    if wanted := _wanted_lemmas(results):
        named = ", ".join(f"{user_name(name)} ({count})" for name, count in wanted.most_common(SHOWN_NAMES))
        console.print(Text(f"Open, and likely to help others that were not proved: {named}."), soft_wrap=True)


def _wanted_lemmas(results: Sequence[ProofResult]) -> Counter[str]:
    """Return the theorems that were not proved, and how many others that were not, either, they are likely to help, or
    are given for."""
    tried = [result for result in results if not result.proved and result.status != "unfinished"]
    names = {result.theorem.full_name for result in tried if not result.given}
    return Counter(name for result in tried for name in result.given or result.likely_lemmas if name in names)


def _print_by_message(console: Console, words: str, results: Sequence[ProofResult]) -> None:
    """Print words, if there are any results that they are of, and below them the theorems by what is said of each."""
    groups: dict[str, list[str]] = defaultdict(list)
    for result in results:
        groups[result.message].append(result.theorem.full_name)
    if groups:
        console.print(words, highlight=False)
    for message, names in groups.items():
        console.print(Text(f"  {_first_of(names)}: {message}."), soft_wrap=True)


def print_round(console: Console, entry: RoundReport) -> None:
    """Print the line of a round of practice; of the start there is something to say where checkpoints are compared."""
    cells = dict(zip(IMPROVE_HEADINGS, entry.cells(), strict=True))
    measured = "no development set"
    if entry.measure.proved:
        measured = f"development set {cells['set aside']} at temperature {cells['at']}"
    if entry.number and not (entry.practised or entry.variants):
        words = f"Round {entry.number}: nothing is left to practise, every theorem has a proof."
    elif entry.number:
        practised = (
            f"{entry.proved:,} of {counted(entry.practised, 'theorem')} proved in {entry.lean_calls:,} Lean calls"
        )
        if entry.variants:
            practised += f", {entry.variants_proved:,} of {counted(entry.variants, 'variant')}"
        came_of_it = f"{counted(entry.learnt, 'step')} found so far"
        if entry.trained:
            verdict = "the new checkpoint is kept" if entry.kept else "the new checkpoint proves no more and is dropped"
            learnt = f"{counted(entry.learnt, 'step')} learnt beside {entry.traced:,} traced"
            came_of_it = f"{learnt}; {measured}: {verdict}"
        words = f"Round {entry.number}: {practised}; {came_of_it}."
    elif entry.trained:
        words = f"At the start: {measured}."
    else:
        return
    console.print(words, markup=False, highlight=False, soft_wrap=True)


def print_variants(console: Console, variants: Sequence[Variant], path: Path) -> None:
    """Print how many variants were made of each kind, by what became of them."""
    table = Table("kind", *FATES, "all")
    for kind, by_fate in counts(variants).items():
        table.add_row(kind, *(f"{by_fate.get(fate, 0):,}" for fate in FATES), f"{sum(by_fate.values()):,}")
    console.print(table)
    console.print(f"{counted(len(variants), 'variant')} in {path}")


def print_improvement(console: Console, report: ImproveReport, folder: Path) -> None:
    """Print the table of a run of practice, the checkpoint that was kept, and where the rest is."""
    headings, lines = report.table()
    table = Table(*headings)
    for column in table.columns[1:]:
        column.justify = "right" if column.header else "left"
    for cells in lines:
        table.add_row(*cells)
    console.print(table)
    left = f"{counted(report.held_out, 'theorem')} held out, {report.refused:,} more near to these and left out."
    for words in (f"{improvement_words(report)}.", left, f"Run folder: {folder}"):
        console.print(words, markup=False, highlight=False, soft_wrap=True)


def print_report(console: Console, report: Report, folder: Path) -> None:
    """Print the table of policies, and where the rest is."""
    table = Table(*HEADINGS)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows(report):
        table.add_row(*table_cells(row))
    console.print(table)
    console.print(budget_words(report), highlight=False)
    if words := unfinished_words(report):
        console.print(words, highlight=False)
    if report.left_out:
        console.print(left_out_words(report), highlight=False)
    for reason, names in left_out_by_reason(report):
        console.print(Text(f"  {len(names):,}: {reason}: {some_names(names)}"), soft_wrap=True)
    console.print(f"Run folder: {folder}", highlight=False, soft_wrap=True)
