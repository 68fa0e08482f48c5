"""Lean text that belongs to no repository, as a project of its own; and the project that a single file lies in.

Once written, a text is a repository like any other: traced, searched and verified by the same code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from lean_agent.cache import cache_dir
from lean_agent.files import write_atomically
from lean_agent.tracing.project.repository import BENCHMARK, Repository
from lean_agent.tracing.project.sources import has_lakefile

OPEN_PROOF = " := by\n  sorry\n"

_KEYWORD = re.compile(r"(?:@\[[^\]]*\]\s*)?(?:(?:private|protected|noncomputable)\s+)*(?:theorem|lemma|example)\b")
_PROOF = re.compile(r"\s*:=\s*(?:by)?\s*(?:sorry|admit)?\s*$")
_NOT_PLAIN = re.compile(r"[^\w']+")


def plain_name(text: str) -> str:
    """Return ``text`` with what no file name should have replaced."""
    return _NOT_PLAIN.sub("_", text)


def text_project(name: str, files: Mapping[str, str], *, kind: str = BENCHMARK) -> Repository:
    """Write a Lean project of files given as text (path -> text) into the user's cache folder, unless it is there."""
    digest = hashlib.sha256()
    for path, text in sorted(files.items()):
        digest.update(f"{path}\0{len(text)}\0{text}".encode())
    commit = digest.hexdigest()[:40]
    folder = cache_dir() / "benchmarks" / plain_name(name) / commit[:16]
    finished = folder / "lakefile.toml"  # written last: a folder without it was never finished
    if not finished.is_file():
        for path, text in files.items():
            write_atomically(folder / path, text.encode())
        write_atomically(finished, f'name = "{plain_name(name)}"\n'.encode())
    return Repository(f"{kind}{name}", commit, name, folder)


def declaration_of(name: str, text: str) -> str:
    """Return a statement with its keyword and without its open proof; a bare proposition is given ``name``."""
    statement = _PROOF.sub("", text.strip()) if ":=" in text else text.strip()
    return statement if _KEYWORD.match(statement) else f"theorem {name} : {statement}"


def is_text(given: str) -> bool:
    """Decide whether somebody who names a theorem, a file or a repository has written Lean text instead: names and
    addresses hold no white space, and statements do."""
    return any(character.isspace() for character in given.strip())


def open_text(text: str, name: str = "goal") -> str:
    """Return Lean text that leaves something open: as it is where a ``sorry`` stands in it, and otherwise taken for one
    statement, with or without ``theorem NAME``, whose proof is to be found."""
    return text if re.search(r"\bsorry\b", text) else f"{declaration_of(name, text)}{OPEN_PROOF}"


def project_folder(file: Path) -> Path:
    """Return the nearest folder above ``file`` with a lakefile, or the file's own."""
    return next(filter(has_lakefile, file.parents), file.parent)
