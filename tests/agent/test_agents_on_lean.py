"""The agents on real Lean: a small repository with nested modules, from its `sorry`s to files that Lean accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.cli.verify import verify_files
from lean_agent.prover.best_first import SearchBudget, SearchConfig

pytestmark = pytest.mark.lean

BASIC = """namespace Tiny

def double (n : Nat) : Nat := n + n

theorem double_zero : double 0 = 0 := rfl

end Tiny
"""
MAIN = """import Tiny.Basic

namespace Tiny

variable (p q : Prop)

theorem double_eq (n : Nat) : double n = 2 * n := by
  unfold double
  omega

theorem swap (h : p ∧ q) : q ∧ p := by
  sorry

theorem double_double (n : Nat) : 4 * n = 2 * (n + n) := by sorry

theorem false_claim (n : Nat) : n < n := by
  sorry

end Tiny
"""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "tiny größe"
    (folder / "Tiny").mkdir(parents=True)
    (folder / "lakefile.toml").write_text('name = "tiny"\n', encoding="utf-8")
    (folder / "Tiny" / "Basic.lean").write_text(BASIC, encoding="utf-8")
    (folder / "Tiny.lean").write_text(MAIN, encoding="utf-8")
    return folder


def test_open_theorems_are_proved_and_their_files_hold_up(repository: Path, tmp_path: Path) -> None:
    config = SearchConfig(budget=SearchBudget(expansions=4, lean_calls=64, seconds=60.0))
    with ScriptedAgent(workers=1, cache_dir=tmp_path / "own", runs_dir=tmp_path / "runs", progress=False) as agent:
        traced = agent.setup_local_repository(repository)
        assert traced.skipped == () and traced.errors == ()
        results = {result.theorem.full_name: result for result in agent.prove(config=config)}
        assert {name: result.proved for name, result in results.items()} == {
            "Tiny.swap": True,
            "Tiny.double_double": True,
            "Tiny.false_claim": False,
        }
        path = results["Tiny.double_double"].path
        assert path is not None
        written = path.read_text(encoding="utf-8")
        proof = results["Tiny.double_double"].proof
        assert written == MAIN.replace("2 * (n + n) := by sorry", f"2 * (n + n) := {proof}")
        # In the project, in the place of the original, the judge takes the proof and refuses the sorrys that are left.
        (repository / "Tiny.lean").write_text(written, encoding="utf-8")
        assert not verify_files([repository / "Tiny.lean"], server=agent.lean)
        assert verify_files([repository / "Tiny" / "Basic.lean"], server=agent.lean)
