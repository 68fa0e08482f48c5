"""The policy as it sampled until November 2026, for :mod:`policy` to measure against.

A model of transformers reads prompts that are padded to one length, each answer is a row of its own, and rows that have
ended leave the batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import TopPLogitsWarper
from typing_extensions import override

from lean_agent.policy.decoding import arithmetic, end_ids, takes_positions
from lean_agent.policy.hf import HFPolicy
from lean_agent.prompts import TEMPLATE_SETTINGS, Message


class FormerPolicy(HFPolicy):
    """A policy of the same answers, drawn as they were before."""

    @override
    @torch.no_grad()
    def _generate(
        self, batch: Sequence[Sequence[Message]], k: int, max_tokens: int, seed: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        network: Any = self._model
        encoding: Any = self._tokenizer.apply_chat_template(
            [list(conversation) for conversation in batch], add_generation_prompt=True, tokenize=True,
            return_dict=True, return_tensors="pt", padding=True, tokenizer_kwargs={"padding_side": "left"},
            **TEMPLATE_SETTINGS,
        )  # fmt: skip
        ids, mask = encoding["input_ids"], encoding["attention_mask"]
        generator = torch.Generator().manual_seed(seed)
        nucleus: Any = TopPLogitsWarper(self.sampling.top_p) if self.sampling.top_p < 1 else None
        ends = torch.tensor(end_ids(self._model, self._tokenizer))
        rows = torch.arange(len(ids) * k)
        of_row = torch.tensor(self.sampling.temperatures(k)).repeat(len(ids))
        tokens = torch.full((len(rows), max_tokens), network.config.pad_token_id, dtype=torch.long)
        logprobs = torch.zeros(len(rows))
        position, cache = mask.cumsum(dim=1) - 1, None
        positioned = takes_positions(network)
        with arithmetic(network):
            for step in range(max_tokens):
                places = {"position_ids": position.clamp(min=0)} if positioned else {}
                output = network(
                    input_ids=ids, attention_mask=mask, past_key_values=cache, use_cache=True, logits_to_keep=1,
                    **places,
                )  # fmt: skip
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
        return tokens, logprobs
