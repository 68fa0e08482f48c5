"""``lean-agent verify``: judge Lean files, and print a verdict for each declaration that claims something.

A file belongs to the project of the nearest folder above it with a lakefile, or else to its own folder. Of that project
only what the file imports is looked at, and traced.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from lean_agent.cli.options import lean_server
from lean_agent.errors import RepositoryNotFound
from lean_agent.lean.remote.wire import file_verdict_form
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import DeclarationVerdict, FileVerdict, LeanMessage, LeanProject, Position
from lean_agent.progress import terminal
from lean_agent.tracing import Repository, lean_project, local_repository, trace_repository
from lean_agent.tracing.project.repository import project_folder
from lean_agent.tracing.tracer import project_graph
from lean_agent.wording import counted, visible, visible_lines

SCHEMA = 1
"""Version of what ``--json`` prints (docs/verify.md)."""


def verify_files(
    files: Sequence[Path],
    *,
    workers: int = 1,
    lean: str | None = None,
    server: LeanServer | None = None,
    as_json: bool = False,
    timeout_s: float | None = None,
) -> bool:
    """Print a verdict for each declaration of each file, or one JSON object; returns whether all files were accepted.

    ``timeout_s`` are seconds for each file, by default the server's own limit.
    """
    for file in files:
        if file.is_dir():
            empty = "is a folder in which neither prove nor evaluate has left a proof"
            raise RepositoryNotFound(f"{file} {empty}; name a run folder of theirs, or Lean files.")
        if not file.is_file():
            raise RepositoryNotFound(f"There is no file {file}; name a .lean file.")
    with nullcontext(server) if server else lean_server(workers=workers, lean=lean) as judging:
        return _verify_all(files, judging, as_json, timeout_s)


def judge(
    file: Path, server: LeanServer, *, allowed_axioms: Sequence[str] = (), timeout_s: float | None = None
) -> FileVerdict:
    """Judge a file of the project that it belongs to, after tracing what it imports of that project."""
    repository = local_repository(project_folder(file))
    project = lean_project(repository)
    path = file.relative_to(project.root).as_posix() if file.is_relative_to(project.root) else None
    problem = trace_imports(repository, project, path, server)
    if problem is not None or path is None:
        return FileVerdict((), (problem,) if problem else ())
    return server.verify_file(project, path, allowed_axioms=allowed_axioms, timeout_s=timeout_s)


def trace_imports(
    repository: Repository, project: LeanProject, path: str | None, server: LeanServer
) -> LeanMessage | None:
    """Trace what a file imports; returns why it cannot be judged, if so."""
    graph = project_graph(repository, project, server)
    for skipped in graph.skipped:
        if skipped.path == path:
            return _problem(f"not checked: {skipped.reason}", skipped.line)
    source = next((source for source in graph.files if source.path == path), None)
    if source is None:
        return _problem(f"not checked: no Lean file of the project in {project.root}", 1)
    modules = {wanted.module: wanted.line for wanted in source.imports}
    needed = {other.path: modules[other.module] for other in graph.files if other.module in modules}
    if needed:
        for left_out in trace_repository(repository, server, only=list(needed)).skipped:
            if left_out.path in needed:
                reason = f"not checked: imports {left_out.path}, which could not be traced: {left_out.reason}"
                return _problem(reason, needed[left_out.path])
    return None


def _problem(text: str, line: int) -> LeanMessage:
    return LeanMessage("error", text, Position(line, 0))


def _verify_all(files: Sequence[Path], server: LeanServer, as_json: bool, timeout_s: float | None) -> bool:
    verdicts = []
    for file in files:
        verdict = judge(file.resolve(), server, timeout_s=timeout_s)
        verdicts.append((file, verdict))
        if not as_json:
            print_verdict(file, verdict)
    accepted = all(verdict.accepted for _, verdict in verdicts)
    if as_json:
        answers = [as_dict(file, verdict) for file, verdict in verdicts]
        answer = {"schema": SCHEMA, "accepted": accepted, "files": answers}
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    return accepted


def print_verdict(file: Path, verdict: FileVerdict) -> None:
    """Print what was judged, and what stands in the way. Only lines that begin a verdict begin at the margin; whatever
    a file says for itself is indented, its control characters written out."""
    say = partial(terminal(highlight=False, soft_wrap=True).print, markup=False)
    path = visible(str(file))
    printed = {message.text for message in verdict.against}
    for message in verdict.against:
        say(f"{path}:{message.start.line}:{message.start.column}: {indented(message.text)}")
    for note in verdict.notes:
        say(f"{path}:{note.start.line}:{note.start.column}: note: {indented(note.text)}")
    if not verdict.claims and verdict.kind is None:
        say(f"{path}: no theorem to judge")
    for declaration in verdict.declarations:
        if declaration.is_claim or not declaration.verdict.accepted:
            for line in _lines(declaration, printed):
                say(line)
    others = sum(not declaration.is_claim for declaration in verdict.declarations)
    say(f"{path}: {_summary(verdict)}" + (f"; {others} other declarations looked at" if others else ""))


def _lines(declaration: DeclarationVerdict, printed: Collection[str]) -> list[str]:
    """Return what to print of a declaration; of a message of many lines that was printed the first is enough."""
    verdict = declaration.verdict
    reason = verdict.reason.partition("\n")[0] if verdict.reason in printed else verdict.reason
    words = "accepted" if verdict.accepted else f"{verdict.kind}: {indented(reason)}"
    place = f"line {declaration.start.line}, column {declaration.start.column}"
    axioms = f"; axioms: {', '.join(map(visible, verdict.axioms))}" if verdict.axioms else ""
    lines = [f"{visible(declaration.name)}: {words} ({place}{axioms})"]
    if verdict.statement:
        lines.append(f"    {indented(verdict.statement)}")
    if declaration.instances:
        lines.append(f"    with the file's own {', '.join(map(visible, declaration.instances))}")
    return lines


def _summary(verdict: FileVerdict) -> str:
    if verdict.kind is not None:
        return f"not judged: {verdict.kind}"
    accepted = sum(claim.verdict.accepted for claim in verdict.claims)
    judged = f"{accepted} of {len(verdict.claims)} theorems and examples accepted"
    return judged if verdict.accepted else f"not accepted; {judged}"


def as_dict(file: Path, verdict: FileVerdict) -> dict[str, Any]:
    """Return a file's verdict as ``--json`` has it."""
    return {"file": str(file), **file_verdict_form(verdict)}


