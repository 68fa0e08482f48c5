"""What ``exact?`` and its kin suggest, read from what Lean says: "Try this:", and a line for each suggestion.

A suggestion that is longer than a line goes on in lines that are indented further.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_HEADS = re.compile(r"^(?:Try this|Try these):", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:•\s*)?\[\w+\] ")
_REST = re.compile(r"^\s*--.*$", re.MULTILINE)  # `rw?` tells what would be left as a comment


def suggested(messages: Iterable[str]) -> list[str]:
    """Return the tactics that some messages suggest, each once, in their order."""
    tactics: dict[str, None] = {}
    for message in messages:
        for block in _HEADS.split(message)[1:]:
            tactics.update(dict.fromkeys(_tactics(block)))
    return list(tactics)


def _tactics(block: str) -> list[str]:
    items: list[list[str]] = []
    for line in block.split("\n"):
        if _ITEM.match(line):
            items.append([_ITEM.sub("", line)])
        elif line.strip() and line.startswith(" ") and items:
            items[-1].append(line)
        elif line.strip() and not items:  # all on the line of "Try this:", as older Leans write it
            items.append([line.strip()])
    tactics = ["\n".join([item[0], *_dedented(item[1:])]) for item in items]
    return [tactic for text in tactics if (tactic := _REST.sub("", text).strip())]


def _dedented(lines: list[str]) -> list[str]:
    """Return the further lines of a suggestion as they stand below its first."""
    least = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return ["  " + line[least:] for line in lines]
