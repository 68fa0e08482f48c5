"""``lean-agent trace``: repositories into the database; ``trace check``: traced proofs, run again by Lean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lean_agent.cli.options import (
    Commit,
    DatabasePath,
    LeanOptions,
    Repositories,
    TrustRepository,
    WhichLean,
    Workers,
    agent_settings,
    check_one_commit,
    check_repositories,
    grouped,
)
from lean_agent.cli.program import FAILED, NOTHING_TRACED, PARTIAL
from lean_agent.wording import counted

if TYPE_CHECKING:
    from lean_agent.agent.tables import SetUp
    from lean_agent.tracing.check import TraceCheck

TracerName = Literal["embedded", "lean-dojo"]
SHOWN_MISSES = 10


@grouped
def trace(
    repositories: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH|URL…]", help="Folders, or addresses that git can clone.", show_default=False),
    ] = None,
    *,
    repos: Annotated[
        Path | None, typer.Option(help="A YAML list of repositories: url, commit and licence of each.")
    ] = None,
    commit: Commit = None,
    database: DatabasePath = None,
    lean: LeanOptions,
    dependencies: Annotated[
        bool, typer.Option("--dependencies", help="Clone and trace the packages of lake-manifest.json first.")
    ] = False,
    subfolder: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FOLDER",
            help="Only the Lake project in this folder of the repository; may be repeated. Or: ADDRESS#FOLDER.",
        ),
    ] = None,
    submodules: Annotated[bool, typer.Option("--submodules", help="Fetch git submodules too.")] = False,
    tracer: Annotated[
        TracerName,
        typer.Option(help="embedded, or lean-dojo: LeanDojo's tracer on a native toolchain, or folders it has traced."),
    ] = "embedded",
) -> None:
    """Trace repositories into the database, each Lake project in them; what is stored already is not traced again.

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
    from lean_agent.agent.many import set_up_all
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.agent.tables import print_set_ups
    from lean_agent.progress import terminal

    with ScriptedAgent(database=database, tracer=tracer, **agent_settings(lean)) as agent:
        options = {"submodules": submodules, "dependencies": dependencies}
        results = set_up_all(agent, entries, subfolders=subfolder or (), **options)
    if len(results) == 1 and results[0].error is not None:
        raise results[0].error
    print_set_ups(terminal(), results)
    raise typer.Exit(_exit_code(results))


def _exit_code(results: Sequence[SetUp]) -> int:
    traced = [result.traced for result in results if result.traced is not None]
    if len(traced) < len(results):
        return FAILED
    if not any(repository.is_partial for repository in traced):
        return 0
    return PARTIAL if any(file.theorems for repository in traced for file in repository.summaries) else NOTHING_TRACED


def trace_check(
    repositories: Repositories,
    *,
    commit: Commit = None,
    database: DatabasePath = None,
    workers: Workers = 1,
    lean: WhichLean = None,
    trust_repository: TrustRepository = False,
    whole_list: Annotated[bool, typer.Option("--all", help="List every step that does not match.")] = False,
) -> None:
    """Run every traced tactic again in its stored state, and count how many give the stored states.

    What is not in the database is traced first. A folder called check is traced by: lean-agent trace ./check

    Example: lean-agent trace check repos/logic
    """
    del trust_repository  # noted when it was read
    check_one_commit(commit, repositories)
    check_repositories(repositories)
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.progress import ProgressBar
    from lean_agent.tracing import lean_project
    from lean_agent.tracing.check import TraceCheck, check_files

    missed = False
    with ScriptedAgent(database=database, **agent_settings(LeanOptions(workers=workers, lean=lean))) as agent:
        for project in [project for place in repositories for project in agent.projects(place, commit)]:
            traced = agent.setup_project(project)
            name, check = traced.repository.name, TraceCheck()
            sizes = [file.tactics + 1 for file in traced.summaries]
            with ProgressBar(f"Checking {name}", total=len(sizes), work=sum(sizes)) as bar:
                checks = check_files(lean_project(traced.repository), traced.files, agent.lean, on_batch=bar.under_way)
                for of_file, size in zip(checks, sizes, strict=True):
                    check.add(of_file)
                    bar.advance(size=size, matched=check.matched, missed=len(check.missed))
            _print_check(name, check, whole_list)
            missed = missed or bool(check.missed)
    if missed:
        raise typer.Exit(FAILED)


def _print_check(name: str, check: TraceCheck, whole_list: bool) -> None:
    from lean_agent.progress import terminal

    console = terminal(highlight=False, soft_wrap=True)
    lines = [
        f"{name}: {check.matched:,} of {check.steps:,} steps match ({check.share:.2%}); besides, "
        f"{counted(check.holes, 'hole')} and {check.frames:,} frames or later runs, which are no steps"
    ]
    lines += [f"  {count:,} missed: {kind}" for kind, count in check.reasons.most_common()]
    for miss in check.missed[: None if whole_list else SHOWN_MISSES]:
        tactic, reason = (" ".join(text.split()) for text in (miss.tactic, miss.reason))
        lines.append(f"  {miss.path}:{miss.line}: {miss.full_name}: {tactic[:80]}: {miss.kind}: {reason[:300]}")
    if len(check.missed) > SHOWN_MISSES and not whole_list:
        lines.append(f"  and {len(check.missed) - SHOWN_MISSES:,} more; --all lists them")
    console.print("\n".join(lines), markup=False)
