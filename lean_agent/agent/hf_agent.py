"""The agent for HuggingFace models.

trainer = GRPOTrainer(model_name="path/or/name", output_dir="outputs", epochs_per_repo=1, batch_size=8, lr=2e-5)
agent = HFAgent(trainer=trainer)
agent.setup_github_repository(url="https://github.com/durant42040/lean4-example", commit="b14fef0")
agent.train()
agent.prove()
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from typing_extensions import override

from lean_agent.agent.base import BaseAgent, TrainsOnRepositories
from lean_agent.errors import ConfigError
from lean_agent.prover.provers import HFProver
from lean_agent.settings import checked


class HFAgent(BaseAgent):
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
    def prover(self, **options: Any) -> HFProver:
        return HFProver(self.model_path, self.lean, **{"name": "policy", "database": self.database, **options})
