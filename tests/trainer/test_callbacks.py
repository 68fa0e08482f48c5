"""What watches a training."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

from rich.console import Console
from transformers import TrainerControl, TrainerState, TrainingArguments

from lean_agent.progress import ProgressBar
from lean_agent.trainer.run.callbacks import BarCallback


def test_a_training_that_goes_on_tells_the_time_left_by_its_own_steps(tmp_path: Path) -> None:
    now, out = 1000.0, io.StringIO()
    bar = partial(ProgressBar, console=Console(file=out, width=120), clock=lambda: now)
    callback = BarCallback("Training", (), enabled=True, make_bar=bar)
    arguments, control = TrainingArguments(output_dir=str(tmp_path), use_cpu=True), TrainerControl()
    state = TrainerState(global_step=500, max_steps=510)  # from a checkpoint
    callback.on_train_begin(arguments, state, control)
    now, state.global_step = 1040.0, 501
    callback.on_step_end(arguments, state, control)
    assert out.getvalue() == "Training: 501/510, 40 s, about 360 s left\n"  # 9 steps of 40 s
    callback.close()
