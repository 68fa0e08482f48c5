"""The steps that searches have solved, kept in the run folder for those after it.

A tactic that names a declaration of one repository costs a Lean call in another, where that is not there. So a file has
with each step the names of declarations that it needs, and steps whose names are not there are kept and not used.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from lean_agent.agent.run_folder import RunFolder
from lean_agent.database import DynamicDatabase
from lean_agent.lean.types import user_name
from lean_agent.policy.base import TacticExample
from lean_agent.prover.refusals import names_written
from lean_agent.tracing import Repository

STEPS = "steps.jsonl"
"""Of a run folder: the steps of all sub-goals that its mixture has seen solved, in this run and those before it."""
KEPT_STEPS = 50_000
_SHORTEST = 3
"""Shorter words are what variables are called."""


@dataclass(frozen=True, slots=True)
class LearntSteps:
    """The steps of a run folder and of those beside it.

    Attributes:
        run: the folder.
        words: what a text may call the declarations of the repositories at hand (:func:`words_of`).
    """

    run: RunFolder
    words: Collection[str]

    def usable(self) -> list[TacticExample]:
        """Return the steps that this run and those before it have found, of failed searches, too: those that name no
        declaration of another repository."""
        return [step for step, names in self._stored().items() if all(name in self.words for name in names)]

    def keep(self, steps: Iterable[TacticExample]) -> None:
        """Keep steps in the run folder, for this run and those after it, behind those that are there, each once."""
        names = dict(self._stored())
        for step in steps:
            names.setdefault(step, tuple(sorted(_longer(names_written(step.tactic)).intersection(self.words))))
        newest = [*names.items()][-KEPT_STEPS:]
        self.run.write_text(STEPS, "".join(json.dumps({**asdict(step), "names": of}) + "\n" for step, of in newest))

    def _stored(self) -> Mapping[TacticExample, Collection[str]]:
        return self.run.newest_of(STEPS, _read) or {}


def words_of(database: DynamicDatabase, repositories: Iterable[Repository]) -> frozenset[str]:
    """Return what texts may call the declarations of repositories: their names, and ends of these where namespaces are
    open."""
    full_names = (
        premise["full_name"] for entry in database.corpus(repositories) if entry["url"] for premise in entry["premises"]
    )
    return frozenset(word for name in full_names for word in _longer(_ends(user_name(name))))


def _ends(name: str) -> Iterator[str]:
    yield name
    while "." in name:
        name = name.partition(".")[2]
        yield name


def _longer(words: Iterable[str]) -> set[str]:
    return {word for word in words if len(word) >= _SHORTEST}


def _read(text: str) -> dict[TacticExample, Collection[str]] | None:
    """Return the steps that a file of a run folder holds, with the names that they need, if it was not damaged; an
    earlier version did not write down names."""
    try:
        lines = [json.loads(line) for line in text.splitlines()]
        return {TacticExample(line["goal"], line["tactic"]): tuple(line.get("names", ())) for line in lines}
    except (ValueError, TypeError, KeyError):
        return None
