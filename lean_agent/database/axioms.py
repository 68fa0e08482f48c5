"""Which proofs rest on other axioms than Lean's three, as far as a trace shows it. Reads only.

A trace has the constants that a proof names and none of those that its tactics bring in unnamed, as ``simp`` does. So a
theorem is found here when its statement or its proof names an axiom of a traced file or a definition that rests on one,
when its proof runs compiled code (``native_decide``, ``decide +native``, ``bv_decide``), or when its proof names a
theorem that was found.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

STANDARD = frozenset({"propext", "Classical.choice", "Quot.sound"})
COMPILER = "Lean.ofReduceBool"
"""That what the compiler computes is true."""

_RESTING = re.compile(r"`(?P<name>.+)` is no theorem that could be judged, and rests on \[(?P<axioms>.*)\]")
"""What the trace says beside theorems (``besideTheorems`` of Trace.lean)."""
_COMPILED = re.compile(r"native_decide\b|bv_(?:decide|check)\b|decide\b[^\n]*(?:\+native\b|\bnative\s*:=\s*true\b)")


class Constant(NamedTuple):
    """A constant of a traced file; the same module may be traced at several commits."""

    repository_id: int
    module: str
    full_name: str


def resting_on(connection: sqlite3.Connection) -> dict[Constant, frozenset[str]]:
    """The theorems of all repositories that rest on other axioms than :data:`STANDARD`, each with these."""
    taken = _taken_for_granted(connection)
    found: defaultdict[Constant, set[str]] = defaultdict(set)
    for theorem in _compiled(connection):
        found[theorem].add(COMPILER)
    homes = _homes(connection)
    for theorem, full_name in _stated(connection, {constant.full_name for constant in taken}):
        for constant, axioms in taken.items():
            if constant.full_name == full_name and constant.repository_id == theorem.repository_id:
                found[theorem] |= axioms
    todo = {**taken, **found}
    while todo:
        new: defaultdict[Constant, set[str]] = defaultdict(set)
        for user, module, full_name in _users(connection, {constant.full_name for constant in todo}):
            # A module of the user's own repository hides those of the same name elsewhere.
            owners = homes.get(module, set())
            for owner in {user.repository_id} & owners or owners:
                new[user] |= todo.get(Constant(owner, module, full_name), set()) - found.get(user, set())
        todo = {user: axioms for user, axioms in new.items() if axioms}
        for user, axioms in todo.items():
            found[user] |= axioms
    return {theorem: frozenset(axioms) for theorem, axioms in found.items()}


def _taken_for_granted(connection: sqlite3.Connection) -> dict[Constant, set[str]]:
    """The axioms that files state, and the definitions that rest on some, each with these."""
    taken: dict[Constant, set[str]] = {}
    for repository_id, module, full_name in connection.execute(
        "SELECT repository_id, module, full_name FROM declarations JOIN files ON files.id = file_id"
        " WHERE kind = 'axiom'"
    ):
        if full_name not in STANDARD:
            taken[Constant(repository_id, module, full_name)] = {full_name}
    for repository_id, module, text in connection.execute(
        "SELECT repository_id, module, json_extract(message.value, '$[1]')"
        " FROM files, json_each(beside_theorems) AS message"
    ):
        if (match := _RESTING.fullmatch(text)) and (axioms := set(match["axioms"].split(", ")) - {"sorryAx"}):
            taken[Constant(repository_id, module, match["name"])] = axioms
    return taken


def _compiled(connection: sqlite3.Connection) -> Iterator[Constant]:
    for *constant, tactic in connection.execute(
        "SELECT repository_id, module, full_name, tactic FROM tactics JOIN theorems"
        " ON theorems.file_id = tactics.file_id AND theorems.ordinal = theorem JOIN files ON files.id = tactics.file_id"
        " WHERE tactic LIKE '%native%' OR tactic LIKE 'bv\\_%' ESCAPE '\\'"
    ):
        if _COMPILED.match(tactic):  # every tactic inside a tactic is a row of its own
            yield Constant(*constant)


def _stated(connection: sqlite3.Connection, names: set[str]) -> Iterator[tuple[Constant, str]]:
    """Theorems whose statement, which Lean prints with full names, names one of these constants."""
    if not names:
        return
    longest_first = sorted(names, key=len, reverse=True)
    named = re.compile(rf"(?<![\w.'!?«])(?:{'|'.join(map(re.escape, longest_first))})(?![\w'!?])")
    for *constant, type_ in connection.execute(
        "SELECT repository_id, module, full_name, type FROM theorems JOIN files ON files.id = file_id"
    ):
        for name in set(named.findall(type_)):
            is_bound = "." not in name and re.search(rf"\b{re.escape(name)}(?: [^\s():,]+)*(?: :|,)", type_)
            if not is_bound:
                yield Constant(*constant), name


def _homes(connection: sqlite3.Connection) -> dict[str, set[int]]:
    homes: defaultdict[str, set[int]] = defaultdict(set)
    for module, repository_id in connection.execute("SELECT module, repository_id FROM files WHERE status = 'traced'"):
        homes[module].add(repository_id)
    return homes


def _users(connection: sqlite3.Connection, names: set[str]) -> Iterator[tuple[Constant, str, str]]:
    """The theorems whose proofs name one of these constants, with its module and name."""
    for *user, module, full_name in connection.execute(
        "SELECT DISTINCT repository_id, files.module, theorems.full_name, premises.module, premises.full_name"
        " FROM premises JOIN theorems ON theorems.file_id = premises.file_id AND theorems.ordinal = theorem"
        " JOIN files ON files.id = premises.file_id WHERE premises.full_name IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(names)),),
    ).fetchall():
        yield Constant(*user), module, full_name
