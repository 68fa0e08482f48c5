"""Every error that the package raises on purpose.

An error is named after the boundary that was crossed, says what was tried and what the user can do.

    LeanAgentError
    ├── ConfigError                 a setting that cannot work, refused before anything heavy starts
    ├── LeanError                   the boundary to a Lean process
    │   ├── LeanInstallError        embedded Lean could not be fetched or prepared
    │   ├── LeanStartupError        a Lean process did not come up
    │   ├── LeanProcessDied         a Lean process ended while it owed an answer
    │   ├── LeanTimeout             a request outlived its wall-clock limit and its process was killed
    │   ├── LeanRequestError        Lean answered: the request itself makes no sense (unknown file, theorem, state)
    │   └── TacticFailure           a tactic failed: data rather than an accident (see its docstring)
    ├── TraceError                  the boundary to a repository
    │   ├── RepositoryNotFound      nothing could be cloned from there
    │   ├── CommitNotFound          the repository has no such commit
    │   └── NotALeanProject         neither a lakefile nor a .lean file
    ├── DatabaseError               the boundary to the database file
    ├── PolicyError                 the boundary to a language model
    │   └── ModelNotFound           no causal language model at that name or path
    └── TrainingError               a training run that cannot go on
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal


class LeanAgentError(Exception):
    """Root of the tree: ``except LeanAgentError`` catches all that the package raises on purpose."""


class ConfigError(LeanAgentError):
    """A setting that cannot work, found before anything heavy is started."""


class LeanError(LeanAgentError):
    """Something at the boundary to a Lean process."""


class LeanInstallError(LeanError):
    """Embedded Lean could not be fetched, checked or prepared."""


class LeanStartupError(LeanError):
    """A Lean process did not come up."""


class LeanProcessDied(LeanError):
    """A Lean process ended while it owed an answer."""


class LeanTimeout(LeanError):
    """A request outlived its wall-clock limit; its process was killed and replaced."""


class LeanRequestError(LeanError):
    """Lean understood the request and refused it: unknown file, theorem, state or command."""


FailureKind = Literal["error", "parse", "forbidden", "sorry", "timeout", "kernel", "no_goals"]


class TacticFailure(LeanError):
    """A tactic that did not work on a state.

    Single calls raise it; batch calls return it in the place of a result, since a failed tactic is data.

    Attributes:
        tactic: the tactic as it was sent.
        kind: ``error`` (Lean's own error), ``parse`` (no tactic of Lean's grammar), ``forbidden`` (a construct that
            could cheat or reach the host), ``sorry`` (it leaves a hole), ``timeout`` (heartbeats or wall clock),
            ``kernel`` (the kernel refused the finished term), ``no_goals`` (nothing left to prove).
        message: Lean's words.
    """

    def __init__(self, tactic: str, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.tactic = tactic
        self.kind: FailureKind = kind
        self.message = message

    def __reduce__(self) -> tuple[type[TacticFailure], tuple[str, FailureKind, str]]:
        return (type(self), (self.tactic, self.kind, self.message))


class TraceError(LeanAgentError):
    """Something at the boundary to a repository."""


class RepositoryNotFound(TraceError):
    """Nothing could be cloned from the address."""


class CommitNotFound(TraceError):
    """The repository has no such commit."""


class NotALeanProject(TraceError):
    """Neither a lakefile nor any ``.lean`` file."""


class DatabaseError(LeanAgentError):
    """Something at the boundary to the database file."""


class PolicyError(LeanAgentError):
    """Something at the boundary to a language model."""


class ModelNotFound(PolicyError):
    """No causal language model at that name or path."""


class TrainingError(LeanAgentError):
    """A training run that cannot go on."""


def words_of(error: Exception) -> str:
    """Why a file could not be read or written, for a sentence that names it: the system's words without a number."""
    return getattr(error, "strerror", None) or str(error)


def next_step(error: OSError) -> str:
    """What somebody can do about a file or folder that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some space, or name another place"
    if error.errno in (errno.EEXIST, errno.ENOTDIR):  # of a folder that was to be made
        return "it lies below a file: name another place"
    return "name another place, one that you may write to"


def closest(name: str, known: Sequence[str]) -> str | None:
    """What ``name`` may have meant, if anything."""
    # A half, not difflib's 0.6, so that half a name is known by its other half.
    close = get_close_matches(name.lower(), known, cutoff=0.5)
    # Letters that stand in another order are a slip of the fingers more often than letters that are wrong.
    close.sort(key=lambda one: sorted(one) != sorted(name.lower()))
    return close[0] if close else None


def nearest(name: str, known: Sequence[str]) -> str:
    """A sentence that names what ``name`` may have meant, and all there is."""
    close = closest(name, known)
    meant = f"Did you mean {close!r}? " if close else ""
    return f"{meant}There are {', '.join(sorted(known))}."
