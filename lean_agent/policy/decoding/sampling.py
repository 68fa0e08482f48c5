"""The decoding loop: what is drawn after what.

Answers to a prompt form a tree. A node is what several answers have in common so far; a reader computes it once, and
each of its answers draws its own next token from it. That is exact: an answer is drawn as if it were alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase, TopPLogitsWarper

from lean_agent.policy.decoding.graphs import GraphReader, is_recordable
from lean_agent.policy.decoding.qwen3 import Qwen3Reader, is_small_qwen3
from lean_agent.policy.decoding.readers import ModelReader, Reader


@dataclass(frozen=True, slots=True)
class Answers:
    """What was sampled; rows ``i * k`` to ``(i + 1) * k`` answer prompt ``i``.

    Attributes:
        tokens: ``[prompts * k, T]``, each answer up to and including its end token, then padding.
        logprobs: ``[prompts * k]``, natural logarithm of the probability of each answer's tokens at temperature 1 and
            before any cut to a nucleus, the end token's included.
        token_logprobs: ``[prompts * k, T]``, of each token under the distribution that it was drawn from, and 0 for
            padding; where they were asked for.
    """

    tokens: torch.Tensor
    logprobs: torch.Tensor
    token_logprobs: torch.Tensor | None = None


def end_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Return every token that ends an answer: the tokenizer's and those of the model's generation settings."""
    declared = model.generation_config.eos_token_id
    ids = {tokenizer.eos_token_id, *(declared if isinstance(declared, list) else [declared])}
    return sorted(i for i in ids if i is not None)


def cut(rows: torch.Tensor, ends: Collection[int]) -> tuple[list[list[int]], list[bool]]:
    """Return each answer of ``[rows, T]`` up to its end token and with it, and whether it has one."""
    is_end = torch.isin(rows, torch.tensor(list(ends), device=rows.device))
    finished = is_end.any(dim=1)
    lengths = torch.where(finished, is_end.int().argmax(dim=1) + 1, rows.shape[1]).tolist()
    return [row[:length] for row, length in zip(rows.tolist(), lengths, strict=True)], finished.tolist()


def reader_of(model: PreTrainedModel) -> Reader:
    """Return the fastest reader for a model; it follows later changes of the weights."""
    if is_small_qwen3(model):
        return Qwen3Reader(model)
    return GraphReader(model) if is_recordable(model) else ModelReader(model)


@torch.no_grad()
def sample(
    model: PreTrainedModel | Reader,
    prompts: Sequence[Sequence[int]],
    k: int,
    *,
    max_new_tokens: int,
    end_ids: Collection[int],
    pad_id: int,
    temperatures: Sequence[float] = (1.0,),
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
    token_logprobs: bool = False,
) -> Answers:
    """Draw ``k`` answers to each prompt.

    Args:
        model: whose answers; a reader of it where there will be more calls.
        prompts: token ids; a prompt that stands there several times is read once.
        end_ids: tokens that end an answer.
        pad_id: stands after the end of answers.
        temperatures: of the ``k`` answers to each prompt, in turn.
        generator: source of randomness, on the model's device.
        token_logprobs: return those of single tokens, too.
    """
    reader = model if isinstance(model, Reader) else reader_of(model)
    place_of = {prompt: place for place, prompt in enumerate(dict.fromkeys(map(tuple, prompts)))}
    logits = reader.start(list(place_of))
    device = logits.device
    ends = torch.tensor(list(end_ids), device=device)
    draw = _Draw(temperatures, top_p, generator, device)
    rows = torch.arange(len(prompts) * k, device=device)  # the answers that have not ended
    node = torch.tensor([place_of[tuple(prompt)] for prompt in prompts], device=device).repeat_interleave(k)
    tokens = torch.full((len(rows), max_new_tokens), pad_id, dtype=torch.long, device=device)
    logprobs = torch.zeros(len(rows), device=device)
    of_tokens = torch.zeros(tokens.shape, device=device) if token_logprobs else None
    for step in range(max_new_tokens):
        words, of_words = logits.shape[1], logits.log_softmax(dim=1)
        drawn, probability = draw(of_words, node, rows % k)
        logprobs[rows] += of_words[node, drawn]
        tokens[rows, step] = drawn
        if of_tokens is not None:
            of_tokens[rows, step] = probability.log()
        alive = torch.isin(drawn, ends, invert=True).nonzero()[:, 0]
        if len(alive) == 0 or step + 1 == max_new_tokens:
            break
        rows = rows[alive]
        children, node = torch.unique(node[alive] * words + drawn[alive], return_inverse=True)
        logits = reader.step(children // words, children % words)
    return Answers(tokens, logprobs, of_tokens)


class _Draw:
    """Draws a token for each answer from the distribution of its node at the answer's temperature."""

    def __init__(
        self, temperatures: Sequence[float], top_p: float, generator: torch.Generator | None, device: torch.device
    ) -> None:
        levels = sorted(set(temperatures))
        self._levels = torch.tensor(levels, device=device)
        self._level_of = torch.tensor([levels.index(temperature) for temperature in temperatures], device=device)
        self._nucleus: Any = TopPLogitsWarper(top_p) if top_p < 1 else None  # one of everything sorts all words
        self._is_plain = levels == [1.0] and top_p == 1
        self._generator = generator
        self._work = torch.device("cpu") if device.type == "mps" else device  # where there is float64

    def __call__(
        self, logprobs: torch.Tensor, node: torch.Tensor, turn: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return a token for each answer, and its probability.

        Args:
            logprobs: of all words at temperature 1, ``[nodes, words]``.
            node: of each answer.
            turn: the place of each answer among those to its prompt.
        """
        probabilities = logprobs.exp() if self._is_plain else self._warped(logprobs)
        # One ascending sequence for all distributions, each from an even number on, so that one search in it draws all
        # tokens. float64 leaves 40 bits for a probability among thousands of distributions.
        sums = probabilities.to(self._work).cumsum(dim=-1, dtype=torch.float64)
        sums += 2.0 * torch.arange(len(sums), device=self._work)[:, None]
        chosen = node * len(self._levels) + self._level_of[turn % len(self._level_of)]
        uniform = torch.rand(len(chosen), generator=self._generator, device=logprobs.device)
        chosen, uniform = chosen.to(self._work), uniform.to(self._work, torch.float64)
        drawn_at = torch.lerp(2.0 * chosen.double(), sums[chosen, -1], uniform)
        drawn = torch.searchsorted(sums.flatten(), drawn_at, right=True) - chosen * sums.shape[1]
        drawn, chosen = drawn.clamp(max=sums.shape[1] - 1).to(logprobs.device), chosen.to(logprobs.device)
        return drawn, probabilities[chosen, drawn]

    def _warped(self, logprobs: torch.Tensor) -> torch.Tensor:
        """Return the probabilities at each temperature, ``[nodes * levels, words]``."""
        scaled = (logprobs[:, None, :] / self._levels[:, None]).flatten(0, 1)
        scaled = scaled if self._nucleus is None else self._nucleus(None, scaled)
        return scaled.softmax(dim=-1)