def verify_results(folder: Path, *, workers: int = 1, lean: str | None = None) -> bool:
    """Judge every proof of a results folder again; prints what is refused. Whether all were accepted."""
    from lean_agent.evaluation.results import kept_proofs, origins, recheck
    from lean_agent.progress import ProgressBar

    console = terminal(highlight=False, soft_wrap=True)
    kinds: Counter[str] = Counter()
    total = len(kept_proofs(folder))
    with lean_server(workers=workers, lean=lean) as server, ProgressBar(f"Verifying {folder.name}", total) as bar:
        for proof in recheck(folder, server):
            kinds[proof.verdict.kind] += 1
            bar.advance(accepted=kinds["accepted"])
            if not proof.verdict.accepted:
                attempt = proof.attempt
                words = f"{attempt.prover}: {attempt.full_name}: {proof.verdict.kind}: {proof.verdict.reason}"
                console.print(words, markup=False)
    console.print(f"{folder}: {kinds['accepted']} of {counted(total, 'proof')} accepted", markup=False)
    for line in origins(folder):
        console.print(f"  {line}", markup=False)
    return kinds["accepted"] == total


def indented(text: str) -> str:
    """Return the text with control characters written out, its lines after the first indented by four blanks."""
    return visible_lines(text).replace("\n", "\n    ")
