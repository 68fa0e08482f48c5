"""From groups of scored attempts to new weights: tensors, advantages, loss, gradients, the optimizer.

Owns what one update leaves for the next: the optimizer, the algorithm's memory, gradients that wait. Knows nothing of
Lean, of sampling or of files.

A row is a whole trajectory: the tokens that the policy wrote in all of its steps, one after the other, ``[N, T]``. Each
step is a sequence of its own for the model, prompt and answer. So an algorithm sees a trajectory as it would see a
completion, and every token of it gets the trajectory's advantage.

The loss is computed on the whole batch at once, and its gradient is carried through the model in as many passes as
memory wants (the two-pass scheme of GradCache, arXiv 2101.06983): slices never change the result. Answers that read
alike, of which the attempts at one theorem have many, go through the model once, and those without gradient not at all.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import torch
from peft import PeftModel
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from lean_agent.algorithms import RLAlgorithm
from lean_agent.algorithms.functional import has_spread, importance_weights
from lean_agent.errors import TrainingError
from lean_agent.policy.base import Completion, Sampling
from lean_agent.policy.decoding import arithmetic, takes_positions
from lean_agent.prompts import TEMPLATE_SETTINGS, prompt_messages
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.run.processes import Processes
from lean_agent.trajectory import ProofTrajectory, TrajectoryGroup

Tokens = tuple[tuple[int, ...], tuple[int, ...]]
REFERENCE = "ref"
"""The name of a frozen adapter beside the one in training."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Tokens of one step: ``completion`` goes to ``[row, offset : offset + len(completion)]``.

    ``logprobs``: of each token, as the server that sampled it reports it.
    """

    row: int
    offset: int
    prompt: tuple[int, ...]
    completion: tuple[int, ...]
    logprobs: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.prompt) + len(self.completion)

    @property
    def tokens(self) -> Tokens:
        """What the model sees of it."""
        return self.prompt, self.completion

    @property
    def place(self) -> tuple[int, slice]:
        """Where its tokens stand in ``[N, T]``."""
        return self.row, slice(self.offset, self.offset + len(self.completion))


@dataclass(frozen=True, slots=True)
class TrajectoryBatch:
    """Attributes: ``answers``, every step of every trajectory; ``mask`` ``[N, T]``, 1 for a token that the policy wrote
    and that counts."""

    answers: tuple[Answer, ...]
    mask: torch.Tensor

    @property
    def lengths(self) -> torch.Tensor:
        """Tokens of each trajectory, ``[N]``."""
        return self.mask.sum(dim=1)

    def sampler_logprobs(self) -> torch.Tensor | None:
        """Return the log-probabilities that the sampling server reports, ``[N, T]``, NaN for a token of which it
        reports none; ``None`` where it reports none at all."""
        values = torch.full_like(self.mask, torch.nan)
        for answer in self.answers:
            if answer.logprobs is not None:
                values[answer.place] = torch.tensor(answer.logprobs, device=values.device)
        return None if values.isnan().all() else values


def make_batch(
    trajectories: Sequence[ProofTrajectory], tokenizer: PreTrainedTokenizerBase, device: torch.device
) -> TrajectoryBatch:
    """Make a batch of the tokens of all steps; a trajectory of which nothing is known has none."""
    answers: list[Answer] = []
    ends = [0] * len(trajectories)
    prompts: dict[str, tuple[int, ...]] = {}
    for row, trajectory in enumerate(trajectories):
        for step in trajectory.steps if trajectory.outcome != "unknown" else ():
            if step.completion is None:
                continue
            goal = step.before[0].text
            if goal not in prompts:
                prompts[goal] = prompt_ids(tokenizer, goal)
            ids = completion_ids(tokenizer, step.completion)
            answers.append(Answer(row, ends[row], prompts[goal], ids, step.completion.token_logprobs))
            ends[row] += len(ids)
    lengths = torch.tensor(ends, device=device)
    places = torch.arange(max([*ends, 1]), device=device)
    return TrajectoryBatch(tuple(answers), (places < lengths.unsqueeze(1)).float())


def prompt_ids(tokenizer: PreTrainedTokenizerBase, goal: str) -> tuple[int, ...]:
    """Return the prompt for a goal, as the policies ask it."""
    settings = {"add_generation_prompt": True, "tokenize": True, "return_dict": True, **TEMPLATE_SETTINGS}
    encoded: Any = tokenizer.apply_chat_template(prompt_messages(goal), **settings)
    return tuple(encoded["input_ids"])


def completion_ids(tokenizer: PreTrainedTokenizerBase, completion: Completion) -> tuple[int, ...]:
    """Return the sampled tokens; where an endpoint does not tell them, the text's, with the end if it ended."""
    if completion.token_ids is not None:
        return completion.token_ids
    ids: list[int] = tokenizer(completion.text, add_special_tokens=False)["input_ids"]
    end = tokenizer.eos_token_id
    return (*ids, end) if completion.finished and isinstance(end, int) else tuple(ids)


