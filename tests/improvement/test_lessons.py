"""What searches teach, as data beside the traced proofs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.records import FoundTactic
from lean_agent.improvement.lessons import Lessons, found_tactics, lessons_of
from lean_agent.improvement.practice import Guard
from lean_agent.improvement.practice_data import MOST_REPEATS, PracticeData
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch
from lean_agent.prover.tree.graph import Failure
from lean_agent.tracing import Repository
from lean_agent.trainer.data.dataset import SFTDataset

Stored = Callable[..., list[StoredTheorem]]
SWAP = "a b : Prop\nh : a ∧ b\n⊢ b ∧ a"


def edge(tactic: str, *targets: int, proves: bool = False, by: Any = "policy") -> SavedEdge:
    return SavedEdge(tactic, -1.0, targets, by, proves)


def node(number: int, goal: str, *edges: SavedEdge, solved: bool = True, fails: tuple[str, ...] = ()) -> SavedNode:
    failures = tuple(Failure(tactic, -1.0, "error", "no") for tactic in fails)
    return SavedNode(0, number, (goal,), "expanded", solved, 0.0, number, edges=edges, failures=failures)


def search(*nodes: SavedNode, script: tuple[str, ...] = ()) -> SavedSearch:
    return SavedSearch("t", "A.lean", "p", "best_step", "proved", script=script, nodes=nodes)


def test_solved_sub_goals_of_a_failed_search_teach_and_what_is_held_out_does_not(stored: Stored) -> None:
    (held,) = stored(("held", "∀ (p q : Prop), p ∧ q → q ∧ p", ("p q : Prop\nh : p ∧ q\n⊢ q ∧ p", "sorry")))
    (theorem,) = stored(("t", "∀ (n : Nat), f n = n"))
    failed = search(
        node(0, "⊢ f n = n", edge("split", 1, 2, 3), solved=False),
        node(1, "⊢ n = n", edge("rfl"), fails=("simp at h", "omega")),
        node(2, SWAP, edge("exact ⟨h.2, h.1⟩"), fails=("rfl",)),
        node(3, "⊢ f n = g n", solved=False, fails=("rfl",)),
    )
    lessons = lessons_of([(theorem, failed)], Guard([held]))
    assert [(stored.full_name, step.goal, step.tactic) for stored, step in lessons.steps] == [("t", "⊢ n = n", "rfl")]
    assert lessons.refused == 1
    assert [(pair["prompt"], pair["chosen"]) for pair in lessons.pairs] == [("⊢ n = n", "rfl")]
    assert lessons_of([(theorem, failed)], Guard([])).refused == 0


def test_the_data_is_what_supervised_training_reads(
    stored: Stored, database: DynamicDatabase, repository: Repository, tmp_path: Path
) -> None:
    from lean_agent.database.splits import random_split

    names = [f"t{n}" for n in range(40) if random_split(f"hash t{n}") == "train"][:3]
    first, second, third = stored(
        (names[0], "∀ (x : A), P x", ("⊢ P x", "simp")),
        (names[1], "∀ (x : B), Q x → Q x", ("⊢ ∀ (x : B), Q x → Q x", "tauto"), ("x : B\nh : Q x\n⊢ Q x", "exact h")),
        (names[2], "∀ (x : C), R x", ("⊢ R x", "decide")),
        sorry=False,
    )
    (open_theorem,) = stored(("open", "∀ (n : Nat), f n = n"))
    searched = search(
        node(0, "⊢ f n = n", edge("unfold f", 1)), node(1, "⊢ n = n", edge("rfl")), node(2, "⊢ P x", edge("simp"))
    )
    # The second traced theorem is held out, with all of its proof; the third is not among the traced rows' guard.
    lessons = lessons_of([(open_theorem, searched)], Guard([second]))
    data = PracticeData(database, [repository], lessons, Guard([second]))
    counts = data.export_merged_data((), tmp_path / "data")
    assert counts == {"traced": 2, "found": 2, "repeats": 1, "refused": 2}
    rows = {(row.full_name, row.problem, row.tactic) for row in SFTDataset(tmp_path / "data").rows}
    assert rows == {
        (first.full_name, "⊢ P x", "simp"),
        (third.full_name, "⊢ R x", "decide"),
        ("open", "⊢ f n = n", "unfold f"),
        ("open", "⊢ n = n", "rfl"),
    }
    kept = json.loads((tmp_path / "data" / "practice.json").read_text(encoding="utf-8"))
    assert kept == counts
    # Where they are to be three quarters of what is trained on, each comes three times; never so often that it drowns
    # the rest.
    for share, repeats in ((0.75, 3), (0.999, MOST_REPEATS)):
        data = PracticeData(database, [repository], lessons, Guard([second]), found_share=share)
        assert data.export_merged_data((), tmp_path / "more")["repeats"] == repeats
        trained_on = [row.problem for row in SFTDataset(tmp_path / "more").rows]
        assert trained_on.count("⊢ f n = n") == repeats and trained_on.count("⊢ P x") == 1


def test_the_key_changes_with_the_lessons(stored: Stored, database: DynamicDatabase, repository: Repository) -> None:
    (theorem,) = stored(("t", "∀ (n : Nat), f n = n"))
    keys = [
        PracticeData(database, [repository], lessons, Guard([])).key
        for lessons in (Lessons(), Lessons(), lessons_of([(theorem, search(node(0, "⊢ a", edge("b"))))], Guard([])))
    ]
    assert keys[0] == keys[1] != keys[2]


def test_a_found_proof_is_read_off_its_tree() -> None:
    proof = search(
        node(0, "⊢ r", edge("astray", 3), edge("split", 1, 2, proves=True)),
        node(1, "⊢ a", edge("done", proves=True)),
        node(2, "⊢ b", edge("x\ny", proves=True, by="memory")),
        node(3, "⊢ c", solved=False),
    )
    assert found_tactics(proof) == (
        FoundTactic("split", "⊢ r", "⊢ a\n\n⊢ b"),
        FoundTactic("done", "⊢ a", "no goals"),
        FoundTactic("", "⊢ b", "no goals"),  # several tactics at once are no step
    )
    whole = search(node(0, "⊢ r", edge("a\nb")), script=("a", "b"))
    assert found_tactics(whole) == (FoundTactic("a", "", ""), FoundTactic("b", "", ""))
