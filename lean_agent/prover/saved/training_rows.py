"""What searches teach, failed ones too: tactics with scores, and pairs of a better and a worse one.

A tactic that stands in a proof of its state scores 1, one that worked but was part of no proof 0.3, one that failed 0:
the scale of the verified reward (:mod:`lean_agent.rewards.verified`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lean_agent.prompts import main_goal
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch
from lean_agent.prover.tree.graph import Failure

PROVES, WORKS, FAILS = 1.0, 0.3, 0.0
UNTAUGHT = ("timeout", "lean")
"""Failures that say more about the machine than about the tactic."""


def scored_rows(searches: Iterable[SavedSearch], *, least: int = 2) -> Iterator[dict[str, Any]]:
    """Yield for each state that was asked about: ``{"prompt": goal, "completions": [{"text", "score"}, …]}``, best
    first.

    States whose tactics all have the same score teach nothing, and are left out; so are those with fewer than ``least``
    tactics. A goal that several searches met is one row, each tactic at its best score.
    """
    scores: dict[str, dict[str, float]] = {}
    for search in searches:
        proved = {(node.graph, node.id) for node in search.nodes if node.solved}
        for node in search.nodes:
            if node.goals:
                of_goal = scores.setdefault(main_goal(node.goals[0]), {})
                for tactic, score in _scores(node, proved):
                    of_goal[tactic] = max(score, of_goal.get(tactic, score))
    for goal, tactics in scores.items():
        if len(tactics) >= least and len(set(tactics.values())) > 1:
            ranked = sorted(tactics.items(), key=lambda item: -item[1])
            yield {"prompt": goal, "completions": [{"text": text, "score": score} for text, score in ranked]}


def preference_rows(searches: Iterable[SavedSearch]) -> Iterator[dict[str, Any]]:
    """Yield pairs for offline GRPO and preference losses elsewhere: ``{"prompt", "chosen", "rejected"}``, the better
    tactics of each state, with as many of the worse ones, in the order of their scores."""
    for row in scored_rows(searches):
        completions = row["completions"]
        best = completions[0]["score"]
        chosen = [tactic["text"] for tactic in completions if tactic["score"] == best]
        rejected = [tactic["text"] for tactic in reversed(completions) if tactic["score"] < best]
        for better, worse in zip(chosen, rejected, strict=False):
            yield {"prompt": row["prompt"], "chosen": better, "rejected": worse}


def _scores(node: SavedNode, proved: set[tuple[int, int]]) -> Iterator[tuple[str, float]]:
    for edge in node.edges:
        if _learnable(edge):
            proves = all((node.graph, target) in proved for target in edge.targets)
            yield edge.tactic, PROVES if proves else WORKS
    for failure in node.failures:
        if _learnable(failure) and failure.kind not in UNTAUGHT:
            yield failure.tactic, FAILS


def _learnable(tried: SavedEdge | Failure) -> bool:
    """Return whether it is a tactic to learn; what a memory proposed is another state's whole proof."""
    return tried.proposed_by != "memory"
