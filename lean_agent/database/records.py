"""The values that the database hands out beside those of the rooms above it, and counts read off its tables."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from lean_agent.database.difficulty import TheoremFacts
from lean_agent.lean import html
from lean_agent.lean.types import TheoremSite, TracedTheorem, Verdict
from lean_agent.tracing import Repository, lean_project
from lean_agent.tracing.project.repository import BENCHMARK

_HEAD = re.compile(r"[^\W\d][\w'?!]*")


class RepositoryKey(Protocol):
    """What finds a repository: any value with these two."""

    @property
    def url(self) -> str: ...

    @property
    def commit(self) -> str: ...


@dataclass(frozen=True, slots=True)
class StoredTheorem(html.InNotebooks):
    """A theorem and where it lives. ``file_path`` is relative to the source folder of the repository."""

    repository: Repository
    file_path: str
    theorem: TracedTheorem

    @property
    def full_name(self) -> str:
        """The theorem's full name."""
        return self.theorem.full_name

    @property
    def site(self) -> TheoremSite:
        """Where its proof starts, for a Lean server."""
        return TheoremSite(lean_project(self.repository), self.file_path, self.theorem.full_name)

    def _repr_html_(self) -> str:
        place = f"{self.repository.name}, {self.file_path}, line {self.theorem.start_pos.line}"
        return html.stacked(html.faint(f"{self.full_name}: {place}"), self.theorem._repr_html_())


LemmaRow = tuple[str, str, str]
"""File, full name and proof of a theorem that is open in the repository."""


