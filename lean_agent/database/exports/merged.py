"""A data set on disk: random and novel_premises splits, the corpus, metadata, and a card that says what it is.

The files of each format are in :mod:`.formats`. Beside them lie ``metadata.json`` (what was exported, how it was split,
what near-duplicates were found) and ``README.md`` (the same for people). A file is written beside its place and renamed
into it; the metadata comes last.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lean_agent.database.exports.card import METADATA, card_format, dataset_card
from lean_agent.database.exports.entries import (
    CorpusLines,
    DatasetEntry,
    Definitions,
    Source,
    found_entry,
    imports_first,
    theorem_entry,
    used_premises,
)
from lean_agent.database.exports.formats import (
    CORPUS_FILES,
    FOUND,
    METHODS,
    DatasetFiles,
    Format,
    TableFormat,
    contents,
)
from lean_agent.database.near_duplicates import THRESHOLD
from lean_agent.database.splits import (
    HELD_OUT_PREMISES,
    RANDOM_SHARES,
    SPLITS,
    Placement,
    novel_premises_split,
    random_split,
)
from lean_agent.errors import DatabaseError, LeanAgentError, failed_write, next_step, words_of
from lean_agent.folder_lock import locked_folder
from lean_agent.lean.types import TracedFile, TracedTheorem
from lean_agent.progress import ProgressBar
from lean_agent.tracing import Repository
from lean_agent.wording import installed_version

LONG_EXPORT = 5_000
"""Theorems from which an export takes over two seconds, and shows a progress bar."""
CARD = "README.md"
_PARTIAL = ".partial-"
_COUNTED = ("files", "theorems", "proved", "sorries", "on_axioms", "tactics", "premises", "examples")
"""Of each repository and of all: ``theorems`` are proved, or have a ``sorry``, or rest on axioms; ``tactics`` are those
of the proved ones; ``examples`` were left out and are not among the theorems."""


def export_dataset(
    sources: Sequence[Source],
    placements: Mapping[str, Placement],
    path: Path,
    kind: Format | TableFormat = "leandojo",
    *,
    library: Sequence[DatasetEntry] = (),
    examples: bool = False,
    progress: bool = True,
) -> dict[str, Any]:
    """Write a data set of these repositories below ``path`` and return the metadata.

    The corpus begins with the lines of ``library``, which belong to no repository.

    Proofs that practice has found stand in files of their own, in the split that ``random`` has for their statement.
    Theorems with a ``sorry`` or on other axioms than Lean's three are in no split, nor are those whose ``placements``
    say so. Under ``novel_premises`` a theorem whose own premises say something else than its statement's placement is
    left out. Examples, which LeanDojo has none of, are left out too unless ``examples`` are asked for.

    Raises:
        ConfigError: another process is at work in the folder.
        DatabaseError: the folder holds what is no export in this format, or something could not be written; files that
            were there before stay whole.
    """
    with _in_words(path):
        path.mkdir(parents=True, exist_ok=True)
        with locked_folder(path):
            _check_folder(path, kind)
            for stale in path.glob(f"{_PARTIAL}*"):  # of an export that was killed
                shutil.rmtree(stale)
            partial = path / f"{_PARTIAL}{os.getpid()}"
            try:
                partial.mkdir()
                metadata = _write_all(
                    sources, placements, partial, kind, library=library, examples=examples, progress=progress
                )
                _move_into_place(partial, path)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return metadata


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """Say why an export cannot be written, whichever library notices."""
    try:
        yield
    except OSError as error:
        raise DatabaseError(f"the export to {path} failed ({words_of(error)}); {next_step(error)}") from error
    except LeanAgentError:
        raise
    except Exception as error:
        if (words := failed_write(error)) is None:
            raise
        raise DatabaseError(f"the export to {path} failed ({words}); make room, or name another place") from error


def _write_all(
    sources: Sequence[Source],
    placements: Mapping[str, Placement],
    folder: Path,
    kind: Format | TableFormat,
    *,
    library: Sequence[DatasetEntry],
    examples: bool,
    progress: bool,
) -> dict[str, Any]:
    repositories = []
    n_files, n_theorems = sum(s.n_files for s in sources), sum(s.n_theorems for s in sources)
    with (
        ProgressBar("Exporting", total=n_files, enabled=progress and n_theorems >= LONG_EXPORT) as bar,
        DatasetFiles(folder, kind) as files,
    ):
        for entry in library:
            files.add_file(entry)
        export = _Export(files, placements, CorpusLines(library), examples)
        for source in imports_first(sources):
            known = source.definitions()
            counts: Counter[str] = Counter()
            failed: list[str] = []
            for file in source.files():
                counts.update(export.add(source.repository, file, known))
                counts["found"] += export.add_found(source, file, known)
                failed += [theorem.full_name for theorem in file.failed]
                counts["hidden_bodies"] += sum(error.cause == "hidden body" for error in file.errors)
                bar.advance()
            repositories.append(_repository_entry(source, counts, failed))
    metadata = _metadata(repositories, export, kind)
    metadata["library_premises"] = sum(len(entry["premises"]) for entry in library)
    (folder / METADATA).write_text(json.dumps(metadata, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    (folder / CARD).write_text(dataset_card(metadata), encoding="utf-8")
    return metadata


def _check_folder(path: Path, kind: Format | TableFormat) -> None:
    """Refuse to mix this export with another format's files, or to replace files that are no export's."""
    there = _format_there(path)
    if there not in (None, kind):
        raise DatabaseError(f"{path} holds an export as {there}; name another folder for {kind}, or remove that one")
    if there is None:
        foreign = [name for name in (METADATA, CARD, *METHODS, FOUND, *CORPUS_FILES) if (path / name).exists()]
        if foreign:
            raise DatabaseError(f"{path} holds {foreign[0]}, which is no export's; name another folder")


def _format_there(path: Path) -> str | None:
    """Return the format of the export in this folder; of one that was cut off before its metadata, by its card."""
    try:
        metadata = json.loads((path / METADATA).read_text(encoding="utf-8"))
        return str(metadata["format"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    try:
        return card_format((path / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _move_into_place(partial: Path, path: Path) -> None:
    """Rename every file that was written into its place, the metadata last; what an earlier export had of proofs that
    practice found, and this one has not, goes."""
    names = [file.relative_to(partial) for file in partial.rglob("*") if file.is_file()]
    names = [name for name in names if ".cache" not in name.parts]
    for stale in {file.relative_to(path) for file in (path / FOUND).rglob("*") if file.is_file()}.difference(names):
        (path / stale).unlink()
    for name in sorted(names, key=lambda name: (str(name) == METADATA, name)):
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (partial / name).replace(path / name)


@dataclass(slots=True)
class _Export:
    """What has gone into the files so far, and what has not."""

    files: DatasetFiles
    placements: Mapping[str, Placement]
    corpus: CorpusLines
    examples: bool
    assumed: Counter[str] = field(default_factory=Counter)
    statements: set[str] = field(default_factory=set)

    def add(self, repository: Repository, file: TracedFile, known: Definitions) -> Mapping[str, int]:
        """Write a file; returns what is in it, by the names of the metadata."""
        for line in self.corpus.of(repository, file, known):
            self.files.add_file(line)
        theorems = self._wanted(file)
        counts = Counter(files=1, theorems=len(theorems), premises=len(file.declarations))
        counts["examples"] = len(file.theorems) - len(theorems)
        for theorem in theorems:
            if theorem.has_sorry:
                counts["sorries"] += 1
            elif theorem.axioms:
                counts["on_axioms"] += 1
                self.assumed.update(theorem.axioms)
            else:
                counts["proved"] += 1
                counts["tactics"] += len(theorem.tactics)
                self._place(theorem, theorem_entry(repository, file.path, theorem, known))
        return counts

    def add_found(self, source: Source, file: TracedFile, known: Definitions) -> int:
        """Write the proofs of a file's theorems that practice has found; returns how many there are."""
        there = 0
        for theorem in self._wanted(file):
            proof = source.found_proofs.get((file.path, theorem.full_name))
            placement = self.placements.get(theorem.type_hash, Placement(None, None))
            if proof is not None and placement.random is not None:
                entry = theorem_entry(source.repository, file.path, theorem, known)
                self.files.add_found(placement.random, found_entry(entry, proof))
                there += 1
        return there

    def _wanted(self, file: TracedFile) -> list[TracedTheorem]:
        """Return the theorems of a file, examples only if they were asked for."""
        return [theorem for theorem in file.theorems if self.examples or not theorem.is_example]

    def _place(self, theorem: TracedTheorem, entry: dict[str, Any]) -> None:
        # What another process has stored since the splits were read is in none; the next export has it.
        placement = self.placements.get(theorem.type_hash, Placement(None, None))
        if theorem.type_hash in self.placements:
            self.statements.add(theorem.type_hash)
        by_premises = novel_premises_split(used_premises(theorem))
        agreed = placement.novel_premises if placement.given or placement.novel_premises == by_premises else None
        for method, split in zip(METHODS, (placement.random, agreed), strict=True):
            if split is None:
                self.files.leave_out(method, entry)
            else:
                self.files.add_theorem(method, split, entry)

    def leaks(self) -> dict[str, Any]:
        """Return what near-duplicates would have leaked from one split into another, and what became of them."""
        placed = {hash_: self.placements[hash_] for hash_ in self.statements}
        near = {hash_: placement for hash_, placement in placed.items() if placement.near is not None}
        moved = [h for h, p in near.items() if p.random not in (None, random_split(h)) and not p.given]
        return {
            "similarity": f"Jaccard index of three-word pieces, at least {THRESHOLD}",
            "statements": len(self.statements),
            "near_duplicates": len(near),
            "moved_to_the_side_of_the_first": len(moved),
            "left_out_near_to_two_sides": sum(placement.random is None for placement in near.values()),
        }


