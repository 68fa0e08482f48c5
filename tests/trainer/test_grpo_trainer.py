"""GRPO: reward moves probability, groups come out whole, and the verified reward is the default."""

from __future__ import annotations

import json
import logging
import math
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig
from safetensors.torch import load_file

from lean_agent.errors import ConfigError, LeanStartupError, TrainingError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanProject
from lean_agent.policy.base import Sampling
from lean_agent.policy.decoding import sample
from lean_agent.policy.hf import HFPolicy
from lean_agent.rewards import NoveltyScorer
from lean_agent.trainer.algorithm_trainer import AlgorithmTrainer
from lean_agent.trainer.grpo_trainer import GRPOTrainer, passes_for_whole_groups
from lean_agent.trainer.sft_trainer import SFTTrainer

AND = "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"
FAST: dict[str, Any] = {"batch_size": 8, "num_generations": 8, "max_completion_length": 16, "progress": False}

LEARNING: dict[str, Any] = {**FAST, "batch_size": 32, "lr": 1e-3, "max_steps": 30}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def probability(folder: str | Path, tactic: str) -> float:
    """How likely the model is to answer ``AND`` with ``tactic``, from 64 draws."""
    (suggestions,) = HFPolicy(folder, sampling=Sampling(max_new_tokens=16)).suggest([AND], k=64)
    return sum(math.exp(s.logprob) for s in suggestions if s.tactic == tactic)


@pytest.fixture(scope="module")
def undecided(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory, database_of_module: Any) -> Path:
    """A model that answers one goal with four tactics, a quarter each."""
    folder = tmp_path_factory.mktemp("undecided")
    repo, database = database_of_module
    trainer = SFTTrainer(tiny_folder, folder / "sft", batch_size=4, lr=5e-3, max_steps=60, progress=False)
    trainer.train([repo], database, folder / "data")
    return folder / "sft"


@pytest.mark.parametrize(("batch", "generations", "passes"), [(8, 8, 1), (16, 8, 1), (1, 8, 8), (6, 8, 4), (4, 2, 1)])
def test_passes_that_make_whole_groups(batch: int, generations: int, passes: int) -> None:
    # lcm(1, 8) / 1 = 8; lcm(6, 8) / 6 = 24 / 6 = 4
    assert passes_for_whole_groups(batch, generations) == passes
    assert batch * passes % generations == 0


@pytest.mark.parametrize("draw_ahead", [False, True])
def test_probability_moves_to_what_is_rewarded(
    undecided: Path, tmp_path: Path, one_goal: Any, logic: Any, *, draw_ahead: bool
) -> None:
    seen: list[dict[str, Any]] = []

    def reward_func(completions: list[str], **kwargs: Any) -> torch.Tensor:
        seen.append({"completions": completions, **kwargs})
        return torch.tensor([1.0 if tactic == "constructor" else 0.0 for tactic in completions])

    before = probability(undecided, "constructor")
    assert before == pytest.approx(0.25, abs=0.05)
    trainer = GRPOTrainer(undecided, reward_func, tmp_path / "out", draw_ahead=draw_ahead, **LEARNING)
    trainer.train([logic], one_goal, tmp_path / "data")
    assert probability(tmp_path / "out", "constructor") > 2 * before

    # The caller's function sees tactics, and where each came from.
    assert len(seen) == 30
    assert all(isinstance(tactic, str) for call in seen for tactic in call["completions"])
    assert seen[0]["full_name"][0] in {"t0", "t1", "t2", "t3"}
    names = seen[0]["full_name"]
    assert [len(set(names[i : i + 8])) for i in (0, 8, 16, 24)] == [1, 1, 1, 1], "a batch of 32 is four groups of 8"
    assert seen[0]["problem"] == [AND] * 32
    assert seen[0]["prompts"][0][1] == {"role": "user", "content": AND}


LORA = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], lora_dropout=0.1)


def letters(completions: list[str], **_: Any) -> torch.Tensor:
    """Tells the answers of an untrained model apart."""
    return torch.tensor([float(sum(map(ord, tactic)) % 5) for tactic in completions])


