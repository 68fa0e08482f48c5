"""LeanDojo's traced folders as traces of ours, and its tracer where a native toolchain is.

The sole importer of ``lean_dojo`` (the extra ``lean-dojo``), whose own classes read what it has written: one file at a
time, without ray and without the network. What LeanDojo does not record is left empty: Lean's messages, and types; a
statement is told from others by its text.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lean_agent.errors import DatabaseError, TraceError
from lean_agent.extras import install
from lean_agent.lean.source import as_lean_reads
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
from lean_agent.progress import ProgressBar
from lean_agent.tracing.project.import_graph import SkippedFile, module_name
from lean_agent.tracing.project.repository import Repository, local_repository, public_url, shared_address
from lean_agent.tracing.project.sources import toolchain
from lean_agent.tracing.tracer import FileSummary, MemoryWatch, StoredFiles, TracedRepository, TraceStore

FORMAT = "lean-dojo 2"
"""Goes into every content hash, so that no such file is taken for one that embedded Lean has traced."""
TRACES = Path(".lake/build/ir")
INSTALL = install("lean-dojo")

_SECTION = "Lean.Parser.Command.section"
_DOCUMENTATION = ("Lean.Parser.Command.docComment", "Lean.Parser.Command.moduleDoc")
_FRAME = re.compile(r"·|\.\s|case\b|next\b|focus\b|\{")
_KEYWORD = re.compile(
    r"\b(theorem|lemma|def|abbrev|instance|structure|class|inductive|opaque|axiom|irreducible_def|alias)\b"
)
_KINDS = {
    **dict.fromkeys(("lemma", "alias"), "theorem"),
    **dict.fromkeys(("def", "abbrev", "instance", "irreducible_def"), "definition"),
    **dict.fromkeys(("structure", "class"), "inductive"),
}
"""Lean's kinds of constants, as our own traces have them, by keyword."""


def is_traced_folder(folder: Path) -> bool:
    """Return whether LeanDojo has traced this folder."""
    return any(_trace_files(folder))


def trace_with_lean_dojo(repository: Repository, database: TraceStore, *, progress: bool = True) -> TracedRepository:
    """Trace a repository with LeanDojo's own tracer on a native toolchain, or find that it has been, and store it.

    The repository's dependencies are built by Lake but not stored. Proofs are searched and judged by embedded Lean all
    the same, which has to trace the repository itself for that.

    Raises:
        TraceError: the extra is not installed, there is no native toolchain, or LeanDojo failed.
    """
    _check_extra()
    if is_traced_folder(repository.path):
        return import_traced_folder(repository.path, database, progress=progress)
    if shutil.which("lake") is None or shutil.which("lean") is None:
        raise TraceError(
            'tracer="lean-dojo" runs `lake build`, and there is no lake on the PATH; install elan from '
            'https://github.com/leanprover/elan, give a folder that LeanDojo has traced, or use tracer="embedded"'
        )
    import lean_dojo

    try:
        source = lean_dojo.LeanGitRepo(repository.url, repository.commit)
        traced = Path(lean_dojo.get_traced_repo_path(source, build_deps=False))
    except Exception as error:  # whatever LeanDojo, Lake or git raise
        raise TraceError(f"LeanDojo could not trace {repository.url}: {error!r}; its own log says more") from error
    return import_traced_folder(traced, database, repository=repository, progress=progress)


