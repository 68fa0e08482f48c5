"""Which tactics are likely to fail, by the names that they use.

A small model speaks of hypotheses that its goal does not have: of 9,700 tactics that failed in searches over repos/,
4,100 named something unknown. So a tactic is penalized that uses a name which is neither a hypothesis nor bound by the
tactic itself, where Lean has called that name unknown before in this search, or where it looks like a hypothesis. The
penalty only moves a tactic back in the queue: nothing is left out for it. Owns this reading of tactics' texts, which
knows no more of Lean's grammar than its binders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_NAME = re.compile(r"[A-Za-z_α-κμ-ωΓ-ΩΔ][\w'!?₀-₉]*(?:\.[A-Za-z_][\w'!?₀-₉]*)*")
_BINDERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:intro|intros|rintro|rename_i|ext|funext)\b[^;<]*",
        r"(?:\bfun\b|λ|∃|∀)[^=,↦]*(?:=>|,|↦)",
        r"\bobtain\b[^:]*:=",
        r"\bwith\b[^;]*",
        r"\b(?:have|let|suffices|set|by_cases|generalize|induction|cases)\s+[\w'₀-₉]+\s*:",
        r"\|[^=]*=>",
    )
)
_LIKE_A_HYPOTHESIS = re.compile(r"[a-z]{1,2}[\d₀-₉']*|ih\w*|h\w{1,2}")
"""``h``, ``h₁``, ``hp``, ``ih``, ``x'``: what hypotheses are called; words of tactics (``at``, ``rw``) are left out."""
_WORDS = frozenset({"at", "by", "do", "if", "in", "rw"})
_UNKNOWN = re.compile(r"^Unknown (?:identifier|constant) `([^`]+)`")


@lru_cache(maxsize=100_000)
def names_used(tactic: str) -> frozenset[str]:
    """Return the names in a tactic that it does not bind itself, and their first components (``h`` of ``h.1``)."""
    bound: set[str] = set()
    rest = tactic
    for binder in _BINDERS:
        for match in binder.finditer(rest):
            bound.update(_NAME.findall(match.group()))
        rest = binder.sub(" ", rest)
    return frozenset(part for name in _NAME.findall(rest) for part in (name, name.split(".")[0])) - bound - _WORDS


class UnknownNameFilter:
    """What one search has learnt about names."""

    def __init__(self) -> None:
        self._unknown: set[str] = set()

    def learn(self, message: str) -> bool:
        """Take in why Lean refused a tactic; returns whether that was news."""
        match = _UNKNOWN.match(message)
        if match is None or match[1] in self._unknown:
            return False
        self._unknown.add(match[1])
        return True

    def rejects(self, tactic: str, hypotheses: Iterable[str]) -> bool:
        """Return whether the tactic uses a name that is not there."""
        strange = names_used(tactic).difference(hypotheses)
        return bool(strange & self._unknown) or any(map(_LIKE_A_HYPOTHESIS.fullmatch, strange))
