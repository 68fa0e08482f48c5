"""Variants that real Lean makes of a small project: each kind, what is refuted, and a proof that is judged again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.errors import LeanRequestError
from lean_agent.evaluation.evaluate import evaluate
from lean_agent.evaluation.results import keep_repositories, recheck
from lean_agent.improvement.practice import Guard
from lean_agent.improvement.variants import counts, practice_variants
from lean_agent.lean.server import LeanServer
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.provers import ScriptedProver
from lean_agent.tracing import lean_project, local_repository, trace_repository

pytestmark = pytest.mark.lean

SOURCE = """\
namespace Small

class Ordered (α : Type) where
  below : α → α → Prop
  refl : ∀ a, below a a
  antisymm : ∀ a b, below a b → below b a → a = b

def Low (n : Nat) : Prop := n < 2
def High (n : Nat) : Prop := 2 ≤ n

theorem low_of_le (m n : Nat) (h1 : m ≤ n) (h2 : Low n) : Low m := by
  unfold Low at *
  omega

theorem same {α : Type} [Ordered α] (a b : α) (h1 : Ordered.below a b) (h2 : Ordered.below b a) : a = b := by
  exact Ordered.antisymm a b h1 h2

theorem flip (p q : Prop) : q ∧ p ↔ p ∧ q := by
  exact and_comm

end Small
"""


def test_every_kind_is_made_and_what_is_false_near_or_known_is_not_practised(
    lean: LeanServer, tmp_path: Path, small_project: Callable[[str], Path]
) -> None:
    folder = small_project(SOURCE)
    with DynamicDatabase(tmp_path / "db.sqlite") as database:
        repository = local_repository(folder)
        trace_repository(repository, lean, database=database, progress=False)
        sources = database.theorems(repository)
        near = replace(sources[2].theorem, full_name="held", type="∀ (a b : Prop), a ∧ b ↔ b ∧ a")
        guard = Guard([replace(sources[2], theorem=near)])
        theorems, variants = practice_variants(
            tmp_path / "run", [repository], sources, server=lean, database=database, guard=guard, progress=False
        )
        lines = {(v.source.removeprefix("Small."), v.kind, v.change): v for v in variants}
        assert counts(variants).keys() == {
            "contrapose", "drop", "exchange", "permute", "specialise", "subgoal", "swap",
        }  # fmt: skip
        # 2 ≤ 2 and 2 is not low; two elements that are not the same, in a model of the class that Lean has made.
        assert lines["low_of_le", "drop", "without h2"].reason == "m := 2, n := 2"
        assert lines["same", "drop", "without h1"].fate == "refuted"
        turned = "Small.Low with Small.High, LE.le turned around"
        assert lines["low_of_le", "exchange", turned].statement == "(m n : Nat) (h1 : n ≤ m) (h2 : High n) : High m"
        assert lines["low_of_le", "exchange", "Small.Low with Small.High"].fate == "refuted"
        assert lines["low_of_le", "specialise", "m := 0"].statement == "(n : Nat) (h1 : 0 ≤ n) (h2 : Low n) : Low 0"
        assert lines["low_of_le", "specialise", "n := m"].fate == "trivial", "a hypothesis says it"
        assert lines["flip", "swap", "sides"].fate == "refused", "it is held out"
        opened = [variant.full_name for variant in variants if variant.fate == "open"]
        assert sorted(theorem.full_name for theorem in theorems) == sorted(opened), "all elaborate in their files"
        assert not list(folder.rglob("Variants")) and {theorem.theorem.has_sorry for theorem in theorems} == {True}

        name = lines["low_of_le", "contrapose", "h2"].full_name
        (theorem,) = (theorem for theorem in theorems if theorem.full_name == name)
        proof = "by\n  intro h\n  exact h2 (low_of_le m n h1 h)"  # the files import the originals
        assert lean.verify(theorem.site, proof).accepted
        # A results folder is checked without the files that it was made with.
        keep_repositories(tmp_path / "results", [theorem])
        prover = ScriptedProver(lean, tactics=("exact fun h => h2 (low_of_le m n h1 h)",))
        evaluate([prover], [theorem], SearchBudget(lean_calls=4), results_path=tmp_path / "results" / "attempts.jsonl")
        shutil.rmtree(theorem.repository.path)
        (again,) = recheck(tmp_path / "results", lean, progress=False)
        assert again.verdict.accepted, again.verdict
        with pytest.raises(LeanRequestError, match="no file"):
            lean.variants(lean_project(repository), "None.lean", ["Small.flip"])
