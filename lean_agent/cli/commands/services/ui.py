"""``lean-agent ui``: pages over what was traced, run and searched (:mod:`lean_agent.service.ui`)."""

from __future__ import annotations

import webbrowser
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from lean_agent.cli.commands.services.serve import Token, settings_of
from lean_agent.cli.options import DatabasePath, LeanOptions, RunsDir, Workers, grouped, lean_server
from lean_agent.errors import MissingExtra
from lean_agent.extras import install

PORT = 8001
"""By default; the service's own is that of ``lean-agent serve``."""


@dataclass(frozen=True, kw_only=True)
class UiOptions(LeanOptions):
    """What the pages are shown with."""

    workers: Workers = 1
    host: Annotated[str, typer.Option(help="The address to listen at; any but this machine's own needs a token.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = PORT
    token: Token = None
    database: DatabasePath = None
    runs_dir: RunsDir = Path("runs")
    project: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="A Lean project whose modules texts of the playground import."),
    ] = None
    model: Annotated[
        str | None, typer.Option(help="A checkpoint that suggests tactics and searches.", show_default=False)
    ] = None


@grouped
def ui(
    *,
    options: UiOptions,
    browser: Annotated[bool, typer.Option("--browser", help="Open the first page in the browser.")] = False,
) -> None:
    """Show repositories, runs, searches and a playground in a browser, on this machine. Lean starts when it is needed.

    `lean-agent serve` has the same pages, at its address.

    Example: lean-agent ui --browser
    """
    settings = settings_of(asdict(options))
    try:
        from lean_agent.service.run import serve as run
    except ImportError as error:
        raise MissingExtra(f"ui needs its extra: {install('serve')} ({error}).") from error

    def ready(address: str) -> None:
        print(f"lean_agent at {address}", flush=True)
        if browser:
            webbrowser.open(address)

    with lean_server(workers=options.workers, executor=options.executor, lean=options.lean) as server:
        run(server, settings, ready=ready, starts_lean=False)
