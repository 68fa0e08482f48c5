"""Add an algorithm: one module, as CONTRIBUTING.md and docs/algorithms.md say, trained with by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

from lean_agent.algorithms import LossInputs, create_algorithm
from lean_agent.cli import grpo
from lean_agent.lean.interface import MockLeanInterface
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.registry import ALGORITHMS
from lean_agent.rollout import Theorem
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer

AND = "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"
GOOD, BAD = "exact ⟨hp, hq⟩", "nonsense"
THEOREM = Theorem("and", "theorem and (p q : Prop) (hp : p) (hq : q) : p ∧ q")
Install = Callable[..., str]

ADVANTAGES = '''
"""Learn from successes alone."""
from lean_agent import RLAlgorithm


class Successes(RLAlgorithm):
    """Rewards above 0 are advantages; failures teach nothing."""

    full_name = "Successes alone"
    best_for = "showing how it is done"

    def _advantages(self, rewards):  # [B, G] -> [B, G]
        return rewards.clamp(min=0)
'''

LOSS = '''
"""Make the tokens of better completions likelier, without ratios."""
from lean_agent import GRPO


class Likelihood(GRPO):
    """The log-probability of a completion, weighed by its advantage."""

    full_name = "Weighted likelihood"
    best_for = "showing how it is done"

    def _loss(self, inputs):
        weighted = inputs.advantages.unsqueeze(1) * inputs.logprobs * inputs.mask
        return -weighted.sum() / len(weighted), {"weighted": weighted.sum().item()}
'''


def trained(model: Path, folder: Path, algorithm: str) -> list[dict[str, Any]]:
    """Train for two steps on the mock; return the lines of the log."""
    trainer = LeanGRPOTrainer(
        str(model),
        MockLeanInterface(table={(AND, GOOD): []}),
        MockInferenceClient(default=(GOOD, BAD), seed=3),
        output_dir=folder,
        algorithm=algorithm,
        num_generations=8,
        max_steps=2,
        max_proof_steps=1,
        lr=1e-2,
        progress=False,
    )
    trainer.setup()
    trainer.train([THEOREM])
    return [json.loads(line) for line in trainer.metrics_file.read_text().splitlines()]


def test_an_algorithm_that_changes_advantages_alone(install: Install, tiny_model: Path, tmp_path: Path) -> None:
    place = install("successes", ADVANTAGES, ALGORITHMS.group, "Successes")
    for line in trained(tiny_model, tmp_path / "own", place):
        # A proof is worth 1 and any other attempt -0.2, so its advantage is 1 or 0. Before the update no ratio differs
        # from 1, and the loss is minus the mean advantage: minus the share of the eight attempts that prove.
        assert line["pass_rate"] in {count / 8 for count in range(1, 8)}
        assert line["loss"] == pytest.approx(-line["pass_rate"])
    for line in trained(tiny_model, tmp_path / "grpo", "grpo"):
        assert line["loss"] == pytest.approx(0.0, abs=1e-6)  # its advantages have the mean 0
    own, theirs = (load_file(tmp_path / name / "model.safetensors") for name in ("own", "grpo"))
    assert any(not torch.equal(own[name], theirs[name]) for name in own)


def test_an_algorithm_with_a_loss_of_its_own(install: Install, tiny_model: Path, tmp_path: Path) -> None:
    place = install("likelihood", LOSS, ALGORITHMS.group, "Likelihood")
    algorithm = create_algorithm(place)
    logprobs, mask = torch.tensor([[-2.0, -1.0], [-3.0, 0.0]]), torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    loss, metrics = algorithm.compute_loss(logprobs, None, None, torch.tensor([0.5, -0.5]), mask)
    # 0.5 (-2 - 1) - 0.5 (-3) = 0, over two completions
    assert (loss.item(), metrics) == (0.0, {"weighted": 0.0})
    # 1 (-2 - 1) = -3, over two completions
    inputs = LossInputs(logprobs, None, None, torch.tensor([1.0, 0.0]), mask)
    assert algorithm._loss(inputs)[0].item() == 1.5
    assert all("weighted" in line and "ratio" not in line for line in trained(tiny_model, tmp_path / "own", place))


def test_an_algorithm_of_ones_own_on_the_command_line(install: Install, theorems: Path, tmp_path: Path) -> None:
    place = install("successes", ADVANTAGES, ALGORITHMS.group, "Successes")
    names = CliRunner().invoke(grpo.app, ["algorithms"], env={"COLUMNS": "200"}).output
    assert "successes" in names and "Successes alone" in names
    for number, name in enumerate(("successes", place)):
        folder = tmp_path / str(number)
        options = ["--mock", "--algorithm", name, "--max-steps", "1", "--output-dir", str(folder)]
        result = CliRunner().invoke(grpo.app, ["train", str(theorems), *options])
        assert result.exit_code == 0, result.output
        assert "The model:" in result.output
        assert json.loads((folder / "progress.json").read_text())["settings"]["algorithm"] == name
