"""LeanDojo's annotated tactics: the tactic's text with ``<a>…</a>`` around each premise that it names."""

from __future__ import annotations

from collections.abc import Callable

from lean_agent.lean.types import Premise, TracedTactic


def annotate(tactic: TracedTactic) -> tuple[str, tuple[Premise, ...]]:
    """The annotated text, and the premises that are marked in it, in the order of their marks.

    A premise whose use cannot be placed in the text with certainty is left out: one outside the tactic, one inside
    another's mark, and any in a multi-line tactic whose lines were not all dedented alike.
    """
    offset = _offsets(tactic)
    if offset is None:
        return tactic.tactic, ()
    source = tactic.tactic.encode()
    pieces: list[bytes] = []
    marked: list[Premise] = []
    done = 0
    for premise in sorted(tactic.premises, key=lambda p: (p.start, -p.end)):
        if not tactic.start <= premise.start < premise.end <= tactic.end:
            continue
        start, end = offset(premise.start - tactic.start), offset(premise.end - tactic.start)
        if start < done or b"\n" in source[start:end]:
            continue
        pieces += [source[done:start], b"<a>", source[start:end], b"</a>"]
        marked.append(premise)
        done = end
    return b"".join([*pieces, source[done:]]).decode(), tuple(marked)


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
