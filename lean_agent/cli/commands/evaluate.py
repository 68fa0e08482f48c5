"""``lean-agent evaluate``: measure provers on a benchmark, and check such measurements again."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from lean_agent.cli.commands.search import Expansions, LeanCalls, Seconds, Tokens
from lean_agent.cli.inputs import check_models
from lean_agent.cli.options import Config, Executor, Lean, Workers, named
from lean_agent.errors import ConfigError
from lean_agent.progress import inform
from lean_agent.registry import BENCHMARKS
from lean_agent.wording import counted


def evaluate(
    benchmark: Annotated[str | None, named(BENCHMARKS, help="The benchmark; without one, all are listed:")] = None,
    source: Annotated[
        str | None, typer.Argument(help="The file, folder or address that it is read from.", show_default=False)
    ] = None,
    *,
    config_file: Config = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="A model folder or a name on the hub; may be given several times.", show_default=False),
    ] = None,
    closers: Annotated[bool, typer.Option(help="Measure the common closing tactics too.")] = True,
    limit: Annotated[int | None, typer.Option(min=1, help="So many theorems, evenly spread; by default all.")] = None,
    split: Annotated[str, typer.Option(help="train or test, of a benchmark that has both; by default all.")] = "",
    seeds: Annotated[
        int, typer.Option(min=1, help="Attempts of every model at every theorem, each with its own seed.")
    ] = 1,
    expansions: Expansions = 64,
    lean_calls: LeanCalls = 512,
    tokens: Tokens = None,
    seconds: Seconds = 120.0,
    output: Annotated[
        Path | None, typer.Option(help="The results folder; one that exists is gone on with. By default a new one.")
    ] = None,
    workers: Workers = 2,
    executor: Executor = "local",
    lean: Lean = None,
    runs_dir: Annotated[Path, typer.Option(help="Where run folders are made.")] = Path("runs"),
    as_json: Annotated[
        bool, typer.Option("--json", help="Print report.json instead of the table; the rest goes to stderr.")
    ] = False,
) -> None:
    """Measure provers on a benchmark at one budget: a table, report.html, and every proof for others to check.

    Example: lean-agent evaluate lean-core --model outputs --limit 100 --output results
    """
    if benchmark is None:
        summaries = {name: BENCHMARKS.summary(name) for name in BENCHMARKS}
        if as_json:
            print(json.dumps(summaries, indent=2, ensure_ascii=False))
        else:
            print("\n".join(f"{name:12} {summary}" for name, summary in summaries.items()))
        return
    BENCHMARKS.find(benchmark)  # before anything is started
    from lean_agent.tracing.project.repository import is_remote

    if source is not None and not is_remote(source) and not Path(source).expanduser().exists():
        raise ConfigError(f"A benchmark is read from a file, a folder or an address; there is nothing at {source}.")
    check_models(model or [])
    from lean_agent.agent.run_folder import RunFolder
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.evaluation.benchmarks import Request, load_benchmark
    from lean_agent.policy.loading import check_causal_lm
    from lean_agent.prover.config import SearchBudget, SearchConfig
    from lean_agent.prover.provers import HFProver, Prover, ScriptedProver

    models = model or []
    if not models and not closers:
        raise ConfigError("There is nothing to measure: name a model with --model, or leave out --no-closers.")
    for one in models:
        check_causal_lm(one)  # before anything is traced
    run = RunFolder(output) if output is not None else None
    claim = run.claimed("name another folder with --output") if run else nullcontext()
    with (
        redirect_stdout(sys.stderr if as_json else sys.stdout),
        claim,
        ScriptedAgent(workers=workers, executor=executor, lean=lean, runs_dir=runs_dir, run=run) as agent,
    ):
        loaded = load_benchmark(benchmark, Request(agent.lean, agent.database, source, count=limit, split=split))
        config = SearchConfig(budget=SearchBudget(expansions, lean_calls, seconds, tokens))
        provers: list[Prover] = []
        if closers:
            provers.append(ScriptedProver(agent.lean, config=config, **agent.kept("scripted")))
        for one, name in zip(models, names(models), strict=True):
            options: dict[str, Any] = agent.kept(name)
            provers.append(HFProver(one, agent.lean, name=name, config=config, **options))
        unmeasured = sum(not one.is_file for one in loaded.left_out)
        count = len(loaded.theorems) + unmeasured
        size = f"{count:,} theorem{'s' * (count != 1)}{f', {unmeasured:,} left out' if unmeasured else ''}"
        title = f"{loaded.name}{f', {split}' if split else ''}: {size}"
        # Why something was left out is told below the results, in the table's own words.
        inform(f"Measuring {title}.", to_stderr=True)
        agent.evaluate(
            loaded, provers=provers, budget=config.budget, seeds=range(seeds), baseline=provers[0].name, title=title
        )
        folder = agent.run.path
    if as_json:
        print((folder / "report.json").read_text(encoding="utf-8"), end="")


def names(models: list[str]) -> list[str]:
    """The last part of each path; where that is not enough to tell them apart, the whole path."""
    short = [Path(one).name or one for one in models]
    return short if len(set(short)) == len(short) and "scripted" not in short else list(models)


def verify_results(folder: Path, *, workers: int = 1, lean: str | None = None) -> bool:
    """Judge every proof of a results folder again; prints what is refused. Whether all were accepted."""
    from lean_agent.evaluation.results import kept_proofs, origins, recheck
    from lean_agent.lean.pool import LeanPool
    from lean_agent.progress import ProgressBar

    console = Console(highlight=False, soft_wrap=True)
    kinds: Counter[str] = Counter()
    total = len(kept_proofs(folder))
    with LeanPool(workers=workers, lean=lean) as pool, ProgressBar(f"Verifying {folder.name}", total) as bar:
        for one in recheck(folder, pool):
            kinds[one.verdict.kind] += 1
            bar.advance(accepted=kinds["accepted"])
            if not one.verdict.accepted:
                attempt = one.attempt
                words = f"{attempt.prover}: {attempt.full_name}: {one.verdict.kind}: {one.verdict.reason}"
                console.print(words, markup=False)
    console.print(f"{folder}: {kinds['accepted']} of {counted(total, 'proof')} accepted", markup=False)
    for line in origins(folder):
        console.print(f"  {line}", markup=False)
    return kinds["accepted"] == total
