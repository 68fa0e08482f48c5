"""``lean-agent db …``: what was traced and proved."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.table import Table
from rich.text import Text

from lean_agent.cli.options import AsJson, Chosen, ConfigFile, DatabasePath, Workers, check_files, lean_server, named
from lean_agent.errors import DatabaseError
from lean_agent.files import default_database
from lean_agent.progress import terminal
from lean_agent.registry import MEASURES
from lean_agent.wording import HIDDEN_BODIES, LOST, counted

if TYPE_CHECKING:
    from lean_agent.database import DynamicDatabase, RepositorySummary, StoredTheorem
    from lean_agent.tracing import Repository

app = typer.Typer(
    no_args_is_help=True,
    help="Look at what was traced and proved, and look after the database.",
    epilog="Example: lean-agent db show Lists.twice_eq_nil",
)

OrderName = Literal["easy_share", "easy_count"]  # of lean_agent.database.difficulty
MeasureName = Annotated[str, named(MEASURES, "--measure", help="The measure of difficulty:")]
LONG_LIST = 20


@app.command("list")
def list_repositories(database: DatabasePath = None, as_json: AsJson = False) -> None:
    """List the repositories, with the number of stored, open and proved theorems of each.

    Example: lean-agent db list
    """
    with open_database(database) as opened:
        summaries = opened.summaries()
    if as_json:
        _print_json(list(map(asdict, summaries)))
        return
    table = _numbers_table(
        "repository", "commit", "files", "theorems", "open", "proved", "address", numbers=slice(2, 6)
    )
    for summary in summaries:
        counts = (f"{count:,}" for count in (summary.files, summary.theorems, summary.open, summary.proved))
        table.add_row(summary.name, summary.commit[:12], *counts, Text(summary.url, overflow="fold"))
    terminal().print(table)


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A repository, or a theorem's name or the end of it.")],
    database: DatabasePath = None,
    whole_list: Annotated[
        bool, typer.Option("--all", help="Of a repository: every open theorem, every one left out, every error.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the files of a repository, or a theorem with its proof, its states and the proofs that were found.

    Example: lean-agent db show Lists.twice_eq_nil
    """
    with open_database(database) as opened:
        repositories = [repository for repository in opened.repositories(benchmarks=True) if _means(name, repository)]
        if as_json:
            _print_json(_as_json(opened, name, repositories))
        elif repositories:
            for repository, summary in _summarised(opened, repositories):
                _show_repository(opened, repository, summary, whole_list)
        else:
            for theorem in _theorems(opened, name):
                _show_theorem(opened, theorem)


@app.command()
def difficulty(
    database: DatabasePath = None,
    measure: MeasureName = "steps",
    order: Annotated[OrderName, typer.Option(help="By the share of easy theorems, or by their number (LeanAgent).")] = (
        "easy_share"
    ),
    config_file: ConfigFile = None,
) -> None:
    """List the repositories, the easiest first, with their easy, medium and hard theorems: the order of a curriculum.

    Example: lean-agent db difficulty --measure length
    """
    table = _numbers_table("repository", "easy", "medium", "hard", "unknown", "share of easy")
    with open_database(database) as opened:
        for row in opened.repositories_by_difficulty(measure, order=order):
            counts = (f"{count:,}" for count in (row.easy, row.medium, row.hard, row.unknown))
            table.add_row(row.repository.name, *counts, f"{row.easy_share:.0%}")
    terminal().print(table)


@app.command()
def plots(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", file_okay=False, help="Where the PNG files go.")],
    database: DatabasePath = None,
    measure: MeasureName = "steps",
    config_file: ConfigFile = None,
) -> None:
    """Plot proof lengths, tactics, sizes of states and difficulty, and write the numbers behind the plots.

    Example: lean-agent db plots plots
    """
    from lean_agent.evaluation.plots import write_data_plots

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
    database: DatabasePath = None,
    workers: Workers = 2,
) -> None:
    """Import a data set. Theorems in JSON Lines are traced by Lean and become open theorems.

    Example: lean-agent db import leandojo_benchmark_4
    """
    place = database or default_database()  # made if it is not there
    if source.suffix == ".jsonl":
        check_files(source)
        _import_problems(source, place, workers)
        return
    from lean_agent.database import DynamicDatabase

    with DynamicDatabase(place) as opened:
        report = opened.import_leandojo(source)
    repositories = counted(report.repositories, "repository", "repositories")
    print(f"{counted(report.theorems, 'theorem')} in {counted(report.files, 'file')} of {repositories}: {place}")


