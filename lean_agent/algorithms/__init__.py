"""RL algorithms as functions of tensors: rewards to advantages, advantages and log-probabilities to a loss.

Knows nothing of models, trainers or Lean. ``ALGORITHMS`` is the whole registry: an algorithm is one module and one line
of it. docs/algorithms.md says which setting is whose.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from lean_agent.algorithms.base import AlgorithmConfig, Metrics, RLAlgorithm
from lean_agent.algorithms.dapo import DAPO, DAPOConfig
from lean_agent.algorithms.dgpo import DGPO, DGPOConfig
from lean_agent.algorithms.drgrpo import DrGRPO, DrGRPOConfig
from lean_agent.algorithms.grpo import GRPO, GRPOConfig
from lean_agent.algorithms.gspo import GSPO, GSPOConfig
from lean_agent.algorithms.passk import PassAtK, PassAtKConfig
from lean_agent.algorithms.softmax_kl import SoftmaxKL, SoftmaxKLConfig
from lean_agent.algorithms.surrogate import BatchSize
from lean_agent.errors import ConfigError, closest, nearest

ALGORITHMS: dict[str, type[RLAlgorithm[Any]]] = {
    "grpo": GRPO,
    "dgpo": DGPO,
    "drgrpo": DrGRPO,
    "dapo": DAPO,
    "gspo": GSPO,
    "passk": PassAtK,
    "softmax_kl": SoftmaxKL,
}

_OTHER_SPELLINGS = {"dgrpo": "dgpo", "dr_grpo": "drgrpo", "pass@k": "passk"}


def create_algorithm(name: str, /, *, preset: str | None = None, **config: Any) -> RLAlgorithm[Any]:
    """The algorithm of that name, in any case of letters.

    Args:
        name: a key of :data:`ALGORITHMS`.
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
    """The class of that name, in any case of letters.

    Raises:
        ConfigError: no such algorithm (the nearest name is said).
    """
    key = name.lower()
    algorithm = ALGORITHMS.get(_OTHER_SPELLINGS.get(key, key))
    if algorithm is None:
        raise ConfigError(f"There is no algorithm {name!r}. {nearest(key, list(ALGORITHMS))}")
    return algorithm


def _refuse_setting_of_another(setting: str, config_class: type[AlgorithmConfig]) -> None:
    """Say whose a setting may be that another algorithm has under that name or one that is nearer than any here."""
    own = {field.name for field in fields(config_class)}
    owners: dict[str, list[str]] = {}
    for name, algorithm in ALGORITHMS.items():
        for field in fields(algorithm.config_class):
            owners.setdefault(field.name, []).append(name)
    meant = closest(setting, list(owners))
    if setting not in own and meant is not None and meant not in own:
        raise ConfigError(
            f"{config_class.__name__} has no setting {setting!r}. Did you mean {meant!r}, a setting of the algorithm "
            f"{' or '.join(owners[meant])}?"
        )


__all__ = [
    "ALGORITHMS",
    "DAPO",
    "DGPO",
    "GRPO",
    "GSPO",
    "AlgorithmConfig",
    "BatchSize",
    "DAPOConfig",
    "DGPOConfig",
    "DrGRPO",
    "DrGRPOConfig",
    "GRPOConfig",
    "GSPOConfig",
    "Metrics",
    "PassAtK",
    "PassAtKConfig",
    "RLAlgorithm",
    "SoftmaxKL",
    "SoftmaxKLConfig",
    "algorithm_class",
    "create_algorithm",
]
