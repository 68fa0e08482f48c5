"""What a native Lean does on this machine, line by line: a report to attach to a bug.

Owns the few statements that every Lean has to judge right, and the tracing of projects for the count of their
theorems. Nothing is stored: the database is in memory.
"""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lean_agent.errors import LeanAgentError, LeanInstallError
from lean_agent.lean.embedded.doctor import Finding
from lean_agent.lean.native.toolchain import NativeLean, ask, find_toolchain
from lean_agent.lean.native.walls import confinement
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.runtime import LEAN_VARIABLE
from lean_agent.wording import counted

_JUDGED = (
    ("a proof", "theorem t (a b : Nat) : a + b = b + a := by omega", True),
    ("a sorry", "theorem t : 1 = 2 := by sorry", False),
    ("an axiom", "axiom a : False\ntheorem t : 1 = 2 := a.elim", False),
    ("a false statement", "theorem t : 1 = 2 := by decide", False),
    ("compiled code as a proof", "theorem t : (10 : Nat) < 11 := by native_decide", False),
)
_BUILD_S = 900
_HERE = ("repos/*/lakefile.toml", "tests/lean/MiniMathlib/lakefile.toml")


def native_report(folders: Sequence[Path] | None, *, full: bool) -> Iterator[Finding]:
    """Yield findings on the native Lean of the current folder, or that ``LEAN_AGENT_LEAN`` names, as they are made.

    Args:
        folders: projects to trace; by default those of a checkout of this package, where it is the current folder.
        full: whether to judge and trace, which takes minutes.
    """
    yield Finding("machine", f"{platform.system()} {platform.machine()}, Python {platform.python_version()}", True)
    named = os.environ.get(LEAN_VARIABLE, "")
    given = Path(named) if named not in ("", "native", "embedded") else None
    try:
        toolchain = find_toolchain(given, folder=Path.cwd())
    except LeanInstallError as e:
        yield Finding("native Lean", str(e), False)
        return
    yield Finding("native Lean", f"{toolchain.version} at {toolchain.lean}", True)
    lake = str(toolchain.lake) if toolchain.lake else "none beside it: packages are looked for where Lake puts them"
    yield Finding("Lake", lake, None if toolchain.lake is None else True)
    walls = confinement()
    yield Finding("walls", walls.of("it"), None if walls.lacks else True)
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
            yield from _traced(pool, toolchain, folders)
    except LeanAgentError as e:
        yield Finding("it works", str(e), False)


def _traced(pool: LeanPool, toolchain: NativeLean, folders: Sequence[Path] | None) -> Iterator[Finding]:
    from lean_agent.agent.scripted_agent import ScriptedAgent  # brings the database

    chosen = folders or sorted(path.parent for pattern in _HERE for path in Path.cwd().glob(pattern))
    with (
        tempfile.TemporaryDirectory(prefix="lean-agent-doctor-") as scratch,
        ScriptedAgent(lean=pool, database=":memory:", progress=False) as agent,
    ):
        for folder in chosen:
            place = folder
            try:
                if folders is None and (folder / "lake-manifest.json").is_file():
                    if toolchain.lake is None:
                        yield Finding(f"trace {folder.name}", "not tried: only Lake can build its package", None)
                        continue
                    place = _built_copy(folder, toolchain.lake, Path(scratch))
                traced = agent.setup_local_repository(place)
            except LeanAgentError as e:
                yield Finding(f"trace {folder.name}", str(e), False)
                continue
            theorems = sum(file.theorems for file in traced.summaries)
            errors = sum(file.errors for file in traced.summaries)
            text = f"{counted(theorems, 'theorem')} in {counted(len(traced.summaries), 'file')}, "
            text += f"{counted(errors, 'error')}, {len(traced.skipped)} skipped"
            yield Finding(f"trace {folder.name}", f"{text}, {traced.seconds:.1f} s", not errors and not traced.skipped)


def _built_copy(folder: Path, lake: Path, scratch: Path) -> Path:
    """Have Lake build a project of this checkout, and its packages, in a copy."""
    copy = scratch / folder.name
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".lake"))
    ask(lake, "build", folder=copy, timeout_s=_BUILD_S)
    return copy
