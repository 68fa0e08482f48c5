"""How many threads of torch are worth having for a model on a CPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

SMALL_MODEL = 5_000_000
"""Parameters of a model whose products are so short that threads wait for one another longer than they compute.

Of 2 million parameters a step of training takes 82 ms with one thread and 115 with two, and an answer to 32 goals
0.85 s and 1.38, where threads sleep while they wait (two cores); of 7 million a step takes 169 and 149.
"""


@contextmanager
def fitting_threads(model: Any) -> Iterator[None]:
    """Have torch work with one thread inside where a model is small and on a CPU; afterwards with as many as before."""
    before = torch.get_num_threads()
    is_small = sum(parameter.numel() for parameter in model.parameters()) < SMALL_MODEL
    if before == 1 or not is_small or next(model.parameters()).device.type != "cpu":
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
