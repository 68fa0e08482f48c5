"""Everything that talks to a Lean process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lean_agent.lean.pantograph import Server

__all__ = ["Server"]


def __getattr__(name: str) -> Any:
    """Load ``Server`` on first use: whoever needs another part of this room does not load Pantograph's."""
    if name == "Server":
        from lean_agent.lean.pantograph import Server

        return Server
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
