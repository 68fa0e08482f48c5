"""Data sets that LeanDojo has written, as traces: LeanDojo Benchmark 4 and LeanDojo-v2's ``dynamic_database.json``.

Also writes the latter. What LeanDojo does not record stays empty: byte offsets (they are negative: inside a tactic they
are right relative to each other, and where in the file it stands is not known), the text of proofs, types. What was
exported here has the text of proofs. A statement is told from others by its normal form.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from lean_agent.database.difficulty import TheoremFacts, proof_steps
from lean_agent.database.exports.entries import (
    DatasetEntry,
    Source,
    corpus_entry,
    entry_key,
    theorem_entry,
)
from lean_agent.database.exports.formats import METHODS, Method
from lean_agent.database.near_duplicates import normal_form
from lean_agent.database.splits import SPLITS, Decision, Split
from lean_agent.errors import DatabaseError
from lean_agent.lean.types import (
    Position,
    Premise,
    ProofMode,
    TracedDeclaration,
    TracedFile,
    TracedTactic,
    TracedTheorem,
    count_goals,
    is_conv,
)
from lean_agent.tracing import LeanGitRepo, Repository
from lean_agent.tracing.lean_dojo import text_hash
from lean_agent.tracing.project.repository import shared_address, split_url
from lean_agent.wording import installed_version

IMPORTED = "imported"
"""In the place of a content hash, for files that were imported and not traced."""

_PACKAGE = re.compile(r"^\.lake/packages/(?:lean4/src/lean(?:/lake)?|[^/]+)/")
_MARK = re.compile(r"<a>(.*?)</a>", re.DOTALL)
_BY = re.compile(r"\s*:=\s*by\b")
_HOLE = re.compile(r"\b(?:sorry|admit)\b")
_HELD_OUT_FIRST = ("test", "val", "train")
_NO_POSITION = (0, 0)
"""Lines count from 1. ``dynamic_database.json`` needs a position everywhere, so this one says that there is none."""


@dataclass(frozen=True, slots=True)
class ImportedRepository:
    """A repository of an imported data set, and where the data set has its statements."""

    repository: Repository
    files: tuple[TracedFile, ...]
    decisions: tuple[Decision, ...] = ()


def read_data_set(path: Path) -> list[ImportedRepository]:
    """Read a folder in the layout of LeanDojo Benchmark 4, one of its files (``random/train.json``), or a
    ``dynamic_database.json``.

    Raises:
        DatabaseError: it is none of these, or it is damaged; says where.
    """
    with _reading(path):
        if path.is_dir():
            files = {(method, split): path / method / f"{split}.json" for method in METHODS for split in SPLITS}
            return _read_benchmark(path, path / "corpus.jsonl", files)
        content = _json(path)
        if not isinstance(content, list):
            return [_read_v2(repository) for repository in content["repositories"]]
        method = next((name for name in METHODS if name == path.parent.name), METHODS[0])
        split = next((name for name in SPLITS if name == path.stem), SPLITS[0])
        return _read_benchmark(path, path.absolute().parent.parent / "corpus.jsonl", {(method, split): path})


def write_dynamic_database(
    sources: Sequence[Source], proved: Callable[[Repository, str, str], bool], file: TextIO
) -> None:
    """Write repositories as LeanDojo-v2 keeps them, one at a time.

    It has proved theorems and those with a ``sorry``: one that rests on other axioms than Lean's three is left out, and
    counted as ``on_axioms`` in the repository's metadata. So are examples, which LeanDojo has none of.

    Beyond LeanDojo-v2, which passes over what it does not know, tactics have ``step``, ``position`` and
    ``end_position``.

    Args:
        proved: whether an accepted proof was found of the theorem of that repository, path and full name.
    """
    file.write('{"repositories": [')
    for number, source in enumerate(sources):
        file.write(",\n" if number else "\n")
        _write_v2_repository(source, proved, file)
    file.write("\n]}\n")


# LeanDojo Benchmark 4

RepositoryId = tuple[str, str]
"""Address and commit."""


@dataclass(slots=True)
class _Collected:
    """What was read of one repository so far: theorems by path and place, splits by statement."""

    theorems: dict[str, dict[tuple[str, str], TracedTheorem]] = field(default_factory=lambda: defaultdict(dict))
    lines: dict[str, DatasetEntry] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)
    splits: dict[str, dict[Method, Split]] = field(default_factory=lambda: defaultdict(dict))


def _read_benchmark(source: Path, corpus: Path, files: Mapping[tuple[Method, Split], Path]) -> list[ImportedRepository]:
    # an empty address: Lean's own library, as exported here, which is no repository's
    lines = [line for line in _corpus(corpus) if line.get("url") != ""]
    codes = {(line["path"], entry["full_name"]): entry["code"] for line in lines for entry in line["premises"]}
    repositories: dict[RepositoryId, _Collected] = defaultdict(_Collected)
    for (method, split), path in files.items():
        if path.is_file():
            with _reading(path):
                for entry in _json(path):
                    _collect(repositories[entry_key(entry)], entry, codes, method, split)
    if not repositories:
        where = "random/*.json" if source.is_dir() else source.name
        raise DatabaseError(f"{source} is no data set of LeanDojo Benchmark 4: there is no theorem in {where}")
    owners = {path: key for key, collected in repositories.items() for path in collected.theorems}
    for line in lines:  # lines that LeanDojo has written do not say whose they are
        key = entry_key(line) if "url" in line else owners.get(line["path"], next(iter(repositories)))
        repositories[key].lines[line["path"]] = line
    return [_finished(key, collected) for key, collected in repositories.items()]


def _corpus(path: Path) -> Iterator[DatasetEntry]:
    if path.is_file():
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                with _reading(path, f"line {number} of "):
                    line = json.loads(text)
                    yield {**line, "premises": list(line["premises"]), "path": line["path"], "imports": line["imports"]}


def _collect(
    into: _Collected, entry: DatasetEntry, codes: Mapping[tuple[str, str], str], method: Method, split: Split
) -> None:
    """Take up a theorem and its split. Where a statement is on two sides, the side that is not trained on counts."""
    path, name = str(entry["file_path"]), str(entry["full_name"])
    code = codes.get((path, name), "")
    statement = entry.get("theorem_statement") or _statement(code or f"theorem {name}")
    form = normal_form(statement) or name
    type_hash = text_hash(form)
    into.theorems[path].setdefault((name, str(entry["start"])), _theorem(entry, code, statement, type_hash))
    into.forms[type_hash] = form
    earlier = into.splits[type_hash].get(method, split)
    into.splits[type_hash][method] = min(earlier, split, key=_HELD_OUT_FIRST.index)


def _finished(key: RepositoryId, collected: _Collected) -> ImportedRepository:
    paths = dict.fromkeys([*collected.lines, *collected.theorems])
    decisions = tuple(
        Decision(hash_, form, places.get("random"), places.get("novel_premises"), given=True)
        for hash_, form in collected.forms.items()
        if (places := collected.splits[hash_])
    )
    files = (_file(path, collected.lines.get(path, {}), collected.theorems[path].values()) for path in paths)
    return ImportedRepository(_repository(*key), tuple(files), decisions)


# From LeanDojo's entries to traces


def _repository(url: str, commit: str) -> Repository:
    address, folder = split_url(url)
    here = Path(address)
    if here.is_dir():
        return Repository(shared_address(str(here.resolve())), commit, here.name, here.resolve()).at(folder)
    return LeanGitRepo(url, commit)


def _file(path: str, line: Mapping[str, Any], theorems: Iterable[TracedTheorem]) -> TracedFile:
    return TracedFile(
        path=path,
        module=_module(path),
        imports=tuple(_module(imported) for imported in line.get("imports", ())),
        theorems=tuple(sorted(theorems, key=lambda t: (t.start_pos.line, t.start_pos.column))),
        declarations=tuple(_declaration(premise) for premise in line.get("premises", ())),
        messages=(),
        elaborate_s=0.0,
        walk_s=0.0,
    )


def _module(path: str) -> str:
    return _PACKAGE.sub("", path).removesuffix(".lean").replace("/", ".")


def _declaration(entry: DatasetEntry) -> TracedDeclaration:
    start, end = _position(entry["start"]), _position(entry["end"])
    return TracedDeclaration(entry["full_name"], entry["kind"], entry["code"], -1, -1, start, end)


def _theorem(
    entry: DatasetEntry, code: str, statement: str, type_hash: str, has_sorry: bool | None = None
) -> TracedTheorem:
    """``code`` is the whole theorem as the corpus has it, or empty."""
    tactics = tuple(_tactic(tactic) for tactic in entry["traced_tactics"])
    is_open = any(_HOLE.search(tactic.tactic) for tactic in tactics) if has_sorry is None else has_sorry
    return TracedTheorem(
        full_name=entry["full_name"],
        statement=statement,
        proof=str(entry.get("proof", "")),
        mode=_mode(code, statement) or ("tactic" if tactics else "term"),
        has_sorry=is_open,
        type="",
        type_hash=type_hash,
        start=-1,
        end=-1,
        start_pos=_position(entry["start"]),
        end_pos=_position(entry["end"]),
        tactics=tactics,
        premises=tuple(premise for tactic in tactics for premise in tactic.premises),
    )


def _tactic(entry: DatasetEntry) -> TracedTactic:
    text = str(entry["tactic"])
    size = len(text.encode())
    start = int(entry.get("position", -size - 1))
    before, after = str(entry["state_before"]), str(entry["state_after"])
    # LeanDojo also records bullets, which focus a goal and hand it to the tactics inside, and what runs inside `conv`.
    is_step = not (text.startswith("·") or before == "no goals" or is_conv(before))
    step = entry.get("step", text if is_step else "")
    return TracedTactic(
        text, step, start, start + size, before, after, count_goals(before), count_goals(after),
        (*_premises(entry["annotated_tactic"], text, start),
         *_premises(("", entry.get("outside_premises", ())), text, start)),
    )  # fmt: skip


def _premises(annotated: Sequence[Any], tactic: str, start: int) -> Iterator[Premise]:
    """Yield the premises at the places of their marks; without marks that fit, at the tactic's beginning."""
    text, entries = annotated
    marks = list(_MARK.finditer(text))
    fits = len(marks) == len(entries) and _MARK.sub(r"\1", text) == tactic
    for number, entry in enumerate(entries):
        at, size = 0, 0
        if fits:
            # Seven bytes of marks, <a> and </a>, stand before each mark that came earlier.
            at = len(text[: marks[number].start()].encode()) - 7 * number
            size = len(marks[number][1].encode())
        yield Premise(entry["full_name"], _module(entry["def_path"]), start + at, start + at + size)


