"""The formats of a data set on disk: how theorems and the corpus become files. What is in which split, others decide.

    leandojo      random/train.json …                  one JSON array a split, as LeanDojo Benchmark 4 has it
    jsonl         random/train.jsonl …                 one JSON object a line
    parquet       random/train-00000-of-00001.parquet  columns
    huggingface   random/train/data-….arrow …          what ``datasets.load_from_disk`` reads, one folder a method

and ``novel_premises/`` likewise, and ``found/`` where practice has found proofs: these are in no other folder, and in
the splits of ``random``. The corpus is ``corpus.jsonl``, ``corpus.parquet`` or the folder ``corpus/``.

Tables of tactics (``tactics_jsonl``, ``tactics_parquet``, ``tactics_huggingface`` and ``tactics_csv``) have the same
files, with a row for each step and no corpus.

In all but LeanDojo's own layout a row has the same columns in every line: the annotated tactic is its text, and its
premises are a column beside it. In LeanDojo's, whose readers look every premise up by its place in the corpus, those
without a place, such as Lean's own, are marked nowhere and stand beside the annotated tactic as ``outside_premises``.
"""

from __future__ import annotations

import csv
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import compress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, get_args

from lean_agent.database.exports.entries import DatasetEntry, table_rows, tactic_rows
from lean_agent.database.splits import SPLITS, Split

if TYPE_CHECKING:
    import pyarrow
    from datasets import Dataset

Method = Literal["random", "novel_premises"]
METHODS: tuple[Method, ...] = get_args(Method)
FOUND: Literal["found"] = "found"
"""The folder of proofs that practice has found."""
Format = Literal["leandojo", "jsonl", "parquet", "huggingface"]
FORMATS: tuple[Format, ...] = get_args(Format)
TableFormat = Literal["tactics_jsonl", "tactics_parquet", "tactics_csv", "tactics_huggingface"]
TABLES: tuple[TableFormat, ...] = get_args(TableFormat)
Contents = Literal["theorems", "tactics", "corpus"]
"""Kind of the rows of a file."""

ROWS_IN_A_GROUP = 1000
_MARK = re.compile(r"<a>(.*?)</a>", re.DOTALL)


class _Rows(ABC):
    """A file that rows are added to, one by one."""

    @abstractmethod
    def add(self, entry: DatasetEntry) -> None: ...

    @abstractmethod
    def close(self) -> None: ...


class _JsonArray(_Rows):
    """A JSON array that is written entry by entry, so that no more than one entry is held."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self._is_empty = True

    def add(self, entry: DatasetEntry) -> None:
        self._file.write(("[\n" if self._is_empty else ",\n") + json.dumps(entry, ensure_ascii=False))
        self._is_empty = False

    def close(self) -> None:
        with self._file:
            self._file.write("[]\n" if self._is_empty else "\n]\n")


class _JsonLines(_Rows):
    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")

    def add(self, entry: DatasetEntry) -> None:
        self._file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def close(self) -> None:
        self._file.close()


class _Csv(_Rows):
    """Text, with what is a list elsewhere as JSON."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._writer = csv.DictWriter(self._file, names, lineterminator="\n")
        self._writer.writeheader()

    def add(self, entry: DatasetEntry) -> None:
        cells = {
            name: json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
            for name, value in entry.items()
        }
        self._writer.writerow(cells)

    def close(self) -> None:
        self._file.close()


class _Parquet(_Rows):
    """Columns, written a thousand rows at a time."""

    def __init__(self, path: Path, schema: pyarrow.Schema) -> None:
        from pyarrow import parquet

        self._schema = schema
        self._writer = parquet.ParquetWriter(path, schema, compression="zstd")
        self._waiting: list[DatasetEntry] = []

    def add(self, entry: DatasetEntry) -> None:
        self._waiting.append(entry)
        if len(self._waiting) == ROWS_IN_A_GROUP:
            self._write()

    def close(self) -> None:
        if self._waiting:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        import pyarrow

        self._writer.write_table(pyarrow.Table.from_pylist(self._waiting, self._schema))
        self._waiting = []


