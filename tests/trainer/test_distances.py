"""How many steps goals of traced proofs have left, and how well a prediction orders them, in numbers worked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lean_agent.errors import TrainingError
from lean_agent.trainer.data.distances import (
    Distance,
    concordance,
    merged,
    rank_correlation,
    read_distances,
    trace_distances,
)


def theorem(*tactics: tuple[str, int, int, str, str, str]) -> dict[str, Any]:
    names = ("step", "position", "end_position", "tactic", "state_before", "state_after")
    return {"full_name": "t", "traced_tactics": [dict(zip(names, tactic, strict=True)) for tactic in tactics]}


def left(entry: dict[str, Any]) -> dict[str, int]:
    """The steps of each goal by itself."""
    return {row.goal: row.steps for row in trace_distances(entry) if not row.tactic}


def test_a_goal_has_the_steps_of_its_own_part_of_the_proof() -> None:
    # constructor leaves a and b; a takes two steps, b one: 1 + 2 + 1.
    entry = theorem(
        ("constructor", 0, 11, "constructor", "⊢ a ∧ b", "⊢ a\n\n⊢ b"),
        ("intro x", 12, 19, "intro x", "⊢ a\n\n⊢ b", "⊢ c\n\n⊢ b"),
        ("rfl", 20, 23, "rfl", "⊢ c\n\n⊢ b", "⊢ b"),
        ("exact h", 24, 31, "exact h", "⊢ b", "no goals"),
    )
    assert left(entry) == {"⊢ a ∧ b": 4, "⊢ a": 2, "⊢ c": 1, "⊢ b": 1}
    assert {row.tactic: row.steps for row in trace_distances(entry) if row.tactic} == {
        "constructor": 4,
        "intro x": 2,
        "rfl": 1,
        "exact h": 1,
    }


def test_bullets_are_no_steps_and_branches_stand_inside() -> None:
    # `·` has an empty step; `cases … with` leaves its goals to what stands inside: 1 + 1 + 1, after `intro` 4.
    entry = theorem(
        ("intro h", 0, 7, "intro h", "⊢ g", "⊢ h"),
        ("cases h with ?_ ?_", 8, 60, "cases h with rfl rfl", "⊢ h", "no goals"),
        ("rfl", 20, 23, "rfl", "⊢ l", "no goals"),
        ("", 30, 50, "· rfl", "⊢ r", "no goals"),
        ("rfl", 32, 35, "rfl", "⊢ r", "no goals"),
    )
    assert left(entry) == {"⊢ g": 4, "⊢ h": 3, "⊢ l": 1, "⊢ r": 1}


def test_what_a_step_runs_inside_itself_costs_nothing_more() -> None:
    entry = theorem(
        ("cases x <;> rfl", 0, 15, "cases x <;> rfl", "⊢ x", "no goals"),
        ("cases x", 0, 7, "cases x", "⊢ x", "⊢ y\n\n⊢ z"),
        ("rfl", 12, 15, "rfl", "⊢ y", "no goals"),
        ("", 12, 15, "rfl", "⊢ z", "no goals"),
    )
    assert [row.steps for row in trace_distances(entry) if row.tactic == "cases x <;> rfl"] == [1]
    assert left(entry)["⊢ y"] == 1


def test_a_proof_with_a_hole_or_from_an_older_export_teaches_nothing() -> None:
    assert left(theorem(("sorry", 0, 5, "sorry", "⊢ a", "no goals"))) == {}
    older = theorem(("rfl", 0, 3, "rfl", "⊢ a", "no goals"))
    del older["traced_tactics"][0]["end_position"]
    assert left(older) == {}


def test_of_several_rows_the_best_known_stays() -> None:
    rows = [
        Distance("⊢ a", "", 3),
        Distance("⊢ a", "", 2),
        Distance("⊢ a", "", 9, censored=True),
        Distance("⊢ b", "", 1, censored=True),
        Distance("⊢ b", "", 4, censored=True),
    ]
    assert {(row.goal, row.steps, row.censored) for row in merged(rows)} == {("⊢ a", 2, False), ("⊢ b", 4, True)}


def test_concordance_counts_the_pairs_whose_order_is_known() -> None:
    rows = [Distance("a", "", 1), Distance("b", "", 3), Distance("c", "", 2, censored=True)]
    # Known: a before b, a before c (more than 2). b and c are not: c has more than 2, which may be 3.
    assert concordance([1.0, 2.0, 3.0], rows) == 1.0
    assert concordance([2.0, 1.0, 2.0], rows) == 0.25  # b wrong; c a tie, which counts half: 0.5 of 2
    assert concordance([1.0], rows[:1]) == 0.5


def test_rank_correlation_is_over_what_is_known() -> None:
    rows = [Distance("a", "", 1), Distance("b", "", 3), Distance("c", "", 2), Distance("d", "", 9, censored=True)]
    assert rank_correlation([0.1, 0.9, 0.5, 0.0], rows) == pytest.approx(1.0)
    assert rank_correlation([1, 1, 1, 1], rows) == 0.0
    # Ranks 1 3 2 against 3 1 2: 1 - 6 * (4 + 4 + 0) / (3 * 8) = -1.
    assert rank_correlation([9, 1, 5, 0], rows) == pytest.approx(-1.0)


def test_lines_of_an_export_are_read_and_bad_ones_named(tmp_path: Path) -> None:
    file = tmp_path / "distances.jsonl"
    good = {"goal": "⊢ a", "tactic": "", "steps": 2, "censored": False, "theorem": "t"}
    file.write_text(json.dumps(good) + "\n" + json.dumps({**good, "theorem": "held"}) + "\n", encoding="utf-8")
    assert [row.theorem for row in read_distances(file, without={"held"})] == ["t"]
    file.write_text(json.dumps(good) + "\n" + json.dumps({**good, "steps": 0}) + "\n", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"Line 2 of .* is no goal with its steps \(steps is 0\)"):
        list(read_distances(file))
    with pytest.raises(TrainingError, match="export distances"):
        list(read_distances(tmp_path / "none.jsonl"))
