"""The layout of LeanDojo Benchmark 4 on disk.

    path/random/{train,val,test}.json           theorems, split by statement
    path/novel_premises/{train,val,test}.json   theorems, split so that val and test need premises unknown to train
    path/corpus.jsonl                           one line a file: its imports and everything that can be a premise
    path/metadata.json                          what was exported, and how it was split

Lines and columns count from 1, as LeanDojo has them. Beyond LeanDojo, a tactic has ``step`` (the tactic as one step of
a search) and ``position`` (its byte offset in the file). A file is written beside its place and renamed into it; the
metadata comes last.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from lean_agent.database.annotate import annotate
from lean_agent.database.splits import (
    HELD_OUT_PREMISES,
    RANDOM_SHARES,
    SPLITS,
    Split,
    novel_premises_split,
    random_split,
)
from lean_agent.errors import DatabaseError
from lean_agent.lean.types import Position, Premise, TracedDeclaration, TracedFile, TracedTactic, TracedTheorem
from lean_agent.progress import ProgressBar
from lean_agent.tracing import Repository

METHODS = ("random", "novel_premises")
LONG_EXPORT = 5_000
"""Theorems from which an export takes over two seconds, and shows a progress bar."""


@dataclass(frozen=True, slots=True)
class Source:
    """A repository to export, with how many traced files and theorems it has.

    ``files`` reads the files anew each time it is called, one after the other.
    """

    repository: Repository
    toolchain: str | None
    n_files: int
    n_theorems: int
    files: Callable[[], Iterable[TracedFile]]


def export_benchmark(
    sources: Sequence[Source], statements: Mapping[str, Split], path: Path, *, progress: bool = True
) -> dict[str, Any]:
    """Write the layout for these repositories below ``path`` and return the metadata.

    Theorems with a ``sorry`` are in no split. ``statements`` gives the split of each statement under
    ``novel_premises``; a theorem whose own premises say otherwise is left out there.

    Raises:
        DatabaseError: something could not be written; files that were there before stay whole.
    """
    partial = path / f".partial-{os.getpid()}"
    try:
        shutil.rmtree(partial, ignore_errors=True)
        for method in METHODS:
            (partial / method).mkdir(parents=True)
        metadata = _write_all(sources, statements, partial, progress)
        for name in _file_names():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (partial / name).replace(path / name)
    except OSError as error:
        raise DatabaseError(f"the export to {path} failed ({error}); free some space or name another folder") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return metadata


def _file_names() -> list[str]:
    return [f"{method}/{split}.json" for method in METHODS for split in SPLITS] + ["corpus.jsonl", "metadata.json"]


def _write_all(
    sources: Sequence[Source], statements: Mapping[str, Split], folder: Path, progress: bool
) -> dict[str, Any]:
    repositories = []
    n_files, n_theorems = sum(s.n_files for s in sources), sum(s.n_theorems for s in sources)
    with ExitStack() as stack:
        show = progress and n_theorems >= LONG_EXPORT
        bar = stack.enter_context(ProgressBar("Exporting", total=n_files, enabled=show))
        splits = stack.enter_context(_SplitFiles(folder, statements))
        corpus = stack.enter_context((folder / "corpus.jsonl").open("w", encoding="utf-8"))
        for source in sources:
            definitions = _definitions(source)
            counts: Counter[str] = Counter()
            for file in source.files():
                corpus.write(_line(_corpus_entry(source.repository, file, definitions.modules)))
                counts.update(files=1, theorems=len(file.theorems), sorries=sum(t.has_sorry for t in file.theorems))
                for theorem in file.theorems:
                    if not theorem.has_sorry:
                        splits.add(theorem, _theorem_entry(source.repository, file.path, theorem, definitions))
                bar.advance()
            repositories.append(_repository_entry(source, counts))
    metadata = _metadata(repositories, splits)
    (folder / "metadata.json").write_text(json.dumps(metadata, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return metadata


def used_premises(theorem: TracedTheorem) -> list[str]:
    """Full names of all premises of a proof, each once, sorted."""
    premises = {p.full_name for p in theorem.premises}
    return sorted(premises.union(p.full_name for tactic in theorem.tactics for p in tactic.premises))


class _JsonArray:
    """A JSON array that is written entry by entry, so that no more than one entry is held."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self.count = 0

    def add(self, entry: Mapping[str, Any]) -> None:
        self._file.write(("[\n" if self.count == 0 else ",\n") + json.dumps(entry, ensure_ascii=False))
        self.count += 1

    def close(self) -> None:
        with self._file:
            self._file.write("[]\n" if self.count == 0 else "\n]\n")


