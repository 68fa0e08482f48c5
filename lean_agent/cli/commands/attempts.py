"""Train on whole attempts at the theorems of a file: the commands of ``lean-grpo``, which ``lean-agent`` has too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from lean_agent.cli.commands import train as shared
from lean_agent.cli.commands.train import AlgorithmOptions, algorithm_settings
from lean_agent.cli.options import ALIASES, LeanOptions, check_models, given, grouped
from lean_agent.errors import ConfigError
from lean_agent.progress import terminal
from lean_agent.settings import read_yaml
from lean_agent.wording import counted

if TYPE_CHECKING:
    from lean_agent.policy.base import SamplingPolicy
    from lean_agent.rollout import Theorem
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
    from lean_agent.trainer.attempts.pipeline import PipelineResult

PROGRAM = "lean-grpo"


@dataclass(frozen=True, kw_only=True)
class AttemptOptions(AlgorithmOptions):
    """Settings of :class:`~lean_agent.trainer.attempts.lean_grpo_config.LeanGRPOConfig`; ``None`` leaves the file's."""

    lr: Annotated[float | None, shared.LR] = None
    model: Annotated[str | None, shared.MODEL] = None
    output_dir: Annotated[Path | None, shared.OUTPUT_DIR] = None
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the theorems.")] = None
    max_steps: shared.MaxSteps = None
    max_proof_steps: Annotated[int | None, typer.Option(min=1, help="Most tactics in an attempt.")] = None
    temperature: Annotated[float | None, shared.TEMPERATURE] = None
    lora_rank: Annotated[int | None, shared.LORA_RANK] = None
    lora_alpha: shared.LoraAlpha = None
    report_to: Annotated[shared.TrackerName | None, shared.REPORT_TO] = None
    seed: Annotated[int | None, shared.SEED] = None


@grouped
def train(
    context: typer.Context,
    theorems: Annotated[Path, typer.Argument(metavar="THEOREMS.jsonl", help="Theorems, one on each line.")],
    *,
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.yaml", help="A file of settings (docs/QUICK_REFERENCE.md); the command line takes precedence."
        ),
    ] = None,
    options: AttemptOptions,
    vllm_url: Annotated[str | None, typer.Option(help="A vLLM server that samples: its address, up to /v1.")] = None,
    endpoint_url: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible endpoint that samples: its address, up to /v1.")
    ] = None,
    evaluation: Annotated[
        Path | None, typer.Option("--eval", help="Theorems to measure on; by default those that are trained on.")
    ] = None,
    lean: LeanOptions,
    mock: Annotated[
        bool, typer.Option("--mock", help="A dry run without Lean; trains a tiny model unless one is named.")
    ] = False,
) -> None:
    """Train a model on theorems: attempts at each are run in Lean, scored and compared with one another.

    Example: lean-grpo train examples/example_theorems.jsonl --config configs/drgrpo.yaml --lr 1e-5

    On several GPUs: accelerate launch --num_processes 4 "$(command -v lean-grpo)" train theorems.jsonl
    """
    from lean_agent.rollout.theorems import load_theorems
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig

    # Read before the libraries are loaded, and before the model, which is the slowest to be found missing.
    file = read_yaml(config) if config is not None else {}
    files = [load_theorems(path) for path in (theorems, evaluation) if path is not None]
    base_model = options.model or str(LeanGRPOConfig.by_name(file).get("model_name", LeanGRPOConfig.model_name))
    if not (mock and base_model == LeanGRPOConfig.model_name):
        started = Path(options.output_dir or file.get("output_dir", LeanGRPOConfig.output_dir))
        check_models([base_model], started=started)
    from lean_agent.trainer.attempts.pipeline import LeanGRPOPipeline
    from lean_agent.trainer.run.processes import Processes

    if mock and (unused := [name for name in asdict(lean) if given(context, name)]):
        raise ConfigError(f"--mock runs no Lean: leave --{' and --'.join(unused)} out.")
    settings = LeanGRPOConfig.load(config, **_settings(options))
    policy = _policy(settings, vllm_url=vllm_url, endpoint_url=endpoint_url, mock=mock)
    if mock:
        result = _run_on_mock(settings, files, policy)
    else:
        pipeline = LeanGRPOPipeline(settings, lean.lean, policy, workers=lean.workers, executor=lean.executor)
        result = pipeline.run(theorems, evaluation)
    if Processes().is_first:
        _print_result(result)


