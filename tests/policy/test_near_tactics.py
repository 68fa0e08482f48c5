"""Tactics of similar goals, as they are shown beside a goal: which ones a theorem may see, and in whose names."""

from __future__ import annotations

from typing import Any

import pytest

from lean_agent.errors import ModelNotFound
from lean_agent.policy.base import TacticExample
from lean_agent.policy.model_files import HELP_RECORD, record_help, recorded_help
from lean_agent.policy.neighbours.tactics import NearTactics, PlacedStep, near_duplicates
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval import PremiseCorpus
from lean_agent.policy.retrieval.corpus import Place
from lean_agent.prompts import TACTICS_HEADING, HelpSettings


def place(file: str, line: int, url: str = "u", commit: str = "c") -> Place:
    return Place(url, commit, file, (line, 1))


def step(where: Place, tactic: str, goal: str = "p q : Prop\nh : p ∧ q\n⊢ q") -> PlacedStep:
    return PlacedStep(where, TacticExample(goal, tactic))


def line(path: str, *imports: str) -> dict[str, Any]:
    return {"path": path, "imports": list(imports), "premises": [], "url": "u", "commit": "c"}


CORPUS = PremiseCorpus([line("Base.lean"), line("Beside.lean"), line("Top.lean", "Base.lean")])
STEPS = [
    step(place("Base.lean", 90), "exact imported h"),
    step(place("Beside.lean", 1), "exact beside h"),
    step(place("Top.lean", 1), "exact earlier h"),
    step(place("Top.lean", 5), "exact own h"),
    step(place("Top.lean", 9), "exact later h"),
    step(place("Else.lean", 1, url="v"), "exact elsewhere h"),
    step(place("Top.lean", 1, commit="old"), "exact another_commit h"),
]
GOAL = "r s : Prop\nrs : r ∧ s\n⊢ s"


def seen(near: NearTactics, where: Place) -> set[str]:
    """Return whose tactics are shown there; those with holes in the place of names are of the same step."""
    return {tactic.split()[1] for tactic in near.tactics(GOAL, where, 99)}


def test_a_theorem_is_shown_what_it_imports_and_what_stands_before_it_and_other_repositories() -> None:
    near = NearTactics(STEPS, CORPUS)
    assert seen(near, place("Top.lean", 5)) == {"imported", "earlier", "elsewhere"}
    assert seen(near, place("Base.lean", 1)) == {"elsewhere"}
    assert seen(near, place("Base.lean", 91)) == {"imported", "elsewhere"}
    # from a repository that is not among the steps, all of the newest and of the old commit
    assert "another_commit" in seen(near, place("Top.lean", 5, url="w"))


def test_tactics_are_in_the_names_of_the_goal_and_the_nearest_comes_first() -> None:
    far = step(place("Base.lean", 1), "omega", "n : Nat\nh : n < 3\n⊢ n ≤ 3")
    near = NearTactics([far, step(place("Base.lean", 2), "exact h.2")], CORPUS)
    assert near.tactics(GOAL, place("Top.lean", 1), 1) == ["exact rs.2"]
    assert near.tactics(GOAL, place("Top.lean", 1), 0) == []
    assert len(near) == 2


def test_steps_of_near_duplicates_are_not_shown() -> None:
    statement = "theorem {} ({} : Nat) (h : Even n) : Even (n + n + n + n) ∧ Even (n * n)"
    statements = {
        place("Top.lean", 5): statement.format("t", "n"),
        place("Else.lean", 1, url="v"): statement.format("twin", "n"),
        place("Base.lean", 90): "theorem another (p q : Prop) : p → q → p",
    }
    near = near_duplicates(statements)
    twin, theorem = place("Else.lean", 1, url="v"), place("Top.lean", 5)
    assert near == {theorem: frozenset({twin}), twin: frozenset({theorem})}
    assert seen(NearTactics(STEPS, CORPUS, hidden=near), theorem) == {"imported", "earlier"}


def test_a_goal_is_presented_with_tactics_of_similar_goals() -> None:
    near = NearTactics([step(place("Base.lean", 2), "exact h.2")], CORPUS)
    shown = PromptHelp.of(HelpSettings(neighbours=1), CORPUS, near)
    assert shown.goal(GOAL, place("Top.lean", 1)) == f"{TACTICS_HEADING}\nexact rs.2\n\n{GOAL}"
    assert shown.goal(GOAL, place("Base.lean", 1)) == GOAL  # sees nothing
    assert shown.identity != PromptHelp.of(HelpSettings(premises=1), CORPUS).identity


def test_a_checkpoint_says_what_it_was_shown(tmp_path: Any) -> None:
    assert recorded_help(tmp_path) == HelpSettings()
    record_help(HelpSettings(), tmp_path)
    assert list(tmp_path.iterdir()) == []
    record_help(HelpSettings(2, "bm25", 4), tmp_path)
    assert recorded_help(tmp_path) == HelpSettings(premises=2, neighbours=4)
    (tmp_path / HELP_RECORD).write_text('{"neighbors": 4}')
    with pytest.raises(ModelNotFound, match="does not say what the model is shown beside goals"):
        recorded_help(tmp_path)
