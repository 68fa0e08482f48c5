"""``lean-agent offline-grpo``: train on completions that were scored before."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lean_agent.cli.inputs import check_files, check_models
from lean_agent.settings import read_yaml


def offline_grpo(
    config: Annotated[
        Path,
        typer.Argument(metavar="CONFIG.yaml", help="The settings: model_path, dataset_path, …; see docs/training.md."),
    ],
    eval_only: Annotated[
        bool, typer.Option("--eval", help="Only say how well the model ranks; train nothing.")
    ] = False,
    data: Annotated[
        Path | None, typer.Option(help="Scored completions to measure on, instead of the configuration's.")
    ] = None,
) -> None:
    """Train a model, or a LoRA adapter, to prefer completions as their scores do.

    Example: lean-agent offline-grpo configs/offline_grpo.yaml

    Pairs of `lean-agent export pairs`: lean-agent offline-grpo configs/offline_dgpo.yaml
    """
    values = read_yaml(config)
    check_files(*([data] if eval_only and data else [values.get("dataset_path"), values.get("eval_path"), data]))
    if model := values.get("model_path"):
        check_models([str(model)])
    from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer

    # What only measures on other data needs none of its own.
    other = {"dataset_path": str(data), "eval_path": None, "eval_share": 0.0} if eval_only and data else {}
    trainer = OfflineGRPOTrainer(OfflineGRPOConfig.from_yaml(config, **other))
    if eval_only:
        print(f"{trainer.config.model_path}: {trainer.evaluate(data)}")
        return
    with trainer.claimed():
        if trainer.is_finished:
            print("This training is already finished: nothing more is trained.")
        print(f"Before: {trainer.evaluate(data)}")
        trainer.train()
    print(f"After:  {trainer.evaluate(data)}")
    print(f"The model: {trainer.config.output_dir}")
