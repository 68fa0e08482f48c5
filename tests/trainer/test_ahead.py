"""Completions drawn before the update of the step before: whose they are, what Lean does meanwhile, how they weigh."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from lean_agent.policy.decoding import sample
from lean_agent.trainer.ahead import AheadTrainer
from lean_agent.trainer.algorithm_trainer import AlgorithmTrainer
from lean_agent.trainer.grpo_trainer import GRPOTrainer

FAST: dict[str, Any] = {"batch_size": 8, "num_generations": 8, "max_completion_length": 8, "progress": False}


def letters(completions: list[str], log_metric: Callable[[str, float], None], **_: Any) -> torch.Tensor:
    """Tells the answers of an untrained model apart."""
    log_metric("letters", float(sum(map(len, completions))))
    return torch.tensor([float(sum(map(ord, tactic)) % 5) for tactic in completions])


def weights(folder: Path) -> torch.Tensor:
    return torch.cat([tensor.flatten() for _, tensor in sorted(load_file(folder / "model.safetensors").items())])


class BySeed:
    """Draws with the number of the call as its seed, whatever else has drawn meanwhile."""

    def __init__(self) -> None:
        self._calls = 0

    def __call__(self, *args: Any, **options: Any) -> Any:
        self._calls += 1
        generator = torch.Generator(args[0].device).manual_seed(self._calls)
        return sample(*args, **options, generator=generator)


class Noted:
    """A step trainer that puts down each pass: the weights, the batch, the loss and the gradient of the first layer."""

    def _compute_loss(self, model: Any, inputs: Any) -> torch.Tensor:
        loss: torch.Tensor = super()._compute_loss(model, inputs)  # type: ignore[misc]
        (gradient,) = torch.autograd.grad(loss, next(model.parameters()), retain_graph=True)
        weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
        self.passes.append((weights, inputs, loss.item(), gradient))  # type: ignore[attr-defined]
        return loss


def training(passes: list[Any], draw: Any) -> type[GRPOTrainer]:
    """Make a GRPO trainer whose passes are noted, with another way to draw."""

    class Plain(Noted, AlgorithmTrainer):
        sample = staticmethod(draw)

    class Ahead(Noted, AheadTrainer):
        sample = staticmethod(partial(draw, token_logprobs=True))

    Plain.passes = Ahead.passes = passes  # type: ignore[attr-defined]

    class Training(GRPOTrainer):
        step_trainer = Plain
        ahead_trainer = Ahead

    return Training


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"num_iterations": 2, "temperature": 0.7},
        {"batch_size": 4, "algorithm": "drgrpo"},  # two passes make a step
        {"algorithm": "unlikeliness"},  # rewards are shaped by log-probabilities
    ],
)
def test_where_the_policy_stays_the_same_losses_are_those_on_policy(
    request: pytest.FixtureRequest, tmp_path: Path, settings: Any
) -> None:
    tiny_folder, one_goal, logic = map(request.getfixturevalue, ("tiny_folder", "one_goal", "logic"))

    def passes(*, draw_ahead: bool) -> list[Any]:
        noted: list[Any] = []
        options = {**FAST, "lr": 1e-12, "max_steps": 4, **settings}
        folder = tmp_path / str(draw_ahead)
        trainer = training(noted, BySeed())(tiny_folder, letters, folder, draw_ahead=draw_ahead, **options)
        trainer.train([logic], one_goal, tmp_path / "data")
        return noted

    ahead, plain = passes(draw_ahead=True), passes(draw_ahead=False)
    assert len(ahead) == len(plain) >= 4
    for (_, ours, loss, gradient), (_, theirs, other_loss, other_gradient) in zip(ahead, plain, strict=True):
        order, other_order = (batch["completion_ids"].tolist() for batch in (ours, theirs))
        assert sorted(order) == sorted(other_order), "both learn from the same completions"
        if len(plain) == 4:  # of several passes or updates each is a part, by chance another one
            assert loss == pytest.approx(other_loss, abs=1e-5)
            assert torch.allclose(gradient, other_gradient, rtol=1e-3, atol=1e-6)
    assert sum(gradient.abs().max() for *_, gradient in plain) > 1e-3


def test_completions_are_of_the_policy_before_the_update(
    tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any
) -> None:
    noted: list[Any] = []
    trainer = training(noted, sample)(
        tiny_folder, letters, tmp_path / "out", draw_ahead=True, lr=1e-2, warmup=0.0, max_steps=4, **FAST
    )
    trainer.train([logic], one_goal, tmp_path / "data")

    # trl's changes to the trained one leave no logits
    network = AutoModelForCausalLM.from_pretrained(tiny_folder).to(trainer.model.device)
    near = 2e-2 if torch.cuda.is_available() else 1e-4  # where it is drawn in bfloat16

    def logprobs(weights: Any, batch: Any) -> torch.Tensor:
        network.load_state_dict(weights)
        ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], dim=1)
        mask = torch.cat([batch["prompt_mask"], batch["completion_mask"]], dim=1)
        logits = network(input_ids=ids, attention_mask=mask).logits[:, -batch["completion_ids"].shape[1] - 1 : -1]
        chosen = logits.log_softmax(dim=-1).gather(2, batch["completion_ids"][:, :, None])[:, :, 0]
        return (chosen * batch["completion_mask"]).detach()

    policies, batches = [policy for policy, *_ in noted], [batch for _, batch, *_ in noted]
    drawn_by = [policies[0], *policies[:3]]  # the first step draws for itself and for the second
    for policy, now, batch in zip(drawn_by, policies, batches, strict=True):
        mask = batch["completion_mask"]
        assert torch.allclose(batch["sampling_per_token_logps"] * mask, logprobs(policy, batch), atol=near)
        if now is not policy:
            assert not torch.allclose(
                batch["sampling_per_token_logps"] * mask, logprobs(now, batch), atol=max(near, 1e-2)
            )


def test_rewards_are_computed_during_the_update(tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    """The update of a step and the rewards of the next wait for one another: one by one they would wait in vain."""
    meeting = Barrier(2, timeout=30)
    calls: list[int] = []

    def reward(completions: list[str], **others: Any) -> torch.Tensor:
        calls.append(len(completions))
        if len(calls) > 1:
            meeting.wait()
        return letters(completions, **others)

    class Meeting(AheadTrainer):
        updates = 0

        def _compute_loss(self, model: Any, inputs: Any) -> torch.Tensor:
            self.updates += 1
            if self.updates < 3:
                meeting.wait()
            return super()._compute_loss(model, inputs)

    class Trainer(GRPOTrainer):
        ahead_trainer = Meeting

    trainer = Trainer(tiny_folder, reward, tmp_path / "out", draw_ahead=True, max_steps=3, **FAST)
    trainer.train([logic], one_goal, tmp_path / "data")
    assert calls == [8, 8, 8], "nothing is drawn ahead for after the last step"


def test_what_rewards_log_and_how_far_the_policy_moved_is_in_the_metrics(
    tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any
) -> None:
    trainer = GRPOTrainer(tiny_folder, letters, tmp_path / "out", draw_ahead=True, max_steps=10, lr=1e-3, **FAST)
    trainer.train([logic], one_goal, tmp_path / "data")
    line = json.loads(trainer.metrics_file.read_text(encoding="utf-8").splitlines()[0])
    assert line["letters"] > 0
    assert line["sampler_gap"] > 0
    assert 0 <= line["weights_capped"] < 1


def test_a_run_that_is_interrupted_ends_with_the_same_weights(
    tiny_folder: Path, tmp_path: Path, database: Any, logic: Any, interrupted: Any
) -> None:
    settings = {**FAST, "num_generations": 4, "draw_ahead": True, "checkpoint_every_s": 0.0, "max_steps": 7, "lr": 1e-3}

    def train(name: str, reward: Any) -> torch.Tensor:
        folder = tmp_path / name
        GRPOTrainer(tiny_folder, reward, folder, **settings).train([logic], database, tmp_path / "data")
        return weights(folder)

    straight = train("straight", letters)
    reward, asked = interrupted(letters, 5)
    with pytest.raises(KeyboardInterrupt):
        train("cut", reward)
    resumed = train("cut", reward)
    assert torch.allclose(resumed, straight, rtol=0, atol=1e-6)
    # Seven batches, and one more: the fifth was drawn again, since no checkpoint could wait for its rewards.
    assert len(asked) == 8
