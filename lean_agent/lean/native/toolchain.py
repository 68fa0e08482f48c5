"""Find a native Lean, compile our Lean code with it once, and say how a process of it is started.

The same files as embedded: ``LeanAgent/*.lean``, each compiled by ``lean -o`` into ``native-<version>-<sources>`` under
``cache_dir()/lean``, and ``Main.lean`` run by ``lean --run``. What differs from one Lean to the next stands in
:data:`DIFFERENCES` and nowhere else.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from lean_agent.errors import LeanInstallError, LeanRequestError
from lean_agent.lean.embedded.install import digest, lean_root, prepared
from lean_agent.lean.process.channel import run_watched
from lean_agent.lean.process.process import ServeCommand

_SOURCES = Path(__file__).parent.parent / "LeanAgent"
_MAIN = Path(__file__).with_name("Main.lean")
_ASK_S = 120  # elan may have to look a toolchain up
_COMPILE_S = 1800
_MEMORY_MB = 8192  # resident, pages of mapped modules included (some 3 GB of Mathlib's); Lean itself looks at it
_LAKEFILES = ("lakefile.lean", "lakefile.toml")

OLDEST = (4, 28)
DIFFERENCES: tuple[tuple[tuple[int, int], str, str], ...] = ()
"""(from this version on, what our code says, what it has to say there). Empty: it says what 4.28 wants."""


@dataclass(frozen=True, slots=True)
class NativeLean:
    """A toolchain: its ``lean``, its ``lake`` where it has one, its version (``4.28.0``), its installation's folder."""

    lean: Path
    lake: Path | None
    version: str
    prefix: str


@dataclass(frozen=True, slots=True)
class NativeInstallation:
    """Our code compiled by a toolchain, ready to be started."""

    toolchain: NativeLean
    folder: Path

    @property
    def name(self) -> str:
        """For messages."""
        return f"Lean {self.toolchain.version} ({self.toolchain.lean})"

    def serve_command(self, sandbox: Path) -> ServeCommand:
        """Return how the server is started. A native Lean has no use for a sandbox."""
        inherited = [folder for folder in os.environ.get("LEAN_PATH", "").split(os.pathsep) if folder]
        return ServeCommand(
            (str(self.toolchain.lean), "-M", str(_MEMORY_MB), "--run", str(self.folder / "Main.lean")),
            {**os.environ, "LEAN_PATH": os.pathsep.join([str(self.folder), *inherited])},
        )


def find_toolchain(given: Path | None = None, *, folder: Path | None = None) -> NativeLean:
    """Return the toolchain at ``given`` (its ``lean``, or its folder), or else the one on ``PATH`` or under
    ``~/.elan``.

    Args:
        folder: where elan looks for a ``lean-toolchain``; by default the current folder.

    Raises:
        LeanInstallError: there is none, or it does not run, or it is too old.
    """
    lean = _lean_binary(given)
    answer = _ask(lean, "--version", folder=folder)
    version = re.search(r"version (\d+)\.(\d+)\.(\d+)\S*?[,)\s]", answer)
    if version is None:
        raise LeanInstallError(f"{lean} says {answer.strip()[:200]!r} when asked for its version; is it Lean 4?")
    if (int(version[1]), int(version[2])) < OLDEST:
        raise LeanInstallError(
            f"{lean} is Lean {version[1]}.{version[2]}; lean_agent's own code needs {OLDEST[0]}.{OLDEST[1]} or newer. "
            "Choose another toolchain with --lean PATH, or --lean embedded."
        )
    lake = lean.with_name("lake")
    number = re.search(r"version ([^,)\s]+)", answer)
    return NativeLean(
        lean=lean,
        lake=lake if lake.exists() else None,
        version=number[1] if number else "?",
        prefix=_ask(lean, "--print-prefix", folder=folder).strip(),
    )


def _lean_binary(given: Path | None) -> Path:
    if given is not None:
        for candidate in (given, given / "bin" / "lean", given / "lean"):
            if is_program(candidate):
                return candidate.absolute()
        raise LeanInstallError(f"there is no program `lean` at {given}; name it, or the folder of its toolchain")
    program = _found("lean")
    if program is None:
        raise LeanInstallError(
            "no native Lean was found, neither on PATH nor under ~/.elan: install elan, give --lean PATH, or use the "
            "embedded Lean (--lean embedded), which needs nothing."
        )
    return program


def is_program(path: Path) -> bool:
    """Check whether it is a file that may be run."""
    return path.is_file() and os.access(path, os.X_OK)


def _found(name: str) -> Path | None:
    """Return a program of a toolchain, on ``PATH`` or under ``~/.elan``."""
    elan = Path.home() / ".elan" / "bin" / name
    program = shutil.which(name) or (elan if elan.is_file() else None)
    return Path(program).absolute() if program else None