def _import_problems(source: Path, place: Path, workers: int) -> None:
    from lean_agent.agent.tables import trace_summary
    from lean_agent.database import DynamicDatabase
    from lean_agent.evaluation.benchmarks.problem import THEOREMS, project_of, read_problems
    from lean_agent.tracing import trace_repository

    repository, _ = project_of(source.stem, read_problems(source), kind=THEOREMS)
    with DynamicDatabase(place) as opened, lean_server(workers=workers) as lean:
        traced = trace_repository(repository, lean, database=opened)
        print(trace_summary(traced))
    if not any(file.theorems for file in traced.summaries):
        raise DatabaseError(f"None of the theorems of {source} came in: Lean accepts none of these statements.")


@app.command("export")
def export_database(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", dir_okay=False, help="The file to write, such as dynamic_database.json.")
    ],
    database: DatabasePath = None,
    repository: Chosen = None,
) -> None:
    """Write everything that was traced as LeanDojo-v2's dynamic_database.json. For data sets: lean-agent export.

    Example: lean-agent db export dynamic_database.json
    """
    with open_database(database) as opened:
        print(opened.export_dynamic_database(choose(opened, repository), file))


@app.command()
def remove(
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="Repositories, or beginnings of their commits.")],
    database: DatabasePath = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove repositories with their files, theorems and proofs. The splits of the others stay as they are.

    Example: lean-agent db remove lists --yes
    """
    with open_database(database) as opened:
        repositories = _meant(opened.repositories(benchmarks=True), names)
        for repository, summary in _summarised(opened, repositories):
            print(
                f"{repository.name} at {repository.commit}: "
                f"{counted(summary.files, 'file')}, {counted(summary.theorems, 'theorem')}, "
                f"{summary.proved:,} of {counted(summary.open, 'open theorem')} proved"
            )
        if not yes and not typer.confirm(f"Remove {'it' if len(repositories) == 1 else 'them'} for good?"):
            print("Nothing was removed.")
            return
        for repository in repositories:
            gone = opened.delete_repository(repository)
            print(
                f"Removed {repository.name} at {repository.commit}: {counted(gone.files, 'file')}, "
                f"{counted(gone.theorems, 'theorem')}, {counted(gone.tactics, 'tactic')}, "
                f"{counted(gone.proofs, 'proof')}. `lean-agent db vacuum` gives the space back."
            )


@app.command()
def merge(
    other: Annotated[Path, typer.Argument(metavar="OTHER", help="The database to merge from, which is not changed.")],
    database: DatabasePath = None,
) -> None:
    """Merge another database into this one: repositories, files, proofs, splits. What is here already stays.

    Example: lean-agent db merge colleague.sqlite
    """
    with open_database(database) as opened:
        report = opened.merge(other)
    print(
        f"Added {counted(report.repositories, 'repository', 'repositories')}, {counted(report.files, 'file')}, "
        f"{counted(report.proofs, 'proof')} and the splits of "
        f"{counted(report.statements, 'statement')}; {report.splits_changed:,} stand in other splits here than there."
    )


@app.command()
def vacuum(database: DatabasePath = None) -> None:
    """Check the database file, and free the space of what was removed.

    Example: lean-agent db vacuum
    """
    with open_database(database) as opened:
        before, after = opened.vacuum()
    print(f"{before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now.")


def open_database(path: Path | None) -> DynamicDatabase:
    """Open the database at ``path``, by default the user's own, which has to be there."""
    from lean_agent.database import DynamicDatabase

    place = path or default_database()
    if not place.is_file():
        raise DatabaseError(f"There is no database at {place}. `lean-agent trace PATH` makes one.")
    return DynamicDatabase(place)


