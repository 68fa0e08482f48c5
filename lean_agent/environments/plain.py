"""The environment in the manner of Gymnasium, for loops of one's own. Needs nothing beside this package."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from lean_agent.environments.core import EnvironmentConfig, ProofEnvironment, Tool
from lean_agent.errors import ConfigError
from lean_agent.lean.server import LeanServer
from lean_agent.rollout.theorems import ProofTask, Theorem

Info = dict[str, Any]
Action = str | tuple[Tool, str]
"""A tactic, or the name of a tool with its argument: ``("undo", "")``, ``("submit", "by simp")``."""


class PlainProofEnvironment:
    """Theorems as episodes with the methods and results of ``gymnasium.Env``; observations and actions are texts.

        observation, info = environment.reset(seed=0)
        observation, reward, terminated, truncated, info = environment.step("intro h")

    Args:
        lean: runs tactics and judges proofs; stays open.
        theorems: what is drawn from; ``reset(options={"theorem": …})`` names another.
        config, options: as :class:`~lean_agent.environments.core.ProofEnvironment` has them.
    """

    def __init__(
        self,
        lean: LeanServer,
        theorems: Sequence[Theorem | ProofTask | str] = (),
        *,
        config: EnvironmentConfig | None = None,
        **options: Any,
    ) -> None:
        self.core = ProofEnvironment(lean, config=config, **options)
        self._theorems = list(theorems)
        self._random = np.random.default_rng()

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[str, Info]:
        """Begin an episode and return its goal.

        Args:
            seed: of the draws from now on; ``None`` goes on with those begun.
            options: ``{"theorem": …}`` instead of a draw.

        Raises:
            ConfigError: there is no theorem to draw.
            LeanRequestError: the statement does not elaborate.
        """
        if seed is not None:
            self._random = np.random.default_rng(seed)
        theorem = (options or {}).get("theorem")
        if theorem is None:
            if not self._theorems:
                raise ConfigError(
                    "There are no theorems to draw from: give some, or reset with options={'theorem': …}."
                )
            theorem = self._theorems[int(self._random.integers(len(self._theorems)))]
        return self.core.reset(theorem), self._info()

    def step(self, action: Action) -> tuple[str, float, bool, bool, Info]:
        """Take an action; return observation, reward, ``terminated``, ``truncated`` and info.

        The reward is the whole attempt's, and 0 until it has ended. It is NaN where Lean could not say: such an episode
        has to be left out, for 0 would blame the agent.

        Raises:
            LeanRequestError: the episode has ended.
        """
        observation = self.core.run_tactic(action) if isinstance(action, str) else self.core.act(*action)
        reward: float | None = self.core.reward if self.core.done else 0.0
        return (
            observation,
            math.nan if reward is None else reward,
            self.core.terminated,
            self.core.truncated,
            self._info(),
        )

    def close(self) -> None:
        """Forget the episode; the server stays open."""
        self.core.close()

    def _info(self) -> Info:
        verdict = self.core.verdict
        return {
            "theorem": self.core.trajectory.theorem,
            "goals": self.core.goals,
            "outcome": self.core.outcome,
            "verdict": verdict.kind if verdict else None,
            "actions": self.core.actions,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
