"""What a file says for itself, made fit to be printed beside a verdict.

A message, a name or a statement may hold line ends, escape sequences of a terminal and marks that turn the direction of
writing: with them one line could look like another.
"""

from __future__ import annotations

import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    """Return the text on one line, with whatever shows nothing or moves what is shown written out: ``\\n``,
    ``\\u{202e}``."""
    return "".join(_shown(character) for character in text)


def indented(text: str) -> str:
    """Return the text with control characters written out, its lines after the first indented by four blanks."""
    return "\n    ".join(visible(line) for line in text.rstrip("\n").split("\n"))


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN and (character == " " or not character.isspace()):
        return character
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return named.get(character, f"\\u{{{ord(character):x}}}")