ShareOut = Callable[[Sequence[Answer]], Sequence[Answer]]
"""Which of some answers are to be looked at here."""


@torch.no_grad()
def log_probabilities(
    model: PreTrainedModel, batch: TrajectoryBatch, *, temperature: float, tokens_per_pass: int, share: ShareOut = tuple
) -> torch.Tensor:
    """Compute those of every token of the batch, ``[N, T]``, float32, without gradient; 0 outside the mask, and for
    answers that are not in the ``share`` of those that differ."""
    values = torch.zeros_like(batch.mask)
    alike = _alike(batch.answers)
    for piece in passes(share(sorted((same[0] for same in alike.values()), key=len)), tokens_per_pass):
        for answer, logprobs in zip(piece, _forward(model, piece, temperature), strict=True):
            for same in alike[answer.tokens]:
                values[same.place] = logprobs
    return values


def backward(
    model: PreTrainedModel,
    batch: TrajectoryBatch,
    gradient: torch.Tensor,
    *,
    temperature: float,
    tokens_per_pass: int,
    share: ShareOut = tuple,
) -> None:
    """Add to the model's gradients what ``gradient``, of a loss by the log-probabilities ``[N, T]``, makes of them; of
    those answers alone that are in the ``share`` of those that differ."""
    wanted = {
        tokens: torch.stack([gradient[answer.place] for answer in same]).sum(dim=0)
        for tokens, same in _alike(batch.answers).items()
    }
    answers = {answer.tokens: answer for answer in batch.answers if wanted[answer.tokens].any()}
    with _checkpointed(model):
        for piece in passes(share(sorted(answers.values(), key=len)), tokens_per_pass):
            logprobs = torch.cat(_forward(model, piece, temperature))
            logprobs.backward(torch.cat([wanted[answer.tokens] for answer in piece]))  # type: ignore[no-untyped-call]


@contextmanager
def _checkpointed(model: PreTrainedModel) -> Iterator[None]:
    """Let layers for which that is asked compute their activations again, which they do in training mode alone. What
    is within them, dropout too, stays in evaluation mode."""
    layers = [module for module in model.modules() if getattr(module, "gradient_checkpointing", False)]
    for layer in layers:
        layer.training = True
    try:
        yield
    finally:
        for layer in layers:
            layer.training = False


def _alike(answers: Sequence[Answer]) -> dict[Tokens, list[Answer]]:
    """Return the answers by what the model sees of them."""
    groups: dict[Tokens, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.tokens].append(answer)
    return groups


def passes(answers: Sequence[Answer], tokens_per_pass: int) -> Iterator[list[Answer]]:
    """Yield the answers in slices of like length, each of at most so many tokens with its padding (or one answer)."""
    piece: list[Answer] = []
    for answer in sorted((a for a in answers if a.completion), key=len):
        if piece and (len(piece) + 1) * len(answer) > tokens_per_pass:
            yield piece
            piece = []
        piece.append(answer)
    if piece:
        yield piece


def _forward(model: PreTrainedModel, answers: Sequence[Answer], temperature: float) -> list[torch.Tensor]:
    """Return the log-probabilities of each answer's tokens, float32, at the temperature that they were sampled at."""
    width = max(map(len, answers))
    # Padded on the left, so that all answers end at the last place and only their logits are computed.
    ids = torch.tensor([[0] * (width - len(a)) + [*a.prompt, *a.completion] for a in answers], device=model.device)
    lengths = torch.tensor([len(a) for a in answers], device=model.device)
    attention = (torch.arange(width, device=model.device) >= width - lengths.unsqueeze(1)).long()
    longest = max(len(a.completion) for a in answers)
    places = {}
    if takes_positions(model):
        places["position_ids"] = (attention.cumsum(dim=1) - 1).clamp(min=0)
    network: Any = model
    with arithmetic(model):
        output = network(input_ids=ids, attention_mask=attention, logits_to_keep=longest + 1, use_cache=False, **places)
    logits = output.logits[:, -longest - 1 : -1].float() / temperature
    logprobs = logits.log_softmax(dim=-1).gather(2, ids[:, -longest:].unsqueeze(2))[:, :, 0]
    return [row[longest - len(a.completion) :] for row, a in zip(logprobs, answers, strict=True)]


@dataclass(frozen=True, slots=True)
class _Attempts:
    """What the loss of a batch is made of, beside the log-probabilities under the model in training."""

    batch: TrajectoryBatch
    old: torch.Tensor  # log-probabilities [N, T] under the policy that sampled
    reference: torch.Tensor | None  # the same under the reference
    advantages: torch.Tensor  # [N]
    groups: torch.Tensor  # [N]
    weights: torch.Tensor | None  # by which the policy loss of each token is multiplied, [N, T]


