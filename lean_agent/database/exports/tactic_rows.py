"""Write the steps of traced proofs as rows: what is trained on, and what a table of tactics holds.

Prompts come from :mod:`lean_agent.prompts` alone, so that a row of an export asks what a trainer and a prover ask.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lean_agent.database.exports.entries import DatasetEntry, entry_key
from lean_agent.database.splits import Split
from lean_agent.prompts import completion_messages, main_goal, prompt_messages

_HOLES = ("sorry", "admit")


@dataclass(frozen=True, slots=True)
class TacticRow:
    """One step of a proof.

    Attributes:
        problem: the state before the step as Lean prints it, all its goals.
        tactic: the step, multi-line tactics whole: what a model should answer.
        url, commit, file_path, full_name: the theorem that it belongs to.
        position: byte offset of the tactic in its file, which restores its exact state.
    """

    problem: str
    tactic: str
    url: str
    commit: str
    file_path: str
    full_name: str
    position: int


def tactic_rows(theorem: Mapping[str, Any]) -> Iterator[TacticRow]:
    """Yield the steps of one theorem of LeanDojo's layout that a model can learn from: none empty or with a hole."""
    url, commit = entry_key(theorem)
    for traced in theorem["traced_tactics"]:
        step = str(traced["step"]).strip()
        if step and not has_hole(step):
            yield TacticRow(
                problem=traced["state_before"],
                tactic=step,
                url=url,
                commit=commit,
                file_path=theorem["file_path"],
                full_name=theorem["full_name"],
                position=int(traced["position"]),
            )


def has_hole(tactic: str) -> bool:
    """Return whether ``sorry`` or ``admit`` stands in a tactic as a word."""
    words = "".join(character if character.isalnum() or character in "_." else " " for character in tactic).split()
    return any(hole in words for hole in _HOLES)


def table_rows(theorem: DatasetEntry, split: Split) -> Iterator[DatasetEntry]:
    """Yield the rows of a theorem in a table of tactics: SFT trains on the turns ``prompt`` and ``completion``."""
    for row in tactic_rows(theorem):
        yield {
            "state": row.problem,
            "tactic": row.tactic,
            "prompt": prompt_messages(main_goal(row.problem)),
            "completion": completion_messages(row.tactic),
            **{name: theorem[name] for name in ("url", "commit", "file_path", "full_name")},
            "position": row.position,
            "split": split,
        }
