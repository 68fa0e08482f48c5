"""Traced values as the dictionaries of LeanDojo Benchmark 4, and the steps of proofs as rows.

Lines and columns count from 1, as LeanDojo has them. Beyond LeanDojo, a theorem has ``proof`` (its text, which is all
there is of a proof without tactics), a tactic ``step`` (the tactic as one step of a search), ``position`` and
``end_position`` (byte offsets in the file), and theorems and files of the corpus have ``subfolder``, the folder of
their Lake project in the repository. Their paths are relative to the top of the repository.

Readers of a corpus build its graph line by line, so that a file's line comes after those of all that it imports. Rows
are what is trained on, and what a table of tactics holds; their prompts come from :mod:`lean_agent.prompts` alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from lean_agent.database.records import FoundProof
from lean_agent.database.splits import Split
from lean_agent.lean.types import Position, Premise, TracedDeclaration, TracedFile, TracedTactic, TracedTheorem
from lean_agent.prompts import completion_messages, main_goal, prompt_messages
from lean_agent.tracing import Repository
from lean_agent.tracing.project.repository import project_url

DatasetEntry = dict[str, Any]
K = TypeVar("K")


class DefinedAt(NamedTuple):
    """Where a declaration stands."""

    path: str
    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class Definitions:
    """Where a repository defines what: the place of a declaration by full name, path by module."""

    declarations: Mapping[str, DefinedAt]
    modules: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Source:
    """A repository to export, with how many traced files and theorems it has.

    Attributes:
        toolchain: what its ``lean-toolchain`` asks for.
        lean_versions: the Leans that traced its files, each once, sorted.
        licence: SPDX identifier, ``unknown`` for a licence that is none of the common ones, ``None`` without any.
        imports: what each module of it imports, by name.
        files: reads the files anew each time it is called, one after the other, those that others import first.
        definitions: reads where each of its declarations stands.
        found_proofs: those that practice has found, by file and full name.
    """

    repository: Repository
    toolchain: str | None
    lean_versions: Sequence[str]
    licence: str | None
    n_files: int
    n_theorems: int
    imports: Mapping[str, Sequence[str]]
    files: Callable[[], Iterable[TracedFile]]
    definitions: Callable[[], Definitions]
    found_proofs: Mapping[tuple[str, str], FoundProof] = field(default_factory=dict)


def import_order(imports: Mapping[K, Iterable[K]]) -> list[K]:
    """Return the keys, each after those that it imports, else in their order. What imports itself comes somewhere."""
    import networkx as nx  # a third of a second, which no command that needs no order should take

    graph: nx.DiGraph[K] = nx.DiGraph()
    graph.add_nodes_from(imports)
    graph.add_edges_from((key, other) for key, others in imports.items() for other in others if other in imports)
    return list(nx.dfs_postorder_nodes(graph))


def imports_first(sources: Sequence[Source]) -> list[Source]:
    """Return the repositories, packages before those that import their modules."""
    homes = {module: number for number, source in enumerate(sources) for module in source.imports}
    wanted: dict[int, set[int]] = {}
    for number, source in enumerate(sources):
        others = set().union(*source.imports.values()) - source.imports.keys()
        wanted[number] = {homes[name] for name in others if name in homes}
    return [sources[number] for number in import_order(wanted)]


def used_premises(theorem: TracedTheorem) -> list[str]:
    """Full names of all premises of a proof, each once, sorted."""
    premises = {p.full_name for p in theorem.premises}
    return sorted(premises.union(p.full_name for tactic in theorem.tactics for p in tactic.premises))


def theorem_entry(repository: Repository, path: str, theorem: TracedTheorem, known: Definitions) -> DatasetEntry:
    """Return a theorem of one of the six files of splits."""
    return {
        "url": repository.address,
        "commit": repository.commit,
        "subfolder": repository.folder,
        "file_path": path,
        "full_name": theorem.full_name,
        "theorem_statement": theorem.statement,
        "start": from_one(theorem.start_pos),
        "end": from_one(theorem.end_pos),
        "proof": theorem.proof,
        "traced_tactics": [_tactic_entry(tactic, known) for tactic in theorem.tactics],
    }


def found_entry(entry: DatasetEntry, proof: FoundProof) -> DatasetEntry:
    """Return the entry of a theorem with a proof that practice has found in the place of its own: ``found_by`` says
    which run found it, ``round`` in which of its rounds. Its tactics stand in no file, at position -1."""
    tactics = [
        {
            "tactic": tactic.step,
            "annotated_tactic": (tactic.step, []),
            "state_before": tactic.state_before,
            "state_after": tactic.state_after,
            "step": tactic.step,
            "position": -1,
            "end_position": -1,
        }
        for tactic in proof.tactics
    ]
    origin = {"found_by": proof.source, "round": proof.round}
    return {**entry, "proof": proof.script, "traced_tactics": tactics, **origin}


def corpus_entry(repository: Repository, file: TracedFile, known: Definitions) -> DatasetEntry:
    """Return a line of the corpus: a file, what it imports and everything in it that can be a premise."""
    return {
        "path": file.path,
        "imports": [_module_path(module, known.modules) for module in file.imports],
        "premises": [declaration_entry(declaration) for declaration in file.declarations],
        "url": repository.address,
        "commit": repository.commit,
        "subfolder": repository.folder,
    }


def entry_key(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Address and commit of the Lake project that an entry belongs to, as a :class:`Repository` has them."""
    return project_url(entry["url"], entry.get("subfolder") or ""), entry["commit"]


