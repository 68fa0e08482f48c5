"""The commands of ``lean-agent``. Each does one thing of another room and prints what came out.

Heavy libraries are imported by the command that needs them, so that ``--help`` is there at once.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lean_agent.agent.shipped import find_repositories
from lean_agent.cli.commands import database, evaluate, export, retrieval, search
from lean_agent.cli.commands import lean as lean_commands
from lean_agent.cli.commands.offline import offline_grpo
from lean_agent.cli.commands.search import (
    Closers,
    Expansions,
    LeanCalls,
    PriorityName,
    SearchName,
    Seconds,
    Tokens,
    TotalExpansions,
    TotalLeanCalls,
    TotalSeconds,
    TotalTokens,
    WriteBack,
)
from lean_agent.cli.commands.trace import trace, trace_check
from lean_agent.cli.commands.train import RunsDir, train
from lean_agent.cli.program import FAILED, Commands
from lean_agent.cli.inputs import check_models, check_repositories
from lean_agent.cli.options import (
    Commit,
    Config,
    Database,
    Debug,
    Executor,
    Lean,
    Premises,
    Quiet,
    Version,
    Workers,
    number,
)
from lean_agent.errors import RepositoryNotFound

if TYPE_CHECKING:
    from lean_agent.agent.base import BaseAgent

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Trace Lean 4 repositories, train language models on them, and prove their open theorems.",
    epilog="Start with: lean-agent demo",
)
app.command()(trace)
app.command("trace check")(trace_check)
app.add_typer(lean_commands.app, name="lean")
app.add_typer(database.app, name="db")
app.add_typer(export.app, name="export")
app.add_typer(search.app, name="search")
app.add_typer(retrieval.app, name="retrieval")


@app.callback()
def main(debug: Debug = False, quiet: Quiet = False, version: Version = False) -> None:
    """Options of all commands; they may stand after the command, too."""
    # Lean's processes share the cores. A thread of torch that spins while it waits for one that Lean has displaced
    # makes everything tens of times slower; read when torch is loaded, so it is set before.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@app.command()
def demo(
    repos: Annotated[Path | None, typer.Option(help="A folder of Lean projects; by default repos/ here.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew instead of going on with a run.")] = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Trace, train and prove, end to end, and compare policies; about ten minutes on two cores.

    Example: lean-agent demo --fresh
    """
    find_repositories(repos)  # before the libraries are loaded
    from lean_agent.agent.demo import DemoConfig, run_demo

    run_demo(DemoConfig(), repos, runs_dir=runs_dir, fresh=fresh)


app.command()(train)


