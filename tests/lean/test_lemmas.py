"""Open theorems that were proved are lemmas for others, of the same file and of files that import it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.agent.base import BaseAgent
from lean_agent.database import DynamicDatabase
from lean_agent.evaluation.results import PROOFS, recheck
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite, user_name
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.proofs.lemmas import Lemma, verify_with
from lean_agent.prover.proofs.result import ProofResult
from lean_agent.prover.proofs.write_back import write_back
from lean_agent.prover.provers import Prover, ScriptedProver
from tests.lean.traced_project import written

pytestmark = pytest.mark.lean

FIRST = """def dbl : Nat → Nat
  | 0 => 0
  | n + 1 => dbl n + 2

theorem dbl_eq (n : Nat) : dbl n = n + n := by
  sorry

theorem dbl_add (m n : Nat) : dbl (m + n) = dbl m + dbl n := by
  sorry

theorem dbl_false (n : Nat) : dbl n = n := by
  sorry

theorem on_false (n : Nat) : dbl n = n ∧ True := by
  sorry
"""
SECOND = """import First

theorem dbl_mul (m n : Nat) : dbl (dbl (m + n)) = 2 * dbl m + 2 * dbl n := by
  sorry
"""
TACTICS = (
    "simp only [{premises}]; omega",
    "induction n with | zero => rfl | succ n ih => simp only [dbl]; omega",
    "exact ⟨dbl_false n, trivial⟩",
)
CONFIG = SearchConfig(budget=SearchBudget(expansions=8, lean_calls=40, seconds=600.0))


class Agent(BaseAgent):
    """Proves with the list above."""

    def prover(self, **options: object) -> Prover:
        return ScriptedProver(self.lean, tactics=TACTICS, database=self.database, **options)  # type: ignore[arg-type]


def by_name(results: Sequence[ProofResult]) -> dict[str, ProofResult]:
    return {result.theorem.full_name: result for result in results}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "book", First=FIRST, Second=SECOND)


@pytest.fixture
def agent(folder: Path, tmp_path: Path, lean: LeanPool) -> Iterator[Agent]:
    database = DynamicDatabase(tmp_path / "database.sqlite")
    with Agent(database=database, lean=lean, runs_dir=tmp_path / "runs", progress=False) as agent:
        agent.setup_local_repository(folder)
        yield agent


def test_what_was_proved_is_a_lemma_for_what_comes_later(agent: Agent, lean: LeanPool) -> None:
    results = by_name(agent.prove(config=CONFIG, policy="own", premises=4))
    assert {name: result.status for name, result in results.items()} == {
        "dbl_eq": "proved",
        "dbl_add": "proved",
        "dbl_false": "failed",
        "on_false": "failed",  # what it uses was not proved
        "dbl_mul": "proved",
    }
    used = {name: [lemma.theorem.full_name for lemma in result.lemmas] for name, result in results.items()}
    assert used["dbl_eq"] == [] and used["dbl_add"] == ["dbl_eq"] and "dbl_eq" in used["dbl_mul"]
    assert not any("sorryAx" in result.verdict.axioms for result in results.values() if result.verdict)
    # its file holds both proofs, and is accepted by itself
    path = results["dbl_add"].path
    assert path is not None
    verdicts = {each.name: each.verdict.kind for each in lean.verify_text(path.read_text()).claims}
    assert verdicts == {"dbl_eq": "accepted", "dbl_add": "accepted", "dbl_false": "sorry", "on_false": "sorry"}


RESTING = """def dbl : Nat → Nat
  | 0 => 0
  | n + 1 => dbl n + 2

theorem dbl_succ (n : Nat) : dbl (n + 1) = dbl n + 2 := by
  sorry

theorem dbl_eq (n : Nat) : dbl n = 2 * n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [dbl_succ, ih]; omega

theorem below (f : Nat → Nat) (n : Nat) : f (dbl n) = f (2 * n) := by
  sorry

theorem false_one (n : Nat) : dbl n = n := by
  sorry

theorem on_false (n : Nat) : dbl n + 0 = n := by
  rw [false_one]; omega

