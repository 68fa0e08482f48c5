"""Which alternatives of a tactic have closed its cases: the rest is left out of the proof.

A scheme is one long tactic, ``induction n <;> first | rfl | … | grind [f, g, …]``: a way of searching. A reader of the
proof wants what has worked, and the judge would run the rest again. Lean says it in the same call: each alternative is
followed by ``trace`` with its number, which is only reached where it works.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lean_agent.policy.closers.schemes import alternatives, with_alternatives

_SAYS = "alternative"
_SAID = re.compile(rf"{_SAYS} (\d+)")
_PLAIN = re.compile(r"\w+[!?]?(?: \[[^\[\]|]*\])?|exact (?:<;>|[^;\n])+|\([^\n]+\)")
"""What surely is one alternative: a ``|`` in a tactic may stand for something else (``rcases h with a | b``)."""
_DONE = re.compile(r"^\((.*); done\)$", re.DOTALL)
_SEVERAL = re.compile(r"^\((.*;.*); done\)$", re.DOTALL)
OF_ALL = " <;> "


def tracing(tactic: str) -> str:
    """Return the tactic so that Lean says which of its alternatives have worked; one without such is as it is."""
    head, ways = _plain_alternatives(tactic)
    if not ways:
        return tactic
    telling = [f'({way}; trace "{_SAYS} {number}")' for number, way in enumerate(ways)]
    return f'({with_alternatives(head, telling)}); trace "{_SAYS} {len(ways)}"'


def without_unused(tactic: str, messages: Iterable[str]) -> str:
    """Return the tactic without the alternatives that have closed nothing.

    Args:
        tactic: as it was before :func:`tracing`.
        messages: of Lean, when it ran so; where it said nothing of alternatives, the tactic is as it is.
    """
    head, ways = _plain_alternatives(tactic)
    numbers = _said(messages)
    if len(ways) not in numbers:
        return tactic
    match [way for number, way in enumerate(ways) if number in numbers]:
        case []:
            return head.removesuffix(OF_ALL)
        case [way]:
            return head + alone(way)
        case worked:
            return with_alternatives(head, worked)


def single_alternatives(tactic: str, messages: Iterable[str]) -> list[str]:
    """Return the tactic with each of those alternatives alone that may close all cases: none before the last that has
    closed one, since there all of these had failed.

    Args:
        messages: as for :func:`without_unused`; where they say nothing of alternatives, it may be each.
    """
    head, ways = _closing_alternatives(tactic)
    numbers = _said(messages) - {len(ways)}
    return [head + alone(way) for way in ways[max(numbers, default=0) :]]


def all_tried(tactic: str) -> list[str]:
    """Return the tactics that have failed where this one has: its alternatives, where these are all of it."""
    before, ways = alternatives(tactic)
    return [tactic] if before or not ways else ways


def alone(way: str) -> str:
    """Return an alternative as it is written where it is the only one: what has to be done with ``(…; done)``, lest the
    next be left out, needs no brackets then, and no ``done`` where it is of several tactics."""
    return _DONE.sub(r"\1", _SEVERAL.sub(r"(\1)", way))


def _said(messages: Iterable[str]) -> set[int]:
    """Return the numbers in what the alternatives have said, and that of the whole."""
    return {int(match[1]) for message in messages if (match := _SAID.fullmatch(message.strip()))}


def _closing_alternatives(tactic: str) -> tuple[str, list[str]]:
    """Return the alternatives of a tactic, where they are for all its goals or all that what comes first leaves."""
    head, ways = alternatives(tactic)
    return (head, ways) if head == "" or head.endswith(OF_ALL) else (tactic, [])


def _plain_alternatives(tactic: str) -> tuple[str, list[str]]:
    """Return the same where a text surely has them."""
    head, ways = _closing_alternatives(tactic)
    return (head, ways) if all(map(_PLAIN.fullmatch, ways)) else (tactic, [])
