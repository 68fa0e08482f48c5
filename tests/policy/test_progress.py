"""The value model: its loss and its numbers by hand, what it refuses, and what a folder has to say of itself."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

from lean_agent.errors import ConfigError, ModelNotFound
from lean_agent.policy.loading import load_causal_lm
from lean_agent.policy.progress import MOST_STEPS, ProgressModel, expected_steps, steps_loss
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.trainer.progress_trainer import value_model

GOALS = ("p : Prop\nh : p\n⊢ p", "n : Nat\n⊢ n + 0 = n")


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(GOALS, tmp_path_factory.mktemp("m") / "tiny", vocab_size=300, hidden_size=64, layers=1)


@pytest.fixture
def folder(policy: Path, tmp_path: Path) -> Path:
    """A value model as it is before any training."""
    model, tokenizer = value_model(*load_causal_lm(policy, device="cpu"))
    model.save_pretrained(tmp_path / "value")
    tokenizer.save_pretrained(tmp_path / "value")
    return tmp_path / "value"


def even_logits(rows: int) -> torch.Tensor:
    return torch.zeros(rows, MOST_STEPS)


def test_the_loss_is_of_the_steps_or_of_more_than_those() -> None:
    # All 16 numbers are as likely: -log(1/16); more than 4: -log(12/16); more than 10^6 is 16 or more: -log(1/16).
    steps, censored = torch.tensor([3, 4, 10**6]), torch.tensor([0, 1, 1])
    expected = (math.log(16) + math.log(16 / 12) + math.log(16)) / 3
    assert float(steps_loss(even_logits(3), steps, censored)) == pytest.approx(expected)
    # 0 steps are never enough: nothing is learnt from that.
    assert float(steps_loss(even_logits(1), torch.tensor([0]), torch.tensor([1]))) == pytest.approx(0.0, abs=1e-6)
    # Where a goal is known to be farther than the model thinks, its gradient moves probability there.
    logits = even_logits(1).requires_grad_()
    steps_loss(logits, torch.tensor([15]), torch.tensor([1])).backward()
    assert logits.grad is not None
    assert logits.grad[0].argmin() == MOST_STEPS - 1


def test_expected_steps_are_the_mean() -> None:
    # (1 + … + 16) / 16 = 8.5; all on 3 is 3.
    sure = torch.full((1, MOST_STEPS), -1e4)
    sure[0, 2] = 0.0
    assert expected_steps(even_logits(1)).tolist() == pytest.approx([8.5])
    assert expected_steps(sure).tolist() == pytest.approx([3.0])


def test_a_state_has_the_steps_of_all_its_goals(folder: Path) -> None:
    model = ProgressModel(folder)
    first, second, both, none = model.values([*GOALS, "\n\n".join(GOALS), ""])
    assert -MOST_STEPS <= first <= -1
    assert both == pytest.approx(first + second, rel=1e-5)
    assert none == 0.0
    # A batch, and the order in it, change nothing.
    again = ProgressModel(folder, max_rows=1).values([GOALS[1], GOALS[0]])
    assert again == pytest.approx([second, first], rel=1e-4)
    rated = model.step_values([(GOALS[0], "exact h"), (GOALS[0], "rfl")])
    assert len(set(rated)) == 2, "the tactic is read, too"
    assert model.identity == ProgressModel(folder).identity


def test_a_value_model_that_does_not_fit_is_refused_before_a_search(folder: Path, policy: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="holds a model, but no value model"):
        ProgressModel(policy)
    with pytest.raises(ModelNotFound, match="holds no value model"):
        ProgressModel(tmp_path / "nowhere")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))

    def recorded(name: str) -> None:
        changed = {**config, "lean_agent_progress": {**config["lean_agent_progress"], name: "other"}}
        (folder / "config.json").write_text(json.dumps(changed), encoding="utf-8")

    recorded("tokenizer")
    with pytest.raises(ConfigError, match="trained with another tokenizer than the one beside it"):
        ProgressModel(folder)
    recorded("prompt")
    with pytest.raises(ConfigError, match="trained on another prompt"):
        ProgressModel(folder)


def test_weights_that_are_no_numbers_are_refused_before_a_search(policy: Path) -> None:
    model, tokenizer = value_model(*load_causal_lm(policy, device="cpu"))
    head: Any = model.score
    head.weight.data.fill_(math.nan)
    with pytest.raises(ConfigError, match=r"no number \(NaN\). Take another value model, or leave it out"):
        ProgressModel(model, tokenizer)
