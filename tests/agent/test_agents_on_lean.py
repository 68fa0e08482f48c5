"""The agents on real Lean: a small repository with nested modules, from its `sorry`s to files that Lean accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from git import Actor, Repo

from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.cli.commands.verify import verify_files
from lean_agent.database.splits import random_split
from lean_agent.evaluation.results import recheck
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prompts import HelpSettings, main_goal
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.retrieval_trainer import RetrievalTrainer
from lean_agent.trainer.sft_trainer import SFTTrainer

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


@pytest.mark.long
def test_a_retriever_is_trained_on_traces_and_shows_premises_in_the_search(repository: Path, tmp_path: Path) -> None:
    facts = [f"theorem double_{n} : double {n} = {2 * n} := by\n  unfold double\n  rfl\n" for n in range(6)]
    text = "\n".join(["import Tiny.Basic", "namespace Tiny", *facts, "end Tiny\n"])
    (repository / "Tiny" / "Facts.lean").write_text(text, encoding="utf-8")
    retriever = tmp_path / "retriever"
    config = SearchConfig(budget=SearchBudget(expansions=4, lean_calls=64, seconds=60.0))
    with ScriptedAgent(workers=1, cache_dir=tmp_path / "own", runs_dir=tmp_path / "runs", progress=False) as agent:
        agent.setup_local_repository(repository)
        agent.trainer = RetrievalTrainer(output_dir=retriever, epochs=2, progress=False)
        agent.train()
        assert (retriever / "ranker.safetensors").is_file()
        (result,) = agent.prove(theorems=["Tiny.swap"], config=config, premises=2, retriever=retriever)
    assert result.proved


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
        # What `lean-agent verify` does with the run folder: each proof in its repository, with what its file imports.
        again = list(recheck(agent.run.path, agent.lean, progress=False))
        assert {one.attempt.full_name: one.verdict.kind for one in again} == {
            "Tiny.swap": "accepted",
            "Tiny.double_double": "accepted",
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


LEARNT = """theorem one (a b : Prop) (h : a ∧ b) : b ∧ a := by
  exact ⟨h.2, h.1⟩

theorem two (a b : Prop) (h : a ∧ b) : (b ∧ a) ∨ False := by
  left
  exact ⟨h.2, h.1⟩

theorem three (a b : Prop) (h : a ∧ b) : (b ∧ a) ∨ True := by
  left
  exact ⟨h.2, h.1⟩

theorem four (a b : Prop) (h : a ∧ b) : (b ∧ a) ∧ True := by
  constructor
  exact ⟨h.2, h.1⟩
  trivial

theorem five (a b : Prop) (h : a ∧ b) : True ∧ (b ∧ a) := by
  constructor
  trivial
  exact ⟨h.2, h.1⟩

theorem open_one (a b : Prop) (h : a ∧ b) : ((b ∧ a) ∨ False) ∨ False := by
  sorry
"""


def test_from_a_git_url_to_proofs_with_a_trained_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The README's example with a real model on real Lean: clone, trace, SFT, GRPO with the verified reward, prove."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "learn"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "learn"\n', encoding="utf-8")
    (folder / "Learn.lean").write_text(LEARNT, encoding="utf-8")
    git = Repo.init(folder)
    git.index.add(["lakefile.toml", "Learn.lean"])
    author = Actor("A", "a@example.org")
    commit = git.index.commit("all", author=author, committer=author).hexsha

    with HFAgent(workers=1, cache_dir=tmp_path / "own", runs_dir=tmp_path / "runs", progress=False) as agent:
        traced = agent.setup_github_repository(url=folder.as_uri(), commit=commit)
        theorems = [theorem for file in traced.files for theorem in file.theorems]
        trained_on = [one for one in theorems if random_split(one.type_hash) == "train" and not one.has_sorry]
        assert len(trained_on) >= 3
        texts = [text for one in trained_on for t in one.tactics for text in (main_goal(t.state_before), t.step)]
        make_tiny_model(texts, tmp_path / "tiny", hidden_size=64)

        settings: dict[str, Any] = {"batch_size": 8, "neighbours_in_prompt": 2, "progress": False}
        agent.trainer = SFTTrainer(tmp_path / "tiny", tmp_path / "sft", epochs_per_repo=40, lr=3e-3, **settings)
        agent.train()
        agent.trainer = GRPOTrainer(
            model_name=tmp_path / "sft", output_dir=tmp_path / "grpo", max_steps=2, max_completion_length=24, **settings
        )
        agent.train()
        assert agent.model_path.startswith(str(tmp_path / "grpo"))
        assert agent.trained_with() == HelpSettings(neighbours=2)
        config = SearchConfig(budget=SearchBudget(expansions=24, lean_calls=128, seconds=60.0))
        (result,) = agent.prove(config=config)
        assert (result.theorem.full_name, result.status) == ("open_one", "proved")
        assert result.search.tokens > 0 and result.path is not None
        assert result.path.read_text(encoding="utf-8").startswith(LEARNT[: LEARNT.index(" by\n  sorry")])
        assert [proof.source for proof in agent.database.proofs()] == ["mixture"]
