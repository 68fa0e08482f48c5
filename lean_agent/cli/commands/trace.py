"""``lean-agent trace``: repositories into the database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lean_agent.cli.errors import FAILED, NOTHING_TRACED, PARTIAL
from lean_agent.cli.inputs import check_repositories
from lean_agent.cli.options import Commit, Database, Executor, Lean, Workers

if TYPE_CHECKING:
    from lean_agent.agent.many import SetUp

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
    subfolder: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER", help="Only the Lake project in this folder of it; may be repeated. Or: ADDRESS#FOLDER."
        ),
    ] = None,
    submodules: Annotated[bool, typer.Option("--submodules", help="Fetch git submodules too.")] = False,
    tracer: Annotated[
        Tracer,
        typer.Option(help="embedded, or lean-dojo: LeanDojo's tracer on a native toolchain, or folders it has traced."),
    ] = "embedded",
) -> None:
    """Trace repositories, each Lake project in them, into the database; what is there already is not traced again.

    One that fails does not stop the others; a table at the end says what came of each.

    The exit code is 0 when everything was traced, 3 when a file or a theorem was left out, 4 when no theorem was
    traced for what was left out, 1 when a repository could not be had.

    Example: lean-agent trace repos/logic --repos list.yaml
    """
    from lean_agent.errors import ConfigError
    from lean_agent.tracing import RepositoryEntry, read_repository_list

    named = repositories or []
    if commit is not None and (len(named) != 1 or repos):
        raise ConfigError("--commit goes with a single repository; a list (--repos) has a commit for each.")
    entries = [RepositoryEntry(place, commit) for place in named]
    entries += read_repository_list(repos) if repos else []
    if subfolder and len(entries) != 1:
        raise ConfigError("--subfolder goes with a single repository; write ADDRESS#FOLDER for the others.")
    if not entries:
        raise ConfigError("Name a folder, an address, or a list of repositories: lean-agent trace --repos list.yaml")
    if len(entries) == 1:  # of several, one that is missing does not stop the others
        check_repositories([entries[0].url])
    from rich.console import Console

    from lean_agent.agent.many import set_up_all
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.agent.tables import print_set_ups

    with ScriptedAgent(database=database, workers=workers, executor=executor, lean=lean, tracer=tracer) as agent:
        results = set_up_all(
            agent, entries, subfolders=subfolder or (), submodules=submodules, dependencies=dependencies
        )
    if len(results) == 1 and results[0].error is not None:
        raise results[0].error
    print_set_ups(Console(), results)
    raise typer.Exit(_exit_code(results))


def _exit_code(results: Sequence[SetUp]) -> int:
    traced = [result.traced for result in results if result.traced is not None]
    if len(traced) < len(results):
        return FAILED
    if not any(repository.is_partial for repository in traced):
        return 0
    return PARTIAL if any(file.theorems for repository in traced for file in repository.summaries) else NOTHING_TRACED