class _SplitFiles:
    """The six files of theorems, open for writing, and how many theorems went into each."""

    def __init__(self, folder: Path, statements: Mapping[str, Split]) -> None:
        self.left_out = 0
        self._statements = statements
        self._stack = ExitStack()
        self._arrays = {
            (method, split): self._stack.enter_context(closing(_JsonArray(folder / method / f"{split}.json")))
            for method in METHODS
            for split in SPLITS
        }

    def __enter__(self) -> _SplitFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def add(self, theorem: TracedTheorem, entry: Mapping[str, Any]) -> None:
        """Write a theorem into its split under each method."""
        self._arrays["random", random_split(theorem.type_hash)].add(entry)
        split = novel_premises_split(used_premises(theorem))
        if self._statements.get(theorem.type_hash, split) == split:
            self._arrays["novel_premises", split].add(entry)
        else:
            self.left_out += 1

    def counts(self, method: str) -> dict[str, int]:
        """How many theorems are in each split of a method."""
        return {split: self._arrays[method, split].count for split in SPLITS}


@dataclass(frozen=True, slots=True)
class _Definitions:
    """Where a repository defines what: path and declaration by full name, path by module."""

    declarations: Mapping[str, tuple[str, TracedDeclaration]]
    modules: Mapping[str, str]


def _definitions(source: Source) -> _Definitions:
    declarations: dict[str, tuple[str, TracedDeclaration]] = {}
    modules: dict[str, str] = {}
    for file in source.files():
        modules[file.module] = file.path
        declarations.update((declaration.full_name, (file.path, declaration)) for declaration in file.declarations)
    return _Definitions(declarations, modules)


def _module_path(module: str, modules: Mapping[str, str]) -> str:
    """The path of a module: the repository's own file, or ``Init/Core.lean`` for a module of the library."""
    return modules.get(module, module.replace(".", "/") + ".lean")


def _theorem_entry(
    repository: Repository, path: str, theorem: TracedTheorem, definitions: _Definitions
) -> dict[str, Any]:
    return {
        "url": repository.url,
        "commit": repository.commit,
        "file_path": path,
        "full_name": theorem.full_name,
        "theorem_statement": theorem.statement,
        "start": _from_one(theorem.start_pos),
        "end": _from_one(theorem.end_pos),
        "traced_tactics": [_tactic_entry(tactic, definitions) for tactic in theorem.tactics],
    }


def _tactic_entry(tactic: TracedTactic, definitions: _Definitions) -> dict[str, Any]:
    text, premises = annotate(tactic)
    return {
        "tactic": tactic.tactic,
        "annotated_tactic": [text, [_premise_entry(premise, definitions) for premise in premises]],
        "state_before": tactic.state_before,
        "state_after": tactic.state_after,
        "step": tactic.step,
        "position": tactic.start,
    }


def _premise_entry(premise: Premise, definitions: _Definitions) -> dict[str, Any]:
    """Positions are ``null`` for premises of a library that was not traced."""
    path, declaration = definitions.declarations.get(premise.full_name, (None, None))
    return {
        "full_name": premise.full_name,
        "def_path": path or _module_path(premise.module, definitions.modules),
        "def_pos": _from_one(declaration.start_pos) if declaration else None,
        "def_end_pos": _from_one(declaration.end_pos) if declaration else None,
    }


def _corpus_entry(repository: Repository, file: TracedFile, modules: Mapping[str, str]) -> dict[str, Any]:
    return {
        "path": file.path,
        "imports": [_module_path(module, modules) for module in file.imports],
        "premises": [
            {
                "full_name": declaration.full_name,
                "code": declaration.code,
                "start": _from_one(declaration.start_pos),
                "end": _from_one(declaration.end_pos),
                "kind": declaration.kind,
            }
            for declaration in file.declarations
        ],
        "url": repository.url,
        "commit": repository.commit,
    }


def _repository_entry(source: Source, counts: Mapping[str, int]) -> dict[str, Any]:
    return {
        "url": source.repository.url,
        "commit": source.repository.commit,
        "name": source.repository.name,
        "lean_toolchain": source.toolchain,
        **{name: counts.get(name, 0) for name in ("files", "theorems", "sorries")},
    }


def _metadata(repositories: list[dict[str, Any]], splits: _SplitFiles) -> dict[str, Any]:
    methods = {
        "random": f"by a hash of the statement up to renaming; val {RANDOM_SHARES['val']:.0%}, test "
        f"{RANDOM_SHARES['test']:.0%}",
        "novel_premises": f"by a hash of the premises; {HELD_OUT_PREMISES['val']:.0%} of all premises are kept for "
        f"val, {HELD_OUT_PREMISES['test']:.0%} for test",
    }
    return {
        "layout": "LeanDojo Benchmark 4",
        "creation_time": datetime.now(UTC).isoformat(timespec="seconds"),
        "repositories": repositories,
        "theorems": sum(entry["theorems"] for entry in repositories),
        "sorries": sum(entry["sorries"] for entry in repositories),
        "splits": {method: {"method": methods[method], **splits.counts(method)} for method in METHODS},
        "left_out_of_novel_premises": splits.left_out,
    }


def _line(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False) + "\n"


def _from_one(position: Position) -> list[int]:
    return [position.line, position.column + 1]
