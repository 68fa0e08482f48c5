"""Goals and tactics in other names: what is renamed, what stays, and that Lean does the same with them."""

from __future__ import annotations

import json
import re
from dataclasses import astuple
from pathlib import Path
from random import Random

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, TheoremSite
from lean_agent.policy.neighbours.goals import parse_goal
from lean_agent.tracing import lean_project, local_repository
from lean_agent.trainer.data import distances, scored_dataset
from lean_agent.trainer.data.dataset import SFTDataset
from lean_agent.trainer.data.renaming import renamed

LOGIC = Path(__file__).resolve().parents[2] / "repos" / "logic"


def renamed_as(marked: str) -> re.Pattern[str]:
    """Return the pattern of what a text may become: marked names are others, alike where they were alike."""
    groups: dict[str, str] = {}
    pieces = re.split(r"⟦(.*?)⟧", marked)
    for place, piece in enumerate(pieces):
        if place % 2 == 0:
            pieces[place] = re.escape(piece)
        elif piece in groups:
            pieces[place] = f"(?P={groups[piece]})"
        else:
            groups[piece] = f"name{len(groups)}"
            pieces[place] = rf"(?P<{groups[piece]}>[\w']+)"
    return re.compile("".join(pieces))


@pytest.mark.parametrize(
    ("hypothesis", "tactic"),
    [
        ("⟦h⟧ : ⟦p⟧", "exact ⟦h⟧"),
        ("⟦h⟧ : ⟦p⟧ ∧ ⟦q⟧", "exact ⟨⟦h⟧.2, ⟦h⟧.left⟩"),  # projections stay
        ("⟦h⟧ ⟦hp⟧ : ⟦p⟧", "exact ⟦hp⟧"),  # a name that another begins with
        ("⟦h⟧ : ⟦p⟧", "intro ⟦h⟧"),  # what is hidden by a new one
        ("⟦h⟧ : ⟦p⟧", "intro ⟦x⟧ ⟦hx⟧ _"),
        ("⟦h⟧ : ⟦p⟧ ∨ ⟦q⟧", "cases ⟦h⟧ with\n| inl ⟦h'⟧ => exact ⟦h'⟧\n| inr _ => ?_"),
        ("⟦h⟧ : ∃ ⟦x⟧, ⟦p⟧ ∧ ⟦x⟧", "rcases ⟦h⟧ with ⟨⟦x⟧, ⟦hx⟧⟩"),
        ("⟦h⟧ : ∃ ⟦x⟧, ⟦p⟧ ∧ ⟦x⟧", "obtain ⟨⟦y⟧, ⟦hy⟧ | rfl⟩ := ⟦h⟧"),
        ("⟦h⟧ : ∀ (⟦m⟧ : Nat), ⟦m⟧ = 0", "exact fun ⟦x⟧ ⟦hx⟧ => ⟦h⟧ ⟦x⟧"),
        ("⟦h⟧ : ⟦p⟧", "refine ⟨fun ⟦y⟧ => ?_, ∃ ⟦z⟧, ⟦z⟧ = ⟦y⟧⟩"),
        ("⟦h⟧ : ⟦p⟧", "have ⟦h1⟧ : ⟦p⟧ := ⟦h⟧"),
        ("⟦h⟧ : ⟦p⟧", "rintro (h1 : even m)"),  # which of these is a name cannot be read
        ("⟦h⟧ : ⟦p⟧", "apply foo (motive := ⟦p⟧) (h := ⟦h⟧) ?h"),  # named arguments and holes
        ("⟦n⟧ : Nat\n⟦h⟧ : ⟦n⟧ = { n := 1, m := ⟦n⟧ }.n", "simp [⟦h⟧, foo.n]"),  # fields
        ("⟦h⟧ : ⟦p⟧", "case inl => exact ⟦h⟧"),
        ("⟦h⟧ : ⟦p⟧", "case h => exact ⟦h⟧"),  # a tag
        ("⟦h⟧ : ⟦p⟧", 'trace "h p" ⟦h⟧'),
        ("left : ⟦p⟧", "left"),  # a word of tactics
        ("this : ⟦p⟧", "exact this"),
        ("h✝ : ⟦p⟧\n⟦h⟧ : ⟦q⟧", "rename_i ⟦x⟧"),
        ("⟦a⟧ : Nat\n⟦h⟧ : ⟦a⟧ⁱ = ⟦a⟧", "exact ⟦h⟧"),  # a notation
        ("⟦α⟧ : Type\n⟦f⟧ : ⟦α⟧ → ⟦α⟧\n⟦xs⟧ : List ⟦α⟧\n⟦h⟧ : ⟦xs⟧.map ⟦f⟧ = ⟦xs⟧", "exact foo.xs ⟦h⟧"),
    ],
)
def test_what_is_local_has_another_name_and_the_rest_stays(hypothesis: str, tactic: str) -> None:
    marked = f"case h.inl\n⟦p⟧ ⟦q⟧ : Prop\n{hypothesis}\n⊢ foo ⟦p⟧", tactic
    texts = [re.sub("[⟦⟧]", "", text) for text in marked]
    names = set(re.findall(r"⟦(.*?)⟧", "\n".join(marked)))
    changed = set()
    for seed in range(5):  # a new name may be the old one
        other_goal, (other_tactic,) = renamed(texts[0], texts[1:], Random(seed))
        other = other_goal + "\n" + other_tactic
        match = renamed_as("\n".join(marked)).fullmatch(other)
        assert match, other
        assert len(set(match.groups())) == len(names)
        changed.add(match.groups())
    assert len(changed) == 5


