"""From the JSON of our Lean code (``LeanAgent/*.lean``) to the package's frozen values. Raw dicts stop here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from lean_agent.errors import FailureKind, TacticFailure
from lean_agent.lean.source import plain_name, stated_theorems
from lean_agent.lean.types import (
    Conjecture,
    DeclarationInfo,
    DeclarationVerdict,
    FileVerdict,
    Goal,
    GoalState,
    Hole,
    Inversion,
    LeanMessage,
    LostTheorem,
    Origin,
    Position,
    Premise,
    ProducedConstant,
    TracedDeclaration,
    TracedFile,
    TracedTactic,
    TracedTheorem,
    Variable,
    Verdict,
    VerdictKind,
)

Json = dict[str, Any]


def goal(j: Json) -> Goal:
    """Return a goal with its hypotheses."""
    variables = tuple(
        Variable(v["name"], v["type"], v.get("value"), is_inaccessible=bool(v.get("inaccessible", False)))
        for v in j["vars"]
    )
    return Goal(
        id=j["id"],
        target=j["target"],
        variables=variables,
        name=j.get("name"),
        text=j["text"],
        key=j["key"],
        definitions=tuple(j.get("definitions", ())),
        unfoldings=tuple(j.get("unfoldings", ())),
        inversions=tuple(Inversion(*each) for each in j.get("inversions", ())),
        rules=tuple(j.get("rules", ())),
        steps=tuple(j.get("steps", ())),
        of_steps=tuple(j.get("ofSteps", ())),
        reducible=tuple(j.get("reducible", ())),
        predicates=tuple(j.get("predicates", ())),
        calls=tuple(j.get("calls", ())),
        recursion=tuple(j.get("recursion", ())),
        binders=tuple(j.get("binders", ())),
        enumerations=tuple(j.get("enumerations", ())),
        whole=tuple(j.get("whole", ())),
        derivations=tuple(j.get("derivations", ())),
        functions=tuple(j.get("functions", ())),
        varied=tuple(j.get("varied", ())),
        arguments=tuple(j.get("arguments", ())),
        structures=tuple(j.get("structures", ())),
    )


def goal_state(
    j: Json, origin: Origin, script: tuple[str, ...], key: str, root: str, *, before: Sequence[Goal] = ()
) -> GoalState:
    """Return a state, to be found by its ``key`` from now on.

    Args:
        before: goals of the state before it: one that stays as it is, is told by its place there.
    """
    together = [range(len(j["goals"]))] if j["goals"] else []
    return GoalState(
        origin=origin,
        script=script,
        goals=tuple(before[g] if isinstance(g, int) else goal(g) for g in j["goals"]),
        key=key,
        root=root,
        messages=tuple(j.get("messages", ())),
        groups=tuple(sorted(tuple(sorted(group)) for group in j.get("groups", together))),
        unfinished=tuple(j.get("unfinished", ())),
        assumed=tuple(j.get("assumed", ())),
        axioms=tuple(j.get("axioms", ())),
        open_lemmas=tuple(j.get("openLemmas", ())),
    )


def failure(j: Json, tactic: str) -> TacticFailure:
    """Return a tactic's failure, in Lean's words."""
    kind: FailureKind = j["failure"] if j["failure"] in get_args(FailureKind) else "error"
    return TacticFailure(tactic, kind, j["message"])


def _position(j: list[int]) -> Position:
    return Position(line=j[0], column=j[1])


def message(j: Json) -> LeanMessage:
    """Read a diagnostic."""
    end = _position(j["end"]) if "end" in j else None
    return LeanMessage(
        severity=j["severity"], text=j["text"], start=_position(j["start"]), end=end, cause=j.get("cause")
    )


def messages(j: Json) -> tuple[LeanMessage, ...]:
    """Return what Lean said of a text, in the order of the text."""
    return tuple(sorted(map(message, j["messages"]), key=lambda m: m.start))


def _premises(items: list[Json]) -> tuple[Premise, ...]:
    return tuple(Premise(p["name"], p["module"], p["start"], p["end"]) for p in items)


def _tactic(j: Json) -> TracedTactic:
    return TracedTactic(
        tactic=j["tactic"],
        step=j["step"],
        start=j["start"],
        end=j["end"],
        state_before=j["before"],
        state_after=j["after"],
        goals_before=j["goalsBefore"],
        goals_after=j["goalsAfter"],
        premises=_premises(j["premises"]),
    )


def _theorem(j: Json) -> TracedTheorem:
    return TracedTheorem(
        full_name=j["name"],
        statement=j["statement"],
        proof=j["proof"],
        mode=j["mode"],
        has_sorry=j["hasSorry"],
        type=j["type"],
        type_hash=j["typeHash"],
        start=j["start"],
        end=j["end"],
        start_pos=_position(j["startPos"]),
        end_pos=_position(j["endPos"]),
        tactics=tuple(_tactic(t) for t in j["tactics"]),
        premises=_premises(j["premises"]),
        axioms=tuple(j["axioms"]),
        command=j.get("command"),
        holes=tuple(Hole(*hole) for hole in j["holes"]),
    )


def traced_file(j: Json, path: str) -> TracedFile:
    """Read all that was learnt from one file."""
    return TracedFile(
        path=path,
        module=j["module"],
        imports=tuple(j["imports"]),
        theorems=tuple(_theorem(t) for t in j["theorems"]),
        declarations=tuple(
            TracedDeclaration(
                full_name=d["name"],
                kind=d["kind"],
                code=d["code"],
                start=d["start"],
                end=d["end"],
                start_pos=_position(d["startPos"]),
                end_pos=_position(d["endPos"]),
            )
            for d in j["declarations"]
        ),
        messages=tuple(message(m) for m in j["messages"]),
        elaborate_s=j["elaborateMs"] / 1000,
        walk_s=j["walkMs"] / 1000,
        beside_theorems=tuple(message(m) for m in j["besideTheorems"]),
        lost=tuple(
            LostTheorem(t["name"], t["outcome"], t["reason"], _position(t["startPos"]), _position(t["endPos"]))
            for t in j["lost"]
        ),
        products=tuple(ProducedConstant(p["name"], p["origin"], _position(p["start"])) for p in j["products"]),
    )


def conjecture(j: Json) -> Conjecture:
    """Read a variant of a theorem."""
    texts = {name: j.get(name, "") for name in ("reason", "statement", "type")}
    scope, type_hash = tuple(j.get("scope", ())), j.get("typeHash", "")
    return Conjecture(j["source"], j["kind"], j["change"], j["outcome"], scope=scope, type_hash=type_hash, **texts)


def verdict(j: Json) -> Verdict:
    """Return what the judge said."""
    kind: VerdictKind = j["kind"] if j["kind"] in get_args(VerdictKind) else "error"
    return Verdict(
        kind=kind,
        reason=j["reason"],
        axioms=tuple(j["axioms"]),
        messages=tuple(message(m) for m in j["messages"]),
        statement=j.get("statement", ""),
        open_lemmas=tuple(j.get("openLemmas", ())),
    )


def file_verdict(j: Json, text: str) -> FileVerdict:
    """Return what the judge said of a whole text; what the text states and the judge has not spoken of is a problem."""
    declarations = tuple(
        DeclarationVerdict(d["name"], d["declaration"], verdict(d), _position(d["start"]), tuple(d["instances"]))
        for d in sorted(j["declarations"], key=lambda d: d["start"])
    )
    remarks = tuple(message(m) for m in j["problems"])
    problems = tuple(m for m in remarks if m.severity == "error")
    return FileVerdict(
        declarations,
        problems or _unjudged(declarations, text),
        tuple(message(m) for m in j["messages"]),
        (*(m for m in remarks if m.severity != "error"), *_unprinted(declarations)),
    )


def _unprinted(declarations: Sequence[DeclarationVerdict]) -> tuple[LeanMessage, ...]:
    return tuple(
        LeanMessage("information", f"the statement of `{d.name}` is too deep to be printed: read it here", d.start)
        for d in declarations
        if d.is_claim and d.verdict.accepted and not d.verdict.statement
    )


def _unjudged(declarations: Sequence[DeclarationVerdict], text: str) -> tuple[LeanMessage, ...]:
    names = {plain_name(declaration.name).removesuffix("✝") for declaration in declarations}
    ends = {".".join(parts[at:]) for name in names for parts in [name.split(".")] for at in range(len(parts))}
    examples = [d for d in declarations if d.declaration == "example"]
    claims = stated_theorems(text)
    missing = [claim for claim in claims if claim.name and claim.name not in ends]
    missing += [claim for claim in claims if not claim.name][len(examples) :]
    return tuple(
        LeanMessage("error", f"`{claim.word} {claim.name}".rstrip() + "` has no verdict", Position(claim.line, 0))
        for claim in missing
    )


def declaration_info(j: Json) -> DeclarationInfo:
    """Return what Lean knows of a declaration."""
    return DeclarationInfo(
        full_name=j["name"],
        kind=j["kind"],
        signature=j["signature"],
        module=j["module"],
        docstring=j.get("docstring"),
        axioms=tuple(j.get("axioms", ())),
        start=_position(j["start"]) if "start" in j else None,
    )