def _position(value: Any) -> Position:
    """``[3, 5]`` or, as LeanDojo-v2 writes it, ``"(3, 5)"`` or ``"Pos(3, 5)"``."""
    numbers = re.findall(r"-?\d+", value) if isinstance(value, str) else value
    line, column = (int(number) for number in numbers)
    return Position(line, column - 1)


def _mode(code: str, statement: str) -> ProofMode | None:
    """Return the kind of proof, by what follows the statement in the corpus; ``None`` where nothing does."""
    _, _, proof = code.partition(statement)
    if not proof.strip():
        return None
    if not proof.lstrip().startswith(":="):
        return "equations"
    return "tactic" if _BY.match(proof) else "term"


def _statement(code: str) -> str:
    """Return what stands before the ``:=`` of a declaration that is inside no bracket."""
    depth = 0
    for at, letter in enumerate(code):
        depth += (letter in "([{⦃") - (letter in ")]}⦄")
        if depth == 0 and code.startswith(":=", at):
            return code[:at].rstrip()
    return code.strip()


# LeanDojo-v2


def _read_v2(data: DatasetEntry) -> ImportedRepository:
    theorems: dict[str, list[TracedTheorem]] = defaultdict(list)
    lines = {line["path"]: line for line in data.get("premise_files", ())}
    codes = {(path, entry["full_name"]): entry["code"] for path, line in lines.items() for entry in line["premises"]}
    for name, has_sorry in (
        ("proven_theorems", False),
        ("sorry_theorems_proved", True),  # by proofs that this package has not judged
        ("sorry_theorems_unproved", True),
    ):
        for entry in data.get(name, ()):
            path, full_name = entry["file_path"], entry["full_name"]
            statement = entry.get("theorem_statement") or f"theorem {full_name}"
            type_hash = entry.get("type_hash") or text_hash(normal_form(statement) or full_name)
            theorems[path].append(_theorem(entry, codes.get((path, full_name), ""), statement, type_hash, has_sorry))
    paths = dict.fromkeys([*data.get("files_traced", ()), *lines, *theorems])
    files = (_file(path, lines.get(path, {}), theorems[path]) for path in paths)
    return ImportedRepository(_repository(*entry_key(data)), tuple(files))


