"""The commands of ``lean-grpo``: training on whole trajectories, from a file of theorems.

Heavy libraries are imported by the command that needs them, so that ``--help`` is there at once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from lean_agent.cli.commands.train import (
    LORA_RANK,
    LR,
    REPORT_TO,
    SEED,
    TEMPERATURE,
    AlgoConfig,
    LoraAlpha,
    MaxSteps,
    NumGenerations,
    Preset,
    Tracker,
    algorithm_settings,
)
from lean_agent.cli.program import Commands
from lean_agent.cli.inputs import check_models
from lean_agent.cli.options import Algorithm, Debug, Executor, Lean, Quiet, Reward, Version, Workers, given
from lean_agent.errors import ConfigError
from lean_agent.settings import read_yaml
from lean_agent.wording import counted

if TYPE_CHECKING:
    from lean_agent.policy.base import SamplingPolicy
    from lean_agent.rollout import Theorem
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Train language models to prove theorems in Lean 4, with rewards from Lean.",
    epilog="Start with: lean-grpo train examples/example_theorems.jsonl --mock",
)


@app.callback()
def main(debug: Debug = False, quiet: Quiet = False, version: Version = False) -> None:
    """Options of all commands; they may stand after the command, too."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # see lean_agent.cli.main


@app.command()
def train(
    context: typer.Context,
    theorems: Annotated[Path, typer.Argument(metavar="THEOREMS.jsonl", help="One theorem to a line.")],
    *,
    algorithm: Algorithm = None,
    algo_config: AlgoConfig = None,
    preset: Preset = None,
    num_generations: NumGenerations = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.yaml", help="Settings, see docs/QUICK_REFERENCE.md; the command line comes before."),
    ] = None,
    lr: Annotated[float | None, LR] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="A folder or a name on the hub.")] = None,
    output_dir: Annotated[
        Path | None, typer.Option("--output-dir", "-o", file_okay=False, help="A second run goes on there.")
    ] = None,
    reward: Reward = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the theorems.")] = None,
    max_steps: MaxSteps = None,
    max_proof_steps: Annotated[int | None, typer.Option(min=1, help="Tactics of one attempt.")] = None,
    temperature: Annotated[float | None, TEMPERATURE] = None,
    lora_rank: Annotated[int | None, LORA_RANK] = None,
    lora_alpha: LoraAlpha = None,
    report_to: Annotated[Tracker | None, REPORT_TO] = None,
    seed: Annotated[int | None, SEED] = None,
    vllm_url: Annotated[str | None, typer.Option(help="A vLLM server that samples, with its /v1.")] = None,
    endpoint_url: Annotated[str | None, typer.Option(help="Any OpenAI-compatible endpoint, with its /v1.")] = None,
    evaluation: Annotated[Path | None, typer.Option("--eval", help="Theorems to measure on.")] = None,
    workers: Workers = 2,
    executor: Executor = "local",
    lean: Lean = None,
    mock: Annotated[
        bool, typer.Option("--mock", help="A dry run without Lean; trains a tiny model unless one is named.")
    ] = False,
) -> None:
    """Train on theorems: attempts at each are run in Lean, scored and compared with one another.

    Example: lean-grpo train examples/example_theorems.jsonl --config configs/drgrpo.yaml --lr 1e-5

    On several GPUs: accelerate launch --num_processes 4 "$(command -v lean-grpo)" train theorems.jsonl
    """
    from lean_agent.rollout.theorems import load_theorems
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig

    # Read before the libraries are loaded, and before the model, which is the slowest to be found missing.
    values = read_yaml(config) if config is not None else {}
    read = [load_theorems(path) for path in (theorems, evaluation) if path is not None]
    base_model = model or str(values.get("base_model", LeanGRPOConfig.base_model))
    if not (mock and base_model == LeanGRPOConfig.base_model):
        check_models([base_model], started=Path(output_dir or values.get("output_dir", LeanGRPOConfig.output_dir)))
    from lean_agent.lean.interface import MockLeanInterface
    from lean_agent.trainer.attempts.pipeline import LeanGRPOPipeline
    from lean_agent.trainer.run.processes import Processes

    if mock:
        idle = [name for name in ("workers", "executor", "lean") if given(context, name)]
        if idle:
            raise ConfigError(f"--mock runs no Lean: leave --{' and --'.join(idle)} out.")
    settings_given = {
        "algorithm": algorithm,
        "algorithm_config": algorithm_settings(algo_config),
        "algorithm_preset": preset,
        "num_generations": num_generations,
        "learning_rate": lr,
        "base_model": model,
        "output_dir": output_dir,
        "reward_type": reward,
        "num_train_epochs": epochs,
        "max_steps": max_steps,
        "max_proof_steps": max_proof_steps,
        "temperature": temperature,
        "lora_rank": lora_rank,
        "lora_alpha": lora_alpha,
        "report_to": report_to,
        "seed": seed,
    }
    named = {name: value for name, value in settings_given.items() if value is not None}
    settings = LeanGRPOConfig.load(config, **named)
    policy = _policy(settings, vllm_url=vllm_url, endpoint_url=endpoint_url, mock=mock)
    if mock:
        # The mock imports nothing, so that no theorem can miss a module.
        bare = [[replace(theorem, imports=()) for theorem in some] for some in read]
        server = MockLeanInterface()
        with Processes().alone_in(settings.output_dir):
            if settings.base_model == LeanGRPOConfig.base_model:
                with Processes().first_alone():
                    settings = replace(settings, base_model=str(_tiny_model(read[0], settings.output_dir)))
            result = LeanGRPOPipeline(settings, server, policy).run(*bare)
        if server.not_understood and Processes().is_first:
            names = sorted(server.not_understood)
            total = len({one.full_name for some in bare for one in some})
            print(
                f"The mock, which knows propositional logic alone, does not understand {len(names)} of {total} "
                "theorems, and that they are not proved says nothing: "
                f"{', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
            )
    else:
        result = LeanGRPOPipeline(settings, lean, policy, workers=workers, executor=executor).run(theorems, evaluation)
    if not Processes().is_first:
        return
    for when, rate, proved in (
        ("before", result.before, result.proved_before),
        ("after", result.after, result.proved_after),
    ):
        print(
            f"{when}: {len(proved)} of {counted(result.theorems, 'theorem')} proved in "
            f"{counted(result.attempts, 'attempt')} each, "
            f"{rate:.1%} of the attempts"
        )
    print(f"The model: {result.model_path}")


