"""Which of the open theorems are to be proved, by names and patterns."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from lean_agent.database import StoredTheorem
from lean_agent.errors import ConfigError, nearest


def choose_theorems(theorems: Sequence[StoredTheorem], patterns: Sequence[str]) -> list[StoredTheorem]:
    """Those that a pattern means, in their order.

    Args:
        patterns: full names, their ends (``twice`` for ``Lists.twice``), or either with ``*`` and ``?``; without any
            all theorems are meant.

    Raises:
        ConfigError: a pattern means none of them.
    """
    for pattern in patterns:
        if not any(_means(pattern, theorem) for theorem in theorems):
            known = [theorem.full_name for theorem in theorems]
            raise ConfigError(f"No open theorem of these repositories is called {pattern}. {_known(pattern, known)}")
    return [theorem for theorem in theorems if not patterns or any(_means(pattern, theorem) for pattern in patterns)]


SHOWN_NAMES = 20


def _known(pattern: str, names: Sequence[str]) -> str:
    if not names:
        return "They leave none open."
    if len(names) <= SHOWN_NAMES:
        return nearest(pattern, names)
    return f"They leave {len(names):,} open; `lean-agent db show` of a repository with --all lists them."


def _means(pattern: str, theorem: StoredTheorem) -> bool:
    return fnmatchcase(theorem.full_name, pattern) or fnmatchcase(theorem.full_name, f"*.{pattern}")
