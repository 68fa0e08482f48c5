"""GRPO on tactics: the model proposes a group of tactics for a goal and learns from what each is worth.

Group Relative Policy Optimization, arXiv 2402.03300; the loss is trl's. Without a reward function of the caller's the
reward is the verified one: Lean runs every tactic in its exact state.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import transformers
from peft import LoraConfig, PeftModel
from transformers import PreTrainedModel, PreTrainedTokenizerBase
from trl.trainer.grpo_config import GRPOConfig
from trl.trainer.grpo_trainer import GRPOTrainer as TRLTrainer

from lean_agent.errors import ConfigError
from lean_agent.lean.server import LeanServer
from lean_agent.rewards import RewardAdaptor, RewardFunc, VerifiedTacticReward
from lean_agent.rewards.tactic import Projects
from lean_agent.trainer.base import MergedDataExporter, RepositoryTrainer, TrainingSettings
from lean_agent.trainer.dataset import GRPODataset, TacticDataset
from lean_agent.trainer.run_folder import Repository

logger = logging.getLogger(__name__)


class GRPOTrainer(RepositoryTrainer):
    """Trains on goals with a reward for each tactic.

    Args:
        model_name: a folder (a LoRA adapter too: its training goes on) or a name on the HuggingFace hub.
        reward_func: ``reward_func(completions: list[str], **kwargs) -> tensor [B]``, see
            :data:`lean_agent.rewards.adaptor.RewardFunc`; ``None`` takes the verified reward, which needs
            :meth:`set_server` before :meth:`train`.
        output_dir: checkpoints, metrics, and the newest model; see :mod:`lean_agent.trainer.run_folder`.
        epochs_per_repo: epochs over the merged data after each new repository.
        batch_size: completions in one forward pass on each device. Where it holds no whole groups of
            ``num_generations``, gradients are accumulated over as many passes as make whole groups.
        lr: peak learning rate.
        lora_config: trains an adapter instead of all weights.
        num_generations: completions for each goal, the group that a reward is compared in; at least 2.
        max_steps: when positive, so many optimizer steps for each repository instead of epochs.
        max_completion_length: tokens of a completion; what is longer is cut off, and judged as it is.
        temperature: of the sampling.
        warmup: part of the steps in which the learning rate rises; then it falls linearly to 0.
        seed: of the order of the rows and of the sampling.
        checkpoint_every_s: seconds between checkpoints within a repository.
        progress: show a progress bar.

    Raises:
        ConfigError, ModelNotFound: see :class:`~lean_agent.trainer.base.RepositoryTrainer`.
    """

    kind = "GRPO"
    shown_metrics = ("reward", "lean_s")

    def __init__(
        self,
        model_name: str | Path,
        reward_func: RewardFunc | None = None,
        output_dir: str | Path = "outputs",
        *,
        epochs_per_repo: int = 1,
        batch_size: int = 1,
        lr: float = 2e-5,
        lora_config: LoraConfig | None = None,
        num_generations: int = 8,
        max_steps: int = -1,
        max_completion_length: int = 128,
        temperature: float = 1.0,
        warmup: float = 0.05,
        seed: int = 0,
        checkpoint_every_s: float = 300.0,
        progress: bool = True,
    ) -> None:
        if temperature <= 0 or max_completion_length < 1:
            raise ConfigError(
                f"temperature must be above 0 and max_completion_length at least 1; they are {temperature} and "
                f"{max_completion_length}."
            )
        settings = TrainingSettings(
            model_name=str(model_name),
            output_dir=Path(output_dir),
            epochs_per_repo=epochs_per_repo,
            batch_size=batch_size,
            lr=lr,
            lora_config=lora_config,
            max_steps=max_steps,
            warmup=warmup,
            seed=seed,
            checkpoint_every_s=checkpoint_every_s,
            progress=progress,
        )
        self._sampling: dict[str, Any] = {
            "num_generations": num_generations,
            "max_completion_length": max_completion_length,
            "temperature": temperature,
        }
        self._passes = passes_for_whole_groups(batch_size, num_generations)
        if self._passes > 1:
            logger.warning(
                "A batch of %d holds no whole groups of %d generations: gradients are accumulated over %d passes, so "
                "an optimizer step sees %d completions of %d goals.",
                batch_size,
                num_generations,
                self._passes,
                batch_size * self._passes,
                batch_size * self._passes // num_generations,
            )
        self._reward_func = reward_func
        super().__init__(settings, self._sampling)

    def set_server(self, server: LeanServer, projects: Projects) -> None:
        """Give the verified reward its Lean server and the projects that the training rows come from.

        A caller's own ``reward_func`` stays in force.
        """
        if self._reward_func is None or isinstance(self._reward_func, VerifiedTacticReward):
            self._reward_func = VerifiedTacticReward(server, projects)

    def train(self, repos: Sequence[Repository], database: MergedDataExporter, data_path: str | Path) -> None:
        """See :meth:`RepositoryTrainer.train`.

        Raises:
            ConfigError: neither a reward function nor a Lean server was given.
        """
        if self._reward_func is None:
            raise ConfigError(
                "GRPO has nothing to score with: give the trainer a reward_func, or a Lean server and the traced "
                "projects for the verified reward: trainer.set_server(server, projects)."
            )
        super().train(repos, database, data_path)

    def _read(self, data_path: Path) -> TacticDataset:
        return GRPODataset(data_path, visits_seed=self.settings.seed)

    def _build(
        self,
        model: PreTrainedModel | PeftModel,
        tokenizer: PreTrainedTokenizerBase,
        dataset: TacticDataset,
        arguments: dict[str, Any],
    ) -> transformers.Trainer:
        assert self._reward_func is not None, "train refuses a training without a reward"
        config = GRPOConfig(
            **arguments,
            **self._sampling,
            gradient_accumulation_steps=self._passes,
            shuffle_dataset=False,  # the rows come in the order that suits Lean
        )
        trainer: transformers.Trainer = TRLTrainer(
            model=model,
            reward_funcs=[RewardAdaptor(self._reward_func)],
            args=config,
            train_dataset=dataset.to_hf(),
            processing_class=tokenizer,
        )
        return trainer


def passes_for_whole_groups(batch_size: int, num_generations: int) -> int:
    """How many forward passes of ``batch_size`` completions make whole groups of ``num_generations``.

    ``lcm(batch_size, num_generations) / batch_size``: 1 for (8, 8), 8 for (1, 8), 4 for (6, 8), 1 for (16, 8).

    Raises:
        ConfigError: a group of one completion, which has nothing to be compared with, or a batch of none.
    """
    if num_generations < 2 or batch_size < 1:
        raise ConfigError(
            "GRPO compares the completions of a goal with one another: num_generations must be at least 2 and "
            f"batch_size at least 1; they are {num_generations} and {batch_size}."
        )
    return math.lcm(batch_size, num_generations) // batch_size
