"""The order of training rows: batches of rows of like length, in random order.

Goals differ much in length, and a batch is padded to its longest row: on traced repositories this halves the work of an
epoch. The order depends on the seed and the epoch alone, so a resumed training sees the rows that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch.utils.data import Sampler

BATCHES_IN_A_POOL = 50
"""Rows are sorted within random pools of so many batches: large enough for little padding, small enough to mix."""


class LengthGroupedSampler(Sampler[int]):
    """Row numbers, batch after batch.

    Args:
        lengths: tokens of each row.
        batch_size: rows in a batch.
        seed: decides the order, together with the epoch.
    """

    def __init__(self, lengths: Sequence[int], batch_size: int, seed: int) -> None:
        self._lengths = list(lengths)
        self._batch_size = batch_size
        self._seed = seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Called by the trainer before each epoch."""
        self._epoch = epoch

    def __len__(self) -> int:
        return len(self._lengths)

    def __iter__(self) -> Iterator[int]:
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + self._epoch)
        rows = torch.randperm(len(self._lengths), generator=generator).tolist()
        size = self._batch_size
        pools = [rows[i : i + size * BATCHES_IN_A_POOL] for i in range(0, len(rows), size * BATCHES_IN_A_POOL)]
        ordered = [row for pool in pools for row in sorted(pool, key=lambda row: self._lengths[row])]
        batches = [ordered[i : i + size] for i in range(0, len(ordered), size)]
        whole = len(rows) // size
        # An incomplete batch stays at the end: anywhere else it would shift the rows of all batches after it.
        for batch in [*torch.randperm(whole, generator=generator).tolist(), *range(whole, len(batches))]:
            yield from batches[batch]
