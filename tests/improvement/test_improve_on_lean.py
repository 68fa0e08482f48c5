"""A round of practice on real Lean with a small model, by the agent and by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import RunFolder
from lean_agent.cli.main import app
from lean_agent.database import DynamicDatabase
from lean_agent.database.splits import random_split
from lean_agent.errors import ConfigError
from lean_agent.evaluation.results import recheck
from lean_agent.improvement import ImproveConfig
from lean_agent.lean.server import LeanServer
from lean_agent.policy.model_files import recorded_help
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.mixed import FILLED_IN
from lean_agent.trainer.sft_trainer import SFTTrainer

pytestmark = pytest.mark.lean

PROVED = """theorem one (a b : Prop) (h : a ∧ b) : b ∧ a := by
  exact ⟨h.2, h.1⟩

theorem two (a b : Prop) (h : a ∧ b) : (b ∧ a) ∨ False := by
  left
  exact ⟨h.2, h.1⟩

theorem three (a b : Prop) (h : a ∧ b) : (b ∧ a) ∨ True := by
  left
  exact ⟨h.2, h.1⟩

theorem four (a b : Prop) (h : a ∧ b) : True ∧ (b ∧ a) := by
  constructor
  trivial
  exact ⟨h.2, h.1⟩
"""
SOURCE = f"""{PROVED}
theorem open_or (a b c : Prop) (h : c) : a ∨ (b ∨ c) := by
  sorry

theorem open_and (a b : Prop) (h : a ∧ b) : (b ∧ a) ∧ True := by
  sorry

theorem held (n : Nat) : n + 0 = n ∧ 0 + n = n := by
  sorry

theorem open_le (m n : Nat) (h : m < n) (k : n < 7) : m + 1 ≤ n := by
  sorry

def double : Nat → Nat
  | 0 => 0
  | n + 1 => double n + 2

theorem open_double (n : Nat) : double n = 2 * n := by
  sorry

theorem hopeless (f : Nat → Nat) : f 0 < f 1 := by
  sorry
