"""What a native Lean does on this machine, line by line: a report to attach to a bug.

Owns the few statements that every Lean has to judge right, and the tracing of projects for the count of their
theorems. Nothing is stored: the database is in memory.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lean_agent.errors import LeanAgentError, LeanInstallError
from lean_agent.lean.embedded.doctor import Finding
from lean_agent.lean.native.bubblewrap import why_unconfined
from lean_agent.lean.native.toolchain import NativeLean, find_toolchain
from lean_agent.lean.pool import LeanPool

_JUDGED = (
    ("a proof", "theorem t (a b : Nat) : a + b = b + a := by omega", True),
    ("a sorry", "theorem t : 1 = 2 := by sorry", False),
    ("an axiom", "axiom a : False\ntheorem t : 1 = 2 := a.elim", False),
    ("a false statement", "theorem t : 1 = 2 := by decide", False),
    ("compiled code as a proof", "theorem t : (10 : Nat) < 11 := by native_decide", False),
)
_HERE = ("repos/*/lakefile.toml", "tests/lean/MiniMathlib/lakefile.toml")


def native_report(folders: Sequence[Path] | None, *, full: bool) -> Iterator[Finding]:
    """Yield findings on the native Lean of the current folder, as they are made.

    Args:
        folders: projects to trace; by default those of a checkout of this package, where it is the current folder.
        full: whether to judge and trace, which takes minutes.
    """
    yield Finding("machine", f"{platform.system()} {platform.machine()}, Python {platform.python_version()}", True)
    try:
        toolchain = find_toolchain(folder=Path.cwd())
    except LeanInstallError as e:
        yield Finding("native Lean", str(e), False)
        return
    yield Finding("native Lean", f"{toolchain.version} at {toolchain.lean}", True)
    lake = str(toolchain.lake) if toolchain.lake else "none beside it: packages are looked for where Lake puts them"
    yield Finding("Lake", lake, None if toolchain.lake is None else True)
    missing = why_unconfined()
    yield Finding("walls", missing or "bubblewrap confines it", None if missing else True)
    if full:
        yield from _works(toolchain, folders)


def _works(toolchain: NativeLean, folders: Sequence[Path] | None) -> Iterator[Finding]:
    began = time.perf_counter()
    try:
        with LeanPool(1, lean=str(toolchain.lean)) as pool:
            pool.goal_start("1 = 1")
            yield Finding("start to first goal state", f"{time.perf_counter() - began:.1f} s", True)
            for what, text, accepted in _JUDGED:
                verdict = pool.verify_text(text)
                is_right = verdict.accepted == accepted
                yield Finding(f"judge: {what}", "accepted" if verdict.accepted else "refused", is_right)
            yield from _traced(pool, folders)
    except LeanAgentError as e:
        yield Finding("it works", str(e), False)


def _traced(pool: LeanPool, folders: Sequence[Path] | None) -> Iterator[Finding]:
    from lean_agent.agent.base import ScriptedAgent  # brings the database

    chosen = folders or sorted(path.parent for pattern in _HERE for path in Path.cwd().glob(pattern))
    with ScriptedAgent(lean=pool, database=":memory:", progress=False) as agent:
        for folder in chosen:
            try:
                traced = agent.setup_local_repository(folder)
            except LeanAgentError as e:
                yield Finding(f"trace {folder.name}", str(e), False)
                continue
            theorems = sum(file.theorems for file in traced.summaries)
            errors = sum(file.errors for file in traced.summaries)
            text = (
                f"{theorems} theorems in {len(traced.summaries)} files, {errors} errors, {len(traced.skipped)} skipped"
            )
            yield Finding(f"trace {folder.name}", f"{text}, {traced.seconds:.1f} s", not errors and not traced.skipped)
