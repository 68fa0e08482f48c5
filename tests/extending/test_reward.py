"""Add a reward: one module, as CONTRIBUTING.md and docs/REWARDS.md say, trained with by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lean_agent.cli import grpo
from lean_agent.lean.interface import MockLeanInterface
from lean_agent.lean.types import Goal, LeanProject, TheoremSite
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.registry import SCORERS
from lean_agent.rewards import get_scorer
from lean_agent.rollout import Theorem
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trajectory import ProofStep, ProofTrajectory

AND = "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"
GOOD, BAD = "exact ⟨hp, hq⟩", "nonsense"
THEOREM = Theorem("and", "theorem and (p q : Prop) (hp : p) (hq : q) : p ∧ q")
Install = Callable[..., str]

CODE = '''
"""Pay for short proofs."""
from lean_agent import BaseRewardScorer


class Short(BaseRewardScorer):
    """Pays for short proofs."""

    def score(self, trajectory, **kwargs):
        quality = 1 / (1 + len(trajectory.steps))
        return self.normalize_reward(self.graded(trajectory, quality)), {"quality": quality}
'''


@pytest.fixture
def place(install: Install) -> str:
    return install("short", CODE, SCORERS.group, "Short")


def test_a_reward_scores_a_trajectory(place: str) -> None:
    site = TheoremSite(LeanProject(Path("project"), Path("build")), "A.lean", "and")
    start = (Goal("", "", text=AND),)
    proved = ProofTrajectory("and", site, start, (ProofStep(GOOD, start, ()),), "proved")
    failed = ProofTrajectory("and", site, start, (ProofStep(BAD, start, failure="parse"),))
    # A proof has the band from 0.6 to 1, any other attempt that from 0 to 0.5; one step has the quality 1 / 2.
    assert get_scorer(place).score(proved) == (pytest.approx(0.8), {"quality": 0.5})
    assert get_scorer(place).score(failed) == (pytest.approx(0.25), {"quality": 0.5})


def test_a_reward_is_trained_with(place: str, tiny_model: Path, tmp_path: Path) -> None:
    trainer = LeanGRPOTrainer(
        str(tiny_model),
        MockLeanInterface(table={(AND, GOOD): []}),
        MockInferenceClient(default=(GOOD, BAD), seed=3),
        output_dir=tmp_path / "out",
        reward_type=place,
        num_generations=8,
        max_steps=1,
        max_proof_steps=1,
        progress=False,
    )
    trainer.setup()
    trainer.train([THEOREM])
    attempts = [json.loads(line) for line in (tmp_path / "out" / "attempts.jsonl").read_text().splitlines()]
    rewards = {attempt["outcome"]: (attempt["reward"], attempt["details"]) for attempt in attempts}
    assert rewards == {"proved": (0.8, {"quality": 0.5}), "open": (0.25, {"quality": 0.5})}


def test_a_reward_of_ones_own_on_the_command_line(place: str, theorems: Path, tmp_path: Path) -> None:
    names = CliRunner().invoke(grpo.app, ["rewards"], env={"COLUMNS": "200"}).output
    assert "short" in names and "Pays for short proofs." in names
    for number, name in enumerate(("short", place)):
        folder = tmp_path / str(number)
        options = ["--mock", "--reward", name, "--max-steps", "1", "--output-dir", str(folder)]
        result = CliRunner().invoke(grpo.app, ["train", str(theorems), *options])
        assert result.exit_code == 0, result.output
        assert json.loads((folder / "progress.json").read_text())["settings"]["scorer"] == "Short"
