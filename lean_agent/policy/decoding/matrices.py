"""Products with weights on a CPU, which is where a small model's arithmetic goes.

oneDNN, which torch brings along, is asked for them by name where it is there: torch's own choice for float32 is MKL,
and that takes 2.3 times as long on AMD's processors (docs/log/2026-11.md). The numbers are the same up to rounding. Its
operators are those that torch.compile makes of linear layers on a CPU; nothing public has them. On Intel's processors
MKL is the faster for training, and those with AMX multiply bfloat16 numbers five to eight times as fast as float32.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import torch
from torch import nn
from torch.nn import functional
from typing_extensions import override

_HAS_ONEDNN: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
_PROCESSOR: Mapping[str, object] = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}
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
    """``rows @ weight.T`` for rows ``[…, in]`` and a weight ``[out, in]``, by oneDNN."""

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


class _HalfProduct(torch.autograd.Function):
    """The same of numbers that are rounded to bfloat16 before they are multiplied, and summed up in float32."""

    @staticmethod
    def forward(context: Any, rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        """Multiply; the rounded numbers are kept for the gradients."""
        half_rows, half_weight = rows.flatten(0, -2).bfloat16(), weight.bfloat16()
        context.save_for_backward(half_rows, half_weight)
        context.shape = rows.shape
        return torch.mm(half_rows, half_weight.t()).float().view(*rows.shape[:-1], len(weight))

    @staticmethod
    def backward(context: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None]:
        """Return the gradients of both, float32."""
        half_rows, half_weight = context.saved_tensors
        gradient = gradients[0].flatten(0, -2).bfloat16()
        of_rows = of_weight = None
        if context.needs_input_grad[0]:
            of_rows = torch.mm(gradient, half_weight).float().view(context.shape)
        if context.needs_input_grad[1]:
            of_weight = torch.mm(gradient.t(), half_rows).float()
        return of_rows, of_weight


class OneDNNLinear(nn.Linear):
    """A linear layer to be trained, whose products go to oneDNN wherever it can take them."""

    product: ClassVar[type[torch.autograd.Function]] = _Product

    @override
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Return the layer's output."""
        bias: torch.Tensor | None = self.bias
        is_plain = input.dtype == self.weight.dtype == torch.float32 and input.device.type == "cpu"
        if not is_plain or bias is not None or input.dim() < 2 or torch.is_autocast_enabled("cpu"):
            return super().forward(input)
        result: torch.Tensor = self.product.apply(input, self.weight)  # type: ignore[no-untyped-call]
        return result


class HalfLinear(OneDNNLinear):
    """The same with products of bfloat16 numbers: float32 weights, as a GPU trains them."""

    product = _HalfProduct


PLAIN_LAYERS: tuple[type[nn.Linear], ...] = (nn.Linear, OneDNNLinear, HalfLinear)
"""What a linear layer without an adapter may be."""


def set_layers(model: nn.Module, kind: type[nn.Linear]) -> None:
    """Have the linear layers of a model on a CPU multiply as those of ``kind``, one of :data:`PLAIN_LAYERS`."""
    for module in model.modules():
        if type(module) in PLAIN_LAYERS and cast("nn.Linear", module).weight.device.type == "cpu":
            module.__class__ = kind


def fastest_layer() -> type[nn.Linear]:
    """Return the kind of layer whose float32 products take least here: torch's own on Intel's processors, for which
    MKL is made, and oneDNN's on others."""
    return OneDNNLinear if _HAS_ONEDNN and not str(_PROCESSOR.get("cpu_name", "")).startswith("Intel") else nn.Linear


def multiplies_half() -> bool:
    """Check whether the processor has instructions for products of bfloat16 matrices (AMX): a fifth of the time."""
    return _HAS_ONEDNN and bool(_PROCESSOR.get("amx_bf16", False))


def _multiplied(rows: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Return ``rows @ weight.T``."""
    product: torch.Tensor = torch.ops.mkldnn._linear_pointwise.default(
        rows.contiguous(), weight.contiguous(), None, "none", [], ""
    )
    return product
