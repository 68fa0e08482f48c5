"""trl's GRPO trainer with an algorithm of :mod:`lean_agent.algorithms` in it.

trl calls the reward and steps; advantages and loss are the algorithm's, and completions come from
:mod:`lean_agent.policy.decoding`, at a third of the time that ``generate`` takes. What trl has no place for is here:
groups without spread that are sampled again (DAPO, 2503.14476), group sizes that change, and a clock for each part of a
step. With ``grpo`` the weights come out as trl's own do from the same completions (a test compares them).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn.functional import pad as pad_columns
from transformers import TrainerCallback
from trl.models.utils import unwrap_model_for_generation
from trl.trainer.grpo_trainer import GRPOTrainer as TRLTrainer

from lean_agent.algorithms import BatchSize, RLAlgorithm
from lean_agent.algorithms.functional import has_spread
from lean_agent.policy.decoding import cut, sample
from lean_agent.trainer.data.dataset import ROWS_IN_A_VISIT

Batch = dict[str, torch.Tensor]
Row = dict[str, Any]

PADDED_LEFT = frozenset({"prompt_ids", "prompt_mask"})


class AlgorithmTrainer(TRLTrainer):
    """trl's trainer with an algorithm in it.

    Args:
        algorithm: where advantages and loss come from.
        others: as trl's; the dataset has a column ``row``, the number of each row.
    """

    sample = staticmethod(sample)
    """Draws completions, as :func:`lean_agent.policy.decoding.sample`."""

    def __init__(self, *args: Any, algorithm: RLAlgorithm[Any], **kwargs: Any) -> None:
        self.algorithm = algorithm
        self.generation_s = 0.0
        self.reward_s = 0.0
        self._rewards = self._lengths = torch.empty(0)  # of the newest completions of all processes
        super().__init__(*args, **kwargs)
        self.args: Any
        self._goals: Any = self.train_dataset
        self._repeats = algorithm.config.group_size  # how often a goal comes in a row from the data
        self._length_limit = int(self.args.max_completion_length)
        self._slices = int(self.args.steps_per_generation)
        self.add_callback(StepClock(self))

    # Generation and rewards

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        started = time.perf_counter()
        try:
            return super()._generate(*args, **kwargs)
        finally:
            self.generation_s += time.perf_counter() - started

    def _generate_single_turn(
        self,
        prompt_ids: list[list[int]],
        images: None,
        multimodal_fields: Any,
        num_generations: int,
        has_tool_images: bool = False,
    ) -> tuple[list[list[int]], list[list[float]] | None]:
        """Sample with this package's decoding, which reads a prompt once for all its completions and drops those that
        have ended. A process has whole groups."""
        with unwrap_model_for_generation(self.model_wrapped, self.accelerator) as model:
            torch.nn.Module.train(model, False)
            answers = self.sample(
                model,
                prompt_ids[::num_generations],
                num_generations,
                max_new_tokens=self._length_limit,
                end_ids=self.eos_token_ids,
                pad_id=self._tokenizer.pad_token_id,
                temperatures=[self.temperature],
            )
            torch.nn.Module.train(model, True)
        completions, _ = cut(answers.tokens, self.eos_token_ids)
        if answers.token_logprobs is None:
            return completions, None
        rows = zip(answers.token_logprobs.tolist(), completions, strict=True)
        return completions, [row[: len(tokens)] for row, tokens in rows]

    def _calculate_rewards(
        self, inputs: list[Row], prompts: list[Any], completions: list[Any], completion_ids: list[list[int]]
    ) -> torch.Tensor:
        started = time.perf_counter()
        rewards: torch.Tensor = super()._calculate_rewards(inputs, prompts, completions, completion_ids)
        self.reward_s += time.perf_counter() - started
        lengths = torch.tensor([len(ids) for ids in completion_ids], device=rewards.device)
        self._lengths = self.accelerator.gather(lengths)
        self._rewards = rewards[:, 0]
        return rewards

    def _generate_and_score_completions(self, inputs: list[Row]) -> Batch:
        sampled, size = self._sampled(inputs)
        groups = self.algorithm.resample(
            split(sampled, size),
            lambda group: bool(has_spread(group["scores"].unsqueeze(0))),
            lambda _, count: split(self._scored(self._other_goals(inputs, count, size), size), size),
            lambda flat: int(self.accelerator.gather(torch.tensor([flat], device=self.accelerator.device)).max()),
        )
        batch = {**sampled, **joined(groups)}
        rewards = self.accelerator.gather(batch.pop("scores")).view(-1, size)
        self._metrics["train"]["groups_with_spread"].append(has_spread(rewards).float().mean().item())
        self._metrics["train"]["group_size"].append(float(size))
        if self.algorithm.config.dynamic_sampling:  # there may be others than trl has counted
            batch["num_items_in_batch"] = self.accelerator.gather(batch["completion_mask"].sum()).sum()
        batch["advantages"] = self._local(self.algorithm.compute_advantages(rewards).flatten())
        batch["groups"] = torch.arange(len(inputs), device=rewards.device) // size
        return batch

    def _sampled(self, inputs: list[Row]) -> tuple[Batch, int]:
        """Sample for the goals of a batch and score it, as :meth:`_scored`; return its group size, too."""
        size = self._group_size(len(inputs))
        return self._scored(self._regrouped(inputs, size), size), size

    def _scored(self, inputs: list[Row], size: int) -> Batch:
        """Sample groups of ``size``; ``scores`` in what is returned are the shaped rewards of this process, ``[N]``."""
        self.num_generations = size
        batch: Batch = super()._generate_and_score_completions(inputs)
        logprobs = None
        if self.algorithm.needs_logprobs:
            logprobs = self.accelerator.gather(self._sequence_logprobs(batch)).view(-1, size)
        rewards, lengths = self._rewards.view(-1, size), self._lengths.view(-1, size)
        shaped = self.algorithm.shape_rewards(rewards, lengths, self._length_limit, logprobs)
        return {**batch, "scores": self._local(shaped.flatten())}

    @torch.no_grad()
    def _sequence_logprobs(self, batch: Batch) -> torch.Tensor:
        """Return the log-probability of each completion under the model that sampled it, ``[N]``."""
        values = batch.get("sampling_per_token_logps", batch.get("old_per_token_logps"))
        values = self._token_logprobs(self.model, batch)[0] if values is None else values
        return (values * batch["completion_mask"]).sum(dim=1)

    def _token_logprobs(self, model: Any, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log-probabilities of the completions' tokens and the entropies at their places, ``[N, T]``."""
        mask = batch["completion_mask"]
        logprobs, entropies, _ = self._get_per_token_logps_and_entropies(
            model,
            torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1),
            torch.cat([batch["prompt_mask"], mask], dim=1),
            mask.shape[1],
            compute_entropy=True,
        )
        return logprobs, entropies

    def _local(self, values: torch.Tensor) -> torch.Tensor:
        """Return this process's part of what all have gathered."""
        count = len(values) // self.accelerator.num_processes
        return values[self.accelerator.process_index * count :][:count]

    def _group_size(self, rows: int) -> int:
        """Return the group size that the algorithm wants, or the nearest below it that fills the batch."""
        wanted = min(self.algorithm.next_group_size(), rows)
        return next(size for size in range(wanted, 0, -1) if rows % size == 0)

    def _regrouped(self, inputs: list[Row], size: int) -> list[Row]:
        """Return the batch's rows, each goal ``size`` times; goals that have no room are left for a later epoch."""
        if size == self._repeats:
            return inputs
        goals = inputs[:: self._repeats][: len(inputs) // size]
        missing = len(inputs) // size - len(goals)
        more = self._other_goals(inputs, missing, 1) if missing else []
        return [row for row in [*goals, *more] for _ in range(size)]

    def _other_goals(self, inputs: Sequence[Row], count: int, size: int) -> list[Row]:
        """Choose ``count`` goals near those of the batch, whose files Lean has at hand, each ``size`` times."""
        steps = torch.randint(1, 2 * ROWS_IN_A_VISIT, (count,)).tolist()
        rows = [(inputs[-1]["row"] + step) % len(self._goals) for step in steps]
        return [row for index in rows for row in [self._goals[index]] * size]

    # Loss

    def _compute_loss(self, model: Any, inputs: Batch) -> torch.Tensor:
        # Gradients of the slices are added up, and those of the processes averaged.
        rows, slices = len(inputs["completion_mask"]), self.current_gradient_accumulation_steps
        tokens = inputs["num_items_in_batch"].item() / self.accelerator.num_processes
        size = BatchSize(rows * slices, tokens * slices / self._slices)
        if not (self.algorithm.needs_whole_groups or self.algorithm.config.beta):
            inputs = rows_that_teach(inputs)
        mask = inputs["completion_mask"]
        logprobs, entropies = self._token_logprobs(model, inputs)
        correction, drift = self._importance_correction(logprobs.detach(), inputs)
        loss, metrics = self.algorithm.compute_loss(
            logprobs,
            inputs.get("old_per_token_logps"),
            inputs.get("ref_per_token_logps"),
            inputs["advantages"],
            mask,
            groups=inputs["groups"],
            batch=size,
            max_length=self._length_limit,
            **correction,
        )
        log = self._metrics["train"]
        for name, value in (metrics | drift).items():
            log[name].append(value)
        log["entropy"].append(((entropies * mask).sum() / mask.sum().clamp(min=1)).item())
        log["rows_in_update"].append(len(mask) / max(rows, 1))
        return loss

    def _importance_correction(
        self, logprobs: torch.Tensor, inputs: Batch
    ) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
        """Return what the loss takes beside the rest where an older policy has sampled, and metrics of it.

        Args:
            logprobs: under the policy as it is, ``[N, T]``, without gradient.
        """
        return {}, {}


class StepClock(TrainerCallback):
    """Logs the seconds of each optimizer step: ``step_s`` = ``generation_s`` + ``reward_s`` + ``update_s``.

    ``reward_s`` is the time until all rewards are there (for the verified reward: Lean), ``update_s`` all the rest.
    """

    def __init__(self, trainer: AlgorithmTrainer) -> None:
        self._trainer = trainer
        self._began = (0.0, 0.0, 0.0)

    def _now(self) -> tuple[float, float, float]:
        return time.perf_counter(), self._trainer.generation_s, self._trainer.reward_s

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._began = self._now()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        step, generation, reward = (now - began for now, began in zip(self._now(), self._began, strict=True))
        log = self._trainer._metrics["train"]
        parts = {"step_s": step, "generation_s": generation, "reward_s": reward, "update_s": step - generation - reward}
        for name, seconds in parts.items():
            log[name].append(seconds)


def rows_that_teach(inputs: Batch) -> Batch:
    """Return the rows with an advantage: where nothing else is in the loss, the others add 0 to it and to its gradient.

    Most groups of a hard goal have no spread, so that this is most of an update's time. One row always stays: every
    process of a training has to take part in the step. Tensors of one dimension stand for rows as well.
    """
    kept = inputs["advantages"].nonzero()[:, 0]
    if len(kept) == len(inputs["advantages"]):
        return inputs
    kept = kept if len(kept) else kept.new_zeros(1)
    return {name: values[kept] if values.dim() else values for name, values in inputs.items()}


def split(batch: Batch, size: int) -> list[Batch]:
    """Return the groups of a batch, ``size`` rows each; scalars are left out."""
    rows = {name: torch.split(values, size) for name, values in batch.items() if values.dim()}
    return [dict(zip(rows, group, strict=True)) for group in zip(*rows.values(), strict=True)]


def joined(groups: Sequence[Batch]) -> Batch:
    """Return groups as one batch, padded to the longest prompt and completion."""
    batch = {}
    for name in groups[0]:
        parts = [group[name] for group in groups]
        if parts[0].dim() == 2:
            width, left = max(part.shape[1] for part in parts), name in PADDED_LEFT
            missing = [width - part.shape[1] for part in parts]
            parts = [pad_columns(part, (n, 0) if left else (0, n)) for part, n in zip(parts, missing, strict=True)]
        batch[name] = torch.cat(parts)
    return batch
