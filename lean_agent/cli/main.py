"""The commands of ``lean-agent``. Each does one thing of another room and prints what came out.

Heavy libraries are imported by the command that needs them, so that ``--help`` is there at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lean_agent.cli.commands import attempts, database, export, lean, prove, retrieval
from lean_agent.cli.commands.evaluate import evaluate
from lean_agent.cli.commands.improve import improve, variants
from lean_agent.cli.commands.lean import pantograph_repl
from lean_agent.cli.commands.services.mcp import mcp
from lean_agent.cli.commands.services.repl import repl
from lean_agent.cli.commands.services.serve import serve
from lean_agent.cli.commands.services.ui import ui
from lean_agent.cli.commands.trace import trace, trace_check
from lean_agent.cli.commands.train import dpo, offline_grpo, train
from lean_agent.cli.options import RunsDir, TrustRepository, WhichLean, Workers, number
from lean_agent.cli.program import FAILED, new_program
from lean_agent.errors import ConfigError, RepositoryNotFound

app = new_program(
    help="Trace Lean 4 repositories, train language models on them, and prove their open theorems.",
    epilog="Start with: lean-agent demo",
)


def demo(
    repos: Annotated[
        Path | None,
        typer.Option(help="A folder of Lean projects; by default four of those in repos/ of the source checkout."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start a new run instead of resuming one.")] = False,
    grpo: Annotated[
        bool, typer.Option("--grpo", help="Train by GRPO on tactics after SFT, too, and measure that beside the rest.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of weights, data, sampling and practice.")] = 0,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Trace, train, practise and prove, end to end, and compare policies; in some ten minutes on two cores.

    Example: lean-agent demo --fresh
    """
    from lean_agent.tracing.project.sources import find_repositories

    find_repositories(repos)  # before the libraries are loaded
    from lean_agent.agent.demo import DemoConfig, run_demo

    run_demo(DemoConfig(seed=seed, grpo=grpo), repos, runs_dir=runs_dir, fresh=fresh)


def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE|RESULTS…", help="Lean files; run folders of prove and evaluate.", show_default=False
        ),
    ] = None,
    *,
    workers: Workers = 1,
    lean: WhichLean = None,
    trust_repository: TrustRepository = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (docs/verify.md); not of run folders.")
    ] = False,
    timeout: Annotated[
        float | None, number(above=0, help="Seconds for each file, 900 by default; not of run folders.")
    ] = None,
    comparator: Annotated[
        Path | None,
        typer.Option(
            metavar="CONFIG.json",
            help="A configuration of the Lean FRO's comparator: judge a solution against its challenge.",
        ),
    ] = None,
) -> None:
    """Judge proofs again: elaborate them afresh; no sorry, no axiom but Lean's three, nothing that cheats.

    In a Lean file every declaration is judged; in a run folder every proof, each in its repository. The exit code is 0
    only when everything was accepted.

    Example: lean-agent verify runs/latest
    """
    del trust_repository  # noted when it was read
    for path in files or ():
        if not path.exists():
            raise RepositoryNotFound(f"There is no file {path}; name a .lean file.")
    from lean_agent.cli.commands.verify import verify_files, verify_results
    from lean_agent.evaluation.results import is_results

    if (comparator is None) == (not files):
        raise ConfigError(
            "name Lean files or run folders to verify, or a configuration with --comparator, and not both."
        )
    if comparator is not None:
        from lean_agent.cli.commands.comparator import compare_modules

        if not compare_modules(comparator, workers=workers, lean=lean, as_json=as_json, timeout_s=timeout):
            raise typer.Exit(FAILED)
        return
    results = [path for path in files or () if is_results(path)]
    others = [path for path in files or () if path not in results]
    for option, is_given in (("--json", as_json), ("--timeout", timeout is not None)):
        if results and is_given:
            raise ConfigError(f"{option} is for Lean files, and {results[0]} is a run folder; verify it without.")
    accepted = [verify_results(path, workers=workers, lean=lean) for path in results]
    if others:
        accepted.append(verify_files(others, workers=workers, lean=lean, as_json=as_json, timeout_s=timeout))
    if not all(accepted):
        raise typer.Exit(FAILED)


app.command()(trace)
app.command("trace check")(trace_check)
for command in (demo, train, improve, variants, prove.prove, evaluate, offline_grpo, dpo, verify, ui, serve, mcp, repl):
    app.command()(command)
app.command("train-attempts", help=attempts.help_of(attempts.train, "lean-agent train-attempts"))(attempts.train)
for listing in (attempts.algorithms, attempts.rewards):
    app.command(help=attempts.help_of(listing, f"lean-agent {listing.__name__}"))(listing)
app.command("pantograph-repl", context_settings={"ignore_unknown_options": True})(pantograph_repl)
for name, group in {
    "lean": lean.app,
    "db": database.app,
    "export": export.app,
    "search": prove.app,
    "retrieval": retrieval.app,
}.items():
    app.add_typer(group, name=name)
