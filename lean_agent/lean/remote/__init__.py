"""Lean behind an address: the client of ``lean-agent serve``, and the JSON of what passes between the two."""

from __future__ import annotations

TOKEN_VARIABLE = "LEAN_AGENT_TOKEN"
"""Where a token is looked for that is not given: other users of a machine can read the arguments of a command."""


def is_address(text: str) -> bool:
    """Check whether a text that names a Lean is the address of a service."""
    return text.startswith(("http://", "https://"))
