"""What the tools answer, as agents read it: lines and columns from 1, columns in code points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, Field

from lean_agent.lean.types import DeclarationInfo, DeclarationVerdict, LeanMessage, Position, Verdict

_SEVERITIES: dict[str, Literal["error", "warning", "info"]] = {
    "error": "error",
    "warning": "warning",
    "information": "info",
}


class Diagnostic(BaseModel):
    """What Lean says of a place."""

    severity: Literal["error", "warning", "info"]
    message: str
    line: int = Field(description="From 1.")
    column: int = Field(description="From 1.")
    end_line: int | None = None
    end_column: int | None = None


class CheckResult(BaseModel):
    """What Lean says of a text."""

    success: bool = Field(description="No error. A `sorry` is a warning, and whether a proof counts says lean_verify.")
    timed_out: bool = False
    diagnostics: list[Diagnostic] = []


class Hypothesis(BaseModel):
    """A variable or hypothesis of a goal."""

    name: str
    type: str
    value: str | None = None


class StructuredGoal(BaseModel):
    """A goal in parts."""

    context: list[Hypothesis]
    goal: str
    pretty: str


GoalOutput = str | StructuredGoal
GoalStatus = Literal["goals", "complete", "no_goal_at_position"]


class GoalsAtPlace(BaseModel):
    """The goals at a place of a file."""

    line_context: str = Field(description="The line.")
    goals: list[GoalOutput] | None = Field(default=None, description="At the column, where one was given.")
    goals_before: list[GoalOutput] | None = Field(default=None, description="Where the line begins, without a column.")
    goals_after: list[GoalOutput] | None = Field(default=None, description="Where the line ends, without a column.")
    status: GoalStatus


class Attempt(BaseModel):
    """What came of a tactic."""

    snippet: str
    goals: list[str] = Field(default=[], description="What is left to prove; empty with status `solved`: nothing.")
    status: Literal["solved", "open", "failed"]
    error: str | None = Field(default=None, description="Why it failed, in Lean's words.")
    messages: list[str] = Field(default=[], description="What Lean said without failing.")
    timed_out: bool = False


class MultiAttemptResult(BaseModel):
    """What came of several tactics at one place."""

    line_context: str
    goals: list[str] = Field(description="At the place, before any of them.")
    items: list[Attempt]


class Suggestion(BaseModel):
    """A tactic that Lean has suggested, and that was run."""

    tactic: str
    goals: list[str] = Field(default=[], description="What it leaves to prove.")
    closes: bool = Field(description="It proves all goals of the place, and the kernel agrees.")


class SuggestionsOf(BaseModel):
    """What a tactic has suggested."""

    asked: str
    suggestions: list[Suggestion] = []
    error: str | None = Field(default=None, description="Why it suggests nothing, in Lean's words.")


class SuggestResult(BaseModel):
    """Suggestions at one place."""

    goals: list[str]
    items: list[SuggestionsOf]


class DeclarationResult(BaseModel):
    """What is known of a declaration."""

    name: str
    kind: str
    signature: str = Field(description="Name, variables and type, as Lean prints them.")
    module: str = Field(description="Where it is declared; empty for the file itself.")
    docstring: str | None = Field(default=None, description="None for Lean's own library, which ships without.")
    axioms: list[str] = Field(
        default=[], description="Axioms that it rests on; those of library theorems are not known."
    )
    line: int | None = None


class Match(BaseModel):
    """A declaration that was found."""

    name: str
    kind: str
    type: str
    module: str


class SearchResult(BaseModel):
    """Declarations that were found, the best first."""

    mode: Literal["name", "type", "words"]
    items: list[Match]
    total: int | None = Field(default=None, description="How many match, where that is counted.")


class DeclarationJudged(BaseModel):
    """The judge's word on a declaration of a file."""

    name: str
    declaration: str
    accepted: bool
    verdict: str
    reason: str
    axioms: list[str]
    statement: str
    line: int


class VerifyResult(BaseModel):
    """The judge's word on a proof or a file."""

    accepted: bool
    verdict: str = Field(description="`accepted`, or the kind of what stands against it.")
    reason: str = ""
    axioms: list[str] = []
    statement: str = Field(default="", description="What was proved, as Lean prints it.")
    diagnostics: list[Diagnostic] = []
    declarations: list[DeclarationJudged] | None = Field(
        default=None, description="Of a file: each that claims something."
    )


class ProveResult(BaseModel):
    """How a proof search ended."""

    status: str = Field(description="`proved`, `budget`, `failed`, `rejected` or `error`.")
    policy: str = Field(description="Who has proposed tactics: `mixture`, `neighbours` or `own`.")
    proof: str | None = Field(default=None, description="`by …`, accepted by the judge.")
    verdict: str | None = None
    axioms: list[str] = []
    lean_calls: int = 0
    seconds: float = 0.0
    message: str = ""


def diagnostics_of(messages: Iterable[LeanMessage]) -> list[Diagnostic]:
    """Return messages as agents read them."""
    return [_diagnostic(message) for message in messages]


def _diagnostic(message: LeanMessage) -> Diagnostic:
    end = message.end
    return Diagnostic(
        severity=_SEVERITIES[message.severity],
        message=message.text,
        line=message.start.line,
        column=message.start.column + 1,
        end_line=end.line if end else None,
        end_column=end.column + 1 if end else None,
    )


def verdict_of(verdict: Verdict, statement: str = "") -> VerifyResult:
    """Return the judge's word on one proof.

    Args:
        statement: what was proved, where the verdict does not say it.
    """
    return VerifyResult(
        accepted=verdict.accepted,
        verdict=verdict.kind,
        reason=verdict.reason,
        axioms=list(verdict.axioms),
        statement=verdict.statement or statement,
        diagnostics=diagnostics_of(verdict.messages),
    )


def judged_of(declaration: DeclarationVerdict) -> DeclarationJudged:
    """Return the judge's word on a declaration of a file."""
    verdict = declaration.verdict
    return DeclarationJudged(
        name=declaration.name,
        declaration=declaration.declaration,
        accepted=verdict.accepted,
        verdict=verdict.kind,
        reason=verdict.reason,
        axioms=list(verdict.axioms),
        statement=verdict.statement,
        line=declaration.start.line,
    )


def match_of(info: DeclarationInfo) -> Match:
    """Return a declaration that Lean has found."""
    return Match(name=info.full_name, kind=info.kind, type=info.signature, module=info.module)


def line_of(start: Position | None) -> int | None:
    """Return the line of a place, where it is known."""
    return start.line if start else None
