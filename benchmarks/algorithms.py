"""Learning curves of the RL algorithms: held-out theorems proved, against the Lean calls that training has cost.

python benchmarks/algorithms.py [--work DIR] [--seeds 5] [--algorithms "grpo|dapo"] [--minutes 30]
python benchmarks/algorithms.py --report       # the table and the plot of what there is

All algorithms start from one SFT checkpoint, which was shown the proofs of one half of the proved theorems of repos/.
On the goals of the other half, whose proofs no model is shown, they learn from tactics that Lean scores, in two stages
with goals of their own and the same budget of scored tactics; one learns from whole attempts at those theorems. After
each stage their policy attempts theorems that are left open, which no training has seen: each a few times, always the
same number and without a search, so that the policy is measured and not what makes up for it. At the ends of a curve
that is done at a lower temperature too: what a policy gains by sharper answers alone, sampling gives for nothing.
Nothing is limited by the clock, so a busy machine changes no result.

A run is one algorithm with one seed, of training and attempts alike. Runs take minutes each: the program begins nothing
new after ``--minutes``, can be stopped at any moment, and goes on with the same command. Seeds are gone through one
after the other, so that what is there compares the same seeds.

In the folder: results.jsonl (a line for each point of a curve), algorithms.png, the runs' checkpoints.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from peft import LoraConfig

from lean_agent.agent.demo import DemoConfig, untrained_model
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import RunFolder
from lean_agent.algorithms import create_algorithm
from lean_agent.database import DynamicDatabase
from lean_agent.evaluation.benchmarks import spread
from lean_agent.evaluation.statistics import Interval
from lean_agent.policy.base import Sampling
from lean_agent.policy.hf import HFPolicy
from lean_agent.rollout import BatchRolloutManager, ProofRolloutGenerator, ProofTask, RolloutConfig
from lean_agent.tracing import Repository, lean_project
from lean_agent.tracing.project.sources import find_repositories
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.data.dataset import TRAIN_FILE
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.sft_trainer import SFTTrainer
from lean_agent.trajectory import TrajectoryGroup

DEMO = DemoConfig()
THEOREMS, ATTEMPTS = 160, 4
"""Held-out theorems, evenly spread over all that are open, and attempts at each, at each point of a curve."""
ROLLOUT = RolloutConfig(max_proof_steps=8, tactic_timeout_s=60.0, verify_timeout_s=300.0)
"""What is slow on a busy machine is no failure; Lean's own heartbeats end a tactic."""
COMPLETIONS = 64 * 64
"""Scored tactics of a run in each of its stages."""
STAGES = 2
"""At most; ``--stages 1`` measures the first alone."""
GROUP, BATCH = 8, 64
ADAPTER, LR = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM"), 3e-3
TEMPERATURE, LOW = 1.0, 0.5
"""Training samples at the first."""

PUBLISHED: dict[str, Any] = {"preset": "published"}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "grpo": ("grpo", {}),
    "dgpo": ("dgpo", {}),
    "drgrpo": ("drgrpo", {}),
    "drgrpo, published": ("drgrpo", PUBLISHED),
    "dapo": ("dapo", {}),
    "dapo, published": ("dapo", {**PUBLISHED, "overlong_cache": 8}),
    "gspo": ("gspo", {}),
    "gspo, published": ("gspo", PUBLISHED),
    "passk": ("passk", {"k": ATTEMPTS}),
    "unlikeliness": ("unlikeliness", {}),
    "nsr": ("nsr", {}),
    "grpo, whole attempts": ("grpo", {}),
    "passk, whole attempts": ("passk", {"k": ATTEMPTS}),
}
WHOLE = {"grpo, whole attempts", "passk, whole attempts"}
"""Those that learn from what whole attempts at theorems are worth, and not single tactics."""
SFT = "sft"


@dataclass(frozen=True)
class Point:
    """One point of a curve.

    Attributes:
        variant: a key of ``VARIANTS``, or the SFT checkpoint.
        stage: of ``STAGES`` of the training; 0 is the SFT checkpoint.
        temperature: of the attempts.
        lean_calls: tactics that Lean has scored in training so far.
        proved: held-out theorems that one of the attempts proves.
        rate: the share of all attempts that prove their theorem.
        tactics: of an attempt, on average.
    """

    variant: str
    seed: int
    stage: int
    temperature: float
    lean_calls: int
    proved: int
    theorems: int
    rate: float
    tactics: float


