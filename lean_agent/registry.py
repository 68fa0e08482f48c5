"""Find what a user chooses by name: algorithms, scorers, searches, priorities, measures of difficulty, benchmarks,
strategies of practice.

One mechanism for all kinds. A name stands in the tables below, or another package that is installed brings it by an
entry point of the kind's group, or it is written ``module:Name`` and needs no entry anywhere. Objects are imported when
they are asked for, so that names can be listed in help texts and on <Tab> without any library behind them.

Knows where things are and not what they are: what an object has to be is said by the room that uses it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from lean_agent.errors import ConfigError, ConfigTypeError, nearest, place_of
from lean_agent.extras import missing

T = TypeVar("T")

_PLACE = re.compile(r"[^\W\d][\w.]*:[^\W\d][\w.]*")
_REFERENCE = re.compile(r" \(see :\w+:`[^`]*`\)")


class Registry(Mapping[str, T], Generic[T]):
    """Objects of one kind by name.

    As a mapping it holds the names of the package, of :meth:`register` and of entry points, and imports an object when
    it is read; :meth:`find` takes any case of letters and ``module:Name`` too.

    Args:
        kind: what one is called in errors: ``algorithm``.
        group: of the entry points of other packages; a name of the package itself comes before theirs.
        places: name -> ``module:Name``.
        spellings: other spellings of names.
    """

    def __init__(
        self, kind: str, group: str, places: Mapping[str, str], spellings: Mapping[str, str] | None = None
    ) -> None:
        self.kind = kind
        self.group = group
        self._places = dict(places)
        self._spellings = dict(spellings or {})
        self._registered: dict[str, T] = {}

    @property
    def own(self) -> tuple[str, ...]:
        """The names that the package itself has."""
        return tuple(self._places)

    def __getitem__(self, name: str) -> T:
        if name in self._registered:
            return self._registered[name]
        if name in self._places:
            return self._loaded(EntryPoint(name, self._places[name], self.group))
        for entry in entry_points(group=self.group, name=name):
            return self._loaded(entry)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        own = [*self._places, *self._registered]
        return iter([*own, *sorted({entry.name for entry in entry_points(group=self.group)}.difference(own))])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        if name in self._places or name in self._registered:
            return True
        return isinstance(name, str) and bool(entry_points(group=self.group, name=name))

    def find(self, name: str) -> T:
        """Return the object of that name, in any case of letters, or at ``module:Name``.

        A module is looked for on Python's path, and at last in the working directory.

        Raises:
            ConfigError: there is none (the nearest name is said), or it cannot be imported.
            ConfigTypeError: the name is no text.
        """
        if not isinstance(name, str):
            raise ConfigTypeError(f"The {self.kind} is named by a text, not by {name!r}.{place_of(name)}")
        if ":" in name:
            return self._at(name)
        key = name.lower()
        for known in (name, self._spellings.get(key, key)):
            if known in self:
                return self[known]
        raise ConfigError(
            f"There is no {self.kind} {name!r}. {nearest(key, list(self))} Your own is named by its place, module:Name."
        )

    def register(self, name: str, value: T) -> None:
        """Give an object of the running program a name.

        Raises:
            ConfigError: the name belongs to another, or holds a colon.
        """
        if ":" in name or (name in self and self[name] is not value):
            raise ConfigError(
                f"The name {name!r} cannot be given to this {self.kind}, or is taken; choose another name."
            )
        if name not in self:
            self._registered[name] = value

    def summary(self, name: str) -> str:
        """Return the first sentence of an object's docstring, on one line and without markup."""
        paragraph = " ".join((self.find(name).__doc__ or "").strip().split("\n\n")[0].split())
        sentence = re.split(r"(?<=\.) (?=[A-Z])", _REFERENCE.sub("", paragraph))[0]
        return sentence.replace("``", "").rstrip(":")

    def _at(self, place: str) -> T:
        if not _PLACE.fullmatch(place):
            raise ConfigError(f"{place!r} is no place of a {self.kind}: write module:Name, as in my_ideas:Idea.")
        if not {"", ".", str(Path.cwd())}.intersection(sys.path):
            sys.path.append(".")  # last, so that no file there takes the place of a library
        return self._loaded(EntryPoint(place, place, self.group))

    def _loaded(self, entry: EntryPoint) -> T:
        named = repr(entry.name) if entry.name == entry.value else f"{entry.name!r} ({entry.value})"
        try:
            loaded: T = entry.load()
        except Exception as error:  # whatever a module of others does when it is imported
            extra = missing(error) if isinstance(error, ImportError) else None
            reason = extra or f"{type(error).__name__}: {error}."
            raise ConfigError(f"The {self.kind} {named} does not load: {reason}") from error
        return loaded


