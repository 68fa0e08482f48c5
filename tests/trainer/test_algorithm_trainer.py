"""trl's trainer with an algorithm in it: with GRPO it is trl's own, and what trl lacks works."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from trl.trainer.grpo_trainer import GRPOTrainer as TRLTrainer

from lean_agent.algorithms import ALGORITHMS
from lean_agent.errors import ConfigError
from lean_agent.policy.decoding import Answers
from lean_agent.trainer.algorithm_trainer import AlgorithmTrainer, joined, split
from lean_agent.trainer.grpo_trainer import GRPOTrainer

FAST: dict[str, Any] = {"max_completion_length": 8, "lr": 1e-3, "progress": False}


def weights(folder: Path) -> torch.Tensor:
    """All weights of a model folder in one row."""
    from safetensors.torch import load_file

    return torch.cat([tensor.flatten() for _, tensor in sorted(load_file(folder / "model.safetensors").items())])


def by_length(completions: list[str], **_: Any) -> torch.Tensor:
    return torch.tensor([float(len(tactic) % 5) for tactic in completions])


def by_place(completions: list[str], **_: Any) -> torch.Tensor:
    """Every group has spread."""
    return torch.arange(len(completions), dtype=torch.float32) % 3


def every_other_group(completions: list[str], **_: Any) -> torch.Tensor:
    """Groups of eight, of which every other one has no spread."""
    return by_place(completions) * (torch.arange(len(completions)) // 8 % 2)


class StockTrainer(TRLTrainer):
    """trl's trainer as it comes, where ours is asked for; it samples as ours does, so that both learn from the same."""

    _generate_single_turn = AlgorithmTrainer._generate_single_turn
    _length_limit = FAST["max_completion_length"]
    sample = staticmethod(AlgorithmTrainer.sample)

    def __init__(self, *args: Any, algorithm: Any, loss_type: str, **kwargs: Any) -> None:
        kwargs["args"].loss_type = loss_type
        kwargs["args"].scale_rewards = "none" if loss_type == "dr_grpo" else "group"
        super().__init__(*args, **kwargs)


@pytest.mark.parametrize(
    ("settings", "loss_type"),
    [
        ({"batch_size": 16}, "grpo"),
        ({"batch_size": 8, "num_iterations": 2}, "grpo"),
        ({"batch_size": 16, "reward": every_other_group}, "grpo"),  # flat groups are left out of the update
        ({"batch_size": 16, "algorithm_config": {"loss_aggregation": "token"}, "reward": every_other_group}, "dapo"),
        ({"batch_size": 4, "algorithm_config": {"beta": 0.1}}, "grpo"),  # two passes make a group
        ({"batch_size": 4, "algorithm": "drgrpo", "algorithm_config": {"preset": "published"}}, "dr_grpo"),
        ({"batch_size": 4, "algorithm_config": {"loss_aggregation": "token"}}, "dapo"),
    ],
)
def test_weights_are_those_of_trl(
    request: pytest.FixtureRequest, tmp_path: Path, settings: Any, loss_type: str
) -> None:
    tiny_folder, one_goal, logic = map(request.getfixturevalue, ("tiny_folder", "one_goal", "logic"))

    class OfTRL(GRPOTrainer):
        step_trainer: ClassVar[Any] = partial(StockTrainer, loss_type=loss_type)

    def train(folder: Path, trainer_class: type[GRPOTrainer]) -> torch.Tensor:
        options = {"reward": by_place, "output_dir": folder, "max_steps": 3, "num_generations": 8, **FAST, **settings}
        trainer = trainer_class(tiny_folder, **options)
        trainer.train([logic], one_goal, tmp_path / "data")
        return weights(folder)

    ours, theirs = train(tmp_path / "ours", GRPOTrainer), train(tmp_path / "theirs", OfTRL)
    # Adam divides a gradient by its own size, rounding errors of those near nothing included; a step of it is 1e-3.
    # On a GPU these are larger.
    share = 0.8 if torch.cuda.is_available() else 0.97
    assert ((ours - theirs).abs() < 1e-6).float().mean() > share
    assert torch.allclose(ours, theirs, rtol=0, atol=2e-4)
    assert not torch.allclose(ours, weights(tiny_folder), atol=1e-4), "something was learnt"


@pytest.mark.parametrize(
    ("name", "preset"),
    [*((name, None) for name in ALGORITHMS), *((name, "published") for name in ("drgrpo", "dapo", "gspo"))],
)
def test_every_algorithm_trains(request: pytest.FixtureRequest, tmp_path: Path, name: str, preset: str | None) -> None:
    tiny_folder, one_goal, logic = map(request.getfixturevalue, ("tiny_folder", "one_goal", "logic"))
    config = {"preset": preset, **({"overlong_cache": 4} if preset and name == "dapo" else {})}
    trainer = GRPOTrainer(
        tiny_folder,
        by_length,
        tmp_path / "out",
        algorithm=name,
        algorithm_config=config,
        batch_size=8,
        num_generations=4,
        num_iterations=2,
        max_steps=2,
        # An untrained model ends an answer at one token of 260: at 64 some answer does, which DAPO wants to learn.
        **FAST | {"max_completion_length": 64},
    )
    trainer.train([logic], one_goal, tmp_path / "data")
    moved = weights(tmp_path / "out")
    assert moved.isfinite().all()
    assert not torch.equal(moved, weights(tiny_folder))


