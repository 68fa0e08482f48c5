"""The tokens of goals as Lean prints them: what scorers measure goals by. Counts, and understands nothing."""

from __future__ import annotations

import re
from functools import lru_cache

from lean_agent.lean.types import Goal

_TOKEN = re.compile(r"[^\W\d][\w'!?✝₀-₉]*(?:\.[^\W\d][\w'!?✝₀-₉]*)*|\d+|::|\+\+|[^\w\s]")


@lru_cache(maxsize=65_536)
def tokens(text: str) -> tuple[str, ...]:
    """Identifiers (a dotted one is one token), numbers and symbols of a printed term, in order."""
    return tuple(_TOKEN.findall(text))


def symbols(text: str) -> tuple[str, ...]:
    """The tokens, a dotted identifier by its last part alone: ``a.gcd b`` and ``Nat.gcd a b`` both have ``gcd``."""
    return tuple(token.rsplit(".", 1)[-1] if token[-1:].isalnum() else token for token in tokens(text))


def goal_symbols(goal: Goal) -> tuple[str, ...]:
    """The symbols of a goal's target and of the types of its hypotheses."""
    return tuple(symbol for text in (goal.target, *(v.type for v in goal.variables)) for symbol in symbols(text))
