"""GRPO one step off-policy: the next step's completions are drawn before this step's update, and scored beside it.

At each step the completions of the next one are drawn with the weights as they are, and a thread gives them to the
reward: Lean works while the weights are updated and while the step after draws. So a step takes the longer one of the
two, where it took their sum. The completions are then of the policy one update ago; each token's loss is weighed with
``min(π_now / π_drawn, cap)`` (asynchronous RLHF, 2410.18252; truncated importance sampling, Ionides 2008). The
log-probabilities of tokens are kept as they are drawn, which costs no pass of the model.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch
from typing_extensions import override

from lean_agent.algorithms.functional import importance_weights
from lean_agent.files import write_atomically
from lean_agent.policy.decoding import sample
from lean_agent.trainer.algorithm_trainer import AlgorithmTrainer, Batch, Row

LOGGERS = ("log_metric", "log_extra")
"""Functions that trl gives to rewards; they are not for a thread beside it."""


@dataclass(slots=True)
class PendingRewards:
    """Rewards that a thread is computing, and what the reward function logs meanwhile.

    Attributes:
        logged: of each call of one of trl's :data:`LOGGERS` which one, and its arguments.
    """

    rewards: Future[list[float | None]]
    logged: list[tuple[str, list[Any]]] = field(default_factory=list)

    @classmethod
    def begin(cls, thread: Executor, reward: Callable[..., list[float | None]], **kwargs: Any) -> PendingRewards:
        """Begin to compute ``reward(**kwargs)`` in a thread."""
        logged: list[tuple[str, list[Any]]] = []
        loggers = {name: partial(_note, logged, name) for name in LOGGERS}
        return cls(thread.submit(reward, **kwargs, **loggers), logged)

    def take(self, **kwargs: Any) -> list[float | None]:
        """Wait for the rewards, and log what was logged meanwhile with trl's functions, which are among ``kwargs``."""
        rewards = self.rewards.result()
        for name, arguments in self.logged:
            kwargs[name](*arguments)
        return rewards

    def state(self) -> dict[str, Any]:
        """Wait for the rewards, and return all this as JSON values."""
        return {"rewards": self.rewards.result(), "logged": self.logged}

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> PendingRewards:
        """Return what :meth:`state` was of."""
        rewards: Future[list[float | None]] = Future()
        rewards.set_result(state["rewards"])
        return cls(rewards, state["logged"])


def _note(logged: list[tuple[str, list[Any]]], name: str, *arguments: Any) -> None:
    logged.append((name, list(arguments)))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Completions that were drawn, and their rewards to come.

    Attributes:
        rows: the goals, each ``size`` times.
        completions: what trl's ``_generate`` returned.
    """

    rows: list[Row]
    size: int
    completions: Any
    pending: PendingRewards


class AheadTrainer(AlgorithmTrainer):
    """Takes GRPO's steps on completions that were drawn before the step before.

    The first step, whose completions nobody has drawn yet, is on-policy, and so is what takes the place of groups
    without spread.

    Args:
        importance_cap: the largest weight of a token; 0 for no weights.
        others: as those of :class:`~lean_agent.trainer.algorithm_trainer.AlgorithmTrainer`. There is one reward, with
            a method ``begin``.
    """

    sample = staticmethod(partial(sample, token_logprobs=True))
    _thread: Executor

    def __init__(self, *args: Any, importance_cap: float, **kwargs: Any) -> None:
        self._cap = importance_cap
        self._drawn: Drawn | None = None
        self._completions: Any = None  # those that trl asks for, where they were drawn before
        super().__init__(*args, **kwargs)

    def train(self, *args: Any, **kwargs: Any) -> Any:
        """Train; at the end, an error's too, the reward that is being computed is waited for."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="rewards ahead")
        try:
            return super().train(*args, **kwargs)
        finally:
            self._thread.shutdown(cancel_futures=True)

    @override
    def _sampled(self, inputs: list[Row]) -> tuple[Batch, int]:
        drawn = self._drawn or self._draw(inputs)
        is_last = self.state.global_step + self.num_iterations >= self.state.max_steps
        self._drawn = None if is_last else self._draw(self._next_rows(inputs))
        self._completions = drawn.completions
        return self._scored([{**row, "pending": drawn.pending} for row in drawn.rows], drawn.size), drawn.size

    def _next_rows(self, inputs: list[Row]) -> list[Row]:
        """Return the rows that the step after gets: data come in their order, and always the same."""
        goals = self.args.generation_batch_size // self._repeats
        return [self._goals[(row["row"] + goals) % len(self._goals)] for row in inputs]

    def _draw(self, inputs: list[Row]) -> Drawn:
        """Draw completions with the weights as they are, and have the thread score them."""
        size = self._group_size(len(inputs))
        rows = self._regrouped(inputs, size)
        self.num_generations = size
        prompts = [row["prompt"] for row in rows]
        generated = self._generate(prompts)
        _, completion_ids, _, completions, *_ = generated
        columns = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
        reward: Any = self.reward_funcs[0]
        pending = reward.begin(
            self._thread,
            prompts=prompts,
            completions=completions,
            completion_ids=completion_ids,
            trainer_state=self.state,
            **columns,
        )
        return Drawn(rows, size, generated, pending)

    @override
    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        if self._completions is None:
            return super()._generate(*args, **kwargs)
        completions, self._completions = self._completions, None
        return completions

    @override
    def _importance_correction(
        self, logprobs: torch.Tensor, inputs: Batch
    ) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
        now = inputs.get("old_per_token_logps", logprobs)  # of several updates on a batch, the policy before them
        drawn, mask = inputs["sampling_per_token_logps"], inputs["completion_mask"]
        weights, drift = importance_weights(now, drawn, mask, self._cap or math.inf)
        return ({"token_weights": weights} if self._cap else {}), drift

    # Checkpoints: what was drawn is kept beside the state of the random numbers that come after it.

    @override
    def _save_rng_state(self, output_dir: str) -> None:
        super()._save_rng_state(output_dir)
        if (drawn := self._drawn) is not None:
            state = {
                "rows": [row["row"] for row in drawn.rows],
                "size": drawn.size,
                "completions": drawn.completions,
                "pending": drawn.pending.state(),
            }
            write_atomically(self._file(output_dir), json.dumps(state).encode())

    @override
    def _load_rng_state(self, checkpoint: str | None) -> None:
        super()._load_rng_state(checkpoint)
        if checkpoint is not None and (path := self._file(checkpoint)).is_file():
            state = json.loads(path.read_text(encoding="utf-8"))
            rows = [self._goals[row] for row in state["rows"]]
            pending = PendingRewards.of_state(state["pending"])
            self._drawn = Drawn(rows, state["size"], state["completions"], pending)

    def _file(self, checkpoint: str) -> Path:
        return Path(checkpoint) / f"drawn_{self.accelerator.process_index}.json"
