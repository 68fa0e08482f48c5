"""Negations of variants, for searches that may say that a variant is false.

A variant that no search of a round proves may be a false statement, which Lean's small cases did not show. Its negation
is an open theorem like others, in a file that imports the same module; where a search proves that, the variant is
practised no more. Nothing is learnt from such proofs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import TraceError
from lean_agent.improvement.variants import Variant, file_text, original_of, variants_path
from lean_agent.lean.server import LeanServer
from lean_agent.policy.fillings.conclusions import depths
from lean_agent.tracing import Repository, trace_repository
from lean_agent.tracing.project.repository import text_project

FOLDER = "Negations"
"""Their modules begin with it: ``Negations.Order.Basic`` has those of variants of ``Order.Basic``."""
_UNIVERSES = re.compile(r"\.\{[^}]*\}\s*")


def negated(statement: str) -> str | None:
    """Return the negation of a statement, from its variables on; ``None`` for a text that is none.

    >>> negated("(n : Nat) (h : 0 < n) : n = 1")
    ': ¬ (∀ (n : Nat) (h : 0 < n), n = 1)'
    """
    universes = match.group() if (match := _UNIVERSES.match(statement)) else ""
    rest = statement[len(universes) :]
    outside = "".join("·" if depth else letter for letter, depth in zip(rest, depths(rest), strict=True))
    place = outside.find(":")
    if place < 0:
        return None
    variables, conclusion = rest[:place].strip(), rest[place + 1 :].strip()
    return f"{universes}: ¬ ({f'∀ {variables}, ' if variables else ''}{conclusion})"


def negation_of(variant: Variant) -> Variant | None:
    """Return what states the negation of a variant; ``None`` where its statement cannot be read."""
    statement = negated(variant.statement)
    return replace(variant, name=f"{variant.name}_negation", statement=statement) if statement else None


def state_negations(
    variants: Iterable[tuple[StoredTheorem, Variant]], server: LeanServer, database: DynamicDatabase
) -> list[tuple[StoredTheorem, StoredTheorem]]:
    """Return variants, each with its negation, an open theorem of a folder of ours beside the repository. One whose
    negation does not elaborate to that of its statement is left out.

    Raises:
        TraceError: a file cannot be traced, since the repository's own compiled modules are gone.
    """
    by_repository: defaultdict[Repository, list[tuple[StoredTheorem, Variant]]] = defaultdict(list)
    for stored, variant in variants:
        negation = negation_of(variant)
        if negation is not None:
            by_repository[original_of(stored)].append((stored, negation))
    pairs = []
    for original, of_repository in by_repository.items():
        stated = _stated(original, [negation for _, negation in of_repository], server, database)
        for stored, negation in of_repository:
            theorem = stated.get((variants_path(negation.module, FOLDER), negation.full_name))
            if theorem is not None and _is_negation(theorem.theorem.type, stored.theorem.type):
                pairs.append((stored, theorem))
    return pairs


def _stated(
    original: Repository, negations: Iterable[Variant], server: LeanServer, database: DynamicDatabase
) -> Mapping[tuple[str, str], StoredTheorem]:
    """State negations of variants of a repository; return them by file and name."""
    files: defaultdict[str, list[Variant]] = defaultdict(list)
    for negation in negations:
        files[variants_path(negation.module, FOLDER)].append(negation)
    name = f"negations of variants of {original.name}"
    place = text_project(name, {path: file_text(of_file) for path, of_file in files.items()}, original=original)
    traced = trace_repository(place, server, database=database, progress=False)
    for skipped in traced.skipped:
        raise TraceError(f"The {name} cannot be read: {skipped.path} {skipped.reason}")
    theorems = database.theorems(traced.repository, sorry=True)
    return {(theorem.file_path, theorem.full_name): theorem for theorem in theorems}


def _is_negation(negation: str, statement: str) -> bool:
    """Return whether Lean prints the one as the negation of the other, however it breaks the lines."""
    plain = "".join(statement.split())
    return "".join(negation.split()) in (f"¬{plain}", f"¬({plain})")