class CorpusLines:
    """The lines of files that come one after the other, those that others import first.

    A module that nobody has traced, such as one of Lean's own library where that is not kept, gets an empty line.

    Args:
        before: the lines that stand above.
    """

    def __init__(self, before: Iterable[DatasetEntry]) -> None:
        self._paths = {line["path"] for line in before}

    def of(self, repository: Repository, file: TracedFile, known: Definitions) -> Iterator[DatasetEntry]:
        """Make the line of a file, after those that it needs above it."""
        line = corpus_entry(repository, file, known)
        for path in dict.fromkeys(line["imports"]):
            if path not in self._paths:
                yield {"path": path, "imports": [], "premises": [], "url": "", "commit": "", "subfolder": ""}
        self._paths.update([*line["imports"], file.path])
        yield line


def declaration_entry(declaration: TracedDeclaration) -> DatasetEntry:
    """Return a premise of the corpus."""
    return {
        "full_name": declaration.full_name,
        "code": declaration.code,
        "start": from_one(declaration.start_pos),
        "end": from_one(declaration.end_pos),
        "kind": declaration.kind,
    }


def from_one(position: Position) -> list[int]:
    """Return a position as LeanDojo has it: line and column, both from 1."""
    return [position.line, position.column + 1]


def _tactic_entry(tactic: TracedTactic, known: Definitions) -> DatasetEntry:
    text, premises = annotate(tactic)
    return {
        "tactic": tactic.tactic,
        "annotated_tactic": [text, [_premise_entry(premise, known) for premise in premises]],
        "state_before": tactic.state_before,
        "state_after": tactic.state_after,
        "step": tactic.step,
        "position": tactic.start,
        "end_position": tactic.end,
    }


def _premise_entry(premise: Premise, known: Definitions) -> DatasetEntry:
    """Positions are ``null`` for premises of a library that was not traced."""
    place = known.declarations.get(premise.full_name)
    return {
        "full_name": premise.full_name,
        "def_path": place.path if place else _module_path(premise.module, known.modules),
        "def_pos": from_one(place.start) if place else None,
        "def_end_pos": from_one(place.end) if place else None,
    }


def _module_path(module: str, modules: Mapping[str, str]) -> str:
    """Return the path of a module: the repository's own file, or ``Init/Core.lean`` for a module of the library."""
    return modules.get(module, module.replace(".", "/") + ".lean")


_WORD = re.compile(r"[(\[{⟨]|[^\s,()\[\]{}⟨⟩]+")

Span = tuple[int, int]


def annotate(tactic: TracedTactic) -> tuple[str, tuple[Premise, ...]]:
    """Return a tactic's text with ``<a>…</a>`` around each premise, and these premises in the order of their marks.

    Marks do not nest, and readers of the format pair the marks with the premises one by one. So a premise whose use
    holds others (the constructor behind ``⟨_, f h, e⟩``), or goes over several lines, is marked on its first word that
    is none of theirs.
    A premise whose use cannot be placed in the text with certainty is left out: one outside the tactic, one with no
    word of its own, and any in a multi-line tactic whose lines were not all dedented alike.
    """
    offset = _offsets(tactic)
    if offset is None:
        return tactic.tactic, ()
    source = tactic.tactic.encode()
    uses: dict[Span, Premise] = {}
    for premise in tactic.premises:
        if tactic.start <= premise.start < premise.end <= tactic.end:
            uses.setdefault((offset(premise.start - tactic.start), offset(premise.end - tactic.start)), premise)
    marks = {mark: premise for use, premise in uses.items() if (mark := _own_word(source, use, [*uses])) is not None}
    pieces: list[bytes] = []
    done = 0
    for start, end in sorted(marks):
        pieces += [source[done:start], b"<a>", source[start:end], b"</a>"]
        done = end
    return b"".join([*pieces, source[done:]]).decode(), tuple(marks[mark] for mark in sorted(marks))


