"""A results folder that others can check: every proof, and where the statements came from.

    RESULTS/
        attempts.jsonl      every attempt with its proof, see :class:`~lean_agent.evaluation.evaluate.Attempt`
        proofs.jsonl        the same of each proof that a run has found outside an evaluation
        repositories.json   the repositories of the theorems, each with its commit, and with what was fetched beside it
        sources/            statements that came from no repository: theorems of a JSON Lines file, loose Lean files
        report.html  report.md  report.json  proofs/

Owns how a proof finds its statement again. The judge is Lean's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from lean_agent.database import StoredTheorem
from lean_agent.errors import ConfigError, LeanError, TraceError
from lean_agent.evaluation.benchmarks.lean_core import shipped_project
from lean_agent.evaluation.benchmarks.problem import THEOREMS
from lean_agent.evaluation.evaluate import Attempt, read_attempts
from lean_agent.files import write_atomically
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject, TheoremSite, TracedTheorem, Verdict
from lean_agent.prover.proofs.lemmas import Lemma, verify_all
from lean_agent.tracing import (
    FetchedPackages,
    Repository,
    clone,
    fetch_packages,
    lean_project,
    local_repository,
    trace_repository,
)
from lean_agent.tracing.clones import has_submodules
from lean_agent.tracing.project.repository import (
    BENCHMARK,
    beside,
    is_local,
    project_url,
    shared_address,
    text_project,
    workspace,
)
from lean_agent.tracing.project.sources import lean_files
from lean_agent.tracing.tracer import project_graph

ATTEMPTS = "attempts.jsonl"
PROOFS = "proofs.jsonl"
REPOSITORIES = "repositories.json"
_SOURCES = "sources"
_FROM_TEXT = (BENCHMARK, THEOREMS)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A line of ``repositories.json``.

    Attributes:
        packages: its files could import those of its Lake manifest.
        original: the repository that it stands beside.
    """

    repository: Repository
    packages: bool = False
    submodules: bool = False
    original: _Kept | None = None

    @classmethod
    def of(cls, repository: Repository) -> _Kept:
        """Describe a repository as it is on this machine."""
        folders = [repository.path, *(member.path for member in workspace(repository))]
        original = beside(repository)
        packages = original is None and bool(lean_project(repository).libraries)
        return cls(repository, packages, any(map(has_submodules, folders)), cls.of(original) if original else None)

    @classmethod
    def read(cls, row: dict[str, Any]) -> _Kept:
        """Read a line from JSON."""
        url = shared_address(row["url"])  # once it was the path of a folder
        repository = Repository(url, row["commit"], row["name"], Path(row["path"]), row.get("folder", ""))
        original = cls.read(row["original"]) if "original" in row else None
        return cls(repository, bool(row.get("packages")), bool(row.get("submodules")), original)

    @property
    def row(self) -> dict[str, Any]:
        """As JSON."""
        fields = ("url", "commit", "name", "path", "folder")
        where = {field: str(getattr(self.repository, field)) for field in fields}
        original = {"original": self.original.row} if self.original else {}
        return {**where, "packages": self.packages, "submodules": self.submodules, **original}


@dataclass(frozen=True, slots=True)
class Recheck:
    """A proof of a results folder, judged again; ``verdict`` is the judge's, or says why it could not be asked."""

    attempt: Attempt
    verdict: Verdict


def is_results(folder: Path) -> bool:
    """Check whether this is the folder of an evaluation, or of a run that has found proofs."""
    return (folder / REPOSITORIES).is_file() and any((folder / name).is_file() for name in (ATTEMPTS, PROOFS))


def keep_repositories(folder: Path, theorems: Sequence[StoredTheorem]) -> None:
    """Write down where the theorems come from, before the first attempt. What a folder knew before stays."""
    known = {kept.repository: kept for kept in _read_repositories(folder)}
    for repository in {theorem.repository: None for theorem in theorems}:
        known[repository] = _Kept.of(repository)
        if repository.url.startswith(_FROM_TEXT) and repository != shipped_project():
            sources = _sources(folder, repository)
            for path in lean_files(repository.path):
                if not (sources / path).is_file():
                    write_atomically(sources / path, (repository.path / path).read_bytes())
    rows = [kept.row for kept in known.values()]
    write_atomically(folder / REPOSITORIES, (json.dumps(rows, indent=2, ensure_ascii=False) + "\n").encode())


def origins(folder: Path) -> list[str]:
    """Return where the statements come from that the proofs of a folder are checked against, a line for each."""
    lines = []
    for repository in (kept.repository for kept in _read_repositories(folder)):
        if repository.url == shipped_project().url:
            lines.append("statements of lean-core as they ship with this version")
        elif repository.url.startswith(_FROM_TEXT):
            lines.append(f"statements that came with the results, in {_sources(folder, repository)}")
        else:
            lines.append(f"statements of {repository.url} at {repository.commit}")
    return lines


def kept_proofs(folder: Path) -> list[Attempt]:
    """Return the accepted proofs of a results folder."""
    return [attempt for name in (ATTEMPTS, PROOFS) for attempt in read_attempts(folder / name) if attempt.proved]


