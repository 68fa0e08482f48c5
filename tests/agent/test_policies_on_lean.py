"""Agents that prove by neighbours and mixtures, on real Lean: what was traced, and what is found on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from neighbours import Bench

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.mixture import MixturePolicy
from lean_agent.policy.retrieval.corpus import place_of_stored
from lean_agent.prompts import shown_premises
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import Prover

pytestmark = pytest.mark.lean

BUDGET = SearchBudget(expansions=16, lean_calls=48, seconds=120.0)

TEXT = """namespace Roots

/-- No closing tactic guesses the number; the first proof names it. -/
theorem first (n : Nat) (h : 0 < n) : (∃ k : Nat, k * k = 1444) ∧ n ≠ 0 := by
  refine ⟨⟨38, ?_⟩, ?_⟩
  · rfl
  · exact Nat.pos_iff_ne_zero.mp h

theorem second (m : Nat) (hm : 0 < m) : (∃ k : Nat, 1444 = k * k) ∧ m ≠ 0 := by
  sorry

theorem third (p : Prop) (hp : p) : p ∨ False := by
  sorry

end Roots
"""


@pytest.fixture(scope="module")
def agent(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedAgent]:
    folder = tmp_path_factory.mktemp("roots")
    (folder / "lakefile.toml").write_text('name = "roots"\n', encoding="utf-8")
    (folder / "Roots.lean").write_text(TEXT, encoding="utf-8")
    database = DynamicDatabase(folder / "database.sqlite")
    with ScriptedAgent(lean=lean, database=database, runs_dir=folder / "runs", progress=False) as agent:
        agent.setup_local_repository(folder)
        yield agent


def proved(agent: ScriptedAgent, **options: Any) -> dict[str, str]:
    config = SearchConfig(budget=BUDGET)
    return {r.theorem.full_name: r.proof for r in agent.prove(config=config, **options) if r.proved}


def test_neighbours_prove_what_was_proved_alike(agent: ScriptedAgent) -> None:
    assert "Roots.second" not in proved(agent, policy="own")
    proofs = proved(agent, policy="neighbours")
    assert "38" in proofs["Roots.second"]
    assert "Roots.third" not in proofs, "no traced proof is like it"


def test_a_mixture_proves_what_either_does_and_learns_on_the_way(
    agent: ScriptedAgent, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set(proved(agent, policy="mixture")) == {"Roots.second", "Roots.third"}
    shown = capsys.readouterr()
    assert "Weights of the mixture: neighbours" in shown.out + shown.err
    # What is remembered of one theorem is proposed for the next.
    policy = agent.neighbours()
    assert len(policy) == 3
    for remember, learnt in ((False, False), (True, True)):
        config = SearchConfig(budget=BUDGET, remember=remember)
        list(
            Prover("mixture", MixturePolicy({"neighbours": policy}), agent.lean, config=config).prove_all(
                agent.open_theorems()
            )
        )
        assert (len(policy) > 3) is learnt


def test_theorems_that_are_measured_are_not_looked_up(agent: ScriptedAgent) -> None:
    traced = agent.database.theorems(agent.repositories[0].repository, sorry=False)
    assert [theorem.full_name for theorem in traced] == ["Roots.first"]
    assert len(agent.neighbours(without=traced)) == 0


KNOTS = """namespace Knots

def tie (a b : Nat) : Nat := a * b + a + b

infixl:65 " ⋈ " => tie

theorem zero_add_one (m n : Nat) (h : m = n) : n = m := h.symm

theorem one_add_zero (m n : Nat) (h : m = n) : m + 0 = n := h

theorem swapped (m n : Nat) : m ⋈ n = n ⋈ m := by
  sorry

end Knots
"""


@pytest.mark.parametrize("premises", [None, 1, 0])
def test_schemes_know_what_a_goal_names_with_any_number_of_premises(
    premises: int | None, lean: LeanPool, tmp_path: Path
) -> None:
    """The goal's text does not say `tie`, and of the words of its definition it has none."""
    folder = tmp_path / "knots"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "knots"\n', encoding="utf-8")
    (folder / "Knots.lean").write_text(KNOTS, encoding="utf-8")
    with (
        DynamicDatabase(tmp_path / "database.sqlite") as database,
        ScriptedAgent(lean=lean, database=database, runs_dir=tmp_path / "runs", progress=False) as agent,
    ):
        agent.setup_local_repository(folder)
        assert "tie" in proved(agent, premises=premises)["Knots.swapped"]


RESTING = """theorem opened (m n : Nat) : m + n * n = n * n + m := by
  sorry

theorem rests (m n : Nat) : n * n + m = m + n * n := (opened m n).symm

theorem holds (n : Nat) : n * n + 0 = n * n := rfl

theorem asked (m n : Nat) : n * n + (m + 0) = m + n * n := by
  sorry
"""


def test_a_benchmark_gives_schemes_the_premises_of_the_package(lean: LeanPool, tmp_path: Path) -> None:
    """What rests on an open theorem is no premise."""
    (tmp_path / "Resting.lean").write_text(RESTING, encoding="utf-8")
    with (
        DynamicDatabase(tmp_path / "database.sqlite") as database,
        ScriptedAgent(lean=lean, database=database, runs_dir=tmp_path / "runs", progress=False) as agent,
    ):
        agent.setup_local_repository(tmp_path)
        bench = Bench(agent, tmp_path, lean_calls=8, tactics=8, model=None, theorems=0)
        asked = next(theorem for theorem in agent.open_theorems() if theorem.full_name == "asked")
        shown = bench.premises.goal("m n : Nat\n⊢ n * n + (m + 0) = m + n * n", place_of_stored(asked))
        assert [premise.partition(":")[0] for premise in shown_premises(shown)] == ["holds"]
