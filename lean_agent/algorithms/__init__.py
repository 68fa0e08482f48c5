"""RL algorithms as functions of tensors: rewards to advantages, advantages and log-probabilities to a loss.

Knows nothing of models, trainers or Lean. An algorithm is one module and one line of :mod:`lean_agent.registry`.
docs/algorithms.md says which setting is whose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from lean_agent import registry
from lean_agent.algorithms.base import AlgorithmConfig, LossInputs, Metrics, RLAlgorithm
from lean_agent.algorithms.dapo import DAPO, DAPOConfig
from lean_agent.algorithms.dgpo import DGPO, DGPOConfig
from lean_agent.algorithms.drgrpo import DrGRPO, DrGRPOConfig
from lean_agent.algorithms.functional import BatchSize
from lean_agent.algorithms.grpo import GRPO, GRPOConfig
from lean_agent.algorithms.gspo import GSPO, GSPOConfig
from lean_agent.algorithms.nsr import NSR, NSRConfig
from lean_agent.algorithms.passk import PassAtK, PassAtKConfig
from lean_agent.algorithms.softmax_kl import SoftmaxKL, SoftmaxKLConfig
from lean_agent.algorithms.unlikeliness import Unlikeliness, UnlikelinessConfig
from lean_agent.errors import ConfigError, ConfigTypeError, closest
from lean_agent.registry import Registry

ALGORITHMS: Registry[type[RLAlgorithm[Any]]] = registry.ALGORITHMS


def create_algorithm(name: str, /, *, preset: str | None = None, **config: Any) -> RLAlgorithm[Any]:
    """Make the algorithm of that name.

    Args:
        name: of :data:`ALGORITHMS`, in any case of letters, or ``module:Class``.
        preset: ``published`` takes the settings of the paper that has the name (drgrpo, dapo, gspo); ``config`` still
            changes single ones.
        config: settings of the algorithm's configuration, see ``ALGORITHMS[name].config_class``.

    Raises:
        ConfigError: no such algorithm or setting (the nearest name is said), or a value that cannot work.
    """
    algorithm = algorithm_class(name)
    for setting in config:
        _refuse_setting_of_another(setting, algorithm.config_class)
    return algorithm(algorithm.config_class.create(config, preset))


def algorithm_class(name: str) -> type[RLAlgorithm[Any]]:
    """Return the class of that name, in any case of letters, or at ``module:Class``.

    Raises:
        ConfigError: no such algorithm (the nearest name is said), or another thing of that name.
    """
    algorithm: object = ALGORITHMS.find(name)
    if not (isinstance(algorithm, type) and issubclass(algorithm, RLAlgorithm)):
        raise ConfigError(f"The algorithm {name!r} is {algorithm!r}; it has to be a subclass of RLAlgorithm.")
    return algorithm


def with_trainer_settings(config: Mapping[str, Any], asked: Mapping[str, tuple[str, int | None]]) -> dict[str, Any]:
    """Return an algorithm's settings with those that a trainer has under names of its own.

    Args:
        config: settings of the algorithm.
        asked: trainer's name -> (algorithm's name, value); ``None`` leaves it to the algorithm.

    Raises:
        ConfigError: both have it, and say different things.
    """
    settings = dict(config)
    for name, (own, value) in asked.items():
        if value is not None and settings.setdefault(own, value) != value:
            raise ConfigError(f"{name} is {value} and the algorithm's {own} {settings[own]}: give one.")
    return settings


def _refuse_setting_of_another(setting: str, config_class: type[AlgorithmConfig]) -> None:
    """Say whose a setting may be that another algorithm has under that name or one that is nearer than any here."""
    own = {field.name for field in fields(config_class)}
    if setting in own:
        return
    owners: dict[str, list[str]] = {}
    for name, algorithm in ALGORITHMS.items():
        for field in fields(algorithm.config_class):
            owners.setdefault(field.name, []).append(name)
    meant = closest(setting, list(owners))
    if meant is not None and meant not in own:
        raise ConfigTypeError(
            f"{config_class.__name__} has no setting {setting!r}. Did you mean {meant!r}, a setting of the algorithm "
            f"{' or '.join(owners[meant])}?"
        )


__all__ = [
    "ALGORITHMS",
    "DAPO",
    "DGPO",
    "GRPO",
    "GSPO",
    "NSR",
    "AlgorithmConfig",
    "BatchSize",
    "DAPOConfig",
    "DGPOConfig",
    "DrGRPO",
    "DrGRPOConfig",
    "GRPOConfig",
    "GSPOConfig",
    "LossInputs",
    "Metrics",
    "NSRConfig",
    "PassAtK",
    "PassAtKConfig",
    "RLAlgorithm",
    "SoftmaxKL",
    "SoftmaxKLConfig",
    "Unlikeliness",
    "UnlikelinessConfig",
    "algorithm_class",
    "create_algorithm",
    "with_trainer_settings",
]
