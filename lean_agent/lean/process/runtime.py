"""Which Lean a pool runs on: the embedded one, or a native toolchain.

Owns what differs between the two: how a process is started, what it is told of a project's folders, how a compiled
module gets to its place. What is asked and answered is the same.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import logging
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from typing_extensions import override

from lean_agent.files import write_atomically
from lean_agent.lean.embedded.install import LEAN_VERSION, Installation, install
from lean_agent.lean.native.lake import library_path
from lean_agent.lean.native.toolchain import NativeLean, as_it_is, find_toolchain, install_native
from lean_agent.lean.native.walls import READABLE_VARIABLE, confinement, walled
from lean_agent.lean.process.process import Startable
from lean_agent.lean.types import LeanProject

logger = logging.getLogger(__name__)

Json = dict[str, Any]
LEAN_VARIABLE = "LEAN_AGENT_LEAN"
_MEMORY = "Is memory short?"


class Runtime(Protocol):
    """A Lean to run on."""

    @property
    def name(self) -> str:
        """For messages."""
        ...

    @property
    def version(self) -> str:
        """Which Lean runs, such as ``4.28.0``."""
        ...

    @property
    def confines(self) -> bool:
        """Whether programs in the files that it elaborates are kept from the rest of the machine."""
        ...

    @property
    def maps_modules(self) -> bool:
        """Whether processes map compiled modules, and so share their pages."""
        ...

    @property
    def suspicion(self) -> str:
        """What to look at first when none of its processes comes up."""
        ...

    def installed(self) -> Startable:
        """Return what to start a process from; installs what is missing, each time, since caches may be cleared."""
        ...

    def folder(self, build: Path) -> Path:
        """Return where compiled modules are kept, for a project's build folder; those of one Lean are of no use to
        another."""
        ...

    def place(self, project: LeanProject) -> Json:
        """Return the fields of a request that say where the project's modules are."""
        ...

    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        """Return where the modules of packages are that this Lean finds by itself."""
        ...

    def shows(self, project: LeanProject) -> frozenset[Path]:
        """Return the folders that a process has to be shown at its start for this project; processes that start later
        are."""
        ...

    def module_file(self, project: LeanProject, compiled: Path, sandbox: Path) -> str:
        """Return where Lean writes a compiled module (``compiled``: relative to the build folder; ``sandbox``: the
        process's own folder)."""
        ...

    def keep(self, project: LeanProject, compiled: Path, answer: Json, sandbox: Path) -> None:
        """Put the module that came with an answer, or lies in the sandbox, in its place."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddedRuntime(Runtime):
    """Lean in WebAssembly. It sees a project's build folder, to be read, and writes nothing."""

    where: Installation | None = None
    name: str = "the embedded Lean"
    version: str = LEAN_VERSION
    confines: bool = True
    maps_modules: bool = False
    suspicion: str = _MEMORY

    @override
    def installed(self) -> Startable:
        return self.where or install()

    @override
    def folder(self, build: Path) -> Path:
        return build

    @override
    def place(self, project: LeanProject) -> Json:
        project.build.mkdir(parents=True, exist_ok=True)
        mounts = [
            ["/build-" + hashlib.sha256(str(build).encode()).hexdigest()[:16], str(build.absolute())]
            for build in (project.build, *project.libraries)
        ]
        return {"path": [inside for inside, _ in mounts], "mounts": mounts}

    @override
    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        return ()

    @override
    def shows(self, project: LeanProject) -> frozenset[Path]:
        return frozenset()

    @override
    def module_file(self, project: LeanProject, compiled: Path, sandbox: Path) -> str:
        return f"/out/{compiled.as_posix()}"

    @override
    def keep(self, project: LeanProject, compiled: Path, answer: Json, sandbox: Path) -> None:
        if "compiled" in answer:
            write_atomically(project.build / compiled, base64.b64decode(answer["compiled"]))


_MODULE = "module.olean"  # in a process's own folder; it works on one request at a time


