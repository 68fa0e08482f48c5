"""Several policies as one: what each proposes stands in one ranking, weighed by how well each has predicted proofs."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from lean_agent.errors import ConfigError
from lean_agent.policy.base import (
    LearnsAtOnce,
    Policy,
    ProofRequest,
    RemakesTactics,
    Suggestion,
    TacticExample,
    WritesProofs,
    identity_of,
    rank_suggestions,
)
from lean_agent.prompts import without_help

REMEMBERED_GOALS = 50_000
"""The last so many goals that were asked about count when a proof is found."""
PRIOR_STEPS = 20.0
"""The weights that a mixture begins with count as much as so many steps of proofs."""
KNOWN_SHARE = 0.5
"""The share of probability that tactics have at a goal at which they were a step of a proof, all of them together."""


class MixturePolicy:
    """Proposes what its sources propose. A tactic's probability is the weighted sum of what the sources say of it.

    The weights are each source's share of the proofs that :meth:`add` is given: one step of the EM algorithm (Dempster
    et al. 1977) for each step of a proof, with the first weights as a Dirichlet prior of ``PRIOR_STEPS`` steps. A
    source that has nothing to say of a goal leaves its weight to the others. At a goal that one of these steps was
    taken at, to the letter, the step comes first.

    Args:
        sources: policies by name.
        weights: of each source at first; by default all alike. They need not sum up to 1.
        goals_alone: names of sources that are shown goals alone where premises or tactics stand above them: models that
            were trained so.

    Raises:
        ConfigError: no source, or weights that are not those of the sources, or not positive.
    """

    def __init__(
        self,
        sources: Mapping[str, Policy],
        weights: Mapping[str, float] | None = None,
        *,
        goals_alone: Collection[str] = (),
    ) -> None:
        first = dict.fromkeys(sources, 1.0) if weights is None else dict(weights)
        if not sources or set(first) != set(sources) or min(first.values()) <= 0:
            raise ConfigError(
                f"A mixture needs sources, and a weight above 0 for each: {', '.join(sources) or 'none'} are there, "
                f"and the weights are {first}."
            )
        self.sources = dict(sources)
        self._goals_alone = frozenset(goals_alone)
        total = math.fsum(first.values())
        self._credits = {name: PRIOR_STEPS * weight / total for name, weight in first.items()}
        self._proposed: dict[str, dict[str, dict[str, float]]] = {}  # goal -> source -> tactic -> probability
        self._learnt: dict[TacticExample, None] = {}
        self._known: defaultdict[str, dict[str, None]] = defaultdict(dict)  # goal -> tactics that were steps there

    def __str__(self) -> str:
        return ", ".join(f"{name} {weight:.0%}" for name, weight in self.weights.items())

    @property
    def samples(self) -> bool:
        return any(source.samples for source in self.sources.values())

    @property
    def identity(self) -> str:
        parts = {name: identity_of(source) for name, source in self.sources.items()}
        return f"mixture {parts} {self.weights}"

    @property
    def weights(self) -> dict[str, float]:
        """The share of each source; they sum up to 1."""
        total = math.fsum(self._credits.values())
        return {name: credit / total for name, credit in self._credits.items()}

    @property
    def learnt(self) -> list[TacticExample]:
        """The steps that it has been given, each once."""
        return list(self._learnt)

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        alone = [without_help(goal) for goal in goals]
        answers = {
            name: source.suggest(alone if name in self._goals_alone else goals, k)
            for name, source in self.sources.items()
        }
        merged = []
        for place, goal in enumerate(alone):
            of_goal = {name: answer[place] for name, answer in answers.items()}
            if len(self._proposed) >= REMEMBERED_GOALS:
                del self._proposed[next(iter(self._proposed))]
            proposed = self._proposed.setdefault(goal, defaultdict(dict))
            for name, suggestions in of_goal.items():
                proposed[name].update((suggestion.tactic, math.exp(suggestion.logprob)) for suggestion in suggestions)
            merged.append(self._merged(of_goal, k, tuple(self._known.get(goal, ()))))
        return merged

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        """Return the scripts of those sources that write some.

        Raises:
            ConfigError: none of them does.
        """
        writers = {name: source for name, source in self.sources.items() if isinstance(source, WritesProofs)}
        if not writers:
            raise ConfigError("None of the sources of this mixture writes whole proofs.")
        alone = [replace(request, goal=without_help(request.goal)) for request in requests]
        answers = {
            name: writer.write_proofs(alone if name in self._goals_alone else requests, k)
            for name, writer in writers.items()
        }
        return [
            self._merged({name: answer[place] for name, answer in answers.items()}, k) for place in range(len(requests))
        ]

    def add(self, steps: Iterable[TacticExample]) -> None:
        """Take in steps of a proof: weights move towards the sources that had proposed them, and sources that learn
        from proofs get them, too. A step that one of these makes anew at each goal is kept from those that do not: at a
        similar goal they would propose it with the names of this one."""
        steps = list(steps)
        self._learnt |= dict.fromkeys(steps)
        for step in steps:
            self._known[step.goal][step.tactic] = None
            proposed = self._proposed.get(step.goal, {})
            shares = {
                name: weight * proposed[name].get(step.tactic, 0.0)
                for name, weight in self.weights.items()
                if name in proposed
            }
            total = math.fsum(shares.values())
            for name, share in shares.items():
                self._credits[name] += share / total if total > 0 else 0.0
        makers = [source for source in self.sources.values() if isinstance(source, RemakesTactics)]
        as_they_are = [step for step in steps if not any(maker.remakes(step) for maker in makers)]
        for source in self.sources.values():
            if isinstance(source, LearnsAtOnce):
                source.add(steps if isinstance(source, RemakesTactics) else as_they_are)

    def _merged(
        self, answers: Mapping[str, Sequence[Suggestion]], k: int, known: Sequence[str] = ()
    ) -> list[Suggestion]:
        """Return the ``k`` likeliest of what the sources say, and of what is known of the same goal."""
        weights = {name: weight for name, weight in self.weights.items() if answers.get(name)}
        total = math.fsum(weights.values())
        weighted = [(weight / total, answers[name]) for name, weight in weights.items()]
        if known:
            share = KNOWN_SHARE if weighted else 1.0
            steps = [Suggestion(tactic, -math.log(len(known)), 0) for tactic in known]
            weighted = [*(((1 - share) * weight, suggestions) for weight, suggestions in weighted), (share, steps)]
        probabilities: defaultdict[str, float] = defaultdict(float)
        tokens: defaultdict[str, int] = defaultdict(int)
        for weight, suggestions in weighted:
            for suggestion in suggestions:
                probabilities[suggestion.tactic] += weight * math.exp(suggestion.logprob)
                tokens[suggestion.tactic] += suggestion.tokens
        return rank_suggestions(
            (
                Suggestion(tactic, math.log(probability), tokens[tactic])
                for tactic, probability in probabilities.items()
                if probability > 0
            ),
            k,
        )
