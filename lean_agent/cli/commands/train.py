"""``lean-agent train``, on traced repositories; ``offline-grpo`` and ``dpo``, on answers that were there before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lean_agent.cli.options import (
    AgentOptions,
    AlgorithmName,
    Commit,
    ConfigFile,
    NeighboursInPrompt,
    OptionGroup,
    Premises,
    Repositories,
    RetrieverName,
    ScorerName,
    agent_settings,
    check_files,
    check_models,
    check_one_commit,
    check_repositories,
    check_retriever_of,
    completed_by,
    given,
    grouped,
    number,
)
from lean_agent.errors import ConfigError
from lean_agent.settings import read_yaml
from lean_agent.trainer.settings import (
    GRPOSettings,
    ProgressSettings,
    RepositorySettings,
    RetrievalSettings,
    SFTSettings,
)

if TYPE_CHECKING:
    from lean_agent.trainer.offline import OfflineTrainer

MaxSteps = Annotated[int | None, typer.Option(min=1, help="Train for this many optimizer steps instead of epochs.")]
LoraAlpha = Annotated[int | None, typer.Option(min=1, help="LoRA's alpha; by default twice the rank.")]

# What both commands have, here with a default and in lean-grpo without one.
MODEL = typer.Option(
    "--model",
    "-m",
    show_default=False,
    help="The model to start from: a folder, or a name on the hub. A retriever without one weighs features.",
)
OUTPUT_DIR = typer.Option(
    "--output-dir", "-o", file_okay=False, help="Folder for checkpoints; a second run resumes from them."
)
LR = number(above=0, help="Peak learning rate.")
LORA_RANK = typer.Option(min=0, help="Above 0: train a LoRA adapter of this rank.")
REPORT_TO = typer.Option(help="Where metrics go besides metrics.jsonl.")
SEED = typer.Option(min=0, max=2**32 - 1, help="Seed for the order of the data and for sampling.")
TEMPERATURE = number(above=0, help="Sampling temperature.")
TrackerName = Literal["none", "tensorboard", "wandb"]


FROM_PYTHON_ALONE = frozenset({"model_name", "output_dir", "lora_config", "progress"})
SHARED = frozenset(field.name for field in fields(RepositorySettings)) | FROM_PYTHON_ALONE
OF_SFT_AND_PROGRESS = frozenset({"augment", "evaluations"})
OF_ALGORITHMS = frozenset({"algorithm", "algorithm_config", "algorithm_preset", "num_generations"})


@completed_by(RepositorySettings, without=FROM_PYTHON_ALONE, names=RepositorySettings.NAMES)
@dataclass(frozen=True, kw_only=True)
class SharedOptions:
    """Settings of all kinds and methods."""

    epochs_per_repo: Annotated[
        int, typer.Option(min=1, help="Epochs over all data so far, after each new repository.")
    ] = 1
    batch_size: Annotated[
        int,
        typer.Option(min=1, help="sft, progress: rows of a step; grpo: sampled tactics in a pass; retrieval: goals."),
    ] = 8
    lr: Annotated[float, LR] = 2e-5
    warmup: Annotated[
        float, number(least=0, below=1, help="Share of the steps over which the learning rate rises.")
    ] = 0.05
    max_steps: MaxSteps = None
    premises: Premises = 0
    retriever: RetrieverName = "bm25"
    neighbours_in_prompt: NeighboursInPrompt = 0
    seed: Annotated[int, SEED] = 0
    checkpoint_every_s: Annotated[float, number(least=0, help="Seconds between checkpoints within a repository.")] = (
        300.0
    )
    lora_rank: Annotated[int, LORA_RANK] = 0
    lora_alpha: LoraAlpha = None
    quantization: Annotated[
        Literal["4bit", "8bit"] | None, typer.Option(help="Quantize the weights under a LoRA adapter; needs CUDA.")
    ] = None
    use_unsloth: Annotated[bool, typer.Option("--use-unsloth", help="Load the model with Unsloth.")] = False
    gradient_checkpointing: Annotated[
        bool | None,
        typer.Option(
            help="Recompute activations instead of storing them; by default on a GPU, for models above 100 M."
        ),
    ] = None
    report_to: Annotated[TrackerName, REPORT_TO] = "none"


@dataclass(frozen=True, kw_only=True)
class AlgorithmOptions:
    """What every training by reinforcement asks for."""

    algorithm: AlgorithmName = None
    algo_config: Annotated[
        str | None,
        typer.Option("--algo-config", metavar="JSON", help="Settings of the algorithm, see docs/algorithms.md."),
    ] = None
    preset: Annotated[
        Literal["published"] | None, typer.Option(help="published: the algorithm as its paper has it.")
    ] = None
    reward: ScorerName = None
    num_generations: Annotated[
        int | None,
        typer.Option(
            "--num-generations",
            "-n",
            min=2,
            help="Attempts in a group, which are compared with one another; by default 8.",
        ),
    ] = None


@completed_by(GRPOSettings, without=SHARED | OF_ALGORITHMS, names=GRPOSettings.NAMES)
@dataclass(frozen=True, kw_only=True)
class GRPOOptions(AlgorithmOptions):
    """Settings of --method grpo."""

    temperature: Annotated[float, TEMPERATURE] = 1.0
    max_completion_length: Annotated[int, typer.Option(min=1, help="Longest tactic, in tokens.")] = 128
    num_iterations: Annotated[
        int | None,
        typer.Option(min=1, help="Optimizer steps on the same tactics; by default the algorithm's own number."),
    ] = None
    max_completions: Annotated[
        int | None, typer.Option(min=1, help="End a repository's training after this many scored tactics.")
    ] = None
    curriculum: Annotated[
        Literal["mixed", "easy_first", "pass_rate"], typer.Option(help="The order of goals in a repository.")
    ] = "mixed"
    replay: Annotated[
        float, number(least=0, most=1, help="Share of earlier repositories' theorems to train on again.")
    ] = 1.0
    known_proofs: Annotated[
        bool, typer.Option(help="Count a goal as proved if the traced proof goes on to prove it.")
    ] = True
    draw_ahead: Annotated[
        bool, typer.Option("--draw-ahead", help="Draw the next step's tactics before the update: Lean runs meanwhile.")
    ] = False
    importance_cap: Annotated[
        float, number(least=0, help="With --draw-ahead: the largest importance weight of a token; 0: no weights.")
    ] = 2.0


@completed_by(SFTSettings, without=SHARED)
@dataclass(frozen=True, kw_only=True)
class SFTOptions:
    """Settings of --method sft; the last two also of --kind progress."""

    max_length: Annotated[int, typer.Option(min=2, help="Longest goal with its tactic, in tokens.")] = 1024
    packing: Annotated[bool, typer.Option("--packing", help="Pack several steps into one row.")] = False
    augment: Annotated[
        int, typer.Option(min=0, help="Copies of each step that are learnt, too, with other names of hypotheses.")
    ] = 0
    evaluations: Annotated[
        int, typer.Option(min=0, help="How often the loss on held-out theorems is measured; 0 keeps the last weights.")
    ] = 4


@completed_by(ProgressSettings, without=SHARED | OF_SFT_AND_PROGRESS)
@dataclass(frozen=True, kw_only=True)
class ProgressOptions:
    """Settings of --kind progress."""

    searches: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What `export distances` wrote of saved searches.")
    ] = None


@completed_by(RetrievalSettings, without=SHARED)
@dataclass(frozen=True, kw_only=True)
class RetrievalOptions:
    """Settings of --kind retrieval."""

    split: Annotated[
        Literal["random", "novel_premises"], typer.Option(help="The split that is trained and measured on.")
    ] = "random"
    negatives: Annotated[
        int, typer.Option(min=0, help="Premises that a goal does not use, beside those that it uses.")
    ] = 128


@dataclass(frozen=True, kw_only=True)
class Aim:
    """What is trained, and how."""

    model: Annotated[str, MODEL] = ""
    kind: Annotated[
        Literal["policy", "progress", "retrieval"],
        typer.Option(
            help="policy: a model that proposes tactics; progress: a value model, for `prove --value`; retrieval: what "
            "--retriever takes."
        ),
    ] = "policy"
    method: Annotated[
        Literal["sft", "grpo"],
        typer.Option(help="Of a policy. sft: learn from the traced proofs; grpo: from rewards that Lean verifies."),
    ] = "grpo"

    @property
    def name(self) -> str:
        """What the trainer is called: the method, or a kind that has none."""
        return self.method if self.kind == "policy" else self.kind


_OF_ALGORITHM = {"algorithm": "algorithm", "algo_config": "algorithm_config", "preset": "algorithm_preset"}


@grouped
def train(
    context: typer.Context,
    repositories: Repositories,
    *,
    config: ConfigFile = None,
    aim: Aim,
    output_dir: Annotated[Path, OUTPUT_DIR] = Path("outputs"),
    shared: Annotated[SharedOptions, OptionGroup("Settings of all kinds and methods")],
    grpo: Annotated[GRPOOptions, OptionGroup("Settings of --method grpo")],
    sft: Annotated[SFTOptions, OptionGroup("Settings of --method sft")],
    progress: Annotated[ProgressOptions, OptionGroup("Settings of --kind progress")],
    retrieval: Annotated[RetrievalOptions, OptionGroup("Settings of --kind retrieval")],
    commit: Commit = None,
    options: AgentOptions,
) -> None:
    """Trace repositories and train a model on them, the easiest first.

    Example: lean-agent train repos/logic repos/arithmetic --model path/to/model --method sft

    A value model for searches with that policy: lean-agent train repos/logic --model outputs --kind progress -o value

    A retriever of premises, for --premises: lean-agent train repos/logic --kind retrieval -o retriever

    All settings in a file: lean-agent train repos/logic --config train.yaml --max-steps 10
    """
    _refuse_others(context, aim, {"sft": sft, "grpo": grpo, "progress": progress, "retrieval": retrieval})
    check_one_commit(commit, repositories)
    check_repositories(repositories)
    if aim.kind != "retrieval":  # an encoder is looked for by its trainer
        check_models([aim.model], started=output_dir)
    check_retriever_of(shared.premises, shared.retriever)
    settings = _shared_settings(shared)
    from lean_agent.agent.hf_agent import HFAgent

    trainer: Any
    if aim.name == "progress":
        from lean_agent.trainer.progress_trainer import ProgressTrainer

        check_files(progress.searches)
        settings = _without_defaults(context, settings, "batch_size", "lr")
        searches = None if progress.searches is None else str(progress.searches)
        settings |= {**asdict(progress), "searches": searches, "evaluations": sft.evaluations, "augment": sft.augment}
        trainer = ProgressTrainer(aim.model, output_dir=output_dir, **settings)
    elif aim.name == "retrieval":
        from lean_agent.trainer.retrieval_trainer import RetrievalTrainer

        settings = _without_defaults(context, settings, "epochs_per_repo", "batch_size", "lr")
        trainer = RetrievalTrainer(aim.model, output_dir=output_dir, **settings, **asdict(retrieval))
    elif aim.name == "sft":
        from lean_agent.trainer.sft_trainer import SFTTrainer

        trainer = SFTTrainer(aim.model, output_dir=output_dir, **settings, **asdict(sft))
    else:
        from lean_agent.trainer.grpo_trainer import GRPOTrainer

        trainer = GRPOTrainer(aim.model, output_dir=output_dir, **settings, **_grpo_settings(context, grpo))
    with HFAgent(trainer, **agent_settings(options)) as agent:
        for repository in repositories:
            agent.setup_repository(repository, commit)
        agent.train()
    print(f"The model: {trainer.model_path}")


def _refuse_others(context: typer.Context, aim: Aim, options: Mapping[str, Any]) -> None:
    """Refuse settings of other trainers.

    Raises:
        ConfigError: one of them was given.
    """
    if aim.kind != "policy" and given(context, "method"):
        raise ConfigError(f"--method is of --kind policy, and this is {aim.kind}.")
    if not aim.model and aim.kind != "retrieval":
        raise ConfigError("A policy needs a model to start from: give --model, a folder or a name on the hub.")
    own = asdict(options[aim.name]).keys() | (OF_SFT_AND_PROGRESS if aim.name == "progress" else set())
    for trainer, theirs in options.items():
        for name in asdict(theirs):
            if name not in own and given(context, name):
                option = "kind" if trainer in ("progress", "retrieval") else "method"
                raise ConfigError(f"{name} is a setting of --{option} {trainer}, and this is {aim.name}.")


def _without_defaults(context: typer.Context, settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the settings without those of ``names`` that were not given: the trainer has other defaults."""
    return {name: value for name, value in settings.items() if name not in names or given(context, name)}


