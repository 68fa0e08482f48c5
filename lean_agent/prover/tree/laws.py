"""Laws that a search asks for: equations about a goal's functions that nobody has stated.

The request stands where a tactic does, and Lean answers it as it does ``exact?``: with what stands in its place
(``LeanAgent/Laws.lean``), a ``have`` for each law, and the state after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lean_agent.policy.closers.schemes import LAWS_REQUEST

TIME = 4
"""It may take so many times as long as a tactic: terms are made and tried, and equations proved."""
_SAYS = "Try this:\n"
_LAW = re.compile(r"have law_\d+ : ")


def is_request(tactic: str) -> bool:
    """Return whether a tactic asks for laws."""
    return tactic == LAWS_REQUEST


def is_law(tactic: str) -> bool:
    """Return whether a tactic is one of those that stand in the place of a request."""
    return _LAW.match(tactic) is not None


def said(messages: Iterable[str]) -> tuple[str, ...]:
    """Return the tactics that stand in the place of a request, by what Lean said to it."""
    return tuple(
        line for message in messages if message.startswith(_SAYS) for line in message.removeprefix(_SAYS).splitlines()
    )
