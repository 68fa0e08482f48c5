"""What watches a training: the progress bar, the metrics file, the clock that asks for checkpoints, and what a
checkpoint has to hold beside the model."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from accelerate.utils import broadcast_object_list
from transformers import TrainerCallback, TrainerControl, TrainerState
from transformers.trainer_callback import ExportableState

from lean_agent.files import keep_json_lines
from lean_agent.progress import ProgressBar
from lean_agent.trainer.run.tracking import add_metrics


class BarCallback(TrainerCallback):
    """Shows optimizer steps done, time left, and the newest value of some metrics.

    Args:
        description: stands before the bar.
        metrics: names in the trainer's log that are shown.
        enabled: ``False`` shows nothing.
        make_bar: makes the bar.
    """

    def __init__(
        self,
        description: str,
        metrics: tuple[str, ...],
        *,
        enabled: bool,
        make_bar: Callable[..., ProgressBar] = ProgressBar,
    ) -> None:
        self._make_bar, self._description, self._enabled = make_bar, description, enabled
        self._metrics = metrics
        self._bar: ProgressBar | None = None
        self._shown = 0

    def on_train_begin(self, args: Any, state: TrainerState, control: Any, **kwargs: Any) -> None:
        self._shown = state.global_step
        bar = self._make_bar(self._description, total=state.max_steps, done=self._shown, enabled=self._enabled)
        self._bar = bar.__enter__()

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if self._bar is not None:
            self._bar.advance(state.global_step - self._shown)
            self._shown = state.global_step

    def on_log(self, args: Any, state: TrainerState, control: Any, logs: Any = None, **kwargs: Any) -> None:
        values = {name: (logs or {}).get(name) for name in self._metrics}
        shown: dict[str, Any] = {name: f"{value:.3f}" for name, value in values.items() if isinstance(value, float)}
        if self._bar is not None and shown:
            self._bar.advance(0, **shown)

    def close(self) -> None:
        """Take the bar off the terminal, also after an error or Ctrl-C."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None


class MetricsCallback(TrainerCallback):
    """Appends what the trainer logs to a file of JSON lines. Where a training goes on at a checkpoint, lines of later
    steps go: they are done again.

    Args:
        path: the file.
        labels: stand in every line.
    """

    def __init__(self, path: Path, labels: dict[str, str]) -> None:
        self._path = path
        self._labels = labels

    def on_train_begin(self, args: Any, state: TrainerState, control: Any, **kwargs: Any) -> None:
        keep_json_lines(
            self._path, lambda line: line["step"] <= state.global_step or not self._labels.items() <= line.items()
        )

    def on_log(self, args: Any, state: TrainerState, control: Any, logs: Any = None, **kwargs: Any) -> None:
        add_metrics(self._path, self._labels, state.global_step, logs or {})


class TimedCheckpoints(TrainerCallback):
    """Asks for a checkpoint whenever ``every_s`` seconds have passed since the last one.

    By the clock and not by steps: a step takes milliseconds with one model and a minute with another. Only after steps
    whose number is a multiple of ``at_steps``: between them there may be something that a checkpoint does not hold
    (completions that are used for several steps).
    """

    def __init__(self, every_s: float, *, at_steps: int = 1) -> None:
        self._every_s = every_s
        self._at_steps = at_steps
        self._last = time.monotonic()

    def on_train_begin(self, args: Any, state: TrainerState, control: Any, **kwargs: Any) -> None:
        self._last = time.monotonic()

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        if state.global_step % self._at_steps == 0:
            # Every process has to come to the same answer: the first one's clock counts.
            (due,) = broadcast_object_list([time.monotonic() - self._last >= self._every_s])
            control.should_save = control.should_save or due

    def on_save(self, args: Any, state: TrainerState, control: Any, **kwargs: Any) -> None:
        self._last = time.monotonic()


class Memory(TrainerCallback, ExportableState):
    """Keeps in every checkpoint what a training remembers beside the weights, and brings it back when one is resumed.

    Args:
        read: gives it, as JSON values.
        restore: takes it.
    """

    def __init__(self, read: Callable[[], dict[str, Any]], restore: Callable[[dict[str, Any]], None]) -> None:
        self.read = read
        self.restore = restore
        self._first: dict[str, Any] = json.loads(json.dumps(read()))

    def forget(self) -> None:
        """Go back to what was remembered when this was made."""
        self.restore(self._first)

    def state(self) -> dict[str, Any]:
        return {"args": {}, "attributes": self.read()}

    def on_train_begin(self, args: Any, state: TrainerState, control: Any, **kwargs: Any) -> None:
        kept: Any = state.stateful_callbacks
        if state.global_step:  # resumed: these are the values of the checkpoint
            self.restore(kept["Memory"]["attributes"])


def keeping_the_best(batch_size: int) -> dict[str, Any]:
    """Return the arguments with which transformers goes back to the weights of the lowest held-out loss.

    It wants a schedule for that; :class:`Evaluations` gives the true one.

    Args:
        batch_size: held-out rows in a pass on each device.
    """
    never = 10**9
    return {
        "eval_strategy": "steps",
        "eval_steps": never,
        "save_strategy": "steps",
        "save_steps": never,
        "load_best_model_at_end": True,
        "metric_for_best_model": "eval_loss",
        "save_total_limit": 2,
        "per_device_eval_batch_size": batch_size,
    }


class Evaluations(TrainerCallback):
    """Asks for ``count`` evaluations, evenly spread and the last at the end, and for a checkpoint with each.

    Transformers then goes back to the best of them when the training ends.
    """

    def __init__(self, count: int) -> None:
        self._count = count

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        marks = {round(state.max_steps * number / self._count) for number in range(1, self._count + 1)}
        if state.global_step in marks:
            control.should_evaluate = control.should_save = True


class StopWhen(TrainerCallback):
    """Ends the training after the first step at whose end ``condition`` holds."""

    def __init__(self, condition: Callable[[], bool]) -> None:
        self._condition = condition

    def on_step_end(self, args: Any, state: TrainerState, control: TrainerControl, **kwargs: Any) -> None:
        control.should_training_stop = control.should_training_stop or self._condition()
