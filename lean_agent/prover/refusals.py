"""Learn within a run which tactics Lean refuses.

Two thirds of what a small model proposes fails: it names what is not there, rewrites what the goal does not have, or
tries a closing tactic that has failed a step before. :class:`Refusals` learns from each answer of Lean, over all
searches of a run, how likely a tactic is to work, by a logistic regression over a few features of its text and its goal.
What is compared is the tactic in this place with its kind in general: how likely its kind is, the policy has said.
Nothing is left out for it, a tactic only moves in the queue. Owns this reading of tactics' texts, which knows no more of
Lean's grammar than its binders.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache

from lean_agent.lean.types import Goal
from lean_agent.prover.unknown_names import _LIKE_A_HYPOTHESIS, names_used

RATE = 0.5
LEAST, MOST = -4.0, 1.0
_UNKNOWN = re.compile(r"Unknown (?:identifier|constant) `([^`]+)`")
_WORD = re.compile(r"[^\W\d][\w'!?]*(?:\.[^\W\d][\w'!?]*)*")
_SIGNS = ("∀", "∃", "→", "↔", "∧", "∨", "¬", "=", "≠", "≤", "<", "≥", ">", "∣", "∈")


@lru_cache(maxsize=20_000)
def _head_of(proposition: str) -> str:
    """Return what a proposition says first, as it is printed."""
    if proposition[:1] in ("∀", "∃", "¬"):
        return proposition[0]
    for sign in ("→", "↔", "∨", "∧", "¬"):
        if f" {sign} " in proposition:
            return sign
    for sign in ("=", "≠", "≤", "<", "≥", ">", "∣", "∈"):
        if f" {sign} " in proposition:
            return sign
    return proposition.split(" ", 1)[0]


class Refusals:
    """What the searches of one run have learnt."""

    def __init__(self) -> None:
        self._weights: defaultdict[str, float] = defaultdict(float)
        self._squares: defaultdict[str, float] = defaultdict(float)
        self._worked: Counter[str] = Counter()
        self._tried: Counter[str] = Counter()

    def gain(self, features: tuple[str, ...]) -> float:
        """Return by how many nats such a tactic is likelier to work than others of its kind, which comes first."""
        return min(MOST, max(LEAST, math.log(self._probability(features)) - math.log(self._usual(features[0]))))

    def learn(self, features: tuple[str, ...], worked: bool) -> None:
        """Take in what Lean said (AdaGrad)."""
        error = worked - self._probability(features)
        for feature in features:
            self._squares[feature] += error**2
            self._weights[feature] += RATE * error / math.sqrt(self._squares[feature])
        self._worked[features[0]] += worked
        self._tried[features[0]] += 1

    def _probability(self, features: tuple[str, ...]) -> float:
        return 1 / (1 + math.exp(-sum(self._weights[feature] for feature in features)))

    def _usual(self, kind: str) -> float:
        return (self._worked[kind] + 1) / (self._tried[kind] + 2)


class SearchRefusals:
    """What one search knows, and what it adds to a run's :class:`Refusals`."""

    def __init__(self, run: Refusals) -> None:
        self._run = run
        self._unknown: set[str] = set()
        self._failed: Counter[str] = Counter()
        self._failed_at: Counter[tuple[str, str]] = Counter()

    def gain(self, tactic: str, goal: Goal) -> float:
        """Return by how many nats the tactic is likelier than its kind to work at that goal."""
        return self._run.gain(tuple(self._features(tactic, goal)))

    def learn(self, tactic: str, goal: Goal, worked: bool, message: str = "") -> None:
        """Take in what Lean said to a tactic."""
        self._run.learn(tuple(self._features(tactic, goal)), worked)
        if not worked:
            self._failed[tactic] += 1
            self._failed_at[goal.text, tactic.split(None, 1)[0]] += 1
            self._unknown.update(_UNKNOWN.findall(message))

    def _features(self, tactic: str, goal: Goal) -> Iterator[str]:
        kind = (tactic.split(None, 1) or [""])[0]
        yield kind
        yield f"{kind} at {_head_of(goal.target)}"
        names = names_used(tactic) - {kind}
        variables = {variable.name: variable for variable in goal.variables}
        strange = names - variables.keys()
        if strange & self._unknown:
            yield "unknown"
        if any(map(_LIKE_A_HYPOTHESIS.fullmatch, strange)):
            yield "strange"
        for name in names & variables.keys():
            yield f"{kind} with {_head_of(variables[name].type)}"
        places = set(_WORD.findall(" ".join([goal.target, *(variable.type for variable in goal.variables)])))
        defined = [name for name in strange if "." not in name]
        for name in defined:
            yield f"{kind} present" if name in places else f"{kind} absent"
        for name in strange - self._unknown:
            yield f"name {name}"
        if failed := self._failed[tactic]:
            yield f"{kind} failed {min(failed, 3)}"
        if failed := self._failed_at[goal.text, kind]:
            yield f"{kind} failed here {min(failed, 3)}"
        yield f"text {tactic}"
