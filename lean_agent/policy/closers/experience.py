"""What closing tactics have solved in the repositories under ``repos/``, for a list that learns to begin with.

``experience.jsonl`` has a line for each sub-goal that was solved there: the repository's name, the goal and the tactic.
It is made by ``benchmarks/unseen.py``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from lean_agent.policy.base import TacticExample

FILE = Path(__file__).with_name("experience.jsonl")


def shipped_experience(*, without: Collection[str] = ()) -> Iterator[TacticExample]:
    """Yield steps that have solved sub-goals.

    Args:
        without: names of repositories; what is measured in one of ours shall not have been learnt there.
    """
    for line in FILE.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["repository"] not in without:
            yield TacticExample(entry["goal"], entry["tactic"])