def choose(database: DynamicDatabase, wanted: Sequence[str] | None) -> list[Repository]:
    """Return the repositories that these names, addresses or beginnings of commits mean; without any all but
    benchmarks.

    Of a folder that was edited between two traces only what it is now, unless a commit (``local-…``) is named: what is
    left out is told on the error channel.
    """
    from lean_agent.tracing.project.repository import outdated

    stored = database.repositories(benchmarks=True)
    meant = _meant(stored, wanted) if wanted else database.repositories()
    named = [repository for repository in meant if any(_is_commit(word, repository) for word in wanted or ())]
    old = [repository for repository in outdated(stored) if repository in meant and repository not in named]
    for repository in old:
        left_out = f"{repository.name} at {repository.commit} is left out: its folder was edited since"
        print(f"{left_out}; name the commit to have it.", file=sys.stderr)
    return [repository for repository in meant if repository not in old]


def _meant(stored: Sequence[Repository], wanted: Sequence[str]) -> list[Repository]:
    for word in wanted:
        if not any(_means(word, repository) for repository in stored):
            known = ", ".join(repository.name for repository in stored) or "none"
            raise DatabaseError(f"There is no repository {word} in the database; it has {known}.")
    return [repository for repository in stored if any(_means(word, repository) for word in wanted)]


def _means(word: str, repository: Repository) -> bool:
    whole = repository.name.removesuffix(f"/{repository.folder}")
    names = (repository.name, repository.url, repository.address, whole, str(repository.path))
    return _is_commit(word, repository) or word in (*names, str(repository.project_path))


def _is_commit(word: str, repository: Repository) -> bool:
    return len(word) >= 7 and repository.commit.startswith(word)


def _as_json(database: DynamicDatabase, name: str, repositories: Sequence[Repository]) -> list[dict[str, Any]]:
    """Return what `db show` tells, as values of JSON: of repositories, or of the theorems of that name."""
    if repositories:
        summarised = _summarised(database, repositories)
        return [_repository_as_json(database, repository, summary) for repository, summary in summarised]
    return [_theorem_as_json(database, theorem) for theorem in _theorems(database, name)]


def _summarised(
    database: DynamicDatabase, repositories: Sequence[Repository]
) -> list[tuple[Repository, RepositorySummary]]:
    """Return repositories, each with its counts."""
    summaries = {(summary.url, summary.commit): summary for summary in database.summaries()}
    return [(repository, summaries[repository.url, repository.commit]) for repository in repositories]


def _theorems(database: DynamicDatabase, name: str) -> Sequence[StoredTheorem]:
    """Return the theorems of that name, or of the only name that ends so."""
    return database.theorems_named(name) or database.theorems_named(_whole_name(database, name))


def _repository_as_json(
    database: DynamicDatabase, repository: Repository, summary: RepositorySummary
) -> dict[str, Any]:
    files = [
        {
            "path": file.path,
            "theorems": [theorem.full_name for theorem in file.theorems],
            "open": [theorem.full_name for theorem in file.theorems if theorem.has_sorry],
            "left_out": [declaration.full_name for declaration in file.failed],
            "errors": [{"line": error.start.line, "text": error.text} for error in file.errors],
            "seconds": round(file.elaborate_s + file.walk_s, 3),
        }
        for file in database.files(repository)
    ]
    skipped = [asdict(file) for file in database.skipped_files(repository)]
    counts = {f"n_{key}" if key in ("files", "skipped") else key: value for key, value in asdict(summary).items()}
    return {**counts, "path": str(repository.path), "files": files, "skipped": skipped}