def _write_v2_repository(source: Source, proved: Callable[[Repository, str, str], bool], file: TextIO) -> None:
    """Write a repository, no more than a file of it in memory: its lists are written beside, as they come up together,
    and what is counted comes after them."""
    counts: Counter[str] = Counter()
    known = source.definitions()
    with ExitStack() as stack:
        lists = {
            name: _Entries(stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")))
            for name in (*_V2_LISTS, "premise_files", "files_traced")
        }
        for traced in source.files():
            lists["files_traced"].add(traced.path)
            line = _v2_line(corpus_entry(source.repository, traced, known))
            lists["premise_files"].add(line)
            counts["premises"] += len(line["premises"])
            for theorem in traced.theorems:
                if theorem.is_example:
                    counts["examples"] += 1
                elif theorem.axioms and not theorem.has_sorry:
                    counts["on_axioms"] += 1
                else:
                    entry = _v2_theorem(theorem_entry(source.repository, traced.path, theorem, known), theorem)
                    is_proved = theorem.has_sorry and proved(source.repository, traced.path, theorem.full_name)
                    lists[_V2_LISTS[theorem.has_sorry + (theorem.has_sorry and not is_proved)]].add(entry)
        head = json.dumps(
            _v2_head(source, counts, {name: entries.count for name, entries in lists.items()}), ensure_ascii=False
        )
        file.write(head[:-1])
        for name, entries in lists.items():
            file.write(f', "{name}": ')
            entries.copy_to(file)
        file.write(', "pr_url": null}')


class _Entries:
    """A JSON array that waits in a file of its own."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.count = 0

    def add(self, entry: object) -> None:
        self._file.write((", " if self.count else "[") + json.dumps(entry, ensure_ascii=False))
        self.count += 1

    def copy_to(self, file: TextIO) -> None:
        self._file.write("]" if self.count else "[]")
        self._file.seek(0)
        shutil.copyfileobj(self._file, file)


def _v2_line(line: DatasetEntry) -> DatasetEntry:
    premises = [
        {**premise, "start": _v2_position(premise["start"]), "end": _v2_position(premise["end"])}
        for premise in line["premises"]
    ]
    return {"path": line["path"], "imports": line["imports"], "premises": premises}


def _v2_head(source: Source, counts: Mapping[str, int], lengths: Mapping[str, int]) -> DatasetEntry:
    """Return what a repository has beside its lists, given their lengths."""
    proven, sorry_proved, sorry_unproved = (lengths[name] for name in _V2_LISTS)
    return {
        "url": source.repository.address,
        "subfolder": source.repository.folder,
        "name": source.repository.name,
        "commit": source.repository.commit,
        "lean_version": (source.toolchain or "").rpartition(":")[2],
        "lean_dojo_version": f"lean_agent {installed_version()}",
        "metadata": {
            "date_processed": datetime.now(UTC).isoformat(timespec="seconds"),
            "licence": source.licence,
            "on_axioms": counts.get("on_axioms", 0),
            "examples": counts.get("examples", 0),
        },
        "total_theorems": proven + sorry_proved + sorry_unproved,
        "num_proven_theorems": proven,
        "num_sorry_theorems": sorry_proved + sorry_unproved,
        "num_sorry_theorems_proved": sorry_proved,
        "num_sorry_theorems_unproved": sorry_unproved,
        "num_premise_files": lengths["premise_files"],
        "num_premises": counts.get("premises", 0),
        "num_files_traced": lengths["files_traced"],
    }


_V2_LISTS = ("proven_theorems", "sorry_theorems_proved", "sorry_theorems_unproved")


def _v2_theorem(entry: DatasetEntry, theorem: TracedTheorem) -> DatasetEntry:
    for tactic in entry["traced_tactics"]:
        for premise in tactic["annotated_tactic"][1]:
            premise["def_pos"] = _v2_position(premise["def_pos"] or _NO_POSITION)
            premise["def_end_pos"] = _v2_position(premise["def_end_pos"] or _NO_POSITION)
    steps = sum(1 for tactic in theorem.tactics if tactic.step)
    return {
        **entry,
        "start": _v2_position(entry["start"]),
        "end": _v2_position(entry["end"]),
        "type_hash": theorem.type_hash,
        "difficulty_rating": proof_steps(TheoremFacts(theorem.has_sorry, steps, 0, 0)),
    }


def _v2_position(position: Sequence[int]) -> str:
    line, column = position
    return f"({line}, {column})"


# Reading


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@contextmanager
def _reading(path: Path, where: str = "") -> Iterator[None]:
    """Make whatever goes wrong inside the fault of the file at ``path``."""
    try:
        yield
    except OSError as error:
        raise DatabaseError(f"{path} cannot be read ({error}); name a data set of LeanDojo") from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        reason = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise DatabaseError(f"{where}{path} does not read as LeanDojo's ({reason}); fetch or write it anew") from error
