"""What a training on attempts writes down after every step: its metrics, and every attempt."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_agent.files import keep_json_lines
from lean_agent.trajectory import ProofTrajectory


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
        values = {key: round(value, 6) if math.isfinite(value) else None for key, value in metrics.items()}
        line = {"dataset": self.dataset, "data": self.data, "step": step, "time": round(time.time(), 3), **values}
        with self.metrics_file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if self.tracker is not None:
            self.tracker.log({name: value for name, value in values.items() if value is not None}, step=step)

    def attempts(self, step: int, trajectories: Sequence[ProofTrajectory]) -> None:
        """Note the attempts of a step."""
        if not self.writes:
            return
        with self.attempts_file.open("a", encoding="utf-8") as file:
            for t in trajectories:
                last = t.steps[-1] if t.steps else None
                line = {
                    "data": self.data,
                    "step": step,
                    "theorem": t.theorem,
                    "outcome": t.outcome,
                    "reward": t.reward,
                    "tactics": [s.tactic for s in t.steps],
                    "failure": last.failure if last else None,
                    "details": t.details,
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def forget_after(self, step: int) -> None:
        """Drop the lines of steps that will be done again, and one that was cut short."""
        for path in (self.metrics_file, self.attempts_file) if self.writes else ():
            keep_json_lines(path, lambda line: line["data"] != self.data or line["step"] <= step)