theorem above (f : Nat → Nat) (n : Nat) : f (dbl n + 0) = f n := by
  sorry
"""


class Simplifying(BaseAgent):
    def prover(self, **options: object) -> Prover:
        tactics = ("rfl", "simp only [{premises}]", "exact congrArg f (on_false n)")
        return ScriptedProver(self.lean, tactics=tactics, database=self.database, **options)  # type: ignore[arg-type]


def test_what_rests_on_open_theorems_can_be_used_once_they_are_proved(tmp_path: Path, lean: LeanPool) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "Dbl.lean").write_text(RESTING)
    database = DynamicDatabase(tmp_path / "database.sqlite")
    with Simplifying(database=database, lean=lean, runs_dir=tmp_path / "runs", progress=False) as agent:
        agent.setup_local_repository(tmp_path / "book")
        results = by_name(agent.prove(config=CONFIG, policy="own", premises=6))
    assert {name: result.status for name, result in results.items()} == {
        "dbl_succ": "proved",
        "below": "proved",  # by dbl_eq, which has a proof, and rests on dbl_succ
        "false_one": "failed",
        "above": "failed",
    }
    below = results["below"]
    assert "dbl_eq" in below.proof and [lemma.theorem.full_name for lemma in below.lemmas] == ["dbl_succ"]
    assert below.verdict is not None and "sorryAx" not in below.verdict.axioms


STATED = """private theorem one_mul' (n : Nat) : n * 1 + 0 = n := by
  sorry

structure Kept where
  n : Nat
  same : n * 1 + 0 = n

def three : Kept := ⟨3, one_mul' 3⟩

theorem wrong (n : Nat) : n = n + 1 := by
  sorry

def four : Kept := ⟨4, by have := wrong 4; omega⟩

def gap : Nat := sorry

theorem kept : three.n = 3 := by
  sorry

theorem on_wrong : four.n = 4 := by
  sorry

theorem on_gap : gap = gap := by
  sorry
"""
STATED_BEYOND = """import Stated

theorem beyond : three.n + 1 = 4 := by
  sorry