class DatasetFiles:
    """The files of one data set, open for writing below a folder; a context manager that finishes them.

    Attributes:
        counts: how many rows each (method, split) has: theorems, or steps in a table of tactics.
        left_out: how many each method has in no split.
        found: how many rows of proofs that practice has found each split has; splits without any have no file.
    """

    def __init__(self, folder: Path, kind: Format | TableFormat) -> None:
        self.counts: dict[tuple[Method, Split], int] = {(m, s): 0 for m in METHODS for s in SPLITS}
        self.left_out: dict[Method, int] = dict.fromkeys(METHODS, 0)
        self.found: dict[Split, int] = dict.fromkeys(SPLITS, 0)
        self._found_rows: dict[Split, _Rows] = {}
        self._folder, self._kind = folder, kind
        self._stack = ExitStack()
        self._rows = {place: self._open(_split_path(kind, *place), contents(kind)) for place in self.counts}
        self._corpus = self._open(_CORPUS[kind], "corpus") if kind in _CORPUS else None

    def __enter__(self) -> DatasetFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        if error is None and self._kind.endswith("huggingface"):
            _to_arrow(self._folder, self._kind, [split for split in SPLITS if split in self._found_rows])

    def add_theorem(self, method: Method, split: Split, entry: DatasetEntry) -> None:
        """Write a theorem, as :func:`~lean_agent.database.exports.entries.theorem_entry` gives it, into a split."""
        for row in self._shaped(entry, split):
            self._rows[method, split].add(row)
            self.counts[method, split] += 1

    def add_found(self, split: Split, entry: DatasetEntry) -> None:
        """Write a proof that practice has found, as :func:`~lean_agent.database.exports.entries.found_entry` gives
        it."""
        for row in self._shaped(entry, split):
            if split not in self._found_rows:
                self._found_rows[split] = self._open(_split_path(self._kind, FOUND, split), contents(self._kind), True)
            self._found_rows[split].add(row)
            self.found[split] += 1

    def leave_out(self, method: Method, entry: DatasetEntry) -> None:
        """Count a theorem that is in no split."""
        self.left_out[method] += sum(1 for _ in tactic_rows(entry)) if contents(self._kind) == "tactics" else 1

    def add_file(self, entry: DatasetEntry) -> None:
        """Write a line of the corpus, where there is one."""
        if self._corpus is not None:
            self._corpus.add(entry)

    def _shaped(self, entry: DatasetEntry, split: Split) -> list[DatasetEntry]:
        if contents(self._kind) == "tactics":
            return list(table_rows(entry, split))
        return [placed_theorem(entry) if self._kind == "leandojo" else flat_theorem(entry)]

    def _open(self, name: str, what: Contents, has_origin: bool = False) -> _Rows:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rows: _Rows
        if path.suffix == ".parquet":
            rows = _Parquet(path, _schema(what, has_origin))
        elif path.suffix == ".csv":
            rows = _Csv(path, _schema(what, has_origin).names)
        else:
            rows = _JsonArray(path) if path.suffix == ".json" else _JsonLines(path)
        return self._stack.enter_context(closing(rows))


def contents(kind: Format | TableFormat) -> Contents:
    """Return what the rows of a format's splits are."""
    return "tactics" if kind in TABLES else "theorems"


_CORPUS: Mapping[Format | TableFormat, str] = {
    "leandojo": "corpus.jsonl",
    "jsonl": "corpus.jsonl",
    "parquet": "corpus.parquet",
    "huggingface": "corpus.parquet",
}
CORPUS_FILES = ("corpus", *dict.fromkeys(_CORPUS.values()))
"""Where the corpus lies, in one format or another; the folder is that of ``huggingface``."""


def _split_path(kind: Format | TableFormat, method: Method | Literal["found"], split: Split) -> str:
    names = {"leandojo": f"{split}.json", "jsonl": f"{split}.jsonl", "csv": f"{split}.csv"}
    return f"{method}/{names.get(kind.removeprefix('tactics_'), f'{split}-00000-of-00001.parquet')}"


