r"""The text of Lean files, read without Lean: line ends, comments, the layout of a proof, the theorems that it states.

Lean reads ``\r\n`` as ``\n``, and every offset that it takes or gives is one of bytes of that text.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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


def by_block(tactics: Sequence[str], column: int = 0) -> str:
    """Lay out a script as a flat ``by`` block; later lines of a tactic keep their indentation relative to its first.

    Args:
        column: of the theorem, from 0. Tactics stand further to the right: from 4.30 on Lean asks for that (#13229).
    """
    return "\n".join(["by", *(textwrap.indent(tactic, " " * column + INDENT) for tactic in tactics)])


_RAW_STRING = re.compile(r'r(#*)"')
_STRING = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_CHARACTER = re.compile(r"'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)|[^\\'\n])'")
_QUOTED_NAME = re.compile("«[^»\n]*»")
_MODIFIER = r"(?:@\[[^\]]*\]|(?:private|protected|public|noncomputable|nonrec|unsafe|partial|meta)\b)"
_CLAIM = re.compile(
    rf"(?:^|\bin\b)[ \t]*(?:{_MODIFIER}\s*)*(?P<word>theorem|lemma|example)\b\s*"
    r"(?P<name>(?:«[^»\n]*»|[^\s:(\[{⦃«»$])+)?",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class StatedTheorem:
    """A theorem or example as its text has it.

    Attributes:
        word: ``theorem``, ``lemma`` or ``example``.
        name: as written, without the marks of quoting and without ``_root_``; empty for an example.
        line: from 1.
    """

    word: str
    name: str
    line: int


def stated_theorems(text: str) -> list[StatedTheorem]:
    """Return the theorems and examples that begin a line of the text, or follow the ``in`` of another command.

    The judge of a file goes by the declarations that Lean has parsed, and programs of the file can change what Lean
    parses; so whatever stands in the text, comments, strings and quotations aside, has to have a verdict.
    """
    bare = _without_asides(text)
    claims = []
    for match in _CLAIM.finditer(bare):
        word, name = match["word"], match["name"] or ""
        if word != "example" and not name:
            continue
        name = plain_name("" if word == "example" else name.removesuffix("."))  # of `a.{u}` the name is `a`
        claims.append(StatedTheorem(word, name, bare.count("\n", 0, match.start("word")) + 1))
    return claims


def plain_name(name: str) -> str:
    """Return a name without the marks of quoting and without ``_root_``."""
    return name.replace("«", "").replace("»", "").removeprefix("_root_.")


def _without_asides(text: str) -> str:
    """Return the text with blanks in the place of comments, strings, characters and quotations."""
    kept: list[str] = []
    at = 0
    for start, end in _asides(text):
        kept += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return "".join([*kept, text[at:]])


def _asides(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(text):
        end = _aside_end(text, at)
        if end is not None:
            yield at, end
        elif match := _QUOTED_NAME.match(text, at):
            end = match.end()
        at = end if end is not None else at + 1


def _aside_end(text: str, at: int) -> int | None:
    """Return where a comment, string, character or quotation ends that begins at ``at``."""
    match text[at : at + 2]:
        case "--":
            return _place_of("\n", text, at)
        case "/-":
            end = comment_end(text, at)
            return len(text) if end is None else end
        case "`(":
            return _quotation_end(text, at + 1)
    after_name = at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_'!?»")
    if not after_name and (raw := _RAW_STRING.match(text, at)):
        return _place_of('"' + raw[1], text, raw.end()) + 1 + len(raw[1])
    literal = _STRING.match(text, at) or (None if after_name else _CHARACTER.match(text, at))
    return literal.end() if literal else None


def _place_of(part: str, text: str, at: int) -> int:
    """Return where a part comes next, or the end of the text."""
    place = text.find(part, at)
    return len(text) if place < 0 else place


def _quotation_end(text: str, opening: int) -> int:
    """Return the offset after the parenthesis that closes the one at ``opening``."""
    depth, at = 0, opening
    while at < len(text):
        if at > opening and (end := _aside_end(text, at)) is not None:
            at = end
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    return len(text)
