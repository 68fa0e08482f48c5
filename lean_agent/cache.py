"""Where the package keeps what it can fetch or compute again: one folder of the user's, and nothing else.

It knows no room; each room takes a sub-folder of its own name.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def cache_dir() -> Path:
    """Return the user's cache folder for this package, which may not exist yet.

    ``LEAN_AGENT_CACHE`` overrides the platform's choice (on Linux ``$XDG_CACHE_HOME/lean_agent``).
    """
    override = os.environ.get("LEAN_AGENT_CACHE")
    return Path(override).expanduser().absolute() if override else platformdirs.user_cache_path("lean_agent")
