"""Trajectories as tensors, against the plain computation of a single sequence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedModel, PreTrainedTokenizerBase

from lean_agent.lean.types import Goal
from lean_agent.policy.base import Completion, Sampling
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.loading import load_causal_lm
from lean_agent.trainer.attempts.trajectory_update import (
    Answer,
    TrajectoryBatch,
    backward,
    completion_ids,
    log_probabilities,
    make_batch,
    passes,
    prompt_ids,
)
from lean_agent.trainer.run.loading import quiet_libraries
from lean_agent.trajectory import ProofStep, ProofTrajectory

P, LONG = Goal("1", "p", text="p : Prop\n⊢ p"), Goal("2", "q", text="p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q")


@pytest.fixture(scope="module")
def model(tiny_folder: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    loaded, tokenizer = load_causal_lm(tiny_folder, device="cpu")
    return loaded.eval(), tokenizer


def attempt(*steps: tuple[Goal, tuple[int, ...]], outcome: str = "open") -> ProofTrajectory:
    made = [ProofStep("t", (goal,), completion=Completion("t", -1.0, len(ids), True, ids)) for goal, ids in steps]
    return ProofTrajectory("t", "p", (P,), tuple(made), outcome)  # type: ignore[arg-type]


TRAJECTORIES = (
    attempt((P, (7, 8, 9)), (LONG, (5, 6))),
    attempt((LONG, (11,))),
    attempt((P, (1, 2)), outcome="unknown"),
    attempt(),
)


def plainly(
    model: PreTrainedModel, prompt: tuple[int, ...], answer: tuple[int, ...], temperature: float
) -> torch.Tensor:
    """One sequence, no padding."""
    ids = torch.tensor([[*prompt, *answer]])
    logits = model(ids).logits[0, len(prompt) - 1 : -1] / temperature
    return logits.log_softmax(dim=-1).gather(1, torch.tensor(answer)[:, None])[:, 0]


@pytest.mark.parametrize("tokens_per_pass", [1, 64, 10_000])
def test_rows_are_trajectories_and_tokens_have_their_probabilities(
    model: tuple[PreTrainedModel, PreTrainedTokenizerBase], tokens_per_pass: int
) -> None:
    network, tokenizer = model
    batch = make_batch(TRAJECTORIES, tokenizer, torch.device("cpu"))
    # 3 + 2 tokens, 1 token, nothing of what is not known, nothing
    assert batch.mask.tolist() == [[1, 1, 1, 1, 1], [1, 0, 0, 0, 0], [0] * 5, [0] * 5]
    assert batch.lengths.tolist() == [5, 1, 0, 0]
    found = log_probabilities(network, batch, temperature=0.7, tokens_per_pass=tokens_per_pass)
    short, long = prompt_ids(tokenizer, P.text), prompt_ids(tokenizer, LONG.text)
    first = torch.cat([plainly(network, short, (7, 8, 9), 0.7), plainly(network, long, (5, 6), 0.7)])
    assert torch.allclose(found[0], first, atol=1e-5)
    assert torch.allclose(found[1, :1], plainly(network, long, (11,), 0.7), atol=1e-5)
    assert not found[2:].any()


@pytest.mark.parametrize("tokens_per_pass", [1, 10_000])
def test_the_gradient_is_that_of_the_whole_batch(
    model: tuple[PreTrainedModel, PreTrainedTokenizerBase], tokens_per_pass: int
) -> None:
    network, tokenizer = model
    batch = make_batch(TRAJECTORIES, tokenizer, torch.device("cpu"))
    weights = torch.arange(20.0).view(4, 5)
    backward(network, batch, weights, temperature=1.0, tokens_per_pass=tokens_per_pass)
    parameter = next(iter(network.parameters()))
    assert parameter.grad is not None
    found = parameter.grad.clone()
    network.zero_grad()
    short, long = prompt_ids(tokenizer, P.text), prompt_ids(tokenizer, LONG.text)
    first = torch.cat([plainly(network, short, (7, 8, 9), 1.0), plainly(network, long, (5, 6), 1.0)])
    ((first * weights[0]).sum() + plainly(network, long, (11,), 1.0)[0] * weights[1, 0]).backward()
    assert torch.allclose(found, parameter.grad, rtol=1e-4, atol=1e-5)
    network.zero_grad()


def test_answers_that_read_alike_go_through_the_model_once(
    model: tuple[PreTrainedModel, PreTrainedTokenizerBase],
) -> None:
    network, tokenizer = model
    same, idle = (LONG, (5, 6)), (P, (7,))
    batch = make_batch([attempt(same, (P, (3,))), attempt(same), attempt(idle)], tokenizer, torch.device("cpu"))
    long = plainly(network, prompt_ids(tokenizer, LONG.text), (5, 6), 1.0)
    seen: list[int] = []
    hook = network.register_forward_pre_hook(
        lambda _, __, given: seen.append(len(given["input_ids"])), with_kwargs=True
    )
    found = log_probabilities(network, batch, temperature=1.0, tokens_per_pass=10_000)
    assert torch.allclose(found[:2, :2], torch.stack([long, long]), atol=1e-5)
    weights = torch.tensor([[1.0, 2.0, 0.5], [3.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    backward(network, batch, weights, temperature=1.0, tokens_per_pass=10_000)
    hook.remove()
    assert seen == [3, 2]  # of four answers; for the gradient without the one that has none
    parameter = next(iter(network.parameters()))
    assert parameter.grad is not None
    gradient = parameter.grad.clone()
    network.zero_grad()
    short = plainly(network, prompt_ids(tokenizer, P.text), (3,), 1.0)
    (long[0] * (1 + 3) + long[1] * (2 + 4) + short[0] * 0.5).backward()
    assert torch.allclose(gradient, parameter.grad, rtol=1e-4, atol=1e-5)
    network.zero_grad()


def test_activations_are_computed_again_on_request(tiny_folder: Path) -> None:
    network, tokenizer = load_causal_lm(tiny_folder, device="cpu")
    network.eval()
    batch = make_batch(TRAJECTORIES, tokenizer, torch.device("cpu"))
    runs: list[bool] = []
    network.model.layers[0].self_attn.register_forward_pre_hook(lambda module, _: runs.append(module.training))
    gradients = []
    for again in (False, True):
        if again:
            network.activation_checkpointing_enable()
        backward(network, batch, torch.arange(20.0).view(4, 5), temperature=1.0, tokens_per_pass=10_000)
        gradients.append([p.grad.clone() for p in network.parameters() if p.grad is not None])
        network.zero_grad()
        assert not any(module.training for module in network.modules())
    # Once without, twice with it; what is within a layer never trains.
    assert runs == [False] * 3
    assert all(torch.allclose(one, other, atol=1e-5) for one, other in zip(*gradients, strict=True))


def test_padding_has_no_say_below_an_adapter() -> None:
    """GPT-2 has learned positions, so that a row that is padded needs its own; an adapter does not hide that."""
    torch.manual_seed(0)
    network = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_embd=32, n_layer=1, n_head=2, n_positions=64)).eval()
    with torch.no_grad():
        network.transformer.wpe.weight.normal_(0, 0.3)
    with quiet_libraries():
        adapted: Any = get_peft_model(network, LoraConfig(r=2, target_modules=["c_attn"], fan_in_fan_out=True)).eval()
    short, long = Answer(0, 0, (1, 2, 3), (4, 5)), Answer(1, 0, tuple(range(30)), (4, 5))

    def found(*answers: Answer) -> torch.Tensor:
        batch = TrajectoryBatch(answers, torch.ones(len(answers), 2))
        return log_probabilities(adapted, batch, temperature=1.0, tokens_per_pass=10_000)[0]

    assert torch.allclose(found(short), found(short, long), atol=1e-5)


def test_sampled_tokens_keep_their_probabilities(model: tuple[PreTrainedModel, PreTrainedTokenizerBase]) -> None:
    """What the policy says of an answer and what training computes of its tokens are the same."""
    network, tokenizer = model
    policy = HFPolicy(network, tokenizer, sampling=Sampling(max_new_tokens=6))
    (answers,) = policy.complete([LONG.text], 4, seed=1)
    steps = [ProofStep("t", (LONG,), completion=answer) for answer in answers]
    batch = make_batch([ProofTrajectory("t", "p", (P,), (step,)) for step in steps], tokenizer, torch.device("cpu"))
    found = log_probabilities(network, batch, temperature=1.0, tokens_per_pass=10_000).sum(dim=1)
    assert found.tolist() == pytest.approx([answer.logprob for answer in answers], abs=1e-3)
    (again,) = policy.complete([LONG.text], 4, seed=1)
    assert [answer.token_ids for answer in again] == [answer.token_ids for answer in answers]
    # The second time the beginning of the prompt is known: the same sums, rounded otherwise.
    assert [answer.logprob for answer in again] == pytest.approx([answer.logprob for answer in answers], abs=1e-4)


def test_passes_hold_no_more_than_allowed(model: tuple[PreTrainedModel, PreTrainedTokenizerBase]) -> None:
    _, tokenizer = model
    batch = make_batch([attempt((P, (1,) * n)) for n in range(1, 9)], tokenizer, torch.device("cpu"))
    slices = list(passes(batch.answers, 60))
    assert sum(map(len, slices)) == 8
    assert all(len(some) == 1 or len(some) * max(map(len, some)) <= 60 for some in slices)


def test_tokens_that_nobody_tells_are_those_of_the_text(
    model: tuple[PreTrainedModel, PreTrainedTokenizerBase],
) -> None:
    _, tokenizer = model
    told = completion_ids(tokenizer, Completion("exact hp", -1.0, 3))
    assert told[-1] == tokenizer.eos_token_id
    assert tokenizer.decode(list(told[:-1])) == "exact hp"
    assert completion_ids(tokenizer, Completion("exact hp", -1.0, 3, finished=False)) == told[:-1]
