"""Schemes that a model writes in training, filled in before Lean sees them, as searches fill them in.

Owns no premises: what finds them, and where each theorem stands, is given to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState
from lean_agent.policy.closers.placeholders import LEMMAS
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.patterns import PatternChecks
from lean_agent.policy.prompt_help import PromptHelp, names_of
from lean_agent.policy.retrieval.corpus import Place

TheoremKey = tuple[str, str, str, str]
"""(url, commit, file, full name)."""


class SchemeFiller:
    """Puts a goal's definitions and premises in the place of ``{lemmas}``.

    Args:
        shown: finds premises.
        places: where each theorem stands.
    """

    def __init__(self, shown: PromptHelp, places: Mapping[TheoremKey, Place]) -> None:
        self._shown = shown
        self._places = places

    async def filled(self, server: LeanServer, asked: Sequence[tuple[TheoremKey, GoalState, str]]) -> list[str]:
        """Return for each theorem, state and tactic what Lean runs at the main goal: the tactic, or what its scheme
        stands for; nothing for a scheme that stands for nothing there."""
        states = {state.key: (self._places[theorem], state) for theorem, state, tactic in asked if LEMMAS in tactic}
        await PatternChecks(server, self._shown).check(list(states.values()))
        goals = {key: self._goal(place, state) for key, (place, state) in states.items()}
        return [
            next(iter(tactics_of(tactic, goals[state.key])), "") if LEMMAS in tactic else tactic
            for _, state, tactic in asked
        ]

    def _goal(self, place: Place, state: GoalState) -> str:
        """Return the main goal below what fills in its schemes."""
        goal = state.goals[0]
        return self._shown.goal(goal.text, place, names_of(goal))
