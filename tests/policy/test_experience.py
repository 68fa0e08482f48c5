"""What the package knows of our own repositories: readable, of closing tactics alone, and not used on themselves."""

from __future__ import annotations

import json

from lean_agent.policy.closers.experience import (
    FILE,
    experience_lines,
    experienced_closers,
    shipped_experience,
    untried_schemes,
)
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, scheme_of
from lean_agent.prompts import main_goal
from lean_agent.tracing.project.sources import find_repositories


def test_all_steps_are_of_the_list_and_of_our_repositories() -> None:
    steps = list(shipped_experience())
    assert len(steps) > 300
    assert all(scheme_of(step.tactic, step.goal, CLOSING_SCHEMES) for step in steps)
    assert all(step.goal == main_goal(step.goal) for step in steps)
    assert len(experienced_closers()) == len(set(steps))
    assert FILE.stat().st_size < 500_000, "it travels with every installation"


def test_a_repository_learns_nothing_from_itself() -> None:
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()[1:]]
    names = {line["repository"] for line in lines}
    assert names == {path.name for path in find_repositories(None)}
    others = list(shipped_experience(without={"order", "sets"}))
    assert len(others) == sum(line["repository"] not in ("order", "sets") for line in lines)
    assert not list(shipped_experience(without=names))


def test_schemes_that_are_newer_than_the_experience_are_not_ranked_behind_all_that_has_been_tried() -> None:
    newer = set(untried_schemes())
    assert newer <= {*CLOSING_SCHEMES} and not newer & {"rfl", "grind [{lemmas}]", "exact ⟨_, rfl⟩"}
    assert len(json.loads(next(experience_lines([])))["schemes"]) == len(CLOSING_SCHEMES), "all are tried by then"
