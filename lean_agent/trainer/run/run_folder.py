"""What a training run keeps on disk, so that a kill at any moment loses at most minutes.

    output_dir/
      config.json, model.safetensors, tokenizer.json, …   the newest model, loadable as it stands (or a LoRA adapter)
      progress.json                                       settings, and the repositories that are done
      metrics.jsonl                                       one line for each logging step
      checkpoints/001-<name>-<commit>/                    the model after each repository (the newest few)
      in_progress/<name>-<commit>-<data>/checkpoint-<n>/  trl's own checkpoints within the repository in work

Owns these files and the order in which they are written: a checkpoint gets its name only when it is whole,
progress.json names only checkpoints that are there, and the top level follows. Knows nothing of how a model is trained.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lean_agent.database.records import RepositoryKey
from lean_agent.errors import ConfigError, TrainingError
from lean_agent.files import writing_to
from lean_agent.policy.loading import install_files
from lean_agent.tracing.project.repository import shared_address

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FinishedRepository:
    """A repository that has been trained on.

    Attributes:
        checkpoint: the model after it, relative to the run's folder; older ones are no longer there.
        rows: training rows of the merged data.
        steps: optimizer steps.
        seconds: wall time of this part of the training, without what an interrupted attempt took before it.
    """

    url: str
    commit: str
    checkpoint: str
    rows: int
    steps: int
    seconds: float


class TrainingFolder:
    """The folder of one training run.

    Args:
        path: the folder; made when the first thing is written.
        settings: everything that decides what comes out, as JSON values.
        keep_checkpoints: how many of the checkpoints after a repository stay.

    Raises:
        ConfigError: the folder holds a run with other settings, which would be continued as if they were these.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any], *, keep_checkpoints: int = 2) -> None:
        self.path = Path(path).expanduser().absolute()
        self._settings = json.loads(json.dumps(settings))
        self._keep = keep_checkpoints
        self.finished = self._read_progress()

    @property
    def metrics_file(self) -> Path:
        """JSON lines: ``repository``, ``commit``, ``step``, ``time`` (seconds since 1970), what the trainer logged."""
        return self.path / "metrics.jsonl"

    def claim(self) -> None:
        """Note the settings before anything is trained, so that a run with others is refused at once."""
        self._write_progress(self.finished)

    def is_finished(self, repository: RepositoryKey) -> bool:
        """Return whether this repository, at this commit, has been trained on."""
        wanted = shared_address(repository.url), repository.commit  # once it was the path of a folder
        return any((shared_address(done.url), done.commit) == wanted for done in self.finished)

    def last_checkpoint(self) -> Path | None:
        """Return the model after the last repository that is done."""
        if not self.finished:
            return None
        checkpoint = self.path / self.finished[-1].checkpoint
        if not checkpoint.is_dir():
            raise TrainingError(
                f"{self.path / 'progress.json'} names the checkpoint {checkpoint}, which is gone. Restore it, or give "
                "another output_dir to train from the start."
            )
        return checkpoint

    def work_folder(self, repository: RepositoryKey, data: str) -> Path:
        """Make the folder of trl's own checkpoints for this repository with this data; drop those of other data."""
        parent = self.path / "in_progress"
        folder = parent / f"{_slug(repository)}-{data}"
        if parent.is_dir():
            for stale in parent.iterdir():
                if stale != folder:
                    shutil.rmtree(stale)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def finish(
        self, repository: RepositoryKey, save: Callable[[Path], None], *, rows: int, steps: int, seconds: float
    ) -> Path:
        """Keep the model after a repository: ``save`` writes it to a folder that takes its name when it is whole."""
        name = f"{len(self.finished) + 1:03d}-{_slug(repository)}"
        checkpoint = self.path / "checkpoints" / name
        write_folder(checkpoint, save)
        where = f"checkpoints/{name}"
        done = FinishedRepository(repository.url, repository.commit, where, rows, steps, round(seconds, 3))
        self._write_progress((*self.finished, done))
        self.publish()
        self._prune()
        return checkpoint

    def refresh(self) -> None:
        """Read again what is done: another process may have written it."""
        self.finished = self._read_progress()

    def publish(self) -> None:
        """Put the newest checkpoint at the top level, as links where the file system has them. Safe to repeat."""
        checkpoint = self.last_checkpoint()
        if checkpoint is None:
            return
        with tempfile.TemporaryDirectory(dir=self.path, prefix=".publish-") as temporary:
            for file in checkpoint.iterdir():
                _link_or_copy(file, Path(temporary) / file.name)
            install_files(Path(temporary), self.path)

    def _read_progress(self) -> tuple[FinishedRepository, ...]:
        path = self.path / "progress.json"
        if not path.is_file():
            return ()
        try:
            progress = json.loads(path.read_text(encoding="utf-8"))
            finished = tuple(FinishedRepository(**entry) for entry in progress["repositories"])
            before: dict[str, Any] = progress["settings"]
        except (ValueError, KeyError, TypeError) as error:
            raise TrainingError(
                f"{path} cannot be read ({error}), so it is not known what was trained. Give another output_dir."
            ) from error
        sides = (before, self._settings)
        changed = [name for name in sorted({*before, *self._settings}) if before.get(name) != self._settings.get(name)]
        if changed:
            was, now = (", ".join(f"{name}={side.get(name)!r}" for name in changed) for side in sides)
            raise ConfigError(
                f"{self.path} holds a training run with {was}, and this one has {now}. Give another output_dir, or "
                "the settings of that run to go on with it."
            )
        return finished

    def _write_progress(self, finished: tuple[FinishedRepository, ...]) -> None:
        text = json.dumps({"settings": self._settings, "repositories": [asdict(entry) for entry in finished]}, indent=2)
        self.path.mkdir(parents=True, exist_ok=True)
        temporary = self.path / ".progress.json"
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self.path / "progress.json")
        self.finished = finished

    def _prune(self) -> None:
        """Drop what is needed no more: old checkpoints, and trl's own within the repository that is done."""
        for old in self.finished[: -self._keep]:
            shutil.rmtree(self.path / old.checkpoint, ignore_errors=True)
        shutil.rmtree(self.path / "in_progress", ignore_errors=True)


