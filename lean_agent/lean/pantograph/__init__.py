"""Pantograph's interface over embedded Lean: its Python API (:class:`Server`) and its line protocol (``repl``).

Owns the protocol's commands and the classes that PyPantograph's users know (names and meaning of v0.3.15). Knows no
Lean: what a command does is answered by ``LeanAgent/Pantograph*.lean``. What embedded Lean cannot give is refused by
name, with the reason; docs/pantograph.md lists it.
"""

from lean_agent.lean.pantograph.server import Server, get_version
from lean_agent.lean.pantograph.types import (
    CheckTrackResult,
    CompilationUnit,
    Expr,
    Goal,
    GoalState,
    Message,
    ParseError,
    Position,
    SearchTarget,
    ServerError,
    Severity,
    Site,
    Subsumption,
    Tactic,
    TacticDraft,
    TacticExpr,
    TacticFailure,
    TacticHave,
    TacticInvocation,
    TacticLet,
    TacticMode,
    Variable,
)

__all__ = [
    "CheckTrackResult",
    "CompilationUnit",
    "Expr",
    "Goal",
    "GoalState",
    "Message",
    "ParseError",
    "Position",
    "SearchTarget",
    "Server",
    "ServerError",
    "Severity",
    "Site",
    "Subsumption",
    "Tactic",
    "TacticDraft",
    "TacticExpr",
    "TacticFailure",
    "TacticHave",
    "TacticInvocation",
    "TacticLet",
    "TacticMode",
    "Variable",
    "get_version",
]
