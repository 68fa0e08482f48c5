"""``lean-agent db …``: what was traced and proved."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lean_agent.cache import cache_dir
from lean_agent.cli.options import Database, Workers
from lean_agent.errors import DatabaseError

if TYPE_CHECKING:
    from lean_agent.database import DynamicDatabase, RepositorySummary, StoredTheorem
    from lean_agent.tracing import Repository

app = typer.Typer(
    no_args_is_help=True, help="What was traced and proved.", epilog="Example: lean-agent db show Lists.twice_eq_nil"
)

Measure = Annotated[str, typer.Option(help="Of difficulty: steps, length, premises or pass_rate.")]
LONG_LIST = 20


@app.command("list")
def list_repositories(database: Database = None) -> None:
    """The repositories, with how much of them is stored, open and proved.

    Example: lean-agent db list
    """
    table = Table("repository", "commit", "files", "theorems", "open", "proved", "address")
    for column in table.columns[2:6]:
        column.justify = "right"
    with open_database(database) as opened:
        for one in opened.summaries():
            counts = (f"{count:,}" for count in (one.files, one.theorems, one.open, one.proved))
            table.add_row(one.name, one.commit[:12], *counts, Text(one.url, overflow="fold"))
    Console().print(table)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A repository, or a theorem's name, or its end.")],
    database: Database = None,
) -> None:
    """The files of a repository, or a theorem with its proof, its states and the proofs that were found.

    Example: lean-agent db show Lists.twice_eq_nil
    """
    with open_database(database) as opened:
        if repositories := [one for one in opened.repositories(benchmarks=True) if _means(name, one)]:
            for summary in opened.summaries():
                for repository in repositories:
                    if (summary.url, summary.commit) == (repository.url, repository.commit):
                        _show_repository(opened, repository, summary)
        else:
            for theorem in opened.theorems_named(name) or opened.theorems_named(_whole_name(opened, name)):
                _show_theorem(opened, theorem)


@app.command()
def difficulty(database: Database = None, measure: Measure = "steps") -> None:
    """The repositories, the easiest first, with their easy, medium and hard theorems: the order of a curriculum.

    Example: lean-agent db difficulty --measure length
    """
    table = Table("repository", "easy", "medium", "hard", "unknown", "share of easy")
    for column in table.columns[1:]:
        column.justify = "right"
    with open_database(database) as opened:
        for one in opened.repositories_by_difficulty(measure):
            counts = (f"{count:,}" for count in (one.easy, one.medium, one.hard, one.unknown))
            table.add_row(one.repository.name, *counts, f"{one.easy_share:.0%}")
    Console().print(table)


@app.command()
def plots(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", file_okay=False, help="Where the PNG files go.")],
    database: Database = None,
    measure: Measure = "steps",
) -> None:
    """Plots of proof lengths, tactics, sizes of states and difficulty, with the numbers behind them.

    Example: lean-agent db plots plots
    """
    from lean_agent.evaluation.data_plots import write_data_plots

    with open_database(database) as opened:
        ranked = opened.repositories_by_difficulty(measure)
        for path in write_data_plots(opened.proof_statistics(), ranked, measure, folder):
            print(path)


@app.command("import")
def import_data_set(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="A folder of LeanDojo Benchmark 4, a dynamic_database.json, or theorems as JSON Lines.",
        ),
    ],
    database: Database = None,
    workers: Workers = 2,
) -> None:
    """Take up a data set of others. Theorems as JSON Lines are traced by Lean and become open theorems.

    Example: lean-agent db import leandojo_benchmark_4
    """
    place = database or cache_dir() / "database.sqlite"  # made if it is not there
    if source.suffix == ".jsonl":
        _import_problems(source, place, workers)
        return
    from lean_agent.database import DynamicDatabase

    with DynamicDatabase(place) as opened:
        report = opened.import_leandojo(source)
    print(f"{report.theorems:,} theorems in {report.files:,} files of {report.repositories:,} repositories: {place}")


def _import_problems(source: Path, place: Path, workers: int) -> None:
    from lean_agent.agent.tables import trace_summary
    from lean_agent.database import DynamicDatabase
    from lean_agent.evaluation.benchmarks.problem import THEOREMS, project_of, read_problems
    from lean_agent.lean.pool import LeanPool
    from lean_agent.tracing import trace_repository

    repository, _ = project_of(source.stem, read_problems(source), kind=THEOREMS)
    with DynamicDatabase(place) as opened, LeanPool(workers=workers) as lean:
        traced = trace_repository(repository, lean, database=opened)
        print(trace_summary(traced))
    if not any(file.theorems for file in traced.summaries):
        raise DatabaseError(f"None of the theorems of {source} came in: Lean accepts none of these statements.")


@app.command("export")
def export_database(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", dir_okay=False, help="The file to write, such as dynamic_database.json.")
    ],
    database: Database = None,
    repository: Annotated[
        list[str] | None, typer.Option("--repository", help="A name or address; may be repeated. By default all.")
    ] = None,
) -> None:
    """Everything that was traced as LeanDojo-v2's dynamic_database.json. Data sets: lean-agent export.

    Example: lean-agent db export dynamic_database.json
    """
    with open_database(database) as opened:
        print(opened.export_dynamic_database(choose(opened, repository), file))


@app.command()
def merge(
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="The database to take over; it is not touched.")],
    database: Database = None,
) -> None:
    """Take over what another database holds: repositories, files, proofs, splits. What is here already stands.

    Example: lean-agent db merge colleague.sqlite
    """
    with open_database(database) as opened:
        report = opened.merge(other)
    print(
        f"Added {report.repositories:,} repositories, {report.files:,} files, {report.proofs:,} proofs and the splits "
        f"of {report.statements:,} statements; {report.splits_changed:,} stand in other splits here than there."
    )


@app.command()
def vacuum(database: Database = None) -> None:
    """Check the file and give back the space of what was removed.

    Example: lean-agent db vacuum
    """
    with open_database(database) as opened:
        before, after = opened.vacuum()
    print(f"{before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now.")


def open_database(path: Path | None) -> DynamicDatabase:
    """The database at ``path``, by default the user's own.

    Raises:
        DatabaseError: there is none.
    """
    from lean_agent.database import DynamicDatabase

    place = path or cache_dir() / "database.sqlite"
    if not place.is_file():
        raise DatabaseError(f"There is no database at {place}. `lean-agent trace PATH` makes one.")
    return DynamicDatabase(place)


def choose(database: DynamicDatabase, wanted: Sequence[str] | None) -> list[Repository]:
    """The repositories that these names, addresses or beginnings of commits mean; without any all but benchmarks.

    Raises:
        DatabaseError: one of them means none.
    """
    if not wanted:
        return database.repositories()
    stored = database.repositories(benchmarks=True)
    for word in wanted:
        if not any(_means(word, repository) for repository in stored):
            known = ", ".join(repository.name for repository in stored) or "none"
            raise DatabaseError(f"There is no repository {word} in the database; it has {known}.")
    return [repository for repository in stored if any(_means(word, repository) for word in wanted)]


def _means(word: str, repository: Repository) -> bool:
    is_commit = len(word) >= 7 and repository.commit.startswith(word)
    return is_commit or word in (repository.name, repository.url)


def _whole_name(database: DynamicDatabase, end: str) -> str:
    """The one full name that ends so.

    Raises:
        DatabaseError: none does, or several do; names those, or the nearest.
    """
    known = database.theorem_names()
    ending = [name for name in known if name.endswith(f".{end}")]
    if len(ending) == 1:
        return ending[0]
    if ending:
        more = f" and {len(ending) - LONG_LIST:,} more" if len(ending) > LONG_LIST else ""
        shown = ", ".join(ending[:LONG_LIST])
        raise DatabaseError(f"{end} is the end of several names: {shown}{more}. Give one of them.")
    near = get_close_matches(end, known)
    meant = f" The nearest are {', '.join(near)};" if near else ""
    raise DatabaseError(
        f"There is no repository and no theorem {end}.{meant} `lean-agent db list` has the repositories."
    )


def _show_repository(database: DynamicDatabase, repository: Repository, summary: RepositorySummary) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{repository.name}: {repository.url} at {repository.commit}", markup=False)
    console.print(f"lies in {repository.path}", markup=False)
    console.print(
        f"licence {summary.licence or 'none found'}, toolchain asked for {summary.toolchain or 'none'}; "
        f"{summary.files:,} files, {summary.skipped:,} skipped, {summary.errors:,} errors, {summary.tactics:,} tactics "
        f"(those of open theorems too), {summary.proved:,} of {summary.open:,} open theorems proved",
        markup=False,
    )
    table = Table("file", "theorems", "open", "errors", "seconds")
    for column in table.columns[1:]:
        column.justify = "right"
    errors, failed = [], []
    for file in database.files(repository):
        is_open = sum(theorem.has_sorry for theorem in file.theorems)
        counts = (len(file.theorems), is_open, len(file.errors))
        table.add_row(Text(file.path), *(f"{count:,}" for count in counts), f"{file.elaborate_s + file.walk_s:.1f}")
        failed += [f"{one.full_name} ({file.path}:{one.start_pos.line})" for one in file.failed]
        errors += [f"{file.path}:{error.start.line}: {error.text}" for error in file.errors]
    console.print(table)
    for skipped in database.skipped_files(repository):
        console.print(f"{skipped.path}:{skipped.line}: skipped: {skipped.reason}", markup=False)
    if failed:
        more = f" and {len(failed) - LONG_LIST:,} more" if len(failed) > LONG_LIST else ""
        words = f"{len(failed):,} theorems left out for errors inside: {', '.join(failed[:LONG_LIST])}{more}"
        console.print(words, markup=False)
    for error in errors[:LONG_LIST]:
        console.print(error, markup=False)
    if len(errors) > LONG_LIST:
        console.print(f"… and {len(errors) - LONG_LIST:,} more errors")


def _show_theorem(database: DynamicDatabase, stored: StoredTheorem) -> None:
    theorem = stored.theorem
    lines = [
        f"{theorem.full_name}: {stored.repository.name}, {stored.file_path}, line {theorem.start_pos.line}",
        f"{theorem.statement} :=",
        *(f"  {line}" for line in theorem.proof.splitlines()),
    ]
    for tactic in theorem.tactics:
        lines += ["", *(f"  {line}" for line in tactic.state_before.splitlines()), tactic.tactic]
    if premises := sorted({premise.full_name for premise in theorem.premises}):
        lines += ["", f"premises: {', '.join(premises)}"]
    for proof in database.proofs([stored.repository], full_name=theorem.full_name, accepted_only=False):
        lines += ["", f"{proof.verdict.kind}, found by {proof.source} at {proof.created:%Y-%m-%d %H:%M}:", proof.script]
    Console(highlight=False, soft_wrap=True).print("\n".join(lines), markup=False)
