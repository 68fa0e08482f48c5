"""What stands in a run folder: metrics as curves, attempts, how far the work has come.

Reads alone: the run that writes there may be under way, so that a last line may be half there, and nothing is mended.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_agent.errors import ConfigError
from lean_agent.evaluation.evaluate import Attempt, attempts_of
from lean_agent.evaluation.results import ATTEMPTS, PROOFS
from lean_agent.evaluation.summary import outcome
from lean_agent.files import json_lines
from lean_agent.folder_lock import last_command
from lean_agent.progress import WorkLeft
from lean_agent.service.ui.charts import Points
from lean_agent.service.ui.run_list import Run, read_json

METRICS = "metrics.jsonl"
CURVES: Mapping[str, str] = {
    "Loss": r"loss|policy_loss|eval_loss",
    "Reward": r"reward|rewards/.*mean|rewards/accuracies",
    "Pass rate": r"pass_rate|verified",
    "Accuracy of tokens": r"(eval_)?mean_token_accuracy",
    "Entropy": r"(eval_)?entropy",
    "Divergence": r"kl",
    "Seconds of a step": r"step_s|generation_s|policy_s|reward_s|lean_s|update_s",
    "Length": r"tokens|steps|completions/mean_length",
    "Gradient": r"grad_norm",
    "Learning rate": r"learning_rate",
}
"""The title of a drawing, and the names of the metrics in it."""
MAX_BYTES = 64_000_000
"""Of a larger file the end is read."""
_PASSED_OVER = re.compile(r"trees|running|proofs|data|variants|in_progress|\d{3}-.*|checkpoint-\d+|\..*")
_DEEPEST = 5
_STATUS = {"proved": "proved", "rejected": "rejected", "open": "failed", "unknown": "error"}


@dataclass(frozen=True)
class Part:
    """The metrics of one training in a run.

    Attributes:
        name: its folder below the run's; empty for the run itself.
        curves: title of a drawing -> name of a metric -> its points by step.
        last: the last value of every metric.
    """

    name: str
    curves: dict[str, dict[str, Points]]
    last: dict[str, float]
    steps: int


@dataclass(frozen=True)
class ShownAttempt:
    """An attempt with where it stands.

    Attributes:
        label: who made it, and in which part of which run where there are several.
        outcome: how it ended, in a few words.
    """

    label: str
    outcome: str
    attempt: Attempt


@dataclass(frozen=True)
class Work:
    """Something under way.

    Attributes:
        share: how much of it is done, in [0, 1].
        left_s: seconds that are left, by the rate so far; ``None`` where nothing can be said.
    """

    name: str
    words: str
    share: float
    left_s: float | None


def parts_of(run: Run) -> list[Part]:
    """Return the trainings of a run that have metrics."""
    return [part for path in files_of(run.path, {METRICS}) if (part := _part(run, path)) is not None]


def attempts_in(run: Run, problems: list[str] | None = None) -> list[ShownAttempt]:
    """Return all attempts that a run has written down, of searches and of training.

    Args:
        problems: takes a sentence for each file that cannot be read.
    """
    shown = []
    for path in files_of(run.path, {ATTEMPTS, PROOFS, "development.jsonl"}):
        part = path.parent.relative_to(run.path).as_posix()
        where = "" if part == "." else f" in {part}"
        text = _whole_lines(path)
        try:
            if '"outcome":' in text.partition("\n")[0]:
                attempts = [(_of_training(row), _training_outcome(row)) for row in map(json.loads, json_lines(text))]
            else:
                attempts = [(attempt, outcome(attempt)) for attempt in attempts_of(text, path)]
        except (ConfigError, ValueError, KeyError, TypeError, AttributeError) as error:
            words = (
                str(error) if isinstance(error, ConfigError) else f"{path.name}{where} holds a line that is no attempt."
            )
            (problems if problems is not None else []).append(words)
            continue
        shown += [ShownAttempt(f"{attempt.prover}{where}", words, attempt) for attempt, words in attempts]
    return shown


def work_of(run: Run, parts: Sequence[Part]) -> list[Work]:
    """Return what of a run is under way, with the time that is left."""
    works = [work for part in parts if (work := _training(run, part)) is not None]
    return [*works, *_practice(run)]


def _part(run: Run, path: Path) -> Part | None:
    """Return the metrics of a file; steps of several repositories follow one another."""
    series: dict[str, list[tuple[float, float]]] = {}
    before, newest, label = 0.0, 0.0, None
    for row in _rows(path):
        step = row.pop("step", None)
        if not isinstance(step, int | float):
            continue
        labels = tuple(row.pop(name, None) for name in ("repository", "dataset", "data"))
        if label is not None and labels != label:
            before = newest
        label, newest = labels, before + step
        for name, value in row.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                series.setdefault(name, []).append((newest, float(value)))
    if not series:
        return None
    curves: dict[str, dict[str, Points]] = {
        title: {name: series[name] for name in series if re.fullmatch(names, name)} for title, names in CURVES.items()
    }
    name = path.parent.relative_to(run.path).as_posix()
    return Part(
        "" if name == "." else name,
        {title: drawn for title, drawn in curves.items() if any(len(points) > 1 for points in drawn.values())},
        {name: points[-1][1] for name, points in series.items() if name != "time"},
        int(newest),
    )


def _training(run: Run, part: Part) -> Work | None:
    """Return how far a training has come; ``None`` where it has ended, or nothing says how long it is."""
    folder = run.path / part.name
    rows = [row for row in _rows(folder / METRICS) if {"step", "time"} <= row.keys()]
    if not rows or "train_runtime" in part.last:
        return None
    last = rows[-1]
    rows = [row for row in rows if row.get("data", row.get("commit")) == last.get("data", last.get("commit"))]
    settings = _length(folder)
    steps, epochs = settings.get("max_steps"), settings.get("epochs_per_repo") or settings.get("num_train_epochs")
    if isinstance(steps, int) and steps > 0:
        share, words = last["step"] / steps, f"step {last['step']:,} of {steps:,}"
    elif isinstance(epochs, int | float) and epochs > 0 and "epoch" in last:
        share, words = last["epoch"] / epochs, f"epoch {last['epoch']:.2f} of {epochs:g}"
    else:
        return None
    left = WorkLeft(float(rows[0]["time"]), 1.0)
    left.done(share)
    return Work(part.name or "training", words, min(1.0, share), left.seconds(float(last["time"])))


def _length(folder: Path) -> Mapping[str, Any]:
    """Return what says how long a training is: its settings, the state of its newest checkpoint, or its command."""
    progress = read_json(folder / "progress.json", {})
    if isinstance(progress, dict) and isinstance(progress.get("settings"), dict):
        settings: dict[str, Any] = progress["settings"]
        return settings
    states = sorted(folder.glob("in_progress/*/checkpoint-*/trainer_state.json"), key=lambda path: path.stat().st_mtime)
    state = read_json(states[-1], {}) if states else {}
    if isinstance(state, dict) and "max_steps" in state:
        return state
    last = last_command(folder)
    words = last.arguments if last else ()
    at = words.index("--max-steps") + 1 if "--max-steps" in words else len(words)
    return {"max_steps": int(words[at])} if at < len(words) and words[at].isdigit() else {}


def _practice(run: Run) -> Iterator[Work]:
    """Yield how far the last round of practice has come, in searches."""
    for rounds in (run.path / "rounds", run.path / "practice" / "rounds"):
        plans = sorted(rounds.glob("*/plan.json"))
        if not plans or (plans[-1].parent / "round.json").is_file():
            continue
        place = plans[-1].parent
        planned = read_json(plans[-1], [])
        lines = _rows(place / ATTEMPTS)
        provers = len({line.get("prover") for line in lines}) or 1
        total = len(planned) * provers
        if not total:
            continue
        began = plans[-1].stat().st_mtime
        left = WorkLeft(began, total)
        left.done(len(lines))
        now = (place / ATTEMPTS).stat().st_mtime if lines else began
        share = min(1.0, len(lines) / total)
        yield Work(f"round {int(place.name)}", f"{len(lines):,} of {total:,} searches", share, left.seconds(now))


def files_of(folder: Path, names: set[str]) -> list[Path]:
    """Return the files of these names in a run folder, those at its top first; folders without work are left out."""
    hits: list[Path] = []
    for place, folders, others in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(each for each in folders if depth < _DEEPEST and not _PASSED_OVER.fullmatch(each))
        hits += [Path(place) / name for name in sorted(names & set(others))]
    return hits


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines; lines that are none are left out."""
    rows = []
    for line in json_lines(_whole_lines(path)):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        rows += [row] if isinstance(row, dict) else []
    return rows