def _settings(options: AttemptOptions) -> dict[str, Any]:
    """Return the options that were given, by the names of the settings."""
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig

    settings = {field.name for field in fields(LeanGRPOConfig)} | LeanGRPOConfig.spellings().keys()
    names = {option: name for name, option in ALIASES.items() if name in settings}
    values = {**asdict(options), "algo_config": algorithm_settings(options.algo_config)}
    return {names.get(option, option): value for option, value in values.items() if value is not None}


def _run_on_mock(
    settings: LeanGRPOConfig, files: Sequence[Sequence[Theorem]], policy: SamplingPolicy | None
) -> PipelineResult:
    """Train on the mock, and print which theorems it does not understand."""
    from lean_agent.lean.interface import MockLeanInterface
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
    from lean_agent.trainer.attempts.pipeline import LeanGRPOPipeline
    from lean_agent.trainer.run.processes import Processes

    # The mock imports nothing, so that no theorem can miss a module.
    bare = [[replace(theorem, imports=()) for theorem in theorems] for theorems in files]
    server = MockLeanInterface()
    with Processes().alone_in(settings.output_dir):
        if settings.model_name == LeanGRPOConfig.model_name:
            with Processes().first_alone():
                settings = replace(settings, model_name=str(_tiny_model(files[0], settings.output_dir)))
        result = LeanGRPOPipeline(settings, server, policy).run(*bare)
    if server.not_understood and Processes().is_first:
        names = sorted(server.not_understood)
        total = len({theorem.full_name for theorems in bare for theorem in theorems})
        shown = f"{', '.join(names[:5])}{', …' if len(names) > 5 else ''}"
        print(
            f"The mock, which knows propositional logic alone, does not understand {len(names)} of {total} "
            f"theorems, and that they are not proved says nothing: {shown}"
        )
    return result


def _print_result(result: PipelineResult) -> None:
    theorems, attempts = counted(result.theorems, "theorem"), counted(result.attempts, "attempt")
    for when, rate in (("before", result.before), ("after", result.after)):
        proved = len(getattr(result, f"proved_{when}"))
        print(f"{when}: {proved} of {theorems} proved in {attempts} each, {rate:.1%} of the attempts")
    print(f"The model: {result.model_path}")


def algorithms() -> None:
    """List the algorithms.

    Example: lean-grpo algorithms
    """
    from lean_agent.algorithms import ALGORITHMS

    table = Table("Name", "Algorithm", "Description", "Best For")
    for name, algorithm in ALGORITHMS.items():
        table.add_row(name, algorithm.__name__, algorithm.full_name, algorithm.best_for)
    terminal().print(table)


def rewards() -> None:
    """List the scorers that --reward takes.

    Example: lean-grpo rewards
    """
    from lean_agent.rewards import SCORERS

    table = Table("Name", "What it pays for")
    for name in sorted(SCORERS):
        table.add_row(name, SCORERS.summary(name))
    terminal().print(table)


def help_of(command: Callable[..., None], name: str) -> str:
    """Return a command's help text for another name of it, as in ``lean-agent train-attempts``."""
    return (command.__doc__ or "").replace(f"{PROGRAM} {command.__name__}", name)


def _tiny_model(theorems: Sequence[Theorem], output_dir: Path) -> Path:
    """Return a model without training for a dry run, made once for each output folder."""
    from lean_agent.policy.tiny import make_tiny_model

    folder = output_dir / "mock_model"
    if (folder / "config.json").is_file():
        return folder
    return make_tiny_model([theorem.declaration for theorem in theorems], folder, hidden_size=64, layers=1)


def _policy(
    settings: LeanGRPOConfig, *, vllm_url: str | None, endpoint_url: str | None, mock: bool
) -> SamplingPolicy | None:
    """Return the policy that proposes tactics; ``None`` for the model in training itself."""
    if sum([vllm_url is not None, endpoint_url is not None, mock]) > 1:
        raise ConfigError("--vllm-url, --endpoint-url and --mock exclude one another.")
    if mock:
        from lean_agent.policy.mock import MockInferenceClient

        return MockInferenceClient(seed=settings.seed)
    from lean_agent.policy.endpoint import InferenceClient, VLLMClient

    if vllm_url is not None:
        return VLLMClient(vllm_url, sampling=settings.sampling)
    return InferenceClient(endpoint_url, sampling=settings.sampling) if endpoint_url is not None else None
