"""Products with weights on a CPU, which is where a small model's arithmetic goes.

oneDNN, which torch brings along, is asked for them by name where it is there: torch's own choice for float32 is MKL,
and that takes 2.3 times as long on AMD's processors (docs/log/2026-11.md). The numbers are the same up to rounding. Its
operators are those that torch.compile makes of linear layers on a CPU; nothing public has them.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from typing_extensions import override

_HAS_ONEDNN: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
_ROWS = 64
"""For so many rows the weight is laid out; others are read from the same layout."""


class Matrix:
    """A weight ``[out, in]``, float32, to be multiplied with few rows ``[rows, in]``; what follows is done with it."""

    def __init__(self, weight: torch.Tensor) -> None:
        self._weight: Any = weight.contiguous()
        if _HAS_ONEDNN:
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


class _Product(torch.autograd.Function):
    """``rows @ weight.T`` for rows ``[…, in]`` and a weight ``[out, in]``."""

    @staticmethod
    def forward(context: Any, rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Multiply."""
        context.save_for_backward(rows, weight)
        return _multiplied(rows, weight)

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """Return the gradients of both."""
        rows, weight = context.saved_tensors
        (gradient,) = gradients
        of_rows = _multiplied(gradient, weight.t()) if context.needs_input_grad[0] else None
        of_weight = None
        if context.needs_input_grad[1]:
            of_weight = _multiplied(gradient.flatten(0, -2).t(), rows.flatten(0, -2).t())
        return of_rows, of_weight


class OneDNNLinear(nn.Linear):
    """A linear layer to be trained, whose products go to oneDNN wherever it can take them."""

    @override
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return the layer's output."""
        bias: torch.Tensor | None = self.bias
        is_plain = input.dtype == self.weight.dtype == torch.float32 and input.device.type == "cpu"
        if not is_plain or bias is not None or input.dim() < 2 or torch.is_autocast_enabled("cpu"):
            return super().forward(input)
        result: torch.Tensor = _Product.apply(input, self.weight)  # type: ignore[no-untyped-call]
        return result


def through_onednn(model: nn.Module) -> None:
    """Have the linear layers of a model on a CPU multiply by oneDNN, where torch has it; others stay as they are."""
    if _HAS_ONEDNN:
        for module in model.modules():
            if type(module) is nn.Linear and module.weight.device.type == "cpu":
                module.__class__ = OneDNNLinear


def _multiplied(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Return ``rows @ weight.T``."""
    product: torch.Tensor = torch.ops.mkldnn._linear_pointwise.default(
        rows.contiguous(), weight.contiguous(), None, "none", [], ""
    )
    return product