def _whole_lines(path: Path) -> str:
    """Return the lines of a file that have an end; of a large file the last ones."""
    try:
        with path.open("rb") as file:
            skipped = max(0, path.stat().st_size - MAX_BYTES)
            file.seek(skipped)
            content = file.read()
    except OSError:
        return ""
    if skipped:
        content = content[content.find(b"\n") + 1 :]
    return content[: content.rfind(b"\n") + 1].decode(errors="replace")


def _of_training(row: Mapping[str, Any]) -> Attempt:
    """Return an attempt of a training in the form of those of an evaluation."""
    tactics = [str(tactic) for tactic in row["tactics"]]
    details = ", ".join(f"{name} {value}" for name, value in (row.get("details") or {}).items())
    return Attempt(
        f"training, step {row['step']}",
        *("", "", "", str(row["theorem"])),
        status=_STATUS.get(row["outcome"], "failed"),
        proof="\n".join(tactics),
        steps=len(tactics),
        expansions=0,
        lean_calls=len(tactics),
        tokens=0,
        seconds=0.0,
        message=details,
        budget={},
        difficulty=float(row.get("reward") or 0.0),
    )


def _training_outcome(row: Mapping[str, Any]) -> str:
    return f"{row['outcome']}: {row['failure']}" if row.get("failure") else str(row["outcome"])


def outcomes_of(attempts: Sequence[ShownAttempt]) -> list[tuple[str, int]]:
    """Return how attempts ended, the commonest first."""
    return Counter(attempt.outcome for attempt in attempts).most_common()