def test_an_adapter_beside_its_reference(undecided: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    settings = {**FAST, "lora_config": LORA, "algorithm_config": {"beta": 0.1}, "max_steps": 2, "lr": 1e-3}
    trainer = GRPOTrainer(undecided, letters, tmp_path / "out", **settings)
    trainer.train([logic], one_goal, tmp_path / "data")
    # The reference, a second adapter of trl's, is not part of what was trained.
    assert not (tmp_path / "out" / "ref").exists()
    assert (tmp_path / "out" / "adapter_model.safetensors").is_file()
    assert not any("ref" in path.name for path in trainer._run.path.glob("checkpoints/*/*"))
    again = GRPOTrainer(undecided, letters, tmp_path / "out", **settings)
    again.train([logic], one_goal, tmp_path / "data")


def test_a_new_adapter_comes_from_the_seed_alone(undecided: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    def adapter(name: str, state: int, seed: int) -> torch.Tensor:
        torch.manual_seed(state)
        folder = tmp_path / name
        trainer = GRPOTrainer(undecided, letters, folder, lora_config=LORA, max_steps=1, lr=1e-9, seed=seed, **FAST)
        trainer.train([logic], one_goal, tmp_path / "data")
        weights = load_file(folder / "adapter_model.safetensors")
        return torch.cat([value.flatten() for name, value in sorted(weights.items()) if "lora_A" in name])

    first = adapter("a", state=1, seed=0)
    assert torch.allclose(first, adapter("b", state=2, seed=0), atol=1e-6)
    assert not torch.allclose(first, adapter("c", state=1, seed=1), atol=1e-3)


def test_no_dropout_where_tokens_are_sampled(
    undecided: Path, tmp_path: Path, one_goal: Any, logic: Any, caplog: pytest.LogCaptureFixture
) -> None:
    active: list[float] = []

    def watched(model: Any, *args: Any, **kwargs: Any) -> Any:
        active.extend(module.p for module in model.modules() if isinstance(module, torch.nn.Dropout))
        return sample(model, *args, **kwargs)

    class Watching(AlgorithmTrainer):
        sample = staticmethod(watched)

    class Watched(GRPOTrainer):
        step_trainer = Watching

    trainer = Watched(undecided, letters, tmp_path / "out", lora_config=LORA, max_steps=1, **FAST)
    trainer.train([logic], one_goal, tmp_path / "data")
    assert active and not any(active)
    assert "lora_dropout 0.1 is taken as 0" in caplog.text


def test_every_goal_is_seen(undecided: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    seen: Counter[str] = Counter()

    def reward_func(completions: list[str], full_name: list[str], **_: Any) -> torch.Tensor:
        seen.update(full_name)
        return letters(completions)

    # 7 goals, 4 in a step: two steps an epoch, the second with the first goal once more.
    database = type(one_goal)({logic: tuple((f"p{i} : Prop\n⊢ p{i}", "rfl") for i in range(7))})
    settings = {**FAST, "batch_size": 16, "num_generations": 4, "max_completion_length": 4}
    trainer = GRPOTrainer(undecided, reward_func, tmp_path / "out", epochs_per_repo=2, **settings)
    trainer.train([logic], database, tmp_path / "data")
    assert sorted(seen.values()) == [8] * 6 + [16]


@dataclass(frozen=True)
class ByTheorem:
    """A database of theorems ``name -> steps`` for each repository; every step has a goal of its own."""

    theorems: Mapping[Any, Mapping[str, int]]

    def export_merged_data(self, repos: Any, path: Path) -> None:
        (path / "random").mkdir(parents=True, exist_ok=True)
        (path / "random" / "train.json").write_text(
            json.dumps([self._row(repo, name, n) for repo in repos for name, n in self.theorems[repo].items()])
        )

    def _row(self, repo: Any, name: str, count: int) -> dict[str, Any]:
        tactic = {"tactic": "rfl", "annotated_tactic": ["rfl", []], "state_after": "no goals", "step": "rfl"}
        states = [{"state_before": f"h : {name} = {i}\n⊢ p", "position": 10 * i} for i in range(count)]
        return {
            "url": repo.url,
            "commit": repo.commit,
            "file_path": "Main.lean",
            "full_name": name,
            "theorem_statement": "theorem",
            "start": [1, 1],
            "end": [1, 9],
            "traced_tactics": [{**tactic, **state} for state in states],
        }


@pytest.mark.parametrize("replay", [0.0, 0.5, 1.0])
def test_a_share_of_what_came_before_and_short_proofs_first(
    undecided: Path, tmp_path: Path, logic: Any, arithmetic: Any, replay: float
) -> None:
    asked: list[str] = []

    def reward_func(completions: list[str], full_name: list[str], **_: Any) -> torch.Tensor:
        asked.extend(full_name[::2])
        return letters(completions)

    old, new = {"o1": 2, "o2": 2}, {"long": 4, "one": 1, "other": 1, "two": 2}
    settings = {**FAST, "batch_size": 2, "num_generations": 2, "max_completion_length": 4}
    trainer = GRPOTrainer(undecided, reward_func, tmp_path / "out", curriculum="easy_first", replay=replay, **settings)
    trainer.train([logic, arithmetic], ByTheorem({logic: old, arithmetic: new}), tmp_path / "data")
    # The first repository by itself: nothing is earlier.
    first, second = asked[:4], asked[4:]
    assert Counter(first) == old
    # A goal a step, an epoch, and of the two theorems of the first repository the share that was asked for.
    again = [name for name in second if name in old]
    assert sorted(Counter(again).values()) == [2] * round(2 * replay)
    assert Counter(name for name in second if name in new) == new
    if replay == 0:  # the eight goals make four bands, which differ in how long proofs are
        assert set(second[:2]) == {"one", "other"}
        assert second[2:] == ["two"] * 2 + ["long"] * 4


def test_a_batch_of_one_is_accumulated_to_a_group(
    undecided: Path, tmp_path: Path, one_goal: Any, logic: Any, caplog: pytest.LogCaptureFixture
) -> None:
    sizes: list[int] = []

    def reward_func(completions: list[str], **_: Any) -> torch.Tensor:
        sizes.append(len(completions))
        return torch.arange(len(completions), dtype=torch.float32)

    with caplog.at_level(logging.WARNING, logger="lean_agent"):
        trainer = GRPOTrainer(undecided, reward_func, tmp_path / "out", max_steps=2, progress=False)
    assert "A batch of 1 holds no whole groups of 8 generations" in caplog.text
    trainer.train([logic], one_goal, tmp_path / "data")
    assert sizes == [8, 8], "two optimizer steps of one group each"


def test_a_run_is_continued_within_a_repository(
    undecided: Path, tmp_path: Path, one_goal: Any, logic: Any, interrupted: Any
) -> None:
    reward_func, asked = interrupted(letters, 4)

    def train() -> None:
        trainer = GRPOTrainer(undecided, reward_func, tmp_path / "out", max_steps=6, checkpoint_every_s=0.0, **FAST)
        trainer.train([logic], one_goal, tmp_path / "data")

    with pytest.raises(KeyboardInterrupt):
        train()
    assert len(asked) == 4
    train()
    # Three steps were done and kept; the second run makes the other three.
    assert len(asked) == 4 + 3
    (done,) = json.loads((tmp_path / "out" / "progress.json").read_text())["repositories"]
    assert done["steps"] == 6


def test_steps_that_are_done_again_stand_in_the_metrics_once(
    undecided: Path, tmp_path: Path, one_goal: Any, logic: Any, interrupted: Any
) -> None:
    reward_func, _ = interrupted(letters, 13)  # after ten steps, which are logged, and no checkpoint

    for last in (False, True):
        trainer = GRPOTrainer(undecided, reward_func, tmp_path / "out", max_steps=20, **FAST)
        trainer.metrics_file.parent.mkdir(exist_ok=True)
        with trainer.metrics_file.open("a") as file:  # of an earlier repository, and what a kill cut short
            file.write('{"repository": "other", "commit": "1", "step": 30}\n' if not last else '{"reposi')
        with nullcontext() if last else pytest.raises(KeyboardInterrupt):
            trainer.train([logic], one_goal, tmp_path / "data")
    assert [line["step"] for line in lines(trainer.metrics_file)] == [30, 10, 20, 20]


def test_the_verified_reward_is_the_default(undecided: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    server = MockLeanServer(
        positions={(f"t{number}", 100 * number): [AND] for number in range(4)}, table={(AND, "skip"): [AND]}
    )
    trainer = GRPOTrainer(undecided, output_dir=tmp_path / "out", **LEARNING)
    trainer.set_server(server, {(logic.url, logic.commit): LeanProject(tmp_path, tmp_path / "build")})
    trainer.train([logic], one_goal, tmp_path / "data")
    # Of the four only `constructor` makes progress (0.3); `skip` changes nothing (0), the others fail (-0.2).
    assert probability(tmp_path / "out", "constructor") > 2 * probability(undecided, "constructor")
    logged = [line for line in lines(trainer.metrics_file) if "verified/progress" in line]
    assert logged[-1]["verified/progress"] > logged[0]["verified/progress"]
    assert logged[0]["lean_s"] > 0


class Server(MockLeanServer):
    """``constructor`` closes the goal; the batch of tactics of number ``dies_at``, from 1, ends the run."""

    def __init__(self, dies_at: int = 0) -> None:
        super().__init__(positions={(f"t{n}", 100 * n): [AND] for n in range(4)}, table={(AND, "constructor"): []})
        self._dies_at, self._batches = dies_at, 0

    def goal_tactics(self, *args: Any, **options: Any) -> Any:
        self._batches += 1
        if self._batches == self._dies_at:
            raise KeyboardInterrupt
        return super().goal_tactics(*args, **options)


def test_a_scorer_by_its_name(undecided: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    trainer = GRPOTrainer(undecided, output_dir=tmp_path / "out", reward="proved", **{**LEARNING, "max_steps": 2})
    trainer.set_server(Server(), {(logic.url, logic.commit): LeanProject(tmp_path, tmp_path / "build")})
    trainer.train([logic], one_goal, tmp_path / "data")
    (line,) = [line for line in lines(trainer.metrics_file) if "reward" in line]
    # A proof earns 1, and nothing else earns or costs anything.
    assert 0 < line["reward"] < 1
    assert line["reward"] == pytest.approx(line["verified/solved"])
    assert not torch.equal(
        load_file(tmp_path / "out" / "model.safetensors")["model.norm.weight"],
        load_file(undecided / "model.safetensors")["model.norm.weight"],
    )


def test_the_memory_of_a_scorer_survives(undecided: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    def seen(folder: str, server: Server) -> dict[str, int]:
        scorer = NoveltyScorer()
        settings = {**FAST, "max_steps": 2, "checkpoint_every_s": 0.0}
        trainer = GRPOTrainer(undecided, output_dir=tmp_path / folder, reward=scorer, **settings)
        trainer.set_server(server, {(logic.url, logic.commit): LeanProject(tmp_path, tmp_path / "build")})
        trainer.train([logic], one_goal, tmp_path / "data")
        return scorer.state_dict()

    straight = seen("straight", Server())
    assert sum(straight.values()) == 2 * 8
    with pytest.raises(KeyboardInterrupt):
        seen("resumed", Server(dies_at=2))
    assert seen("resumed", Server()) == straight


def test_a_caller_s_reward_stays_in_force(undecided: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    calls: list[int] = []

    def reward_func(completions: list[str], **_: Any) -> torch.Tensor:
        calls.append(len(completions))
        return torch.ones(len(completions))

    trainer = GRPOTrainer(undecided, reward_func, tmp_path / "out", max_steps=1, **FAST)
    trainer.set_server(MockLeanServer(), {})
    trainer.train([logic], one_goal, tmp_path / "data")
    assert calls == [8]


def test_lean_that_is_down_ends_the_training_in_words(
    undecided: Path, tmp_path: Path, one_goal: Any, logic: Any
) -> None:
    class Down(MockLeanServer):
        def goal_starts(self, *_: Any, **__: Any) -> Any:
            raise LeanStartupError("Lean did not come up")

    trainer = GRPOTrainer(undecided, output_dir=tmp_path / "out", max_steps=20, **FAST)
    trainer.set_server(Down(), {(logic.url, logic.commit): LeanProject(tmp_path, tmp_path / "build")})
    with pytest.raises(TrainingError, match="lean-agent lean doctor"):
        trainer.train([logic], one_goal, tmp_path / "data")


def test_no_reward_is_refused_before_data_is_exported(
    undecided: Path, tmp_path: Path, one_goal: Any, logic: Any
) -> None:
    trainer = GRPOTrainer(undecided, output_dir=tmp_path / "out", **FAST)
    with pytest.raises(ConfigError, match="set_server"):
        trainer.train([logic], one_goal, tmp_path / "data")
    assert one_goal.exports == []


def test_a_reward_of_the_wrong_shape_is_said_in_words(
    undecided: Path, tmp_path: Path, one_goal: Any, logic: Any
) -> None:
    trainer = GRPOTrainer(undecided, lambda completions, **_: torch.zeros(3), tmp_path / "out", max_steps=1, **FAST)
    with pytest.raises(TrainingError, match=r"shape \(3,\) for 8 completions"):
        trainer.train([logic], one_goal, tmp_path / "data")


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"num_generations": 1}, "num_generations must be at least 2"),
        ({"batch_size": 0}, "batch_size must be a whole number from 1 on"),
        ({"temperature": 0.0}, "temperature"),
        ({"max_completion_length": 0}, "max_completion_length"),
    ],
)
def test_settings_that_cannot_work_are_refused(tmp_path: Path, settings: dict[str, Any], complaint: str) -> None:
    # Before the model is looked for: there is none here.
    with pytest.raises(ConfigError, match=complaint):
        GRPOTrainer(tmp_path / "no_model", output_dir=tmp_path / "out", **settings)


def test_the_folder_of_another_kind_of_run_is_refused(undecided: Path) -> None:
    with pytest.raises(ConfigError, match=r"kind='SFT'.*kind='GRPO'"):
        GRPOTrainer(undecided, output_dir=undecided)
