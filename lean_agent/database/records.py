"""The values that the database hands out beside those of the rooms above it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lean_agent.lean.types import TheoremSite, TracedTheorem, Verdict
from lean_agent.tracing import Repository, lean_project


@dataclass(frozen=True, slots=True)
class StoredTheorem:
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


@dataclass(frozen=True, slots=True)
class StoredProof:
    """A proof attempt that was judged.

    Attributes:
        script: the proof as it was judged, without ``:=``.
        source: what found it: a policy, a run.
        seconds: wall time that it took to find.
        lean_calls: tactics that Lean ran to find it.
        created: when it was stored, in UTC.
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
