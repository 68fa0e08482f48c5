"""Whole-proof search: the policy writes scripts, Lean says which one proves the theorem.

A script that failed can be handed back with Lean's message, to be repaired; its repair too, as often as the config
says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from lean_agent.errors import LeanError, TacticFailure
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Suggestion
from lean_agent.prover.config import SearchSettings
from lean_agent.prover.searches.base import Question, Trial, TrialResult
from lean_agent.prover.searches.tree_search import TreeSearch
from lean_agent.prover.tree.graph import Edge, Failure, Node
from lean_agent.settings import CountFrom0

REPAIRABLE = ("error", "parse", "kernel", "timeout")
"""Failures that Lean's message may help with; ``sorry`` and what is forbidden are none."""


@dataclass(frozen=True)
class WholeProofSettings(SearchSettings):
    """Settings of whole-proof search.

    Attributes:
        repairs: how often a script that failed is handed back with Lean's message.
    """

    repairs: CountFrom0 = 1


class WholeProofSearch(TreeSearch[WholeProofSettings]):
    """Sample whole scripts; the only state that is asked about is the first one.

    Each time it is asked either for new scripts or for repairs of one that failed, the likeliest first, in turn.
    """

    name = "whole_proof"
    settings_class = WholeProofSettings
    keeps_states = True

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._asked_for_new = False
        self._failed_before = 0
        self._to_repair: list[Failure] = []
        self._repairs_made: dict[str, int] = {}  # of each script that was tried: how often it was repaired
        self._repaired: Failure | None = None

    @override
    def choose(self, limit: int) -> list[Node]:
        """Return the root, while there is something to repair, or the policy has more to say."""
        if self._to_repair or not self._asked_for_new:
            return [self.graph.root]
        return []

    @override
    def question(self, node: Node) -> Question:
        """Ask for new scripts the first time and whenever nothing is left to repair."""
        goal = node.state.goals[0].text
        is_new, self._asked_for_new = not self._asked_for_new, True
        self._repaired = None if is_new or not self._to_repair else self._to_repair.pop(0)
        if self._repaired is None:
            return Question(goal, whole_proof=True)
        return Question(goal, whole_proof=True, attempt=self._repaired.tactic, error=self._repaired.message)

    @override
    def propose(self, answers: Sequence[Sequence[Suggestion]], tokens: int) -> list[Trial]:
        made = self._repairs_made.get(self._repaired.tactic, 0) + 1 if self._repaired else 0
        for suggestion in (suggestion for answer in answers for suggestion in answer):
            self._repairs_made.setdefault(suggestion.tactic, made)
        return super().propose(answers, tokens)

    @override
    def absorb(self, results: Sequence[TrialResult]) -> list[GoalState]:
        """Take in Lean's answers; a script that leaves goals has failed, in the words that Lean has for it."""
        worked = [result for result in results if not isinstance(result, LeanError)]
        left = [result.state for result in worked if result.parts]
        judged = [
            result if isinstance(result, LeanError) or not result.parts else _unsolved(result.state, result.parts)
            for result in results
        ]
        parts = [part for result in worked for part in result.parts if part not in left]
        return [*super().absorb(judged), *left, *parts]

    @override
    def expanded(self, node: Node, edges: Sequence[Edge]) -> None:
        """Put what failed in line for repair."""
        new = node.failures[self._failed_before :]
        self._failed_before = len(node.failures)
        self._to_repair += [
            failure
            for failure in sorted(new, key=lambda failure: -failure.logprob)
            if failure.kind in REPAIRABLE
            and failure.proposed_by == "policy"
            and self._repairs_made.get(failure.tactic, 0) < self.settings.repairs
        ]

    @override
    def reopen(self) -> None:
        """Ask for new scripts once more."""
        self._asked_for_new = False


def _unsolved(state: GoalState, parts: Sequence[GoalState]) -> TacticFailure:
    goals = "\n\n".join(part.text for part in parts)
    return TacticFailure(state.script[-1], "error", f"unsolved goals\n{goals}")
