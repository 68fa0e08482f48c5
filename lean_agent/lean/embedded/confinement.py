"""The outer wall around embedded Lean: what its Node process may touch at all.

Lean elaborates files and runs tactics that someone else wrote, and these are programs. The inner wall is the file
system of the WebAssembly module (``confined_fs.cjs``). This is the outer one, should the inner one have a hole: Node's
permission model, under which the process writes no file, starts no process and reads nothing but its own parts and one
folder of ours, the porch; and ``no_network.cjs``, which leaves no way to a network. What a job needs is let in by a
link on the porch, for as long as the job lasts: Node follows links out of what may be read, and a process that may
write nothing makes none.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lean_agent.lean.embedded.install import Installation

_NO_NETWORK = Path(__file__).resolve().with_name("no_network.cjs")
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


def node_command(where: Installation, mode: str, *arguments: Path, writable: Sequence[Path] = ()) -> list[str]:
    """The command line of the host script. It may read its own parts and the folders among ``arguments``.

    Args:
        mode: ``serve``, ``build``, ``image`` or ``run``, see ``host.cjs``.
        arguments: what the host script gets; each may be read.
        writable: what may be written besides.
    """
    readable = (where.host.parent, _NO_NETWORK, where.lean, *arguments)
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


class Porch:
    """A folder that a Lean process may read, with links to what its present job needs and to nothing else."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="lean-agent-")).resolve()
        self._removal = weakref.finalize(self, _remove, self.path, os.getpid())

    def show(self, mounts: Sequence[Sequence[str]]) -> list[list[str]]:
        """Have links to exactly these folders.

        Args:
            mounts: pairs (path inside Lean, folder of this machine).

        Returns:
            The same pairs with the link in the place of the folder.

        Raises:
            OSError: the disk is full.
        """
        wanted = {Path(inside).name: outside for inside, outside in mounts}
        self.path.mkdir(mode=0o700, exist_ok=True)  # who tidies temporary folders may have taken it
        for link in self.path.iterdir():
            if wanted.get(link.name) != os.readlink(link):
                link.unlink()
        for name, outside in wanted.items():
            if not (self.path / name).is_symlink():
                (self.path / name).symlink_to(outside, target_is_directory=True)
        return [[inside, str(self.path / Path(inside).name)] for inside, _ in mounts]

    def remove(self) -> None:
        """Remove the folder. Idempotent."""
        self._removal()


def _remove(folder: Path, owner: int) -> None:
    """Remove the folder of a process that ends; a forked child ends as well, and leaves it to its parent."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
