"""Find a native Lean, compile our Lean code with it once, and say how a process of it is started.

The same files as embedded but for ``Importing.lean``, which is the one beside this module: ``LeanAgent/*.lean``, each
compiled by ``lean -o`` into ``native-<version>-<sources>`` under ``cache_dir()/lean``, and ``Main.lean`` run by ``lean
--run``. What differs from one release to the next stands in ``LeanAgent/Compat.lean`` and in :data:`OPTIONS`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded.install import digest, lean_root, locked, prepared
from lean_agent.lean.native.walls import is_trusted, walled
from lean_agent.lean.process.channel import run_watched
from lean_agent.lean.process.process import ServeCommand

_SOURCES = Path(__file__).parent.parent / "LeanAgent"
_MAIN = Path(__file__).with_name("Main.lean")
_ASK_S = 120  # elan may have to look a toolchain up
_COMPILE_S = 1800
_COMPILING = (
    "it compiles lean_agent's Lean code for a native Lean, one at a time, which takes a minute or two, four on a busy "
    f"machine, and {_COMPILE_S // 60} minutes for each file at most."
)
_MEMORY_MB = 16384  # resident, pages of mapped modules included (6.5 GB of Mathlib's); Lean itself looks at it
_TOOLCHAIN_FILE = "lean-toolchain"
_WEBASSEMBLY = "wasm32"  # in what the embedded one says of its version
_PUBLISHERS = ("leanprover", "leanprover-community")

OLDEST = (4, 28)
OPTIONS = (
    "backward.isDefEq.respectTransparency=false",  # 4.29, lean4#12179
    "backward.do.legacy=true",  # 4.32, lean4#13305
    "backward.isDefEq.respectTransparency.types=false",  # 4.33, lean4#13895
    "backward.isDefEq.instanceTypes=false",  # 4.35, lean4#14624
    "backward.isDefEq.respectTransparency.instanceSearchTypes=false",  # after 4.35, `MetavarContext.instanceTypedMVars`
)
"""Options with which our code is compiled and its ``Main.lean`` run: each has a later Lean elaborate as the one did
that the code was written for. None reaches a project's files."""
_WRITTEN_FOR = [f"-Dweak.{option}" for option in OPTIONS]  # weak: without effect where there is no such option


Command = Callable[[Sequence[str], Path], Sequence[str]]
"""Makes of a command, and the folder that it works in, what is run instead: the same within walls."""


def as_it_is(argv: Sequence[str], folder: Path) -> Sequence[str]:
    """Return a command as it was."""
    return argv


@dataclass(frozen=True, slots=True)
class NativeLean:
    """A toolchain: its ``lean``, its ``lake`` where it has one, its version (``4.28.0``), its installation's folder.

    Attributes:
        is_embedded: whether it is the embedded Lean behind a program, which imports modules in a way of its own.
    """

    lean: Path
    lake: Path | None
    version: str
    prefix: str
    is_embedded: bool = False

    @property
    def folders(self) -> tuple[Path, ...]:
        """Return what a process needs to read of it."""
        return (Path(self.prefix), self.lean.parent)


@dataclass(frozen=True, slots=True)
class NativeInstallation:
    """Our code compiled by a toolchain, ready to be started.

    Attributes:
        confined: whether processes run within walls (:mod:`lean_agent.lean.native.walls`).
        shown: folders with compiled modules that a confined process may read.
    """

    toolchain: NativeLean
    folder: Path
    confined: bool = False
    shown: frozenset[Path] = field(default=frozenset())

    @property
    def name(self) -> str:
        """For messages."""
        return f"Lean {self.toolchain.version} ({self.toolchain.lean})"

    def serve_command(self, sandbox: Path) -> ServeCommand:
        """Return how the server is started. One without walls has no use for a sandbox."""
        inherited = [folder for folder in os.environ.get("LEAN_PATH", "").split(os.pathsep) if folder]
        lean_path = os.pathsep.join([str(self.folder), *inherited])
        limits = ("-M", str(_MEMORY_MB))
        argv = (str(self.toolchain.lean), *limits, *_WRITTEN_FOR, "--run", str(self.folder / "Main.lean"))
        if not self.confined:
            return ServeCommand(argv, {**os.environ, "LEAN_PATH": lean_path})
        readable = {*self.toolchain.folders, self.folder, *map(Path, inherited), *self.shown}
        within = walled(argv, readable=readable, scratch=sandbox, environment={"LEAN_PATH": lean_path})
        return ServeCommand(within, {}, self.shown)