@app.command()
def algorithms() -> None:
    """List the algorithms.

    Example: lean-grpo algorithms
    """
    from lean_agent.algorithms import ALGORITHMS

    table = Table("Name", "Algorithm", "Description", "Best For")
    for name, algorithm in ALGORITHMS.items():
        table.add_row(name, algorithm.__name__, algorithm.full_name, algorithm.best_for)
    Console().print(table)


@app.command()
def rewards() -> None:
    """List the scorers that --reward takes.

    Example: lean-grpo rewards
    """
    from lean_agent.rewards import SCORERS

    table = Table("Name", "What it pays for")
    for name in sorted(SCORERS):
        table.add_row(name, SCORERS.summary(name))
    Console().print(table)


def _tiny_model(theorems: Sequence[Theorem], output_dir: Path) -> Path:
    """A model without training for a dry run, made once for each output folder."""
    from lean_agent.policy.tiny import make_tiny_model

    folder = output_dir / "mock_model"
    if (folder / "config.json").is_file():
        return folder
    return make_tiny_model([theorem.declaration for theorem in theorems], folder, hidden_size=64, layers=1)


def _policy(
    settings: LeanGRPOConfig, *, vllm_url: str | None, endpoint_url: str | None, mock: bool
) -> SamplingPolicy | None:
    """Who proposes tactics; ``None`` for the model in training itself."""
    if sum([vllm_url is not None, endpoint_url is not None, mock]) > 1:
        raise ConfigError("--vllm-url, --endpoint-url and --mock exclude one another.")
    if mock:
        from lean_agent.policy.mock import MockInferenceClient

        return MockInferenceClient(seed=settings.seed)
    from lean_agent.policy.endpoint import InferenceClient, VLLMClient

    if vllm_url is not None:
        return VLLMClient(vllm_url, sampling=settings.sampling)
    return InferenceClient(endpoint_url, sampling=settings.sampling) if endpoint_url is not None else None
