"""What was computed of the beginnings of prompts, kept for prompts that begin alike.

Owns a trie of token ids whose edges are blocks of :data:`BLOCK` tokens, and the storage behind it. Knows no model.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import torch

BLOCK = 4
"""Tokens of a block: what two prompts share is found down to so many tokens."""

_ROOT = 0


@dataclass(frozen=True, slots=True)
class Known:
    """The beginning of a prompt that is known.

    Attributes:
        places: of its blocks in the storage.
        node: of the trie, that it leads to.
    """

    places: tuple[int, ...] = ()
    node: int = _ROOT

    @property
    def tokens(self) -> int:
        """How long it is."""
        return len(self.places) * BLOCK


class Prefixes:
    """Blocks of prompts with a tensor for each, the least recently used forgotten first.

    A block is known by its tokens and by all before it, so its tensor may depend on these.

    Args:
        shape: of a block's tensor.
        max_mb: of all tensors together.
    """

    def __init__(self, shape: Sequence[int], max_mb: float = 128.0) -> None:
        self.shape = tuple(shape)
        self._room = int(max_mb * 2**20) // (4 * torch.Size(shape).numel())
        self._storage = torch.empty(self._room, *self.shape)  # the system gives memory as it is written to
        # By the node above and the block's tokens: its place and its own node. The one used last stands last.
        self._blocks: OrderedDict[tuple[int, tuple[int, ...]], tuple[int, int]] = OrderedDict()
        self._nodes = _ROOT  # none is named twice, so that nothing below one that was forgotten is ever found

    def __len__(self) -> int:
        return len(self._blocks)

    def find(self, prompt: Sequence[int]) -> Known:
        """Return what is known of the beginning of a prompt; its last token is always left to be read."""
        places: list[int] = []
        node = _ROOT
        for start in range(0, len(prompt) - BLOCK, BLOCK):
            edge = (node, tuple(prompt[start : start + BLOCK]))
            if edge not in self._blocks:
                break
            self._blocks.move_to_end(edge)
            place, node = self._blocks[edge]
            places.append(place)
        return Known(tuple(places), node)

    def read(self, known: Known) -> torch.Tensor:
        """Return the tensors of the blocks of a beginning, ``[blocks, *shape]``."""
        return self._storage[list(known.places)]

    def add(self, prompt: Sequence[int], known: Known, tensors: torch.Tensor) -> None:
        """Keep what was computed of the blocks of a prompt that follow what was known.

        Args:
            known: as it was found before this prompt was read.
            tensors: ``[blocks, *shape]``.
        """
        if not self._room:
            return
        node = known.node
        for number in range(len(tensors)):
            start = known.tokens + number * BLOCK
            edge = (node, tuple(prompt[start : start + BLOCK]))
            if edge not in self._blocks:
                place = len(self._blocks) if len(self._blocks) < self._room else self._blocks.popitem(last=False)[1][0]
                self._nodes += 1
                self._blocks[edge] = (place, self._nodes)
            place, node = self._blocks[edge]
            self._storage[place] = tensors[number]

    def clear(self) -> None:
        """Forget everything."""
        self._blocks.clear()
