"""Products of a few rows with a weight, which is where a small model's arithmetic goes.

oneDNN, which torch brings along, is asked for them by name where it is there: torch's own choice for float32 is MKL,
and that takes 2.3 times as long on AMD's processors (docs/log/2026-11.md). What follows a product is done with it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

_HAS_ONEDNN: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
_ROWS = 64
"""For so many rows the weight is laid out; others are read from the same layout."""


class Matrix:
    """A weight ``[out, in]``, float32, to be multiplied with rows ``[rows, in]``."""

    def __init__(self, weight: torch.Tensor) -> None:
        self._weight: Any = weight.contiguous()
        if _HAS_ONEDNN:
            # These are what torch.compile makes of linear layers on a CPU; nothing public has them.
            self._weight = torch.ops.mkldnn._reorder_linear_weight(self._weight, _ROWS)
            self._product: Any = torch.ops.mkldnn._linear_pointwise.default
            self._followed: Any = torch.ops.mkldnn._linear_pointwise.binary

    def times(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the product, ``[rows, out]``."""
        return self._then(rows, "none") if _HAS_ONEDNN else functional.linear(rows, self._weight)

    def times_swish(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the product through the function x * sigmoid(x)."""
        return self._then(rows, "swish") if _HAS_ONEDNN else functional.silu(functional.linear(rows, self._weight))

    def times_plus(self, rows: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """Return the product plus ``other``, ``[rows, out]``."""
        return self._with(rows, other, "add") if _HAS_ONEDNN else functional.linear(rows, self._weight) + other

    def times_by(self, rows: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """Return the product, each number times its own of ``other``, ``[rows, out]``."""
        return self._with(rows, other, "mul") if _HAS_ONEDNN else functional.linear(rows, self._weight) * other

    def _then(self, rows: torch.Tensor, function: str) -> torch.Tensor:
        result: torch.Tensor = self._product(rows, self._weight, None, function, [], "")
        return result

    def _with(self, rows: torch.Tensor, other: torch.Tensor, operation: str) -> torch.Tensor:
        result: torch.Tensor = self._followed(rows, other, self._weight, None, operation)
        return result
