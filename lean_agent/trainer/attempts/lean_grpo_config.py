"""The settings of a training on whole trajectories: inert data, with defaults < YAML < what is set by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from typing_extensions import override

from lean_agent.errors import ConfigError
from lean_agent.policy.base import Sampling
from lean_agent.rewards import BaseRewardScorer, create_composite_scorer, get_scorer
from lean_agent.rollout import RolloutConfig
from lean_agent.settings import Count, NotNegative
from lean_agent.trainer.settings import AboveZero, AlgorithmSettings, Limit


@dataclass(frozen=True, kw_only=True, init=False)
class LeanGRPOConfig(AlgorithmSettings):
    """Settings of :class:`~lean_agent.trainer.attempts.lean_grpo_trainer.LeanGRPOTrainer`.

    Its names for those of all trainers are ``base_model``, ``learning_rate``, ``warmup_ratio``, ``num_train_epochs``
    and ``theorems_per_step`` (``batch_size``: theorems whose attempts make one batch). A step is one batch.

    Attributes:
        reward_type: a scorer's name (see :func:`lean_agent.rewards.get_scorer`), or ``composite``.
        reward_weights: scorer -> weight, for ``composite``.
        max_proof_steps, max_failures: see :class:`lean_agent.rollout.RolloutConfig`.
        max_tactic_tokens: longest answer of the model, in tokens; what is longer is no tactic.
        top_p: of the sampling.
        max_lean_calls: when positive, training ends with the batch that brings the tactics that Lean ran to so many,
            and the learning rate falls over them instead of over batches: the same budget of Lean for every algorithm.
        importance_cap: attempts that a server has sampled are weighed token by token with the ratio of the
            probabilities here and there, held below this (truncated importance sampling); 0 for no correction. For a
            server that reports tokens with their log-probabilities, as vLLM does, at ``temperature`` 1 and ``top_p`` 1;
            the metrics ``sampler_kl`` and ``sampler_gap`` say how far it has drifted.
        max_grad_norm: gradients are scaled down to this norm.
        tokens_per_pass: padded tokens in one forward pass; lower it for a large model in little memory. It does not
            change what comes out.
        gradient_checkpointing: off unless it is asked for; not for models whose layers call dropout themselves (OPT).
        max_rows: answers that the model in training samples in one batch; lower it for a large model in little memory.
        sync_every: updates after which a server that samples gets the new weights.
        tactic_timeout_s, verify_timeout_s: wall-clock seconds in Lean.
        checkpoint_every: batches between checkpoints.
    """

    model_name: str = "Qwen/Qwen2.5-7B-Instruct"
    epochs: Count = 3
    batch_size: Count = 4
    lr: AboveZero = 5e-6
    gradient_checkpointing: bool | None = False
    reward_type: str = "verified"
    reward_weights: Mapping[str, float] = field(default_factory=dict)
    max_proof_steps: int = 20
    max_failures: int = 1
    max_tactic_tokens: Count = 64
    top_p: float = 1.0
    max_lean_calls: Limit = -1
    importance_cap: NotNegative = 2.0
    max_grad_norm: AboveZero = 1.0
    tokens_per_pass: Count = 8192
    max_rows: Count = 256
    sync_every: Count = 1
    tactic_timeout_s: float = 10.0
    verify_timeout_s: float = 60.0
    checkpoint_every: Count = 10

    NAMES: ClassVar = {
        "model_name": "base_model",
        "epochs": "num_train_epochs",
        "batch_size": "theorems_per_step",
        "lr": "learning_rate",
        "warmup": "warmup_ratio",
    }
    INCIDENTAL = AlgorithmSettings.INCIDENTAL | {
        *("tokens_per_pass", "checkpoint_every", "tactic_timeout_s", "verify_timeout_s")
    }
    LATER = frozenset({"importance_cap", "lora_config"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.reward_type == "composite") != bool(self.reward_weights):
            raise ConfigError("reward_type: composite goes with reward_weights, and with nothing else.")
        _ = self.sampling, self.rollout, self.make_scorer()  # they check their own

    @classmethod
    @override
    def merged(cls, file: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """Leave the file's ``reward_weights`` out, too, where another ``reward_type`` is given than the file's."""
        if given.get("reward_type", file.get("reward_type")) != file.get("reward_type"):
            file = {name: value for name, value in file.items() if name != "reward_weights"}
        return super().merged(file, given)

    @property
    def sampling(self) -> Sampling:
        """How a policy is to draw answers."""
        return Sampling(
            temperature=self.temperature, top_p=self.top_p, max_new_tokens=self.max_tactic_tokens, seed=self.seed
        )

    @property
    def rollout(self) -> RolloutConfig:
        """How attempts are made."""
        return RolloutConfig(self.max_proof_steps, self.max_failures, self.tactic_timeout_s, self.verify_timeout_s)

    def make_scorer(self) -> BaseRewardScorer:
        """Make the scorer that says what an attempt is worth."""
        if self.reward_type == "composite":
            return create_composite_scorer(*self.reward_weights, weights=self.reward_weights)
        return get_scorer(self.reward_type)
