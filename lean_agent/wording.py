"""Words that users read and that more than one room prints: counts, versions."""

from __future__ import annotations

import unicodedata
from importlib import metadata

from lean_agent.extras import DISTRIBUTION

HIDDEN_BODIES = "the library's bodies are not in this build (docs/embedded_lean.md)"
"""Why Lean makes an error that comes of nothing in the file: ``hidden body`` of :attr:`LeanMessage.cause`."""

RESUMED = ("demo", "trace", "train", "improve", "train-attempts", "offline-grpo", "dpo")
"""Commands that go on where they were stopped when they are given again."""

LOST = {
    "failed": "left out for errors inside",
    "undeclared": "that Lean has read and not declared",
    "unread": "in text that Lean has not read",
}
"""What became of theorems that a file states and a trace has not, by :data:`lean_agent.lean.types.LossKind`."""


def counted(number: int, thing: str, things: str | None = None) -> str:
    """Return ``1 theorem``, ``1,024 theorems``; ``things`` is a plural that is not made with an ``s``."""
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"


def installed_version(package: str = DISTRIBUTION) -> str:
    """Return the version of a package, or a note that there is none: a source tree need not be installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed as a package"


# A message, a name or a statement may hold line ends, escape sequences of a terminal and marks that turn the direction
# of writing: with them one line could look like another.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: str) -> str:
    r"""Return the text on one line, with whatever shows nothing or moves what is shown written out: ``\n``,
    ``\u{202e}``."""
    return "".join(_shown(character) for character in text)


def visible_lines(text: str) -> str:
    """Return the text with control characters written out, in the lines that it has."""
    return "\n".join(visible(line) for line in text.rstrip("\n").split("\n"))


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN and (character == " " or not character.isspace()):
        return character
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return named.get(character, f"\\u{{{ord(character):x}}}")
