"""What the searches of all rounds so far teach.

Steps of every solved sub-goal, of failed searches too, each goal and tactic once; nothing that is near to a goal of a
held-out theorem or of the development set.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lean_agent.database import StoredTheorem
from lean_agent.database.records import FoundTactic
from lean_agent.improvement.practice import Guard
from lean_agent.prover.saved.training_rows import ProofStep, preference_rows, proof_steps
from lean_agent.prover.saved.trees import SavedSearch
from lean_agent.prover.tree.graph import WHOLE_PROOFS


@dataclass(frozen=True, slots=True)
class Lessons:
    """What searches teach.

    Attributes:
        steps: of proofs, each with the theorem in whose search it was met first.
        pairs: a better and a worse tactic of the same goal: ``{"prompt", "chosen", "rejected"}``.
        refused: steps that were left out, since their goals are near to what must not be learnt.
        schemes: whether tactics may have ``{lemmas}`` in them, which searches fill in.
    """

    steps: tuple[tuple[StoredTheorem, ProofStep], ...] = ()
    pairs: tuple[Mapping[str, str], ...] = ()
    refused: int = 0
    schemes: bool = False

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that change whenever a lesson does."""
        words = [(step.goal, step.tactic) for _, step in self.steps], [dict(pair) for pair in self.pairs]
        return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:12]


def lessons_of(searches: Sequence[tuple[StoredTheorem, SavedSearch]], guard: Guard) -> Lessons:
    """Return what these searches teach together."""
    steps = list(proof_steps([search for _, search in searches]))
    allowed = [step for step in steps if not guard.refuses_goal(step.goal)]
    pairs = [row for row in preference_rows(search for _, search in searches) if not guard.refuses_goal(row["prompt"])]
    placed = tuple((searches[step.search][0], step) for step in allowed)
    return Lessons(placed, tuple(pairs), len(steps) - len(allowed))


def found_tactics(search: SavedSearch) -> tuple[FoundTactic, ...]:
    """Return the proof that a search found as steps with states; of one without states, its script."""
    nodes = {(node.graph, node.id): node for node in search.nodes}
    waiting = [node for node in search.nodes if node.id == 0 and node.solved][:1]
    tactics: list[FoundTactic] = []
    while waiting:
        node = waiting.pop()
        edge = next((edge for edge in node.edges if edge.proves), None)
        if edge is None:  # the proof was not put together of this graph's edges
            return tuple(FoundTactic(tactic, "", "") for tactic in search.script)
        targets = [nodes[node.graph, target] for target in edge.targets]
        before, after = "\n\n".join(node.goals), "\n\n".join(goal for target in targets for goal in target.goals)
        step = "" if edge.proposed_by in WHOLE_PROOFS else edge.tactic
        tactics.append(FoundTactic(step, before, after or "no goals"))
        waiting += reversed(targets)
    return tuple(tactics) or tuple(FoundTactic(tactic, "", "") for tactic in search.script)
