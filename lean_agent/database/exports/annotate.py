"""LeanDojo's annotated tactics: the tactic's text with ``<a>…</a>`` around each premise that it names.

Marks do not nest, and readers of the format pair the marks with the premises one by one. So a premise whose use holds
others (the constructor behind ``⟨_, f h, e⟩``), or goes over several lines, is marked on its first word that is none of
theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lean_agent.lean.types import Premise, TracedTactic

_WORD = re.compile(r"[(\[{⟨]|[^\s,()\[\]{}⟨⟩]+")

Span = tuple[int, int]


def annotate(tactic: TracedTactic) -> tuple[str, tuple[Premise, ...]]:
    """Return the annotated text, and the premises that are marked in it, in the order of their marks.

    A premise whose use cannot be placed in the text with certainty is left out: one outside the tactic, one with no
    word of its own, and any in a multi-line tactic whose lines were not all dedented alike.
    """
    offset = _offsets(tactic)
    if offset is None:
        return tactic.tactic, ()
    source = tactic.tactic.encode()
    uses: dict[Span, Premise] = {}
    for premise in tactic.premises:
        if tactic.start <= premise.start < premise.end <= tactic.end:
            uses.setdefault((offset(premise.start - tactic.start), offset(premise.end - tactic.start)), premise)
    marks = {mark: premise for use, premise in uses.items() if (mark := _own_word(source, use, [*uses])) is not None}
    pieces: list[bytes] = []
    done = 0
    for start, end in sorted(marks):
        pieces += [source[done:start], b"<a>", source[start:end], b"</a>"]
        done = end
    return b"".join([*pieces, source[done:]]).decode(), tuple(marks[mark] for mark in sorted(marks))


def _own_word(source: bytes, use: Span, uses: Sequence[Span]) -> Span | None:
    """Return the use itself, if it is of one line and holds no other; else its first word that is of none of these."""
    start, end = use
    inner = [(first, last) for first, last in uses if first < end and start < last]
    inner = sorted((first, last) for first, last in inner if (last - first, first) < (end - start, start))
    if not inner and b"\n" not in source[start:end]:
        return use
    for first, last in [*inner, (end, end)]:
        text = source[start : max(start, first)].decode()
        if word := _WORD.search(text):
            return start + len(text[: word.start()].encode()), start + len(text[: word.end()].encode())
        start = max(start, last)
    return None


def _offsets(tactic: TracedTactic) -> Callable[[int], int] | None:
    """From a byte of the source span to a byte of the dedented text; ``None`` when that is not certain.

    The text differs from the span by the indent that its continuation lines lost, the same for each line that is not
    blank.
    """
    lines = tactic.tactic.encode().split(b"\n")
    lost = tactic.end - tactic.start - len(tactic.tactic.encode())
    indented = sum(1 for line in lines[1:] if line.strip())
    if lost == 0:
        return lambda at: at
    if indented == 0 or lost % indented:
        return None
    indent = lost // indented
    starts: list[tuple[int, int]] = []  # (start in the span, bytes lost up to and including this line's indent)
    at = gone = 0
    for number, line in enumerate(lines):
        here = indent if number and line.strip() else 0
        gone += here
        starts.append((at, gone))
        at += here + len(line) + 1

    def to_text(position: int) -> int:
        gone = next(gone for start, gone in reversed(starts) if start <= position)
        return position - gone

    return to_text
