"""Keep what belongs to one process from its forked children: threads, pipes and connections stay behind.

It knows no room; each says what belongs to it, and which of its errors a child gets.
"""

from __future__ import annotations

import os

from lean_agent.errors import LeanAgentError


class Owner:
    """Process that something was made in.

    Args:
        what: was made, for messages: ``Lean pool``.
        error: is raised in another process.
    """

    def __init__(self, what: str, error: type[LeanAgentError]) -> None:
        self._what = what
        self._error = error
        self._pid = os.getpid()

    @property
    def is_here(self) -> bool:
        """False in a forked child."""
        return os.getpid() == self._pid

    def check(self) -> None:
        """Refuse a forked child, in which whoever waited would wait for ever.

        Raises:
            LeanAgentError: of the class that was given.
        """
        if not self.is_here:
            raise self._error(
                f"this {self._what} belongs to process {self._pid}, and its threads and connections are not in process "
                f"{os.getpid()}, forked from it: make another in the worker, after the fork (docs/concurrency.md)."
            )
