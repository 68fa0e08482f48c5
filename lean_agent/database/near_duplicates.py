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
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from datasketch import MinHash

Key = TypeVar("Key")

THRESHOLD = 0.8
PIECE = 3
BANDS = (25, 5)
"""25 bands of 5 rows: a pair at 0.8 shares no band with probability (1 - 0.8^5)^25 = 0.00005; one at 0.5 is a candidate
with probability 1 - (1 - 0.5^5)^25 = 0.55, and is then refused by the exact comparison."""
PERMUTATIONS = BANDS[0] * BANDS[1]
BITS = 256
"""Enough that most of a statement's pieces, some 40, have one of their own."""
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
    return _jaccard(len(pieces_of_form & theirs), len(pieces_of_form), len(theirs))


def _jaccard(common: int, size: int, other_size: int) -> float:
    return common / (size + other_size - common)


class Outline(NamedTuple):
    """What stands for a normal form in an index.

    Attributes:
        bands: a number for each of its bands, of 64 bits with a sign. Two forms are candidates when they share one of
            them. Databases keep these numbers.
        bits: one of ``BITS`` is set for each of its pieces.
        size: how many pieces it has.
    """

    bands: list[int]
    bits: int
    size: int

    def may_be_near(self, bits: int, size: int) -> bool:
        """Return whether another form can be a near-duplicate: ``False`` is certain, without a look at its pieces.

        A bit that only one of them has is of a piece, at least, that the other does not have.
        """
        common = min(self.size - (self.bits & ~bits).bit_count(), size - (bits & ~self.bits).bit_count())
        return _jaccard(common, self.size, size) >= THRESHOLD


def outline(form: str) -> Outline:
    """Return what stands for a normal form in an index."""
    from datasketch.hashfunc import sha1_hash32

    hashes = [sha1_hash32(piece.encode()) for piece in pieces(form)]
    bits = 0
    for number in hashes:
        bits |= 1 << number % BITS
    return Outline(_bands(hashes), bits, len(hashes))


def bands(form: str) -> list[int]:
    """Return :attr:`Outline.bands` of a normal form."""
    return outline(form).bands


def _bands(hashes: Sequence[int]) -> list[int]:
    """Return a number for each band of the pieces that have these hashes of 32 bits."""
    import numpy as np

    sketch = _blank_sketch().copy()
    sketch.update_batch(hashes)
    rows = np.asarray(sketch.hashvalues, dtype=np.uint64).reshape(BANDS)
    numbers = (rows * np.array(_POWERS, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    numbers += np.arange(BANDS[0], dtype=np.uint64) * np.uint64(_GOLDEN)  # a band's numbers are no other's
    signed: list[int] = numbers.view(np.int64).tolist()
    return signed


@cache
def _blank_sketch() -> MinHash:
    from datasketch import MinHash

    return MinHash(num_perm=PERMUTATIONS, seed=1, hashfunc=int)  # of what is hashed already


def near_among(
    form: str, candidates: Iterable[Key], form_of: Callable[[Key], str], tells: Callable[[Key], object]
) -> list[Key]:
    """Return those candidates that are near-duplicates of ``form``, in their order.

    Args:
        form_of: the normal form of a candidate; asked for where it is compared.
        tells: what is asked about a near-duplicate. Of those that tell the same the first is enough: in a large family
            nearly all comparisons are saved.
    """
    near: dict[object, Key] = {}
    for known in candidates:
        group = tells(known)
        if group not in near and similarity(form, form_of(known)) >= THRESHOLD:
            near[group] = known
    return list(near.values())


class NearDuplicates:
    """An index over normal forms, each under a key; kept in memory."""

    def __init__(self) -> None:
        self._added: list[tuple[str, str]] = []
        self._outlines: list[tuple[int, int]] = []  # bits and size of each
        self._last: dict[int, int] = {}
        """The place in ``_added`` that had each number of a band last."""
        self._earlier = array("q")
        """For each place and band the place that had the same number before it, or -1."""

    def insert(self, key: str, form: str) -> None:
        """Put ``form`` into the index."""
        self._insert(key, form, outline(form))

    def add(self, key: str, form: str, tells: Callable[[str], object] = lambda known: known) -> list[str]:
        """Put ``form`` into the index; returns the keys of its near-duplicates so far, in the order of their adding.

        Args:
            tells: as in :func:`near_among`, of a key.
        """
        new = outline(form)
        near = near_among(form, self._candidates(new), self._form, lambda place: tells(self._added[place][0]))
        self._insert(key, form, new)
        return [self._added[place][0] for place in near]

    def nearest(self, form: str) -> str | None:
        """Return the key of the first near-duplicate of ``form`` in the index, which stays as it is; ``None`` where
        there is none."""
        if not self._added:
            return None  # without what an outline takes: the light installation has no MinHash
        candidates = self._candidates(outline(form))
        near = (place for place in candidates if similarity(form, self._form(place)) >= THRESHOLD)
        return next((self._added[place][0] for place in near), None)

    def _form(self, place: int) -> str:
        return self._added[place][1]

    def _candidates(self, new: Outline) -> list[int]:
        """Return the places of what shares a band with a form, and may be near it, in the order of the adding."""
        places: set[int] = set()
        for band, number in enumerate(new.bands):
            place = self._last.get(number, -1)
            while place >= 0:
                places.add(place)
                place = self._earlier[place * BANDS[0] + band]
        return [place for place in sorted(places) if new.may_be_near(*self._outlines[place])]

    def _insert(self, key: str, form: str, new: Outline) -> None:
        place = len(self._added)
        for number in new.bands:
            self._earlier.append(self._last.get(number, -1))
            self._last[number] = place
        self._added.append((key, form))
        self._outlines.append((new.bits, new.size))


def near_pairs(forms: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Return all pairs of near-duplicates among (key, normal form), each once, the earlier key first."""
    index = NearDuplicates()
    for key, form in forms:
        for known in index.add(key, form):
            yield known, key