def recheck(folder: Path, lean: LeanServer, *, progress: bool = True) -> Iterator[Recheck]:
    """Judge every accepted proof of a results folder again, each in its whole file, elaborated afresh; those of a file
    one after the other, so that one process opens it, once.

    Nothing of the folder is believed but the texts of the proofs: a repository is taken at its commit, with the Lake
    packages that its manifest pins if they were there, lean-core from the list that ships here.

    Raises:
        ConfigError: no results there, or statements that are not what they were.
    """
    proved = kept_proofs(folder)
    repositories = {(kept.repository.url, kept.repository.commit): kept for kept in _read_repositories(folder)}
    checkouts: dict[tuple[str, str], Repository] = {}
    for attempt in proved:
        at = (attempt.url, attempt.commit)
        if at in checkouts:
            continue
        if at not in repositories:
            raise ConfigError(f"{folder / REPOSITORIES} does not name {attempt.url} at {attempt.commit}.")
        checkouts[at], packages = _checked_out(folder, repositories[at], lean, progress)
        files = {proof.file_path for proof in proved if (proof.url, proof.commit) == at}
        project = lean_project(checkouts[at])
        graph = project_graph(checkouts[at], project, lean).of(files)
        if graph.skipped and packages.failed:
            reasons = "; ".join(reason for _, reason in packages.failed)
            raise ConfigError(f"The packages of {attempt.url} cannot be had: {reasons}")
        if needed := graph.imported:
            trace_repository(checkouts[at], lean, only=needed, progress=progress)  # compiles what they import

    @cache
    def theorems(project: LeanProject, path: str) -> Mapping[str, TracedTheorem]:
        return {theorem.full_name: theorem for theorem in lean.trace_file(project, path).theorems}

    def judge(attempt: Attempt) -> Recheck:
        project = lean_project(checkouts[attempt.url, attempt.commit])
        site = TheoremSite(project, attempt.file_path, attempt.full_name)
        try:
            lemmas = [
                Lemma(path, _named(theorems(project, path), name, path), proof)
                for path, name, proof in attempt.lemmas or ()
            ]
            if lemmas:
                return Recheck(attempt, verify_all(lean, site, attempt.proof, lemmas))
            return Recheck(attempt, lean.verify(site, attempt.proof, whole_file=True))
        except (LeanError, TraceError) as error:
            return Recheck(attempt, Verdict("error", str(error)))

    of_file: dict[tuple[str, str, str], list[Attempt]] = {}
    for attempt in proved:
        of_file.setdefault((attempt.url, attempt.commit, attempt.file_path), []).append(attempt)
    with ThreadPoolExecutor(max_workers=lean.workers, thread_name_prefix="judge") as judges:
        for judged in judges.map(lambda attempts: [judge(attempt) for attempt in attempts], of_file.values()):
            yield from judged


def _named(theorems: Mapping[str, TracedTheorem], name: str, path: str) -> TracedTheorem:
    if name not in theorems:
        raise TraceError(f"{path} has no theorem {name}, which the proof uses")
    return theorems[name]


def _sources(folder: Path, repository: Repository) -> Path:
    return folder / _SOURCES / repository.commit[:16]


def _read_repositories(folder: Path) -> list[_Kept]:
    try:
        rows = json.loads((folder / REPOSITORIES).read_text(encoding="utf-8"))
        return [_Kept.read(row) for row in rows]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{folder / REPOSITORIES} does not read as a list of repositories: {error!r}.") from error


def _checked_out(folder: Path, kept: _Kept, lean: LeanServer, progress: bool) -> tuple[Repository, FetchedPackages]:
    """Return a repository and its packages, with all compiled that its files may import from elsewhere."""
    original = None
    if kept.original is not None:
        original, _ = _checked_out(folder, kept.original, lean, progress)
        trace_repository(original, lean, progress=progress)
    repository = _find(folder, kept, original)
    packages = _packages(repository, kept, progress)
    for package, needed in packages.needed:
        trace_repository(package, lean, only=needed, progress=progress)
    return repository, packages


def _packages(repository: Repository, kept: _Kept, progress: bool) -> FetchedPackages:
    """Fetch the packages to be compiled before the repository."""
    if not kept.packages:
        return FetchedPackages()
    try:
        return fetch_packages(repository, submodules=kept.submodules, progress=progress)
    except TraceError as error:
        raise ConfigError(f"The packages of {repository.url} cannot be had: {error}") from error


def _find(folder: Path, line: _Kept, original: Repository | None) -> Repository:
    """Return the repository of an attempt, with the very content that it had, or refuse what is not what it was."""
    kept = line.repository
    if kept.url == shipped_project().url:
        where, repository = "the list of lean-core that ships with this version", shipped_project()
    elif kept.url.startswith(_FROM_TEXT):
        where = str(_sources(folder, kept))
        texts = {path: (Path(where) / path).read_bytes().decode() for path in lean_files(Path(where))}
        repository = text_project(kept.name, texts, kind=kept.url.removesuffix(kept.name), original=original)
    else:
        is_here = is_local(kept.address)
        where = project_url(str(kept.path), kept.folder) if is_here else kept.url
        try:
            cloned = partial(clone, where, kept.commit, submodules=line.submodules)
            repository = local_repository(where) if is_here and kept.path.is_dir() else cloned()
            if repository.commit != kept.commit and not kept.commit.startswith("local-"):
                repository = cloned()
        except TraceError as error:
            raise ConfigError(f"The repository of these results cannot be had: {error}") from error
    if repository.commit != kept.commit:
        raise ConfigError(
            f"{where} is not what it was when these results were made (then {kept.commit}, now {repository.commit}): "
            "their proofs cannot be checked against it."
        )
    return repository
