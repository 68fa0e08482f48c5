"""Loss and gradient equal trl's own, for the variants that trl has: its ``_compute_loss`` runs here, not a copy."""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from trl.trainer.grpo_trainer import GRPOTrainer as TRLTrainer

from lean_agent.algorithms import DAPO, GRPO, GSPO, BatchSize, DrGRPO, RLAlgorithm, create_algorithm

B, T, MAX_LENGTH = 8, 11, 16


def tensors(seed: int = 0) -> dict[str, torch.Tensor]:
    """Random log-probabilities of three policies far enough apart that clipping bites, advantages, ragged lengths."""
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    logprobs = -draw(B, T).abs()
    lengths = torch.randint(1, T + 1, (B,), generator=generator)
    return {
        "logprobs": logprobs,
        "old_logprobs": logprobs + 0.3 * draw(B, T),
        "ref_logprobs": logprobs + 0.5 * draw(B, T),
        "advantages": draw(B),
        "mask": (torch.arange(T) < lengths.unsqueeze(1)).float(),
    }


def trl_loss(values: dict[str, torch.Tensor], **settings: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Loss and gradient by trl: its trainer, with the log-probabilities given instead of computed by a model."""
    logprobs = values["logprobs"].clone().requires_grad_()
    trainer: Any = object.__new__(TRLTrainer)
    accelerator = SimpleNamespace(
        num_processes=1, gather=lambda x: x, reduce=lambda x, reduction: x, sync_gradients=True
    )
    args = SimpleNamespace(
        delta=None, use_bias_correction_kl=settings.pop("use_bias_correction_kl", False), steps_per_generation=1
    )
    for name, value in {
        "loss_type": "grpo",
        "importance_sampling_level": "token",
        "epsilon_low": 0.2,
        "epsilon_high": 0.2,
        "beta": 0.0,
        "top_entropy_quantile": 1.0,
        "off_policy_mask_threshold": None,
        "use_vllm": False,
        "aux_loss_enabled": False,
        "_entropy_bonus_enabled": False,
        "max_completion_length": MAX_LENGTH,
        "current_gradient_accumulation_steps": 1,
        "model": SimpleNamespace(training=True),
        "_metrics": {"train": defaultdict(list)},
        "accelerator": accelerator,
        "args": args,
        "_get_per_token_logps_and_entropies": lambda *_, **__: (logprobs, torch.zeros(B, T), None),
        **settings,
    }.items():
        setattr(trainer, name, value)
    inputs = {
        "prompt_ids": torch.zeros(B, 1, dtype=torch.long),
        "prompt_mask": torch.ones(B, 1, dtype=torch.long),
        "completion_ids": torch.zeros(B, T, dtype=torch.long),
        "completion_mask": values["mask"],
        "advantages": values["advantages"],
        "old_per_token_logps": values["old_logprobs"],
        "ref_per_token_logps": values["ref_logprobs"],
        "num_items_in_batch": values["mask"].sum(),
    }
    result = trainer._compute_loss(None, inputs)
    result.backward()
    assert logprobs.grad is not None
    return result.detach(), logprobs.grad


def our_loss(algorithm: RLAlgorithm[Any], values: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    logprobs = values["logprobs"].clone().requires_grad_()
    loss, _ = algorithm.compute_loss(**{**values, "logprobs": logprobs}, max_length=MAX_LENGTH)
    loss.backward()
    assert logprobs.grad is not None
    return loss.detach(), logprobs.grad


VARIANTS: dict[str, tuple[RLAlgorithm[Any], dict[str, Any]]] = {
    "grpo": (GRPO(), {}),
    "grpo with KL": (GRPO(beta=0.04), {"beta": 0.04}),
    "grpo with unbiased KL": (GRPO(beta=0.1, use_unbiased_kl=True), {"beta": 0.1, "use_bias_correction_kl": True}),
    "dr_grpo": (create_algorithm("drgrpo", preset="published"), {"loss_type": "dr_grpo"}),
    "lean-grpo's DrGRPO": (
        DrGRPO(beta=0.1),
        {"beta": 0.1, "use_bias_correction_kl": True, "epsilon_high": 0.28},
    ),
    "dapo": (create_algorithm("dapo", preset="published"), {"loss_type": "dapo", "epsilon_high": 0.28}),
    "bnpo is the mean over tokens": (GRPO(loss_aggregation="token"), {"loss_type": "bnpo"}),
    "lean-grpo's DAPO without scales": (DAPO(negative_advantage_scale=1.0), {"epsilon_high": 0.28}),
    "gspo": (
        create_algorithm("gspo", preset="published"),
        {"importance_sampling_level": "sequence", "epsilon_low": 3e-4, "epsilon_high": 4e-4},
    ),
    "gspo with KL": (
        create_algorithm("gspo", preset="published", beta=0.02),
        {"importance_sampling_level": "sequence", "epsilon_low": 3e-4, "epsilon_high": 4e-4, "beta": 0.02},
    ),
    "lean-grpo's GSPO": (GSPO(), {}),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_loss_and_gradient_are_trl_s(variant: str, seed: int) -> None:
    algorithm, settings = VARIANTS[variant]
    values = tensors(seed)
    ours, gradient = our_loss(algorithm, values)
    theirs, wanted = trl_loss(values, **settings)
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-5)
    assert torch.allclose(gradient, wanted, rtol=0, atol=1e-5)
    assert wanted.abs().max() > 1e-3, "there is something to compare"


def test_advantages_of_tokens_as_trl_takes_them() -> None:
    values = tensors()
    values["advantages"] = torch.randn(B, T, generator=torch.Generator().manual_seed(9))
    ours, gradient = our_loss(GRPO(), values)
    theirs, wanted = trl_loss(values)
    assert torch.allclose(ours, theirs, atol=1e-5)
    assert torch.allclose(gradient, wanted, atol=1e-5)


def test_a_wrong_loss_would_be_seen() -> None:
    """The comparison tells variants apart."""
    values = tensors()
    ours, _ = our_loss(GRPO(epsilon=0.1), values)
    theirs, _ = trl_loss(values)
    assert not torch.allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("variant", ["grpo with KL", "dr_grpo", "dapo", "gspo"])
def test_slices_of_a_batch_add_up(variant: str) -> None:
    algorithm, _ = VARIANTS[variant]
    values = tensors()
    whole, _ = our_loss(algorithm, values)
    size = BatchSize(B, float(values["mask"].sum()))
    parts = [
        algorithm.compute_loss(
            **{name: tensor[start : start + 3] for name, tensor in values.items()}, batch=size, max_length=MAX_LENGTH
        )[0]
        for start in (0, 3, 6)
    ]
    assert torch.stack(parts).sum().item() == pytest.approx(whole.item(), abs=1e-6)