def import_traced_folder(
    folder: Path,
    database: TraceStore,
    *,
    repository: Repository | None = None,
    on_file: Callable[[TracedFile | SkippedFile], None] | None = None,
    progress: bool = True,
) -> TracedRepository:
    """Store what LeanDojo has traced in a folder (``TracedRepo`` on disk: ``.lake/build/ir/**/*.trace.xml``).

    Only the repository's own files are read, in the order of their paths, and not those of its packages. A file that
    cannot be read is skipped and named; one that is stored already with the same content is not read again.

    Args:
        repository: what to store it as; by default the address and commit that the folder's git names.

    Raises:
        TraceError: the extra is not installed, or the folder holds no trace.
    """
    _check_extra()
    folder = folder.expanduser().resolve()
    traces = sorted(_trace_files(folder), key=lambda trace: _source_path(trace.relative_to(folder)))
    if not traces:
        raise TraceError(f"{folder} holds no trace by LeanDojo ({TRACES}/**/*.trace.xml); trace it there first")
    started, memory = time.monotonic(), MemoryWatch()
    asked_for = toolchain(folder)
    ran = asked_for.rpartition(":")[2].removeprefix("v") if asked_for else None  # elan runs what is asked for
    repository = repository or _repository_of(folder)
    database.add_repository(repository)
    summaries: list[FileSummary] = []
    skipped: list[SkippedFile] = []
    reused = 0
    with ProgressBar(f"Importing {repository.name}", total=len(traces), enabled=progress) as bar:
        for trace in traces:
            path = _source_path(trace.relative_to(folder))
            result: TracedFile | SkippedFile
            try:
                content_hash = _content_hash(folder / path, trace)
                if database.repository_with(repository, path, content_hash) == repository:
                    result = database.load_file(repository, path)
                    reused += 1
                else:
                    result = replace(read_traced_file(folder, trace), lean_version=ran)
                    database.store_file(repository, result, content_hash)
            except DatabaseError:
                raise
            except Exception as error:  # LeanDojo's classes meet a broken file with whatever comes first
                reason = f"LeanDojo's trace could not be read ({type(error).__name__}: {error})"
                result = SkippedFile(path, 1, reason)
                database.store_skipped_file(repository, result)
            if isinstance(result, TracedFile):
                summaries.append(FileSummary.of(result))
            else:
                skipped.append(result)
            memory.look()
            if on_file is not None:
                on_file(result)
            bar.advance(theorems=sum(file.theorems for file in summaries), skipped=len(skipped))
    return TracedRepository(
        repository=repository,
        files=StoredFiles(database, repository, [summary.path for summary in summaries]),
        summaries=tuple(summaries),
        skipped=tuple(skipped),
        toolchain=asked_for,
        lean_version=ran or "a native toolchain",
        seconds=time.monotonic() - started,
        reused=reused,
        python_mb=memory.python_mb,
        lean_mb=memory.lean_mb,
    )


def read_traced_file(folder: Path, trace: Path) -> TracedFile:
    """Read one file of a traced folder: its ``.trace.xml``, or the ``.ast.json`` that LeanDojo makes it from."""
    from lean_dojo.data_extraction import traced_data

    if trace.name.endswith(".xml"):
        file = traced_data.TracedFile.from_xml(folder, trace, None)
    else:
        with tempfile.TemporaryDirectory(prefix="lean-agent-lean-dojo-") as scratch:
            copy = _as_of_old(folder, trace, Path(scratch).resolve())
            file = traced_data.TracedFile.from_traced_file(Path(scratch), copy, None)
    # Theorems are asked for by way of the repository that they belong to; which one plays no part in what is read.
    file.traced_repo = traced_data.TracedRepo(None, {}, file.root_dir, [file], None)
    return _Reader(file, _Offsets(as_lean_reads((folder / file.path).read_bytes()))).read()


def _as_of_old(folder: Path, trace: Path, scratch: Path) -> Path:
    """Copy a file's source and trace to where LeanDojo 4.20 expects them, the tree in the form that it knows."""
    inner = trace.relative_to(folder)
    source = _source_path(inner)
    copy, paths = scratch / inner, inner.with_name(inner.name.removesuffix(".ast.json") + ".dep_paths")
    for place in (copy, scratch / source):
        place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(folder / source, scratch / source)
    imports = [Path(line) for line in (folder / paths).read_text("utf-8").splitlines() if line.strip()]
    own = [path.relative_to(folder) if path.is_relative_to(folder) else path for path in imports]
    (scratch / paths).write_text("".join(f"{path}\n" for path in own if not path.is_absolute()), "utf-8")
    with trace.open(encoding="utf-8") as file:
        tree = json.load(file, object_hook=as_of_old)
    copy.write_text(json.dumps(tree), "utf-8")
    return copy


