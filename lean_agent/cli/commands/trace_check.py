"""``lean-agent trace check``: traced proofs, run again by Lean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lean_agent.cli.errors import FAILED
from lean_agent.cli.inputs import check_repositories
from lean_agent.cli.options import Commit, Database, Lean, Workers
from lean_agent.wording import counted

if TYPE_CHECKING:
    from lean_agent.tracing.check import TraceCheck

SHOWN_MISSES = 10


def trace_check(
    repositories: Annotated[
        list[str],
        typer.Argument(metavar="PATH|URL…", help="Folders, or addresses that git clones.", show_default=False),
    ],
    *,
    commit: Commit = None,
    database: Database = None,
    workers: Workers = 1,
    lean: Lean = None,
    whole_list: Annotated[bool, typer.Option("--all", help="List every step that does not match.")] = False,
) -> None:
    """Run every traced tactic again in its stored state, and say how many give the stored states.

    What is not in the database is traced first. A folder called check is traced by: lean-agent trace ./check

    Example: lean-agent trace check repos/logic
    """
    check_repositories(repositories)
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.errors import ConfigError
    from lean_agent.progress import ProgressBar
    from lean_agent.tracing import lean_project
    from lean_agent.tracing.check import TraceCheck, check_file

    if commit is not None and len(repositories) > 1:
        raise ConfigError("--commit goes with a single repository; check the others in commands of their own.")
    missed = False
    with ScriptedAgent(database=database, workers=workers, lean=lean) as agent:
        for project in [project for place in repositories for project in agent.projects(place, commit)]:
            traced = agent.setup_project(project)
            name, check = traced.repository.name, TraceCheck()
            sizes = [file.tactics + 1 for file in traced.summaries]
            with ProgressBar(f"Checking {name}", total=len(sizes), work=sum(sizes)) as bar:
                for file, size in zip(traced.files, sizes, strict=True):
                    check_file(lean_project(traced.repository), file, agent.lean, check, on_batch=bar.under_way)
                    bar.advance(size=size, matched=check.matched, missed=len(check.missed))
            _print(name, check, whole_list)
            missed = missed or bool(check.missed)
    if missed:
        raise typer.Exit(FAILED)


def _print(name: str, check: TraceCheck, whole_list: bool) -> None:
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
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
