"""``%load_ext lean_agent`` gives cells to Lean: ``%%lean`` checks one, with errors and goals at their places.

    %%lean
    theorem two (p q : Prop) (h : p ∧ q) : q ∧ p := by
      sorry

``%%lean --verify`` has it judged, and ``%%lean --prove`` has its open theorems proved by closing tactics. The first use
starts a Lean process, which stays until the notebook ends.
"""

from __future__ import annotations

import argparse
import atexit
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from lean_agent.errors import LeanAgentError
from lean_agent.lean import html
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState, LeanMessage, TheoremSite
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.proofs.result import ProofResult
from lean_agent.prover.provers import ScriptedProver
from lean_agent.prover.statements import theorems_of_text
from lean_agent.tracing import lean_project
from lean_agent.tracing.project.repository import text_project

MARKS = {"error": "✗", "warning": "!", "information": "i"}


class Cell(html.InNotebooks):
    """A text with what Lean says of it, each message and each open goal below the line that it is about.

    Args:
        source: the cell.
        messages: Lean's.
        goals: what is left at each ``sorry``, by its line.
    """

    def __init__(self, source: str, messages: Sequence[LeanMessage], goals: Mapping[int, GoalState]) -> None:
        self.source = source
        self.messages = messages
        self.goals = goals

    def _repr_html_(self) -> str:
        parts = []
        for number, line in enumerate(self.source.splitlines(), 1):
            parts.append(html.code(f"{number:3} {line}"))
            for message in (m for m in self.messages if (m.end or m.start).line == number):
                place = f"{MARKS[message.severity]} {message.start.line}:{message.start.column} "
                parts.append(_inset(html.code(place + message.text)))
            if number in self.goals:
                parts.append(_inset(self.goals[number]._repr_html_()))
        is_good = not any(message.severity == "error" for message in self.messages)
        return html.stacked(html.verdict(is_good, "no errors" if is_good else "errors"), *parts)


class Results(html.InNotebooks):
    """What came of searches, one below the other."""

    def __init__(self, results: Iterable[ProofResult]) -> None:
        self.results = list(results)

    def _repr_html_(self) -> str:
        return html.stacked(*(result._repr_html_() for result in self.results))


class Words(html.InNotebooks):
    """A sentence in the place of a result."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        return html.verdict(False, self.text)


def _inset(part: str) -> str:
    return f'<div style="margin-left: 3em">{part}</div>'


@cache
def pool() -> LeanPool:
    """Return the Lean of this notebook."""
    lean = LeanPool(workers=1)
    atexit.register(lean.close)
    return lean


def lean(line: str, cell: str, server: LeanServer | None = None) -> html.InNotebooks:
    """Check a cell, or judge or prove it; returns what is to be shown.

    Args:
        line: ``--verify``, ``--prove``, ``--lean-calls N``, or nothing.
        cell: Lean text, its imports first.
        server: by default a process that stays until the notebook ends.
    """
    server = server or pool()
    parser = argparse.ArgumentParser("%%lean", add_help=False, exit_on_error=False)
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--lean-calls", type=int, default=64)
    try:
        given, unknown = parser.parse_known_args(shlex.split(line))
        if unknown:
            return Words(f"%%lean does not know {' '.join(unknown)}; it knows --verify, --prove and --lean-calls N.")
        if given.verify:
            return server.verify_text(cell)
        if given.prove:
            config = SearchConfig(budget=SearchBudget(lean_calls=given.lean_calls))
            prover = ScriptedProver(server, config=config)
            return Results(prover.prove_all(theorems_of_text(cell, server)))
        return Cell(cell, server.check(cell), _open_goals(cell, server))
    except (LeanAgentError, argparse.ArgumentError) as error:
        return Words(str(error))


def _open_goals(cell: str, server: LeanServer) -> dict[int, GoalState]:
    """Return the goals at each ``sorry`` of a text, by its line; nothing where there are none."""
    project = lean_project(text_project("notebook", {"Cell.lean": cell}))
    places = [match.start() for match in re.finditer(r"\bsorry\b", cell)]
    sites = [TheoremSite(project, "Cell.lean", "", len(cell[:place].encode())) for place in places]
    states = zip(places, server.goal_starts(sites), strict=True)
    return {cell.count("\n", 0, place) + 1: state for place, state in states if isinstance(state, GoalState)}


def load_ipython_extension(ipython: Any) -> None:
    """Give the magic to a notebook; called by ``%load_ext``."""
    ipython.register_magic_function(lean, magic_kind="cell")
