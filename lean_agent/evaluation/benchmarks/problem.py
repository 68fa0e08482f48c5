"""Statements to be proved, as lines of JSON and as a Lean project with one file for each.

Owns the JSON Lines format (``name``, ``statement``, ``context``, ``imports``, and what a benchmark adds) and the layout
of such a project. Once written, it is a repository like any other: traced, searched and verified by the same code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_agent.database import StoredTheorem
from lean_agent.errors import ConfigError
from lean_agent.files import json_lines, write_atomically
from lean_agent.lean.source import as_lean_reads
from lean_agent.tracing import Repository
from lean_agent.tracing.project.import_graph import read_imports
from lean_agent.tracing.project.repository import BENCHMARK, OPEN_PROOF, declaration_of, plain_name, text_project

THEOREMS = "theorems:"
"""In the place of ``benchmark:`` for statements that are to be proved and trained on like those of any repository."""

_IMPORT = re.compile(r"^\s*(?:public\s+)?(?:meta\s+)?import\s+(?:all\s+)?(\S+)\s*$", re.MULTILINE)
_HEADER_WORD = re.compile(r"\A\s*(?:module|prelude)\b(?:\s+prelude\b)?")
_PRELUDE = re.compile(r"\A\s*(?:module\s+)?prelude\b")


@dataclass(frozen=True, slots=True)
class Problem:
    """A theorem without a proof.

    Attributes:
        name: its full name.
        statement: from the keyword up to (not including) ``:=``.
        context: Lean text between the imports and the theorem: ``open``, ``variable``, definitions.
        imports: modules; ``Init`` comes by itself.
        prelude: do without ``Init``: what is not imported by name does not exist.
        group: what the benchmark puts problems together by, such as the module that a theorem comes from.
        split: ``train`` or ``test`` where the benchmark has both, else empty.
        difficulty: greater is harder; ``None`` where nobody has said.
        type_hash: what Lean's hash of the statement must be (see ``TracedTheorem``); empty where it is not known.
    """

    name: str
    statement: str
    context: str = ""
    imports: tuple[str, ...] = ()
    prelude: bool = False
    group: str = ""
    split: str = ""
    difficulty: float | None = None
    type_hash: str = ""

    @property
    def source(self) -> str:
        """The text of a Lean file that states it and leaves it open."""
        header = ["prelude"] * self.prelude + [f"import {module}" for module in self.imports]
        parts = ["\n".join(header), self.context.strip(), f"{self.statement}{OPEN_PROOF}"]
        return "\n\n".join(part for part in parts if part)

    @property
    def statement_start(self) -> int:
        """The byte of the file, as Lean reads it, at which the statement begins."""
        source, last = (as_lean_reads(text.encode()) for text in (self.source, f"{self.statement}{OPEN_PROOF}"))
        return len(source) - len(last)


def read_problems(path: Path) -> list[Problem]:
    """Read the problems of a JSON Lines file; empty lines do not count.

    Also understands the names of fields that miniF2F's and ProofNet's JSON Lines use: ``formal_statement`` and
    ``header``. A proof that is left open (``:= by``, ``:= sorry``) is cut off.

    Raises:
        ConfigError: no such file, or a line that is no problem; says which.
    """
    try:
        lines = json_lines(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The theorems of {path} cannot be read ({error}); name a JSON Lines file.") from error
    problems = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            problems.append(_problem(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = f"no field {error}" if isinstance(error, KeyError) else str(error)
            raise ConfigError(
                f"Line {number} of {path} is no theorem ({reason}). A line is an object with name and statement, and "
                'perhaps context and imports: {"name": "add_zero", "statement": "theorem add_zero (n : Nat) : '
                'n + 0 = n", "context": "", "imports": []}'
            ) from error
    if not problems:
        raise ConfigError(f"{path} holds no theorem; it is a JSON Lines file with one object on each line.")
    return problems


def _problem(row: Mapping[str, Any]) -> Problem:
    header = str(row.get("header") or "")
    imports = [*row.get("imports", ()), *_IMPORT.findall(header)]
    name = str(row["name"])
    difficulty = row.get("difficulty")
    return Problem(
        name=name,
        statement=declaration_of(name, str(row.get("statement") or row["formal_statement"])),
        context="\n\n".join(part for part in (_IMPORT.sub("", header).strip(), str(row.get("context") or "")) if part),
        imports=tuple(dict.fromkeys(map(str, imports))),
        prelude=bool(row.get("prelude", False)),
        group=str(row.get("group") or ""),
        split=str(row.get("split") or ""),
        difficulty=None if difficulty is None else float(difficulty),
        type_hash=str(row.get("type_hash") or ""),
    )


def write_problems(problems: Iterable[Problem], path: Path) -> Path:
    """Write problems as JSON Lines; fields that say nothing are left out."""
    rows = [{field: getattr(problem, field) for field in Problem.__slots__} for problem in problems]
    kept = [{key: value for key, value in row.items() if value not in ("", (), None, False)} for row in rows]
    return write_atomically(path, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in kept).encode())


def stored_problem(stored: StoredTheorem) -> Problem:
    """Make a problem of a traced theorem; its context is all of its file between the imports and the theorem.

    Raises:
        ConfigError: the file is not there any more, or it is no longer the one that was traced.
    """
    path, theorem = stored.site.project.root / stored.file_path, stored.theorem
    start = max(theorem.start, 0)
    try:
        source = as_lean_reads(path.read_bytes())
        before, here = source[:start].decode(), source[start : theorem.end].decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The context of {stored.full_name} cannot be read ({error}); trace it again.") from error
    if theorem.statement not in here:
        raise ConfigError(f"{path} has changed since {stored.full_name} was traced; trace its repository again.")
    imports = read_imports(before)
    header = max((statement.line for statement in imports), default=0)
    context = "\n".join(before.split("\n")[header:])
    return Problem(
        name=stored.full_name,
        statement=theorem.statement,
        context=context if imports else _HEADER_WORD.sub("", context),
        imports=tuple(statement.module for statement in imports),
        prelude=bool(_PRELUDE.match(before)),
        type_hash=theorem.type_hash,
    )


def project_of(
    name: str, problems: Sequence[Problem], *, kind: str = BENCHMARK
) -> tuple[Repository, dict[Problem, str]]:
    """Return a Lean project with one file for each problem, in the user's cache folder, and which file is whose.

    The same problems make the same project, whose address is ``<kind><name>`` and whose commit is a hash of them.
    """
    paths: dict[Problem, str] = {}
    taken: set[str] = set()
    for problem in problems:
        folder, file = (plain_name(part) or "_" for part in (problem.group or "Problems", problem.name))
        path, copies = f"{folder}/{file}.lean", 1
        while path.casefold() in taken:
            copies += 1
            path = f"{folder}/{file}_{copies}.lean"
        taken.add(path.casefold())
        paths[problem] = path
    return text_project(name, {path: problem.source for problem, path in paths.items()}, kind=kind), paths
