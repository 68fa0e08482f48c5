"""How many steps a goal is from being proved: rows of traced proofs and of saved searches.

A row is a goal, perhaps with a tactic that is tried there, and the steps of the shortest known proof; a row of what was
never proved says how many steps are too few (it is censored). Reads the export of a database and the lines that
``lean-agent export distances`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_agent.database.exports.entries import has_hole
from lean_agent.errors import TrainingError
from lean_agent.files import json_lines
from lean_agent.prompts import main_goal
from lean_agent.trainer.data.renaming import renamed

NO_GOALS = "no goals"


@dataclass(frozen=True, slots=True)
class Distance:
    """A goal and how far it is from being proved.

    Attributes:
        goal: as Lean prints it.
        tactic: what is tried there first, counted as a step; empty for the goal by itself.
        steps: of the shortest known proof, at least 1; of a censored row, how many are not enough, at least 0.
        censored: no proof is known.
        theorem: full name of the theorem in whose proof or search it was met.
    """

    goal: str
    tactic: str
    steps: int
    censored: bool = False
    theorem: str = ""


def in_other_names(row: Distance, random: Random) -> Distance:
    """Return the row with other names for what is local to its goal and tactic."""
    goal, (tactic,) = renamed(row.goal, [row.tactic], random)
    return replace(row, goal=goal, tactic=tactic)


@dataclass(slots=True)
class _Step:
    """A traced tactic with those that stand inside it, in their order."""

    entry: Mapping[str, Any]
    inside: list[_Step]

    @property
    def cost(self) -> int:
        """Steps that it takes: those of its branches too; a tactic that is one step runs what stands inside itself."""
        step = str(self.entry["step"]).strip()
        if step and step == str(self.entry["tactic"]).strip():
            return 1
        return bool(step) + sum(inner.cost for inner in self.inside)

    @property
    def goal(self) -> str:
        """The goal that it works on; of a bullet or a ``case``, the one that is picked."""
        is_step = bool(str(self.entry["step"]).strip())
        return main_goal(self.entry["state_before"]) if is_step or not self.inside else self.inside[0].goal


def trace_distances(theorem: Mapping[str, Any]) -> Iterator[Distance]:
    """Yield each goal of a traced proof with the steps of its own part of the proof, with and without its tactic.

    Args:
        theorem: an entry of LeanDojo's layout, with this package's ``step``, ``position`` and ``end_position``. One
            with a hole has none.
    """
    entries = theorem["traced_tactics"]
    if any(has_hole(str(entry["step"])) for entry in entries) or not all("end_position" in entry for entry in entries):
        return
    blocks = [_nested(entries)]
    while blocks:
        block = blocks.pop()
        blocks += [step.inside for step in block if step.inside]
        for place, step in enumerate(block):
            tactic = str(step.entry["step"]).strip()
            steps = _steps_from(block[place:]) if tactic else None
            if steps is not None:
                yield Distance(step.goal, "", steps, theorem=theorem["full_name"])
                yield Distance(step.goal, tactic, steps, theorem=theorem["full_name"])


def _nested(entries: Sequence[Mapping[str, Any]]) -> list[_Step]:
    """Put each tactic into the one around it."""
    outer: list[_Step] = []
    around: list[_Step] = []
    for entry in entries:
        step = _Step(entry, [])
        while around and not _stands_in(entry, around[-1].entry):
            around.pop()
        (around[-1].inside if around else outer).append(step)
        around.append(step)
    return outer


def _stands_in(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    return bool(outer["position"] <= inner["position"] and inner["end_position"] <= outer["end_position"])


def _steps_from(block: Sequence[_Step]) -> int | None:
    """Count the steps from the first of these tactics on that prove its goal; ``None`` where they cannot be told."""
    first = block[0]
    total = first.cost
    left = _goals_left(first)
    for step in block[1:]:
        if not left:
            break
        if step.goal in left:
            total += step.cost
            left.remove(step.goal)
            left += _goals_left(step)
    return None if left else total


def _goals_left(step: _Step) -> list[str]:
    """Return the goals that a tactic leaves of the one that it works on."""
    before, after = (_goals(str(step.entry[name])) for name in ("state_before", "state_after"))
    if step.goal in before:
        before.remove(step.goal)
    for goal in before:
        if goal in after:
            after.remove(goal)
    return after


def _goals(state: str) -> list[str]:
    return [] if state.strip() in ("", NO_GOALS) else [goal.strip() for goal in state.strip().split("\n\n")]


def read_distances(path: str | Path, *, without: Collection[str] = ()) -> Iterator[Distance]:
    """Read what ``lean-agent export distances`` has written, but for theorems that are held out.

    Raises:
        TrainingError: no such file, or a line that does not read; its number is said.
    """
    try:
        lines = json_lines(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(
            f"{path} cannot be read: {error}. `lean-agent export distances TREES` writes it."
        ) from error
    for number, line in enumerate(lines, start=1):
        try:
            row = Distance(**json.loads(line))
            if row.steps < (0 if row.censored else 1):
                raise ValueError(f"steps is {row.steps}")
        except (ValueError, TypeError) as error:
            raise TrainingError(
                f"Line {number} of {path} is no goal with its steps ({error}): export the searches anew."
            ) from error
        if row.theorem not in without:
            yield row


def merged(rows: Iterable[Distance]) -> list[Distance]:
    """Return one row for each goal and tactic: the fewest steps that prove it, or the most that do not."""
    best: dict[tuple[str, str], Distance] = {}
    for row in rows:
        known = best.setdefault((row.goal, row.tactic), row)
        is_closer = row.steps < known.steps if not row.censored else row.steps > known.steps
        if (known.censored and not row.censored) or (known.censored == row.censored and is_closer):
            best[row.goal, row.tactic] = row
    return list(best.values())


def concordance(predicted: npt.ArrayLike, rows: Sequence[Distance]) -> float:
    """Return the share of pairs of rows, whose order is known, that a prediction of steps puts in that order.

    Harrell's index: a pair counts where the nearer row's steps are known and the other's are more, or, censored, at
    least as many. A tie in the prediction counts half; without such pairs it is 0.5.
    """
    numbers = np.asarray(predicted, dtype=float)
    steps = np.array([row.steps for row in rows], dtype=float)
    known = np.array([not row.censored for row in rows], dtype=bool)
    right, pairs = 0.0, 0
    for place in np.flatnonzero(known):
        farther = (steps > steps[place]) | (~known & (steps >= steps[place]))
        pairs += int(farther.sum())
        gaps = numbers[farther] - numbers[place]
        right += float((gaps > 0).sum()) + 0.5 * float((gaps == 0).sum())
    return right / pairs if pairs else 0.5


def rank_correlation(predicted: npt.ArrayLike, rows: Sequence[Distance]) -> float:
    """Return Spearman's correlation of a prediction with the steps of the rows that are known; 0 without spread."""
    known = [place for place, row in enumerate(rows) if not row.censored]
    first = _ranks(np.asarray(predicted, dtype=float)[known])
    second = _ranks(np.array([rows[place].steps for place in known], dtype=float))
    if not known or first.std() == 0 or second.std() == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the rank of each value, equal ones at their mean rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places], dtype=float)
