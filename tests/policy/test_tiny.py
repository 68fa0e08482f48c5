"""The tiny model is an ordinary model folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from lean_agent.errors import ConfigError
from lean_agent.policy.loading import load_causal_lm
from lean_agent.policy.tiny import END, make_tiny_model
from lean_agent.prompts import completion_messages, prompt_messages


def test_the_default_size_is_a_few_million_parameters(tmp_path: Path) -> None:
    folder = make_tiny_model(["⊢ p"], tmp_path / "model")
    model, _ = load_causal_lm(folder, device="cpu")
    assert model.dtype is torch.float32
    # Four blocks of 256 x (256 q + 2 x 128 kv + 256 o) + 3 x 256 x 768 = 786,432 weights and 640 of norms,
    # 256 of the last norm, and 260 tokens (a text this short gives no merges) of 256 numbers, shared with the output.
    assert 3_100_000 < model.num_parameters() < 3_300_000
    assert model.config.model_type == "qwen3"


def test_the_system_turn_costs_no_tokens(tiny_folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_folder)
    prompt = tokenizer.apply_chat_template(prompt_messages("⊢ p"), tokenize=False, add_generation_prompt=True)
    assert prompt == "<|goal|>⊢ p<|tactic|>"
    # one token for each mark, three bytes of ⊢, a space and p
    assert len(tokenizer(prompt)["input_ids"]) <= 7


def test_prompt_and_answer_join_at_a_special_token(tiny_folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_folder)
    turns = [*prompt_messages("⊢ p"), *completion_messages("exact h")]
    whole: Any = tokenizer.apply_chat_template(turns, return_dict=True, return_assistant_tokens_mask=True)
    goal = prompt_messages("⊢ p")
    prompt: Any = tokenizer.apply_chat_template(goal, return_dict=True, add_generation_prompt=True)
    size = len(prompt["input_ids"])
    assert whole["input_ids"][:size] == prompt["input_ids"]
    assert whole["assistant_masks"] == [0] * size + [1] * (len(whole["input_ids"]) - size)
    assert whole["input_ids"][-1] == tokenizer.eos_token_id == tokenizer.convert_tokens_to_ids(END)


def test_any_text_can_be_written(tiny_folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_folder)
    text = "∀ (ε : ℝ), 0 < ε → ∃ δ, x✝ ≤ δ 日本\n  done"
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_the_seed_decides_the_weights(tmp_path: Path) -> None:
    small: dict[str, Any] = {"vocab_size": 260, "hidden_size": 64, "layers": 1}
    state = torch.random.get_rng_state()
    weights = [
        AutoModelForCausalLM.from_pretrained(make_tiny_model(["p"], tmp_path / name, seed=seed, **small)).lm_head.weight
        for name, seed in [("a", 1), ("b", 1), ("c", 2)]
    ]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert torch.equal(torch.random.get_rng_state(), state)


def test_a_second_model_in_the_folder_replaces_the_first_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    make_tiny_model(["p"], tmp_path, vocab_size=260, hidden_size=64, layers=1)
    make_tiny_model(["p"], tmp_path, vocab_size=260, hidden_size=64, layers=2)
    assert load_causal_lm(tmp_path)[0].config.num_hidden_layers == 2
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"hidden_size": 100}, "hidden_size=100"),
        ({"layers": 0}, "layers=0"),
        ({"vocab_size": 200}, "vocab_size=200"),
    ],
)
def test_sizes_that_cannot_work_are_refused(tmp_path: Path, settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make_tiny_model(["p"], tmp_path / "model", **settings)
    assert not (tmp_path / "model").exists()


def test_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="trace a repository first"):
        make_tiny_model(["", "  "], tmp_path / "model")