def resume_point(work_folder: Path) -> Path | None:
    """Return trl's newest checkpoint in ``work_folder`` that is whole."""
    return next((folder for folder in reversed(_checkpoints(work_folder)) if _is_whole(folder)), None)


def drop_unfinished(work_folder: Path) -> None:
    """Remove checkpoints that were not written to their end: they take room, and to trl, which keeps the newest, they
    count as much as whole ones."""
    for folder in _checkpoints(work_folder):
        if not _is_whole(folder):
            logger.warning("%s was not written to its end and is removed.", folder)
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def saved_in(work_folder: Path, *, first: bool = True) -> Iterator[None]:
    """Have trl keep its checkpoints in a folder, of which none is left that was begun and not ended.

    Args:
        first: whether this process is the one that writes.

    Raises:
        TrainingError: the disk takes no more.
    """
    if first and work_folder.is_dir():
        drop_unfinished(work_folder)
    try:
        with writing_to(work_folder, TrainingError):
            yield
    except TrainingError:
        if first and work_folder.is_dir():
            drop_unfinished(work_folder)
        raise


def _checkpoints(work_folder: Path) -> list[Path]:
    """Return trl's checkpoints, the oldest first."""
    folders = [folder for folder in work_folder.iterdir() if re.fullmatch(r"checkpoint-\d+", folder.name)]
    return sorted(folders, key=lambda folder: int(folder.name.partition("-")[2]))


def _is_whole(checkpoint: Path) -> bool:
    """Return whether the trainer's state, which is written last, is there."""
    try:
        json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


def _slug(repository: RepositoryKey) -> str:
    """Make a file name for a repository: the end of its address, and eight digits of its commit."""
    last = re.split(r"[/:]", repository.url.rstrip("/"))[-1]
    name = re.sub(r"[^\w.-]+", "-", last.removesuffix(".git"))
    return f"{name.strip('-.') or 'repository'}-{repository.commit[:8]}"


def write_folder(target: Path, save: Callable[[Path], None]) -> None:
    """Let ``save`` fill a folder beside ``target``, then give it that name in one step."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
    try:
        save(temporary)
        temporary.chmod(0o755)  # mkdtemp's folders are the user's alone
        if target.exists():  # left by a run that was killed before it could note it
            shutil.rmtree(target)
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def _link_or_copy(source: Path, target: Path) -> None:
    """Make a hard link, so that a checkpoint does not take its room twice; a copy where links are not to be had."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
