"""Variants of theorems to practise on: conjectures that Lean makes of them, stated in files that import the originals.

Lean changes statements as expressions, drops what a small case refutes, and reads again what it prints
(``lean/LeanAgent/Variants.lean``). Here what nearly states a held-out theorem is refused, what is known already is left
out, and the others become open theorems of a folder of ours beside the repository, a file for each of its files. They
are no theorems of the repository: their proofs count nowhere but in practice.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self, get_args

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import ConfigError, TraceError
from lean_agent.files import json_lines, write_atomically
from lean_agent.improvement.practice import Guard, of_repositories
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import Conjecture
from lean_agent.progress import ProgressBar
from lean_agent.prover.provers import file_name
from lean_agent.tracing import Repository, lean_project, trace_repository
from lean_agent.tracing.project.repository import OPEN_PROOF, beside, text_project

logger = logging.getLogger(__name__)

SOURCES_EACH = 2
"""Theorems that variants are made of, for each variant that a round practises: some twenty variants, of which the
curriculum takes its choice."""
FOLDER = "Variants"
"""Their modules begin with it: ``Variants.Order.Basic`` has those of ``Order.Basic``."""
_PLAIN = re.compile(r"[^\W\d][\w'!?]*")

Fate = Literal["open", "refuted", "duplicate", "trivial", "unprintable", "refused"]
"""What becomes of a variant: ``open`` ones are practised; ``refused`` are those near to what is held out; the others
are what Lean says of them (:class:`~lean_agent.lean.types.Conjecture`)."""
FATES: tuple[Fate, ...] = get_args(Fate)


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a theorem, and what became of it.

    Attributes:
        source: full name of the theorem; ``file_path`` and ``module`` are where that stands.
        kind, change, reason: as of a :class:`~lean_agent.lean.types.Conjecture`.
        name: in its namespace, where it is open.
        statement: from its variables on; empty where it came to nothing before it was printed.
        scope: lines that put in force what was in force at the theorem.
        type_hash: of its statement.
    """

    source: str
    file_path: str
    module: str
    kind: str
    change: str
    fate: Fate
    reason: str = ""
    name: str = ""
    statement: str = ""
    scope: tuple[str, ...] = ()
    type_hash: str = ""

    @classmethod
    def read(cls, line: str) -> Self:
        """Make it of a line of JSON."""
        values: dict[str, Any] = json.loads(line)
        return cls(**{**values, "scope": tuple(values["scope"])})

    @property
    def namespace(self) -> str:
        """The namespace that it stands in; empty for none."""
        return self.scope[0].partition("namespace ")[2] if self.scope else ""

    @property
    def full_name(self) -> str:
        """Where it is open: its name with its namespace."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name

    @property
    def text(self) -> str:
        """The theorem in its namespace, its proof left open."""
        end = f"end {self.namespace}".rstrip()
        return "\n".join([*self.scope, "", f"theorem {self.name}{_joined(self.statement)}{OPEN_PROOF}", end, ""])


def _joined(statement: str) -> str:
    """Return a statement as it follows a name: universes stand close to it."""
    return statement if statement.startswith(".{") else f" {statement}"


class Sieve:
    """Says what becomes of conjectures: keeps each statement once, and none that is known or held out.

    Args:
        guard: knows what is held out.
        known: hashes of statements that are theorems already.
    """

    def __init__(self, guard: Guard, known: Iterable[str]) -> None:
        self._guard = guard
        self._known = set(known)

    def knows(self, hashes: Iterable[str]) -> None:
        """Note statements that are theorems already, or variants."""
        self._known.update(hashes)

    def variants(self, file_path: str, module: str, conjectures: Iterable[Conjecture]) -> Iterator[Variant]:
        """Yield what becomes of the conjectures of a file."""
        number = 0
        for conjecture in conjectures:
            fate = self._fate(conjecture)
            name = ""
            if fate == "open":
                number += 1
                last = conjecture.source.rpartition(".")[2]
                name = f"{last if _PLAIN.fullmatch(last) else 'theorem'}_variant{number}"
            yield Variant(
                conjecture.source,
                file_path,
                module,
                conjecture.kind,
                conjecture.change,
                fate,
                conjecture.reason,
                name,
                conjecture.statement,
                conjecture.scope,
                conjecture.type_hash,
            )

    def _fate(self, conjecture: Conjecture) -> Fate:
        if conjecture.outcome != "stated":
            return conjecture.outcome
        if conjecture.type_hash in self._known:
            return "duplicate"
        self._known.add(conjecture.type_hash)
        return "refused" if self._guard.refuses_statement(conjecture.type) else "open"


def make_variants(
    repository: Repository,
    sources: Iterable[StoredTheorem],
    server: LeanServer,
    database: DynamicDatabase,
    sieve: Sieve,
    *,
    on_file: Callable[[], object] = lambda: None,
) -> list[Variant]:
    """Have Lean make variants of theorems of a repository that was traced; say of each what becomes of it.

    Args:
        sources: the theorems; others than those of the repository are passed over.
        on_file: called after each file.

    Raises:
        LeanError: a file cannot be elaborated.
    """
    names: dict[str, list[str]] = {}
    for stored in of_repositories(sources, [repository]):
        names.setdefault(stored.file_path, []).append(stored.full_name)
    project = lean_project(repository)
    variants: list[Variant] = []
    for path in sorted(names):
        module = database.load_file(repository, path).module
        variants += sieve.variants(path, module, server.variants(project, path, names[path]))
        on_file()
    return variants


def state_variants(
    repository: Repository, variants: Iterable[Variant], server: LeanServer, database: DynamicDatabase
) -> list[StoredTheorem]:
    """Return the open ones as open theorems of a folder of ours that stands beside the repository.

    The folder is named by what it holds, so that a second call finds the files, and their traces, of the first. What
    does not elaborate there to the statement that it was is left out.

    Raises:
        TraceError: a file there cannot be traced, since the repository's own compiled modules are gone.
    """
    hashes: dict[tuple[str, str], str] = {}
    files: dict[str, list[Variant]] = {}
    for variant in variants:
        if variant.fate == "open":
            path = variants_path(variant.module)
            hashes[path, variant.full_name] = variant.type_hash
            files.setdefault(path, []).append(variant)
    if not files:
        return []
    texts = {path: file_text(of_file) for path, of_file in files.items()}
    place = text_project(f"variants of {repository.name}", texts, original=repository)
    traced = trace_repository(place, server, database=database, progress=False)
    for skipped in traced.skipped:
        raise TraceError(f"The variants of {repository.name} cannot be read: {skipped.path} {skipped.reason}")
    theorems = database.theorems(traced.repository, sorry=True)
    kept = [t for t in theorems if hashes.get((t.file_path, t.full_name)) == t.theorem.type_hash]
    logger.info("%s: %d variants of %d are stated in files", repository.name, len(kept), len(hashes))
    return kept


def practice_variants(
    folder: Path,
    repositories: Sequence[Repository],
    sources: Sequence[StoredTheorem],
    *,
    server: LeanServer,
    database: DynamicDatabase,
    guard: Guard,
    progress: bool = True,
) -> tuple[list[StoredTheorem], list[Variant]]:
    """Return variants of theorems of these repositories as theorems to practise, and all that was made.

    Those of a repository are made once for a run folder: ``variants/00-order.jsonl`` there has a line for each.

    Raises:
        ConfigError: such a file holds something else.
        LeanError: a file of a repository cannot be elaborated.
        TraceError: the files of variants cannot be traced.
    """
    known = (theorem.theorem.type_hash for repository in repositories for theorem in database.theorems(repository))
    sieve = Sieve(guard, known)
    theorems: list[StoredTheorem] = []
    variants: list[Variant] = []
    files = len({(stored.repository.url, stored.repository.commit, stored.file_path) for stored in sources})
    with ProgressBar("Making variants", total=files, enabled=progress) as bar:
        for number, repository in enumerate(repositories):
            path = folder / "variants" / f"{number:02d}-{file_name(repository.name)}.jsonl"
            if not path.is_file():
                write_variants(make_variants(repository, sources, server, database, sieve, on_file=bar.advance), path)
            made = read_variants(path)
            sieve.knows(variant.type_hash for variant in made if variant.type_hash)
            theorems += state_variants(repository, made, server, database)
            variants += made
    return theorems, variants


def original_of(stored: StoredTheorem) -> Repository:
    """Return the repository that a theorem is practised for: its own, or of a variant that of the theorem it is of."""
    return beside(stored.repository) or stored.repository


def variants_path(module: str, folder: str = FOLDER) -> str:
    """Return where the variants of a module's theorems stand, in a folder of ours."""
    parts = [part.strip("«»") for part in re.findall(r"«[^»]*»|[^.]+", module)]
    return PurePosixPath(folder, *parts).as_posix() + ".lean"


def file_text(variants: Sequence[Variant]) -> str:
    """Return a file that states variants of the theorems of one module."""
    return "\n".join([f"import {variants[0].module}", "", *(variant.text for variant in variants)])


def write_variants(variants: Iterable[Variant], path: Path) -> Path:
    """Write a line of JSON for each."""
    lines = "".join(json.dumps(asdict(variant), ensure_ascii=False) + "\n" for variant in variants)
    return write_atomically(path, lines.encode())


def read_variants(path: Path) -> list[Variant]:
    """Read what :func:`write_variants` has written.

    Raises:
        ConfigError: the file holds something else.
    """
    try:
        return [Variant.read(line) for line in json_lines(path.read_text(encoding="utf-8"))]
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} holds no variants ({error!r}). Delete it, and they are made again.") from error


def counts(variants: Iterable[Variant]) -> dict[str, dict[str, int]]:
    """Return how many there are of each kind, in the order of their letters, by what became of them."""
    by_kind: dict[str, Counter[str]] = {}
    for variant in variants:
        by_kind.setdefault(variant.kind, Counter())[variant.fate] += 1
    return {kind: dict(by_kind[kind]) for kind in sorted(by_kind)}