def _repository_entry(source: Source, counts: Mapping[str, int], failed: list[str]) -> dict[str, Any]:
    return {
        "url": source.repository.address,
        "subfolder": source.repository.folder,
        "commit": source.repository.commit,
        "name": source.repository.name,
        "licence": source.licence,
        "lean_toolchain": source.toolchain,
        "lean_versions": source.lean_versions,
        **{name: counts.get(name, 0) for name in _COUNTED},
        "found": counts.get("found", 0),
        "failed": failed,
        "hidden_bodies": counts.get("hidden_bodies", 0),
    }


def _metadata(repositories: list[dict[str, Any]], export: _Export, kind: Format | TableFormat) -> dict[str, Any]:
    methods = {
        "random": f"by a hash of the statement up to renaming; val {RANDOM_SHARES['val']:.0%}, test "
        f"{RANDOM_SHARES['test']:.0%}",
        "novel_premises": f"by a hash of the premises; {HELD_OUT_PREMISES['val']:.0%} of all premises are kept for "
        f"val, {HELD_OUT_PREMISES['test']:.0%} for test",
    }
    splits = {
        method: {
            "method": methods[method],
            **{split: export.files.counts[method, split] for split in SPLITS},
            "left_out": export.files.left_out[method],
        }
        for method in METHODS
    }
    return {
        "layout": "LeanDojo Benchmark 4" if contents(kind) == "theorems" else "one step of a proof a row",
        "format": kind,
        "creation_time": datetime.now(UTC).isoformat(timespec="seconds"),
        "lean_agent_version": installed_version(),
        "repositories": repositories,
        **{name: sum(entry[name] for entry in repositories) for name in _COUNTED},
        "found": {"proofs": sum(entry["found"] for entry in repositories), **export.files.found},
        "axioms": dict(export.assumed.most_common()),
        "splits": splits,
        "leaks": export.leaks(),
    }