def _shared_settings(options: SharedOptions) -> dict[str, Any]:
    """Return what a trainer takes of them."""
    if options.lora_alpha and not options.lora_rank:
        raise ConfigError("--lora-alpha goes with --lora-rank.")
    return {**asdict(options), "max_steps": options.max_steps or -1}


def _grpo_settings(context: typer.Context, options: GRPOOptions) -> dict[str, Any]:
    """Return what a trainer takes of them: the algorithm's settings of the file under those of the command line."""
    settings, file = asdict(options), context.default_map or {}
    typed = {name: settings.pop(name) if given(context, name, in_file=False) else None for name in _OF_ALGORITHM}
    settings = {name: value for name, value in settings.items() if name not in _OF_ALGORITHM}
    chosen = GRPOSettings.merged(_algorithm({name: file.get(name) for name in _OF_ALGORITHM}), _algorithm(typed))
    preset = chosen.get("algorithm_preset")
    return {
        **settings,
        "max_completions": settings["max_completions"] or -1,
        "reward": settings["reward"] or "verified",
        "algorithm": chosen.get("algorithm", "grpo"),
        "algorithm_config": {**({"preset": preset} if preset else {}), **chosen.get("algorithm_config", {})},
    }


def _algorithm(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of these options that are set, by the names that trainers have for them."""
    values = {**options, "algo_config": algorithm_settings(options["algo_config"])}
    return {_OF_ALGORITHM[name]: value for name, value in values.items() if value is not None}


def algorithm_settings(text: str | None) -> dict[str, Any] | None:
    """Read the JSON object of ``--algo-config``."""
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


ConfigArgument = Annotated[
    Path,
    typer.Argument(metavar="CONFIG.yaml", help="The settings: model_path, dataset_path, …; see docs/training.md."),
]
EvalOnly = Annotated[
    bool, typer.Option("--eval", help="Only measure how well the model ranks completions; train nothing.")
]
OtherData = Annotated[
    Path | None, typer.Option(help="Scored completions to measure on, instead of the configuration's.")
]


def offline_grpo(config: ConfigArgument, eval_only: EvalOnly = False, data: OtherData = None) -> None:
    """Train a model, or a LoRA adapter, to prefer completions as their scores do.

    Example: lean-agent offline-grpo configs/offline_grpo.yaml

    Pairs of `lean-agent export pairs`: lean-agent offline-grpo configs/offline_dgpo.yaml
    """
    _check_offline(config, eval_only, data)
    from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer

    trainer = OfflineGRPOTrainer(OfflineGRPOConfig.from_yaml(config, **_measured_on(data, eval_only)))
    _train_offline(trainer, eval_only, data)


def dpo(config: ConfigArgument, eval_only: EvalOnly = False, data: OtherData = None) -> None:
    """Train a model, or a LoRA adapter, on pairs of a better and a worse tactic, by DPO.

    Example: lean-agent dpo configs/offline_dpo.yaml

    The pairs: lean-agent export pairs runs/latest/trees -o pairs.jsonl
    """
    _check_offline(config, eval_only, data)
    from lean_agent.trainer.dpo_trainer import DPOConfig, DPOTrainer

    _train_offline(DPOTrainer(DPOConfig.from_yaml(config, **_measured_on(data, eval_only))), eval_only, data)


def _check_offline(config: Path, eval_only: bool, data: Path | None) -> None:
    """Refuse files and a model that are not there."""
    values = read_yaml(config)
    check_files(*([data] if eval_only and data else [values.get("dataset_path"), values.get("eval_path"), data]))
    if model := values.get("model_path"):
        check_models([str(model)])


def _measured_on(data: Path | None, eval_only: bool) -> dict[str, Any]:
    """Return settings for a measurement alone: what only measures on other data needs none of its own."""
    return {"dataset_path": str(data), "eval_path": None, "eval_share": 0.0} if eval_only and data else {}


def _train_offline(trainer: OfflineTrainer[Any], eval_only: bool, data: Path | None) -> None:
    """Measure, train, measure again, and print what came out."""
    if eval_only:
        print(f"{trainer.config.model_name}: {trainer.evaluate(data)}")
        return
    with trainer.claimed():
        if trainer.is_finished:
            print("This training is already finished: nothing more is trained.")
        print(f"Before: {trainer.evaluate(data)}")
        trainer.train()
    print(f"After:  {trainer.evaluate(data)}")
    print(f"The model: {trainer.config.output_dir}")