def _theorem_as_json(database: DynamicDatabase, stored: StoredTheorem) -> dict[str, Any]:
    theorem, repository = stored.theorem, stored.repository
    proofs = [
        {"verdict": proof.verdict.kind, "reason": proof.verdict.reason, "source": proof.source}
        | {"created": proof.created.isoformat(), "script": proof.script}
        for proof in database.proofs([repository], full_name=theorem.full_name, accepted_only=False)
    ]
    return {
        "full_name": theorem.full_name,
        "url": repository.url,
        "commit": repository.commit,
        "file_path": stored.file_path,
        "line": theorem.start_pos.line,
        "statement": theorem.statement,
        "proof": theorem.proof,
        "has_sorry": theorem.has_sorry,
        "axioms": list(theorem.axioms),
        "premises": sorted({premise.full_name for premise in theorem.premises}),
        "tactics": [
            {name: getattr(tactic, name) for name in ("tactic", "state_before", "state_after")}
            for tactic in theorem.tactics
        ],
        "found": proofs,
    }


def _numbers_table(*headings: str, numbers: slice = slice(1, None)) -> Table:
    table = Table(*headings)
    for column in table.columns[numbers]:
        column.justify = "right"
    return table


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def _whole_name(database: DynamicDatabase, end: str) -> str:
    """Return the only full name that ends so; where none does, or several do, name the nearest, or those."""
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


def _show_repository(
    database: DynamicDatabase, repository: Repository, summary: RepositorySummary, whole_list: bool
) -> None:
    console = terminal(highlight=False, soft_wrap=True)
    console.print(f"{repository.name}: {repository.url} at {repository.commit}", markup=False)
    console.print(f"lies in {repository.path}", markup=False)
    console.print(
        f"licence {summary.licence or 'none found'}, toolchain asked for {summary.toolchain or 'none'}; "
        f"{counted(summary.files, 'file')}, {summary.skipped:,} skipped, {counted(summary.errors, 'error')}, "
        f"{counted(summary.tactics, 'tactic')} (those of open theorems too), {summary.proved:,} of "
        f"{counted(summary.open, 'open theorem')} proved",
        markup=False,
    )
    table = _numbers_table("file", "theorems", "open", "errors", "seconds")
    errors, still_open, hidden = [], [], 0
    lost: dict[str, list[str]] = {kind: [] for kind in LOST}
    for file in database.files(repository):
        open_here = [theorem for theorem in file.theorems if theorem.has_sorry]
        counts = (len(file.theorems), len(open_here), len(file.errors))
        table.add_row(Text(file.path), *(f"{count:,}" for count in counts), f"{file.elaborate_s + file.walk_s:.1f}")
        still_open += [f"{theorem.full_name} ({file.path}:{theorem.start_pos.line})" for theorem in open_here]
        for theorem in file.lost:
            lost[theorem.kind].append(f"{theorem.full_name} ({file.path}:{theorem.start_pos.line})")
        hidden += sum(error.cause == "hidden body" for error in file.errors)
        errors += [f"{file.path}:{error.start.line}: {error.text}" for error in file.errors]
    console.print(table)
    skipped = [f"{file.path}:{file.line}: skipped: {file.reason}" for file in database.skipped_files(repository)]
    lines = _some(skipped, whole_list, "skipped file", "skipped files")
    for kind, names in lost.items():
        if names:
            lines.append(f"{counted(len(names), 'theorem')} {LOST[kind]}: {', '.join(_some(names, whole_list))}")
    if hidden:
        lines.append(f"{hidden:,} of {counted(len(errors), 'error')}: {HIDDEN_BODIES}")
    lines += _some(errors, whole_list, "error", "errors")
    if whole_list and still_open:
        lines.append(f"{counted(len(still_open), 'open theorem')}: {', '.join(still_open)}")
    for line in lines:
        console.print(line, markup=False)


def _some(lines: list[str], whole_list: bool, thing: str = "", things: str = "") -> list[str]:
    """Return the first lines, and how many more things there are."""
    left = len(lines) - LONG_LIST
    if whole_list or left <= 0:
        return lines
    return [*lines[:LONG_LIST], f"and {counted(left, f'more {thing}', f'more {things}').strip()}, which --all lists"]


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
    terminal(highlight=False, soft_wrap=True).print("\n".join(lines), markup=False)
