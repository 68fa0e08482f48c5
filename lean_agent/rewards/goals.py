"""Measure goals: how much of them an attempt has closed, and which symbols they are made of.

Symbols are the tokens of goals as Lean prints them; they are counted, and nothing is understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lean_agent.lean.types import Goal
from lean_agent.trajectory import ProofTrajectory

_TOKEN = re.compile(r"[^\W\d][\w'!?✝₀-₉]*(?:\.[^\W\d][\w'!?✝₀-₉]*)*|\d+|::|\+\+|[^\w\s]")


@dataclass(slots=True)
class _Node:
    """A goal of an attempt."""

    goal: Goal
    targets: frozenset[str]  # of the goal, and of those that it came of
    children: list[_Node] | None = None  # what it became; empty for one that was closed, None for one that is open
    closed: float = 0.0  # see closed_share, in [0, 1]


def closed_share(trajectory: ProofTrajectory, weight: Callable[[Goal], float]) -> float:
    """Return how much of what was to be proved is closed, in [0, 1].

    A goal that Lean closed counts 1, an open one 0. A goal that became others counts the mean of theirs by weight: of
    ``p ∧ q``, ``constructor`` makes two halves. Where some of them have the target of a goal that they came of, these
    are as hard as it was, and the goal counts what the least of them does: so nothing is earned by goals of one's own
    (``have : True``), nor by cases that leave the target as it is (``by_cases True``) until all of them are closed.
    """
    roots = [_Node(goal, frozenset({goal.target})) for goal in trajectory.start]
    nodes, live = list(roots), list(roots)
    for step in trajectory.steps:
        if step.after is not None:
            live, new = _after(live, step.after)
            nodes += new
    for node in reversed(nodes):  # children stand behind their parents
        if node.children is not None:
            node.closed = _closed(node, weight)
    return _mean(roots, weight, flat=0.0)


def _after(live: Sequence[_Node], goals: Sequence[Goal]) -> tuple[list[_Node], list[_Node]]:
    """Return the open nodes after a step, and those of them that are new: the children of all that are open no more."""
    gone = list(live)
    nodes: list[_Node | None] = []
    for goal in goals:
        at = next((at for at, node in enumerate(gone) if node.goal.id == goal.id), None)
        nodes.append(None if at is None else gone.pop(at))
    inherited = frozenset[str]().union(*(node.targets for node in gone))
    whole = [node or _Node(goal, inherited | {goal.target}) for node, goal in zip(nodes, goals, strict=True)]
    new = [node for node, known in zip(whole, nodes, strict=True) if known is None]
    for node in gone:
        node.children = new
    return whole, new


def _closed(node: _Node, weight: Callable[[Goal], float]) -> float:
    children = node.children or []
    same = [child.closed for child in children if child.goal.target in node.targets]
    return min(same) if same else _mean(children, weight, flat=1.0)


def _mean(nodes: Sequence[_Node], weight: Callable[[Goal], float], *, flat: float) -> float:
    """Return the mean of what is closed by weight; ``flat`` of no nodes, the plain mean of such as weigh nothing."""
    weights = [weight(node.goal) for node in nodes]
    if not any(weights):
        weights = [flat for _ in nodes]
    total = sum(weights)
    return sum(w * node.closed for w, node in zip(weights, nodes, strict=True)) / total if total else flat


@lru_cache(maxsize=65_536)
def tokens(text: str) -> tuple[str, ...]:
    """Return the identifiers (a dotted one is one token), numbers and symbols of a printed term, in order."""
    return tuple(_TOKEN.findall(text))


def symbols(text: str) -> tuple[str, ...]:
    """Return the tokens, a dotted identifier by its last part alone: ``a.gcd b`` and ``Nat.gcd a b`` have ``gcd``."""
    return tuple(token.rsplit(".", 1)[-1] if token[-1:].isalnum() else token for token in tokens(text))


def goal_symbols(goal: Goal) -> tuple[str, ...]:
    """Return the symbols of a goal's target and of the types of its hypotheses."""
    return tuple(symbol for text in (goal.target, *(v.type for v in goal.variables)) for symbol in symbols(text))
