"""The JSON of verdicts, messages, states and errors: what the service answers, its client reads, and ``verify --json``
prints.

Each form is written and read here, so that a value that went over the wire is equal to the one that was sent. Verdicts
and messages have the keys of docs/verify.md; states and traced files those of their classes
(:mod:`lean_agent.lean.types`).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from lean_agent import errors
from lean_agent.errors import LeanCrashed, LeanError, TacticFailure
from lean_agent.lean.types import (
    Conjecture,
    Consequence,
    DeclarationInfo,
    DeclarationVerdict,
    FileVerdict,
    GoalLemma,
    GoalState,
    LeanMessage,
    LeanProject,
    Matches,
    Position,
    TheoremSite,
    TracedFile,
    Verdict,
)

Json = dict[str, Any]

PROJECTS: TypeAdapter[LeanProject] = TypeAdapter(LeanProject)
SITES: TypeAdapter[TheoremSite] = TypeAdapter(TheoremSite)
STATES: TypeAdapter[GoalState] = TypeAdapter(GoalState)
CONJECTURES: TypeAdapter[tuple[Conjecture, ...]] = TypeAdapter(tuple[Conjecture, ...])
DECLARATIONS: TypeAdapter[list[DeclarationInfo | None]] = TypeAdapter(list[DeclarationInfo | None])
MATCHES: TypeAdapter[Matches] = TypeAdapter(Matches)
CONSEQUENCES: TypeAdapter[tuple[Consequence, ...]] = TypeAdapter(tuple[Consequence, ...])
LEMMAS: TypeAdapter[tuple[GoalLemma, ...]] = TypeAdapter(tuple[GoalLemma, ...])
_FILES: TypeAdapter[TracedFile] = TypeAdapter(TracedFile)
_LISTS_OF_MESSAGES = ("messages", "beside_theorems")


ERRORS: dict[str, type[LeanError]] = {
    kind.__name__: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, LeanError)
}
"""The errors that go over the wire, by name."""


def error_form(error: Exception) -> Json:
    """Return an error as data: its class, its words, and what its class knows beside them."""
    form: Json = {"type": type(error).__name__, "message": str(error)}
    if isinstance(error, TacticFailure):
        return {**form, "kind": error.kind, "tactic": error.tactic}
    if isinstance(error, LeanCrashed):
        return {**form, "kind": error.kind, "op": error.op, "is_certain": error.is_certain}
    return form


def error_of(form: Json) -> LeanError:
    """Invert :func:`error_form`; a class that is not known here becomes a plain ``LeanError``."""
    kind, message = ERRORS.get(form["type"], LeanError), form["message"]
    if issubclass(kind, TacticFailure):
        return TacticFailure(form["tactic"], form["kind"], message)
    if issubclass(kind, LeanCrashed):
        return LeanCrashed(message, form["kind"], form["op"], form["is_certain"])
    return kind(message)


def message_form(message: LeanMessage) -> Json:
    """Return a diagnostic: line from 1, column from 0; its end and cause where they are known."""
    form: Json = {"severity": message.severity, "line": message.start.line, "column": message.start.column}
    if message.end is not None:
        form |= {"end_line": message.end.line, "end_column": message.end.column}
    return form | {"text": message.text} | ({"cause": message.cause} if message.cause else {})


def message_of(form: Json) -> LeanMessage:
    """Invert :func:`message_form`."""
    end = Position(form["end_line"], form["end_column"]) if "end_line" in form else None
    start = Position(form["line"], form["column"])
    return LeanMessage(form["severity"], form["text"], start, end, form.get("cause"))


def message_forms(messages: Iterable[LeanMessage]) -> list[Json]:
    """Return several diagnostics."""
    return [message_form(message) for message in messages]


def messages_of(forms: Iterable[Json]) -> tuple[LeanMessage, ...]:
    """Invert :func:`message_forms`."""
    return tuple(message_of(form) for form in forms)


def verdict_form(verdict: Verdict) -> Json:
    """Return the judge's word on a proof."""
    return {
        "accepted": verdict.accepted,
        "verdict": verdict.kind,
        "reason": verdict.reason,
        "axioms": list(verdict.axioms),
        "statement": verdict.statement,
        **({"open_lemmas": list(verdict.open_lemmas)} if verdict.open_lemmas else {}),
        "messages": message_forms(verdict.messages),
    }


def verdict_of(form: Json) -> Verdict:
    """Invert :func:`verdict_form`."""
    return Verdict(
        form["verdict"],
        form["reason"],
        tuple(form["axioms"]),
        messages_of(form["messages"]),
        form["statement"],
        tuple(form.get("open_lemmas", ())),
    )


def file_verdict_form(verdict: FileVerdict) -> Json:
    """Return the judge's word on a whole text."""
    return {
        "accepted": verdict.accepted,
        "kind": verdict.kind,
        "declarations": [
            {
                "name": declaration.name,
                "declaration": declaration.declaration,
                **verdict_form(declaration.verdict),
                "instances": list(declaration.instances),
                "line": declaration.start.line,
                "column": declaration.start.column,
            }
            for declaration in verdict.declarations
        ],
        "problems": message_forms(verdict.problems),
        "notes": message_forms(verdict.notes),
        "messages": message_forms(verdict.messages),
    }


def file_verdict_of(form: Json) -> FileVerdict:
    """Invert :func:`file_verdict_form`."""
    declarations = tuple(
        DeclarationVerdict(
            each["name"],
            each["declaration"],
            verdict_of(each),
            Position(each["line"], each["column"]),
            tuple(each["instances"]),
        )
        for each in form["declarations"]
    )
    problems, notes, messages = (messages_of(form[name]) for name in ("problems", "notes", "messages"))
    return FileVerdict(declarations, problems, messages, notes, form["kind"])


def traced_file_form(file: TracedFile) -> Json:
    """Return all that was learnt from a file."""
    form: Json = _FILES.dump_python(file, mode="json")
    return form | {name: message_forms(getattr(file, name)) for name in _LISTS_OF_MESSAGES}


def traced_file_of(form: Json) -> TracedFile:
    """Invert :func:`traced_file_form`."""
    lists = {name: messages_of(form[name]) for name in _LISTS_OF_MESSAGES}
    return _FILES.validate_python(form | lists)


def project_form(project: LeanProject) -> Json:
    """Return a project, its folders as absolute paths: whoever reads them has another working directory."""
    form: Json = PROJECTS.dump_python(project, mode="json")
    folders = {name: str(Path(form[name]).absolute()) for name in ("root", "build")}
    return form | folders | {"libraries": [str(Path(folder).absolute()) for folder in form["libraries"]]}


def result_form(result: GoalState | LeanError) -> Json:
    """Return what came of an item of a batch: ``{"state": …}`` or ``{"error": …}``."""
    if isinstance(result, LeanError):
        return {"error": error_form(result)}
    return {"state": STATES.dump_python(result, mode="json", exclude_none=True)}


def result_of(form: Json) -> GoalState | LeanError:
    """Invert :func:`result_form`."""
    return error_of(form["error"]) if "error" in form else STATES.validate_python(form["state"])
