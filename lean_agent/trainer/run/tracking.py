"""Write metrics down: to files of JSON lines, and to TensorBoard or Weights & Biases."""

from __future__ import annotations

import json
import logging
import math
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from lean_agent.errors import ConfigError
from lean_agent.extras import install
from lean_agent.files import keep_json_lines
from lean_agent.trajectory import ProofTrajectory

logger = logging.getLogger(__name__)

Tracker = Literal["none", "tensorboard", "wandb"]

PROJECT = "lean-agent"
"""The name under which Weights & Biases puts the runs of users who name no other (``WANDB_PROJECT``)."""


def check_tracker(report_to: str) -> None:
    """Refuse what is not installed."""
    if report_to != "none" and find_spec(report_to) is None:
        raise ConfigError(f"report_to={report_to!r} needs a package: {install(report_to)}.")


def default_tracker(logging_dir: str | None) -> Tracker:
    """Return what writes to a ``logging_dir`` where no tracker is named: TensorBoard, if it is installed."""
    if logging_dir is None:
        return "none"
    if find_spec("tensorboard") is not None:
        return "tensorboard"
    logger.warning(
        "Nothing will be written to logging_dir %s: TensorBoard is not installed (%s). metrics.jsonl in the output "
        "folder has the metrics.",
        logging_dir,
        install("tensorboard"),
    )
    return "none"


@contextmanager
def tracker_folder(folder: str | Path) -> Iterator[None]:
    """Tell transformers' trainers where to put what they track, by the environment, which they read when they are made
    and when they begin. A variable that the user has set stays."""
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
    """Open an accelerate tracker, whose ``log(values, step=…)`` takes metrics; ``None`` for ``none``.

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


def add_metrics(path: Path, labels: Mapping[str, str], step: int, metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Write a line of metrics, and return them as they stand there: what is not finite (a batch without a score) is
    ``null``, since NaN is no JSON."""
    values = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in metrics.items()
    }
    line = {**labels, "step": step, "time": round(time.time(), 3), **values}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return values


@dataclass(frozen=True, slots=True)
class StepLog:
    """The two files of JSON lines of a run.

    Attributes:
        metrics_file: a line for each step.
        attempts_file: a line for each attempt, to be looked at.
        dataset, data: what is trained on, as people name it, and a fingerprint of what it holds.
        tracker: gets the metrics too; see :func:`lean_agent.trainer.run.tracking.open_tracker`.
        writes: whether anything is noted at all; of several processes the first does.
    """

    metrics_file: Path
    attempts_file: Path
    dataset: str
    data: str
    tracker: Any = None
    writes: bool = True

    def metrics(self, step: int, metrics: Mapping[str, float]) -> None:
        """Note the metrics of a step; what is not finite becomes ``null``."""
        if not self.writes:
            return
        rounded = {name: round(value, 6) for name, value in metrics.items()}
        values = add_metrics(self.metrics_file, {"dataset": self.dataset, "data": self.data}, step, rounded)
        if self.tracker is not None:
            self.tracker.log({name: value for name, value in values.items() if value is not None}, step=step)

    def attempts(self, step: int, trajectories: Sequence[ProofTrajectory]) -> None:
        """Note the attempts of a step."""
        if not self.writes:
            return
        with self.attempts_file.open("a", encoding="utf-8") as file:
            for t in trajectories:
                line = {"data": self.data, "step": step, "theorem": t.theorem, "outcome": t.outcome, "reward": t.reward}
                line["tactics"] = [taken.tactic for taken in t.steps]
                line["failure"] = t.steps[-1].failure if t.steps else None
                line["details"] = t.details
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def forget_after(self, step: int) -> None:
        """Drop the lines of steps that will be done again, and one that was cut short."""
        for path in (self.metrics_file, self.attempts_file) if self.writes else ():
            keep_json_lines(path, lambda line: line["data"] != self.data or line["step"] <= step)
