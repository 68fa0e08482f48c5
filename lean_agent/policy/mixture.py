"""Several policies as one: what each proposes stands in one ranking, weighed by how well each has predicted proofs.

Owns the weights. A tactic's probability is the weighted sum of what the sources say of it, so that suggestions of all of
them can be compared in one queue.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from lean_agent.errors import ConfigError
from lean_agent.policy.base import Policy, Suggestion, rank_suggestions
from lean_agent.policy.neighbours import ProofStep

PRIOR_STEPS = 20.0
"""The weights that a mixture begins with count as much as so many steps of proofs."""


class MixturePolicy:
    """Proposes what its sources propose, each weighed by its share of the proofs so far.

    The weights are the maximum-likelihood mixture weights (one step of EM for each proof, Dempster et al. 1977) of the
    steps that :meth:`add` is given, with the first weights as a Dirichlet prior of ``PRIOR_STEPS`` steps.

    Args:
        sources: policies by name.
        weights: of each source at first; by default all alike. They need not sum up to 1.

    Raises:
        ConfigError: no source, or weights that are not those of the sources, or not positive.
    """

    def __init__(self, sources: Mapping[str, Policy], weights: Mapping[str, float] | None = None) -> None:
        first = dict.fromkeys(sources, 1.0) if weights is None else dict(weights)
        if not sources or set(first) != set(sources) or min(first.values()) <= 0:
            raise ConfigError(
                f"A mixture has sources and a weight above 0 for each: {sorted(sources)} and {first} do not fit."
            )
        self.sources = dict(sources)
        total = sum(first.values())
        self._credit = {name: PRIOR_STEPS * weight / total for name, weight in first.items()}
        self._said: dict[str, dict[str, dict[str, float]]] = {}

    @property
    def samples(self) -> bool:
        return any(source.samples for source in self.sources.values())

    @property
    def weights(self) -> dict[str, float]:
        """The share of each source; they sum up to 1."""
        total = sum(self._credit.values())
        return {name: credit / total for name, credit in self._credit.items()}

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        answers = {name: source.suggest(goals, k) for name, source in self.sources.items()}
        return [
            self._merged(goal, {name: answer[place] for name, answer in answers.items()}, k)
            for place, goal in enumerate(goals)
        ]

    def _merged(self, goal: str, answers: Mapping[str, Sequence[Suggestion]], k: int) -> list[Suggestion]:
        probabilities: defaultdict[str, float] = defaultdict(float)
        tokens: defaultdict[str, int] = defaultdict(int)
        for name, weight in self.weights.items():
            for suggestion in answers[name]:
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
