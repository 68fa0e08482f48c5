"""What closing tactics have solved in the repositories under ``repos/``, for a list that learns to begin with.

``experience.jsonl`` has a line with the schemes that were tried there at :data:`ENOUGH` goals or more, and one for each
sub-goal that was solved: the repository's name, the goal and the tactic. It is made by ``benchmarks/unseen.py``.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from lean_agent.policy.base import TacticExample
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, head_of, tactics_of
from lean_agent.policy.closers.scripted import LearningClosers

ENOUGH = 20
"""Of a scheme that something fills in at fewer goals it is not known how often it works where it can be tried."""
FILE = Path(__file__).with_name("experience.jsonl")


def experienced_closers(*, without: Collection[str] = (), more: Iterable[TacticExample] = ()) -> LearningClosers:
    """Return closing tactics that begin with what ships, and with more steps.

    Args:
        without: as for :func:`shipped_experience`.
    """
    steps = chain(shipped_experience(without=without), more)
    return LearningClosers(steps=steps, untried=untried_schemes())


def shipped_experience(*, without: Collection[str] = ()) -> Iterator[TacticExample]:
    """Yield steps that have solved sub-goals.

    Args:
        without: names of repositories; what is measured in one of ours shall not have been learnt there.
    """
    for line in _lines()[1:]:
        entry = json.loads(line)
        if entry["repository"] not in without:
            yield TacticExample(entry["goal"], entry["tactic"])


def untried_schemes() -> list[str]:
    """Return the closing schemes that were not on the list yet when the experience was made, however the goals that
    they leave were closed then, or that were tried at a few goals."""
    tried = {head_of(scheme) for scheme in json.loads(_lines()[0])["schemes"]}
    return [scheme for scheme in CLOSING_SCHEMES if head_of(scheme) not in tried]


def experience_lines(steps: Iterable[tuple[str, TacticExample]]) -> Iterator[str]:
    """Yield the lines of the file.

    Args:
        steps: that have solved sub-goals with the schemes of today, each behind the name of its repository.
    """
    steps = list(steps)
    tried = tried_schemes([step.goal for _, step in steps])
    yield json.dumps({"schemes": [head_of(scheme) for scheme in tried]}, ensure_ascii=False)
    for name, step in steps:
        entry = {"repository": name, "goal": step.goal, "tactic": step.tactic}
        yield json.dumps(entry, ensure_ascii=False)


def tried_schemes(goals: Sequence[str]) -> list[str]:
    """Return the closing schemes but those that are filled in at a few of these goals. What is filled in at none of
    them needs what Lean said beside the goals, and was tried as far as anybody knows."""
    places = {scheme: sum(bool(tactics_of(scheme, goal)) for goal in goals) for scheme in CLOSING_SCHEMES}
    return [scheme for scheme, count in places.items() if not 0 < count < ENOUGH]


def _lines() -> list[str]:
    return FILE.read_text(encoding="utf-8").splitlines()
