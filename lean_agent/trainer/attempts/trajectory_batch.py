"""Trajectories as tensors, and log-probabilities of their tokens under a model.

A row is a whole trajectory: the tokens that the policy wrote in all of its steps, one after the other, ``[N, T]``. Each
step is a sequence of its own for the model, prompt and answer. So an algorithm sees a trajectory as it would see a
completion, and every token of it gets the trajectory's advantage.

The loss is computed on the whole batch at once, and its gradient is carried through the model in as many passes as
memory wants (the two-pass scheme of GradCache, arXiv 2101.06983): slices never change the result. Answers that read
alike, of which the attempts at one theorem have many, go through the model once, and those without gradient not at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from lean_agent.policy.base import Completion
from lean_agent.policy.decoding import arithmetic, takes_positions
from lean_agent.prompts import TEMPLATE_SETTINGS, prompt_messages
from lean_agent.trajectory import ProofTrajectory


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
    def tokens(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
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
    encoded: Any = tokenizer.apply_chat_template(
        prompt_messages(goal), add_generation_prompt=True, tokenize=True, return_dict=True, **TEMPLATE_SETTINGS
    )
    return tuple(encoded["input_ids"])


def completion_ids(tokenizer: PreTrainedTokenizerBase, completion: Completion) -> tuple[int, ...]:
    """Return the sampled tokens; where an endpoint does not tell them, the text's, with the end if it ended."""
    if completion.token_ids is not None:
        return completion.token_ids
    ids: list[int] = tokenizer(completion.text, add_special_tokens=False)["input_ids"]
    end = tokenizer.eos_token_id
    return (*ids, end) if completion.finished and isinstance(end, int) else tuple(ids)


Share = Callable[[Sequence[Answer]], Sequence[Answer]]
"""Which of some answers are to be looked at here."""


@torch.no_grad()
def log_probabilities(
    model: PreTrainedModel, batch: TrajectoryBatch, *, temperature: float, tokens_per_pass: int, share: Share = tuple
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
    share: Share = tuple,
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


def _alike(answers: Sequence[Answer]) -> dict[tuple[tuple[int, ...], tuple[int, ...]], list[Answer]]:
    """Return the answers by what the model sees of them."""
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[Answer]] = defaultdict(list)
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
