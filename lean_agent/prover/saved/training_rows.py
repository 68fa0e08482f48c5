"""What searches teach, failed ones too: steps of proofs, tactics with scores, pairs of a better and a worse one, and
distances.

A step of a proof is a tactic that begins a shortest known proof of its state: where the proof of what it leaves is no
shorter than the state's own, it was a detour. Such a step scores 1, a tactic that worked and was none 0.3, one that
failed 0: the scale of the verified reward (:mod:`lean_agent.rewards.verified`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lean_agent.prompts import main_goal
from lean_agent.prover.refusals import TOO_DEEP
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch
from lean_agent.prover.tree.alternatives import all_tried
from lean_agent.prover.tree.graph import WHOLE_PROOFS, Failure

PROVES, WORKS, FAILS = 1.0, 0.3, 0.0
UNTAUGHT = ("timeout", "lean")
"""Failures that say more about the machine than about the tactic."""
NEVER = 10**6
"""The steps that are too few where a tactic does not work: any number."""


Place = tuple[int, int]
"""A state of a saved search: its graph and its id."""
State = tuple[str, ...]
"""The goals of a state as Lean prints them: what a state of one search is in another."""


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A tactic that begins a shortest known proof of a state.

    Attributes:
        goal: the main goal.
        goals: all goals of the state.
        after: the goals that it leaves, those of states apart one after the other.
        steps: how many the proof has, this one included.
        search: which of the searches met it, by its number.
        place: the state in that search.
        proposed_by: ``policy`` or ``closer``.
    """

    goal: str
    goals: State
    tactic: str
    after: State
    steps: int
    search: int
    place: Place = (0, 0)
    proposed_by: str = "policy"


def proof_steps(searches: Sequence[SavedSearch]) -> Iterator[ProofStep]:
    """Yield the steps of every solved state, of failed searches too: each tactic of each goal once, several tactics
    for a goal where several proofs are shortest.

    What one search has proved of a state holds for the others, also where they were told of it by the memory.
    """
    shortest = _shortest_proofs(searches)
    seen: set[tuple[str, str]] = set()
    for number, search in enumerate(searches):
        nodes = _by_place(search)
        for node in search.nodes:
            for edge in node.edges:
                steps = _steps_by(edge, node, nodes, shortest)
                if not node.goals or steps is None or steps > shortest[node.goals] or edge.proposed_by == "author":
                    continue
                goal = main_goal(node.goals[0])
                if (goal, edge.tactic) not in seen:
                    seen.add((goal, edge.tactic))
                    after = tuple(text for target in edge.targets for text in nodes[node.graph, target].goals)
                    place = (node.graph, node.id)
                    yield ProofStep(goal, node.goals, edge.tactic, after, steps, number, place, edge.proposed_by)


def scored_rows(searches: Iterable[SavedSearch], *, least: int = 2) -> Iterator[dict[str, Any]]:
    """Yield for each state that was asked about: ``{"prompt": goal, "completions": [{"text", "score"}, …]}``, best
    first.

    States whose tactics all have the same score teach nothing, and are left out; so are those with fewer than ``least``
    tactics. A goal that several searches met is one row, each tactic at its best score.
    """
    searches = list(searches)
    shortest = _shortest_proofs(searches)
    scores: dict[str, dict[str, float]] = {}
    for search in searches:
        nodes = _by_place(search)
        for node in search.nodes:
            if node.goals:
                of_goal = scores.setdefault(main_goal(node.goals[0]), {})
                for tactic, score in _scores(node, nodes, shortest):
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
        nodes = _by_place(search)
        shortest = _shortest_proofs([search])
        for node in search.nodes:
            if len(node.goals) == 1 and node.status != "open":
                for tactic, steps, censored in _distances(node, nodes, shortest):
                    row = {"goal": main_goal(node.goals[0]), "tactic": tactic, "steps": steps, "censored": censored}
                    yield {**row, "theorem": search.theorem}


def _by_place(search: SavedSearch) -> dict[Place, SavedNode]:
    return {(node.graph, node.id): node for node in search.nodes}


def _distances(
    node: SavedNode, nodes: Mapping[Place, SavedNode], shortest: Mapping[State, int]
) -> Iterator[tuple[str, int, bool]]:
    """Yield (tactic, steps, censored) of a state, first without a tactic."""
    known = shortest.get(node.goals)
    yield ("", known, False) if known is not None else ("", _looked_at([node], nodes), True)
    for edge in node.edges:
        if _learnable(edge):
            steps = _steps_by(edge, node, nodes, shortest)
            if steps is not None:
                yield edge.tactic, steps, False
            else:
                targets = (nodes[node.graph, target] for target in edge.targets)
                left = [target for target in targets if target.goals not in shortest]
                yield edge.tactic, 1 + _looked_at(left, nodes), True
    for failure in node.failures:
        if _learnable(failure) and failure.kind not in UNTAUGHT:
            for tactic in _all_failed(failure):
                yield tactic, NEVER, True


def _steps_by(
    edge: SavedEdge, node: SavedNode, nodes: Mapping[Place, SavedNode], shortest: Mapping[State, int]
) -> int | None:
    """Return the steps of the shortest known proof of a state that begins with a tactic; ``None`` without any."""
    targets = [nodes[node.graph, target].goals for target in edge.targets]
    if not _learnable(edge) or any(target not in shortest for target in targets):
        return None
    return 1 + sum(shortest[target] for target in targets)


def _shortest_proofs(searches: Iterable[SavedSearch]) -> dict[State, int]:
    """Return the steps of the shortest known proof of each solved state, all tactics of its parts counted.

    What a memory proposed is a proof of unknown length, and counts for none.
    """
    places = [(node, nodes) for search in searches for nodes in [_by_place(search)] for node in search.nodes]
    shortest: dict[State, int] = {}
    is_changing = True
    while is_changing:
        is_changing = False
        for node, nodes in places:
            for edge in node.edges:
                steps = _steps_by(edge, node, nodes, shortest)
                if steps is not None and steps < shortest.get(node.goals, NEVER):
                    shortest[node.goals] = steps
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


def _scores(
    node: SavedNode, nodes: Mapping[Place, SavedNode], shortest: Mapping[State, int]
) -> Iterator[tuple[str, float]]:
    for edge in node.edges:
        if _learnable(edge):
            steps = _steps_by(edge, node, nodes, shortest)
            yield edge.tactic, PROVES if steps is not None and steps == shortest[node.goals] else WORKS
    for failure in node.failures:
        if _learnable(failure) and failure.kind not in UNTAUGHT:
            yield from ((tactic, FAILS) for tactic in _all_failed(failure))


def _all_failed(failure: Failure) -> list[str]:
    """Return a tactic that failed, or its alternatives, where each of them was tried: after one that went too deep none
    is."""
    return [failure.tactic] if TOO_DEEP in failure.message else all_tried(failure.tactic)


def _learnable(tried: SavedEdge | Failure) -> bool:
    """Return whether it is a tactic to learn, and not a whole proof."""
    return tried.proposed_by not in WHOLE_PROOFS
