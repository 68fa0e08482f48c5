"""Many sampled answers to few prompts, with their log-probabilities.

Owns the decoding loop. ``generate`` of transformers reads each prompt once per answer and carries finished answers
along until the last one ends; tactics are short next to their prompts and of very different lengths, so that both
dominate. Here each prompt is read once and an answer leaves the batch when it ends (figures in docs/log/2026-11.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from inspect import signature
from typing import Any

import torch
from transformers import (
    PreTrainedModel,
    PreTrainedTokenizerBase,
    TopPLogitsWarper,
)


@dataclass(frozen=True, slots=True)
class Answers:
    """What was sampled; rows ``i * k`` to ``(i + 1) * k`` answer prompt ``i``.

    Attributes:
        tokens: ``[prompts * k, T]``, each answer up to and including its end token, then padding.
        logprobs: ``[prompts * k]``, natural logarithm of the probability of each answer's tokens at temperature 1 and
            before any cut to a nucleus, the end token's included.
    """

    tokens: torch.Tensor
    logprobs: torch.Tensor


def arithmetic(model: PreTrainedModel) -> AbstractContextManager[Any]:
    """bfloat16 for a model on a GPU whose weights are float32, as they are where all of them are trained; otherwise
    that of the weights."""
    mixed = model.device.type == "cuda" and model.dtype == torch.float32
    return torch.autocast("cuda", torch.bfloat16) if mixed else nullcontext()


def end_ids(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """Every token that ends an answer: the tokenizer's and those of the model's generation settings."""
    declared = model.generation_config.eos_token_id
    ids = {tokenizer.eos_token_id, *(declared if isinstance(declared, list) else [declared])}
    return sorted(i for i in ids if i is not None)


def cut(rows: torch.Tensor, ends: Collection[int]) -> tuple[list[list[int]], list[bool]]:
    """Return each answer of ``[rows, T]`` up to its end token and with it, and whether it has one."""
    is_end = torch.isin(rows, torch.tensor(list(ends), device=rows.device))
    finished = is_end.any(dim=1)
    lengths = torch.where(finished, is_end.int().argmax(dim=1) + 1, rows.shape[1]).tolist()
    return [row[:length] for row, length in zip(rows.tolist(), lengths, strict=True)], finished.tolist()


def takes_positions(model: PreTrainedModel) -> bool:
    """Check whether a model takes ``position_ids``.

    With an adapter its base decides: the adapter's own ``forward`` does not name the base's arguments.
    """
    base: Any = getattr(model, "get_base_model", lambda: model)()
    return "position_ids" in signature(base.forward).parameters


@torch.no_grad()  # in inference mode autocast would cast the weights anew for every token
def sample(
    model: PreTrainedModel,
    prompts: Mapping[str, torch.Tensor],
    k: int,
    *,
    max_new_tokens: int,
    end_ids: Collection[int],
    pad_id: int,
    temperatures: Sequence[float] = (1.0,),
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
) -> Answers:
    """Draw ``k`` answers to each prompt.

    Args:
        prompts: ``input_ids`` and ``attention_mask``, each ``[prompts, P]``, padded on the left.
        end_ids: tokens that end an answer.
        temperatures: of the ``k`` answers to each prompt, in turn.
        generator: source of randomness, on the model's device.
    """
    nucleus: Any = TopPLogitsWarper(top_p) if top_p < 1 else None  # one of everything sorts all words for nothing
    network: Any = model
    positioned = takes_positions(model)
    ids, mask = prompts["input_ids"], prompts["attention_mask"]
    ends = torch.tensor(list(end_ids), device=ids.device)
    rows = torch.arange(len(ids) * k, device=ids.device)  # which answer each row of the batch is
    of_row = torch.tensor([temperatures[i % len(temperatures)] for i in range(k)], device=ids.device).repeat(len(ids))
    tokens = torch.full((len(rows), max_new_tokens), pad_id, dtype=torch.long, device=ids.device)
    logprobs = torch.zeros(len(rows), device=ids.device)
    position = mask.cumsum(dim=1) - 1
    cache = None
    with arithmetic(model):
        for step in range(max_new_tokens):
            places = {"position_ids": position.clamp(min=0)} if positioned else {}
            output = network(
                input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True, logits_to_keep=1, **places
            )
            cache, logits = output.past_key_values, output.logits[:, -1].float()
            if step == 0:
                cache.batch_repeat_interleave(k)
                logits, mask, position = (x.repeat_interleave(k, dim=0) for x in (logits, mask, position))
            warped = logits / of_row[rows, None]
            warped = warped if nucleus is None else nucleus(ids, warped)
            drawn = torch.multinomial(warped.softmax(dim=-1), 1, generator=generator)
            tokens[rows, step] = drawn[:, 0]
            logprobs[rows] += logits.log_softmax(dim=-1).gather(1, drawn)[:, 0]
            alive = torch.isin(drawn[:, 0], ends, invert=True).nonzero()[:, 0]
            if len(alive) == 0:
                break
            if len(alive) < len(rows):
                cache.batch_select_indices(alive)
                rows, mask, position, drawn = rows[alive], mask[alive], position[alive], drawn[alive]
            ids, position = drawn, position[:, -1:] + 1
            mask = torch.cat([mask, mask.new_ones(len(mask), 1)], dim=1)
    return Answers(tokens, logprobs)
