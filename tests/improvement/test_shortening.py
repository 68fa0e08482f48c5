"""Tactics that practice has found, in their short forms: what Lean says, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.improvement.lessons import Lessons, lessons_of
from lean_agent.improvement.practice import Guard
from lean_agent.improvement.shortening import FILE, Shortened, shorten
from lean_agent.lean.server import LeanServer
from lean_agent.prover.proofs.minimise import can_be_shorter, shorter_tactic
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch

SOURCE = """namespace Small.Part

def twice (n : Nat) : Nat := n + n

def other (n : Nat) : Nat := n

theorem twice_zero : twice 0 = 0 := rfl

theorem both (n : Nat) (h : other n = 7) : twice n = 2 * n ∧ other n = 7 := by
  sorry

end Small.Part
"""
SCHEME = "grind [Small.Part.other, Small.Part.twice, Small.Part.twice_zero]"
INDUCTION = f"induction n <;> first | (simp_all!; done) | {SCHEME} | (simp_all!; omega)"


def _node(number: int, goal: str, *edges: SavedEdge, parent: int | None = 0, solved: bool = True) -> SavedNode:
    return SavedNode(0, number, (goal,), "expanded", solved, 0.0, number, parent=parent, edges=edges)


def _edge(tactic: str, *targets: int) -> SavedEdge:
    return SavedEdge(tactic, -1.0, targets)


def _search(theorem: StoredTheorem) -> SavedSearch:
    """A search that splits the goal, and proves its halves by schemes; the text of the last state is not Lean's."""
    nodes = (
        _node(
            0,
            "n : Nat\nh : other n = 7\n⊢ twice n = 2 * n ∧ other n = 7",
            _edge("constructor", 1, 2),
            _edge("refine ⟨?_, h⟩", 3),
            parent=None,
        ),
        _node(1, "case left\nn : Nat\nh : other n = 7\n⊢ twice n = 2 * n", _edge(SCHEME)),
        _node(2, "case right\nn : Nat\nh : other n = 7\n⊢ other n = 7", _edge("simp_all [Small.Part.twice]")),
        _node(3, "m : Nat\n⊢ twice m = 2 * m", _edge(INDUCTION)),
    )
    return SavedSearch(theorem.full_name, theorem.file_path, "p", "best_step", "proved", nodes=nodes)


@pytest.mark.lean
def test_lean_finds_the_short_forms_where_it_comes_to_the_states_again(
    lean: LeanServer, tmp_path: Path, small_project: Callable[[str], Path]
) -> None:
    with ScriptedAgent(lean=lean, database=tmp_path / "db.sqlite", runs_dir=tmp_path, progress=False) as agent:
        agent.setup_local_repository(small_project(SOURCE))
        (theorem,) = agent.open_theorems()
        searches = [(theorem, _search(theorem))]
        lessons = lessons_of(searches, Guard([]))
        known = Shortened([tmp_path])
        shorten(lessons, searches, lean, known, title="shorter", progress=False)
        tactics = {step.goal.splitlines()[-1]: step.tactic for _, step in known.applied(lessons).steps}
        assert tactics["⊢ twice n = 2 * n"] == "grind [twice]"
        assert tactics["⊢ other n = 7"] == "simp_all"
        assert tactics["⊢ twice m = 2 * m"] == INDUCTION  # no way leads there again: it stays as it is
        schemes = known.applied(lessons, schemes=True)
        assert schemes.schemes
        tactics = {step.goal.splitlines()[-1]: step.tactic for _, step in schemes.steps}
        assert tactics["⊢ twice n = 2 * n"] == "grind [{lemmas}]"  # the whole tactic is a scheme's
        assert tactics["⊢ other n = 7"] == "simp_all"
        assert known.calls > 4
        # What a round has found is not looked for again.
        again = Shortened([tmp_path])
        assert again.calls == known.calls
        shorten(lessons, searches, lean, again, title="shorter", progress=False)
        assert again.calls == known.calls
        # A tactic that proves nothing at its state comes back as it is.
        root = lean.goal_start(theorem.site)
        assert shorter_tactic(lean, root, "first | rfl | omega")[0] == "first | rfl | omega"
        assert shorter_tactic(lean, root, INDUCTION, max_attempts=0) == (INDUCTION, 0)
        lean.release([root])


def test_only_alternatives_and_names_can_be_left_out() -> None:
    assert can_be_shorter(SCHEME) and can_be_shorter("simp [f, g]")
    assert not can_be_shorter("omega") and not can_be_shorter("constructor <;> simp")


def test_lessons_that_become_the_same_are_one(
    stored: Callable[..., list[StoredTheorem]], database: DynamicDatabase, tmp_path: Path
) -> None:
    (theorem,) = stored(("t", "∀ (n : Nat), f n = n"))
    root = _node(0, "⊢ f n = n", _edge("simp [f, g]"), _edge("simp [f]"), _edge("omega"), parent=None)
    lessons = lessons_of([(theorem, SavedSearch("t", "A.lean", "p", "s", "proved", nodes=(root,)))], Guard([]))
    lessons = replace(lessons, pairs=({"prompt": "⊢ f n = n", "chosen": "simp [f, g]", "rejected": "rfl"},))
    known = Shortened([tmp_path])
    known.add(("⊢ f n = n", "simp [f, g]"), "simp [f]", 3)
    shorter = known.applied(lessons)
    assert [step.tactic for _, step in shorter.steps] == ["simp [f]", "omega"]
    assert [pair["chosen"] for pair in shorter.pairs] == ["simp [f]"]
    assert known.applied(Lessons()) == Lessons()


def test_a_line_that_a_kill_has_cut_short_is_found_anew(tmp_path: Path) -> None:
    first, second = tmp_path / "01", tmp_path / "02"
    for folder in (first, second):
        folder.mkdir()
    known = Shortened([first])
    known.add(("⊢ p", "a"), "b", 2)
    known.add(("⊢ p", "c"), "d", 5)
    path = first / FILE
    path.write_bytes(path.read_bytes()[:-4])
    again = Shortened([first])
    assert ("⊢ p", "a") in again and ("⊢ p", "c") not in again and again.calls == 2
    again.add(("⊢ p", "c"), "e", 1)
    after = Shortened([first, second])  # the next round knows them, and has spent nothing yet
    assert ("⊢ p", "c") in after and after.calls == 0
