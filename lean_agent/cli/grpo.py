"""The commands of ``lean-grpo``: training on whole trajectories, from a file of theorems.

Heavy libraries are imported by the command that needs them, so that ``--help`` is there at once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from lean_agent.cli.errors import DEBUG_VARIABLE, Commands
from lean_agent.cli.options import Executor, Lean, Version
from lean_agent.errors import ConfigError

if TYPE_CHECKING:
    from lean_agent.policy.base import SamplingPolicy
    from lean_agent.rollout import Theorem
    from lean_agent.trainer.lean_grpo_config import LeanGRPOConfig

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Train language models to prove theorems in Lean 4, with rewards from Lean.",
    epilog="Start with: lean-grpo train examples/example_theorems.jsonl --mock",
)


@app.callback()
def main(
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False, version: Version = False
) -> None:
    """Options that stand before the command."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # see lean_agent.cli.main
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"


@app.command()
def train(
    theorems: Annotated[Path, typer.Argument(metavar="THEOREMS.jsonl", help="One theorem to a line.")],
    *,
    algorithm: Annotated[str | None, typer.Option("--algorithm", "-a", help="See `lean-grpo algorithms`.")] = None,
    algo_config: Annotated[str | None, typer.Option(metavar="JSON", help="Settings of the algorithm.")] = None,
    preset: Annotated[str | None, typer.Option(help="published: the paper's reading of the algorithm.")] = None,
    num_generations: Annotated[int | None, typer.Option("--num-generations", "-n", help="Attempts a theorem.")] = None,
    config: Annotated[Path | None, typer.Option(help="YAML; what is set here comes before it.")] = None,
    lr: Annotated[float | None, typer.Option(help="Peak learning rate.")] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="A folder or a name on the hub.")] = None,
    output_dir: Annotated[
        Path | None, typer.Option("--output-dir", "-o", file_okay=False, help="A second run goes on there.")
    ] = None,
    reward: Annotated[str | None, typer.Option(help="A scorer: verified, shaped, algebra, …")] = None,
    epochs: Annotated[int | None, typer.Option(help="Passes over the theorems.")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Batches, instead of epochs.")] = None,
    max_proof_steps: Annotated[int | None, typer.Option(help="Tactics of one attempt.")] = None,
    lora_rank: Annotated[int | None, typer.Option(help="Above 0: train a LoRA adapter.")] = None,
    report_to: Annotated[str | None, typer.Option(help="tensorboard or wandb, beside metrics.jsonl.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of the order of theorems and the sampling.")] = None,
    vllm_url: Annotated[str | None, typer.Option(help="A vLLM server that samples, with its /v1.")] = None,
    endpoint_url: Annotated[str | None, typer.Option(help="Any OpenAI-compatible endpoint, with its /v1.")] = None,
    evaluation: Annotated[Path | None, typer.Option("--eval", help="Theorems to measure on.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Lean processes.")] = 2,
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
    from lean_agent.lean.interface import MockLeanInterface
    from lean_agent.rollout import load_theorems
    from lean_agent.trainer.lean_grpo_config import LeanGRPOConfig
    from lean_agent.trainer.pipeline import LeanGRPOPipeline
    from lean_agent.trainer.processes import Processes

    given = {
        "algorithm": algorithm,
        "algorithm_config": _json(algo_config),
        "algorithm_preset": preset,
        "num_generations": num_generations,
        "learning_rate": lr,
        "base_model": model,
        "output_dir": output_dir,
        "reward_type": reward,
        "num_train_epochs": epochs,
        "max_steps": max_steps,
        "max_proof_steps": max_proof_steps,
        "lora_rank": lora_rank,
        "report_to": report_to,
        "seed": seed,
    }
    settings = LeanGRPOConfig.load(config, **{name: value for name, value in given.items() if value is not None})
    # Read before the model, which is the slowest to be found missing.
    read = [load_theorems(path) for path in (theorems, evaluation) if path is not None]
    policy = _policy(settings, vllm_url=vllm_url, endpoint_url=endpoint_url, mock=mock)
    if mock:
        if settings.base_model == LeanGRPOConfig.base_model:
            with Processes().first_alone():
                settings = replace(settings, base_model=str(_tiny_model(read[0], settings.output_dir)))
        # The mock imports nothing, so that no theorem can miss a module.
        bare = [[replace(theorem, imports=()) for theorem in some] for some in read]
        server = MockLeanInterface()
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
            f"{when}: {len(proved)} of {result.theorems} theorems proved in {result.attempts} attempts each, "
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
    from lean_agent.rewards import available_scorers, describe_scorer

    table = Table("Name", "What it pays for")
    for name in available_scorers():
        table.add_row(name, describe_scorer(name))
    Console().print(table)


def _tiny_model(theorems: Sequence[Theorem], output_dir: Path) -> Path:
    """A model without training for a dry run, made once for each output folder."""
    from lean_agent.policy.tiny import make_tiny_model

    folder = output_dir / "mock_model"
    if (folder / "config.json").is_file():
        return folder
    return make_tiny_model([theorem.declaration for theorem in theorems], folder, hidden_size=64, layers=1)


def _json(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"--algo-config is no JSON ({error}): give an object, as '{{\"epsilon\": 0.2}}'.") from error
    if value is None:  # what a script writes where nothing was asked for
        return None
    if not isinstance(value, dict):
        raise ConfigError("--algo-config must be a JSON object, as '{\"epsilon\": 0.2}'.")
    return value


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
