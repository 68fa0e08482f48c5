"""Every error that the package raises on purpose.

An error is named after the boundary that was crossed, says what was tried and what the user can do.

    LeanAgentError
    ├── ConfigError                 a setting that cannot work, refused before anything heavy starts (a ValueError)
    │   ├── ConfigTypeError         one of the wrong type, or of no known name (a TypeError too)
    │   └── MissingExtra            what was asked for needs an extra that is not installed (an ImportError too)
    ├── LeanError                   the boundary to a Lean process
    │   ├── LeanInstallError        embedded Lean could not be fetched or prepared
    │   ├── LeanStartupError        a Lean process did not come up
    │   ├── LeanProcessDied         a Lean process ended while it owed an answer
    │   │   ├── LeanCrashed         by what it was asked, and would do so again
    │   │   └── LeanStalled         none of its threads had worked for long
    │   ├── LeanTimeout             a request outlived its wall-clock limit and its process was killed
    │   ├── LeanForkError           a Lean server of another process, used in a forked child
    │   ├── LeanUnreachable         a Lean service that does not answer, or refuses the token
    │   ├── LeanRequestError        Lean answered: the request itself makes no sense (unknown file, theorem, state)
    │   │   ├── UnknownState        a state named by its key that the service does not hold any more
    │   │   ├── LeanTypeError       an argument of the wrong type; a TypeError too
    │   │   └── LeanValueError      an argument that no request can have; a ValueError too
    │   └── TacticFailure           a tactic failed: data rather than an accident (see its docstring)
    ├── TraceError                  the boundary to a repository
    │   ├── RepositoryNotFound      nothing could be cloned from there
    │   ├── CommitNotFound          the repository has no such commit
    │   └── NotALeanProject         neither a lakefile nor a .lean file
    ├── DatabaseError               the boundary to the database file
    ├── PolicyError                 the boundary to a language model
    │   └── ModelNotFound           no causal language model at that name or path
    ├── TrainingError               a training run that cannot go on
    └── StorageError                a folder that can hold no more: the disk is full, or fails
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal, get_args


class LeanAgentError(Exception):
    """Root of the tree: ``except LeanAgentError`` catches all that the package raises on purpose."""


class ConfigError(LeanAgentError, ValueError):
    """A setting that cannot work, found before anything heavy is started."""


class ConfigTypeError(ConfigError, TypeError):
    """A setting of the wrong type, or an argument that there is none of."""


class MissingExtra(ConfigError, ImportError):
    """A library is not installed that an extra of the package brings.

    Attributes:
        name: the module that is missing.
    """

    def __init__(self, message: str, name: str | None = None) -> None:
        super().__init__(message)
        self.name = name


class LeanError(LeanAgentError):
    """Something at the boundary to a Lean process."""


class LeanInstallError(LeanError):
    """Embedded Lean could not be fetched, checked or prepared."""


class LeanStartupError(LeanError):
    """A Lean process did not come up."""


class LeanProcessDied(LeanError):
    """A Lean process ended while it owed an answer."""


CrashKind = Literal["out_of_memory", "deep_recursion", "crashed"]
CRASHES: tuple[CrashKind, ...] = get_args(CrashKind)


class LeanCrashed(LeanProcessDied):
    """A request that ends the Lean process which works on it.

    Attributes:
        kind: ``out_of_memory``, ``deep_recursion`` (the stack was full), or ``crashed`` for any other end.
        op: the operation of the request, such as ``tactic`` or ``verify``.
        is_certain: it would end any other process as well, so that nothing is tried twice. A fault of the WebAssembly
            machine may be the process's own, and a file is worth a second try: such a request is tried once more.
    """

    def __init__(self, message: str, kind: CrashKind, op: str, is_certain: bool = True) -> None:
        super().__init__(message)
        self.kind: CrashKind = kind
        self.op = op
        self.is_certain = is_certain

    def __reduce__(self) -> tuple[type[LeanCrashed], tuple[str, CrashKind, str, bool]]:
        return (type(self), (str(self), self.kind, self.op, self.is_certain))


class LeanStalled(LeanProcessDied):
    """No thread of a Lean process had worked on its request for so long that the process ended itself."""


class LeanTimeout(LeanError):
    """A request outlived its wall-clock limit; its process was killed and replaced."""


class LeanForkError(LeanError):
    """A Lean server was used in a forked child of the process that it belongs to."""


class LeanUnreachable(LeanError):
    """A Lean service does not answer, or not to this client."""


class LeanRequestError(LeanError):
    """Lean understood the request and refused it: unknown file, theorem, state or command."""


class LeanTypeError(LeanRequestError, TypeError):
    """An argument of the wrong type, refused before anything is asked of Lean."""


class LeanValueError(LeanRequestError, ValueError):
    """An argument of the right type that no request can have, such as a limit of -1 seconds."""


class UnknownState(LeanRequestError):
    """A state that is named by its key, and that the service does not hold any more: it has to be sent whole."""


FailureKind = Literal["error", "parse", "forbidden", "axiom", "sorry", "timeout", "kernel", "no_goals", CrashKind]


class TacticFailure(LeanError):
    """A tactic that did not work on a state.

    Single calls raise it; batch calls return it in the place of a result, since a failed tactic is data.

    Attributes:
        tactic: the tactic as it was sent.
        kind: ``error`` (Lean's own error), ``parse`` (no tactic of Lean's grammar), ``forbidden`` (a construct that
            could cheat or reach the host), ``axiom`` (the proof rests on axioms of the project that it may not use),
            ``sorry`` (it leaves a hole), ``timeout`` (heartbeats or wall clock),
            ``kernel`` (the kernel refused the finished term), ``no_goals`` (nothing left to prove); and what ends the
            process each time: ``out_of_memory``, ``deep_recursion``, ``crashed``.
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


