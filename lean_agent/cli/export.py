"""``lean-agent export …``: what was traced, in the formats that others read. One command a format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Write what was traced as a dataset.")

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where to; files of that name are replaced.")]
Database = Annotated[Path | None, typer.Option("--database", help="By default the user's own.")]
Chosen = Annotated[
    list[str] | None, typer.Option("--repository", help="A name or address; may be repeated. By default all.")
]


@app.command()
def leandojo(folder: Folder, database: Database = None, repository: Chosen = None) -> None:
    """The layout of LeanDojo Benchmark 4: splits, a corpus with its import graph, metadata.

    Example: lean-agent export leandojo data --repository lists
    """
    from lean_agent.cli.database import choose, open_database

    with open_database(database) as opened:
        metadata = opened.export_merged_data(choose(opened, repository), folder)
    print(f"{metadata['theorems']} theorems of {len(metadata['repositories'])} repositories: {folder}")