def as_of_old(entry: dict[str, Any]) -> Any:
    """Return an object of a syntax tree as LeanDojo 4.20 writes it, where LeanDojo-v2 or a later Lean has it otherwise.

    v2 writes positions as objects (``{"byteIdx": 3}``) and the absence of a place as ``{"none": {}}``. Later Leans have
    room for modifiers before the word ``section``, and trees for what documentation says. Its parts come in this form
    already, as :func:`json.load` calls it.
    """
    if len(entry) == 1:
        ((key, value),) = entry.items()
        if key in ("byteIdx", "raw", "1") and isinstance(value, int):
            return value
        if key == "none" and value == {}:
            return "none"
    arguments = entry.get("args")
    if isinstance(arguments, list):
        if entry.get("kind") == _SECTION and len(arguments) == 3:
            return {**entry, "args": arguments[1:]}
        if entry.get("kind") in _DOCUMENTATION and not all("atom" in part for part in arguments):
            return {**entry, "args": [arguments[0], _joined(arguments[1:])]}
    return entry


def _joined(trees: Sequence[Any]) -> dict[str, Any]:
    """Return one atom in the place of trees: with all that their words say, from where the first one starts to where
    the last one ends."""
    words: list[dict[str, Any]] = []

    def collect(tree: Any) -> None:
        if isinstance(tree, dict):
            words.extend(tree[kind] for kind in ("atom", "ident") if kind in tree)
            for part in tree.get("node", {}).get("args", ()):
                collect(part)

    for tree in trees:
        collect(tree)
    places = [info for word in words if isinstance(info := word["info"].get("original"), dict)]
    start, end = (places[0]["pos"], places[-1]["endPos"]) if places else (0, 0)
    original = {"leading": "", "pos": start, "trailing": "", "endPos": end}
    return {"atom": {"info": {"original": original}, "val": "".join(word["val"] for word in words)}}


def _check_extra() -> None:
    if importlib.util.find_spec("lean_dojo") is None:
        raise TraceError(f'tracer="lean-dojo" needs the package lean-dojo (Python 3.11 or 3.12): {INSTALL}')


def _trace_files(folder: Path) -> Iterator[Path]:
    """Yield the traces of the folder's own files; XML where there is some, since it is made from the JSON."""
    for path in (folder / TRACES).rglob("*.ast.json"):
        made_from_it = path.with_name(path.name.replace(".ast.json", ".trace.xml"))
        if not made_from_it.is_file():
            yield path
    yield from (folder / TRACES).rglob("*.trace.xml")


def _source_path(trace: Path) -> str:
    return trace.relative_to(TRACES).with_suffix("").with_suffix(".lean").as_posix()


def _content_hash(source: Path, trace: Path) -> str:
    digest = hashlib.sha256(f"{FORMAT}\n{trace.name}\n".encode())
    for path in (source, trace):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _repository_of(folder: Path) -> Repository:
    """Return what the folder's git says it is: LeanDojo leaves files of its own in it, so it is never a clean work
    tree."""
    try:
        import git
    except ImportError:  # no git program
        return local_repository(folder)
    try:
        with git.Repo(folder) as repo:
            urls = [url for remote in repo.remotes if remote.name == "origin" for url in remote.urls]
            url = shared_address(public_url(urls[0]) if urls else str(folder))
            return Repository(url, repo.head.commit.hexsha, folder.name, folder)
    except (git.GitError, ValueError):  # no work tree, or no commit yet
        return local_repository(folder)


def _is_named(theorem: Any) -> bool:
    """Check whether it is a theorem, and not one that a macro quotes, as that of a command `lemma` does: LeanDojo lists
    both, the latter without a name."""
    return bool(theorem.theorem.full_name)


def text_hash(statement: str) -> str:
    """Return what stands for Lean's hash of a statement's type, where only the text is known."""
    return "text-" + hashlib.sha256(statement.encode()).hexdigest()[:16]