ALGORITHMS: Registry[Any] = Registry(
    "algorithm",
    "lean_agent.algorithms",
    {
        "grpo": "lean_agent.algorithms.grpo:GRPO",
        "dgpo": "lean_agent.algorithms.dgpo:DGPO",
        "drgrpo": "lean_agent.algorithms.drgrpo:DrGRPO",
        "dapo": "lean_agent.algorithms.dapo:DAPO",
        "gspo": "lean_agent.algorithms.gspo:GSPO",
        "passk": "lean_agent.algorithms.passk:PassAtK",
        "unlikeliness": "lean_agent.algorithms.unlikeliness:Unlikeliness",
        "nsr": "lean_agent.algorithms.nsr:NSR",
        "softmax_kl": "lean_agent.algorithms.softmax_kl:SoftmaxKL",
    },
    spellings={"dgrpo": "dgpo", "dr_grpo": "drgrpo", "pass@k": "passk", "w_reinforce": "nsr"},
)
"""Subclasses of :class:`lean_agent.algorithms.RLAlgorithm`."""

SCORERS: Registry[Any] = Registry(
    "scorer",
    "lean_agent.rewards",
    {
        "verified": "lean_agent.rewards.verified:VerifiedScorer",
        "proved": "lean_agent.rewards.verified:ProvedScorer",
        "shaped": "lean_agent.rewards.shaped:ShapedScorer",
        "difficulty": "lean_agent.rewards.difficulty:DifficultyBasedScorer",
        "efficiency": "lean_agent.rewards.efficiency:EfficiencyScorer",
        "novelty": "lean_agent.rewards.novelty:NoveltyScorer",
        "format": "lean_agent.rewards.format:FormatScorer",
        "logic": "lean_agent.rewards.domain:logic",
        "algebra": "lean_agent.rewards.domain:algebra",
        "number_theory": "lean_agent.rewards.domain:number_theory",
        "lists_and_sets": "lean_agent.rewards.domain:lists_and_sets",
        "order": "lean_agent.rewards.domain:order",
    },
)
"""Makers of a :class:`lean_agent.rewards.BaseRewardScorer`: the class, or a function."""

SEARCHES: Registry[Any] = Registry(
    "search",
    "lean_agent.searches",
    {
        "best_step": "lean_agent.prover.searches.best_step:BestStepSearch",
        "best_first": "lean_agent.prover.searches.best_first:BestFirstSearch",
        "beam": "lean_agent.prover.searches.beam:BeamSearch",
        "mcts": "lean_agent.prover.searches.mcts:MonteCarloTreeSearch",
        "depth_first": "lean_agent.prover.searches.depth_first:DepthFirstSearch",
        "whole_proof": "lean_agent.prover.searches.whole_proof:WholeProofSearch",
        "portfolio": "lean_agent.prover.searches.portfolio:Portfolio",
    },
)
"""Makers of a :class:`~lean_agent.prover.searches.base.Search`."""

PRIORITIES: Registry[Any] = Registry(
    "priority",
    "lean_agent.priorities",
    {
        "logprob": "lean_agent.prover.tree.priorities:by_logprob",
        "goals": "lean_agent.prover.tree.priorities:by_goals",
        "value": "lean_agent.prover.tree.priorities:by_value",
    },
)
"""Functions, see :data:`lean_agent.prover.tree.priorities.Priority`."""

MEASURES: Registry[Any] = Registry(
    "measure of difficulty",
    "lean_agent.measures",
    {
        "steps": "lean_agent.database.difficulty:proof_steps",
        "length": "lean_agent.database.difficulty:proof_length",
        "premises": "lean_agent.database.difficulty:premise_count",
        "pass_rate": "lean_agent.database.difficulty:failure_rate",
    },
)
"""Functions, see :data:`lean_agent.database.difficulty.Measure`."""

BENCHMARKS: Registry[Any] = Registry(
    "benchmark",
    "lean_agent.benchmarks",
    {
        "lean-core": "lean_agent.evaluation.benchmarks.lean_core:load",
        "sorries": "lean_agent.evaluation.benchmarks.sorries:load",
        "jsonl": "lean_agent.evaluation.benchmarks.sorries:load_jsonl",
        "lean-files": "lean_agent.evaluation.benchmarks.sorries:load_lean_files",
        "minif2f": "lean_agent.evaluation.benchmarks.sorries:load_minif2f",
        "proofnet": "lean_agent.evaluation.benchmarks.sorries:load_proofnet",
        "putnambench": "lean_agent.evaluation.benchmarks.sorries:load_putnambench",
    },
)
"""Functions, see :data:`lean_agent.evaluation.benchmarks.Loader`; their docstrings say what they load."""

STRATEGIES: Registry[Any] = Registry(
    "strategy",
    "lean_agent.strategies",
    {
        "supervised": "lean_agent.improvement.strategies:supervised",
        "preference": "lean_agent.improvement.strategies:preference",
        "dpo": "lean_agent.improvement.strategies:dpo",
        "attempts": "lean_agent.improvement.strategies:attempts",
    },
)
"""Functions, see :data:`lean_agent.improvement.strategies.Strategy`."""