def _ask(program: Path, *arguments: str, folder: Path | None = None) -> str:
    try:
        done = run_watched([str(program), *arguments], timeout_s=_ASK_S, folder=folder)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise LeanInstallError(f"{program} does not run: {e}") from e
    if done.returncode != 0:
        raise LeanInstallError(
            f"`{program} {' '.join(arguments)}` failed: {done.stderr.strip()[-400:] or 'no message'}"
        )
    return done.stdout


def install_native(toolchain: NativeLean) -> NativeInstallation:
    """Compile our Lean code with a toolchain, unless that was done before.

    Raises:
        LeanInstallError: it does not compile there, or the disk is full.
    """
    sources = _in_order()
    texts = [_adapted(path.read_text("utf-8"), toolchain.version) for path in sources]
    key = digest(toolchain.version.encode(), toolchain.prefix.encode(), *(text.encode() for text in texts))
    target = lean_root() / f"native-{toolchain.version}-{key}"
    if not (target / "Main.lean").exists():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(target.parent / "native.lock"):
                if not (target / "Main.lean").exists():
                    with prepared(target, scratch_prefix=".native-") as scratch:
                        _compile(toolchain, sources, texts, scratch)
        except OSError as e:
            raise LeanInstallError(f"lean_agent's Lean code could not be kept in {target}: {e.strerror or e}") from e
    return NativeInstallation(toolchain, target)


def _in_order() -> list[Path]:
    """Our files that the server needs, imports first, ``Main.lean`` last."""
    order: list[Path] = []

    def visit(path: Path) -> None:
        for name in re.findall(r"^import LeanAgent\.(\w+)", path.read_text("utf-8"), re.M):
            visit(_SOURCES / f"{name}.lean")
        if path not in order:
            order.append(path)

    visit(_MAIN)
    return order


def is_up_to_date(build: Path) -> bool:
    """Check whether a build is of the code that this version has, for whatever toolchain."""
    version = build.name.split("-")[1]
    return all(
        kept.is_file() and kept.read_text("utf-8") == _adapted(source.read_text("utf-8"), version)
        for source in _in_order()
        for kept in [_place_in(build, source)]
    )


def _place_in(build: Path, source: Path) -> Path:
    return build / source.name if source == _MAIN else build / "LeanAgent" / source.name


def _adapted(text: str, version: str) -> str:
    major, minor = (int(part) for part in re.findall(r"\d+", version)[:2])
    for since, ours, theirs in DIFFERENCES:
        if (major, minor) >= since:
            text = text.replace(ours, theirs)
    return text


def _compile(toolchain: NativeLean, sources: Sequence[Path], texts: Sequence[str], scratch: Path) -> None:
    """Compile every file but the last, which is run as it is."""
    (scratch / "LeanAgent").mkdir()
    for source, text in zip(sources, texts, strict=True):
        path = _place_in(scratch, source)
        path.write_text(text, "utf-8")
        if source == _MAIN:
            return
        command = [str(toolchain.lean), "-R", str(scratch), "-o", str(path.with_suffix(".olean")), str(path)]
        try:
            done = run_watched(command, timeout_s=_COMPILE_S, environment={**os.environ, "LEAN_PATH": str(scratch)})
        except subprocess.TimeoutExpired:
            raise LeanInstallError(f"{source.name} took over {_COMPILE_S} s to compile; try again") from None
        if done.returncode != 0 or not path.with_suffix(".olean").exists():
            raise LeanInstallError(
                f"lean_agent's {source.name} does not compile with Lean {toolchain.version}, which it may not know "
                f"yet; --lean embedded works in any case. Lean says: {(done.stdout + done.stderr).strip()[-1500:]}"
            )


@functools.lru_cache(maxsize=64)
def library_path(toolchain: NativeLean, root: Path) -> tuple[str, ...]:
    """Return where the modules of a project's packages are, as its own Lake has it; empty for a folder without a
    lakefile.

    Raises:
        LeanRequestError: Lake cannot tell.
    """
    return _told_by_lake(toolchain.lake, root)


def found_library_path(root: Path) -> tuple[str, ...]:
    """Return the same, as the Lake that is found has it; empty where there is none.

    Raises:
        LeanRequestError: Lake cannot tell.
    """
    return _told_by_lake(_found("lake"), root)


def _told_by_lake(lake: Path | None, root: Path) -> tuple[str, ...]:
    if lake is None or not any((root / name).is_file() for name in _LAKEFILES):
        return ()
    try:
        answer = _ask(lake, "env", "printenv", "LEAN_PATH", folder=root)
    except LeanInstallError as e:
        raise LeanRequestError(
            f"Lake does not know where the packages of {root} are; run `lake build` there. {e}"
        ) from e
    return tuple(folder for folder in answer.strip().split(os.pathsep) if folder)