def find_toolchain(given: Path | None = None, *, folder: Path | None = None) -> NativeLean:
    """Return the toolchain at ``given`` (its ``lean``, or its folder), or else the one on ``PATH`` or under
    ``~/.elan``.

    elan's ``lean`` is a proxy, which goes by the folder that it is called in. What is returned is the program behind
    it, which is the same wherever it is called.

    Args:
        folder: where elan looks for a ``lean-toolchain``, there and above; by default the current folder.

    Raises:
        LeanInstallError: there is none, or it does not run, or it is too old; or the folder wants a toolchain of
            somebody else's making, which elan would fetch and run.
    """
    lean = _lean_binary(given)
    if given is None and folder is not None:
        _refuse_strange(folder)
    answer = ask(lean, "--version", folder=folder)
    version = re.search(r"version (\d+)\.(\d+)\.(\d+)\S*?[,)\s]", answer)
    if version is None:
        raise LeanInstallError(f"{lean} says {answer.strip()[:200]!r} when asked for its version; is it Lean 4?")
    if (int(version[1]), int(version[2])) < OLDEST:
        raise LeanInstallError(
            f"{lean} is Lean {version[1]}.{version[2]}; lean_agent's own code needs {OLDEST[0]}.{OLDEST[1]} or newer. "
            "Choose another toolchain with --lean PATH, or --lean embedded."
        )
    number = re.search(r"version ([^,)\s]+)", answer)
    prefix = ask(lean, "--print-prefix", folder=folder).strip()
    behind = Path(prefix, "bin", "lean")
    if given is None and is_program(behind):
        lean = behind
    lake = lean.with_name("lake")
    return NativeLean(
        lean=lean,
        lake=lake if lake.exists() else None,
        version=number[1] if number else "?",
        prefix=prefix,
        is_embedded=_WEBASSEMBLY in answer,
    )


def wanted_toolchain(folder: Path) -> str:
    """Return what the nearest ``lean-toolchain`` of a folder, there or above, says; empty where there is none."""
    for place in (folder.absolute(), *folder.absolute().parents):
        if (place / _TOOLCHAIN_FILE).is_file():
            return (place / _TOOLCHAIN_FILE).read_text("utf-8", "replace").strip()
    return ""


def _refuse_strange(folder: Path) -> None:
    """Refuse a toolchain that elan would fetch from others than Lean's own makers: it runs before any walls stand."""
    wanted = wanted_toolchain(folder)
    publisher = re.match(r"([^/:\s]+)/", wanted)
    if publisher and publisher[1] not in _PUBLISHERS and not is_trusted():
        raise LeanInstallError(
            f"{folder} asks for the toolchain {wanted}, which {', '.join(_PUBLISHERS)} have not made; with "
            "--trust-repository it is fetched and run all the same"
        )


def _lean_binary(given: Path | None) -> Path:
    if given is not None:
        for candidate in (given, given / "bin" / "lean", given / "lean"):
            if is_program(candidate):
                return candidate.absolute()
        raise LeanInstallError(f"there is no program `lean` at {given}; name it, or the folder of its toolchain")
    program = named_on_path("lean")
    if program is None:
        raise LeanInstallError(
            "no native Lean was found, neither on PATH nor under ~/.elan: install elan (github.com/leanprover/elan), "
            "which brings Lean and Lake, name a toolchain with --lean PATH, or use the embedded Lean "
            "(--lean embedded), which needs nothing."
        )
    return program


def is_program(path: Path) -> bool:
    """Check whether it is a file that may be run."""
    return path.is_file() and os.access(path, os.X_OK)


def named_on_path(name: str) -> Path | None:
    """Return a program of a toolchain, on ``PATH`` or under ``~/.elan``."""
    elan = Path.home() / ".elan" / "bin" / name
    program = shutil.which(name) or (elan if elan.is_file() else None)
    return Path(program).absolute() if program else None


