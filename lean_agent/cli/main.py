"""The commands of ``lean-agent``. Each does one thing of another room and prints what came out.

Heavy libraries are imported by the command that needs them, so that ``--help`` is there at once.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lean_agent.cli import database, evaluate, export, retrieval, search
from lean_agent.cli import lean as lean_commands
from lean_agent.cli.errors import DEBUG_VARIABLE, FAILED, Commands
from lean_agent.cli.offline import offline_grpo
from lean_agent.cli.options import Commit, Database, Executor, Lean, Premises, Version, Workers
from lean_agent.cli.search import (
    Closers,
    PriorityName,
    SearchName,
    TotalExpansions,
    TotalLeanCalls,
    TotalSeconds,
    TotalTokens,
    WriteBack,
)
from lean_agent.cli.trace import trace
from lean_agent.cli.trace_check import trace_check

if TYPE_CHECKING:
    from lean_agent.agent.base import BaseAgent

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
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

Repositories = Annotated[
    list[str], typer.Argument(metavar="PATH|URL…", help="Folders, or addresses that git clones.", show_default=False)
]
RunsDir = Annotated[Path, typer.Option(help="Where run folders are made.")]


@app.callback()
def main(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False, version: Version = False
) -> None:
    """Options that stand before the command."""
    # Lean's processes share the cores. A thread of torch that spins while it waits for one that Lean has displaced
    # makes everything tens of times slower; read when torch is loaded, so it is set before.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"


@app.command()
def demo(
    repos: Annotated[Path | None, typer.Option(help="A folder of Lean projects; by default repos/ here.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew instead of going on with a run.")] = False,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Trace, train and prove, end to end, and compare policies; about ten minutes on two cores.

    Example: lean-agent demo --fresh
    """
    from lean_agent.agent.demo import DemoConfig, run_demo

    run_demo(DemoConfig(), repos, runs_dir=runs_dir, fresh=fresh)


@app.command()
def train(
    repositories: Repositories,
    *,
    model: Annotated[str, typer.Option(help="The model to start from: a folder or a name.")],
    method: Annotated[str, typer.Option(help="sft: learn the traced proofs; grpo: the verified reward.")] = "grpo",
    output_dir: Annotated[
        Path, typer.Option(file_okay=False, help="Checkpoints; a second run goes on from there.")
    ] = Path("outputs"),
    epochs_per_repo: Annotated[
        int, typer.Option(min=1, help="Epochs over all data so far, after each new repository.")
    ] = 1,
    batch_size: Annotated[
        int, typer.Option(min=1, help="sft: rows of one step; grpo: sampled tactics in one pass.")
    ] = 8,
    lr: Annotated[float, typer.Option(help="Peak learning rate.")] = 2e-5,
    algorithm: Annotated[
        str | None, typer.Option(help="For grpo: grpo (by default), dgpo, drgrpo, dapo, gspo or passk.")
    ] = None,
    algo_config: Annotated[
        str | None, typer.Option(metavar="JSON", help="Its settings, see docs/algorithms.md.")
    ] = None,
    reward: Annotated[str | None, typer.Option(help="For grpo: a scorer's name; by default verified.")] = None,
    premises: Premises = 0,
    commit: Commit = None,
    database: Database = None,
    workers: Workers = 2,
    executor: Executor = "local",
    lean: Lean = None,
    runs_dir: RunsDir = Path("runs"),
) -> None:
    """Trace repositories and train a model on them, the easiest first.

    Example: lean-agent train repos/logic repos/arithmetic --model path/to/model --method sft
    """
    from lean_agent.agent.hf_agent import HFAgent
    from lean_agent.errors import ConfigError

    if method not in ("sft", "grpo"):
        raise ConfigError(f"--method is sft or grpo, not {method!r}.")
    settings: dict[str, Any] = {
        "epochs_per_repo": epochs_per_repo,
        "batch_size": batch_size,
        "lr": lr,
        "premises": premises,
    }
    # The model is looked at before anything is traced.
    if method == "sft":
        if (algorithm, algo_config, reward) != (None, None, None):
            raise ConfigError("--algorithm, --algo-config and --reward are settings of --method grpo; sft has none.")
        from lean_agent.trainer.sft_trainer import SFTTrainer as Trainer
    else:
        from lean_agent.trainer.grpo_trainer import GRPOTrainer as Trainer  # type: ignore[assignment]  # either

        try:
            algorithm_config = json.loads(algo_config or "{}")
        except ValueError as error:
            raise ConfigError(f"--algo-config does not read as JSON: {error}.") from error
        settings |= {"algorithm": algorithm or "grpo", "algorithm_config": algorithm_config}
        settings |= {"reward": reward or "verified"}
    trainer = Trainer(model, output_dir=output_dir, **settings)
    options: dict[str, Any] = {"workers": workers, "executor": executor, "lean": lean, "runs_dir": runs_dir}
    with HFAgent(trainer, database=database, **options) as agent:
        _set_up(agent, repositories, commit)
        agent.train()
    print(f"The model: {trainer.model_path}")


@app.command()
def prove(
    repositories: Repositories,
    *,
    model: Annotated[
        str | None, typer.Option(help="A model folder or a name on the hub; without it, common closing tactics.")
    ] = None,
    expansions: Annotated[int, typer.Option(min=1, help="States expanded for each theorem.")] = 64,
    lean_calls: Annotated[
        int, typer.Option(min=1, help="Requests to Lean for each theorem: tactics, start, verification.")
    ] = 512,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="Seconds for each theorem; the first limit reached ends it.")
    ] = 120.0,
    tokens: Annotated[
        int | None, typer.Option(min=1, help="Tokens of the model for each theorem; by default no limit.")
    ] = None,
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
    """
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
    options: dict[str, Any] = {"workers": workers, "executor": executor, "lean": lean, "runs_dir": runs_dir}
    if model:
        from lean_agent.policy.loading import check_causal_lm

        check_causal_lm(model)  # before anything is traced
    if output_dir is not None:
        output_dir.mkdir(parents=True, exist_ok=True)  # and so is a place where no proofs can be kept
    with (
        HFAgent(model=model, database=database, **options)
        if model
        else ScriptedAgent(database=database, **options) as agent
    ):
        _set_up(agent, repositories, commit)
        agent.prove(
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
        list[Path],
        typer.Argument(
            metavar="FILE|RESULTS…", help="Lean files; run folders of prove and evaluate.", show_default=False
        ),
    ],
    workers: Workers = 1,
    lean: Lean = None,
) -> None:
    """Judge theorems again: elaborated afresh, no sorry, no axiom but Lean's three, nothing that cheats.

    Of a Lean file every theorem is judged, of the folder of a run every proof, each in its repository.

    Example: lean-agent verify runs/latest
    """
    from lean_agent.cli.verify import verify_files
    from lean_agent.evaluation.results import is_results

    results = [path for path in files if is_results(path)]
    others = [path for path in files if path not in results]
    accepted = [evaluate.verify_results(path, workers=workers, lean=lean) for path in results]
    if others:
        accepted.append(verify_files(others, workers=workers, lean=lean))
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
    from lean_agent.cli import pantograph
    from lean_agent.lean.pantograph import get_version

    if version:
        print(get_version())
        return
    pantograph.repl(arguments or [])


def _set_up(agent: BaseAgent, repositories: list[str], commit: str | None) -> None:
    """Set up what a command names."""
    from lean_agent.errors import ConfigError

    if commit is not None and len(repositories) > 1:
        raise ConfigError("--commit goes with a single repository; name the others in commands of their own.")
    for repository in repositories:
        agent.setup_repository(repository, commit)
