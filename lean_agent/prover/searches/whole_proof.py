"""Whole-proof search: the policy writes scripts, Lean says which one proves the theorem.

A script that failed can be handed back with Lean's message, to be repaired; its repair too, as often as the config
says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lean_agent.errors import LeanError, TacticFailure
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.prover.searches.base import Outcome, Question, Trial
from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Edge, Failure, Node

REPAIRABLE = ("error", "parse", "kernel", "timeout")
"""Failures that Lean's message may help with; ``sorry`` and what is forbidden are none."""


class WholeProofSearch(TreeSearch):
    """Sample whole scripts; the only state that is asked about is the first one.

    Each time it is asked either for new scripts or for repairs of one that failed, the likeliest first, in turn.
    """

    name = "whole_proof"
    keeps_states = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._asked_once = False
        self._failed_before = 0
        self._to_repair: list[Failure] = []
        self._repairs_made: dict[str, int] = {}  # of each script that was tried: how often it was repaired
        self._repaired: Failure | None = None

    def opened(self, node: Node) -> None:
        """See :meth:`TreeSearch.opened`."""

    def choose(self, limit: int) -> list[Node]:
        """The root, while there is something to repair, or the policy has more to say."""
        if self._to_repair or not self._asked_once:
            return [self.graph.root]
        return []

    def question(self, node: Node) -> Question:
        """New scripts the first time and whenever nothing is left to repair."""
        goal = node.state.goals[0].text
        fresh, self._asked_once = not self._asked_once, True
        self._repaired = None if fresh or not self._to_repair else self._to_repair.pop(0)
        if self._repaired is None:
            return Question(goal, whole_proof=True)
        return Question(goal, whole_proof=True, attempt=self._repaired.tactic, error=self._repaired.message)

    def propose(self, answers: Sequence[Sequence[Suggestion]], tokens: int) -> list[Trial]:
        """See :meth:`TreeSearch.propose`."""
        made = self._repairs_made.get(self._repaired.tactic, 0) + 1 if self._repaired else 0
        for suggestion in (one for answer in answers for one in answer):
            self._repairs_made.setdefault(suggestion.tactic, made)
        return super().propose(answers, tokens)

    def absorb(self, outcomes: Sequence[Outcome]) -> list[GoalState]:
        """See :meth:`TreeSearch.absorb`; a script that leaves goals has failed, in the words that Lean has for it."""
        left = [one.state for one in outcomes if not isinstance(one, LeanError) and one.parts]
        judged = [
            one if isinstance(one, LeanError) or not one.parts else _unsolved(one.state, one.parts) for one in outcomes
        ]
        parts = [part for one in outcomes if not isinstance(one, LeanError) for part in one.parts if part not in left]
        return [*super().absorb(judged), *left, *parts]

    def expanded(self, node: Node, edges: Sequence[Edge]) -> None:
        """What failed is put in line for repair."""
        new = node.failures[self._failed_before :]
        self._failed_before = len(node.failures)
        self._to_repair += [
            one
            for one in sorted(new, key=lambda one: -one.logprob)
            if one.kind in REPAIRABLE
            and one.proposed_by == "policy"
            and self._repairs_made.get(one.tactic, 0) < self.config.repairs
        ]

    def reopen(self) -> None:
        """New scripts once more."""
        self._asked_once = False


def _unsolved(state: GoalState, parts: Sequence[GoalState]) -> TacticFailure:
    goals = "\n\n".join(part.text for part in parts)
    return TacticFailure(state.script[-1], "error", f"unsolved goals\n{goals}")
