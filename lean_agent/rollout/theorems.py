"""Theorems as rows of a JSONL file, and the Lean files that they are put into.

    {"name": "add_zero", "statement": "theorem add_zero (n : Nat) : n + 0 = n", "context": "", "imports": []}

Each becomes a file of its own with ``sorry`` for a proof, so that it is started, and judged, in its place like a
theorem of a repository.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lean_agent.errors import TrainingError, nearest, words_of
from lean_agent.files import json_lines, write_atomically
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.tracing.project.import_graph import CORE_PACKAGES

logger = logging.getLogger(__name__)

_DECLARATION = re.compile(
    r"\A\s*(?:@\[[^\]]*\]\s*)?(?:(?:private|protected)\s+)*(?:theorem|lemma)\s+"
    r"((?:«[^»]*»|[^\s:({\[«])+?)(?=\.\{|[\s:({\[]|\Z)"  # universes are no part of the name
)
_PROOF = re.compile(r":=\s*(?:by\s*)?(?:sorry\s*)?\Z")
_SCOPE = re.compile(r"^\s*(?:(namespace)\s+(\S+)|(?:public\s+)?(section)\b|(end)\b)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem to prove.

    Attributes:
        name: what it is called in logs and reports.
        statement: ``theorem NAME … : …``, without a proof (a trailing ``:= by sorry`` is taken off); or the proposition
            alone.
        context: Lean source before it: definitions, ``open``, ``variable``, an open ``namespace``.
        imports: modules that the file imports.
        difficulty: in [0, 1], where it is known.
    """

    name: str
    statement: str
    context: str = ""
    imports: tuple[str, ...] = ()
    difficulty: float | None = None

    @property
    def declaration(self) -> str:
        """``theorem NAME … : …`` without a proof."""
        statement = _PROOF.sub("", self.statement.strip()).rstrip()
        if _DECLARATION.match(statement):
            return re.sub(r"\blemma\b", "theorem", statement, count=1)
        return f"theorem {self.name} : {statement}"

    @property
    def full_name(self) -> str:
        """The declared name in the namespaces that the context leaves open."""
        declared = _DECLARATION.match(self.declaration)
        assert declared is not None, "a declaration has a name"
        return ".".join([*_open_namespaces(self.context), declared[1]])


@dataclass(frozen=True, slots=True)
class ProofTask:
    """A theorem in its place: what an attempt is made at.

    Attributes:
        name: in logs and reports.
        site: where its proof starts.
        difficulty: in [0, 1], where it is known.
        column: of the theorem in its file, from 0: its proofs stand further to the right.
    """

    name: str
    site: TheoremSite
    difficulty: float | None = None
    column: int = 0


class TheoremFiles:
    """Puts theorems into Lean files of their own.

    Args:
        folder: where; files are named by what they hold, so that a second run finds those of the first.
    """

    def __init__(self, folder: Path) -> None:
        self.project = LeanProject(root=folder / "source", build=folder / "build")
        self._reported: set[str] = set()

    def task(self, theorem: Theorem) -> ProofTask:
        """Return the theorem in its file, which is written unless it is there.

        Modules that embedded Lean has not (Mathlib) are left out: a theorem that needs none of them can be proved
        without, and one that does fails to start, by name. Names that nothing declares must then not be taken for
        variables, or ``(x : ℝ) : x = x`` would be a theorem about any type.
        """
        header = "".join(f"import {module}\n" for module in theorem.imports if _is_core(module))
        if not all(map(_is_core, theorem.imports)):
            header += "\nset_option autoImplicit false\n"
        context = f"{theorem.context.strip()}\n\n" if theorem.context.strip() else ""
        source = f"{header}\n{context}{theorem.declaration} := by\n  sorry\n"
        path = f"T{hashlib.sha256(source.encode()).hexdigest()[:16]}.lean"
        if not (self.project.root / path).is_file():
            write_atomically(self.project.root / path, source.encode())
        return ProofTask(theorem.name, TheoremSite(self.project, path, theorem.full_name), theorem.difficulty)

    def tasks(self, theorems: Sequence[Theorem]) -> list[ProofTask]:
        """Put every theorem into its file; say once which modules are left out."""
        missing = {module for theorem in theorems for module in theorem.imports if not _is_core(module)}
        if not missing <= self._reported:
            logger.warning(
                "Lean has no %s here, so it is not imported: a theorem that does not elaborate without it cannot be "
                "proved.",
                ", ".join(sorted(missing)),
            )
            self._reported |= missing
        return [self.task(theorem) for theorem in theorems]


def load_theorems(path: str | Path) -> list[Theorem]:
    """Read the theorems of a JSONL file; empty lines are passed over.

    Raises:
        TrainingError: no such file, a line that is no theorem (its number is said), a name that occurs twice, or no
            theorem at all.
    """
    try:
        lines = json_lines(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"The theorems could not be read from {path}: {words_of(error)}.") from error
    theorems: dict[str, Theorem] = {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            theorem = _read(line, f"{path}, line {number}")
            if theorem.name in theorems:
                raise TrainingError(f"{path}, line {number}: the name {theorem.name!r} occurs twice.")
            theorems[theorem.name] = theorem
    if not theorems:
        raise TrainingError(f"{path} holds no theorem; write one to a line: {_EXAMPLE}")
    return list(theorems.values())


_OF_BENCHMARKS = ("type_hash", "group", "split")
"""Fields of ``export theorems`` and of benchmarks, which say nothing here."""
_EXAMPLE = '{"name": "add_zero", "statement": "theorem add_zero (n : Nat) : n + 0 = n"}'


def _read(line: str, where: str) -> Theorem:
    """Read one line of a JSONL file."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise TrainingError(f"{where} is no JSON ({error}). A theorem reads {_EXAMPLE}") from error
    if not isinstance(row, dict):
        raise TrainingError(f"{where} is no JSON object. A theorem reads {_EXAMPLE}")
    known = [field.name for field in fields(Theorem)]
    for key in row:
        if key not in known and key not in _OF_BENCHMARKS:
            raise TrainingError(f"{where}: a theorem has no {key!r}. {nearest(key, known)}")
    return _checked(row, where)


def _checked(row: Mapping[str, Any], where: str) -> Theorem:
    """Make a theorem of a row with known keys."""
    texts = [row.get("name"), row.get("statement"), row.get("context", "")]
    imports = row.get("imports", [])
    difficulty = row.get("difficulty")
    if not all(isinstance(text, str) for text in texts) or not texts[0] or not texts[1]:
        raise TrainingError(f"{where}: name, statement and context must be texts, the first two not empty.")
    if not isinstance(imports, list) or not all(isinstance(module, str) for module in imports):
        raise TrainingError(f"{where}: imports must be a list of module names.")
    if difficulty is not None and not (isinstance(difficulty, (int, float)) and 0 <= difficulty <= 1):
        raise TrainingError(f"{where}: difficulty must be a number in [0, 1].")
    return Theorem(row["name"], row["statement"], row.get("context", ""), tuple(imports), difficulty)


def _is_core(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] in CORE_PACKAGES


def _open_namespaces(context: str) -> list[str]:
    """Return the namespaces that are open at the end of a piece of Lean source."""
    scopes: list[str] = []
    for match in _SCOPE.finditer(context):
        if match[4]:
            del scopes[-1:]
        else:
            scopes.append(match[2] or "")
    return [scope for scope in scopes if scope]
