"""The training data of a round of practice: traced proofs and lessons, in the layout of the merged data, so that every
trainer that reads traced repositories reads them, too."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.exports.entries import entry_key, from_one
from lean_agent.database.records import RepositoryKey
from lean_agent.files import json_array_text, write_atomically
from lean_agent.improvement.lessons import Lessons
from lean_agent.improvement.practice import Guard
from lean_agent.prompts import main_goal
from lean_agent.prover.proofs.result import TheoremKey, theorem_key
from lean_agent.prover.saved.training_rows import ProofStep
from lean_agent.tracing import Repository
from lean_agent.trainer.data.dataset import HELD_OUT_FILE, TRAIN_FILE, read_split

Entry = dict[str, Any]
MOST_REPEATS = 16
"""So often a lesson is trained on in an epoch at most."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round's data, as a trainer that goes repository by repository knows it."""

    url: str
    commit: str


class PracticeData:
    """Traced proofs of some repositories and lessons, without what is held out, for a trainer to read.

    Args:
        repositories: whose traced proofs are learnt; of these, where a trainer asks for some of them, those alone.
        lessons: what practice has taught so far.
        guard: what may not be learnt.
        found_share: of the steps that are trained on, so many at least are lessons: these come several times where they
            are few, up to :data:`MOST_REPEATS` times.
    """

    def __init__(
        self,
        database: DynamicDatabase,
        repositories: Sequence[Repository],
        lessons: Lessons,
        guard: Guard,
        *,
        found_share: float = 0.0,
    ) -> None:
        self._database = database
        self._repositories = list(repositories)
        self.lessons = lessons
        self._guard = guard
        self._found_share = found_share

    @property
    def key(self) -> Round:
        """What the data is called where repositories have their address and commit."""
        return Round("practice", self.lessons.fingerprint)

    def export_merged_data(self, repos: Sequence[RepositoryKey], path: Path) -> dict[str, int]:
        """Write the merged data of the traced repositories under ``path``, the lessons among what is trained on.

        Returns:
            Steps: ``traced`` ones that are trained on, ``found`` ones and how often these come (``repeats``),
            ``refused`` traced ones.
        """
        asked = {(repository.url, repository.commit) for repository in repos}
        chosen = [repository for repository in self._repositories if (repository.url, repository.commit) in asked]
        self._database.export_merged_data(chosen or self._repositories, path, progress=False)
        train, refused = self._allowed(read_split(path / TRAIN_FILE))
        held_out, _ = self._allowed(read_split(path / HELD_OUT_FILE))
        known = {_row(tactic) for entry in train for tactic in entry["traced_tactics"]}
        lessons = self._entries(known)
        traced, learnt = _count(train), _count(lessons)
        repeats = self._repeats(traced, learnt)
        for name, entries in ((TRAIN_FILE, [*train, *lessons * repeats]), (HELD_OUT_FILE, held_out)):
            write_atomically(path / name, json_array_text(entries).encode())
        counts = {"traced": traced, "found": learnt, "repeats": repeats, "refused": refused}
        write_atomically(path / "practice.json", json.dumps(counts).encode())
        return counts

    def _repeats(self, traced: int, lessons: int) -> int:
        """Return how often so many lessons have to come to be their share beside so many traced steps."""
        wanted = self._found_share / (1 - self._found_share) * traced
        return min(max(1, math.ceil(wanted / max(1, lessons))), MOST_REPEATS)

    def _allowed(self, entries: Iterable[Entry]) -> tuple[list[Entry], int]:
        """Return the traced theorems without what must not be learnt, and how many steps that takes away."""
        kept: list[Entry] = []
        refused = 0
        for entry in entries:
            tactics = entry["traced_tactics"]
            is_near = self._guard.holds(_key(entry)) or (tactics and self._refuses(tactics[0]))
            allowed = [] if is_near else [tactic for tactic in tactics if not self._refuses(tactic)]
            refused += len(tactics) - len(allowed)
            if not is_near:
                kept.append({**entry, "traced_tactics": allowed})
        return kept, refused

    def _refuses(self, tactic: Mapping[str, Any]) -> bool:
        return self._guard.refuses_goal(main_goal(tactic["state_before"]))

    def _entries(self, known: set[tuple[str, str]]) -> list[Entry]:
        """Return the lessons that no traced proof has, a theorem's together."""
        entries: dict[TheoremKey, Entry] = {}
        for stored, step in self.lessons.steps:
            tactic = _tactic(step)
            if _row(tactic) not in known:
                entry = entries.setdefault(theorem_key(stored), _entry(stored))
                entry["traced_tactics"].append(tactic)
        return list(entries.values())


def _entry(stored: StoredTheorem) -> Entry:
    repository, theorem = stored.repository, stored.theorem
    return {
        "url": repository.address,
        "commit": repository.commit,
        "subfolder": repository.folder,
        "file_path": stored.file_path,
        "full_name": stored.full_name,
        "theorem_statement": theorem.statement,
        "start": from_one(theorem.start_pos),
        "end": from_one(theorem.end_pos),
        "proof": "",
        "traced_tactics": [],
    }


def _tactic(step: ProofStep) -> dict[str, Any]:
    return {
        "tactic": step.tactic,
        "annotated_tactic": [step.tactic, []],
        "state_before": "\n\n".join(step.goals),
        "state_after": "\n\n".join(step.after) or "no goals",
        "step": step.tactic,
        "position": -1,
        "end_position": -1,
    }


def _row(tactic: Mapping[str, Any]) -> tuple[str, str]:
    return main_goal(tactic["state_before"]), str(tactic["step"]).strip()


def _key(entry: Entry) -> TheoremKey:
    return (*entry_key(entry), entry["file_path"], entry["full_name"])


def _count(entries: Iterable[Entry]) -> int:
    return sum(bool(str(tactic["step"]).strip()) for entry in entries for tactic in entry["traced_tactics"])
