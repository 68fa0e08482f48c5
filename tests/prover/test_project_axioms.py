"""Proofs that rest on a project's own axioms, or on open theorems, on real Lean: where nobody has allowed it they are
refused, and else it is said what they rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lean_agent.agent.run_folder import RunFolder
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.cli.main import app
from lean_agent.database import DynamicDatabase
from lean_agent.errors import TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.proofs.result import ProofResult
from tests.lean.traced_project import written

pytestmark = pytest.mark.lean

BASE = """axiom Class : Type
axiom Mem : Class → Class → Prop
axiom ext_ax : ∀ A B, (∀ x, Mem x A ↔ Mem x B) → A = B
axiom cheat : ∀ P : Prop, P
"""
SETS = """import Base

theorem same (A B : Class) (h : ∀ x, Mem x A ↔ Mem x B) : A = B := by
  sorry

theorem wrong (n : Nat) : n < n := by
  sorry

axiom later : ∀ A B : Class, A = B
"""
BUDGET = SearchBudget(lean_calls=16)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return written(tmp_path / "classes", Base=BASE, Sets=SETS)


def proved(lean: LeanPool, database: DynamicDatabase, project: Path, run: Path, **settings: Any) -> list[ProofResult]:
    agent = ScriptedAgent(lean=lean, database=database, run=RunFolder(run))
    agent.setup_local_repository(project)
    return agent.prove(config=SearchConfig(budget=BUDGET, **settings))


def test_axioms_of_the_project_are_used_where_that_is_allowed(
    lean: LeanPool, database: DynamicDatabase, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    same, wrong = proved(lean, database, project, tmp_path / "without", project_axioms=False)
    assert not same.proved and not wrong.proved
    assert same.message == "the proof rests on ext_ax, which the project states as an axiom"
    assert "same: the proof rests on ext_ax" in capsys.readouterr().out

    same, wrong = proved(lean, database, project, tmp_path / "with", project_axioms=True)
    assert same.proved and same.verdict is not None and "ext_ax" in same.verdict.axioms
    assert not wrong.proved and wrong.search.axioms == ("Class", "Mem", "ext_ax")


def test_a_site_says_which_axioms_its_proofs_may_rest_on(lean: LeanPool, tmp_path: Path) -> None:
    here = LeanProject(written(tmp_path, Sets=BASE + SETS.removeprefix("import Base\n")))
    site = TheoremSite(here, "Sets.lean", "same", may_use_axioms=True)
    state = lean.goal_start(site)
    assert state.axioms == ("Class", "Mem", "ext_ax")
    assert lean.goal_tactic(state, "exact ext_ax A B h").is_solved
    for tactic in ("exact cheat _", "exact later A B"):
        with pytest.raises(TacticFailure):
            lean.goal_tactic(state, tactic)
    plain = lean.goal_start(TheoremSite(here, "Sets.lean", "same"))
    assert plain.axioms == ()
    with pytest.raises(TacticFailure) as refused:
        lean.goal_tactic(plain, "exact ext_ax A B h")
    assert refused.value.kind == "axiom"
    verdict = lean.verify(site, "by exact ext_ax A B h", whole_file=True)
    assert verdict.kind == "axiom"  # the judge is told by name


def test_the_command_line_allows_them(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["prove", str(project), "--lean-calls", "16", "--workers", "1", "--theorem", "same", "--minimal"]
    result = CliRunner().invoke(app, [*arguments, "--project-axioms"])
    assert result.exit_code == 0, result.output
    assert "1 of 1 open theorem proved and verified" in " ".join(result.stdout.split())


CHOSEN = """axiom Class : Type
axiom chosen {P : Class → Prop} (h : ∃ x, P x) : Class
axiom chosen_is {P : Class → Prop} (h : ∃ x, P x) : P (chosen h)
axiom Hollow : Class → Prop

theorem some_empty : ∃ x, Hollow x := by
  sorry

noncomputable def nothing : Class := chosen some_empty

theorem nothing_empty : Hollow nothing := by
  sorry

theorem nothing_still_empty : Hollow nothing ∧ Hollow nothing := by
  sorry

def number : Nat := sorry

theorem number_small : number < 3 := by
  sorry
"""


@pytest.mark.parametrize("assumes", [False, True])
def test_what_rests_on_open_theorems_is_proved_given_these(
    lean: LeanPool, database: DynamicDatabase, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, assumes: bool
) -> None:
    folder = written(tmp_path / "chosen", Chosen=CHOSEN)
    found = proved(lean, database, folder, tmp_path / "run", project_axioms=True, assume_open=assumes)
    results = {result.theorem.full_name: result for result in found}
    resting = [results["nothing_empty"], results["nothing_still_empty"]]
    said = " ".join(capsys.readouterr().out.split())
    assert not any(result.proved for result in results.values())
    assert {result.status for result in resting} == {"conditional" if assumes else "unfinished"}
    assert results["number_small"].status == "unfinished", "a definition that is left open says nothing"
    if not assumes:
        return
    assert [result.given for result in resting] == [("some_empty",)] * 2
    assert resting[0].message == "given some_empty, which is open"
    assert "0 of 4 open theorems proved and verified. 2 more are proved given theorems that are left open" in said
    assert "likely to help others that were not proved: some_empty (2)." in said
    assert all(proof.verdict.kind == "sorry" for proof in database.proofs(accepted_only=False))