class StorageError(LeanAgentError):
    """A folder that can hold no more: the disk is full, over its quota, or fails."""


def words_of(error: Exception) -> str:
    """Return why a file could not be read or written, for a sentence that names it, in the system's words."""
    return getattr(error, "strerror", None) or str(error)


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
_OS_ERROR = re.compile(r"\(os error (\d+)\)")
"""How libraries in Rust (safetensors, tokenizers) end the text of the errors that they pass on."""


def failed_write(error: Exception) -> str | None:
    """Return why a disk takes no more, in the system's words; ``None`` for an error that is of something else.

    Libraries have errors of their own for it, of which only the text says what happened.
    """
    text = str(error)
    number = error.errno if isinstance(error, OSError) else None
    if number is None and (match := _OS_ERROR.search(text)):
        number = int(match[1])
    if number in _NO_ROOM:
        return os.strerror(number)
    if "PytorchStreamWriter" in text or "inline_container" in text:
        return "torch could not write a file to its end"
    return None


def next_step(error: OSError) -> str:
    """Return what somebody can do about a file or folder that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some space, or name another place"
    if error.errno in (errno.EEXIST, errno.ENOTDIR):  # of a folder that was to be made
        return "it lies below a file: name another place"
    return "name another place, one that you may write to"


def closest(name: str, known: Sequence[str]) -> str | None:
    """Return the known name that ``name`` may have meant, if any."""
    # A half, not difflib's 0.6, so that half a name is known by its other half.
    close = get_close_matches(name.lower(), known, cutoff=0.5)
    # Letters that stand in another order are a slip of the fingers more often than letters that are wrong.
    close.sort(key=lambda candidate: sorted(candidate) != sorted(name.lower()))
    return close[0] if close else None


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a sentence that names what ``name`` may have meant, and all known names."""
    close = closest(name, known)
    meant = f"Did you mean {close!r}? " if close else ""
    return f"{meant}There are {', '.join(sorted(known))}."


def place_of(value: object) -> str:
    """Return a sentence on how to name a class or function that was passed itself; empty for anything else."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return f" Write '{module}:{name}'." if module and name else ""
