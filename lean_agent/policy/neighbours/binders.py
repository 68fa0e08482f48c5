"""Read which names a tactic binds, so that ``intro x`` and ``intro y`` are one proposal and neither hides a hypothesis.

A tactic whose binders it cannot read binds nothing: it stays a proposal of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from lean_agent.policy.neighbours.goals import IDENTIFIER

_NAME = re.compile(rf"(?<![\w.'@«]){IDENTIFIER.pattern}")
_REGION = re.compile(
    r"""\A(?:intros?|rintro|funext|ext|rename_i)\b(?P<introduced>[^;<]*)
    |\Aobtain\b(?P<obtained>[^;]*?):=
    |\A(?:rcases|injection)\b[^;]*?\bwith\b(?P<taken>[^;<]*)
    |\A(?:have|by_cases|let|suffices)(?P<named>\ [\w']+)\ :
    |\|\s*@?[\w.']+(?P<cases>[^=|]*)=>""",
    re.VERBOSE,
)
_NO_NAMES = frozenset({"rfl", "with", "at", "using", "generalizing"})


@dataclass(frozen=True, slots=True)
class Binders:
    """A tactic, taken apart at its names.

    Attributes:
        pieces: text and names by turns, text first and last.
        bound: the places of the names that are bound there.
    """

    pieces: tuple[str, ...]
    bound: frozenset[int]

    @property
    def names(self) -> tuple[str, ...]:
        """Names that the tactic binds, in their order, each once."""
        return tuple(dict.fromkeys(self.pieces[place] for place in sorted(self.bound)))

    def renamed(self, names: Collection[str], local: Collection[str]) -> str:
        """Return the tactic with other names for those that it binds, in their order.

        Args:
            local: hypotheses; where the tactic speaks of one, and does not bind it there, it keeps its name.
        """
        others = dict(zip(self.names, names, strict=True))
        return "".join(
            others.get(piece, piece) if place in self.bound or (place % 2 and piece not in local) else piece
            for place, piece in enumerate(self.pieces)
        )

    def shape(self, local: Collection[str]) -> str:
        """Return a text that is the same for tactics that differ in nothing but what they call what they bind."""
        if not self.bound:
            return "".join(self.pieces)
        return self.renamed([f"#{number}" for number in range(len(self.names))], local)


@lru_cache(maxsize=16_384)
def binders(tactic: str) -> Binders:
    """Read which names a tactic binds."""
    regions = [match.span(match.lastgroup) for match in _REGION.finditer(tactic) if match.lastgroup]
    pieces: list[str] = []
    bound: list[int] = []
    last = 0
    for match in _NAME.finditer(tactic):
        pieces += [tactic[last : match.start()], match[0]]
        last = match.end()
        inside = any(start <= match.start() and match.end() <= end for start, end in regions)
        if inside and match[0] not in _NO_NAMES:
            bound.append(len(pieces) - 1)
    return Binders((*pieces, tactic[last:]), frozenset(bound))


def with_fresh_names(tactic: str, local: Collection[str]) -> str:
    """Return the tactic with primes at names that it binds and a hypothesis has that it does not speak of."""
    read = binders(tactic)
    if not read.bound:
        return tactic
    spoken = {piece for place, piece in enumerate(read.pieces) if place % 2 and place not in read.bound}
    taken = set(local) - spoken
    if taken.isdisjoint(read.names):
        return tactic
    names: list[str] = []
    for name in read.names:
        names.append(next(name + "'" * primes for primes in count() if name + "'" * primes not in taken))
        taken.add(names[-1])
    return read.renamed(names, local)
