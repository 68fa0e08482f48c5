"""What follows at a goal from its hypotheses, by Lean's own word (``LeanAgent/Consequences.lean``).

Theorems that conclude something of predicates that are variables, or whose conditions hold by a definition, are of no
use to matching and rewriting, which begin at terms. So Lean is asked of each goal what theorems of the project and
hypotheses conclude of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lean_agent.errors import LeanError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import Consequence, GoalState
from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus


class ToldConsequences:
    """Asks Lean what follows, once of each goal.

    Args:
        server: looks for it.
        corpus: knows what may be used at a place: nothing follows there by anything else.
        most: of what follows at one goal.
    """

    def __init__(self, server: LeanServer, corpus: PremiseCorpus, most: int) -> None:
        self._server = server
        self._corpus = corpus
        self._most = most
        self._known: dict[tuple[Place, str], tuple[Consequence, ...]] = {}

    async def tell(self, states: Sequence[tuple[Place, GoalState]]) -> list[GoalState]:
        """Return states with what follows at the first goal of each. Where Lean gives no answer, nothing does."""
        keyed = [(place, state.goals[0].text) for place, state in states]
        new = {key: state for key, (_, state) in zip(keyed, states, strict=True) if key not in self._known}
        if new:
            answers = await self._server.goal_consequences_async(list(new.values()), most=self._most)
            for key, answer in zip(new, answers, strict=True):
                self._known[key] = () if isinstance(answer, LeanError) else answer
        return [self._with(state, place, self._known[key]) for key, (place, state) in zip(keyed, states, strict=True)]

    def _with(self, state: GoalState, place: Place, consequences: Sequence[Consequence]) -> GoalState:
        usable = tuple(each for each in consequences if self._may_use(each, place))
        first, *others = state.goals
        return replace(state, goals=(replace(first, consequences=usable), *others)) if usable else state

    def _may_use(self, consequence: Consequence, place: Place) -> bool:
        """Return whether all theorems that it uses may be used at a place: an open one may not, before it is proved."""
        return all(self._corpus.named([name], place) for name in consequence.uses)
