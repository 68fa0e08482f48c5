"""What computes the distribution of the next token: a reader keeps what it has read of a batch of prompts.

Knows nothing of drawing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from inspect import signature
from typing import Any

import torch
from transformers import PreTrainedModel
from typing_extensions import override


class Reader(ABC):
    """Reads prompts, then trees of answers to them, a level at a time."""

    @abstractmethod
    def start(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Read prompts, which become the nodes; return the logits of what comes next, ``[prompts, words]``, float32.

        What was read before is forgotten.
        """

    @abstractmethod
    def step(self, parents: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        """Read one more token after each of some nodes; return the logits after them, ``[tokens, words]``, float32.

        Args:
            parents: numbers of nodes, ascending; a node may stand there many times, or not at all.
            tokens: one after each parent; these become the nodes.
        """


class ModelReader(Reader):
    """Reads with a model of transformers, whatever it is and wherever it lies."""

    def __init__(self, model: PreTrainedModel) -> None:
        self._model: Any = model
        self._positioned = takes_positions(model)
        self.cache: Any = None
        self.mask = self.position = torch.empty(0)

    @override
    @torch.no_grad()  # in inference mode autocast would cast the weights anew for every token
    def start(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        width, device = max(map(len, prompts)), self._model.device
        # The mask covers the padding on the left, so that any token will do there.
        ids = torch.tensor([[0] * (width - len(prompt)) + list(prompt) for prompt in prompts], device=device)
        self.mask = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts], device=device)
        self.position = self.mask.cumsum(dim=1) - 1
        self.cache = None
        return self._read(ids)

    @override
    @torch.no_grad()
    def step(self, parents: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        if len(parents) != len(self.mask) or bool((parents[1:] == parents[:-1]).any()):
            self.cache.batch_select_indices(parents)
            self.mask, self.position = self.mask[parents], self.position[parents]
        self.position = self.position[:, -1:] + 1
        self.mask = torch.cat([self.mask, self.mask.new_ones(len(tokens), 1)], dim=1)
        return self._read(tokens[:, None])

    def _read(self, ids: torch.Tensor) -> torch.Tensor:
        places = {"position_ids": self.position.clamp(min=0)} if self._positioned else {}
        with arithmetic(self._model):
            output = self._model(
                input_ids=ids,
                attention_mask=self.mask,
                past_key_values=self.cache,
                use_cache=True,
                logits_to_keep=1,
                **places,
            )
        self.cache = output.past_key_values
        logits: torch.Tensor = output.logits[:, -1].float()
        return logits


def arithmetic(model: PreTrainedModel) -> AbstractContextManager[Any]:
    """Return the arithmetic of a model: bfloat16 for one on a GPU whose weights are float32, as they are where all of
    them are trained; otherwise that of the weights."""
    mixed = model.device.type == "cuda" and model.dtype == torch.float32
    return torch.autocast("cuda", torch.bfloat16) if mixed else nullcontext()


def takes_positions(model: PreTrainedModel) -> bool:
    """Check whether a model takes ``position_ids``.

    With an adapter its base decides: the adapter's own ``forward`` does not name the base's arguments.
    """
    return "position_ids" in signature(base_of(model).forward).parameters


def base_of(model: PreTrainedModel) -> Any:
    """Return the model below an adapter, or the model itself where there is none."""
    return getattr(model, "get_base_model", lambda: model)()
