"""``lean-agent export …``: what was traced, in the formats that others read. One command a format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from lean_agent.cli.options import Chosen, DatabasePath, SavedSearches
from lean_agent.files import write_atomically
from lean_agent.wording import counted

if TYPE_CHECKING:
    from lean_agent.database.exports.formats import Format, TableFormat

app = typer.Typer(
    no_args_is_help=True, help="Write what was traced as a dataset.", epilog="Example: lean-agent export parquet data"
)

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="FOLDER", file_okay=False, help="The folder to write; an export of the same format in it is replaced."
    ),
]


FORMATS: dict[Format, str] = {
    "leandojo": "Write the layout of LeanDojo Benchmark 4: random/, novel_premises/, corpus.jsonl, metadata.json.",
    "jsonl": "Write a theorem on each line, for datasets.load_dataset, pandas and jq.",
    "parquet": "Write Parquet files, which the HuggingFace hub shows and loads best.",
    "huggingface": "Write folders for datasets.load_from_disk.",
}
"""Formats of theorems, with the help of their commands."""


Examples = Annotated[bool, typer.Option("--examples", help="Examples too, which LeanDojo's layout has none of.")]


def _command(kind: Format) -> Callable[..., None]:
    """Make the command that exports theorems in a format."""

    def export(
        folder: Folder, database: DatabasePath = None, repository: Chosen = None, examples: Examples = False
    ) -> None:
        _export(kind, folder, database, repository, examples=examples)

    return export


for kind, words in FORMATS.items():
    app.command(kind, help=f"{words}\n\nExample: lean-agent export {kind} data")(_command(kind))


@app.command()
def tactics(
    folder: Folder,
    database: DatabasePath = None,
    repository: Chosen = None,
    format: Annotated[
        Literal["jsonl", "parquet", "csv", "huggingface"], typer.Option("--format", help="What the files are.")
    ] = "parquet",
    examples: Examples = False,
) -> None:
    """Write the steps of proofs, a row for each: state, tactic, prompt, completion, and where it comes from.

    Example: lean-agent export tactics steps --format csv
    """
    _export(cast("TableFormat", f"tactics_{format}"), folder, database, repository, examples=examples)


@app.command()
def theorems(
    file: Annotated[Path, typer.Argument(metavar="FILE", dir_okay=False, help="The JSON Lines file to write.")],
    database: DatabasePath = None,
    repository: Chosen = None,
    whole: Annotated[bool, typer.Option("--all", help="Proved theorems too, not only the open ones.")] = False,
) -> None:
    """Write statements to prove, one on each line, as lean-grpo and benchmarks take them: of theorems, no examples.

    The context is all of the file that stands before the theorem; imports that name the repository's own files mean
    something inside it alone.

    Example: lean-agent export theorems open.jsonl --repository lists
    """
    from lean_agent.cli.commands.database import choose, open_database
    from lean_agent.evaluation.benchmarks.problem import stored_problem, write_problems
    from lean_agent.tracing.project.import_graph import CORE_PACKAGES

    with open_database(database) as opened:
        wanted = [
            stored
            for chosen in choose(opened, repository)
            for stored in opened.theorems(chosen, sorry=None if whole else True)
        ]
        problems = [stored_problem(stored) for stored in wanted if not stored.theorem.is_example]
    if len(problems) < len(wanted):
        print(f"{counted(len(wanted) - len(problems), 'example')} left out, which no name can speak of.")
    print(f"{counted(len(problems), 'theorem')}: {write_problems(problems, file)}")
    bound = sum(any(name.split(".")[0] not in CORE_PACKAGES for name in problem.imports) for problem in problems)
    if bound:
        print(f"{bound:,} of them import files beside Lean's own library, and state nothing without these files.")


def _export(
    kind: Format | TableFormat, folder: Path, database: Path | None, repository: list[str] | None, *, examples: bool
) -> None:
    from lean_agent.cli.commands.database import choose, open_database
    from lean_agent.database.exports.card import left_out
    from lean_agent.database.exports.formats import contents

    with open_database(database) as opened:
        metadata = opened.export_merged_data(choose(opened, repository), folder, kind, examples=examples)
    n_repositories = counted(len(metadata["repositories"]), "repository", "repositories")
    print(f"{counted(metadata['proved'], 'proved theorem')} of {n_repositories}: {folder / 'README.md'}")
    print("Left out: " + " ".join(left_out(metadata)))
    for name, counts in metadata["splits"].items():
        sizes = ", ".join(f"{split} {counts[split]:,}" for split in ("train", "val", "test"))
        print(f"{name}{'' if contents(kind) == 'theorems' else ', rows'}: {sizes}, in none {counts['left_out']:,}")
    if metadata["found"]["proofs"]:
        print(f"found/: {counted(metadata['found']['proofs'], 'proof')} that practice has found.")
    leaks = metadata["leaks"]
    print(
        f"Near-duplicates: {leaks['near_duplicates']:,} of {counted(leaks['statements'], 'statement')}; "
        f"{leaks['moved_to_the_side_of_the_first']:,} moved, {leaks['left_out_near_to_two_sides']:,} left out."
    )


Output = Annotated[Path, typer.Option("--output", "-o", dir_okay=False, help="The JSON Lines file to write.")]


@app.command()
def scored(trees: SavedSearches, output: Output = Path("scored.jsonl")) -> None:
    """Write scored tactics from saved searches, for offline GRPO: {"prompt", "completions": [{"text", "score"}]}.

    Example: lean-agent export scored runs/latest/trees -o scored.jsonl
    """
    from lean_agent.prover.saved.training_rows import scored_rows

    _write_rows(output, scored_rows, trees)


@app.command()
def pairs(trees: SavedSearches, output: Output = Path("pairs.jsonl")) -> None:
    """Write better and worse tactics of saved searches in pairs, for offline GRPO: {"prompt", "chosen", "rejected"}.

    Example: lean-agent export pairs runs/latest/trees -o pairs.jsonl
    """
    from lean_agent.prover.saved.training_rows import preference_rows

    _write_rows(output, preference_rows, trees)


@app.command()
def distances(trees: SavedSearches, output: Output = Path("distances.jsonl")) -> None:
    """Write how many steps the goals of saved searches are from being proved, for `train --kind progress`.

    Example: lean-agent export distances runs/latest/trees -o distances.jsonl
    """
    from lean_agent.prover.saved.training_rows import distance_rows

    _write_rows(output, distance_rows, trees)


def _write_rows(output: Path, rows_of: Callable[..., Iterable[dict[str, Any]]], trees: list[Path]) -> None:
    from lean_agent.prover.saved.trees import find_searches, load_search

    rows = rows_of(load_search(path) for path in find_searches(trees))
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    write_atomically(output, "".join(lines).encode())
    print(f"{counted(len(lines), 'row')}: {output}")
