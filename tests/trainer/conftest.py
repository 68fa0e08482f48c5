"""A small model, a few repositories in words, and a database that writes them in the benchmark's layout."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer, GPT2Config, GPT2LMHeadModel

from lean_agent.policy.tiny import make_tiny_model
from lean_agent.trainer.run.loading import quiet_libraries

Reward = Callable[..., torch.Tensor]
Steps = Sequence[tuple[str, str]]
"""(state before, tactic) pairs."""

LOGIC: Steps = (
    ("p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q", "exact ⟨hp, hq⟩"),
    ("p q : Prop\n⊢ p → q → p", "intro hp _\nexact hp"),
    ("p q : Prop\nh : p ∨ q\n⊢ q ∨ p", "cases h with\n| inl hp => ?_\n| inr hq => ?_"),
)
ARITHMETIC: Steps = (
    ("n : Nat\n⊢ n + 0 = n", "rfl"),
    ("m n : Nat\nh : m < n\n⊢ m ≤ n", "omega"),
)

AND = "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"
UNDECIDED: Steps = tuple((AND, tactic) for tactic in ("constructor", "exact hp", "skip", "rfl"))


@dataclass(frozen=True)
class Repo:
    url: str
    commit: str


@dataclass
class FakeDatabase:
    """Writes the steps of the repositories that it is asked for, one theorem for each step."""

    steps: Mapping[Repo, Steps]
    exports: list[list[Repo]] = field(default_factory=list)

    def export_merged_data(self, repos: Sequence[Repo], path: Path) -> None:
        self.exports.append(list(repos))
        theorems = [
            {
                "url": repo.url,
                "commit": repo.commit,
                "file_path": "Main.lean",
                "full_name": f"t{number}",
                "theorem_statement": "theorem",
                "start": [number, 1],
                "end": [number, 9],
                "traced_tactics": [
                    {
                        "tactic": tactic,
                        "annotated_tactic": [tactic, []],
                        "state_before": state,
                        "state_after": "no goals",
                        "step": tactic,
                        "position": 100 * number,
                        "end_position": 100 * number + len(tactic.encode()),
                    }
                ],
            }
            for repo in repos
            for number, (state, tactic) in enumerate(self.steps[repo])
        ]
        (path / "random").mkdir(parents=True, exist_ok=True)
        (path / "random" / "train.json").write_text(json.dumps(theorems), encoding="utf-8")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [text for step in (*LOGIC, *ARITHMETIC, *UNDECIDED) for text in step]
    return make_tiny_model(texts, tmp_path_factory.mktemp("models") / "tiny", vocab_size=400, hidden_size=64, layers=2)


@pytest.fixture
def gpt2(tiny_folder: Path, tmp_path: Path) -> Path:
    """A small GPT-2: no chat template, no token for padding, learned positions."""
    with quiet_libraries():
        tokenizer = AutoTokenizer.from_pretrained(tiny_folder)
        tokenizer.chat_template = tokenizer.pad_token = None
        end: int = tokenizer.eos_token_id
        torch.manual_seed(0)
        sizes: dict[str, Any] = {
            "vocab_size": len(tokenizer),
            "n_embd": 32,
            "n_layer": 1,
            "n_head": 2,
            "n_positions": 128,
        }
        network = GPT2LMHeadModel(GPT2Config(bos_token_id=end, eos_token_id=end, **sizes))
        for part in (tokenizer, network):
            part.save_pretrained(tmp_path / "gpt2")
    return tmp_path / "gpt2"


@pytest.fixture
def logic() -> Repo:
    return Repo("file:///repos/logic", "1111111111")


@pytest.fixture
def arithmetic() -> Repo:
    return Repo("file:///repos/arithmetic.git", "2222222222")


@pytest.fixture
def database(logic: Repo, arithmetic: Repo) -> FakeDatabase:
    return FakeDatabase({logic: LOGIC, arithmetic: ARITHMETIC})


@pytest.fixture
def one_goal(logic: Repo) -> FakeDatabase:
    """One goal that four tactics answer."""
    return FakeDatabase({logic: UNDECIDED})


@pytest.fixture(scope="module")
def database_of_module() -> tuple[Repo, FakeDatabase]:
    """As ``one_goal``, with its repository, for fixtures that outlive a test."""
    repo = Repo("file:///repos/undecided", "3333333333")
    return repo, FakeDatabase({repo: UNDECIDED})


@pytest.fixture
def interrupted() -> Callable[[Reward, int], tuple[Reward, list[int]]]:
    """A reward function that ends the run when it is asked for the n-th time, and the sizes of what it was asked."""

    def make(reward: Reward, at: int) -> tuple[Reward, list[int]]:
        asked: list[int] = []

        def reward_func(completions: list[str], **given: Any) -> torch.Tensor:
            asked.append(len(completions))
            if len(asked) == at:
                raise KeyboardInterrupt
            return reward(completions, **given)

        return reward_func, asked

    return make


@pytest.fixture
def noting() -> Callable[[Any, list[Any]], Any]:
    """Makes of an algorithm one that puts down the rewards of which it computes advantages."""

    def made(algorithm: Any, rewards: list[Any]) -> Any:
        class Noting(type(algorithm)):  # type: ignore[misc]
            def compute_advantages(self, given: Any) -> Any:
                rewards.append(given)
                return super().compute_advantages(given)

        return Noting(algorithm.config)

    return made
