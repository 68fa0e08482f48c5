"""Pieces of HTML for objects that show themselves in Jupyter: goals, verdicts, tables, trees.

A leaf: it takes texts, escapes all of them, and knows no object of the package. Styles stand with the elements, since a
notebook keeps them without any style sheet of ours.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from html import escape, unescape
from typing import Any

_BLOCK_ENDS = re.compile(r"</div>|</tr>|</h4>|</summary>|</li>(?!\n)")
_CELL_ENDS = re.compile(r"</t[dh]>")
_TAGS = re.compile(r"<[^>]*>")
_CODE = "font-family: monospace; white-space: pre-wrap; text-align: left; vertical-align: top"
_FAINT = "opacity: 0.65"
_GOOD, _BAD = "#1a7f37", "#cf222e"


class InNotebooks(ABC):
    """Shows itself in Jupyter as HTML, and as text where there is none."""

    __slots__ = ()

    @abstractmethod
    def _repr_html_(self) -> str: ...

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return both forms; Jupyter shows the best one that it can (its protocol for rich display)."""
        shown = self._repr_html_()
        return {"text/plain": as_text(shown), "text/html": shown}


def as_text(shown: str) -> str:
    """Return the text of a piece of HTML that was made here: a line for each block, spaces between cells."""
    lines = _BLOCK_ENDS.sub("\n", _CELL_ENDS.sub("  ", shown))
    return unescape(_TAGS.sub("", lines)).strip("\n")


def code(text: str) -> str:
    """Return text as code."""
    return f'<span style="{_CODE}">{escape(text)}</span>'


def faint(text: str) -> str:
    """Return text that is less important."""
    return f'<span style="{_FAINT}">{escape(text)}</span>'


def verdict(is_good: bool, words: str) -> str:
    """Return a word or two in the colour of good or bad news, with a sign for those who see no colours."""
    sign, colour = ("✓", _GOOD) if is_good else ("✗", _BAD)
    return f'<b style="color: {colour}">{sign} {escape(words)}</b>'


def stacked(*parts: str) -> str:
    """Return pieces one below the other; empty ones are left out."""
    return "".join(f"<div>{part}</div>" for part in parts if part)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    Args:
        headings: plain texts.
        rows: pieces of HTML.
    """
    head = "".join(f'<th style="text-align: left">{escape(heading)}</th>' for heading in headings)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align: left; vertical-align: top">{cell}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def goal(target: str, hypotheses: Iterable[tuple[str, str, str | None]], name: str | None = None) -> str:
    """Return a goal: each hypothesis on a line of its own, then the target.

    Args:
        hypotheses: name, type, and value if it has one.
    """
    lines = [f"case {name}"] if name else []
    lines += [f"{each} : {kind}" + (f" := {value}" if value else "") for each, kind, value in hypotheses]
    return code("\n".join([*lines, f"⊢ {target}"]))


def tree(root: Any, labels: Mapping[Any, str], children: Mapping[Any, Sequence[Any]], *, most: int = 500) -> str:
    """Return nested lists that open and close.

    Args:
        root: a key of the other two.
        labels: pieces of HTML.
        most: so many nodes are shown; the rest is said in words.
    """
    left = most

    def shown(key: Any, seen: frozenset[Any]) -> str:
        nonlocal left
        if left <= 0 or key in seen:
            return f"<li>{faint('…' if left <= 0 else 'as above')}</li>"
        left -= 1
        inner = "".join(shown(child, seen | {key}) for child in children.get(key, ()))
        if not inner:
            return f"<li>{labels[key]}</li>"
        is_open = " open" if len(seen) < 4 else ""  # the first levels
        return f"<li><details{is_open}><summary>{labels[key]}</summary><ul>{inner}</ul></details></li>"

    return f"<ul>{shown(root, frozenset())}</ul>"
