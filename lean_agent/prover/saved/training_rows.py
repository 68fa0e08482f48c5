"""What searches teach, failed ones too: tactics with scores, pairs of a better and a worse one, and distances.

A tactic that stands in a proof of its state scores 1, one that worked but was part of no proof 0.3, one that failed 0:
the scale of the verified reward (:mod:`lean_agent.rewards.verified`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lean_agent.prompts import main_goal
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch
from lean_agent.prover.tree.graph import Failure

PROVES, WORKS, FAILS = 1.0, 0.3, 0.0
UNTAUGHT = ("timeout", "lean")
"""Failures that say more about the machine than about the tactic."""
NEVER = 10**6
"""The steps that are too few where a tactic does not work: any number."""


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


def distance_rows(searches: Iterable[SavedSearch]) -> Iterator[dict[str, Any]]:
    """Yield how far goals are from being proved, and how far when a tactic comes first: ``{"goal", "tactic", "steps",
    "censored", "theorem"}``, the tactic empty for a goal by itself.

    A solved state has the steps of its shortest known proof. One that is not solved is censored: its steps are taken to
    be more than the states that were looked at from there on; those of a tactic that failed, more than any number.
    States of several goals are left out, since their goals hang together.
    """
    for search in searches:
        nodes = {(node.graph, node.id): node for node in search.nodes}
        shortest = _shortest_proofs(nodes)
        for place, node in nodes.items():
            if len(node.goals) == 1 and node.status != "open":
                for tactic, steps, censored in _distances(node, nodes, shortest.get(place), shortest):
                    row = {"goal": main_goal(node.goals[0]), "tactic": tactic, "steps": steps, "censored": censored}
                    yield {**row, "theorem": search.theorem}


Place = tuple[int, int]
"""A state of a saved search: its graph and its id."""


def _distances(
    node: SavedNode, nodes: Mapping[Place, SavedNode], known: int | None, shortest: Mapping[Place, int]
) -> Iterator[tuple[str, int, bool]]:
    """Yield (tactic, steps, censored) of a state, first without a tactic."""
    yield ("", known, False) if known is not None else ("", _looked_at([node], nodes), True)
    for edge in node.edges:
        if _learnable(edge):
            targets = [(node.graph, target) for target in edge.targets]
            if all(target in shortest for target in targets):
                yield edge.tactic, 1 + sum(shortest[target] for target in targets), False
            else:
                left = [nodes[target] for target in targets if target not in shortest]
                yield edge.tactic, 1 + _looked_at(left, nodes), True
    for failure in node.failures:
        if _learnable(failure) and failure.kind not in UNTAUGHT:
            yield failure.tactic, NEVER, True


def _shortest_proofs(nodes: Mapping[Place, SavedNode]) -> dict[Place, int]:
    """Return the steps of the shortest known proof of each solved state, all tactics of its parts counted.

    What a memory proposed is a proof of unknown length, and counts for none.
    """
    shortest: dict[Place, int] = {}
    is_changing = True
    while is_changing:
        is_changing = False
        for place, node in nodes.items():
            for edge in node.edges:
                targets = [(node.graph, target) for target in edge.targets]
                if _learnable(edge) and all(target in shortest for target in targets):
                    steps = 1 + sum(shortest[target] for target in targets)
                    if steps < shortest.get(place, NEVER):
                        shortest[place] = steps
                        is_changing = True
    return shortest


def _looked_at(start: Sequence[SavedNode], nodes: Mapping[Place, SavedNode]) -> int:
    """Count the states that the policy was asked about, from some on."""
    seen: set[Place] = set()
    waiting = [(node.graph, node.id) for node in start]
    while waiting:
        place = waiting.pop()
        if place not in seen and nodes[place].status != "open":
            seen.add(place)
            waiting += [(place[0], target) for edge in nodes[place].edges for target in edge.targets]
    return len(seen)


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
