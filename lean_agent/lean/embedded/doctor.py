"""What is installed, which version, and does it prove a theorem: the answers a bug report needs."""

from __future__ import annotations

import platform
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from lean_agent.cache import cache_dir
from lean_agent.errors import LeanAgentError, LeanInstallError
from lean_agent.lean.embedded.install import LEAN_VERSION, installation, is_installed
from lean_agent.lean.native.toolchain import find_toolchain
from lean_agent.lean.pantograph.native import find_pantograph
from lean_agent.lean.pool import LeanPool


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; ``good`` is ``None`` for what is not there and need not be."""

    what: str
    found: str
    good: bool | None


def doctor() -> list[Finding]:
    """Look at every part from Node to a theorem; never raises for something that is wrong, but reports it."""
    findings = [
        Finding("machine", f"{platform.system()} {platform.machine()}, Python {platform.python_version()}", True)
    ]
    try:
        where = installation()
        version = subprocess.run(
            [str(where.node), "--version"], capture_output=True, text=True, check=True
        ).stdout.strip()
        findings.append(Finding("Node", f"{version} at {where.node}", version.startswith("v24.")))
        findings.append(Finding("cache folder", str(cache_dir()), True))
        installed = is_installed()
        size = sum(p.stat().st_size for p in where.lean.rglob("*") if p.is_file()) // 2**20 if installed else 0
        found = (
            f"Lean {LEAN_VERSION} in {where.lean} ({size} MB)"
            if installed
            else "not installed: run `lean-agent lean install`"
        )
        findings.append(Finding("embedded Lean", found, installed))
        if installed:
            findings.extend(_prove_one())
        findings += [_native(), _pantograph()]
    except (LeanAgentError, OSError, subprocess.SubprocessError) as e:
        findings.append(Finding("trouble", str(e), False))
    return findings


def _native() -> Finding:
    """A native toolchain is no need, so that its absence is nothing bad."""
    try:
        found = find_toolchain()
    except LeanInstallError as e:
        return Finding("native Lean", str(e), None)
    lake = f", {found.lake}" if found.lake else ", no lake beside it"
    return Finding("native Lean", f"{found.version} at {found.lean}{lake}; used with --lean native", True)


def _pantograph() -> Finding:
    """Nobody needs a native Pantograph, either."""
    try:
        found = find_pantograph()
    except LeanInstallError as e:
        return Finding("native Pantograph", str(e), None)
    return Finding("native Pantograph", f'{found}; used with Server(repl="native")', True)


def _prove_one() -> list[Finding]:
    started = time.perf_counter()
    with LeanPool(1, lean="embedded") as pool:
        state = pool.goal_start("∀ (a b : Nat), a + b = b + a")
        ready = time.perf_counter() - started
        proved = pool.goal_tactic(state, "omega")
        memory = sum(_resident_mb(pid) for pid in pool.pids())
    return [
        Finding("start to first goal state", f"{ready:.1f} s, {memory} MB resident", True),
        Finding("a theorem", "a + b = b + a proved by omega, checked by the kernel", proved.is_solved),
    ]


def _resident_mb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    return 0
