"""The database: one SQLite file, in WAL mode, that several processes may use at once.

Each method that writes is one transaction: after a kill at any moment the file holds all units that were stored before
and nothing of the one in flight. Tables are in :mod:`.schema`, fields in :mod:`.rows`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lean_agent.database import catalogue, records, rows, schema, splits
from lean_agent.database.catalogue import FileLine, TheoremChange, TheoremLine, TheoremQuery
from lean_agent.database.difficulty import MEASURES, Order, RepositoryDifficulty, rank_repositories
from lean_agent.database.exports.card import find_licence
from lean_agent.database.exports.entries import (
    CorpusLines,
    DatasetEntry,
    DefinedAt,
    Definitions,
    Source,
    import_order,
    imports_first,
)
from lean_agent.database.exports.formats import Format, TableFormat
from lean_agent.database.exports.leandojo import IMPORTED, read_data_set, write_dynamic_database
from lean_agent.database.exports.merged import export_dataset
from lean_agent.database.library import LibraryModule, LibrarySummary, library_entries, library_summary, write_library
from lean_agent.database.merge import MergeReport, merge
from lean_agent.database.records import (
    FoundProof,
    FoundTactic,
    ImportReport,
    LemmaRow,
    PassRate,
    ProofStatistics,
    RemovalReport,
    RepositoryKey,
    RepositorySummary,
    StoredProof,
    StoredTheorem,
    TheoremPlace,
)
from lean_agent.database.splits import Placement
from lean_agent.errors import DatabaseError, next_step, words_of
from lean_agent.forks import Owner
from lean_agent.lean.types import EXAMPLE_COMMAND, Position, TracedFile, Verdict
from lean_agent.settings import checked, checked_methods
from lean_agent.tracing import Repository, SkippedFile
from lean_agent.tracing.project.sources import toolchain


@checked_methods
class DynamicDatabase:
    """Everything that was traced and proved, kept in one file.

    Opening an existing file never loses anything in it. Threads may share an object; they take turns. A forked child
    opens the file again.

    Args:
        path: the file, made if it is not there; ``":memory:"`` keeps nothing.

    Raises:
        DatabaseError: the file is damaged, another program's, or of a later version; it stays as it was.
    """

    @checked
    def __init__(self, path: str | Path) -> None:
        self.path = path if path == schema.IN_MEMORY else Path(path)
        self._lock = threading.RLock()
        self._owner = Owner("database", DatabaseError)
        self._connection = schema.connect(self.path)

    def close(self) -> None:
        """Close the file. Idempotent; in a forked child, whose parent has it open, nothing happens."""
        if self._owner.is_here:
            with self._lock:
                self._connection.close()

    def __enter__(self) -> DynamicDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Repositories and files

    def add_repository(self, repository: Repository, *, licence: str | None = None, partly: bool = False) -> None:
        """Make a repository known. Adding it again updates where it lies and keeps all that is stored of it.

        Args:
            licence: its SPDX identifier; by default what its licence file says.
            partly: only some of its files are traced now, so that where it lay before stays its place if it is there.
        """
        if partly and any(known == repository and known.path.is_dir() for known in self.repositories(benchmarks=True)):
            return
        values = (repository.url, repository.commit, repository.name, str(repository.path), repository.folder)
        asked_for = toolchain(repository.path, repository.folder)
        own_licence = find_licence(repository.project_path) or find_licence(repository.path)
        with self._transaction() as connection:
            connection.execute(
                'INSERT INTO repositories (url, "commit", name, path, folder, toolchain, licence)'
                " VALUES (?, ?, ?, ?, ?, ?, ?)"
                ' ON CONFLICT (url, "commit") DO UPDATE SET name = excluded.name, path = excluded.path,'
                " toolchain = coalesce(excluded.toolchain, toolchain), licence = coalesce(excluded.licence, licence)",
                (*values, asked_for, licence or own_licence),
            )

    def update_repository(self, repository: Repository, *, licence: str | None = None) -> None:
        """Note where a stored repository lies now, its name, and its licence. All that is stored of it stays.

        Args:
            licence: its SPDX identifier; by default what its licence file says, or what is known already.

        Raises:
            DatabaseError: it is not stored.
        """
        self._known(repository)
        self.add_repository(repository, licence=licence)

    def delete_repository(self, repository: RepositoryKey) -> RemovalReport:
        """Forget a repository with its files, theorems, and the proofs that were found, in one transaction.

        Which split a statement belongs to stays decided, for those that go and for all that remain.

        Raises:
            DatabaseError: it is not stored.
        """
        repository_id = self._id_of(repository)
        with self._transaction() as connection:
            splits.decide(connection)  # by all that was stored before them, as if nothing were to go
            report = records.removal(connection, repository_id)
            connection.execute("DELETE FROM repositories WHERE id = ?", (repository_id,))
        return report

    def repositories(self, *, benchmarks: bool = False) -> list[Repository]:
        """Return all repositories, in the order in which they were added.

        Args:
            benchmarks: those too that benchmarks were traced as, which nobody should train on unasked.
        """
        known = [_repository(*row) for row in self._rows(f"SELECT {_REPOSITORY} FROM repositories ORDER BY id")]
        return [repository for repository in known if benchmarks or not repository.is_benchmark]

    def store_file(self, repository: RepositoryKey, traced_file: TracedFile, content_hash: str) -> None:
        """Keep a traced file in the place of what was known of it. Proofs found stay."""
        with self._transaction() as connection:
            rows.write_file(connection, self._id_of(repository), traced_file, content_hash)

    def store_skipped_file(self, repository: RepositoryKey, skipped: SkippedFile) -> None:
        """Keep why a file was not traced, in the place of what was known of it."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO files (repository_id, path, status, reason, line)"
                " VALUES (?, ?, 'skipped', ?, ?)",
                (self._id_of(repository), skipped.path, skipped.reason, skipped.line),
            )

    def keep_files(self, repository: RepositoryKey, paths: Collection[str]) -> None:
        """Forget the files of a repository that are none of ``paths``, but for those that a data set brought.

        Where a path of it is the end of one of ``paths``, as it was while paths were relative to the project's source
        folder, proofs and attempts go there.
        """
        repository_id, kept = self._id_of(repository), set(paths)
        with self._transaction() as connection:
            stored = connection.execute(
                "SELECT id, path FROM files WHERE repository_id = ? AND content_hash IS NOT ?",
                (repository_id, IMPORTED),
            )
            for file_id, path in [row for row in stored if row[1] not in kept]:
                connection.execute("DELETE FROM files WHERE id = ?", (file_id,))
                moved = [other for other in kept if other.endswith(f"/{path}")]
                for table in ("proofs", "attempts", "found") if len(moved) == 1 else ():
                    connection.execute(
                        f"UPDATE OR IGNORE {table} SET file_path = ? WHERE repository_id = ? AND file_path = ?",
                        (moved[0], repository_id, path),
                    )

    def repository_with(self, repository: RepositoryKey, path: str, content_hash: str) -> Repository | None:
        """Return the commit of this repository, itself before others, at which the file is stored with this very
        content."""
        rows = self._rows(
            f"SELECT {_REPOSITORY} FROM files"
            " JOIN repositories ON repositories.id = repository_id"
            " WHERE url = ? AND files.path = ? AND status = 'traced' AND content_hash = ?"
            ' ORDER BY "commit" = ? DESC, repository_id DESC LIMIT 1',
            (repository.url, path, content_hash, repository.commit),
        )
        return _repository(*rows[0]) if rows else None

    def load_file(self, repository: RepositoryKey, path: str) -> TracedFile:
        """Read a traced file, equal to the one that was stored.

        Raises:
            DatabaseError: no such file is stored.
        """
        with self._reading() as connection:
            row = connection.execute(
                "SELECT id FROM files WHERE repository_id = ? AND path = ? AND status = 'traced'",
                (self._id_of(repository), path),
            ).fetchone()
            if row is not None:
                return rows.read_file(connection, row[0])
        raise DatabaseError(f"{path} of {repository.url} is not stored; trace the repository first")

    def files(self, repository: RepositoryKey) -> Iterator[TracedFile]:
        """Yield the traced files of a repository, read one after the other: those that others import first, else by
        path."""
        for file_id, *_ in self._in_import_order(repository):
            with self._reading() as connection:
                file = rows.read_file(connection, file_id)
            yield file

    def _in_import_order(self, repository: RepositoryKey) -> list[tuple[int, str, str]]:
        """Return id, module and path of the traced files of a repository, in the order of :meth:`files`."""
        stored = self._rows(
            "SELECT id, module, path, imports FROM files WHERE repository_id = ? AND status = 'traced' ORDER BY path",
            (self._id_of(repository),),
        )
        homes = {module: file_id for file_id, module, *_ in stored}
        imports = {
            file_id: [homes[name] for name in json.loads(names) if name in homes] for file_id, _, _, names in stored
        }
        places = {file_id: (file_id, module, path) for file_id, module, path, _ in stored}
        return [places[file_id] for file_id in import_order(imports)]

    def skipped_files(self, repository: RepositoryKey) -> list[SkippedFile]:
        """Return the files that could not be traced, by path."""
        stored = self._rows(
            "SELECT path, line, reason FROM files WHERE repository_id = ? AND status = 'skipped' ORDER BY path",
            (self._id_of(repository),),
        )
        return [SkippedFile(*values) for values in stored]

    # Theorems and proofs

    def theorems(self, repository: RepositoryKey, sorry: bool | None = None) -> list[StoredTheorem]:
        """Return the theorems of a repository by path and position; only those with (without) a ``sorry`` if given."""
        return self._theorems(repository, sorry=sorry)

    def unfinished_theorems(self, repository: RepositoryKey) -> list[StoredTheorem]:
        """Return the theorems of a repository that are left as ``sorry`` or rest on one that is, without reading the
        files that have none."""
        having = (
            "EXISTS (SELECT 1 FROM theorems WHERE file_id = files.id AND (has_sorry OR axioms LIKE '%\"sorryAx\"%'))"
        )
        theorems = self._theorems(repository, of_files=having)
        return [each for each in theorems if each.theorem.has_sorry or "sorryAx" in each.theorem.axioms]

    def _theorems(
        self, repository: RepositoryKey, *, sorry: bool | None = None, of_files: str = "TRUE"
    ) -> list[StoredTheorem]:
        """Return theorems of the traced files of which a condition in SQL holds, by path and position."""
        known = self._known(repository)
        files = self._rows(
            f"SELECT id, path FROM files WHERE repository_id = ? AND status = 'traced' AND {of_files} ORDER BY path",
            (self._id_of(repository),),
        )
        with self._reading() as connection:
            return [
                StoredTheorem(known, path, theorem)
                for file_id, path in files
                for theorem in rows.read_theorems(connection, file_id, sorry)
            ]

    def theorems_named(self, full_name: str) -> list[StoredTheorem]:
        """Return the theorems of this full name, in all repositories."""
        stored = self._rows(
            "SELECT repository_id, file_id, path FROM theorems JOIN files ON files.id = file_id WHERE full_name = ?"
            " ORDER BY repository_id, path",
            (full_name,),
        )
        by_id = {self._id_of(repository): repository for repository in self.repositories(benchmarks=True)}
        with self._reading() as connection:
            return [
                StoredTheorem(by_id[repository_id], path, theorem)
                for repository_id, file_id, path in stored
                for theorem in rows.read_theorems(connection, file_id)
                if theorem.full_name == full_name
            ]

    def theorem_names(self) -> list[str]:
        """Return the full names of all theorems but examples, each once, in the order of their letters."""
        rows = self._rows(
            "SELECT DISTINCT full_name FROM theorems WHERE command IS NOT ? ORDER BY full_name", (EXAMPLE_COMMAND,)
        )
        return [name for (name,) in rows]

    def sorry_theorems(self, repos: Iterable[RepositoryKey] | None = None) -> list[StoredTheorem]:
        """Return the theorems to prove: those left as ``sorry`` in these repositories, or in all but benchmarks."""
        chosen = self.repositories() if repos is None else repos
        return [theorem for repository in chosen for theorem in self.theorems(repository, sorry=True)]

    def store_proof(
        self,
        repository: RepositoryKey,
        file_path: str,
        full_name: str,
        script: str,
        verdict: Verdict,
        *,
        source: str,
        seconds: float = 0.0,
        lean_calls: int = 0,
        lemmas: Sequence[LemmaRow] = (),
    ) -> None:
        """Keep a judged proof attempt (:class:`StoredProof`), each in a row of its own; none is overwritten."""
        words = (file_path, full_name, script, source, verdict.kind, verdict.reason)
        lists = (json.dumps(verdict.axioms, ensure_ascii=False), rows.messages_to_json(verdict.messages))
        created = datetime.now(UTC).isoformat()
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO proofs (repository_id, file_path, full_name, script, source, verdict, reason, axioms,"
                " messages, seconds, lean_calls, created, lemmas) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (self._id_of(repository), *words, *lists, seconds, lean_calls, created, json.dumps([*lemmas])),
            )

    def proofs(
        self,
        repos: Iterable[RepositoryKey] | None = None,
        *,
        full_name: str | None = None,
        source: str | None = None,
        accepted_only: bool = True,
    ) -> list[StoredProof]:
        """Proof attempts in the order in which they were stored, narrowed to what is given."""
        conditions, values = ["1"], []
        for column, value in (("full_name", full_name), ("source", source)):
            if value is not None:
                conditions.append(f"proofs.{column} = ?")
                values.append(value)
        if accepted_only:
            conditions.append("verdict = 'accepted'")
        rows = self._rows(
            f"SELECT {_REPOSITORY}, file_path, full_name, script, source,"
            " verdict, reason, axioms, messages, seconds, lean_calls, created, lemmas"
            " FROM proofs JOIN repositories ON repositories.id = repository_id"
            f" WHERE {' AND '.join(conditions)} ORDER BY proofs.id",
            values,
        )
        wanted = None if repos is None else {(r.url, r.commit) for r in repos}
        return [_proof(row) for row in rows if wanted is None or (row[0], row[1]) in wanted]

    def store_attempt(
        self, repository: RepositoryKey, file_path: str, full_name: str, *, source: str, proved: bool
    ) -> None:
        """Count one more attempt at a theorem, successful or not: what a measured pass rate is made of."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO attempts VALUES (?, ?, ?, ?, 1, ?, ?)"
                " ON CONFLICT DO UPDATE SET tried = tried + 1, proved = proved + excluded.proved,"
                " updated = excluded.updated",
                (self._id_of(repository), file_path, full_name, source, proved, datetime.now(UTC).isoformat()),
            )

    def pass_rates(self, repos: Iterable[RepositoryKey], sources: Collection[str]) -> dict[TheoremPlace, PassRate]:
        """Return how often these sources together tried and proved theorems of these repositories; theorems that none
        of them tried are left out."""
        marks, counts = ", ".join("?" * len(sources)), "sum(tried), sum(proved)"
        return {
            (repository.url, repository.commit, path, name): PassRate(tried, proved)
            for repository in repos
            for path, name, tried, proved in self._rows(
                f"SELECT file_path, full_name, {counts} FROM attempts WHERE repository_id = ? AND source IN ({marks})"
                " GROUP BY file_path, full_name",
                (self._id_of(repository), *sources),
            )
        }

    def store_found_proof(self, proof: FoundProof) -> bool:
        """Keep a proof that practice has found, in the place of a longer one; returns whether it was kept.

        A proof is shorter with fewer steps, with as many in fewer characters, or with the same text where the tactics
        are shorter that the search found it by.

        Raises:
            DatabaseError: it is not among the judged proofs of the theorem that are stored and accepted.
        """
        tactics = [[tactic.step, tactic.state_before, tactic.state_after] for tactic in proof.tactics]
        theorem = (self._id_of(proof.repository), proof.file_path, proof.full_name)
        steps = (proof.script, json.dumps(tactics, ensure_ascii=False), len(tactics))
        with self._transaction() as connection:
            judged = connection.execute(
                "SELECT 1 FROM proofs WHERE (repository_id, file_path, full_name, script, verdict)"
                " = (?, ?, ?, ?, 'accepted')",
                (*theorem, proof.script),
            )
            if judged.fetchone() is None:
                raise DatabaseError(
                    f"no accepted proof of {proof.full_name} reads so: what is stored as found has to be judged first"
                )
            cursor = connection.execute(
                "INSERT INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
                " script = excluded.script, tactics = excluded.tactics, steps = excluded.steps,"
                " source = excluded.source, round = excluded.round, created = excluded.created"
                " WHERE (excluded.steps, length(excluded.script), length(excluded.tactics))"
                " < (steps, length(script), length(tactics))",
                (*theorem, *steps, proof.source, proof.round, proof.created.isoformat()),
            )
            return cursor.rowcount > 0

    def found_proofs(self, repos: Iterable[RepositoryKey] | None = None) -> list[FoundProof]:
        """Return the shortest proof that practice has found of each theorem, in the order of their names."""
        rows = self._rows(
            f"SELECT {_REPOSITORY}, file_path, full_name, script, tactics, source, round, created"
            " FROM found JOIN repositories ON repositories.id = repository_id ORDER BY repository_id, file_path,"
            " full_name"
        )
        wanted = None if repos is None else {(r.url, r.commit) for r in repos}
        return [_found_proof(row) for row in rows if wanted is None or (row[0], row[1]) in wanted]

    # What is read off

    def summaries(self) -> list[RepositorySummary]:
        """Count how much of each repository is stored, in the order in which they were added."""
        with self._reading() as connection:
            return records.summaries(connection)

    def file_lines(self, repository: RepositoryKey) -> list[FileLine]:
        """Return the files of a repository in numbers, by path, traced or not."""
        repository_id = self._id_of(repository)
        with self._reading() as connection:
            return catalogue.file_lines(connection, repository_id)

    def search_theorems(
        self, query: TheoremQuery, repository: RepositoryKey | None = None, *, most: int = 100, skip: int = 0
    ) -> tuple[list[TheoremLine], int]:
        """Return ``most`` theorems after the first ``skip``, and how many there are.

        Args:
            repository: only those of this one.
        """
        repository_id = None if repository is None else self._id_of(repository)
        with self._reading() as connection:
            return catalogue.search_theorems(connection, repository_id, query, most, skip)

    def names_among(self, names: Collection[str]) -> set[str]:
        """Return those of some full names that theorems of the database have."""
        with self._reading() as connection:
            return catalogue.names_among(connection, names)

    def changes(self, before: RepositoryKey, after: RepositoryKey) -> list[TheoremChange]:
        """Return the theorems that differ between two commits that are stored, by path and name."""
        ids = self._id_of(before), self._id_of(after)
        with self._reading() as connection:
            return catalogue.changes(connection, *ids)

    def proof_statistics(self) -> ProofStatistics:
        """Lengths of proofs, tactics and sizes of states over all finished proofs."""
        with self._reading() as connection:
            return records.proof_statistics(connection)

    def repositories_by_difficulty(
        self, measure: str = "steps", *, source: str | None = None, order: Order = "easy_share"
    ) -> list[RepositoryDifficulty]:
        """Return all repositories but benchmarks, with their easy, medium and hard theorems counted, easiest first.

        Args:
            measure: one of :data:`lean_agent.database.difficulty.MEASURES`.
            source: for ``pass_rate``: whose attempts; by default the one's that tried something last.
            order: :data:`~lean_agent.database.difficulty.Order`.

        Raises:
            ConfigError: there is no such measure, or no such order.
        """
        return self._ranked(self.repositories(), measure, source, order)

    def _ranked(
        self, repositories: Iterable[Repository], measure: str, source: str | None = None, order: Order = "easy_share"
    ) -> list[RepositoryDifficulty]:
        chosen = MEASURES.find(measure)
        with self._reading() as connection:
            facts = {
                repository: records.theorem_facts(connection, self._id_of(repository), source)
                for repository in repositories
            }
        return rank_repositories(facts, chosen, order)

    def sort_repositories_by_difficulty(
        self, repos: Iterable[RepositoryKey] | None = None, measure: str = "steps", order: Order = "easy_share"
    ) -> list[Repository]:
        """Sort these repositories, or all, the one with the largest share of easy theorems first; with
        ``order="easy_count"`` the one with the most of them, as LeanAgent does.

        Easy, medium and hard are measured over all repositories that are stored, benchmarks only if they are named.

        Raises:
            ConfigError: there is no such measure, or no such order.
        """
        known = self.repositories()
        wanted = known if repos is None else [self._known(repository) for repository in repos]
        ranked = self._ranked(dict.fromkeys([*known, *wanted]), measure, order=order)
        return [entry.repository for entry in ranked if entry.repository in wanted]

    def export_merged_data(
        self,
        repos: Sequence[RepositoryKey],
        path: str | Path,
        kind: Format | TableFormat = "leandojo",
        *,
        examples: bool = False,
        progress: bool = True,
    ) -> dict[str, Any]:
        """Write the theorems of these repositories as a data set, by default in the layout of LeanDojo Benchmark 4.

        Formats are described in :mod:`lean_agent.database.exports.formats`, splits in
        :mod:`lean_agent.database.splits`.
        Files of an earlier export are replaced one by one, each whole.

        Args:
            examples: whether examples are theorems of the data set.

        Returns:
            What ``metadata.json`` holds.

        Raises:
            ConfigError: there is no such format, or another process is at work in the folder.
            DatabaseError: a repository is not stored, or the folder cannot be written.
        """
        sources = [self._source(self._known(repository)) for repository in repos]
        return export_dataset(
            sources,
            self.placements(),
            Path(path),
            kind,
            library=self._library_entries(),
            examples=examples,
            progress=progress,
        )

    def corpus(self, repos: Iterable[RepositoryKey]) -> Iterator[DatasetEntry]:
        """Yield the lines of ``corpus.jsonl`` for these repositories: what each file imports and what it declares.

        Lean's own library comes before them, if it is kept.
        """
        library = self._library_entries()
        yield from library
        lines = CorpusLines(library)
        for source in imports_first([self._source(self._known(repository)) for repository in repos]):
            known = source.definitions()
            for file in source.files():
                yield from lines.of(source.repository, file, known)

    def store_library(self, lean_version: str, modules: Iterable[LibraryModule]) -> None:
        """Keep Lean's own library, so that its theorems are premises too, in the place of the one that was kept."""
        with self._transaction() as connection:
            write_library(connection, lean_version, modules)

    def library(self) -> LibrarySummary | None:
        """Return what is kept of Lean's own library; ``None`` where it was never asked for."""
        with self._reading() as connection:
            return library_summary(connection)

    def _library_entries(self) -> list[DatasetEntry]:
        with self._reading() as connection:
            return list(library_entries(connection))

    def placements(self) -> dict[str, Placement]:
        """Return the splits of every proved statement, by its hash; those without are decided now, for good."""
        with self._reading() as connection:
            undecided = splits.has_undecided(connection)
        if undecided:
            with self._transaction() as connection:
                splits.decide(connection)
        with self._reading() as connection:
            return splits.placements(connection)

    # Data sets of others

    def import_leandojo(self, path: str | Path) -> ImportReport:
        """Take up a folder in the layout of LeanDojo Benchmark 4, or LeanDojo-v2's ``dynamic_database.json``.

        Files that were traced here stay. The splits of a benchmark are kept as they are given, except for statements
        that are decided already.

        Raises:
            DatabaseError: it is neither, or it is damaged; then nothing of it is taken up.
        """
        sources = read_data_set(Path(path))
        files = theorems = 0
        places = {known: known.path for known in self.repositories(benchmarks=True)}
        for source in sources:
            place = places.get(source.repository)
            if place is None or not place.is_dir():
                self.add_repository(source.repository)
        with self._transaction() as connection:
            for source in sources:
                repository_id = self._id_of(source.repository)
                traced = {
                    place
                    for (place,) in connection.execute(
                        "SELECT path FROM files WHERE repository_id = ? AND status = 'traced' AND content_hash != ?",
                        (repository_id, IMPORTED),
                    )
                }
                for file in (file for file in source.files if file.path not in traced):
                    rows.write_file(connection, repository_id, file, IMPORTED)
                    files, theorems = files + 1, theorems + len(file.theorems)
                splits.adopt(connection, source.decisions)
        return ImportReport(len(sources), files, theorems)

    def export_dynamic_database(self, repos: Sequence[RepositoryKey], path: str | Path) -> Path:
        """Write repositories as LeanDojo-v2's ``dynamic_database.json``.

        Raises:
            DatabaseError: a repository is not stored, or the file cannot be written; one that was there stays.
        """
        sources = [self._source(self._known(repository)) for repository in repos]
        accepted = {((p.repository.url, p.repository.commit), p.file_path, p.full_name) for p in self.proofs(repos)}
        place = Path(path)
        partial = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("w", encoding="utf-8") as file:
                write_dynamic_database(
                    sources, lambda repo, path, name: ((repo.url, repo.commit), path, name) in accepted, file
                )
            return partial.replace(place)
        except OSError as error:
            raise DatabaseError(f"{place} could not be written ({words_of(error)}); {next_step(error)}") from error
        finally:
            with suppress(OSError):  # where no file can be, there is none to be removed
                partial.unlink()

    # Housekeeping

    def merge(self, other: str | Path) -> MergeReport:
        """Take over what another database holds; what is here already stays as it is.

        Raises:
            DatabaseError: there is no database at ``other``, or it is this one, damaged, or of a later version.
        """
        path = Path(other)
        if self.path != schema.IN_MEMORY and path.resolve() == Path(self.path).resolve():
            raise DatabaseError(f"{path} is the database itself; name another one to merge")
        with self._reading() as connection, schema.attached_copy(connection, path), self._transaction():
            return merge(connection)

    def vacuum(self) -> tuple[int, int]:
        """Give back the space of what was removed; returns the size of the file before and after, in bytes.

        Raises:
            DatabaseError: the file is damaged, another process is using it, or there is no room for a second copy.
        """
        with self._reading() as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise DatabaseError(f"{self.path} is damaged ({verdict}); restore a copy")
            before = _size(connection)
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return before, _size(connection)

    # Inside

    def _source(self, repository: Repository) -> Source:
        ((asked_for, licence, n_files, n_theorems),) = self._rows(
            "SELECT repositories.toolchain, licence, count(DISTINCT files.id), count(theorems.ordinal)"
            " FROM repositories LEFT JOIN files ON files.repository_id = repositories.id AND status = 'traced'"
            " LEFT JOIN theorems ON theorems.file_id = files.id WHERE repositories.id = ?",
            (self._id_of(repository),),
        )
        rows = self._rows(
            "SELECT module, imports, lean_version FROM files WHERE repository_id = ? AND status = 'traced'",
            (self._id_of(repository),),
        )
        imports = {module: json.loads(names) for module, names, _ in rows}
        ran = sorted({lean_version for _, _, lean_version in rows if lean_version is not None})
        proofs = {(proof.file_path, proof.full_name): proof for proof in self.found_proofs([repository])}
        return Source(
            repository, asked_for, ran, licence, n_files, n_theorems, imports,
            files=lambda: self.files(repository),
            definitions=lambda: self._definitions(repository),
            found_proofs=proofs,
        )  # fmt: skip

    def _definitions(self, repository: Repository) -> Definitions:
        """Read where a repository defines what; of a name that several files define, the last one stands."""
        files = self._in_import_order(repository)
        declarations: dict[str, DefinedAt] = {}
        for file_id, _, path in files:
            places = self._rows(
                "SELECT full_name, start_line, start_column, end_line, end_column FROM declarations"
                " WHERE file_id = ? ORDER BY ordinal",
                (file_id,),
            )
            declarations |= {name: DefinedAt(path, Position(*span[:2]), Position(*span[2:])) for name, *span in places}
        return Definitions(declarations, {module: path for _, module, path in files})

    def _known(self, repository: RepositoryKey) -> Repository:
        for known in self.repositories(benchmarks=True):
            if (known.url, known.commit) == (repository.url, repository.commit):
                return known
        raise _unknown(repository)

    def _id_of(self, repository: RepositoryKey) -> int:
        rows = self._rows(
            'SELECT id FROM repositories WHERE url = ? AND "commit" = ?', (repository.url, repository.commit)
        )
        if not rows:
            raise _unknown(repository)
        return int(rows[0][0])

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        with self._reading() as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection to a thread at a time, with SQLite's errors in words."""
        self._owner.check()
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise schema.in_words(error, self.path) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Store all that is written inside together, or none of it."""
        with self._reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


Database = DynamicDatabase


def _size(connection: sqlite3.Connection) -> int:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    return int(pages * page)


def _unknown(repository: RepositoryKey) -> DatabaseError:
    return DatabaseError(f"{repository.url} at {repository.commit} is not in the database; trace it first")


_REPOSITORY = 'url, "commit", repositories.name, repositories.path, folder'


def _repository(url: str, commit: str, name: str, path: str, folder: str) -> Repository:
    return Repository(url, commit, name, Path(path), folder)


def _proof(row: tuple[Any, ...]) -> StoredProof:
    kind, reason, axioms, messages, seconds, lean_calls, created, lemmas = row[9:]
    verdict = Verdict(kind, reason, tuple(json.loads(axioms)), rows.messages_from_json(messages))
    figures = [seconds, lean_calls, datetime.fromisoformat(created)]
    uses = tuple(map(tuple, json.loads(lemmas)))
    fields: list[Any] = [_repository(*row[:5]), *row[5:9], verdict, *figures, uses]
    return StoredProof(*fields)


def _found_proof(row: tuple[Any, ...]) -> FoundProof:
    file_path, full_name, script, tactics, source, number, created = row[5:]
    steps = tuple(FoundTactic(*tactic) for tactic in json.loads(tactics))
    day = datetime.fromisoformat(created)
    return FoundProof(_repository(*row[:5]), file_path, full_name, script, steps, source, number, day)
