"""Which Lean a pool runs on: the embedded one, or a native toolchain.

Owns what differs between the two: how a process is started, what it is told of a project's folders, how a compiled
module gets to its place. What is asked and answered is the same.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from typing_extensions import override

from lean_agent.files import write_atomically
from lean_agent.lean.embedded.install import LEAN_VERSION, Installation, install
from lean_agent.lean.native.toolchain import NativeLean, find_toolchain, install_native, library_path
from lean_agent.lean.process.process import Startable
from lean_agent.lean.types import LeanProject

logger = logging.getLogger(__name__)

Json = dict[str, Any]
LEAN_VARIABLE = "LEAN_AGENT_LEAN"


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

    def module_file(self, project: LeanProject, compiled: Path) -> str:
        """Return where Lean writes a compiled module (``compiled``: relative to the build folder)."""
        ...

    def keep(self, project: LeanProject, compiled: Path, answer: Json) -> None:
        """Put the module that came with an answer in its place."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddedRuntime(Runtime):
    """Lean in WebAssembly. It sees a project's build folder, to be read, and writes nothing."""

    where: Installation | None = None
    name: str = "the embedded Lean"
    version: str = LEAN_VERSION
    confines: bool = True

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
    def module_file(self, project: LeanProject, compiled: Path) -> str:
        return f"/out/{compiled.as_posix()}"

    @override
    def keep(self, project: LeanProject, compiled: Path, answer: Json) -> None:
        if "compiled" in answer:
            write_atomically(project.build / compiled, base64.b64decode(answer["compiled"]))


@dataclass(frozen=True, slots=True)
class NativeRuntime(Runtime):
    """A toolchain of this machine. Nothing is confined: what it elaborates runs with the user's own rights."""

    lean: NativeLean
    confines: bool = False

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
        return install_native(self.lean)

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
        return tuple(map(Path, library_path(self.lean, project.folder)))

    @override
    def module_file(self, project: LeanProject, compiled: Path) -> str:
        return str(self._scratch(project, compiled))

    @override
    def keep(self, project: LeanProject, compiled: Path, answer: Json) -> None:
        scratch = self._scratch(project, compiled)
        if scratch.exists():
            scratch.replace(self.folder(project.build) / compiled)

    def _scratch(self, project: LeanProject, compiled: Path) -> Path:
        return self.folder(project.build) / compiled.with_name(f".{compiled.name}.{os.getpid()}")


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
    toolchain = find_toolchain(None if wanted == "native" else Path(wanted))
    logger.warning(
        "Lean %s at %s: programs in the files that it elaborates run with your own rights; nothing confines them.",
        toolchain.version,
        toolchain.lean,
    )
    return NativeRuntime(toolchain)
