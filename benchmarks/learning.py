"""Whether an agent that practises proves more: the loop beside supervised training alone, at equal Lean calls.

python benchmarks/learning.py --output FOLDER                    # seeds 0, 1 and 2 on four repositories
python benchmarks/learning.py --output FOLDER --seeds 0          # one seed; another call goes on with the others
python benchmarks/learning.py --output FOLDER --repositories order sets
python benchmarks/learning.py --output FOLDER --only report      # the tables and the plot of what is there

Half of the open theorems, by the hash of their statements and near-duplicates together, are held out: never searched
before they are measured, nor learnt from, nor spelled by the tokenizer. The other half is practised. Each seed begins
with random weights. What stands in FOLDER is not done again.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from closers import RememberingPool
from marks import Mark, show
from neighbours import Bench, Outcome, copy_database, read_outcomes
from search import SharedAnswers, repositories

from lean_agent.agent.demo import DemoConfig, untrained_model
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import RunFolder
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.evaluation.benchmarks import spread
from lean_agent.files import write_atomically
from lean_agent.improvement import ImproveConfig, ImproveReport
from lean_agent.improvement.lessons import Lessons
from lean_agent.improvement.practice import Guard, hold_out
from lean_agent.improvement.practice_data import PracticeData
from lean_agent.improvement.strategies import TrainingTask, attempts
from lean_agent.policy.base import Policy, Sampling
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.mixture import MixturePolicy
from lean_agent.policy.model_files import recorded_help
from lean_agent.policy.neighbours import found_examples
from lean_agent.prompts import main_goal
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.proofs.result import theorem_key
from lean_agent.prover.saved.training_rows import ProofStep
from lean_agent.prover.saved.trees import SavedSearch, find_searches, load_search
from lean_agent.tracing import lean_project
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.sft_trainer import SFTTrainer

SFT, CONVERGED, CONTROL, PRACTICE = "SFT", "SFT to convergence", "SFT, compute of practice", "practice"
UNFILTERED, GRPO, ATTEMPTS = "practice, not filtered", "GRPO on tactics", "RL on attempts"
ONE_BY_ONE = "practice, one repository after the other"
MODELS = (SFT, CONVERGED, CONTROL, PRACTICE, UNFILTERED, GRPO, ATTEMPTS, ONE_BY_ONE)
MIXTURES = {f"mixture with {model}": model for model in (CONVERGED, PRACTICE)}
WITHOUT_MODEL = ("closers", "neighbours", "mixture")
FOUND = "mixture with found proofs"
ARMS = (*WITHOUT_MODEL, *MODELS, FOUND, *MIXTURES)
BUDGETS = (16, 32, 64, 128, 256)
MARKS = (
    (PRACTICE, SFT, 1.8),
    (PRACTICE, CONVERGED, 1.25),
    (PRACTICE, CONTROL, 1.25),
    (f"mixture with {PRACTICE}", "neighbours", 1.2),
    (f"mixture with {PRACTICE}", f"mixture with {CONVERGED}", 1.0),
    (f"mixture with {PRACTICE}", "mixture", 1.0),
    (FOUND, "mixture", 1.0),
)
REPOSITORIES = ("algebra", "numbers", "order", "sets")
"""Of the harder ones: on the demo's, schemes alone prove two thirds."""
EACH = "practice-each"
"""The run folder of practice one repository after the other."""
RESAMPLES = 10_000
DEMO = DemoConfig()


@dataclass(frozen=True, slots=True)
class Recipe:
    """How much each arm trains and practises.

    Attributes:
        sft_epochs: of the first training. The demo's former recipe, two epochs after each of four repositories on all
            so far, goes over a step five times on average.
        epochs: of the training to convergence after it, whose best checkpoint by held-out loss counts.
        rounds, theorems, lean_calls, temperatures: of practice; one repository after the other, ``theorems`` are
            divided among them.
        development, development_one_by_one: theorems set aside; the second, which say what was forgotten, are as many
            as may be.
        practice_epochs, practice_lr: of the training of a round, which goes on from the checkpoint before it.
    """

    sft_epochs: int = 5
    epochs: int = 4
    lr: float = 1e-3
    rounds: int = 1
    theorems: int = 192
    development: int = 16
    development_one_by_one: int = 44
    lean_calls: int = 16
    temperatures: tuple[float, ...] = (1.0,)
    practice_epochs: int = 3
    practice_lr: float = 5e-4


