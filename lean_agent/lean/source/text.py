r"""The text of Lean files: line ends, and the layout of a proof.

Lean reads ``\r\n`` as ``\n``, and every offset that it takes or gives is one of bytes of that text.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

INDENT = "  "


def as_lean_reads(source: bytes) -> bytes:
    """Return the bytes of a file as the text that offsets belong to."""
    return source.replace(b"\r\n", b"\n")


def place_in_file(source: bytes, offset: int) -> int:
    r"""Return where byte ``offset`` of the text stands in the file itself; a line end stands where its ``\r`` does."""
    start = 0
    for line in source.split(b"\r\n"):
        if offset <= len(line):
            break
        start += len(line) + 2
        offset -= len(line) + 1
    return start + offset


_COMMENT_EDGE = re.compile("/-|-/")


def is_blank(text: str) -> bool:
    """Check whether nothing stands in a text but white space and whole comments."""
    at = 0
    while rest := text[at:].lstrip():
        at = len(text) - len(rest)
        if rest.startswith("--"):
            _, _, after = rest.partition("\n")
            at = len(text) - len(after)
        elif (end := comment_end(text, at)) is not None:
            at = end
        else:
            return False
    return True


def comment_end(text: str, start: int) -> int | None:
    """Return the offset after the block comment that begins at ``start``; ``None`` where none does, or it has no
    end."""
    if not text.startswith("/-", start):
        return None
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge.group() == "/-" else -1
        if depth == 0:
            return edge.end()
    return None


def by_block(tactics: Sequence[str]) -> str:
    """Lay out a script as a flat ``by`` block; later lines of a tactic keep their indentation relative to its first."""
    return "\n".join(["by", *(textwrap.indent(tactic, INDENT) for tactic in tactics)])
