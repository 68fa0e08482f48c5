"""``lean-agent improve``: search, train on what was found, and search again; ``variants``: what it may practise on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lean_agent.cli.options import (
    AgentOptions,
    Commit,
    ConfigFile,
    DatabasePath,
    LeanOptions,
    OptionGroup,
    Repositories,
    agent_settings,
    check_models,
    check_one_commit,
    check_repositories,
    completed_by,
    grouped,
    named,
    number,
)
from lean_agent.errors import ConfigError
from lean_agent.improvement import ImproveConfig
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.registry import STRATEGIES
from lean_agent.settings import read_value

if TYPE_CHECKING:
    from lean_agent.agent.hf_agent import HFAgent
    from lean_agent.agent.practising import PractisingAgent
    from lean_agent.database import StoredTheorem
    from lean_agent.trainer.sft_trainer import SFTTrainer

NAME = "improve"
TINY_LR = 1e-3
"""Of the small model that is made where none is given, as in the demo."""
FIRST_EPOCHS = 2
"""Of its training on the traced proofs, after each repository."""
DEFAULT_LR = 2e-5


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """Which theorems are held out."""

    held_out: Annotated[
        list[str] | None,
        typer.Option(
            "--held-out",
            metavar="NAME",
            help="Open theorems that are never searched nor learnt from: a name, its end, or a pattern with * and ?; "
            "may be repeated.",
        ),
    ] = None
    hold_out: Annotated[
        float, number(least=0, below=1, help="Hold this share of the open theorems out, by a hash of what they state.")
    ] = 0.0


@completed_by(ImproveConfig, without={"search", "training", "of_strategy", "seed"})
@dataclass(frozen=True, kw_only=True)
class PracticeOptions:
    """Settings of practice."""

    theorems: Annotated[int, typer.Option(min=1, help="Theorems practised in a round, chosen by their pass rates.")] = (
        64
    )
    variants: Annotated[
        int, typer.Option(min=0, help="Variants of theorems, made by Lean, practised beside them in a round.")
    ] = 0
    development: Annotated[
        int, typer.Option(min=0, help="Theorems set aside to compare checkpoints on; at most a quarter of all.")
    ] = 16
    policy: Annotated[
        Literal["own", "mixture"],
        typer.Option(help="Who proposes tactics: the model; or the model, neighbours and closers in one ranking."),
    ] = "own"
    temperatures: Annotated[
        list[float],
        number("--temperature", above=0, help="Search every theorem at this temperature; may be repeated."),
    ] = field(default_factory=lambda: [0.7, 1.0])
    strategies: Annotated[
        list[str],
        named(STRATEGIES, "--strategy", help="How a round trains; repeated, one after the other:"),
    ] = field(default_factory=lambda: ["supervised"])
    start: Annotated[
        Literal["base", "last"], typer.Option(help="Train from the first checkpoint, or the one kept last.")
    ] = "base"
    traced: Annotated[
        bool, typer.Option("--traced", help="Practise theorems with traced proofs, too, their proofs hidden.")
    ] = False
    one_by_one: Annotated[
        bool,
        typer.Option("--one-by-one", help="Practise repository by repository; the report says what was forgotten."),
    ] = False
    found_share: Annotated[
        float, number(least=0, below=1, help="So many of the steps that are trained on, at least, are found ones.")
    ] = 0.25
    lessons: Annotated[
        Literal["whole", "short", "schemes"],
        typer.Option(help="Learn found tactics whole, what a goal needs of them, or with {lemmas} for the names."),
    ] = "schemes"


@dataclass(frozen=True, kw_only=True)
class SearchLimits:
    """Limits of a search, and how many tactics are asked for."""

    expansions: Annotated[int, typer.Option(min=1, help="States expanded for each theorem.")] = 64
    lean_calls: Annotated[int, typer.Option(min=1, help="Lean calls for each theorem, the verification included.")] = 64
    seconds: Annotated[float, number(above=0, help="Seconds for each theorem.")] = 120.0
    tactics_per_node: Annotated[int, typer.Option(min=1, help="Tactics that the model is asked for at each state.")] = (
        16
    )


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """Settings of the trainings of all rounds."""

    epochs: Annotated[int, typer.Option(min=1, help="Epochs over traced and found steps in a round.")] = 2
    batch_size: Annotated[int, typer.Option(min=1, help="Steps in an optimizer step.")] = 16
    lr: Annotated[
        float | None,
        number(above=0, help=f"Peak learning rate; by default {DEFAULT_LR}, and {TINY_LR} without --model."),
    ] = None
    max_steps: Annotated[int | None, typer.Option(min=1, help="Optimizer steps in a round instead of epochs.")] = None
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="STRATEGY.NAME=VALUE",
            help="A setting of one strategy's trainer alone, as dpo.lr=1e-5 or preference.negative_weight=0.5; may be "
            "repeated.",
        ),
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Of the choice of theorems, sampling and training.")] = 0


@grouped
def improve(
    repositories: Repositories,
    *,
    config: ConfigFile = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            show_default=False,
            help="The checkpoint to begin with, a folder or a name on the hub; without it a small model is made and "
            "trained on the traced proofs first.",
        ),
    ] = "",
    training_off: Annotated[
        bool,
        typer.Option(
            "--no-training",
            help="Search, and train nothing: what is found is for neighbours and closers to learn from. Without "
            "--model it needs no torch.",
        ),
    ] = False,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of searching and training.")] = 2,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start a new run instead of resuming one.")] = False,
    aside: HeldOut,
    practice: Annotated[PracticeOptions, OptionGroup("Settings of practice")],
    search: Annotated[SearchLimits, OptionGroup("Settings of the searches")],
    training: Annotated[TrainingOptions, OptionGroup("Settings of the trainings")],
    commit: Commit = None,
    options: AgentOptions,
) -> None:
    """Practise: search open theorems, train on what the searches teach, keep what proves more, and search again.

    A run that was interrupted goes on with the same command. Its folder has the report, the searches and checkpoints.

    Example: lean-agent improve repos/logic repos/lists --model outputs --rounds 2

    A small model made here, half of the theorems kept for a measurement: lean-agent improve repos/logic --hold-out 0.5

    Without a model: lean-agent improve repos/logic --no-training

    The model, neighbours and closers together: lean-agent improve repos/logic --model outputs --policy mixture

    Two strategies: lean-agent improve repos/logic --strategy supervised --strategy dpo --set dpo.lr=1e-5
    """
    check_one_commit(commit, repositories)
    check_repositories(repositories)
    check_models([model] if model else [])
    if aside.held_out and aside.hold_out:
        raise ConfigError("--held-out and --hold-out both say what is held out: give one.")
    if training_off:
        practice = replace(practice, strategies=[], policy="mixture")
    settings = _config(practice, search, training, lr=training.lr or (DEFAULT_LR if model else TINY_LR))
    from lean_agent.agent.hf_agent import HFAgent
    from lean_agent.agent.run_folder import FINISHED, RunFolder
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.progress import inform

    groups: dict[str, Any] = {"held out": aside, "practice": practice, "search": search, "training": training}
    recorded: dict[str, Any] = {"repositories": repositories, "commit": commit, "model": model, "rounds": rounds}
    recorded |= {"no_training": True} if training_off else {}
    recorded |= {name: asdict(group) for name, group in groups.items()}
    run = None if fresh else RunFolder.newest_unfinished(options.runs_dir, NAME, recorded)
    if run is not None:
        inform(f"Going on in {run.path}")
    run = run or RunFolder.create(options.runs_dir, NAME, recorded)
    common = {"run": run, **agent_settings(options)}
    with ScriptedAgent(**common) if training_off and not model else HFAgent(model=model or None, **common) as agent:
        for repository in repositories:
            agent.setup_repository(repository, commit)
        if isinstance(agent, HFAgent) and not model:
            agent.trainer = _first_trainer(agent, run.checkpoints, training.seed)
        agent.improve(rounds=rounds, held_out=_theorems_of(aside, agent, training.seed), config=settings)
    run.mark_done(FINISHED)


@grouped
def variants(
    repositories: Repositories,
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A JSON Lines file, a variant to a line, with what became of it.")
    ] = Path("variants.jsonl"),
    theorems: Annotated[
        int, typer.Option(min=1, help="Theorems that variants are made of, spread over the repositories.")
    ] = 64,
    seed: Annotated[int, typer.Option(min=0, help="Of the choice of theorems.")] = 0,
    commit: Commit = None,
    database: DatabasePath = None,
    lean: LeanOptions,
) -> None:
    """Look at variants of theorems, as `improve --variants` practises them: made, and sifted, by Lean.

    A table has how many there are of each kind, by what became of them.

    Example: lean-agent variants repos/logic --theorems 20
    """
    check_one_commit(commit, repositories)
    check_repositories(repositories)
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.agent.tables import print_variants
    from lean_agent.improvement.practice import Guard, spread
    from lean_agent.improvement.variants import Sieve, make_variants, write_variants
    from lean_agent.progress import terminal

    with ScriptedAgent(database=database, **agent_settings(lean)) as agent:
        for repository in repositories:
            agent.setup_repository(repository, commit)
        known = [theorem for traced in agent.repositories for theorem in agent.database.theorems(traced.repository)]
        sources = spread(known, theorems, seed, what="variants")
        sieve = Sieve(Guard([]), (theorem.theorem.type_hash for theorem in known))
        made = [
            variant
            for traced in agent.repositories
            for variant in make_variants(traced.repository, sources, agent.lean, agent.database, sieve)
        ]
    write_variants(made, output)
    print_variants(terminal(), made, output)


def _theorems_of(aside: HeldOut, agent: PractisingAgent, seed: int) -> Sequence[StoredTheorem | str]:
    """Return what is held out."""
    from lean_agent.improvement.practice import hold_out

    return hold_out(agent.open_theorems(), aside.hold_out, seed) if aside.hold_out else aside.held_out or ()


def _config(practice: PracticeOptions, search: SearchLimits, training: TrainingOptions, *, lr: float) -> ImproveConfig:
    budget = SearchBudget(search.expansions, search.lean_calls, search.seconds)
    settings: dict[str, Any] = {"epochs": training.epochs, "batch_size": training.batch_size, "lr": lr}
    settings |= {"max_steps": training.max_steps} if training.max_steps else {}
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in asdict(practice).items()
    }
    how = SearchConfig(budget=budget, tactics_per_node=search.tactics_per_node)
    alone = _of_strategy(training.changes or ())
    return ImproveConfig(**values, search=how, training=settings, of_strategy=alone, seed=training.seed)


def _of_strategy(changes: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read ``STRATEGY.NAME=VALUE``; the last of one name counts.

    Raises:
        ConfigError: it does not read so, or there is no such strategy.
    """
    settings: dict[str, dict[str, Any]] = {}
    for change in changes:
        place, equals, value = change.partition("=")
        strategy, dot, name = place.rpartition(".")
        if not (equals and dot and strategy and name):
            raise ConfigError(f"--set takes STRATEGY.NAME=VALUE, as dpo.lr=1e-5, not {change!r}.")
        settings.setdefault(strategy, {})[name] = read_value(value)
    return settings


def _first_trainer(agent: HFAgent, checkpoints: Path, seed: int) -> SFTTrainer:
    """Return what trains a small model on the traced proofs, as the demo does."""
    from lean_agent.agent.demo import DemoConfig, untrained_model
    from lean_agent.trainer.sft_trainer import SFTTrainer

    demo = DemoConfig()
    untrained = checkpoints / "untrained"
    untrained_model(agent, untrained, hidden_size=demo.hidden_size, seed=seed)
    settings: dict[str, Any] = {"epochs_per_repo": FIRST_EPOCHS, "batch_size": demo.sft_batch, "lr": demo.sft_lr}
    return SFTTrainer(untrained, checkpoints / "sft", seed=seed, **settings)