class _Offsets:
    """Byte offsets of a source text, from lines and columns that both count from 1, columns in code points."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._lines = data.decode().split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line.encode()) + 1)

    def __call__(self, place: Sequence[int]) -> int:
        line, column = place
        before = self._lines[line - 1][: column - 1]
        return self._starts[line - 1] + len(before.encode())

    def text(self, start: int, end: int) -> str:
        return self.data[start:end].decode()


def _position(place: Sequence[int]) -> Position:
    line, column = place
    return Position(line, column - 1)


@dataclass(frozen=True, slots=True)
class _Reader:
    """From LeanDojo's values of one file to ours."""

    file: Any
    at: _Offsets

    def read(self) -> TracedFile:
        from lean_dojo.data_extraction.ast import ModuleImportNode

        path = self.file.path.as_posix()
        imports = [node.module for node in self._nodes(self.file.ast, ModuleImportNode) if node.module]
        return TracedFile(
            path=path,
            module=module_name(path),
            imports=tuple(imports),
            theorems=tuple(self._theorem(theorem) for theorem in self.file.get_traced_theorems() if _is_named(theorem)),
            declarations=tuple(self._declaration(d) for d in self.file.get_premise_definitions() if d["full_name"]),
            messages=(),
            elaborate_s=0.0,
            walk_s=0.0,
        )

    def _nodes(self, tree: Any, kind: type) -> list[Any]:
        nodes: list[Any] = []
        tree.traverse_preorder(lambda node, _: nodes.append(node), kind)
        return nodes

    def _theorem(self, theorem: Any) -> TracedTheorem:
        from lean_dojo.data_extraction.ast import AtomNode, CommandDeclvaleqnsNode

        proof_place, end_place = theorem.locate_proof()
        start, proof, end = self.at(theorem.start), self.at(proof_place), self.at(end_place)
        statement = self.at.text(start, proof).rstrip().removesuffix(":=").rstrip()
        node = theorem.get_proof_node()
        is_equations = isinstance(node, CommandDeclvaleqnsNode)
        mode: ProofMode = "tactic" if theorem.has_tactic_proof() else "equations" if is_equations else "term"
        signature = " ".join(statement.split()[2:])  # without the keyword and the name
        return TracedTheorem(
            full_name=theorem.theorem.full_name,
            statement=statement,
            proof=self.at.text(proof, end).rstrip(),
            mode=mode,
            has_sorry=any(atom.val == "sorry" for atom in self._nodes(node, AtomNode)),
            type=signature,
            type_hash=text_hash(signature),
            start=start,
            end=end,
            start_pos=_position(theorem.start),
            end_pos=_position(end_place),
            tactics=tuple(self._tactic(tactic) for tactic in theorem.get_traced_tactics()),
            premises=self._premises(node),
        )

    def _tactic(self, tactic: Any) -> TracedTactic:
        return TracedTactic(
            tactic=tactic.tactic,
            step="" if _FRAME.match(tactic.tactic) or is_conv(tactic.state_before) else tactic.tactic,
            start=self.at(tactic.start),
            end=self.at(tactic.end),
            state_before=tactic.state_before,
            state_after=tactic.state_after,
            goals_before=count_goals(tactic.state_before),
            goals_after=count_goals(tactic.state_after),
            premises=self._premises(tactic.ast),
        )

    def _premises(self, tree: Any) -> tuple[Premise, ...]:
        from lean_dojo.data_extraction.ast import IdentNode

        uses = [node for node in self._nodes(tree, IdentNode) if node.full_name and node.mod_name and node.def_start]
        return tuple(Premise(n.full_name, n.mod_name, self.at(n.start), self.at(n.end)) for n in uses)

    def _declaration(self, definition: dict[str, Any]) -> TracedDeclaration:
        keyword = _KEYWORD.search(definition["code"])
        kind = keyword[1] if keyword else definition["kind"]
        return TracedDeclaration(
            full_name=definition["full_name"],
            kind=_KINDS.get(kind, kind),
            code=definition["code"],
            start=self.at(definition["start"]),
            end=self.at(definition["end"]),
            start_pos=_position(definition["start"]),
            end_pos=_position(definition["end"]),
        )
