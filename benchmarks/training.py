"""How fast a small model trains on a CPU, against trl's own way, on the same rows in the same run.

python benchmarks/training.py                            # all parts
python benchmarks/training.py --only sft                 # some of: sft, grpo, ahead
python benchmarks/training.py --repositories logic --steps 40 --pairs 3

``sft`` takes the same optimizer steps by trl's trainer as it is (torch's products, log-probabilities of all tokens) and
by this package's, in turn. ``grpo`` takes the demo's steps with a reward of real Lean, and by trl alone with a constant
one. ``ahead`` takes them with Lean's work beside the update (``draw_ahead``), and one after the other. One thread;
SFT counts the seconds of the processor, so that a busy machine makes little difference.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, cast
from unittest.mock import patch

import torch
import transformers
from marks import Mark, show
from search import repositories, trained
from torch import nn
from trl.trainer.grpo_trainer import GRPOTrainer as TRLGRPOTrainer
from trl.trainer.sft_trainer import SFTTrainer as TRLSFTTrainer

from lean_agent.agent.demo import DemoConfig
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.database import DynamicDatabase
from lean_agent.rewards.adaptor import RewardFunc
from lean_agent.trainer import sft_trainer
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.run import loading
from lean_agent.trainer.sft_trainer import LengthGroupedTrainer, SFTTrainer

PARTS = ("sft", "grpo", "ahead")
SFT_MARK, GRPO_MARK, AHEAD_MARK = 1.5, 1.3, 0.9
DEMO = DemoConfig()


@contextmanager
def timed_steps() -> Iterator[list[tuple[float, float, int]]]:
    """Collect, of each optimizer step: seconds of the processor, seconds that passed, tokens that are no padding."""
    steps: list[tuple[float, float, int]] = []
    train = transformers.Trainer.train

    def training(trainer: Any, *args: Any, **options: Any) -> Any:
        step = trainer.training_step

        def stepping(model: Any, inputs: Any, *others: Any, **more: Any) -> Any:
            tokens = int(inputs["attention_mask"].sum()) if isinstance(inputs, dict) else 0
            cpu, wall = time.process_time(), time.perf_counter()
            result = step(model, inputs, *others, **more)
            steps.append((time.process_time() - cpu, time.perf_counter() - wall, tokens))
            return result

        trainer.training_step = stepping
        return train(trainer, *args, **options)

    with patch.object(transformers.Trainer, "train", training):
        yield steps


class Bench:
    """Traced repositories and a model of the demo's size that has had SFT on them: one that earns rewards."""

    def __init__(self, agent: HFAgent, folder: Path, steps: int) -> None:
        self.agent = agent
        self.folder = folder
        self.steps = steps
        self.model = trained(agent, folder)
        self._runs = 0

    def sft(self, *, former: bool) -> float:
        """Return how many tokens a second of the processor the steps of one training take."""
        trainer = (FormerSFT if former else SFTTrainer)(
            str(self.model), self._new(), batch_size=DEMO.sft_batch, lr=DEMO.sft_lr, max_steps=self.steps,
            seed=0, progress=False,
        )  # fmt: skip
        with timed_steps() as steps, torchs_products() if former else nullcontext():
            self._train(trainer)
        return sum(tokens for _, _, tokens in steps) / sum(cpu for cpu, _, _ in steps)

    def grpo(self, trainer_class: type[GRPOTrainer], reward: RewardFunc | None = None, **settings: Any) -> float:
        """Return the median seconds, as they pass, of a step of the demo's; without a reward real Lean gives it."""
        trainer = trainer_class(
            str(self.model), reward, output_dir=self._new(), max_steps=self.steps,
            batch_size=DEMO.grpo_goals * DEMO.grpo_group, num_generations=DEMO.grpo_group,
            max_completion_length=DEMO.max_tactic_tokens, lr=DEMO.grpo_lr, seed=0, progress=False,
            **settings,
        )  # fmt: skip
        self.agent.trainer = trainer
        with timed_steps() as steps:
            self.agent.train()
        print(trainer.step_time() or "", flush=True)
        return median(wall for _, wall, _ in steps[1:])

    def _train(self, trainer: Any) -> None:
        trainer.train(self.agent.curriculum(), self.agent.database, self._new())

    def _new(self) -> Path:
        self._runs += 1
        return self.folder / f"run-{self._runs}"


@contextmanager
def torchs_products() -> Iterator[None]:
    """Leave a model's layers as they are."""
    kind, half = (
        patch.object(loading, "fastest_layer", lambda: nn.Linear),
        patch.object(sft_trainer, "multiplies_half", bool),
    )
    with kind, half:
        yield


class FormerSteps(LengthGroupedTrainer):
    """The order of rows of this package, the loss as trl computes it."""

    compute_loss = TRLSFTTrainer.compute_loss


class FormerSFT(SFTTrainer):
    """SFT by trl's loss."""

    step_trainer = FormerSteps


class Alone(TRLGRPOTrainer):
    """trl's trainer, without this package's algorithms."""

    def __init__(self, *args: Any, algorithm: object, **options: Any) -> None:
        super().__init__(*args, **options)
        self.generation_s = self.reward_s = 0.0


class TRLAlone(GRPOTrainer):
    """Data of this package, by trl's trainer."""

    step_trainer = cast("Any", Alone)


def constant(completions: Sequence[object], **_: object) -> list[float]:
    """Reward every other completion."""
    return [float(number % 2 == 0) for number in range(len(completions))]


def ratios(
    what: str, unit: str, ours: Callable[[], float], theirs: Callable[[], float], pairs: int, *, other: str = "trl's"
) -> float:
    """Measure both in turn, print each pair, and return the median of ours over the other."""
    measured = []
    for _ in range(pairs):
        second, first = theirs(), ours()
        measured.append(first / second)
        print(f"{what}: {first:,.4g} {unit}, {other} {second:,.4g}, {measured[-1]:.2f} times", flush=True)
    return median(measured)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--repositories", nargs="*", default=["logic"], help="of repos/; none for all")
    parser.add_argument("--steps", type=int, default=30, help="optimizer steps of each training")
    parser.add_argument("--pairs", type=int, default=3, help="how often both are measured")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with (
        tempfile.TemporaryDirectory() as scratch,
        DynamicDatabase(Path(scratch) / "database.sqlite") as database,
        HFAgent(database=database, runs_dir=Path(scratch) / "runs", progress=False) as agent,
    ):
        for path in repositories(options.repositories):
            agent.setup_local_repository(path)
        bench = Bench(agent, Path(scratch), options.steps)
        if "sft" in options.only:
            ours, theirs = partial(bench.sft, former=False), partial(bench.sft, former=True)
            value = ratios("SFT", "tokens a second", ours, theirs, options.pairs)
            show(Mark("SFT, tokens a second of the processor, against trl's way", value, SFT_MARK, "times", "at least"))
        if "grpo" in options.only:
            value = ratios(
                "GRPO, a step", "s as they pass",
                partial(bench.grpo, GRPOTrainer), partial(bench.grpo, TRLAlone, constant), options.pairs,
            )  # fmt: skip
            show(Mark("GRPO step with Lean's reward, against trl alone", value, GRPO_MARK, "times"))
        if "ahead" in options.only:
            on_policy = partial(bench.grpo, GRPOTrainer)
            ahead = partial(on_policy, draw_ahead=True)
            value = ratios(
                "GRPO drawn ahead, a step", "s as they pass", ahead, on_policy, options.pairs, other="on-policy"
            )
            show(Mark("GRPO step with Lean beside the update, against one after the other", value, AHEAD_MARK, "times"))


if __name__ == "__main__":
    main()