def test_groups_without_spread_are_sampled_again(tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    """Of four groups the first two get equal rewards; what takes their place is asked for by itself."""
    calls: list[list[str]] = []

    def reward(completions: list[str], problem: list[str], **_: Any) -> torch.Tensor:
        calls.append(completions)
        first = [0.0, 0.0] * 2 if len(calls) == 1 else [0.0, 0.0, 0.0, 1.0]
        values = [*first, 0.0, 1.0, 0.0, 1.0] if len(calls) == 1 else first[: len(completions)]
        return torch.tensor(values)

    trainer = GRPOTrainer(
        tiny_folder,
        reward,
        tmp_path / "out",
        algorithm="dapo",
        algorithm_config={"preset": "published", "dynamic_sampling": 4, "overlong_cache": 0},
        batch_size=8,
        num_generations=2,
        max_steps=1,
        **FAST,
    )
    trainer.train([logic], one_goal, tmp_path / "data")
    # Four groups, of which two are flat; those two again: one flat, one not; the last one again, and again to the
    # bound: two completions have the rewards 0 and 0.
    assert [len(completions) for completions in calls] == [8, 4, 2, 2, 2]
    assert '"groups_with_spread": 0.75' in trainer.metrics_file.read_text()


def sampling(lengths: Sequence[int], cut_off: int = 11) -> type[GRPOTrainer]:
    """Make a trainer whose model answers at these lengths, of the token 10.

    An answer that is as long as may be has no end, and tokens of its own.
    """

    def sample(*_: Any, end_ids: list[int], pad_id: int, max_new_tokens: int, **__: Any) -> Answers:
        rows = [
            [10] * (length - 1) + [end_ids[0]] + [pad_id] * (max_new_tokens - length)
            if length < max_new_tokens
            else [cut_off] * length
            for length in lengths
        ]
        return Answers(torch.tensor(rows), torch.zeros(len(rows)))

    of_lengths = staticmethod(sample)

    class Sampling(AlgorithmTrainer):
        sample: Any = of_lengths

    class OfLengths(GRPOTrainer):
        step_trainer = Sampling

    return OfLengths


@pytest.mark.parametrize("masked", [True, False])
def test_a_completion_that_was_cut_off_adds_no_gradient(
    request: pytest.FixtureRequest, tmp_path: Path, masked: bool
) -> None:
    tiny_folder, one_goal, logic = map(request.getfixturevalue, ("tiny_folder", "one_goal", "logic"))

    def learnt(cut_off: int) -> torch.Tensor:
        folder = tmp_path / str(cut_off)
        config = {"mask_truncated": masked}
        settings: dict[str, Any] = {"batch_size": 4, "num_generations": 4, "max_steps": 1, "warmup": 0.0, **FAST}
        trainer = sampling((3, 4, 5, 8), cut_off)(tiny_folder, by_place, folder, algorithm_config=config, **settings)
        trainer.train([logic], one_goal, tmp_path / "data")
        return weights(folder)

    one, other = learnt(11), learnt(12)
    assert not torch.equal(one, weights(tiny_folder)), "the other completions are learnt from"
    assert torch.equal(one, other) == masked


def test_long_completions_lose_reward(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    names = ("tiny_folder", "one_goal", "logic", "noting")
    tiny_folder, one_goal, logic, noting = map(request.getfixturevalue, names)
    settings: dict[str, Any] = {"batch_size": 4, "num_generations": 4, "max_steps": 1, **FAST}
    trainer = sampling((2, 5, 7, 8))(
        tiny_folder,
        lambda completions, **_: torch.ones(len(completions)),
        tmp_path / "out",
        algorithm_config={"overlong_cache": 4},
        **settings,
    )
    seen: list[torch.Tensor] = []
    trainer.algorithm = noting(trainer.algorithm, seen)
    trainer.train([logic], one_goal, tmp_path / "data")
    # Beyond 8 - 4 tokens each costs a quarter.
    (rewards,) = seen
    assert rewards.tolist() == [[1.0, 0.75, 0.25, 0.0]]


def test_groups_that_grow(tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    """Rewards without spread: lean-grpo's GSPO doubles its groups, within the same batch."""
    seen: list[list[str]] = []

    def reward(completions: list[str], full_name: list[str], **_: Any) -> torch.Tensor:
        seen.append(full_name)
        return torch.zeros(len(completions))

    trainer = GRPOTrainer(
        tiny_folder,
        reward,
        tmp_path / "out",
        algorithm="gspo",
        algorithm_config={"sync_frequency": 1, "max_group_size": 8},
        batch_size=8,
        num_generations=2,
        max_steps=4,
        **FAST,
    )
    trainer.train([logic], one_goal, tmp_path / "data")
    runs = [[names[i : i + size] for i in range(0, 8, size)] for names, size in zip(seen, (2, 4, 8, 8), strict=True)]
    assert all(len(set(group)) == 1 for batch in runs for group in batch)
    assert len(seen[0]) == len(seen[3]) == 8


def test_updates_of_several_batches(tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    sizes: list[int] = []

    def reward(completions: list[str], **_: Any) -> torch.Tensor:
        sizes.append(len(completions))
        return by_length(completions)

    trainer = GRPOTrainer(
        tiny_folder,
        reward,
        tmp_path / "out",
        algorithm="gspo",
        algorithm_config={"sync_frequency": 3},
        batch_size=4,
        num_generations=2,
        max_steps=2,
        **FAST,
    )
    trainer.train([logic], one_goal, tmp_path / "data")
    assert sizes == [12, 12], "three batches of four make one update"


def test_the_time_of_a_step_is_told_apart(tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    import time

    def slow(completions: list[str], **_: Any) -> torch.Tensor:
        time.sleep(0.2)
        return by_length(completions)

    trainer = GRPOTrainer(tiny_folder, slow, tmp_path / "out", batch_size=8, max_steps=3, **FAST)
    assert trainer.step_time() is None
    trainer.train([logic], one_goal, tmp_path / "data")
    spent = trainer.step_time()
    assert spent is not None
    assert 0.2 <= spent.reward_s < 0.3
    assert spent.generation_s > 0
    assert spent.update_s > 0
    assert spent.reward_share == pytest.approx(
        spent.reward_s / (spent.generation_s + spent.reward_s + spent.update_s), abs=1e-9
    )
    assert f"Lean {spent.reward_s:.2f}" in str(spent)


def test_an_attempt_that_left_no_checkpoint_is_forgotten(
    tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any, interrupted: Any
) -> None:
    """The same trainer object, interrupted and called again: its population begins anew with the training."""
    reward_func, _ = interrupted(by_length, 3)

    def trainer(folder: str, reward: Any) -> GRPOTrainer:
        return GRPOTrainer(
            tiny_folder,
            reward,
            tmp_path / folder,
            algorithm="dapo",
            batch_size=8,
            num_generations=4,
            num_iterations=1,
            max_steps=4,
            **FAST,
        )

    again = trainer("again", reward_func)
    with pytest.raises(KeyboardInterrupt):
        again.train([logic], one_goal, tmp_path / "data")
    again.train([logic], one_goal, tmp_path / "data")
    straight = trainer("straight", by_length)
    straight.train([logic], one_goal, tmp_path / "data")
    assert torch.equal(weights(tmp_path / "again"), weights(tmp_path / "straight"))
    assert again.completions_scored == straight.completions_scored == 4 * 8


def test_a_budget_of_completions(tiny_folder: Path, tmp_path: Path, one_goal: Any, logic: Any) -> None:
    trainer = GRPOTrainer(
        tiny_folder,
        by_length,
        tmp_path / "out",
        batch_size=8,
        num_generations=4,
        max_steps=9,
        max_completions=20,
        **FAST,
    )
    trainer.train([logic], one_goal, tmp_path / "data")
    # 8, 16, 24: the step that reaches 20 is the last.
    assert trainer.completions_scored == 24
    fresh = GRPOTrainer(
        tiny_folder,
        by_length,
        tmp_path / "out",
        batch_size=8,
        num_generations=4,
        max_steps=9,
        max_completions=20,
        **FAST,
    )
    assert fresh.completions_scored == 24, "known from the checkpoint"


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"algorithm": "dapoo"}, "Did you mean 'dapo'"),
        ({"algorithm_config": {"epsilom": 0.1}}, "Did you mean 'epsilon'"),
        ({"algorithm": "dgpo", "batch_size": 4, "num_generations": 8}, "batch_size must be a multiple"),
        ({"num_generations": 4, "algorithm_config": {"group_size": 8}}, "give one"),
        ({"algorithm_config": {"overlong_cache": 99}, "max_completion_length": 16}, "overlong_cache"),
        ({"curriculum": "hard_first"}, "curriculum must be one of"),
        ({"replay": 1.5}, "replay must be a number in"),
        ({"reward": "verifed"}, "no scorer 'verifed'"),
        ({"reward": by_length, "reward_func": by_length}, "not both"),
    ],
)
def test_settings_that_cannot_work(tmp_path: Path, settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        GRPOTrainer(tmp_path / "no_model", output_dir=tmp_path / "out", **settings)


def test_groups_of_two_batches() -> None:
    first = {"prompt_ids": torch.tensor([[1, 2]]), "completion_ids": torch.tensor([[3]]), "scores": torch.zeros(1)}
    second = {"prompt_ids": torch.tensor([[4]]), "completion_ids": torch.tensor([[5, 6]]), "scores": torch.ones(1)}
    merged = joined([second, first])
    # Prompts are padded on the left, completions on the right.
    assert merged["prompt_ids"].tolist() == [[0, 4], [1, 2]]
    assert merged["completion_ids"].tolist() == [[5, 6], [3, 0]]
    assert merged["scores"].tolist() == [1.0, 0.0]
    assert [group["scores"].tolist() for group in split({**merged, "count": torch.tensor(3)}, 1)] == [[1.0], [0.0]]