class Seed:
    """One seed's models, from random weights on, and its searches."""

    def __init__(self, folder: Path, seed: int, lean: RememberingPool, recipe: Recipe, options: argparse.Namespace):
        self.folder = folder / f"seed-{seed}"
        self.seed = seed
        self.lean = lean
        self.recipe = recipe
        self.options = options
        self.folder.mkdir(parents=True, exist_ok=True)
        database = self.folder / "database.sqlite"
        if not database.exists():
            shutil.copy(folder / "database.sqlite", database)
        self.database = DynamicDatabase(database)
        self.agent = HFAgent(lean=lean, database=self.database, runs_dir=self.folder / "runs", progress=False)
        for path in repositories(options.repositories):
            self.agent.setup_local_repository(path)
        self.held_out = hold_out(self.agent.open_theorems(), 0.5)
        self.guard = Guard(self.held_out)
        self.data = PracticeData(self.database, self.agent.curriculum(), Lessons(), self.guard)

    # Models

    def untrained(self) -> Path:
        """Return a model of random weights, whose tokenizer knows what is learnt from alone."""
        folder = self.folder / "untrained"
        size = DEMO.hidden_size
        untrained_model(self.agent, folder, hidden_size=size, seed=self.seed, data=self.data, progress=False)
        return folder

    def model(self, name: str) -> str:
        """Return where a model stands, once it is trained."""
        makers: dict[str, Callable[[], str]] = {
            SFT: self._sft,
            CONVERGED: self._converged,
            CONTROL: self._control,
            PRACTICE: self._practice,
            UNFILTERED: self._unfiltered,
            GRPO: self._grpo,
            ATTEMPTS: self._attempts,
            ONE_BY_ONE: self._one_by_one,
        }
        return self._timed(name, makers[name])

    def _sft(self) -> str:
        return self._trained(str(self.untrained()), "sft", epochs=self.recipe.sft_epochs, lr=DEMO.sft_lr)

    def _converged(self) -> str:
        epochs = self.recipe.epochs
        return self._trained(self.model(SFT), "converged", epochs=epochs, evaluations=2 * epochs, lr=self.recipe.lr)

    def _control(self) -> str:
        """Train on traced proofs alone for as many steps as practice trains."""
        model = self.model(CONVERGED)
        for number, steps in enumerate(self._practice_steps(), start=1):
            model = self._trained(model, f"control-{number}", max_steps=steps, lr=self.recipe.practice_lr)
        return model

    def _unfiltered(self) -> str:
        """Train as practice does, on as many steps that were tried in its searches, whatever Lean said to them."""
        steps = sum(self._practice_steps())
        tried = {
            (node.goals, tactic): (theorem, node)
            for theorem, search in self._searches()
            for node in search.nodes
            for tactic in (
                *(edge.tactic for edge in node.edges if edge.proposed_by == "policy"),
                *(failure.tactic for failure in node.failures if failure.proposed_by == "policy"),
            )
            if node.goals and not self.guard.refuses_goal(main_goal(node.goals[0]))
        }
        count = min(len(tried), self._rounds()[-1]["found"])
        drawn = random.Random(self.seed).sample(sorted(tried), count)
        lessons = Lessons(
            tuple(
                (tried[goals, tactic][0], ProofStep(main_goal(goals[0]), goals, tactic, (), 1, 0))
                for goals, tactic in drawn
            )
        )
        share = ImproveConfig().found_share
        data = PracticeData(self.database, self.agent.curriculum(), lessons, self.guard, found_share=share)
        lr = self.recipe.practice_lr
        return self._trained(self.model(CONVERGED), "unfiltered", data, max_steps=steps, lr=lr)

    def _grpo(self) -> str:
        """Train by GRPO on tactics at the goals of traced proofs, for as many Lean calls as practice made."""
        trainer = GRPOTrainer(
            self.model(CONVERGED), output_dir=self.folder / "grpo", batch_size=DEMO.grpo_goals * DEMO.grpo_group,
            num_generations=DEMO.grpo_group, max_completions=self._practice_calls(), lr=DEMO.grpo_lr,
            max_completion_length=DEMO.max_tactic_tokens, seed=self.seed, progress=False,
        )  # fmt: skip
        repositories = [traced.repository for traced in self.agent.repositories]
        projects = {(each.url, each.commit): lean_project(each) for each in repositories}
        trainer.set_server(self.lean, projects)
        trainer.train([self.data.key], self.data, self.folder / "grpo-data")
        return trainer.model_path

    def _attempts(self) -> str:
        """Train by RL on whole attempts at the open theorems that are practised, for as many Lean calls as practice."""
        held_out = set(map(theorem_key, self.held_out))
        practised = [each for each in self.agent.open_theorems() if theorem_key(each) not in held_out]
        settings = {"max_lean_calls": self._practice_calls(), "lr": DEMO.grpo_lr, "epochs": 100}
        config = ImproveConfig(
            strategies=("attempts",), training=settings, max_tactic_tokens=DEMO.max_tactic_tokens, seed=self.seed
        )
        start, folder = self.model(CONVERGED), self.folder / "attempts"
        return attempts(TrainingTask(start, folder, self.data, practised, self.lean, config, progress=False))

    def _rounds(self) -> list[dict[str, int]]:
        """Return what each round of practice has trained on."""
        self.model(PRACTICE)
        places = sorted((self._run().path / "rounds").glob("*/data/practice.json"))
        return [json.loads(place.read_text(encoding="utf-8")) for place in places]

    def _practice_steps(self) -> list[int]:
        """Return the optimizer steps of each round of practice."""
        epochs = self.recipe.practice_epochs
        rows = [counts["traced"] + counts["repeats"] * counts["found"] for counts in self._rounds()]
        return [epochs * count // DEMO.sft_batch for count in rows]

    def _practice_calls(self) -> int:
        """Return the Lean calls of all rounds of practice."""
        self.model(PRACTICE)
        report = json.loads((self._run().path / "report.json").read_text(encoding="utf-8"))
        return sum(each["lean_calls"] for each in report["rounds"])

    def _searches(self) -> Iterator[tuple[StoredTheorem, SavedSearch]]:
        """Yield the searches of practice with their theorems."""
        theorems = {
            (each.file_path, each.full_name): each
            for traced in self.agent.repositories
            for each in self.database.theorems(traced.repository)
        }
        for search in map(load_search, find_searches(sorted((self._run().path / "rounds").glob("*/trees")))):
            yield theorems[search.file_path, search.theorem], search

    def _practice(self) -> str:
        settings = {"theorems": self.recipe.theorems, "development": self.recipe.development}
        report = self._improved(self._run(), self.database, **settings)
        # Which checkpoint the development set prefers is for users; here the last one is measured, whatever it says.
        return report.rounds[-1].measure.model

    def _one_by_one(self) -> str:
        theorems = self.recipe.theorems // len(self.agent.repositories)
        development = self.recipe.development_one_by_one
        run = RunFolder(self.folder / EACH)
        known = copy_database(self.folder / "database.sqlite", run.path / "database.sqlite")
        with DynamicDatabase(known) as database:  # of its own: what this finds is for no other arm
            settings = {"theorems": theorems, "development": development, "one_by_one": True}
            return self._improved(run, database, **settings).rounds[-1].measure.model

    def _improved(self, run: RunFolder, database: DynamicDatabase, **settings: Any) -> ImproveReport:
        """Practise from the converged model on, as users do."""
        recipe = self.recipe
        calls = recipe.lean_calls
        config = ImproveConfig(
            policy="mixture",
            temperatures=recipe.temperatures,
            search=SearchConfig(
                budget=SearchBudget(expansions=calls, lean_calls=calls, seconds=600.0), tactics_per_node=16
            ),
            start="last",
            training={"epochs": recipe.practice_epochs, "lr": recipe.practice_lr, "batch_size": DEMO.sft_batch},
            traced=True,
            max_tactic_tokens=DEMO.max_tactic_tokens,
            seed=self.seed,
            **settings,
        )
        model = self.model(CONVERGED)
        agent = HFAgent(model=model, lean=self.lean, database=database, run=run, progress=False)
        agent.repositories = self.agent.repositories
        return agent.improve(rounds=recipe.rounds, held_out=self.held_out, config=config)

    def _run(self) -> RunFolder:
        return RunFolder(self.folder / "practice")

    def _trainer(self, start: str, name: str, **settings: Any) -> SFTTrainer:
        of_all = {"batch_size": DEMO.sft_batch, "seed": self.seed, "progress": False, **settings}
        return SFTTrainer(start, self.folder / name, **of_all)

    def _trained(self, start: str, name: str, data: PracticeData | None = None, **settings: Any) -> str:
        trainer, data = self._trainer(start, name, **settings), data or self.data
        trainer.train([data.key], data, self.folder / f"{name}-data")
        return trainer.model_path

    def _timed(self, name: str, make: Callable[[], str]) -> str:
        """Make a model, or take the one that was made, and keep what that took."""
        path = self.folder / "models.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        if name not in known:
            began, cpu = time.monotonic(), time.process_time()
            model = make()
            known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
            seconds, cpu_s = round(time.monotonic() - began), round(time.process_time() - cpu)
            known[name] = {"model": model, "seconds": seconds, "cpu_s": cpu_s}
            write_atomically(path, (json.dumps(known, indent=2) + "\n").encode())
            print(f"seed {self.seed}: {name} trained in {seconds} s ({cpu_s} s of the processor)", flush=True)
        return str(known[name]["model"])

    # Searches

    def measure(self, arms: Sequence[str], theorems: Sequence[StoredTheorem]) -> None:
        """Search for held-out theorems with each arm."""
        bench = Bench(self.agent, self.folder, lean_calls=self.options.lean_calls, tactics=32, model=None, theorems=0)  # type: ignore[arg-type]
        for arm in arms:
            if arm == "closers":
                bench.prove(arm, theorems, ScriptedPolicy())
            elif arm == "neighbours":
                bench.prove(arm, theorems, bench.neighbours(bench.closed()))
            elif arm == "mixture":
                bench.prove(arm, theorems, self._mixture(bench, arm, None))
            elif arm in MODELS:
                is_filled = recorded_help(self.model(arm)).filled
                bench.prove(arm, theorems, self._policy(arm), seed=self.seed, is_filled=is_filled)
            else:
                own = self._policy(MIXTURES[arm]) if arm in MIXTURES else None
                bench.prove(arm, theorems, self._mixture(bench, arm, own), seed=self.seed)

    def _policy(self, name: str) -> SharedAnswers:
        """Return a model as a policy."""
        sampling = Sampling(max_new_tokens=DEMO.max_tactic_tokens, seed=self.seed)
        return SharedAnswers(HFPolicy(self.model(name), sampling=sampling))

    def _mixture(self, bench: Bench, arm: str, own: Policy | None) -> MixturePolicy:
        """Return a mixture whose neighbours know what practice has found, where practice came before."""
        is_filled = arm in MIXTURES and recorded_help(self.model(MIXTURES[arm])).filled
        mixture = bench.mixture(own, is_filled=is_filled)
        if arm in (FOUND, f"mixture with {PRACTICE}"):
            self.model(PRACTICE)
            mixture.add(found_examples(self.database.found_proofs()))
        return mixture

    def close(self) -> None:
        """Close the database."""
        self.database.close()


def outcomes_of(folder: Path) -> dict[int, dict[str, dict[str, Outcome]]]:
    """Return seed -> arm -> theorem -> what came of it, of the arms that are done."""
    outcomes: dict[int, dict[str, dict[str, Outcome]]] = {}
    for path in sorted(folder.glob("seed-*/outcomes.jsonl")):
        of_seed = outcomes.setdefault(int(path.parent.name.partition("-")[2]), {})
        for outcome in read_outcomes(path):
            of_seed.setdefault(outcome.arm, {})[outcome.theorem] = outcome
    count = max(len(of_arm) for of_seed in outcomes.values() for of_arm in of_seed.values())
    return {
        seed: {arm: of_arm for arm, of_arm in of_seed.items() if len(of_arm) == count}
        for seed, of_seed in outcomes.items()
    }


def ratio_interval(ours: np.ndarray, theirs: np.ndarray) -> tuple[float, float, float]:
    """Return how many times what the other arm proves, and where 95 of 100 such figures lie.

    Seeds and theorems are both drawn anew with replacement (the hierarchical bootstrap).

    Args:
        ours, theirs: proved or not, ``[seeds, theorems]``.
    """
    rng = np.random.default_rng(0)
    seeds, count = ours.shape
    ratios = []
    for _ in range(RESAMPLES):
        rows, columns = rng.integers(seeds, size=seeds), rng.integers(count, size=count)
        ratios.append(ours[rows][:, columns].sum() / max(1, theirs[rows][:, columns].sum()))
    low, high = np.percentile(ratios, [2.5, 97.5])
    return ours.sum() / max(1, theirs.sum()), float(low), float(high)


def report(folder: Path) -> None:
    """Print what each arm proves within each budget, the marks, and draw the curves."""
    outcomes = outcomes_of(folder)
    most = max(
        outcome.calls for of_seed in outcomes.values() for of_arm in of_seed.values() for outcome in of_arm.values()
    )
    budgets = [budget for budget in BUDGETS if budget <= most]
    proved: dict[str, dict[int, np.ndarray]] = {}
    for arm in ARMS:
        of_arm = [seed[arm] for seed in outcomes.values() if arm in seed]
        names = sorted(set.intersection(*(set(of_seed) for seed in outcomes.values() for of_seed in seed.values())))
        if of_arm:
            proved[arm] = {
                budget: np.array([[of[name].proved and of[name].calls <= budget for name in names] for of in of_arm])
                for budget in budgets
            }
            means = "  ".join(f"{budget}: {proved[arm][budget].sum(axis=1).mean():5.1f}" for budget in budgets)
            print(f"{arm:32s} seeds {len(of_arm)}, of {len(names)} theorems within so many calls  {means}")
    for first, second, bound in MARKS:
        if first in proved and second in proved:
            for budget in budgets:
                ours, theirs = (
                    _as_many(proved[arm][budget], proved, budget, (first, second)) for arm in (first, second)
                )
                value, low, high = ratio_interval(ours, theirs)
                won, lost = (np.sum(more & ~less) / len(ours) for more, less in ((ours, theirs), (theirs, ours)))
                changes = f"{won:.1f} theorems won and {lost:.1f} lost a seed"
                print(f"{first} / {second} at {budget}: {value:.2f} [{low:.2f}, {high:.2f}], {changes}")
                show(Mark(f"{first} against {second}, {budget} calls", value, bound, "times", "at least"))
    for place in sorted(folder.glob("seed-*")):
        _print_cost(place)
        _print_forgetting(place)
    with suppress(ImportError):
        plot(folder / "learning.png", proved)


def _print_cost(folder: Path) -> None:
    """Print what practice of a seed has cost, and what it has found."""
    path = folder / "practice" / "report.json"
    rounds = json.loads(path.read_text(encoding="utf-8"))["rounds"][1:] if path.is_file() else []
    if rounds:
        models = json.loads((folder / "models.json").read_text(encoding="utf-8"))
        calls, proved, practised, learnt = (
            [each[name] for each in rounds] for name in ("lean_calls", "proved", "practised", "learnt")
        )
        minutes = models[PRACTICE]["seconds"] / 60 if PRACTICE in models else math.nan
        print(
            f"{folder.name}: practice made {sum(calls):,} Lean calls, took {minutes:.0f} minutes with its training, "
            f"proved {proved} of {practised} theorems round by round, and learnt {learnt} steps"
        )


def _print_forgetting(folder: Path) -> None:
    """Print what a model that practises one repository after the other proves of each, after each."""
    path = folder / EACH / "report.json"
    rounds = json.loads(path.read_text(encoding="utf-8"))["rounds"] if path.is_file() else []
    for entry in rounds:
        shares = entry["measure"]["by_repository"].items()
        proved = ", ".join(f"{name} {share['proved']} of {share['tried']}" for name, share in shares)
        print(f"{folder.name}: {'after ' + entry['repositories'][-1] if entry['number'] else 'at the start'}: {proved}")


def _as_many(
    values: np.ndarray, proved: dict[str, dict[int, np.ndarray]], budget: int, arms: tuple[str, str]
) -> np.ndarray:
    """Return as many seeds as both arms have; an arm that draws nothing has one, which stands for each."""
    seeds = max(len(proved[arm][budget]) for arm in arms)
    return values if len(values) > 1 else np.repeat(values, seeds, axis=0)


def plot(path: Path, proved: dict[str, dict[int, np.ndarray]]) -> None:
    """Draw the theorems that each arm proves over the Lean calls that it may make: means, and the range of seeds."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    budgets = next(iter(proved.values())).keys()
    counts_of = {arm: [of_budget[budget].sum(axis=1) for budget in budgets] for arm, of_budget in proved.items()}
    highest_first = sorted(counts_of, key=lambda arm: -counts_of[arm][-1].mean())
    for number, arm in enumerate(highest_first):
        counts, colour = counts_of[arm], colormaps["tab20"](number)
        axes.plot(list(budgets), [count.mean() for count in counts], marker="o", label=arm, color=colour)
        lowest, highest = [count.min() for count in counts], [count.max() for count in counts]
        axes.fill_between(list(budgets), lowest, highest, alpha=0.15, color=colour)
    axes.set(xscale="log", xlabel="Lean calls for a theorem", ylabel="held-out theorems proved", xticks=list(budgets))
    axes.set_xticklabels([str(budget) for budget in list(budgets)])
    axes.minorticks_off()  # those of a logarithmic axis would write over these
    figure.legend(fontsize="small", loc="outside right upper")
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="a folder for all that is made")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--repositories", nargs="*", default=list(REPOSITORIES), help="of repos/; none for all")
    parser.add_argument(
        "--theorems", type=int, default=0, help="held-out ones that are searched, evenly spread; 0: all"
    )
    parser.add_argument("--lean-calls", type=int, default=64, help="budget for each theorem")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    parser.add_argument("--workers", type=int, default=2, help="Lean processes")
    parser.add_argument("--only", choices=("report",), help="search and train nothing")
    options = parser.parse_args()
    if options.only is None:
        options.output.mkdir(parents=True, exist_ok=True)
        with RememberingPool(options.workers) as lean:
            with DynamicDatabase(options.output / "database.sqlite") as database:
                agent = HFAgent(lean=lean, database=database, runs_dir=options.output / "runs")
                for path in repositories(options.repositories):
                    agent.setup_local_repository(path)
            for number in options.seeds:
                seed = Seed(options.output, number, lean, Recipe(), options)
                chosen = spread(seed.held_out, options.theorems or None)
                print(
                    f"seed {number}: {len(chosen)} of {len(seed.held_out)} held-out theorems are searched", flush=True
                )
                # what draws nothing is the same for every seed
                arms = [arm for arm in options.arms if number == options.seeds[0] or arm not in WITHOUT_MODEL]
                seed.measure(arms, chosen)
                seed.close()
    report(options.output)


if __name__ == "__main__":
    main()