@app.command()
def prove(
    repositories: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|URL|FILE.lean|TEXT…",
            help="Folders, or addresses that git clones; Lean files; statements, as 'theorem two : 1 + 1 = 2'.",
            show_default=False,
        ),
    ],
    *,
    config_file: Config = None,
    model: Annotated[
        str | None, typer.Option(help="A model folder or a name on the hub; without it, common closing tactics.")
    ] = None,
    endpoint_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An OpenAI-compatible endpoint to ask, up to /v1; --model is its name there."),
    ] = None,
    theorem: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only theorems of this name, or its end, or with * and ?; may be repeated."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many of them.")] = None,
    expansions: Expansions = 64,
    lean_calls: LeanCalls = 512,
    seconds: Seconds = 120.0,
    tokens: Tokens = None,
    total_expansions: TotalExpansions = None,
    total_lean_calls: TotalLeanCalls = None,
    total_seconds: TotalSeconds = None,
    total_tokens: TotalTokens = None,
    search_by: SearchName = "best_step",
    priority: PriorityName = "logprob",
    closers: Closers = False,
    whole_proof: Annotated[bool, typer.Option("--whole-proof", help="The model writes whole scripts.")] = False,
    minimal: Annotated[
        bool, typer.Option("--minimal", help="Make accepted proofs shorter, beyond the budget.")
    ] = False,
    save_trees: Annotated[bool, typer.Option("--save-trees", help="Save searches, for `search show`.")] = False,
    write_back: WriteBack = None,
    premises: Premises = 0,
    output_dir: Annotated[Path | None, typer.Option(help="Where proofs go; by default the run folder.")] = None,
    whole_list: Annotated[bool, typer.Option("--all", help="List every theorem, not only the proved.")] = False,
    commit: Commit = None,
    database: Database = None,
    workers: Workers = 2,
    executor: Executor = "local",
    lean: Lean = None,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Prove the theorems that repositories leave as sorry; every proof is verified and written out.

    Example: lean-agent prove repos/logic --model outputs

    A Lean file: lean-agent prove My.lean

    A statement: lean-agent prove 'theorem two : 1 + 1 = 2'
    """
    places, loose = _sorted_out(repositories)
    check_repositories(places)
    check_models([model] if model and endpoint_url is None else [])
    from lean_agent.agent.choice import choose_theorems
    from lean_agent.agent.external_agent import ExternalAgent
    from lean_agent.agent.hf_agent import HFAgent
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.policy.scripted import CLOSING_TACTICS
    from lean_agent.prover.config import SearchBudget, SearchConfig, total_budget

    config = SearchConfig(
        search=search_by,
        priority=priority,
        budget=SearchBudget(expansions, lean_calls, seconds, tokens),
        total=total_budget(
            expansions=total_expansions, lean_calls=total_lean_calls, seconds=total_seconds, tokens=total_tokens
        ),
        closers=CLOSING_TACTICS if closers else (),
    )
    options: dict[str, Any] = {
        **{"workers": workers, "executor": executor, "lean": lean, "runs_dir": runs_dir},
        "database": database,
    }
    if model and endpoint_url is None:
        from lean_agent.policy.loading import check_causal_lm

        check_causal_lm(model)  # before anything is traced
    if output_dir is not None:
        output_dir.mkdir(parents=True, exist_ok=True)  # and so is a place where no proofs can be kept
    agent: BaseAgent
    if endpoint_url is not None:
        agent = ExternalAgent(endpoint_url, model=model, **options)
    else:
        agent = HFAgent(model=model, **options) if model else ScriptedAgent(**options)
    with agent:
        _set_up(agent, places, commit)
        open_theorems = [stored for given in loose for stored in agent.theorems_of(given)]
        if places:
            open_theorems += agent.open_theorems()
        agent.prove(
            theorems=choose_theorems(open_theorems, theorem or ()),
            limit=limit,
            config=config,
            premises=premises,
            output_dir=output_dir,
            whole_list=whole_list,
            whole_proof=whole_proof,
            save_trees=save_trees,
            minimal=minimal,
            write_back=write_back or False,
        )
        print(f"Run folder: {agent.run.path}")


app.command()(evaluate.evaluate)
app.command()(offline_grpo)


@app.command()
def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE|RESULTS…", help="Lean files; run folders of prove and evaluate.", show_default=False
        ),
    ] = None,
    *,
    workers: Workers = 1,
    lean: Lean = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object (docs/verify.md); not of run folders.")
    ] = False,
    timeout: Annotated[
        float | None, number(above=0, help="Seconds for each file, 900 by default; not of run folders.")
    ] = None,
    comparator: Annotated[
        Path | None,
        typer.Option(
            metavar="CONFIG.json", help="The Lean FRO comparator's file: a solution against its challenge, and no FILE."
        ),
    ] = None,
) -> None:
    """Judge theorems again: elaborated afresh, no sorry, no axiom but Lean's three, nothing that cheats.

    Of a Lean file every declaration is judged, of the folder of a run every proof, each in its repository. Exits with 0
    only when all of it was accepted.

    Example: lean-agent verify runs/latest
    """
    for path in files or ():
        if not path.exists():
            raise RepositoryNotFound(f"There is no file {path}; name a .lean file.")
    from lean_agent.cli.commands.verify import verify_files
    from lean_agent.errors import ConfigError
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
    if results and as_json:
        raise ConfigError(f"--json is for Lean files, and {results[0]} is a run folder; verify it without.")
    if results and timeout is not None:
        raise ConfigError(f"--timeout is for Lean files, and {results[0]} is a run folder; verify it without.")
    accepted = [evaluate.verify_results(path, workers=workers, lean=lean) for path in results]
    if others:
        accepted.append(verify_files(others, workers=workers, lean=lean, as_json=as_json, timeout_s=timeout))
    if not all(accepted):
        raise typer.Exit(FAILED)


@app.command("pantograph-repl", context_settings={"ignore_unknown_options": True})
def pantograph_repl(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODULE|--NAME=VALUE]…", help="Modules to import; Lean's options.", show_default=False),
    ] = None,
    version: Annotated[bool, typer.Option("--version", help="Say which protocol and which Lean, and end.")] = False,
) -> None:
    """Speak Pantograph's line protocol on standard input and output, over embedded Lean.

    Example: lean-agent pantograph-repl Init
    """
    from lean_agent.cli.commands import pantograph
    from lean_agent.lean.pantograph import get_version

    if version:
        print(get_version())
        return
    pantograph.repl(arguments or [])


def _sorted_out(given: list[str]) -> tuple[list[str], list[str]]:
    """Tell repositories from Lean files and statements."""
    from lean_agent.tracing.project.loose_text import is_text

    loose = [place for place in given if Path(place).suffix == ".lean" or (is_text(place) and not Path(place).exists())]
    return [place for place in given if place not in loose], loose


def _set_up(agent: BaseAgent, repositories: list[str], commit: str | None) -> None:
    """Set up what a command names."""
    from lean_agent.errors import ConfigError

    if commit is not None and len(repositories) > 1:
        raise ConfigError("--commit goes with a single repository; name the others in commands of their own.")
    for repository in repositories:
        agent.setup_repository(repository, commit)
