"""``lean-agent export …``: what was traced, in the formats that others read. One command a format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from lean_agent.database.formats import Format

app = typer.Typer(no_args_is_help=True, help="Write what was traced as a dataset.")

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to; files of that name are replaced.")]
Database = Annotated[Path | None, typer.Option("--database", help="By default the user's own.")]
Chosen = Annotated[
    list[str] | None, typer.Option("--repository", help="A name or address; may be repeated. By default all.")
]


@app.command()
def leandojo(folder: Folder, database: Database = None, repository: Chosen = None) -> None:
    """The layout of LeanDojo Benchmark 4: random/, novel_premises/, corpus.jsonl, metadata.json.

    Example: lean-agent export leandojo data --repository lists
    """
    _export("leandojo", folder, database, repository)


@app.command()
def jsonl(folder: Folder, database: Database = None, repository: Chosen = None) -> None:
    """One theorem a line, for datasets.load_dataset, pandas and jq.

    Example: lean-agent export jsonl data
    """
    _export("jsonl", folder, database, repository)


@app.command()
def parquet(folder: Folder, database: Database = None, repository: Chosen = None) -> None:
    """Parquet files: what the HuggingFace hub shows and loads best.

    Example: lean-agent export parquet data
    """
    _export("parquet", folder, database, repository)


@app.command()
def huggingface(folder: Folder, database: Database = None, repository: Chosen = None) -> None:
    """Folders for datasets.load_from_disk.

    Example: lean-agent export huggingface data
    """
    _export("huggingface", folder, database, repository)


def _export(kind: Format, folder: Path, database: Path | None, repository: list[str] | None) -> None:
    from lean_agent.cli.database import choose, open_database

    with open_database(database) as opened:
        metadata = opened.export_merged_data(choose(opened, repository), folder, kind)
    proved = metadata["theorems"] - metadata["sorries"]
    print(f"{proved:,} proved theorems of {len(metadata['repositories'])} repositories: {folder / 'README.md'}")
    for name, counts in metadata["splits"].items():
        sizes = ", ".join(f"{split} {counts[split]:,}" for split in ("train", "val", "test"))
        print(f"{name}: {sizes}, in none {counts['left_out']:,}")
    leaks = metadata["leaks"]
    print(
        f"Near-duplicates: {leaks['near_duplicates']:,} of {leaks['statements']:,} statements; "
        f"{leaks['moved_to_the_side_of_the_first']:,} moved, {leaks['left_out_near_to_two_sides']:,} left out."
    )