class TrajectoryUpdate:
    """Changes ``model`` so that the better attempts at a theorem become likelier.

    Args:
        config: the settings of the training.
        algorithm: makes advantages and loss.
        model: the model in training, a LoRA adapter too; in evaluation mode.
        reference: what the model must not stray from, where ``algorithm.config.beta`` asks for it; ``None`` for an
            adapter, in whose place the adapter :data:`REFERENCE` is used, or none where there is none of that name.
        sampling: how the attempts are drawn.
        processes: those that train this model, by default this one alone. All of them learn from the same attempts, and
            each sees a share of their tokens.

    Attributes:
        optimizer_steps: done so far.
    """

    def __init__(
        self,
        config: LeanGRPOConfig,
        algorithm: RLAlgorithm[Any],
        model: PreTrainedModel | PeftModel,
        tokenizer: PreTrainedTokenizerBase,
        *,
        reference: PreTrainedModel | None,
        sampling: Sampling,
        processes: Processes | None = None,
    ) -> None:
        self.optimizer_steps = 0
        self._config = config
        self._algorithm = algorithm
        # An adapter answers to all that is asked of a model here.
        self._model = cast(PreTrainedModel, model)
        self._tokenizer = tokenizer
        self._reference = reference
        self._sampling = sampling
        self._processes = processes or Processes()
        self._longest = config.max_proof_steps * config.max_tactic_tokens
        limits = {"temperature": sampling.temperature, "tokens_per_pass": config.tokens_per_pass}
        self._passes: dict[str, Any] = {**limits, "share": self._processes.mine}
        self._waiting: list[_Attempts] = []
        trained = [parameter for parameter in self._model.parameters() if parameter.requires_grad]
        self._optimizer = torch.optim.AdamW(trained, lr=config.lr, weight_decay=0.0)
        self._optimizer.zero_grad()  # what an interrupted training has left

    @property
    def waiting(self) -> bool:
        """Whether gradients wait for those of further batches."""
        return bool(self._waiting)

    def learn(self, groups: Sequence[TrajectoryGroup], step: int, total: int, *, last: bool) -> dict[str, float]:
        """Learn from the attempts at the theorems of one batch.

        Args:
            step: the batch's number, from 0, of ``total``: they decide the learning rate.
            last: no batch comes after this one, so that gradients wait no longer.

        Returns:
            metrics; without a loss when no attempt was better than another.

        Raises:
            TrainingError: gradients are not finite.
        """
        trajectories = [trajectory for group in groups for trajectory in group]
        device = self._model.device
        batch = make_batch(trajectories, self._tokenizer, device)
        rewards = torch.tensor([[math.nan if r is None else r for r in group.rewards] for group in groups])
        old = self._log_probabilities(batch) if self._algorithm.needs_logprobs else None
        logprobs = None if old is None else (old * batch.mask).sum(dim=1).cpu().view(rewards.shape)
        lengths = batch.lengths.cpu().view(rewards.shape)
        shaped = self._algorithm.shape_rewards(rewards, lengths, self._longest, logprobs)
        advantages = self._algorithm.compute_advantages(shaped).flatten().to(device)
        metrics = {"groups_with_spread": has_spread(shaped).float().mean().item()}
        if not advantages.any() and not self._algorithm.config.beta:
            return metrics | (self._updates(step, total) if last and self.waiting else {})
        batch = self._counted(batch, trajectories)
        numbers = torch.arange(len(groups), device=device).repeat_interleave(rewards.shape[1])
        old = self._log_probabilities(batch) if old is None else old
        weights, drift = self._importance_weights(batch, old)
        attempts = _Attempts(batch, old, self._reference_log_probabilities(batch), advantages, numbers, weights)
        metrics |= drift | self._add_gradient(attempts, old)
        self._waiting.append(attempts)
        if last or len(self._waiting) == self._algorithm.batches_per_update:
            metrics |= self._updates(step, total)
        return metrics

    def state_dict(self) -> dict[str, Any]:
        """Return what the next update depends on beside the weights and the algorithm; not to be asked for while
        :attr:`waiting`."""
        return {"optimizer": self._optimizer.state_dict(), "optimizer_steps": self.optimizer_steps}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with what :meth:`state_dict` gave."""
        self._optimizer.load_state_dict(state["optimizer"])
        self.optimizer_steps = int(state["optimizer_steps"])

    def _counted(self, batch: TrajectoryBatch, trajectories: Sequence[ProofTrajectory]) -> TrajectoryBatch:
        """Return the batch without attempts that were cut off, where the algorithm does not want them (DAPO)."""
        if not self._algorithm.config.mask_truncated:
            return batch
        whole = [all(s.completion is None or s.completion.finished for s in t.steps) for t in trajectories]
        kept = torch.tensor(whole, device=batch.mask.device, dtype=batch.mask.dtype).unsqueeze(1)
        return TrajectoryBatch(batch.answers, batch.mask * kept)

    def _importance_weights(
        self, batch: TrajectoryBatch, logprobs: torch.Tensor
    ) -> tuple[torch.Tensor | None, dict[str, float]]:
        """Return the weights of tokens that a server has sampled, ``[N, T]``, and metrics of how far it has drifted;
        no weights where none are wanted or the server's log-probabilities are not those that it sampled by."""
        as_reported = self._sampling.temperature == 1 and self._sampling.top_p == 1
        sampled = batch.sampler_logprobs() if as_reported else None
        if sampled is None:
            return None, {}
        cap = self._config.importance_cap
        weights, metrics = importance_weights(logprobs, sampled, batch.mask, cap or math.inf)
        return (weights if cap else None), metrics

    def _add_gradient(self, attempts: _Attempts, logprobs: torch.Tensor) -> dict[str, float]:
        """Add a batch's share to the gradients, with its log-probabilities under the weights as they are."""
        now = logprobs.clone().requires_grad_()
        # a loss of a user's own need not know them
        weights: dict[str, Any] = {} if attempts.weights is None else {"token_weights": attempts.weights}
        loss, metrics = self._algorithm.compute_loss(
            now,
            attempts.old,
            attempts.reference,
            attempts.advantages,
            attempts.batch.mask,
            groups=attempts.groups,
            max_length=self._longest,
            **weights,
        )
        (gradient,) = torch.autograd.grad(loss, now)
        backward(self._model, attempts.batch, gradient / self._algorithm.batches_per_update, **self._passes)
        return {**metrics, "loss": loss.item()}

    def _updates(self, step: int, total: int) -> dict[str, float]:
        """Take the optimizer steps on the batches whose gradients have come together."""
        metrics = self._optimizer_step(step, total)
        for _ in range(1, self._algorithm.config.updates_per_batch):
            for attempts in self._waiting:
                metrics |= self._add_gradient(attempts, self._log_probabilities(attempts.batch))
            metrics |= self._optimizer_step(step, total)
        self._waiting.clear()
        return metrics

    def _optimizer_step(self, step: int, total: int) -> dict[str, float]:
        """Make new weights by the gradients that have come together."""
        rate = self._config.lr * learning_rate_factor(step, total, self._config.warmup)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        parameters = self._with_gradients()
        norm = torch.nn.utils.clip_grad_norm_(parameters, self._config.max_grad_norm).item()
        if not math.isfinite(norm):
            raise TrainingError(
                f"The training diverged at step {step + 1}: gradients are no longer finite. Take a lower learning_rate "
                f"than {self._config.lr}. What was trained before is kept in {self._config.output_dir}."
            )
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.optimizer_steps += 1
        return {"grad_norm": norm, "learning_rate": rate}

    def _with_gradients(self) -> list[torch.nn.Parameter]:
        """Return the parameters that the optimizer moves, each with the gradient of all processes."""
        if self._processes.count == 1:
            return [p for p in self._model.parameters() if p.grad is not None]
        trained = [p for p in self._model.parameters() if p.requires_grad]
        for parameter in trained:
            if parameter.grad is None:  # there was no answer in this process's share
                parameter.grad = torch.zeros_like(parameter)
        self._processes.add([parameter.grad for parameter in trained if parameter.grad is not None])
        return trained

    def _log_probabilities(self, batch: TrajectoryBatch, model: PreTrainedModel | None = None) -> torch.Tensor:
        """Compute them under ``model``, by default the one in training."""
        values = log_probabilities(model or self._model, batch, **self._passes)
        self._processes.add([values])
        return values

    def _reference_log_probabilities(self, batch: TrajectoryBatch) -> torch.Tensor | None:
        """Compute them under the reference; ``None`` where the algorithm does not ask for it."""
        if self._algorithm.config.beta == 0:
            return None
        if self._reference is not None:
            return self._log_probabilities(batch, self._reference)
        model = cast(PeftModel, self._model)
        if REFERENCE not in model.peft_config:
            with model.disable_adapter():
                return self._log_probabilities(batch)
        model.set_adapter(REFERENCE, inference_mode=True)
        try:
            return self._log_probabilities(batch)
        finally:
            model.set_adapter("default")


def learning_rate_factor(step: int, total: int, warmup: float) -> float:
    """Return what rises linearly over the first ``warmup * total`` steps, then falls linearly to 0 behind the last."""
    rising = warmup * total
    return (step + 1) / rising if step + 1 < rising else min(1.0, (total - step) / (total - rising))