class Bench:
    """One work folder: data, the SFT checkpoint, the runs."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.results = work / "results.jsonl"
        work.mkdir(parents=True, exist_ok=True)

    def points(self) -> list[Point]:
        """Every point that was measured so far."""
        if not self.results.is_file():
            return []
        lines = self.results.read_text(encoding="utf-8").splitlines()
        return [Point(**json.loads(line)) for line in lines if line.endswith("}")]

    def run(self, variants: Sequence[str], seeds: int, stages: int, until: float) -> None:
        """Do what is missing, until ``until`` on the monotonic clock."""
        with (
            DynamicDatabase(self.work / "database.sqlite") as database,
            HFAgent(database=database, run=RunFolder(self.work), workers=DEMO.workers) as agent,
        ):
            for path in find_repositories(None):
                agent.setup_local_repository(path)
            start = self._sft(agent, database)
            theorems = spread(agent.open_theorems(), THEOREMS)
            tasks = [ProofTask(theorem.full_name, theorem.site) for theorem in theorems]
            for seed in range(seeds):
                for variant, stage, temperature in places(variants, stages):
                    done = {(point.variant, point.seed, point.stage, point.temperature) for point in self.points()}
                    if (variant, seed, stage, temperature) in done:
                        continue
                    if time.monotonic() > until:
                        print("The minutes are over; the same command goes on from here.")
                        return
                    model, calls = start, 0
                    for number in range(1, stage + 1):
                        train = self._train_whole if variant in WHOLE else self._train
                        model, more = train(model, variant, seed, number, agent)
                        calls += more
                    sampling = Sampling(temperature=temperature, max_new_tokens=DEMO.max_tactic_tokens, seed=seed)
                    groups = attempts(agent, HFPolicy(model, sampling=sampling), tasks)
                    self._keep(measured(groups, variant, sampling, stage, calls))

    def _sft(self, agent: HFAgent, database: DynamicDatabase) -> Path:
        """Train the checkpoint that all runs start from, as the demo trains its own."""
        untrained, trained = self.work / "untrained", self.work / "sft"
        untrained_model(agent, untrained, hidden_size=DEMO.hidden_size, seed=DEMO.seed)
        trainer = SFTTrainer(
            untrained, trained, epochs_per_repo=2, batch_size=DEMO.sft_batch, lr=DEMO.sft_lr,
            checkpoint_every_s=20.0,
        )  # fmt: skip
        trainer.train(agent.curriculum(), Half(database, 0), agent.run.data)
        return trained

    def _train(self, start: Path, variant: str, seed: int, stage: int, agent: HFAgent) -> tuple[Path, int]:
        """Train one stage, unless that is done, with goals of its own; the second continues the first's adapter.

        Returns:
            The model, and the tactics that Lean has scored for it.
        """
        algorithm, config = VARIANTS[variant]
        updates = create_algorithm(algorithm, **config).config.updates_per_batch
        trainer = GRPOTrainer(
            start, output_dir=self._folder(variant, seed, stage), algorithm=algorithm, algorithm_config=config,
            reward="proved", lora_config=ADAPTER if stage == 1 else None, num_generations=GROUP, batch_size=BATCH,
            lr=LR, seed=seed + 1_000 * (stage - 1), max_steps=updates * COMPLETIONS // BATCH,
            max_completions=COMPLETIONS, max_completion_length=DEMO.max_tactic_tokens, checkpoint_every_s=60.0,
            progress=False,
        )  # fmt: skip
        repositories = agent.curriculum()  # all at once: a curve wants one kind of data
        trainer.set_server(agent.lean, {(repo.url, repo.commit): lean_project(repo) for repo in repositories})
        unseen = Half(agent.database, 1, repositories)
        trainer.train(repositories[-1:], unseen, agent.run.data / trainer.output_dir.name)
        return trainer.output_dir, trainer.completions_scored

    def _train_whole(self, start: Path, variant: str, seed: int, stage: int, agent: HFAgent) -> tuple[Path, int]:
        """Train one stage on whole attempts, eight at each theorem: 1 for a proof, 0 for anything else."""
        algorithm, config = VARIANTS[variant]
        settings = LeanGRPOConfig(
            base_model=str(start), output_dir=self._folder(variant, seed, stage), algorithm=algorithm,
            algorithm_config=config, reward_type="proved", num_generations=GROUP, theorems_per_step=BATCH // GROUP,
            max_proof_steps=ROLLOUT.max_proof_steps, max_tactic_tokens=DEMO.max_tactic_tokens,
            num_train_epochs=1_000, max_lean_calls=COMPLETIONS, learning_rate=LR,
            lora_rank=ADAPTER.r if stage == 1 else 0, lora_alpha=ADAPTER.lora_alpha,
            tactic_timeout_s=ROLLOUT.tactic_timeout_s, verify_timeout_s=ROLLOUT.verify_timeout_s,
            seed=seed + 1_000 * (stage - 1), progress=False,
        )  # fmt: skip
        trainer = LeanGRPOTrainer(settings, agent.lean)
        trainer.setup()
        trainer.train(
            [
                ProofTask(stored.full_name, stored.site, column=stored.theorem.start_pos.column)
                for traced in agent.repositories
                for stored in agent.database.theorems(traced.repository, sorry=False)
                if half_of(stored.full_name) == 1
            ]
        )
        steps = map(json.loads, trainer.metrics_file.read_text(encoding="utf-8").splitlines())
        return Path(trainer.model_path), round(sum(step["lean_calls"] for step in steps))

    def _folder(self, variant: str, seed: int, stage: int) -> Path:
        return self.work / "runs" / f"{variant.replace(', ', '-').replace(' ', '-')}-{seed}-{stage}"

    def _keep(self, point: Point) -> None:
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(point)) + "\n")
        print(point, flush=True)


class Half:
    """Export one half of the proved theorems, 0 or 1.

    Args:
        repositories: all of these at once, whichever are asked for: trainers go repository by repository, and a curve
            wants one kind of data.
    """

    def __init__(self, database: DynamicDatabase, half: int, repositories: Sequence[Repository] = ()) -> None:
        self._database = database
        self._half = half
        self._repositories = repositories

    def export_merged_data(self, repos: Sequence[Repository], path: Path) -> object:
        """Export the merged data as the database does, without the other half of the theorems."""
        metadata = self._database.export_merged_data(self._repositories or repos, path)
        file = path / TRAIN_FILE
        theorems = json.loads(file.read_text(encoding="utf-8"))
        kept = [theorem for theorem in theorems if half_of(theorem["full_name"]) == self._half]
        file.write_text(json.dumps(kept), encoding="utf-8")
        return metadata


def half_of(full_name: str) -> int:
    """Return the half that a theorem is in, 0 or 1, wherever its repository lies."""
    return hashlib.sha256(full_name.encode()).digest()[0] % 2


def places(variants: Sequence[str], stages: int) -> list[tuple[str, int, float]]:
    """Yield the points that each seed is measured at: variant, stage, temperature."""
    curves = [(variant, stage, TEMPERATURE) for variant in variants for stage in range(1, stages + 1)]
    ends = [(variant, stages, LOW) for variant in variants]
    return [(SFT, 0, TEMPERATURE), (SFT, 0, LOW), *sorted(curves + ends, key=lambda place: variants.index(place[0]))]


def attempts(agent: HFAgent, policy: HFPolicy, tasks: Sequence[ProofTask]) -> list[TrajectoryGroup]:
    """Run a policy's attempts at the held-out theorems."""
    generator = ProofRolloutGenerator(agent.lean, policy, config=ROLLOUT)
    return asyncio.run(BatchRolloutManager(generator).generate(tasks, ATTEMPTS, seed=1_000 + policy.sampling.seed))


