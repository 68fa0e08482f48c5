"""Negations of variants: how they are stated, and that real Lean proves the one of a false variant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.improvement.disproof import negated, state_negations
from lean_agent.improvement.variants import Variant, file_text, variants_path
from lean_agent.lean.server import LeanServer
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import ScriptedProver
from lean_agent.tracing import local_repository, trace_repository
from lean_agent.tracing.project.repository import text_project


@pytest.mark.parametrize(
    ("statement", "negation"),
    [
        (": 1 = 2", ": ¬ (1 = 2)"),
        ("(n : Nat) (h : 0 < n) : n = 1", ": ¬ (∀ (n : Nat) (h : 0 < n), n = 1)"),
        (".{u} {α : Type u} [inst : Inhabited α] : ∃ x : α, p x", None),
        ("(f : (n : Nat) → Fin (n + 1)) : f 0 = 0", ": ¬ (∀ (f : (n : Nat) → Fin (n + 1)), f 0 = 0)"),
        ("nothing", None),
    ],
)
def test_a_statement_is_negated_as_a_whole(statement: str, negation: str | None) -> None:
    if statement.startswith(".{u}"):
        negation = ".{u} : ¬ (∀ {α : Type u} [inst : Inhabited α], ∃ x : α, p x)"
    assert negated(statement) == negation


SOURCE = """\
namespace Small
universe u
inductive Light where
  | red
  | green

def next : Light → Light
  | .red => .green
  | .green => .red

theorem twice (l : Light) : next (next l) = l := by
  cases l <;> rfl
end Small
"""


@pytest.mark.lean
def test_a_search_disproves_what_is_false_and_not_what_is_true(
    lean: LeanServer, tmp_path: Path, small_project: Callable[[str], Path]
) -> None:
    statements = {
        "twice_variant1": "(l : Light) : next l = l",
        "twice_variant2": "(l : Light) : l = next (next l)",
        "twice_variant3": ".{v} {α : Type v} (f : Light → α) (l : Light) : f l = f (next (next l))",
        "twice_variant4": ": next Light.red = Light.red",
    }
    with DynamicDatabase(tmp_path / "db.sqlite") as database:
        repository = local_repository(small_project(SOURCE))
        traced = trace_repository(repository, lean, database=database, progress=False)
        ((path, module),) = ((file.path, file.module) for file in traced.files)
        common = {"file_path": path, "module": module, "kind": "exchange", "change": "", "fate": "open"}
        made = [
            Variant("Small.twice", name=name, statement=statement, scope=("namespace Small",), **common)  # type: ignore[arg-type]
            for name, statement in statements.items()
        ]
        place = text_project("variants of small", {variants_path(module): file_text(made)}, original=repository)
        trace_repository(place, lean, database=database, progress=False)
        stored = {each.full_name: each for each in database.theorems(place)}
        pairs = state_negations([(stored[each.full_name], each) for each in made], lean, database)
        assert [variant.full_name for variant, _ in pairs] == [variant.full_name for variant in made]
        assert pairs[0][1].file_path == f"Negations/{path}" and pairs[0][1].theorem.has_sorry
        search = SearchConfig(budget=SearchBudget(lean_calls=16))
        prover = ScriptedProver(lean, config=search, database=database)
        results = prover.prove_all([negation for _, negation in pairs])
        proved = {result.theorem.full_name for result in results if result.proved}
        assert proved == {"Small.twice_variant1_negation", "Small.twice_variant4_negation"}