@dataclass(frozen=True, slots=True)
class StoredProof:
    """A proof attempt that was judged.

    Attributes:
        script: the proof as it was judged, without ``:=``.
        source: what found it: a policy, a run.
        seconds: wall time that it took to find.
        lean_calls: tactics that Lean ran to find it.
        created: when it was stored, in UTC.
        lemmas: file, full name and proof of each theorem that is open in the repository and that the proof uses: the
            verdict is for files in which these are in place.
    """

    repository: Repository
    file_path: str
    full_name: str
    script: str
    source: str
    verdict: Verdict
    seconds: float
    lean_calls: int
    created: datetime
    lemmas: tuple[LemmaRow, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundTactic:
    """A step of a proof that was found, with the states before and after it as Lean prints them.

    Attributes:
        step: empty where it is no tactic of its own, but a proof that was known before.
    """

    step: str
    state_before: str
    state_after: str


@dataclass(frozen=True, slots=True)
class FoundProof:
    """The shortest accepted proof of a theorem that practice has found (:mod:`lean_agent.improvement`).

    Attributes:
        script: the proof as it was judged, without ``:=``.
        tactics: its steps, from the search that found it.
        source: what found it: a run.
        round: of that run, from 1.
        created: when it was stored, in UTC.
    """

    repository: Repository
    file_path: str
    full_name: str
    script: str
    tactics: tuple[FoundTactic, ...]
    source: str
    round: int
    created: datetime = field(default_factory=lambda: datetime.now(UTC))


TheoremPlace = tuple[str, str, str, str]
"""Address, commit, file and full name of a theorem."""


@dataclass(frozen=True, slots=True)
class PassRate:
    """How often a theorem was tried, and proved."""

    tried: int = 0
    proved: int = 0


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How much of a data set was taken up; files that were traced here before are not counted."""

    repositories: int
    files: int
    theorems: int


@dataclass(frozen=True, slots=True)
class RemovalReport:
    """Counts of what went with a repository.

    Attributes:
        files: traced or not.
        proofs: judged proofs that were found, accepted or not.
    """

    files: int
    theorems: int
    tactics: int
    proofs: int


@dataclass(frozen=True, slots=True)
class RepositorySummary:
    """How much of a repository is stored.

    Attributes:
        licence: SPDX identifier; ``unknown`` for one that is none of the common ones; ``None`` without any.
        files, skipped: files that were traced, and that could not be.
        errors: messages of Lean that are errors, over all traced files.
        open: theorems with a ``sorry``.
        proved: theorems with a proof that was found and accepted.
    """

    name: str
    url: str
    commit: str
    licence: str | None
    toolchain: str | None
    files: int
    skipped: int
    errors: int
    theorems: int
    open: int
    proved: int
    tactics: int


@dataclass(frozen=True, slots=True)
class ProofStatistics:
    """Of all finished tactic proofs.

    Attributes:
        steps: for each proof how many of its tactics are a step of their own.
        tactics: how often each tactic is used, by its first word.
        state_characters: length of the state before each step, in characters.
    """

    steps: tuple[int, ...]
    tactics: Counter[str]
    state_characters: tuple[int, ...]


def summaries(connection: sqlite3.Connection) -> list[RepositorySummary]:
    """Return all repositories, in the order in which they were added."""
    rows = connection.execute(
        'SELECT name, url, "commit", licence, toolchain,'
        " (SELECT count(*) FROM files WHERE repository_id = repositories.id AND status = 'traced'),"
        " (SELECT count(*) FROM files WHERE repository_id = repositories.id AND status = 'skipped'),"
        " (SELECT count(*) FROM files, json_each(messages) AS message"
        "  WHERE repository_id = repositories.id AND json_extract(message.value, '$[0]') = 'error'),"
        " (SELECT count(*) FROM theorems JOIN files ON files.id = file_id WHERE repository_id = repositories.id),"
        " (SELECT count(*) FROM theorems JOIN files ON files.id = file_id"
        "  WHERE repository_id = repositories.id AND has_sorry),"
        " (SELECT count(*) FROM (SELECT DISTINCT file_path, full_name FROM proofs"
        "  WHERE repository_id = repositories.id AND verdict = 'accepted')),"
        " (SELECT count(*) FROM tactics JOIN files ON files.id = file_id WHERE repository_id = repositories.id)"
        " FROM repositories ORDER BY id"
    )
    return [RepositorySummary(*row) for row in rows]


def removal(connection: sqlite3.Connection, repository_id: int) -> RemovalReport:
    """Count what is stored of a repository and would go with it."""
    files, proofs = (
        connection.execute(f"SELECT count(*) FROM {table} WHERE repository_id = ?", (repository_id,)).fetchone()[0]
        for table in ("files", "proofs")
    )
    theorems, tactics = (
        connection.execute(
            f"SELECT count(*) FROM {table} JOIN files ON files.id = file_id WHERE repository_id = ?", (repository_id,)
        ).fetchone()[0]
        for table in ("theorems", "tactics")
    )
    return RemovalReport(files, theorems, tactics, proofs)


def theorem_facts(connection: sqlite3.Connection, repository_id: int, source: str | None) -> list[TheoremFacts]:
    """Yield what measures look at, for each theorem of a repository by path and position.

    Args:
        source: whose attempts count; ``None`` is the one that tried something last, in any repository.
    """
    if source is None:
        latest = connection.execute("SELECT source FROM attempts ORDER BY updated DESC LIMIT 1").fetchone()
        source = latest[0] if latest else ""
    rows = connection.execute(
        "SELECT has_sorry OR axioms != '[]',"  # a proof that rests on a hole, or on an axiom, is none
        " (SELECT count(*) FROM tactics"
        "  WHERE tactics.file_id = theorems.file_id AND theorem = theorems.ordinal AND step != ''),"
        " length(proof),"
        " (SELECT count(DISTINCT premises.full_name) FROM premises"
        "  WHERE premises.file_id = theorems.file_id AND theorem = theorems.ordinal),"
        " coalesce(tried, 0), coalesce(proved, 0)"
        " FROM theorems JOIN files ON files.id = theorems.file_id LEFT JOIN attempts"
        " ON attempts.repository_id = files.repository_id AND attempts.file_path = files.path"
        " AND attempts.full_name = theorems.full_name AND source = ?"
        " WHERE files.repository_id = ? ORDER BY files.path, theorems.ordinal",
        (source, repository_id),
    )
    return [TheoremFacts(bool(has_sorry), *numbers) for has_sorry, *numbers in rows]


def proof_statistics(connection: sqlite3.Connection) -> ProofStatistics:
    """Over all repositories but benchmarks."""
    steps: Counter[tuple[int, int]] = Counter()
    tactics: Counter[str] = Counter()
    sizes = []
    for file_id, theorem, step, size in connection.execute(
        "SELECT tactics.file_id, theorem, step, length(state_before) FROM tactics JOIN theorems"
        " ON theorems.file_id = tactics.file_id AND theorems.ordinal = theorem"
        " JOIN files ON files.id = tactics.file_id JOIN repositories ON repositories.id = repository_id"
        " WHERE step != '' AND NOT has_sorry AND axioms = '[]' AND url NOT LIKE ? || '%'",
        (BENCHMARK,),
    ):
        steps[file_id, theorem] += 1
        tactics[_head(step)] += 1
        sizes.append(size)
    return ProofStatistics(tuple(steps.values()), tactics, tuple(sizes))


def _head(step: str) -> str:
    """Return the word that a tactic begins with; its beginning where it is no word, as in ``⟨…⟩``."""
    match = _HEAD.match(step)
    return match[0] if match else step[:1]
