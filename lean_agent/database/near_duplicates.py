"""Statements that say nearly the same: found in time that grows with their number and not, large families of them
aside, with its square.

Two statements are near-duplicates when at least ``THRESHOLD`` of their three-word pieces are common (Jaccard index),
bound variables being numbered before. MinHash (Broder 1997) with locality-sensitive hashing finds candidates; each one
is then compared exactly, so that a pair that is reported is one; one in 20,000 is missed at the threshold, fewer above.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datasketch import MinHash

THRESHOLD = 0.8
PIECE = 3
BANDS = (25, 5)
"""25 bands of 5 rows: a pair at 0.8 shares no band with probability (1 - 0.8^5)^25 = 0.00005; one at 0.5 is a candidate
with probability 1 - (1 - 0.5^5)^25 = 0.55, and is then refused by the exact comparison."""
PERMUTATIONS = BANDS[0] * BANDS[1]
_GOLDEN = 0x9E3779B97F4A7C15
_POWERS = tuple(pow(_GOLDEN, power, 2**64) for power in range(1, BANDS[1] + 1))
"""Odd factors of 64 bits, by which the rows of a band become one number."""

_NAME = r"(?:«[^»]*»|[^\W\d][\w'!?✝]*)"
_WORD = re.compile(rf"{_NAME}(?:\.{_NAME})*|\d+|\S")
_BINDERS = (
    re.compile(rf"[(\[{{⦃]\s*((?:{_NAME}\s+)*{_NAME})\s*:(?!=)"),
    re.compile(rf"[∀∃λ]\s*((?:{_NAME}\s+)*{_NAME})\s*[,:]"),
    re.compile(rf"\bfun\s+((?:{_NAME}\s+)*{_NAME})\s*(?:=>|↦)"),
)
_DECLARATION = re.compile(
    rf"\A(?:@\[[^\]]*\]\s*)*(?:(?:private|protected|public|noncomputable)\s+)*(?:theorem|lemma|example)\b\s*"
    rf"(?:{_NAME}(?:\.{_NAME})*)?(?:\.\{{[^}}]*\}})?"
)
_PUNCTUATION = frozenset("∀,:")


def normal_form(statement: str) -> str:
    """Return the words of a statement, in which bound variables are numbered in the order of their binding.

    A statement may be a type as Lean prints it or the source text of a declaration; of the latter, keyword and name go.
    What differs between the two spellings (``∀``, commas and colons) goes as well.
    """
    text = _DECLARATION.sub("", statement.strip())
    bound: dict[str, str] = {}
    places = sorted((match.start(), match[1]) for binder in _BINDERS for match in binder.finditer(text))
    for _, names in places:
        for name in names.split():
            bound.setdefault(name, f"#{len(bound)}")
    return " ".join(_renamed(word, bound) for word in _WORD.findall(text) if word not in _PUNCTUATION)


def goal_form(goal: str) -> str:
    """Return the normal form of a goal as Lean prints it: that of the statement which its hypotheses and its target
    make, in the order in which they are printed."""
    lines: list[str] = []
    for line in goal.strip().splitlines():
        if line.startswith(" ") and lines:
            lines[-1] += f" {line.strip()}"
        elif not line.startswith("case "):
            lines.append(line)
    return normal_form(" ".join(line.removeprefix("⊢ ") if line.startswith("⊢") else f"({line})" for line in lines))


def _renamed(word: str, bound: dict[str, str]) -> str:
    """``h.symm`` is ``#0.symm`` where ``h`` is bound."""
    head, dot, rest = word.partition(".")
    return bound.get(head, head) + dot + rest


@lru_cache(maxsize=16_384)  # of a family all are compared with each other
def pieces(form: str) -> frozenset[str]:
    """Return all runs of three words of a normal form; a shorter form is one piece."""
    words = form.split()
    return frozenset(" ".join(words[at : at + PIECE]) for at in range(max(1, len(words) - PIECE + 1)))


def similarity(form: str, other: str) -> float:
    """Return the Jaccard index of the pieces of two normal forms, in [0, 1]."""
    pieces_of_form, theirs = pieces(form), pieces(other)
    return len(pieces_of_form & theirs) / len(pieces_of_form | theirs)


def bands(form: str) -> list[int]:
    """Return what stands for a normal form in an index: a number for each of its bands, of 64 bits with a sign.

    Two forms are candidates when they share one of them. Databases keep these numbers.
    """
    import numpy as np

    sketch = _blank_sketch().copy()
    sketch.update_batch([piece.encode() for piece in pieces(form)])
    rows = np.asarray(sketch.hashvalues, dtype=np.uint64).reshape(BANDS)
    numbers = (rows * np.array(_POWERS, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    numbers += np.arange(BANDS[0], dtype=np.uint64) * np.uint64(_GOLDEN)  # a band's numbers are no other's
    signed: list[int] = numbers.view(np.int64).tolist()
    return signed


@cache
def _blank_sketch() -> MinHash:
    from datasketch import MinHash

    return MinHash(num_perm=PERMUTATIONS, seed=1)


def near_among(
    form: str, candidates: Iterable[tuple[str, str]], tells: Callable[[str], object] = lambda known: known
) -> list[str]:
    """Return the keys of those candidates, (key, normal form), that are near-duplicates of ``form``, in their order.

    Args:
        tells: what is asked about a near-duplicate, by its key. Of those that tell the same the first is enough: in a
            large family nearly all comparisons are saved.
    """
    near: dict[object, str] = {}
    for known, its_form in candidates:
        group = tells(known)
        if group not in near and similarity(form, its_form) >= THRESHOLD:
            near[group] = known
    return list(near.values())


class NearDuplicates:
    """An index over normal forms, each under a key; kept in memory."""

    def __init__(self) -> None:
        self._added: list[tuple[str, str]] = []
        self._last: dict[int, int] = {}
        """The place in ``_added`` that had each number of a band last."""
        self._earlier = array("q")
        """For each place and band the place that had the same number before it, or -1."""

    def insert(self, key: str, form: str) -> None:
        """Put ``form`` into the index."""
        self._insert(key, form, bands(form))

    def add(self, key: str, form: str, tells: Callable[[str], object] = lambda known: known) -> list[str]:
        """Put ``form`` into the index; returns the keys of its near-duplicates so far, in the order of their adding.

        Args:
            tells: as in :func:`near_among`.
        """
        numbers = bands(form)
        near = near_among(form, self._candidates(numbers), tells)
        self._insert(key, form, numbers)
        return near

    def nearest(self, form: str) -> str | None:
        """Return the key of the first near-duplicate of ``form`` in the index, which stays as it is; ``None`` where
        there is none."""
        candidates = self._candidates(bands(form))
        return next((known for known, its_form in candidates if similarity(form, its_form) >= THRESHOLD), None)

    def _candidates(self, numbers: Sequence[int]) -> Iterable[tuple[str, str]]:
        """Return (key, normal form) of what shares a band with a form, in the order of the adding."""
        places: set[int] = set()
        for band, number in enumerate(numbers):
            place = self._last.get(number, -1)
            while place >= 0:
                places.add(place)
                place = self._earlier[place * len(numbers) + band]
        return [self._added[place] for place in sorted(places)]

    def _insert(self, key: str, form: str, numbers: Sequence[int]) -> None:
        place = len(self._added)
        for number in numbers:
            self._earlier.append(self._last.get(number, -1))
            self._last[number] = place
        self._added.append((key, form))


def near_pairs(forms: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Return all pairs of near-duplicates among (key, normal form), each once, the earlier key first."""
    index = NearDuplicates()
    for key, form in forms:
        for known in index.add(key, form):
            yield known, key
