"""Where metrics go beside metrics.jsonl: TensorBoard, or Weights & Biases."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

from lean_agent.errors import ConfigError

logger = logging.getLogger(__name__)

Tracker = Literal["none", "tensorboard", "wandb"]

PROJECT = "lean-agent"
"""The name under which Weights & Biases puts the runs of users who name no other (``WANDB_PROJECT``)."""


def check_tracker(report_to: str) -> None:
    """Refuse what is not known or not installed.

    Raises:
        ConfigError: in words, with what to do instead.
    """
    if report_to not in get_args(Tracker):
        raise ConfigError(f"report_to must be one of {', '.join(get_args(Tracker))}, not {report_to!r}.")
    if report_to != "none" and find_spec(report_to) is None:
        raise ConfigError(f"report_to={report_to!r} needs a package: pip install 'lean-agent[{report_to}]'.")


def default_tracker(logging_dir: str | None) -> Tracker:
    """Return what writes to a ``logging_dir`` where no tracker is named: TensorBoard, if it is installed."""
    if logging_dir is None:
        return "none"
    if find_spec("tensorboard") is not None:
        return "tensorboard"
    logger.warning(
        "Nothing will be written to logging_dir %s: TensorBoard is not installed (pip install "
        "'lean-agent[tensorboard]'). metrics.jsonl in the output folder has the metrics.",
        logging_dir,
    )
    return "none"


@contextmanager
def tracker_folder(folder: str | Path) -> Iterator[None]:
    """Where transformers' trainers put what they track: they read it from the environment, when they are made and when
    they begin. A variable that the user has set stays."""
    settings = {"TENSORBOARD_LOGGING_DIR": str(folder), "WANDB_DIR": str(folder), "WANDB_PROJECT": PROJECT}
    ours = {name: value for name, value in settings.items() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]


@contextmanager
def open_tracker(report_to: Tracker, folder: Path, *, name: str, step: int) -> Iterator[Any]:
    """An accelerate tracker, whose ``log(values, step=…)`` takes metrics; ``None`` for ``none``.

    Args:
        folder: where its files go.
        name: of the run.
        step: steps that are done: what an interrupted run wrote of later ones is not shown.
    """
    if report_to == "none":
        yield None
        return
    from accelerate.tracking import TensorBoardTracker, WandBTracker

    from lean_agent.trainer.run.processes import Processes

    Processes()  # the trackers ask it which process writes
    folder.mkdir(parents=True, exist_ok=True)
    tracker: Any = (
        TensorBoardTracker(name, folder, purge_step=step + 1)
        if report_to == "tensorboard"
        else WandBTracker(os.environ.get("WANDB_PROJECT", PROJECT), name=name, dir=str(folder))
    )
    tracker.start()
    try:
        yield tracker
    finally:
        tracker.finish()