def measured(groups: Sequence[TrajectoryGroup], variant: str, sampling: Sampling, stage: int, lean_calls: int) -> Point:
    """Sum up the attempts at the held-out theorems."""
    everyone = [attempt for group in groups for attempt in group]
    return Point(
        variant,
        sampling.seed,
        stage,
        sampling.temperature,
        lean_calls,
        proved=sum(group.pass_rate > 0 for group in groups),
        theorems=len(groups),
        rate=sum(attempt.is_proved for attempt in everyone) / len(everyone),
        tactics=sum(len(attempt.steps) for attempt in everyone) / len(everyone),
    )


STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
"""97.5 % points of Student's t for 1, 2, … degrees of freedom."""


def over_seeds(values: Sequence[float]) -> Interval:
    """Return the mean over seeds and its 95 % interval by Student's t; one seed alone says nothing of a spread."""
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Interval(mean, float("-inf"), float("inf"))
    freedom = len(values) - 1
    t = STUDENT[freedom - 1] if freedom <= len(STUDENT) else 1.96
    half = t * (sum((value - mean) ** 2 for value in values) / freedom / len(values)) ** 0.5
    return Interval(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Row:
    """Summarise a point of a curve over the seeds that have it, beside the SFT checkpoint at its temperature and seeds.

    Attributes:
        proved, percent: theorems proved, and attempts that prove theirs in percent.
        more, more_percent: the same, less the SFT checkpoint's, seed by seed.
    """

    variant: str
    temperature: float
    lean_calls: float
    seeds: int
    proved: Interval
    percent: Interval
    more: Interval
    more_percent: Interval


def rows(points: Sequence[Point]) -> list[Row]:
    """Return the curves, variant by variant in the order of ``VARIANTS``, each from its first stage to its last."""
    start = {(point.seed, point.temperature): point for point in points if point.variant == SFT}
    order = [SFT, *VARIANTS]
    curves: dict[tuple[float, int, int], list[tuple[Point, Point]]] = defaultdict(list)
    for point in points:
        if (point.seed, point.temperature) in start:
            place = (-point.temperature, order.index(point.variant), point.stage)
            curves[place].append((point, start[point.seed, point.temperature]))
    return [
        Row(
            here[0][0].variant,
            here[0][0].temperature,
            sum(point.lean_calls for point, _ in here) / len(here),
            len(here),
            over_seeds([point.proved for point, _ in here]),
            over_seeds([100 * point.rate for point, _ in here]),
            over_seeds([point.proved - sft.proved for point, sft in here]),
            over_seeds([100 * (point.rate - sft.rate) for point, sft in here]),
        )
        for _, here in sorted(curves.items(), key=lambda item: item[0])
    ]


def report(points: Sequence[Point], picture: Path) -> None:
    """Print the table, and draw the curves with their intervals."""
    table = rows(points)
    if not table:
        print("There is no result yet.")
        return
    print(f"Of {points[0].theorems} held-out theorems, {ATTEMPTS} attempts at each; mean and 95 % interval over seeds.")
    heads = "variant,temperature,Lean calls,seeds,theorems proved,more than SFT,attempts that prove (%),more than SFT"
    print(f"| {' | '.join(heads.split(','))} |\n|{' --- |' * 8}")
    for row in table:
        cells = [row.proved, row.more, row.percent, row.more_percent]
        print(f"| {row.variant} | {row.temperature} | {row.lean_calls:,.0f} | {row.seeds} ", end="")
        print(f"| {' | '.join(map(_shown, cells))} |")
    _draw(table, points[0].theorems, picture)
    print(f"Plot: {picture}")


def _shown(interval: Interval) -> str:
    known = abs(interval.low) < float("inf")
    return f"{interval.value:.1f}" + (f" ({interval.low:.1f} to {interval.high:.1f})" if known else "")


def _draw(table: Sequence[Row], theorems: int, picture: Path) -> None:
    """Draw a curve for each variant at each temperature, with intervals: theorems proved above, attempts below."""
    from matplotlib.figure import Figure

    trained = [name for name in VARIANTS if any(row.variant == name for row in table)]
    figure = Figure(figsize=(1.6 * len(trained), 5.2), layout="constrained")
    axes = figure.subplots(2, len(trained), sharex=True, sharey="row", squeeze=False)
    sides: list[tuple[str, Callable[[Row], Interval]]] = [
        (f"of {theorems} held-out theorems", lambda row: row.proved),
        ("% of attempts", lambda row: row.percent),
    ]
    for (label, value), panels in zip(sides, axes, strict=True):
        for variant, panel in zip(trained, panels, strict=True):
            for temperature, style in ((TEMPERATURE, "o-"), (LOW, "s--")):
                line = [row for row in table if row.variant in (SFT, variant) and row.temperature == temperature]
                means = [value(row) for row in line]
                spread = [
                    [mean.value - mean.low if row.seeds > 1 else 0.0 for mean, row in zip(means, line, strict=True)]
                ]
                panel.errorbar(
                    [row.lean_calls for row in line], [mean.value for mean in means], yerr=spread * 2, fmt=style,
                    markersize=4, capsize=3, linewidth=1, label=f"temperature {temperature}",
                )  # fmt: skip
        panels[0].set_ylim(bottom=0)
        panels[0].set_ylabel(label)
    for variant, top, bottom in zip(trained, *axes, strict=True):
        top.set_title(variant.replace(", ", ",\n"), fontsize="medium")
        bottom.set_xlabel("Lean calls", fontsize="small")
        bottom.tick_params(axis="x", labelsize="x-small")
    axes[0][0].legend(fontsize="xx-small", loc="lower left")
    seeds = sorted({row.seeds for row in table})
    figure.suptitle(f"mean and 95 % interval over {' or '.join(map(str, seeds))} seeds", fontsize="small")
    figure.savefig(picture, dpi=80)


def main() -> None:
    """Run the benchmark as the options say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("runs") / "algorithms", help="where everything is kept")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--stages", type=int, choices=range(1, STAGES + 1), default=STAGES)
    parser.add_argument("--algorithms", default="|".join(VARIANTS), help="some of them, separated by |")
    parser.add_argument("--minutes", type=float, default=15.0, help="begin nothing new after so long")
    parser.add_argument("--report", action="store_true", help="only print and draw what there is")
    options = parser.parse_args()
    chosen = options.algorithms.split("|")
    if unknown := [name for name in chosen if name not in VARIANTS]:
        parser.error(f"no such variant: {', '.join(unknown)}; there are {', '.join(VARIANTS)}")
    bench = Bench(options.work)
    if not options.report:
        bench.run(chosen, options.seeds, options.stages, time.monotonic() + 60 * options.minutes)
    report(bench.points(), options.work / "algorithms.png")


if __name__ == "__main__":
    main()