def configurations(metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the header of a dataset card says of the files, so that ``datasets.load_dataset`` finds them.

    Nothing where it could not read them: LeanDojo's layout mixes types in a list, the folders of ``huggingface`` are
    for ``datasets.load_from_disk``, and a split without a single theorem is an error to it.
    """
    kind: Format | TableFormat = metadata["format"]
    if kind in ("leandojo", "huggingface", "tactics_huggingface"):
        return []
    configs: list[dict[str, Any]] = []
    for method in (*METHODS, FOUND):
        counts = metadata["found"] if method == FOUND else metadata["splits"][method]
        filled = [split for split in SPLITS if counts.get(split)]
        files = [{"split": split, "path": _split_path(kind, method, split)} for split in filled]
        if files:
            configs.append({"config_name": method, "data_files": files})
    if configs:
        configs[0]["default"] = True
    if metadata["files"] and kind in _CORPUS:
        configs.append({"config_name": "corpus", "data_files": [{"split": "corpus", "path": _CORPUS[kind]}]})
    return configs


def placed_theorem(entry: DatasetEntry) -> DatasetEntry:
    """Return a theorem in whose annotated tactics every premise has a place in the corpus; the others stand beside
    them."""
    tactics = []
    for tactic in entry["traced_tactics"]:
        text, premises = tactic["annotated_tactic"]
        stays = [premise["def_pos"] is not None for premise in premises]
        marks = iter(stays)
        text = _MARK.sub(lambda mark: mark[0] if next(marks, True) else mark[1], text)  # noqa: B023  # runs at once
        placed = list(compress(premises, stays))
        outside = [premise for premise in premises if premise["def_pos"] is None]
        tactics.append({**tactic, "annotated_tactic": [text, placed], "outside_premises": outside})
    return {**entry, "traced_tactics": tactics}


def flat_theorem(entry: DatasetEntry) -> DatasetEntry:
    """Return a theorem in which every list has elements of one type."""
    tactics = []
    for tactic in entry["traced_tactics"]:
        text, premises = tactic["annotated_tactic"]
        tactics.append({**tactic, "annotated_tactic": text, "premises": premises})
    return {**entry, "traced_tactics": tactics}


def _schema(what: Contents, has_origin: bool = False) -> pyarrow.Schema:
    """Return the columns of a theorem, of a step of a proof, or of a file of the corpus.

    Args:
        has_origin: whether they are proofs that practice has found, which say by what, and in which round.
    """
    import pyarrow as pa

    def texts(*names: str) -> list[tuple[str, pa.DataType]]:
        return [(name, pa.string()) for name in names]

    def list_of(*columns: tuple[str, pa.DataType]) -> pa.DataType:
        return pa.list_(pa.struct(columns))

    position = pa.list_(pa.int64())
    origin = [*texts("found_by"), ("round", pa.int64())] if has_origin else []
    if what == "tactics":
        turns, place = list_of(*texts("role", "content")), texts("url", "commit", "file_path", "full_name")
        asked = [*texts("state", "tactic"), ("prompt", turns), ("completion", turns)]
        return pa.schema([*asked, *place, ("position", pa.int64()), *texts("split"), *origin])
    if what == "corpus":
        premises = list_of(*texts("full_name", "code"), ("start", position), ("end", position), *texts("kind"))
        names = [*texts("path"), ("imports", pa.list_(pa.string())), ("premises", premises)]
        return pa.schema([*names, *texts("url", "commit", "subfolder")])
    premises = list_of(*texts("full_name", "def_path"), ("def_pos", position), ("def_end_pos", position))
    words = texts("tactic", "annotated_tactic", "state_before", "state_after", "step")
    offsets = [(name, pa.int64()) for name in ("position", "end_position")]
    tactics = list_of(*words, *offsets, ("premises", premises))
    names = texts("url", "commit", "subfolder", "file_path", "full_name", "theorem_statement")
    return pa.schema(
        [*names, ("start", position), ("end", position), *texts("proof"), ("traced_tactics", tactics), *origin]
    )


def _to_arrow(folder: Path, kind: Format | TableFormat, found_in: Sequence[Split]) -> None:
    """Turn the Parquet files of ``folder`` into the folders of ``datasets.save_to_disk``.

    Args:
        found_in: the splits that have proofs which practice has found.
    """
    from datasets import DatasetDict

    folders: dict[Method | Literal["found"], Sequence[Split]] = dict.fromkeys((*METHODS, FOUND), SPLITS)
    folders[FOUND] = found_in
    with _quiet():
        for method, splits in folders.items():
            if not splits:
                continue
            files = {split: folder / _split_path(kind, method, split) for split in splits}
            parts = {split: _read(path, folder) for split, path in files.items()}
            DatasetDict(parts).save_to_disk(str(folder / method), num_shards=dict.fromkeys(splits, 1))
            for path in files.values():
                path.unlink()
        if kind in _CORPUS:
            _read(folder / _CORPUS[kind], folder).save_to_disk(str(folder / "corpus"), num_shards=1)
            (folder / _CORPUS[kind]).unlink()


def _read(path: Path, folder: Path) -> Dataset:
    """Without a trace in the user's own cache: what is kept there is not cleared with the temporary folder."""
    from datasets import Dataset
    from pyarrow import parquet

    if not parquet.read_metadata(path).num_rows:  # which from_parquet refuses
        return Dataset(parquet.read_table(path))
    return Dataset.from_parquet(str(path), cache_dir=str(folder / ".cache"))


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the library's bars for what takes moments."""
    from datasets import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    shown = not are_progress_bars_disabled()
    disable_progress_bars()
    try:
        yield
    finally:
        if shown:
            enable_progress_bars()