def ask(
    program: Path,
    *arguments: str,
    folder: Path | None = None,
    command: Command = as_it_is,
    timeout_s: float = _ASK_S,
) -> str:
    """Return what a program of a toolchain prints.

    Args:
        folder: where it is called; by default the current folder.
        command: makes of a command and its folder what is run instead.

    Raises:
        LeanInstallError: it does not run, or fails.
    """
    try:
        argv = command([str(program), *arguments], folder or Path.cwd())
        done = run_watched(argv, timeout_s=timeout_s, folder=folder)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise LeanInstallError(f"{program} does not run: {e}") from e
    if done.returncode != 0:
        raise LeanInstallError(
            f"`{program} {' '.join(arguments)}` failed: {done.stderr.strip()[-400:] or 'no message'}"
        )
    return done.stdout


def install_native(toolchain: NativeLean, *, confined: bool = False, shown: Iterable[Path] = ()) -> NativeInstallation:
    """Compile our Lean code with a toolchain, unless that was done before.

    Args:
        confined: whether its processes are to run within walls.
        shown: folders with compiled modules that these may read.

    Raises:
        LeanInstallError: it does not compile there, or the disk is full.
    """
    sources = _in_order(is_embedded=toolchain.is_embedded)
    texts = [path.read_text("utf-8") for path in sources]
    key = digest(toolchain.version.encode(), toolchain.prefix.encode(), *(text.encode() for text in texts))
    target = lean_root() / f"native-{toolchain.version}-{key}"
    if not (target / "Main.lean").exists():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with locked(target.parent / "native.lock", _COMPILING):
                if not (target / "Main.lean").exists():
                    with prepared(target, scratch_prefix=".native-") as scratch:
                        _compile(toolchain, sources, texts, scratch)
        except OSError as e:
            raise LeanInstallError(f"lean_agent's Lean code could not be kept in {target}: {e.strerror or e}") from e
    return NativeInstallation(toolchain, target, confined, frozenset(shown))


def _in_order(*, is_embedded: bool) -> list[Path]:
    """Return our files that the server needs, imports first, ``Main.lean`` last."""
    order: list[Path] = []

    def visit(path: Path) -> None:
        for name in re.findall(r"^import LeanAgent\.(\w+)", path.read_text("utf-8"), re.M):
            own = _MAIN.with_name(f"{name}.lean")
            visit(own if own.is_file() and not is_embedded else _SOURCES / own.name)
        if path not in order:
            order.append(path)

    visit(_MAIN)
    return order


def is_up_to_date(build: Path) -> bool:
    """Check whether a build is of the code that this version has, for whatever toolchain."""
    return any(
        all(
            kept.is_file() and kept.read_text("utf-8") == source.read_text("utf-8")
            for source in _in_order(is_embedded=is_embedded)
            for kept in [_place_in(build, source)]
        )
        for is_embedded in (False, True)
    )


def _place_in(build: Path, source: Path) -> Path:
    return build / source.name if source == _MAIN else build / "LeanAgent" / source.name


def _compile(toolchain: NativeLean, sources: Sequence[Path], texts: Sequence[str], scratch: Path) -> None:
    """Compile every file but the last, which is run as it is."""
    (scratch / "LeanAgent").mkdir()
    for source, text in zip(sources, texts, strict=True):
        path = _place_in(scratch, source)
        path.write_text(text, "utf-8")
        if source == _MAIN:
            return
        command = [
            str(toolchain.lean),
            "-R",
            str(scratch),
            "-o",
            str(path.with_suffix(".olean")),
            *_WRITTEN_FOR,
            str(path),
        ]
        try:
            done = run_watched(command, timeout_s=_COMPILE_S, environment={**os.environ, "LEAN_PATH": str(scratch)})
        except subprocess.TimeoutExpired:
            raise LeanInstallError(f"{source.name} took over {_COMPILE_S} s to compile; try again") from None
        if done.returncode != 0 or not path.with_suffix(".olean").exists():
            raise LeanInstallError(
                f"lean_agent's {source.name} does not compile with Lean {toolchain.version}, which it may not know "
                f"yet; --lean embedded works in any case. Lean says: {(done.stdout + done.stderr).strip()[-1500:]}"
            )