@dataclass(frozen=True, slots=True)
class NativeRuntime(Runtime):
    """A toolchain of this machine.

    Attributes:
        walled: whether walls (:mod:`lean_agent.lean.native.walls`) keep its processes from files, network and processes
            of the machine. A program in a file can still tamper with the process that elaborates it, hence with its
            verdicts: that is what ``confines`` is about.
        shown: folders that processes which start now may read.
    """

    lean: NativeLean
    walled: bool = False
    shown: set[Path] = field(default_factory=set, compare=False)
    confines: bool = False
    maps_modules: bool = True

    @property
    @override
    def suspicion(self) -> str:
        if not self.walled:
            return _MEMORY
        return f"{_MEMORY} Or does it need files outside of what it may read? {READABLE_VARIABLE} names more folders."

    @property
    @override
    def name(self) -> str:
        return f"Lean {self.lean.version} ({self.lean.lean})"

    @property
    @override
    def version(self) -> str:
        return self.lean.version

    @override
    def installed(self) -> Startable:
        return install_native(self.lean, confined=self.walled, shown=self.shown)

    @override
    def folder(self, build: Path) -> Path:
        return build.with_name(f"{build.name}-native-{self.lean.version}").absolute()

    @override
    def place(self, project: LeanProject) -> Json:
        folders = [self.folder(build) for build in (project.build, *project.libraries)]
        folders[0].mkdir(parents=True, exist_ok=True)
        return {"path": [*map(str, folders), *map(str, self.package_folders(project))]}

    @override
    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        command = self._within_walls if self.walled else as_it_is
        return tuple(map(Path, library_path(self.lean.lake, project.folder, command)))

    def _within_walls(self, argv: Sequence[str], folder: Path) -> Sequence[str]:
        """Return Lake's command within walls: a ``lakefile.lean`` is a program."""
        variables = {"LEAN_PATH": os.environ.get("LEAN_PATH", "")}
        readable = [*self.lean.folders, folder.absolute()]
        return walled(argv, readable=readable, scratch=None, environment=variables, working=folder.absolute())

    @override
    def shows(self, project: LeanProject) -> frozenset[Path]:
        needed = frozenset(Path(folder).absolute() for folder in self.place(project)["path"])
        self.shown.update(needed)
        return needed

    @override
    def module_file(self, project: LeanProject, compiled: Path, sandbox: Path) -> str:
        return str(sandbox / _MODULE)

    @override
    def keep(self, project: LeanProject, compiled: Path, answer: Json, sandbox: Path) -> None:
        if (module := _own_file(sandbox / _MODULE)) is not None:
            write_atomically(self.folder(project.build) / compiled, module)
            (sandbox / _MODULE).unlink()


def _own_file(path: Path) -> bytes | None:
    """Return what a process wrote; ``None`` for nothing. What it put there may be a link to a file that it must not
    read, or a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        return file.read()


def choose_runtime(lean: str | None = None) -> Runtime:
    """Return the Lean that the user wants.

    Args:
        lean: ``embedded``; ``native`` for the toolchain that is found; or the path of a ``lean``, or of a toolchain's
            folder. ``None`` takes the environment variable ``LEAN_AGENT_LEAN``, and without it the embedded one.

    Raises:
        LeanInstallError: no such toolchain, or one that does not run.
    """
    wanted = lean or os.environ.get(LEAN_VARIABLE) or "embedded"
    if wanted == "embedded":
        return EmbeddedRuntime()
    return native_runtime(find_toolchain(None if wanted == "native" else Path(wanted)))


def native_runtime(toolchain: NativeLean) -> NativeRuntime:
    """Return a toolchain within walls, where the user wants them and the machine has them; say so where not."""
    walls = confinement()
    if walls.lacks:
        rights = "" if walls.name else "they run with your own rights; "
        logger.warning(
            "Lean %s at %s, and programs in the files that it elaborates: %s%s.",
            toolchain.version,
            toolchain.lean,
            rights,
            walls.of("them"),
        )
    return NativeRuntime(toolchain, walled=bool(walls.name))