"""


@pytest.fixture
def repository(tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "learn"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "learn"\n', encoding="utf-8")
    (folder / "Learn.lean").write_text(SOURCE, encoding="utf-8")
    return folder


def test_a_round_of_practice_from_searches_to_a_better_checkpoint(
    repository: Path, tmp_path: Path, lean: LeanServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """Closers and neighbours of the mixture prove some; the model learns these steps, and what is held out stays so."""
    texts = [PROVED, "exact ⟨h.2, h.1⟩", "simp_all", "omega", "rfl", "a b c : Prop\nh : a ∧ b\n⊢ b ∧ a"]
    make_tiny_model(texts, tmp_path / "tiny", vocab_size=400, hidden_size=64, layers=2)
    config = ImproveConfig(
        development=0,
        policy="mixture",
        traced=True,
        variants=2,
        temperatures=(1.0,),
        search=SearchConfig(budget=SearchBudget(expansions=8, lean_calls=48, seconds=120.0)),
        training={"epochs": 2, "batch_size": 4, "lr": 2e-3},
        max_tactic_tokens=16,
    )
    trainer = SFTTrainer(tmp_path / "tiny", tmp_path / "sft", batch_size=4, lr=2e-3, progress=False)
    run = RunFolder(tmp_path / "run")
    with HFAgent(trainer, lean=lean, database=tmp_path / "db.sqlite", run=run, progress=False) as agent:
        agent.setup_local_repository(repository)
        report = agent.improve(rounds=1, held_out=["held"], config=config)
        (entry,) = report.rounds[1:]
        theorems = agent.database.theorems(agent.repositories[0].repository, sorry=False)
        hidden = [theorem for theorem in theorems if random_split(theorem.theorem.type_hash) == "train"]
        assert (entry.practised, report.held_out, entry.kept) == (5 + len(hidden), 1, True)
        assert entry.proved >= 2 and entry.new == entry.proved and entry.learnt >= 2
        assert report.model == agent.model_path != trainer.model_path
        assert recorded_help(report.model) == FILLED_IN
        proofs = agent.database.found_proofs()
        assert len(proofs) == entry.proved > len(hidden) > 0 and not {proof.full_name for proof in proofs} & {
            "held",
            "hopeless",
        }
        assert {proof.source for proof in agent.database.proofs()} == {"practice at 1"}
        lines = (run.path / "rounds" / "01" / "shorter.jsonl").read_text("utf-8").splitlines()
        shorter = [json.loads(line) for line in lines]
        assert any(" | " in before and " | " not in after for _, before, after, _ in shorter)
        assert entry.lean_calls > sum(calls for *_, calls in shorter) > 0
        assert not [tactic.step for proof in proofs for tactic in proof.tactics if " | " in tactic.step]
        assert not [path for path in run.path.rglob("*held*")]
        data = (run.path / "rounds" / "01" / "1-supervised" / "data" / "random" / "train.json").read_text("utf-8")
        assert {proof.full_name for proof in proofs} <= {row["full_name"] for row in json.loads(data)}
        again = list(recheck(run.path / "rounds" / "01", lean, progress=False))
        assert entry.variants == 2 and (run.path / "variants" / "00-learn.jsonl").is_file()
        assert len(again) == len(proofs) + entry.variants_proved and all(checked.verdict.accepted for checked in again)
        lessons = json.loads(data)
        steps = {tactic["step"] for row in lessons for tactic in row["traced_tactics"]}
        assert [step for step in steps if "{lemmas}" in step]
        # The same call goes on where it stopped: nothing is left to do, and the report is the same.
        agent._model = None
        assert agent.improve(rounds=1, held_out=["held"], config=config) == report
        metadata = agent.database.export_merged_data(agent.database.repositories(), tmp_path / "export")
        assert metadata["found"]["proofs"] == len(proofs)
        with pytest.raises(ConfigError, match="to be both: held"):
            agent.improve(practice=["held", "open_or"], held_out=["held"])
    assert "Round 1:" in capsys.readouterr().out


def test_practice_without_a_model(repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the command line; what it finds, `prove` in a run after it knows, and proves at once."""
    common = ["--workers", "1", "--database", str(tmp_path / "db.sqlite")]
    arguments = ["improve", str(repository), "--no-training", "--held-out", "held", "--rounds", "2", *common]
    result = CliRunner().invoke(app, [*arguments, "--lean-calls", "24", "--expansions", "24"])
    assert result.exit_code == 0, result.output
    words = " ".join(result.output.split())
    assert "Nothing was trained. Searches of the mixture from now on learn from" in words
    report = json.loads((tmp_path / "runs" / "latest" / "report.json").read_text("utf-8"))
    start, first, second = report["rounds"]
    assert report["model"] == "" and not start["trained"]
    assert first["practised"] == 5 and first["proved"] >= 3
    assert second["practised"] == 5 - first["proved"], "what is proved is not searched again"
    with DynamicDatabase(tmp_path / "db.sqlite") as database:
        proofs = {proof.full_name: proof for proof in database.found_proofs()}
    assert "open_double" in proofs and not {"held", "hopeless"} & proofs.keys()
    result = CliRunner().invoke(
        app, ["prove", str(repository), "--theorem", "open_double", "--lean-calls", "3", *common]
    )
    assert result.exit_code == 0 and "1 of 1 open theorem proved" in " ".join(result.output.split()), result.output


@pytest.mark.long
@pytest.mark.slow
def test_the_command_makes_a_model_practises_and_leaves_a_report(repository: Path, tmp_path: Path) -> None:
    limits = ["--lean-calls", "24", "--temperature", "1.0", "--development", "1", "--max-steps", "4", "--rounds", "1"]
    arguments = ["improve", str(repository), *limits, "--policy", "mixture", "--workers", "1", "--held-out", "held"]
    result = CliRunner().invoke(app, [*arguments, "--database", str(tmp_path / "db.sqlite")])
    assert result.exit_code == 0, result.output
    assert "1 theorem held out" in result.output
    latest = tmp_path / "runs" / "latest"
    assert "| start |" in (latest / "report.md").read_text(encoding="utf-8")
    with DynamicDatabase(tmp_path / "db.sqlite") as database:
        assert "held" not in {proof.full_name for proof in database.proofs()}