def _own_word(source: bytes, use: Span, uses: Sequence[Span]) -> Span | None:
    """Return the use itself, if it is of one line and holds no other; else its first word that is of none of these."""
    start, end = use
    inner = [(first, last) for first, last in uses if first < end and start < last]
    inner = sorted((first, last) for first, last in inner if (last - first, first) < (end - start, start))
    if not inner and b"\n" not in source[start:end]:
        return use
    for first, last in [*inner, (end, end)]:
        text = source[start : max(start, first)].decode()
        if word := _WORD.search(text):
            return start + len(text[: word.start()].encode()), start + len(text[: word.end()].encode())
        start = max(start, last)
    return None


def _offsets(tactic: TracedTactic) -> Callable[[int], int] | None:
    """From a byte of the source span to a byte of the dedented text; ``None`` when that is not certain.

    The text differs from the span by the indent that its continuation lines lost, the same for each line that is not
    blank.
    """
    lines = tactic.tactic.encode().split(b"\n")
    lost = tactic.end - tactic.start - len(tactic.tactic.encode())
    indented = sum(1 for line in lines[1:] if line.strip())
    if lost == 0:
        return lambda at: at
    if indented == 0 or lost % indented:
        return None
    indent = lost // indented
    starts: list[tuple[int, int]] = []  # (start in the span, bytes lost up to and including this line's indent)
    at = gone = 0
    for number, line in enumerate(lines):
        here = indent if number and line.strip() else 0
        gone += here
        starts.append((at, gone))
        at += here + len(line) + 1

    def to_text(position: int) -> int:
        gone = next(gone for start, gone in reversed(starts) if start <= position)
        return position - gone

    return to_text


_HOLES = ("sorry", "admit")


@dataclass(frozen=True, slots=True)
class TacticRow:
    """One step of a proof.

    Attributes:
        problem: the state before the step as Lean prints it, all its goals.
        tactic: the step, multi-line tactics whole: what a model should answer.
        url, commit, file_path, full_name: the theorem that it belongs to.
        position: byte offset of the tactic in its file, which restores its exact state.
    """

    problem: str
    tactic: str
    url: str
    commit: str
    file_path: str
    full_name: str
    position: int


def tactic_rows(theorem: Mapping[str, Any]) -> Iterator[TacticRow]:
    """Yield the steps of one theorem of LeanDojo's layout that a model can learn from: none empty or with a hole."""
    url, commit = entry_key(theorem)
    for traced in theorem["traced_tactics"]:
        step = str(traced["step"]).strip()
        if step and not has_hole(step):
            yield TacticRow(
                problem=traced["state_before"],
                tactic=step,
                url=url,
                commit=commit,
                file_path=theorem["file_path"],
                full_name=theorem["full_name"],
                position=int(traced["position"]),
            )


def has_hole(tactic: str) -> bool:
    """Return whether ``sorry`` or ``admit`` stands in a tactic as a word."""
    words = "".join(character if character.isalnum() or character in "_." else " " for character in tactic).split()
    return any(hole in words for hole in _HOLES)


def table_rows(theorem: DatasetEntry, split: Split) -> Iterator[DatasetEntry]:
    """Yield the rows of a theorem in a table of tactics: SFT trains on the turns ``prompt`` and ``completion``."""
    for row in tactic_rows(theorem):
        yield {
            "state": row.problem,
            "tactic": row.tactic,
            "prompt": prompt_messages(main_goal(row.problem)),
            "completion": completion_messages(row.tactic),
            **{name: theorem[name] for name in ("url", "commit", "file_path", "full_name")},
            "position": row.position,
            "split": split,
            **{name: theorem[name] for name in ("found_by", "round") if name in theorem},
        }
