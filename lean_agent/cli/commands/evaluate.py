"""``lean-agent evaluate``: measure provers on a benchmark."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lean_agent.cli.options import ConfigFile, RunOptions, agent_settings, check_models, grouped, named
from lean_agent.errors import ConfigError
from lean_agent.progress import inform
from lean_agent.prover.config import SearchBudget
from lean_agent.registry import BENCHMARKS
from lean_agent.wording import counted

if TYPE_CHECKING:
    from lean_agent.agent.base import BaseAgent
    from lean_agent.prover.provers import Prover


@grouped
def evaluate(
    benchmark: Annotated[str | None, named(BENCHMARKS, help="The benchmark; without one, all are listed:")] = None,
    source: Annotated[
        str | None, typer.Argument(help="The file, folder or address that it is read from.", show_default=False)
    ] = None,
    *,
    config_file: ConfigFile = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="A model folder or a name on the hub; may be given several times.", show_default=False),
    ] = None,
    closers: Annotated[bool, typer.Option(help="Measure closing tactics and schemes, without a model, too.")] = True,
    limit: Annotated[int | None, typer.Option(min=1, help="This many theorems, evenly spread; by default all.")] = None,
    split: Annotated[str, typer.Option(help="train or test, of a benchmark that has both; by default all.")] = "",
    seeds: Annotated[
        int, typer.Option(min=1, help="Attempts of every model at every theorem, each with its own seed.")
    ] = 1,
    budget: SearchBudget,
    output: Annotated[
        Path | None, typer.Option(help="The results folder; an existing one is resumed. By default a new one.")
    ] = None,
    options: RunOptions,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print report.json instead of the table; the rest goes to stderr.")
    ] = False,
) -> None:
    """Measure provers on a benchmark at one budget: a table, report.html, and every proof for others to check.

    Example: lean-agent evaluate lean-core --model outputs --limit 100 --output results
    """
    if benchmark is None:
        return _list_benchmarks(as_json)
    models = model or []
    _check(benchmark, source, models, closers=closers)
    from lean_agent.agent.run_folder import RunFolder
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.evaluation.benchmarks import Request, load_benchmark

    run = RunFolder(output) if output is not None else None
    claim = run.claimed("name another folder with --output") if run else nullcontext()
    with (
        redirect_stdout(sys.stderr if as_json else sys.stdout),
        claim,
        ScriptedAgent(run=run, **agent_settings(options)) as agent,
    ):
        loaded = load_benchmark(benchmark, Request(agent.lean, agent.database, source, count=limit, split=split))
        provers = _provers(agent, models, budget, closers=closers)
        unmeasured = sum(not problem.is_file for problem in loaded.left_out)
        title = f"{loaded.name}{f', {split}' if split else ''}: {counted(len(loaded.theorems) + unmeasured, 'theorem')}"
        title += f", {unmeasured:,} left out" if unmeasured else ""
        # Why something was left out is told below the results, in the table's own words.
        inform(f"Measuring {title}.", to_stderr=True)
        agent.evaluate(
            loaded, provers=provers, budget=budget, seeds=range(seeds), baseline=provers[0].name, title=title
        )
        folder = agent.run.path
    if as_json:
        print((folder / "report.json").read_text(encoding="utf-8"), end="")


def _check(benchmark: str, source: str | None, models: list[str], *, closers: bool) -> None:
    """Refuse what cannot be measured, before anything is started."""
    BENCHMARKS.find(benchmark)
    from lean_agent.tracing.project.repository import is_remote

    if source is not None and not is_remote(source) and not Path(source).expanduser().exists():
        raise ConfigError(f"A benchmark is read from a file, a folder or an address; there is nothing at {source}.")
    check_models(models)
    if not models and not closers:
        raise ConfigError("There is nothing to measure: name a model with --model, or leave out --no-closers.")
    from lean_agent.policy.loading import check_causal_lm

    for model in models:
        check_causal_lm(model)


def _list_benchmarks(as_json: bool) -> None:
    summaries = {name: BENCHMARKS.summary(name) for name in BENCHMARKS}
    lines = "\n".join(f"{name:12} {summary}" for name, summary in summaries.items())
    print(json.dumps(summaries, indent=2, ensure_ascii=False) if as_json else lines)


def _provers(agent: BaseAgent, models: list[str], budget: SearchBudget, *, closers: bool) -> list[Prover]:
    """Return a prover for each model, after that of closing tactics and schemes where these are measured too."""
    from lean_agent.prover.config import SearchConfig
    from lean_agent.prover.provers import HFProver, ScriptedProver

    config = SearchConfig(budget=budget)
    provers: list[Prover] = []
    if closers:
        provers.append(ScriptedProver(agent.lean, config=config, **agent.kept("scripted")))
    for model, name in zip(models, names(models), strict=True):
        provers.append(HFProver(model, agent.lean, name=name, config=config, **agent.kept(name)))
    return provers


def names(models: list[str]) -> list[str]:
    """Return the last part of each path; where that is not enough to tell them apart, the whole path."""
    short = [Path(model).name or model for model in models]
    return short if len(set(short)) == len(short) and "scripted" not in short else list(models)
