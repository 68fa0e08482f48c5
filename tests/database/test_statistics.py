from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from lean_agent.database import DynamicDatabase
from lean_agent.lean.types import LeanMessage, Position, TracedFile, TracedTactic, TracedTheorem, Verdict
from lean_agent.tracing import Repository, SkippedFile


def test_a_summary_counts_what_is_stored(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    database.add_repository(repository, licence="MIT")
    broken = make_file("A.lean", [make_theorem("a", steps=3), make_theorem("b", sorry=True)])
    object.__setattr__(broken, "messages", (LeanMessage("error", "no", Position(1, 0)), *broken.messages))
    database.store_file(repository, broken, "1")
    database.store_file(repository, make_file("B.lean", [make_theorem("c", sorry=True)]), "1")
    database.store_skipped_file(repository, SkippedFile("C.lean", 1, "needs Mathlib"))
    for name, kind in (("b", "accepted"), ("b", "accepted"), ("c", "sorry")):
        database.store_proof(repository, "A.lean", name, "by x", Verdict(kind, ""), source="x")  # type: ignore[arg-type]
    (summary,) = database.summaries()
    assert (summary.name, summary.licence, summary.toolchain) == ("swap", "MIT", "leanprover/lean4:v4.28.0")
    assert (summary.files, summary.skipped, summary.errors) == (2, 1, 1)
    assert (summary.theorems, summary.open, summary.proved, summary.tactics) == (3, 2, 1, 5)


def test_tactics_count_by_their_first_word_where_they_are_steps_of_finished_proofs(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    texts = ["simp [x]", "simp_all", "exact? ", "⟨x, y⟩", ""]
    tactics = tuple(TracedTactic("·", step, 0, 1, "⊢ " + "p" * n, "", 1, 0) for n, step in enumerate(texts))
    theorem = make_theorem("t")
    object.__setattr__(theorem, "tactics", tactics)
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", [theorem, make_theorem("open", steps=9, sorry=True)]), "1")
    found = database.proof_statistics()
    assert found.steps == (4,)
    assert found.tactics == Counter({"simp": 1, "simp_all": 1, "exact?": 1, "⟨": 1})
    assert found.state_characters == (2, 3, 4, 5)  # "⊢ " and 0, 1, 2, 3 letters
