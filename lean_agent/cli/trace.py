"""``lean-agent trace``: repositories into the database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from lean_agent.cli.errors import FAILED
from lean_agent.cli.options import Commit, Database, Executor, Lean, Workers

Tracer = Literal["embedded", "lean-dojo"]


def trace(
    repositories: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH|URL…]", help="Folders, or addresses that git clones.", show_default=False),
    ] = None,
    *,
    repos: Annotated[
        Path | None, typer.Option(help="A YAML list of repositories: url, commit and licence of each.")
    ] = None,
    commit: Commit = None,
    database: Database = None,
    workers: Workers = 2,
    executor: Executor = "local",
    lean: Lean = None,
    dependencies: Annotated[
        bool, typer.Option("--dependencies", help="Clone and trace the packages of lake-manifest.json first.")
    ] = False,
    submodules: Annotated[bool, typer.Option("--submodules", help="Fetch git submodules too.")] = False,
    tracer: Annotated[
        Tracer,
        typer.Option(help="embedded, or lean-dojo: LeanDojo's tracer on a native toolchain, or folders it has traced."),
    ] = "embedded",
) -> None:
    """Trace repositories into the database; what is there already is not traced again.

    One that fails does not stop the others; a table at the end says what came of each.

    Example: lean-agent trace repos/logic --repos list.yaml
    """
    from rich.console import Console

    from lean_agent.agent.many import set_up_all
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.agent.tables import print_set_ups
    from lean_agent.errors import ConfigError
    from lean_agent.tracing import RepositoryEntry, read_repository_list

    named = repositories or []
    if commit is not None and (len(named) != 1 or repos):
        raise ConfigError("--commit goes with a single repository; a list (--repos) has a commit for each.")
    entries = [RepositoryEntry(place, commit) for place in named]
    entries += read_repository_list(repos) if repos else []
    if not entries:
        raise ConfigError("Name a folder, an address, or a list of repositories: lean-agent trace --repos list.yaml")
    with ScriptedAgent(database=database, workers=workers, executor=executor, lean=lean, tracer=tracer) as agent:
        results = set_up_all(agent, entries, submodules=submodules, dependencies=dependencies)
    if len(entries) == 1 and results[0].error is not None:
        raise results[0].error
    print_set_ups(Console(), results)
    if any(result.error is not None for result in results):
        raise typer.Exit(FAILED)
