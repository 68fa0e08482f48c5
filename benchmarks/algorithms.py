"""Learning curves of the RL algorithms: held-out theorems proved, against the Lean calls that training has cost.

python benchmarks/algorithms.py [--work DIR] [--seeds 5] [--algorithms "grpo|dapo"] [--minutes 30]
python benchmarks/algorithms.py --report       # the table and the plot of what there is

All algorithms start from one SFT checkpoint and learn from the verified reward on repos/, repository by repository,
with the same budget of scored tactics; after every other repository their policy searches for theorems that are left
open, which no training has seen, at one budget. A run is one algorithm with one seed, of training and search alike. It
takes hours altogether, so it begins nothing new after ``--minutes``, can be stopped at any moment, and goes on with the
same command; seeds are gone through one after the other, so that what is there compares the same seeds.

In the folder: results.jsonl (a line for each point of a curve), algorithms.png, the runs' checkpoints.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_agent.agent.demo import DemoConfig, find_repositories, spread
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import RunFolder
from lean_agent.database import DynamicDatabase
from lean_agent.evaluation.evaluate import evaluate
from lean_agent.evaluation.statistics import Interval
from lean_agent.policy.hf import Sampling
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prompts import main_goal
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import HFProver
from lean_agent.tracing import Repository, lean_project
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.sft_trainer import SFTTrainer

DEMO = DemoConfig()
BUDGET = SearchBudget(expansions=16, lean_calls=128, seconds=30.0)
THEOREMS = 32
COMPLETIONS = 32 * 24
"""Scored tactics of a run in each repository."""

PUBLISHED = {"preset": "published"}
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    "grpo": ("grpo", {}),
    "dgpo": ("dgpo", {}),
    "drgrpo": ("drgrpo", {}),
    "drgrpo, published": ("drgrpo", PUBLISHED),
    "dapo": ("dapo", {}),
    "dapo, published": ("dapo", {**PUBLISHED, "overlong_cache": 8}),
    "gspo": ("gspo", {}),
    "gspo, published": ("gspo", PUBLISHED),
}


@dataclass(frozen=True)
class Point:
    """One point of a curve.

    Attributes:
        variant: a key of ``VARIANTS``, or ``sft``.
        lean_calls: tactics that Lean has scored in training so far.
        proved: held-out theorems proved, of ``theorems``.
        reward: mean reward in the last logged steps; ``None`` before any training.
    """

    variant: str
    seed: int
    repositories: int
    lean_calls: int
    proved: int
    theorems: int
    reward: float | None
    lr: float


class Bench:
    """One work folder: data, the SFT checkpoint, the runs."""

    def __init__(self, work: Path, lr: float) -> None:
        self.work = work
        self.lr = lr
        self.results = work / "results.jsonl"
        work.mkdir(parents=True, exist_ok=True)

    def points(self) -> list[Point]:
        if not self.results.is_file():
            return []
        lines = self.results.read_text(encoding="utf-8").splitlines()
        return [Point(**json.loads(line)) for line in lines if line.endswith("}")]

    def run(self, variants: Sequence[str], seeds: int, until: float) -> None:
        with (
            DynamicDatabase(self.work / "database.sqlite") as database,
            HFAgent(database=database, run=RunFolder(self.work), workers=DEMO.workers) as agent,
        ):
            for path in find_repositories(None):
                agent.setup_local_repository(path)
            repositories = agent.curriculum()
            start = self._sft(agent, database, repositories)
            for seed in range(seeds):
                self._measure(agent, start, Point("sft", seed, 0, 0, 0, THEOREMS, None, self.lr))
                for variant in variants:
                    for count in (2, 4):
                        if time.monotonic() > until:
                            print("The minutes are over; the same command goes on from here.")
                            return
                        self._reach(agent, database, variant=variant, seed=seed, count=count, start=start)

    def _sft(self, agent: HFAgent, database: DynamicDatabase, repositories: list[Repository]) -> Path:
        """The checkpoint that all runs start from, made as the demo makes its own."""
        untrained, trained = self.work / "untrained", self.work / "sft"
        if not (untrained / "config.json").is_file():
            database.export_merged_data(repositories, agent.run.data)
            theorems = json.loads((agent.run.data / "random" / "train.json").read_text(encoding="utf-8"))
            steps = [step for theorem in theorems for step in theorem["traced_tactics"]]
            texts = [text for step in steps for text in (main_goal(step["state_before"]), step["step"])]
            make_tiny_model(texts, untrained, hidden_size=DEMO.hidden_size, seed=DEMO.seed)
        trainer = SFTTrainer(
            untrained, trained, epochs_per_repo=DEMO.sft_epochs, batch_size=DEMO.sft_batch, lr=DEMO.sft_lr,
            checkpoint_every_s=20.0,
        )  # fmt: skip
        trainer.train(repositories, database, agent.run.data)
        return trained

    def _reach(
        self, agent: HFAgent, database: DynamicDatabase, *, variant: str, seed: int, count: int, start: Path
    ) -> None:
        """Train on the first ``count`` repositories, and measure there, unless that is done."""
        if self._is_measured(variant, seed, count):
            return
        repositories = agent.curriculum()[:count]
        algorithm, config = VARIANTS[variant]
        folder = self.work / "runs" / f"{variant.replace(', ', '-')}-{seed}"
        trainer = GRPOTrainer(
            start, output_dir=folder, algorithm=algorithm, algorithm_config=config, reward="verified",
            num_generations=DEMO.grpo_group, batch_size=DEMO.grpo_group * DEMO.grpo_goals, lr=self.lr, seed=seed,
            max_steps=COMPLETIONS // (DEMO.grpo_group * DEMO.grpo_goals), max_completions=COMPLETIONS,
            max_completion_length=DEMO.max_tactic_tokens, checkpoint_every_s=20.0,
        )  # fmt: skip
        trainer.set_server(agent.lean, {(one.url, one.commit): lean_project(one) for one in repositories})
        trainer.train(repositories, database, agent.run.data / folder.name)
        lines = [json.loads(line) for line in trainer.metrics_file.read_text(encoding="utf-8").splitlines()]
        rewards = [line["reward"] for line in lines if line.get("reward") is not None]
        calls = trainer.completions_scored
        self._measure(agent, folder, Point(variant, seed, count, calls, 0, THEOREMS, rewards[-1], self.lr))

    def _is_measured(self, variant: str, seed: int, repositories: int) -> bool:
        done = {(point.variant, point.seed, point.repositories) for point in self.points()}
        return (variant, seed, repositories) in done

    def _measure(self, agent: HFAgent, model: Path, point: Point) -> None:
        """Search with the policy of a point, and keep what it proved."""
        if self._is_measured(point.variant, point.seed, point.repositories):
            return
        sampling = Sampling(max_new_tokens=DEMO.max_tactic_tokens, seed=point.seed)
        search = SearchConfig(budget=BUDGET, tactics_per_node=DEMO.tactics_per_node)
        prover = HFProver(model, agent.lean, name=point.variant, sampling=sampling, config=search)
        found = evaluate([prover], spread(agent.open_theorems(), THEOREMS), BUDGET, seeds=(point.seed,))
        point = dataclasses.replace(point, proved=sum(attempt.proved for attempt in found.attempts))
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(point)) + "\n")
        print(point, flush=True)


STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""97.5 % points of Student's t for 1, 2, … degrees of freedom."""