def test_new_names_are_none_that_stay() -> None:
    """With 26 letters in the tactic there are few left for a variable."""
    constants = " ".join("abcdefgijklmnopqrstuvwxy")
    for seed in range(50):
        goal, (tactic,) = renamed("z : Nat\n⊢ z = z", [f"simp [{constants}, z]"], Random(seed))
        new = goal.partition(" ")[0]
        assert new not in constants.split() and tactic == f"simp [{constants}, {new}]"


def test_copies_come_after_the_rows_and_depend_on_the_seed(tmp_path: Path) -> None:
    steps = [{"state_before": "h : p\n⊢ p\n\n⊢ q", "step": "exact h", "position": position} for position in (7, 8)]
    theorem = {"url": "u", "commit": "c", "file_path": "A.lean", "full_name": "t", "traced_tactics": steps}
    (tmp_path / "random").mkdir()
    (tmp_path / "random" / "train.json").write_text(json.dumps([theorem]), encoding="utf-8")
    rows = list(SFTDataset(tmp_path).rows)
    data = SFTDataset(tmp_path, augment=2)
    augmented = list(data.rows)
    assert len(data) == len(data.to_hf()) == 6
    assert [copy.position for copy in augmented] == [7, 8, 7, 8, 7, 8]
    assert augmented[:2] == rows
    for copy in augmented[2:]:
        assert copy.problem == f"{copy.tactic.removeprefix('exact ')} : p\n⊢ p"  # the main goal
    assert augmented == list(data.rows) != list(SFTDataset(tmp_path, augment=2, seed=1).rows)


def test_goals_with_distances_and_with_scored_completions_are_renamed_alike() -> None:
    far = distances.in_other_names(distances.Distance("h : p\n⊢ p", "exact h", 3, theorem="t"), Random(0))
    name = far.goal.partition(" ")[0]
    assert far == distances.Distance(f"{name} : p\n⊢ p", f"exact {name}", 3, theorem="t") and name != "h"
    group = scored_dataset.ScoredGroup("h : p\n⊢ p", ("exact h", "intro x; exact h"), (1.0, 0.0))
    goal, (first, second), scores = astuple(scored_dataset.in_other_names(group, Random(0)))
    name = first.removeprefix("exact ")
    assert goal == f"{name} : p\n⊢ p" and scores == (1.0, 0.0)
    assert re.fullmatch(rf"intro (?!{name};)\S+; exact {name}", second)


def in_other_names(goal: str, other: str) -> str:
    """Return tactics that give the hypotheses of a goal the names of another; hidden ones stay hidden."""
    names = {name: f"old_{number}" if "✝" in name else name for number, name in enumerate(parse_goal(goal).types)}
    hidden = [name for name in names.values() if name.startswith("old_")]
    new = ["_" if "✝" in name else name for name in parse_goal(other).types]
    first = [f"rename_i {' '.join(hidden)}"] if hidden else []
    return "\n".join([*first, f"revert {' '.join(names.values())}", f"intro {' '.join(new)}"])


@pytest.mark.lean
def test_lean_does_the_same_with_other_names(lean: LeanPool) -> None:
    """Traced steps of a file of repos/, each run at its state and, renamed, at the state with the new names."""
    project, path = lean_project(local_repository(LOGIC)), "Logic/Relations.lean"
    for imported in ("Connectives", "Classical", "Quantifiers"):  # where the cache is new
        lean.trace_file(project, f"Logic/{imported}.lean")
    steps = [
        (theorem.full_name, step)
        for theorem in lean.trace_file(project, path).theorems
        for step in theorem.tactics
        if step.step and "sorry" not in step.step and parse_goal(step.state_before).types
    ][:60]
    states = lean.goal_starts([TheoremSite(project, path, name, step.start) for name, step in steps])
    assert len(steps) == 60
    changed = 0
    for seed, ((_, step), state) in enumerate(zip(steps, states, strict=True)):
        assert isinstance(state, GoalState)
        goal, (tactic,) = renamed(state.goals[0].text, [step.step], Random(seed))
        (ready,) = lean.goal_tactics([(state, in_other_names(state.goals[0].text, goal))])
        assert isinstance(ready, GoalState), (goal, ready)
        before, after = lean.goal_tactics([(state, step.step), (ready, tactic)])
        assert isinstance(before, GoalState) and isinstance(after, GoalState), (goal, tactic, after)
        # names aside, which Lean prints differently, what is left says the same
        forms = [[re.sub(r"[^\W\d][\w'✝]*", "_", goal.text) for goal in result.goals] for result in (before, after)]
        assert forms[0] == forms[1], (goal, tactic)
        changed += tactic != step.step
    assert changed > 30
