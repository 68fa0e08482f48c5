"""Training on whole trajectories, with the mock server in Lean's place; test_lean_grpo_on_lean.py has the real one."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from peft import LoraConfig

from lean_agent.errors import ConfigError, LeanRequestError, ModelNotFound, TrainingError
from lean_agent.lean.interface import MockLeanInterface
from lean_agent.lean.types import Goal
from lean_agent.policy.base import ADAPTER_CONFIG, Completion, Sampling
from lean_agent.policy.endpoint import InferenceClient
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.loading import load_causal_lm
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.rewards import BaseRewardScorer
from lean_agent.rollout import Theorem
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.attempts.trajectory_update import (
    Answer,
    TrajectoryBatch,
    TrajectoryUpdate,
    learning_rate_factor,
    log_probabilities,
    make_batch,
    prompt_ids,
)
from lean_agent.trainer.run.loading import load_for_training, quiet_libraries
from lean_agent.trainer.run.tracking import StepLog
from lean_agent.trajectory import ProofStep, ProofTrajectory, TrajectoryGroup

AND = "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"
THEOREMS = [
    Theorem("and", "theorem and (p q : Prop) (hp : p) (hq : q) : p ∧ q"),
    Theorem("or", "theorem or (p q : Prop) (hp : p) : p ∨ q"),
    Theorem("id", "theorem id (p : Prop) (hp : p) : p"),
]


def config(tiny: Path, folder: Path, **changes: Any) -> LeanGRPOConfig:
    settings = {
        "base_model": str(tiny),
        "output_dir": folder,
        "num_generations": 4,
        "theorems_per_step": 2,
        "max_proof_steps": 3,
        "max_tactic_tokens": 8,
        "learning_rate": 1e-3,
        "max_steps": 3,
        "progress": False,
        **changes,
    }
    return LeanGRPOConfig(**settings)


def lean() -> MockLeanInterface:
    return MockLeanInterface(table={(AND, "exact ⟨hp, hq⟩"): []})


class Spelling(BaseRewardScorer):
    """Tells the attempts of an untrained model apart, which all fail: by their letters."""

    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, dict[str, float]]:
        text = "".join(step.completion.text for step in trajectory.steps if step.completion)
        return self.graded(trajectory, sum(map(ord, text)) % 7 / 7), {}


def trained(
    configuration: LeanGRPOConfig,
    policy: Any = None,
    data: Any = THEOREMS,
    scorer: BaseRewardScorer | None = None,
    *,
    server: MockLeanInterface | None = None,
    on_step: Callable[[int], None] | None = None,
) -> LeanGRPOTrainer:
    trainer = LeanGRPOTrainer(configuration, server or lean(), policy, scorer=scorer)
    trainer.setup()
    trainer.train(data, on_step=on_step)
    return trainer


def killed_after(steps: int) -> Callable[[int], None]:
    """Interrupt a training when so many steps are done."""

    def on_step(done: int) -> None:
        if done == steps:
            raise KeyboardInterrupt

    return on_step


def client() -> MockInferenceClient:
    return MockInferenceClient(default=("exact ⟨hp, hq⟩", "constructor", "exact hp", "left", "nonsense", "sorry"))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    with quiet_libraries():
        model, _ = load_causal_lm(folder)
    return dict(model.state_dict())


def test_probability_moves_to_what_proves(tiny_folder: Path, tmp_path: Path) -> None:
    policy = MockInferenceClient(default=("exact ⟨hp, hq⟩", "nonsense"))
    trainer = LeanGRPOTrainer(config(tiny_folder, tmp_path, max_steps=12, warmup_ratio=0.0), lean(), policy)
    trainer.setup()

    def preference() -> float:
        ids = [trainer.tokenizer(t, add_special_tokens=False)["input_ids"] for t in ("exact ⟨hp, hq⟩", "nonsense")]
        at = trainer.model.device
        prompt = torch.tensor([prompt_ids(trainer.tokenizer, AND)], device=at)
        with torch.no_grad():
            scores = [
                trainer.model(torch.cat([prompt, torch.tensor([answer], device=at)], dim=1))
                .logits[0, prompt.shape[1] - 1 : -1].log_softmax(-1)
                .gather(1, torch.tensor(answer, device=at)[:, None]).sum().item()
                for answer in ids
            ]  # fmt: skip
        return scores[0] - scores[1]

    before = preference()
    trainer.train(THEOREMS[:1])
    assert preference() > before + 1.0  # a factor of e at least
    lines = [json.loads(line) for line in trainer.metrics_file.read_text().splitlines()]
    assert [line["step"] for line in lines] == list(range(1, 13))
    assert all({"reward", "pass_rate", "policy_s", "lean_s", "update_s"} <= line.keys() for line in lines)
    attempts = [json.loads(line) for line in (tmp_path / "attempts.jsonl").read_text().splitlines()]
    assert len(attempts) == 12 * 4
    assert {a["outcome"] for a in attempts} == {"proved", "open"}
    assert all(a["reward"] == (1.0 if a["outcome"] == "proved" else -0.2) for a in attempts)


ALGORITHMS: list[dict[str, Any]] = [
    {"algorithm": "grpo"},
    {"algorithm": "grpo", "algorithm_config": {"beta": 0.1}},
    {"algorithm": "dgpo", "algorithm_config": {"use_dpo_loss": True, "dpo_coef": 0.5}},
    {"algorithm": "drgrpo", "algorithm_config": {"kl_estimator": "schulman"}},
    {"algorithm": "drgrpo", "algorithm_preset": "published"},
    {"algorithm": "dapo", "algorithm_config": {"population_size": 100}},
    {"algorithm": "dapo", "algorithm_preset": "published"},
    {"algorithm": "gspo", "algorithm_config": {"sync_frequency": 2}},
    {"algorithm": "softmax_kl"},
]


@pytest.mark.parametrize("settings", ALGORITHMS, ids=str)
def test_every_algorithm_trains(tiny_folder: Path, tmp_path: Path, settings: dict[str, Any]) -> None:
    trained(config(tiny_folder, tmp_path, **settings), client())
    before, after = weights(tiny_folder), weights(tmp_path)
    assert any(not torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize("changes", [{}, {"lora_rank": 4}, {"algorithm": "dapo"}, {"max_lean_calls": 50}], ids=str)
@pytest.mark.parametrize("own_policy", [True, False])
def test_a_training_that_was_killed_ends_as_one_that_was_not(
    tiny_folder: Path,
    tmp_path: Path,
    changes: dict[str, Any],
    own_policy: bool,
) -> None:
    settings = {"max_steps": 6, "checkpoint_every": 2, "reward_type": "shaped", **changes}

    def run(name: str, **options: Any) -> None:
        policy, scorer = (None, Spelling()) if own_policy else (client(), None)
        trained(config(tiny_folder, tmp_path / name, **settings), policy, scorer=scorer, **options)

    run("whole")
    with pytest.raises(KeyboardInterrupt):
        run("cut", on_step=killed_after(5))
    run("cut")
    start = weights(tiny_folder)
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.allclose(one[name], other[name], atol=1e-6) for name in one)
    shared = [one[name] - start[name] for name in one if name in start]
    adapters = [one[name] for name in one if "lora_B" in name]
    assert any(difference.any() for difference in (*shared, *adapters))
    # and no step stands in the history twice
    for name in ("metrics.jsonl", "attempts.jsonl"):
        histories = [
            [json.loads(line)["step"] for line in (tmp_path / folder / name).read_text().splitlines()]
            for folder in ("whole", "cut")
        ]
        assert histories[0] == histories[1]


def test_a_log_forgets_steps_and_reads_what_tactics_hold(tmp_path: Path) -> None:
    log = StepLog(tmp_path / "metrics.jsonl", tmp_path / "attempts.jsonl", "theorems", "data")
    # no separator of Unicode ends a line
    steps = tuple(ProofStep(f"simp{mark}rfl", ()) for mark in "\u2028\u2029\x85")
    for step in (1, 2):
        log.attempts(step, [ProofTrajectory("t", "p", (), steps)])
    with log.attempts_file.open("a") as file:
        file.write('{"data": "da')
    log.forget_after(1)
    (line,) = log.attempts_file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    assert json.loads(line)["tactics"] == ["simp\u2028rfl", "simp\u2029rfl", "simp\x85rfl"]


def test_training_ends_with_its_lean_calls(tiny_folder: Path, tmp_path: Path) -> None:
    settings = config(tiny_folder, tmp_path, max_steps=50, max_lean_calls=40, warmup_ratio=0.0)
    trainer = LeanGRPOTrainer(settings, lean(), client(), scorer=Spelling())
    trainer.setup()
    told: list[tuple[int, int]] = []
    trainer.train(THEOREMS, on_step=lambda step: told.append((step, trainer.lean_calls)))
    lines = [json.loads(line) for line in trainer.metrics_file.read_text().splitlines()]
    spent = list(accumulate(int(line["lean_calls"]) for line in lines))
    assert spent[-2] < 40 <= spent[-1] and len(spent) < 50
    assert told == list(enumerate(spent, start=1))
    # the learning rate falls over the budget: call c of 40 has 1 - (c - 1) / 40 of it
    rates = [line["learning_rate"] for line in lines]
    assert rates == pytest.approx([1e-3 * (41 - min(calls, 40)) / 40 for calls in spent], abs=1e-6)


def test_settings_for_little_memory_reach_the_model(tiny_folder: Path, tmp_path: Path) -> None:
    settings = config(tiny_folder, tmp_path, gradient_checkpointing=True, max_rows=3, lora_rank=2, max_steps=1)
    trainer = trained(settings, scorer=Spelling())
    assert isinstance(trainer.policy, HFPolicy) and trainer.policy.max_rows == 3
    assert getattr(trainer.model, "is_activation_checkpointing")  # noqa: B009  # an adapter passes it on
    # which may be changed on the way, and another batch may not
    LeanGRPOTrainer(config(tiny_folder, tmp_path, max_rows=3, lora_rank=2, max_steps=1), lean(), scorer=Spelling())
    with pytest.raises(ConfigError, match="max_rows"):
        LeanGRPOTrainer(config(tiny_folder, tmp_path, lora_rank=2, max_steps=1), lean(), scorer=Spelling())


def test_what_is_done_is_not_done_again(tiny_folder: Path, tmp_path: Path) -> None:
    first = trained(config(tiny_folder, tmp_path), client())
    size = first.metrics_file.stat().st_size
    trained(config(tiny_folder, tmp_path), client())
    assert first.metrics_file.stat().st_size == size
    with pytest.raises(ConfigError, match="learning_rate"):
        trained(config(tiny_folder, tmp_path, learning_rate=1e-4), client())


class Served(MockInferenceClient):
    """A server that takes weights."""

    def __init__(self) -> None:
        super().__init__(default=client()._default)
        self.updates: list[bool] = []
        self.names: list[str] = []

    def update(self, folder: Path) -> None:
        assert (folder / "config.json").is_file() or (folder / ADAPTER_CONFIG).is_file()
        self.updates.append((folder / ADAPTER_CONFIG).is_file())
        self.names.append(folder.name)


@pytest.mark.parametrize("rank", [0, 4])
def test_a_server_gets_the_new_weights(tiny_folder: Path, tmp_path: Path, rank: int) -> None:
    server = Served()
    trainer = trained(config(tiny_folder, tmp_path, lora_rank=rank), server)
    lines = [json.loads(line) for line in trainer.metrics_file.read_text().splitlines()]
    updates = sum("grad_norm" in line for line in lines)
    assert updates > 0
    assert server.updates == [rank > 0] * (1 + updates)  # the first before anything is sampled
    assert len(list((tmp_path / "served").iterdir())) == 1
    # A server that was started anew has the base model alone, also when there is nothing left to train.
    fresh = Served()
    trained(config(tiny_folder, tmp_path, lora_rank=rank), fresh).evaluate(THEOREMS)
    assert fresh.updates == [rank > 0]


def test_a_server_has_the_last_weights_when_training_ends(tiny_folder: Path, tmp_path: Path) -> None:
    server = Served()
    trained(config(tiny_folder, tmp_path, max_steps=3, sync_every=2), server, scorer=Spelling())
    assert len(server.updates) == 1 + 2  # at the beginning, after the second update, and after the third


def test_a_checkpoint_waits_until_the_server_has_the_weights(tiny_folder: Path, tmp_path: Path) -> None:
    settings = config(tiny_folder, tmp_path, max_steps=6, sync_every=2, checkpoint_every=1)
    server = Served()
    with pytest.raises(KeyboardInterrupt):
        trained(settings, server, scorer=Spelling(), on_step=killed_after(3))
    # Three updates, of which the server has heard of two: a training that goes on after the third would tell it.
    assert server.updates == [False, False]  # the first at the beginning
    assert [folder.name for folder in tmp_path.glob("in_progress/*/checkpoint-*")] == ["checkpoint-2"]
    resumed = Served()
    trainer = trained(settings, resumed, scorer=Spelling())
    # Those of the checkpoint, once, and then of every second update.
    assert resumed.names == ["update-2", "update-4", "update-6"]
    # More theorems begin with what the server has.
    trainer.train(THEOREMS[:1])
    assert resumed.names[3:] == ["update-2", "update-4", "update-6"]


def test_gradients_that_wait_at_the_end_are_not_lost(tiny_folder: Path, tmp_path: Path) -> None:
    class FlatFromTheSecondStep(Spelling):
        calls = 0

        def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, dict[str, float]]:
            self.calls += 1
            return super().score(trajectory) if self.calls <= 8 else (0.0, {})

    # gspo waits for two batches; the second of two has nothing to say
    settings = config(tiny_folder, tmp_path, max_steps=2, algorithm="gspo", algorithm_config={"sync_frequency": 2})
    trainer = trained(settings, client(), scorer=FlatFromTheSecondStep())
    lines = [json.loads(line) for line in trainer.metrics_file.read_text().splitlines()]
    assert ["grad_norm" in line for line in lines] == [False, True]


@pytest.mark.parametrize("calls", [-1, 10_000])
@pytest.mark.parametrize("updates", [1, 2])
def test_gradients_of_so_many_batches_make_the_updates(
    tiny_folder: Path, tmp_path: Path, updates: int, calls: int
) -> None:
    settings = {"algorithm": "gspo", "algorithm_config": {"use_dynamic_groups": False}, "max_lean_calls": calls}
    configuration = config(tiny_folder, tmp_path, max_steps=6, updates_per_batch=updates, **settings)
    trainer = trained(configuration, scorer=Spelling())
    lines = [json.loads(line) for line in trainer.metrics_file.read_text().splitlines()]
    # After the fourth batch, and after the sixth, which is the last, though a budget of calls is not spent.
    assert [line["step"] for line in lines if "grad_norm" in line] == [4, 6]
    assert trainer._update.optimizer_steps == 2 * updates
    assert not trainer._update.waiting
    # The second update of the same batches is by other weights than those that sampled them.
    ratios = [line["ratio"] for line in lines if "grad_norm" in line]
    assert all((ratio == pytest.approx(1.0, abs=1e-6)) == (updates == 1) for ratio in ratios)


def update_of(trainer: LeanGRPOTrainer) -> TrajectoryUpdate:
    """An update of its model, to be asked without a training."""
    settings: Any = {"reference": None, "sampling": Sampling()}
    return TrajectoryUpdate(trainer.config, trainer.algorithm, trainer.model, trainer.tokenizer, **settings)


def test_gradients_of_an_interrupted_training_are_forgotten(tiny_folder: Path, tmp_path: Path) -> None:
    trainer = LeanGRPOTrainer(config(tiny_folder, tmp_path), lean())
    trainer.setup()
    for parameter in trainer.model.parameters():
        parameter.grad = torch.ones_like(parameter)
    update_of(trainer)
    assert all(parameter.grad is None for parameter in trainer.model.parameters())


def answered(ids: Sequence[int], reward: float, *, finished: bool = True) -> ProofTrajectory:
    """An attempt of one tactic, of these tokens."""
    goal = Goal("1", "p ∧ q", text=AND)
    step = ProofStep("t", (goal,), completion=Completion("t", -1.0, len(ids), finished, tuple(ids)))
    return ProofTrajectory("and", "p ∧ q", (goal,), (step,), reward=reward)


@pytest.mark.parametrize("masked", [True, False])
def test_an_attempt_that_was_cut_off_adds_no_gradient(tiny_folder: Path, tmp_path: Path, masked: bool) -> None:
    def learnt(cut_off: int) -> torch.Tensor:
        settings = config(tiny_folder, tmp_path, algorithm_config={"mask_truncated": masked})
        trainer = LeanGRPOTrainer(settings, lean())
        trainer.setup()
        whole = [answered([5 + number, 6], number) for number in range(3)]
        group = TrajectoryGroup("and", (*whole, answered([cut_off] * 8, 3.0, finished=False)))
        update_of(trainer).learn([group], 0, 1, last=True)
        return torch.cat([parameter.detach().flatten() for parameter in trainer.model.parameters()])

    one, other = learnt(11), learnt(12)
    before = torch.cat([value.flatten() for value in weights(tiny_folder).values()])
    assert not torch.equal(one, before[: len(one)])
    assert torch.equal(one, other) == masked


@pytest.mark.parametrize("cap", [0.0, 2.0])
def test_what_a_server_drew_is_weighed_by_what_it_reports(tiny_folder: Path, tmp_path: Path, cap: float) -> None:
    trainer = LeanGRPOTrainer(config(tiny_folder, tmp_path, importance_cap=cap), lean())
    trainer.setup()

    def attempt(first: int, reward: float, offset: float) -> ProofTrajectory:
        """Of two tokens, to which the server gave a probability e^offset times that of the model."""
        (step,) = (plain := answered([first, 6], reward)).steps
        model: Any = trainer.model
        batch = make_batch([plain], trainer.tokenizer, model.device)
        values = log_probabilities(model, batch, temperature=1.0, tokens_per_pass=100)
        reported = tuple((values[0] + offset).tolist())
        assert step.completion is not None
        return replace(plain, steps=(replace(step, completion=replace(step.completion, token_logprobs=reported)),))

    group = TrajectoryGroup("and", (attempt(5, 1.0, 0.5), attempt(7, 0.0, 0.5), attempt(8, 0.5, -1.0)))
    seen = Mock(wraps=trainer.algorithm.compute_loss)
    trainer.algorithm.compute_loss = seen  # type: ignore[method-assign]
    metrics = update_of(trainer).learn([group], 0, 1, last=True)
    # Reported minus own: 0.5, 0.5, -1 on two tokens each. e^1 is above the cap of 2.
    assert metrics["sampler_kl"] == pytest.approx(0.0, abs=1e-5)
    assert metrics["sampler_gap"] == pytest.approx(2 / 3, abs=1e-5)
    weights = seen.call_args.kwargs.get("token_weights")
    if cap:
        assert metrics["weights_capped"] == pytest.approx(1 / 3)
        assert weights is not None
        assert weights[:, 0].tolist() == pytest.approx([math.exp(-0.5), math.exp(-0.5), 2.0], abs=1e-5)
    else:
        assert weights is None


def test_a_client_that_samples_otherwise_is_refused(tiny_folder: Path, tmp_path: Path) -> None:
    with InferenceClient("http://127.0.0.1:9/v1", "m", sampling=Sampling(temperature=0.7)) as policy:
        with pytest.raises(ConfigError, match=r"samples with temperature 0.7, and the configuration has temperature 1"):
            LeanGRPOTrainer(config(tiny_folder, tmp_path, max_tactic_tokens=64), lean(), policy)
        LeanGRPOTrainer(config(tiny_folder, tmp_path, max_tactic_tokens=64, temperature=0.7), lean(), policy)


def test_a_group_has_one_size(tiny_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="num_generations is 4 and the algorithm's group_size 6: give one"):
        config(tiny_folder, tmp_path, algorithm_config={"group_size": 6})
    given = config(tiny_folder, tmp_path, num_generations=None, algorithm="dapo", algorithm_config={"group_size": 6})
    assert (given.num_generations, given.updates_per_batch) == (6, 2)


def test_long_attempts_lose_reward(tiny_folder: Path, tmp_path: Path, noting: Callable[[Any, list[Any]], Any]) -> None:
    settings = config(tiny_folder, tmp_path, max_proof_steps=1, algorithm_config={"overlong_cache": 4})
    trainer = LeanGRPOTrainer(settings, lean())
    trainer.setup()
    seen: list[torch.Tensor] = []
    trainer.algorithm = noting(trainer.algorithm, seen)
    attempts = [answered([5] * length, 1.0, finished=length < 8) for length in (2, 5, 7, 8)]
    update_of(trainer).learn([TrajectoryGroup("and", tuple(attempts))], 0, 1, last=True)
    # Beyond 8 - 4 tokens each costs a quarter.
    (rewards,) = seen
    assert rewards.tolist() == [[1.0, 0.75, 0.25, 0.0]]


@pytest.fixture
def adapter(tiny_folder: Path, tmp_path: Path) -> Path:
    """A LoRA adapter that says something else than its base."""
    with quiet_libraries():
        model, tokenizer = load_for_training(str(tiny_folder), lora_config=LoraConfig(r=4, target_modules=["q_proj"]))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(generator=torch.Generator(parameter.device).manual_seed(0))
    model.save_pretrained(str(tmp_path / "adapter"))
    tokenizer.save_pretrained(tmp_path / "adapter")
    return tmp_path / "adapter"


def test_the_reference_is_the_model_that_the_run_began_with(tiny_folder: Path, adapter: Path, tmp_path: Path) -> None:
    settings = config(adapter, tmp_path / "run", algorithm_config={"beta": 0.1}, updates_per_batch=2)
    trainer = LeanGRPOTrainer(settings, lean(), client())
    trainer.setup()
    answer = Answer(0, 0, prompt_ids(trainer.tokenizer, AND), (5, 6, 7))
    batch = TrajectoryBatch((answer,), torch.ones(1, 3))

    def probabilities(model: Any) -> torch.Tensor:
        return log_probabilities(model, batch, temperature=1.0, tokens_per_pass=100)

    def reference(of: LeanGRPOTrainer) -> torch.Tensor:
        found = update_of(of)._reference_log_probabilities(batch)
        assert found is not None
        return found

    began = probabilities(trainer.model)
    base, _ = load_causal_lm(tiny_folder)
    assert not torch.allclose(began, probabilities(base), atol=1e-2)
    assert torch.equal(reference(trainer), began)
    trained_before = {name for name, p in trainer.model.named_parameters() if p.requires_grad}
    assert trained_before and not any(".ref." in name for name in trained_before)
    trainer.train(THEOREMS)
    assert {name for name, p in trainer.model.named_parameters() if p.requires_grad} == trained_before
    now = probabilities(trainer.model)
    assert not torch.allclose(now, began, atol=1e-3)
    assert torch.equal(reference(trainer), began)
    # It is no part of what was trained, and a second dataset keeps it.
    assert not (tmp_path / "run" / "ref").exists()
    again = LeanGRPOTrainer(settings, lean(), client())
    again.setup()
    assert torch.allclose(probabilities(again.model), now, atol=1e-5)
    assert torch.allclose(reference(again), began, atol=1e-5)


def test_flat_groups_are_sampled_again_or_left(tiny_folder: Path, tmp_path: Path) -> None:
    flat = MockInferenceClient(default=["nonsense"])
    trained(config(tiny_folder, tmp_path / "a", max_steps=1), flat)
    asked = len(flat.calls)
    assert all(
        torch.equal(a, b) for a, b in zip(weights(tiny_folder).values(), weights(tmp_path / "a").values(), strict=True)
    )
    again = MockInferenceClient(default=["nonsense"])
    trained(config(tiny_folder, tmp_path / "b", max_steps=1, algorithm_config={"dynamic_sampling": 2}), again)
    assert len(again.calls) == 3 * asked


def test_theorems_that_cannot_start_are_left_out(
    tiny_folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [{"name": "id", "statement": "theorem id (p : Prop) (hp : p) : p"}, {"name": "bad", "statement": "p"}]

    class Refusing(MockLeanInterface):
        def goal_start(self, origin: Any, **options: Any) -> Any:
            if origin.full_name == "bad":
                raise LeanRequestError("unknown identifier p")
            return super().goal_start(origin, **options)

    trained(config(tiny_folder, tmp_path / "a"), client(), rows, server=Refusing())
    assert "bad is left out: unknown identifier p" in caplog.text
    with pytest.raises(TrainingError, match="No theorem can be started in Lean: unknown identifier p"):
        trained(config(tiny_folder, tmp_path / "b"), client(), rows[1:], server=Refusing())


def test_mistakes_are_said_before_anything_is_loaded(tiny_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"setup\(\)"):
        LeanGRPOTrainer(config(tiny_folder, tmp_path), lean()).train(THEOREMS)
    with pytest.raises(ModelNotFound):
        LeanGRPOTrainer(config(tmp_path / "none", tmp_path), lean())


def test_a_new_adapter_on_an_adapter_is_refused(adapter: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a LoRA adapter already"):
        LeanGRPOTrainer(config(adapter, tmp_path / "run", lora_rank=8), lean())


def test_evaluation_changes_nothing(tiny_folder: Path, tmp_path: Path) -> None:
    trainer = LeanGRPOTrainer(config(tiny_folder, tmp_path), lean(), client())
    trainer.setup()
    groups = trainer.evaluate(THEOREMS, 64)
    assert [group.theorem for group in groups] == ["and", "or", "id"]
    assert groups[2].pass_rate > 0
    shutil.rmtree(tmp_path / "theorems")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "changes", "complaint"),
    [
        ("learning_rat: 1", {}, "'learning_rat' in .*config.yaml. Did you mean 'learning_rate'"),
        ("", {"num_generation": 4}, r"'num_generation'\. Did you mean 'num_generations'"),
        ("learning_rate: fast", {}, "learning_rate must be .* not 'fast'"),
        ("num_generations: 1", {}, "at least 2"),
        ("temperature: 0", {}, "temperature"),
        ("max_proof_steps: 0", {}, "max_proof_steps"),
        ("reward_type: composite", {}, "reward_weights"),
        ("reward_type: algebr", {}, "Did you mean 'algebra'"),
        ("{reward_type: composite, reward_weights: {algebra: .6, efficency: .4}}", {}, "Did you mean 'efficiency'"),
        ("algorithm: grp", {}, "Did you mean 'grpo'"),
        ("algorithm_preset: publshed", {}, "There is one, 'published'"),
        ("algorithm_config: {epsilom: 0.1}", {}, "Did you mean 'epsilon'"),
        ("- a", {}, "must hold names with values"),
        ("a: [", {}, "does not read as YAML"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    tmp_path: Path, text: str, changes: dict[str, Any], complaint: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=complaint):
        LeanGRPOConfig.load(path, **changes)


def test_defaults_then_yaml_then_flags(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("learning_rate: 5e-6\nnum_generations: 4\nalgorithm: dapo\n", encoding="utf-8")
    loaded = LeanGRPOConfig.load(path, num_generations=6)
    assert (loaded.learning_rate, loaded.num_generations, loaded.algorithm) == (5e-6, 6, "dapo")
    assert loaded.max_proof_steps == LeanGRPOConfig().max_proof_steps
    with pytest.raises(ConfigError, match=r"no configuration .*none.yaml"):
        LeanGRPOConfig.load(tmp_path / "none.yaml")


CONFIGS = Path(__file__).parents[2] / "configs"


def test_single_settings_of_an_algorithm_stand_over_the_file_s() -> None:
    loaded = LeanGRPOConfig.load(CONFIGS / "dapo.yaml", algorithm_config={"population_size": 200})
    file = LeanGRPOConfig.load(CONFIGS / "dapo.yaml").algorithm_config
    assert file["population_size"] == 100 and file["use_reward_shaping"]
    assert loaded.algorithm_config == {**file, "population_size": 200}
    # the same algorithm by another name of it
    assert LeanGRPOConfig.load(CONFIGS / "dapo.yaml", algorithm="DAPO").algorithm_config == file


def test_another_algorithm_or_reward_leaves_what_the_file_s_needed() -> None:
    plain = LeanGRPOConfig.load(CONFIGS / "dapo.yaml", algorithm="gspo", algorithm_config={"sync_frequency": 2})
    assert (plain.algorithm, plain.algorithm_config) == ("gspo", {"sync_frequency": 2})
    published = LeanGRPOConfig.load(CONFIGS / "dapo_published.yaml", algorithm="gspo")
    assert (published.algorithm, published.algorithm_preset) == ("gspo", None)
    kept = LeanGRPOConfig.load(CONFIGS / "dapo_published.yaml", learning_rate=1e-5)
    assert kept.algorithm_preset == "published"
    both = LeanGRPOConfig.load(CONFIGS / "dapo_published.yaml", algorithm="gspo", algorithm_preset="published")
    assert both.algorithm_preset == "published"
    shaped = LeanGRPOConfig.load(CONFIGS / "composite_reward.yaml", reward_type="shaped")
    assert (shaped.reward_type, shaped.reward_weights) == ("shaped", {})
    same = LeanGRPOConfig.load(CONFIGS / "composite_reward.yaml", reward_type="composite")
    assert set(same.reward_weights) == {"verified", "algebra", "efficiency"}


def test_the_learning_rate_rises_and_falls() -> None:
    # 10 steps, 2 of them warm-up: 1/2, then (10 - step) / 8, held at 1
    factors = [learning_rate_factor(step, 10, 0.2) for step in range(10)]
    assert factors[0] == 0.5
    assert factors[1:3] == [1.0, 1.0] and factors[3] == 7 / 8 and factors[9] == 1 / 8
    assert all(a >= b for a, b in pairwise(factors[1:]))
    assert learning_rate_factor(0, 1, 0.05) == 1.0