"""


class Evident(BaseAgent):
    def prover(self, **options: object) -> Prover:
        tactics = ("simp", "rfl")
        return ScriptedProver(self.lean, tactics=tactics, database=self.database, **options)  # type: ignore[arg-type]


def test_what_is_stated_by_open_theorems_can_be_proved_once_they_are(tmp_path: Path, lean: LeanPool) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "Stated.lean").write_text(STATED)
    (book / "Beyond.lean").write_text(STATED_BEYOND)
    database = DynamicDatabase(tmp_path / "database.sqlite")
    with Evident(database=database, lean=lean, runs_dir=tmp_path / "runs", progress=False) as agent:
        agent.setup_local_repository(book)
        results = {
            user_name(name): result
            for name, result in by_name(agent.prove(config=CONFIG, policy="own", premises=4)).items()
        }
        assert {name: result.status for name, result in results.items()} == {
            "one_mul'": "proved",
            "wrong": "failed",
            "kept": "proved",
            "on_wrong": "unfinished",
            "on_gap": "unfinished",
            "beyond": "proved",
        }
        used = {
            name: [user_name(lemma.theorem.full_name) for lemma in result.lemmas] for name, result in results.items()
        }
        assert used["kept"] == used["beyond"] == ["one_mul'"]
        assert results["on_wrong"].message == "its statement rests on `wrong`, which is left as sorry, or has an error"
        assert {proof.verdict.kind for proof in recheck(agent.run.path, lean, progress=False)} == {"accepted"}
        written = write_back(list(results.values()), lean, tmp_path / "patches", place="patch", branch="")
        assert [left for tree in written for _, left in tree.left if "no commit" not in left] == []
        # in a later run, too, and not where each theorem stands alone
        (again,) = agent.prove(theorems=["kept"], config=CONFIG, policy="own")
        (alone,) = agent.prove(theorems=["kept"], config=replace(CONFIG, remember=False), policy="own")
        assert (again.status, alone.status) == ("proved", "unfinished")


def test_results_are_judged_again_with_their_lemmas_and_no_lemma_is_believed(agent: Agent, lean: LeanPool) -> None:
    agent.prove(config=CONFIG, policy="own", premises=4)
    proofs = agent.run.path / PROOFS
    assert [proof.verdict.kind for proof in recheck(agent.run.path, lean, progress=False)] == ["accepted"] * 3
    rows = [json.loads(line) for line in proofs.read_text().splitlines()]
    for lemma in ("by\n  sorry", "by\n  rfl", "by\n  omega\naxiom a : False"):
        changed = [
            {**row, "lemmas": [[file, name, lemma] for file, name, _ in row["lemmas"]]} if "lemmas" in row else row
            for row in rows
        ]
        proofs.write_text("".join(json.dumps(row) + "\n" for row in changed))
        rechecked = {each.attempt.full_name: each.verdict for each in recheck(agent.run.path, lean, progress=False)}
        assert rechecked["dbl_eq"].accepted
        for name in ("dbl_add", "dbl_mul"):
            assert not rechecked[name].accepted and "its lemma dbl_eq is not proved" in rechecked[name].reason


def test_proofs_with_lemmas_are_made_shorter_too(agent: Agent) -> None:
    results = by_name(
        agent.prove(theorems=["dbl_eq", "dbl_add"], config=CONFIG, policy="own", premises=4, minimal=True)
    )
    assert results["dbl_add"].proof == "by\n  simp only [dbl_eq]; omega", "without the other premises"
    assert [lemma.theorem.full_name for lemma in results["dbl_add"].lemmas] == ["dbl_eq"]
    assert results["dbl_add"].proved and "simp only [dbl_eq]; omega" in str(agent.database.proofs())


def test_a_later_run_uses_what_an_earlier_one_has_proved(agent: Agent) -> None:
    (first,) = agent.prove(theorems=["dbl_eq"], config=CONFIG, policy="own", premises=4)
    assert first.proved
    results = by_name(agent.prove(theorems=["dbl_add", "dbl_mul"], config=CONFIG, policy="own", premises=4))
    assert {name: result.status for name, result in results.items()} == {"dbl_add": "proved", "dbl_mul": "proved"}
    stored = {proof.full_name: [name for _, name, _ in proof.lemmas] for proof in agent.database.proofs()}
    assert stored["dbl_add"] == ["dbl_eq"]
    # where nothing is remembered, every theorem stands alone
    alone = by_name(agent.prove(theorems=["dbl_add"], config=replace(CONFIG, remember=False), policy="own", premises=4))
    assert alone["dbl_add"].status == "failed"


def test_proofs_are_written_back_with_the_lemmas_of_earlier_runs(agent: Agent, folder: Path, tmp_path: Path) -> None:
    agent.prove(theorems=["dbl_eq"], config=CONFIG, policy="own", premises=4)
    results = agent.prove(theorems=["dbl_add", "dbl_mul"], config=CONFIG, policy="own", premises=4)
    written = write_back(results, agent.lean, tmp_path / "patches", place="patch", branch="")
    assert [left for tree in written for _, left in tree.left if "no commit" not in left] == []
    patch = written[0].patch.read_text()
    assert patch.count("+  induction n with") == 1 and patch.count("+  simp only") == 2


def test_a_statement_that_a_lemma_s_proof_would_change_is_refused(folder: Path, tmp_path: Path, lean: LeanPool) -> None:
    """As if the judge had let a proof through that says more than its theorem."""
    project = LeanProject(folder, tmp_path / "build")
    traced = {theorem.full_name: theorem for theorem in lean.trace_file(project, "First.lean").theorems}
    honest = "by\n  induction n with | zero => rfl | succ n ih => simp only [dbl]; omega"
    site = TheoremSite(project, "First.lean", "dbl_false")
    for text, kind in (
        (honest, "error"),
        (f'{honest}\n\nlocal infix:50 " = " => fun (_ _ : Nat) => True', "statement"),
    ):
        verdict = verify_with(lean, site, "by\n  trivial", [Lemma("First.lean", traced["dbl_eq"], text)])
        assert verdict.kind == kind, verdict
