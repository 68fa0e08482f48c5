"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from lean_agent.version import installed_version


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"lean-agent {installed_version()}")
        raise typer.Exit


Database = Annotated[
    Path | None,
    typer.Option("--database", help="The SQLite file to work on. By default the user's own, in the cache folder."),
]
Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which version this is, and end.")
]
Commit = Annotated[str | None, typer.Option(help="A hash, branch or tag; only with a single address.")]
Lean = Annotated[
    str | None,
    typer.Option(metavar="embedded|native|PATH", help="Which Lean. By default LEAN_AGENT_LEAN, or the embedded one."),
]
Premises = Annotated[
    int, typer.Option(min=0, help="Premises shown with each goal, 0 for none; the same in training and proving.")
]
Workers = Annotated[int, typer.Option(min=1, help="Lean processes, 0.6 to 1.5 GB of memory each.")]
Executor = Annotated[
    Literal["local", "ray"], typer.Option(help="Where Lean runs: here, or on every node of a Ray cluster.")
]
