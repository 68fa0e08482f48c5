"""The folder that a confined Lean process may read: links to what its present job needs, and nothing else."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path


class SandboxFolder:
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