def over_seeds(values: Sequence[float]) -> Interval:
    """The mean over seeds and its 95 % interval by Student's t; one seed alone says nothing of a spread."""
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Interval(mean, float("-inf"), float("inf"))
    freedom = len(values) - 1
    t = STUDENT[freedom - 1] if freedom <= len(STUDENT) else 1.96
    half = t * (sum((value - mean) ** 2 for value in values) / freedom / len(values)) ** 0.5
    return Interval(mean, mean - half, mean + half)


def curves(points: Sequence[Point]) -> dict[str, list[tuple[float, Interval, int]]]:
    """variant -> (Lean calls, theorems proved with its interval over seeds, seeds), for each stage of the curve."""
    stages: dict[tuple[str, int], list[Point]] = defaultdict(list)
    for point in points:
        stages[point.variant, point.repositories].append(point)
    found: dict[str, list[tuple[float, Interval, int]]] = defaultdict(list)
    for (variant, _), here in sorted(stages.items()):
        calls = sum(point.lean_calls for point in here) / len(here)
        found[variant].append((calls, over_seeds([float(point.proved) for point in here]), len(here)))
    return dict(found)


def report(points: Sequence[Point], picture: Path) -> None:
    """Print the table, and draw the curves with their intervals."""
    from matplotlib.figure import Figure

    found = curves(points)
    if not found:
        print("There is no result yet.")
        return
    print("| variant | Lean calls | theorems proved | 95 % interval | seeds |\n| --- | --- | --- | --- | --- |")
    for variant, stages in found.items():
        for calls, proved, seeds in stages:
            interval = f"{proved.low:.1f} to {proved.high:.1f}"
            print(f"| {variant} | {calls:,.0f} | {proved.value:.1f}/{points[0].theorems} | {interval} | {seeds} |")
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    start = found.get("sft", [])
    for variant, stages in found.items():
        if variant == "sft":
            continue
        line = [*start, *stages]
        calls = [one[0] for one in line]
        (drawn,) = axes.plot(
            calls, [one[1].value for one in line], marker="o", label=f"{variant} ({stages[-1][2]} seeds)"
        )
        lows, highs = [one[1].low for one in line], [one[1].high for one in line]
        if stages[-1][2] > 1:
            axes.fill_between(calls, lows, highs, color=drawn.get_color(), alpha=0.12)
    axes.set_xlabel("Lean calls in training")
    axes.set_ylabel(f"held-out theorems proved, of {points[0].theorems}")
    axes.legend(fontsize="small")
    figure.savefig(picture)
    print(f"Plot: {picture}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("runs") / "algorithms", help="where everything is kept")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--algorithms", default="|".join(VARIANTS), help="some of them, separated by |")
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--minutes", type=float, default=15.0, help="begin nothing new after so long")
    parser.add_argument("--report", action="store_true", help="only print and draw what there is")
    options = parser.parse_args()
    chosen = options.algorithms.split("|")
    if unknown := [name for name in chosen if name not in VARIANTS]:
        parser.error(f"no such variant: {', '.join(unknown)}; there are {', '.join(VARIANTS)}")
    bench = Bench(options.work, options.lr)
    if not options.report:
        bench.run(chosen, options.seeds, time.monotonic() + 60 * options.minutes)
    report(bench.points(), options.work / "algorithms.png")


if __name__ == "__main__":
    main()
