"""Examples are theorems by names of their own; what a statement rests on is known before anything is tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite, TracedFile
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.proofs.write_back import write_back
from lean_agent.prover.provers import Prover
from lean_agent.prover.statements import theorems_of_file
from lean_agent.tracing.check import TraceCheck, check_file

pytestmark = pytest.mark.lean

SOURCE = """\
def pol (n : Nat) : Nat := sorry
def val : Nat → Nat := fun n => n + 1
example : val 1 = 2 := sorry
namespace A
variable (p q : Prop) (hp : p)
example : p ∨ q := by
  sorry
example (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.2
  · exact h.1
end A
example : Nat := 3
open Nat in
example : succ 1 = 2 := rfl
theorem named : val 1 = 2 := by sorry
theorem over : pol 1 = pol (0 + 1) := by sorry
example : pol 0 = pol 0 := sorry
theorem itself : (sorry : Nat) = 0 := by sorry
example : 1 = 2 := by omega
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    folder = tmp_path_factory.mktemp("open") / "examples"
    folder.mkdir()
    (folder / "A.lean").write_text(SOURCE, encoding="utf-8")
    return LeanProject(folder, folder.parent / "build")


@pytest.fixture(scope="module")
def traced(lean: LeanPool, project: LeanProject) -> TracedFile:
    return lean.trace_file(project, "A.lean")


def test_examples_are_traced_by_their_number_in_the_file(traced: TracedFile) -> None:
    """The fourth states no proposition and is none; the seventh has an error."""
    names = ["example.1", "A.example.2", "A.example.3", "example.5", "named", "over", "example.6", "itself"]
    assert [theorem.full_name for theorem in traced.theorems] == names
    examples = {theorem.full_name: theorem for theorem in traced.theorems if theorem.is_example}
    assert list(examples) == ["example.1", "A.example.2", "A.example.3", "example.5", "example.6"]
    assert {name: theorem.has_sorry for name, theorem in examples.items()} == {
        "example.1": True, "A.example.2": True, "A.example.3": False, "example.5": False, "example.6": True,
    }  # fmt: skip
    third = examples["A.example.3"]
    assert (third.statement, third.mode) == ("example (h : p ∧ q) : q ∧ p", "tactic")
    assert third.tactics[0].state_before == "p q : Prop\nhp : p\nh : p ∧ q\n⊢ q ∧ p"
    assert examples["example.6"].axioms == ("sorryAx",)  # of `pol`; its own hole is no axiom
    assert [lost.full_name for lost in traced.lost] == ["example.7"]
    assert not [declaration for declaration in traced.declarations if "example" in declaration.full_name]
    assert not [message for message in traced.beside_theorems if "belongs to no theorem" in message.text]


def test_steps_of_examples_are_run_again_as_they_are_stored(
    lean: LeanPool, project: LeanProject, traced: TracedFile
) -> None:
    check = TraceCheck()
    check_file(project, traced, lean, check)
    assert not check.missed
    assert check.matched == 3  # those of the third example


@pytest.mark.parametrize("whole_file", [False, True])
def test_examples_are_judged(lean: LeanPool, project: LeanProject, whole_file: bool) -> None:
    def kind(name: str, proof: str) -> str:
        return lean.verify(TheoremSite(project, "A.lean", name), proof, whole_file=whole_file).kind

    assert kind("example.1", "rfl") == "accepted"
    assert kind("A.example.2", "by\n  exact Or.inl hp") == "accepted"  # a variable that no statement names
    assert kind("A.example.2", "by sorry") == "sorry"
    assert kind("A.example.3", "⟨h.2, h.2⟩") == "error"
    assert kind("example.1", "rfl\naxiom more : False") == "forbidden"
    assert kind("example.6", "rfl") == "sorry"
    assert kind("named", "example.1") == "error"  # nobody can use one
    assert kind("example.8", "rfl") == "not_found"


def test_what_a_statement_rests_on_is_known_at_its_start(lean: LeanPool, project: LeanProject) -> None:
    names = ("over", "example.6", "itself", "named", "A.example.2")
    starts = [lean.goal_start(TheoremSite(project, "A.lean", name)) for name in names]
    assert [start.unfinished for start in starts] == [("pol",), ("pol",), ("itself",), (), ()]


def test_examples_are_proved_and_written_back_in_place(lean: LeanPool, project: LeanProject, tmp_path: Path) -> None:
    """Of six open statements three can be proved; the others cost no call of Lean's."""
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        theorems = theorems_of_file(project.root / "A.lean", lean, database)
        config = SearchConfig(budget=SearchBudget(lean_calls=8, seconds=60.0))
        policy = ScriptedPolicy(["rfl", "exact Or.inl hp"])
        results = list(Prover("list", policy, lean, config=config, database=database).prove_all(theorems))
        attempted = database.pass_rates([theorems[0].repository], ["list"])
    ended = {result.theorem.full_name: (result.status, result.message) for result in results}
    rests = "its statement rests on `pol`, which is left as sorry, or has an error"
    assert ended == {
        "example.1": ("proved", ""), "A.example.2": ("proved", ""), "named": ("proved", ""),
        "over": ("unfinished", rests), "example.6": ("unfinished", rests),
        "itself": ("unfinished", "its statement has a sorry in it"),
    }  # fmt: skip
    assert {result.lean_calls for result in results if result.status == "unfinished"} == {0}
    assert {name for *_, name in attempted} == {"example.1", "A.example.2", "named"}
    (written,) = write_back(results, lean, tmp_path / "patches", place="patch", branch="none")
    patch = written.patch.read_text("utf-8")
    assert "-example : val 1 = 2 := sorry\n+example : val 1 = 2 := by\n" in patch
    assert patch.count("\n-  sorry\n") == 1


def test_warnings_that_a_file_has_made_errors_leave_its_theorems_open(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "Strict.lean").write_text(
        "set_option warningAsError true\n"
        "theorem one : 1 = 1 := by sorry\ntheorem two (p : Prop) (h : p) : p := by exact h\n",
        encoding="utf-8",
    )
    strict = LeanProject(tmp_path, tmp_path / "build")
    file = lean.trace_file(strict, "Strict.lean")
    assert not file.errors and [theorem.full_name for theorem in file.theorems] == ["one", "two"]
    goal = lean.goal_start(TheoremSite(strict, "Strict.lean", "one"))
    assert lean.goal_tactic(goal, "rfl").is_solved
