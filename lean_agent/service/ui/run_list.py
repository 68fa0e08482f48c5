"""Runs on disk as a list: which folders are runs, of what kind, and how far they have come.

Only looks, and only at the names and small files at the top of each folder, so that hundreds of runs cost milliseconds.
A folder that was cut short anywhere is still a run: what cannot be read of it is left out.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Literal

from lean_agent.agent.run_folder import FINISHED, LATEST
from lean_agent.evaluation.results import ATTEMPTS, PROOFS
from lean_agent.folder_lock import Holder, holder
from lean_agent.service.failures import refusal

RunState = Literal["running", "finished", "stopped"]

_SIGNS: dict[str, tuple[str, ...]] = {
    "demo": ("checkpoints/untrained",),
    "improvement": ("practice.json", "practice/practice.json"),
    "training": ("metrics.jsonl", "progress.json", "checkpoints/sft", "checkpoints/grpo"),
    "evaluation": (ATTEMPTS,),
    "search": ("trees", PROOFS),
}
_ANY = ("config.yaml", "progress.json", "metrics.jsonl", ATTEMPTS, PROOFS, "practice.json")
_STAGE = re.compile(r"(?:Stage): (.+)$", re.MULTILINE)
_TAIL_BYTES = 20_000


@dataclass(frozen=True)
class Run:
    """A run folder.

    Attributes:
        name: of the folder, below the folder of runs.
        kinds: what it is, by what stands in it.
        stages: the finished ones with their facts, in their order.
        stage: the one that is under way, as its log has it; empty where that is not known.
        changed: when something at its top changed last.
    """

    name: str
    path: Path
    kinds: tuple[str, ...]
    state: RunState
    stages: dict[str, dict[str, Any]]
    stage: str
    changed: datetime
    holder: Holder | None


def list_runs(folder: Path) -> list[Run]:
    """Return the runs of a folder, the one that changed last first; none where there is no folder."""
    try:
        places = [place for place in folder.iterdir() if place.name != LATEST and _is_run(place)]
    except OSError:
        return []
    return sorted(map(read_run, places), key=lambda run: run.changed, reverse=True)


def find_run(folder: Path, name: str) -> Run:
    """Return a run by its name.

    Raises:
        HTTPException: there is none of that name.
    """
    place = folder / name
    if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name or not _is_run(place):
        raise refusal(HTTPStatus.NOT_FOUND, f"There is no run {name[:200]!r} in the folder of runs.")
    return read_run(place)


def read_run(path: Path) -> Run:
    """Return what the top of a run folder says."""
    kinds = tuple(kind for kind, signs in _SIGNS.items() if any((path / sign).exists() for sign in signs))
    if "training" in kinds and not (path / "report.json").is_file():
        kinds = tuple(kind for kind in kinds if kind != "evaluation")  # the attempts are those of the training
    stages, at_work = read_json(path / "stages.json", {}), holder(path)
    stages = stages if isinstance(stages, dict) else {}
    running = at_work is not None
    state: RunState = "running" if running else "finished" if _is_finished(path, stages, kinds) else "stopped"
    started = _STAGE.findall(tail_of(path / "log.txt")) if running else []
    stage = started[-1] if started and started[-1] not in stages else ""
    return Run(path.name, path, kinds or ("run",), state, stages, stage, _changed(path), at_work)


def read_json(path: Path, instead: Any) -> Any:
    """Return what a file of JSON holds; ``instead`` where there is none, or it was cut short."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return instead


def tail_of(path: Path, most: int = _TAIL_BYTES) -> str:
    """Return the end of a text file; empty where there is none."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - most))
            return file.read(most).decode(errors="replace")
    except OSError:
        return ""


def _is_run(path: Path) -> bool:
    try:
        return path.is_dir() and any((path / name).exists() for name in _ANY)
    except OSError:
        return False


def _is_finished(path: Path, stages: dict[str, Any], kinds: tuple[str, ...]) -> bool:
    """Decide whether a run without a process has come to its end: it says so, or its last file is there."""
    if FINISHED in stages:
        return True
    if "demo" in kinds or "improvement" in kinds:
        return False
    if "training" in kinds:
        progress = read_json(path / "progress.json", {})
        return bool(isinstance(progress, dict) and progress.get("repositories")) and not (path / "in_progress").exists()
    return (path / "report.json").is_file() or (path / PROOFS).is_file()


def _changed(path: Path) -> datetime:
    names = ("", "log.txt", "metrics.jsonl", ATTEMPTS, "stages.json")
    times = []
    for name in names:
        try:
            times.append((path / name).stat().st_mtime)
        except OSError:
            continue
    return datetime.fromtimestamp(max(times, default=0.0))
