"""The exceptions of PyPantograph's API, in the place that they have in this package's tree of errors."""

from __future__ import annotations

from typing import Any

from lean_agent import errors
from lean_agent.errors import FailureKind, LeanError


class ServerError(LeanError):
    """A command that the server refused. ``args[0]`` is the answer (``error``, ``desc``) or a sentence."""

    def __str__(self) -> str:
        reason = self.args[0] if self.args else ""
        return str(reason["desc"]) if isinstance(reason, dict) and "desc" in reason else str(reason)


class ParseError(LeanError):
    """Text that the parser of a syntax category does not take."""


class TacticFailure(errors.TacticFailure):
    """A tactic that failed: also an :class:`lean_agent.errors.TacticFailure`.

    ``args[0]`` is what PyPantograph puts there: a list of :class:`~lean_agent.lean.pantograph.types.Message`, or the
    answer with its ``parseError``, or a sentence.
    """

    def __init__(self, reason: Any, tactic: str = "", kind: FailureKind = "error") -> None:
        if isinstance(reason, dict):
            message = str(reason.get("parseError", reason))
        elif isinstance(reason, list):
            message = "\n".join(str(getattr(m, "data", m)) for m in reason)
        else:
            message = str(reason)
        super().__init__(tactic, kind, message)
        self.args = (reason,)

    def __reduce__(self) -> tuple[type[TacticFailure], tuple[Any, ...]]:
        return (type(self), (self.args[0], self.tactic, self.kind))
