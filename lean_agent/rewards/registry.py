"""Scorers by name: those of this package, and those of others that are installed.

Another package offers scorers by entry points of the group ``lean_agent.rewards``; each names a class, or a function,
that makes a :class:`~lean_agent.rewards.base.BaseRewardScorer`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any

from lean_agent.errors import ConfigError, nearest
from lean_agent.rewards import domain
from lean_agent.rewards.base import BaseRewardScorer, CompositeScorer
from lean_agent.rewards.difficulty import DifficultyBasedScorer
from lean_agent.rewards.efficiency import EfficiencyScorer
from lean_agent.rewards.format import FormatScorer
from lean_agent.rewards.novelty import NoveltyScorer
from lean_agent.rewards.shaped import ShapedScorer
from lean_agent.rewards.verified import ProvedScorer, VerifiedScorer

ENTRY_POINTS = "lean_agent.rewards"
_REFERENCE = re.compile(r" \(see :\w+:`[^`]*`\)")

_SCORERS: dict[str, Callable[..., BaseRewardScorer]] = {
    "verified": VerifiedScorer,
    "proved": ProvedScorer,
    "shaped": ShapedScorer,
    "difficulty": DifficultyBasedScorer,
    "efficiency": EfficiencyScorer,
    "novelty": NoveltyScorer,
    "format": FormatScorer,
    "logic": domain.logic,
    "algebra": domain.algebra,
    "number_theory": domain.number_theory,
    "lists_and_sets": domain.lists_and_sets,
    "order": domain.order,
}


def register_scorer(name: str, make: Callable[..., BaseRewardScorer]) -> None:
    """Give ``make`` (a class, as a rule) a name for :func:`get_scorer`.

    Raises:
        ConfigError: the name belongs to another scorer.
    """
    if _SCORERS.get(name, make) is not make:
        raise ConfigError(f"There is a scorer {name!r} already; choose another name.")
    _SCORERS[name] = make


def available_scorers() -> list[str]:
    """The names that :func:`get_scorer` knows."""
    return sorted({*_SCORERS, *(entry.name for entry in entry_points(group=ENTRY_POINTS))})


def describe_scorer(name: str) -> str:
    """What a scorer pays for: the first sentence of its docstring, on one line and without markup."""
    make = _SCORERS.get(name) or _from_entry_point(name)
    paragraph = " ".join((make.__doc__ or "").strip().split("\n\n")[0].split())
    sentence = re.split(r"(?<=\.) (?=[A-Z])", _REFERENCE.sub("", paragraph))[0]
    return sentence.replace("``", "").rstrip(":")


def get_scorer(name: str, **options: Any) -> BaseRewardScorer:
    """A scorer by its name; ``options`` go to its constructor.

    Raises:
        ConfigError: no scorer of that name, it does not take such options, or another package's does not load.
    """
    make = _SCORERS.get(name) or _from_entry_point(name)
    try:
        scorer = make(**options)
    except TypeError as error:
        raise ConfigError(f"The scorer {name!r} cannot be made with {options}: {error}.") from error
    if not isinstance(scorer, BaseRewardScorer):
        raise ConfigError(f"{name!r} made a {type(scorer).__name__}, which is no BaseRewardScorer.")
    return scorer


def create_composite_scorer(*names: str, weights: Mapping[str, float] | None = None) -> CompositeScorer:
    """The weighted mean of named scorers; without ``weights`` all count alike.

        create_composite_scorer("algebra", "efficiency", weights={"algebra": 0.6, "efficiency": 0.4})

    Raises:
        ConfigError: an unknown or repeated name, weights that name other scorers (the nearest name is said) or miss
            one, or one that is not above 0.
    """
    weights = dict.fromkeys(names, 1.0) if weights is None else dict(weights)
    for name in weights:
        if name not in names:
            raise ConfigError(f"{name!r} has a weight and is no part of the composite. {nearest(name, names)}")
    if len(set(names)) != len(names) or set(weights) != set(names):
        raise ConfigError(
            f"A composite of {', '.join(names)} needs each once and a weight for each; the weights are {weights}."
        )
    return CompositeScorer({name: (get_scorer(name), weights[name]) for name in names})


def _from_entry_point(name: str) -> Callable[..., BaseRewardScorer]:
    for entry in entry_points(group=ENTRY_POINTS, name=name):
        try:
            loaded: Callable[..., BaseRewardScorer] = entry.load()
        except Exception as error:
            raise ConfigError(f"The scorer {name!r} ({entry.value}) does not load: {error}.") from error
        return loaded
    raise ConfigError(f"There is no scorer {name!r}. {nearest(name, available_scorers())}")
