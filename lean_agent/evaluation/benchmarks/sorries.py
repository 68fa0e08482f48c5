"""Theorems that files leave open: repositories, Lean files, JSON Lines, and the public benchmarks as they ship.

Owns what is particular about each. Files of miniF2F, ProofNet and PutnamBench import Mathlib as a rule, which embedded
Lean has not: such files are listed with that reason, and the rest is measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import Benchmark, Loader, Request, from_problems, from_repository, lean_core
from lean_agent.evaluation.benchmarks.problem import read_problems
from lean_agent.tracing import clone, local_repository
from lean_agent.tracing.project.repository import text_project
from lean_agent.tracing.project.sources import lean_files

_OPEN_ANSWER = re.compile(r":=[ \t]*sorry[ \t]*\n((?:[ \t]*--[^\n]*\n)+)")


def load(request: Request) -> Benchmark:
    """Open theorems of a repository: a folder or an address.

    It is traced, and what is open is taken.

    Raises:
        ConfigError: no source was named.
        TraceError: it is no Lean project.
    """
    if request.source is None:
        raise ConfigError("The sorries of which repository? Name a folder or an address that git clones.")
    is_here = Path(request.source).expanduser().is_dir()
    repository = local_repository(request.source) if is_here else clone(request.source, progress=request.progress)
    return from_repository(repository.name, repository, request)


def load_jsonl(request: Request) -> Benchmark:
    """Theorems as lines of JSON: name, statement, context, imports.

    Raises:
        ConfigError: no file, it is no such file, or it bears the name of lean-core.
    """
    path = request.path("a JSON Lines file of theorems")
    if path.stem == lean_core.NAME:
        raise ConfigError(f"A file called {path.name} would pass for lean-core; give it another name.")
    return from_problems(path.stem, read_problems(path), request)


def _loader(name: str, summary: str, needs: str = "", prepare: Callable[[str], str] = str) -> Loader:
    """Make a loader for a Lean file or a folder of Lean files.

    Args:
        summary: its docstring.
        needs: the package that these files import as a rule.
        prepare: from the text of a file as it ships to the text whose theorems are to be proved.
    """

    def load(request: Request) -> Benchmark:
        path = request.path("a Lean file, a folder of Lean files, or a JSON Lines file")
        if path.suffix == ".jsonl":
            return from_problems(name, read_problems(path), request, needs=needs)
        texts = {file: prepare(_read(place)) for file, place in _files(path).items()}
        return from_repository(name, text_project(name, texts), request, needs=needs)

    load.__doc__ = summary
    return load


def with_answers(text: str) -> str:
    """Fill the answers into PutnamBench.

    Its problems that ask for a value begin with ``abbrev …_solution : … := sorry`` and the answer in a comment below.
    A theorem that speaks of a hole can never be proved, so the comment takes the hole's place.
    """

    def fill(answer: re.Match[str]) -> str:
        lines = [line.strip().removeprefix("--").strip() for line in answer[1].splitlines()]
        return ":=\n  " + "\n  ".join(lines) + "\n"

    return _OPEN_ANSWER.sub(fill, text)


def _files(path: Path) -> dict[str, Path]:
    """Return the files below a folder by their paths in it, or the one file."""
    if path.is_file():
        return {path.name: path}
    files = {file: path / file for file in lean_files(path)}
    if not files:
        raise ConfigError(f"There is no .lean file in {path}.")
    return files


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as text: {error}.") from error


load_lean_files = _loader("lean-files", "A Lean file or a folder of Lean files with sorries.")
load_minif2f = _loader("miniF2F", "miniF2F's Lean 4 files or JSON Lines; they need Mathlib.", "Mathlib")
load_proofnet = _loader("ProofNet", "ProofNet's Lean 4 files or JSON Lines; they need Mathlib.", "Mathlib")
load_putnambench = _loader(
    "PutnamBench", "PutnamBench's Lean 4 files, answers filled in; they need Mathlib.", "Mathlib", with_answers
)
