"""What Lean is asked about theorems and their goals before the policy is: how tactics take premises, and what follows
at each goal."""

from __future__ import annotations

from collections.abc import Sequence

from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState
from lean_agent.policy.patterns import PatternChecks
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval.consequences import ToldConsequences
from lean_agent.policy.retrieval.corpus import Place


class Preparation:
    """Asks for the searches of one run, which are known by the indices of their theorems.

    Args:
        server: answers.
        shown: what the policy is shown beside goals; it keeps what Lean says of premises.
        places: of the theorems.
    """

    def __init__(self, server: LeanServer, shown: PromptHelp, places: Sequence[Place]) -> None:
        self._checks = PatternChecks(server, shown)
        self._consequences = ToldConsequences(server, shown.corpus, shown.settings.consequences)
        self._shown = shown
        self._places = places

    async def start(self, roots: Sequence[tuple[int, GoalState]]) -> list[GoalState]:
        """Return first states, with what follows there, once Lean has been asked about their theorems."""
        if self._shown.settings.facts:
            await self._checks.check([(self._places[index], root) for index, root in roots])
        return await self.open(roots)

    async def open(self, states: Sequence[tuple[int, GoalState]]) -> list[GoalState]:
        """Return states that are to be proved, with what follows at each."""
        if not self._shown.settings.consequences:
            return [state for _, state in states]
        return await self._consequences.tell([(self._places[index], state) for index, state in states])
