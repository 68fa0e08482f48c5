"""The Lean that a project asks for beside the Lean that traced it, and which errors the difference may explain."""

from __future__ import annotations

import re

from lean_agent.lean.types import LeanMessage

_NUMBER = re.compile(r"(\d+)\.(\d+)")
_NOT_KNOWN = re.compile(
    r"unknown (identifier|constant|option|attribute|namespace|tactic|declaration|universe|module|package)"
    r"|unexpected (token|identifier)|expected token|invalid (field|attribute|argument name|option|pattern)"
    r"|has not been implemented|object file .* does not exist|no such attribute|is not a structure field",
    re.IGNORECASE,
)


def minor_version(text: str | None) -> tuple[int, int] | None:
    """``leanprover/lean4:v4.28.0-rc1`` is (4, 28); ``None`` where there is no number, as for ``nightly``."""
    match = _NUMBER.search(text.partition(":")[2] or text) if text else None
    return (int(match[1]), int(match[2])) if match else None


def differs(toolchain: str | None, ran: str) -> bool:
    """Return whether a project asks for another minor version than the one that ran; without one, it does not."""
    asked = minor_version(toolchain)
    return toolchain is not None and asked != minor_version(ran)


def is_unknown_here(error: LeanMessage) -> bool:
    """Return whether an error speaks of a name, option, attribute or syntax that the Lean which ran does not have.

    In a project that was written for another version these are what the difference breaks first. It is a count of
    suspects: such an error may also be the project's own.
    """
    return _NOT_KNOWN.search(error.text) is not None
