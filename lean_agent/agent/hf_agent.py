"""The agent for HuggingFace models.

trainer = GRPOTrainer(model_name="path/or/name", output_dir="outputs", epochs_per_repo=1, batch_size=8, lr=2e-5)
agent = HFAgent(trainer=trainer)
agent.setup_github_repository(url="https://github.com/durant42040/lean4-example", commit="b14fef0")
agent.train()
agent.prove()
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from typing_extensions import override

from lean_agent.agent.base import TrainsOnRepositories
from lean_agent.agent.practising import PractisingAgent
from lean_agent.database import StoredTheorem
from lean_agent.database.difficulty import Order
from lean_agent.errors import ConfigError
from lean_agent.improvement import ImproveConfig, ImproveReport
from lean_agent.improvement.lessons import Lessons
from lean_agent.improvement.practice import Guard
from lean_agent.policy.base import Policy, Sampling
from lean_agent.policy.model_files import recorded_help
from lean_agent.prompts import HelpSettings
from lean_agent.prover.mixed import for_policy
from lean_agent.prover.provers import HFProver
from lean_agent.settings import checked, checked_methods


@checked_methods
class HFAgent(PractisingAgent):
    """An agent whose policy is a HuggingFace causal language model.

    Args:
        trainer: trains the model; ``None`` for an agent that only proves.
        model: a checkpoint folder or a model's name to prove with; by default the trainer's newest checkpoint.
        options: as for :class:`~lean_agent.agent.base.BaseAgent`.
    """

    @checked
    def __init__(
        self, trainer: TrainsOnRepositories | None = None, *, model: str | Path | None = None, **options: Any
    ) -> None:
        super().__init__(trainer, **options)
        self._model = model

    @property
    def model_path(self) -> str:
        """What the agent proves with: the model that was given, or the trainer's as trained so far.

        Raises:
            ConfigError: there is neither.
        """
        if self._model is not None:
            return str(self._model)
        if self.trainer is None:
            raise ConfigError("This agent has no model to prove with: give it a trainer, or a model=… of its own.")
        return self.trainer.model_path

    @override
    def _practice_config(self, config: ImproveConfig | None) -> ImproveConfig:
        self._check_trains_a_policy()
        config = config or ImproveConfig()
        if config.strategies:
            from lean_agent.improvement.strategies import check_settings  # brings torch

            check_settings(config)
        return replace(config, search=for_policy(config.search, config.policy))

    @override
    def _train_before_practice(self, order: Order, held_out: Sequence[StoredTheorem]) -> None:
        if self.trainer is not None:
            from lean_agent.improvement.practice_data import PracticeData  # brings torch

            self._train(order, PracticeData(self.database, self.curriculum(order), Lessons(), Guard(held_out)))

    @override
    def _start_of_practice(self) -> str:
        return self.model_path

    @override
    def _loading(self, config: ImproveConfig) -> Callable[[str, int], Policy]:
        def load(model: str, seed: int) -> Policy:
            from lean_agent.policy.hf import HFPolicy  # brings torch

            return HFPolicy(model, sampling=Sampling(max_new_tokens=config.max_tactic_tokens, seed=seed))

        return load

    @override
    def _help_of(self, model: str) -> HelpSettings:
        return recorded_help(model)

    @override
    def _take_over(self, report: ImproveReport) -> None:
        self._model = report.model

    def _check_trains_a_policy(self) -> None:
        """Refuse a trainer of other models: what practice begins with proposes tactics."""
        from lean_agent.trainer.progress_trainer import ProgressTrainer
        from lean_agent.trainer.retrieval_trainer import RetrievalTrainer

        if isinstance(self.trainer, (ProgressTrainer, RetrievalTrainer)):
            raise ConfigError(
                f"Practice improves a policy, and {type(self.trainer).__name__} trains none: give the agent an "
                "SFTTrainer or GRPOTrainer, or model=… alone."
            )

    @override
    def trained_with(self) -> HelpSettings:
        return recorded_help(self.model_path)

    @override
    def prover(self, **options: Any) -> HFProver:
        return HFProver(self.model_path, self.lean, **{"name": "policy", "database": self.database, **options})
