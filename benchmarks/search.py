"""What searches prove with one checkpoint, on the same theorems, for the same Lean calls, beside their marks.

python benchmarks/search.py                          # trains a tiny model first: about two minutes more
python benchmarks/search.py --model PATH             # with a checkpoint that is there
python benchmarks/search.py --only apart processes   # some of: searches, apart, savings, proposals, processes, value
python benchmarks/search.py --repositories lists sets # theorems of these; by default of all of repos/
python benchmarks/search.py --model PATH --only savings --lean-calls 64 --seeds 0 1 2
python benchmarks/search.py --model PATH --only savings --benchmark lean-core --arms none all
python benchmarks/search.py --model PATH --value PATH --only value --lean-calls 64 --seeds 0 1 2
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from marks import Mark, show
from rich.console import Console
from rich.table import Table

from lean_agent.agent.demo import DemoConfig
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.evaluation.benchmarks import Request, load_benchmark, spread
from lean_agent.evaluation.statistics import compare
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.base import Policy, Sampling, Suggestion
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.progress import ProgressModel
from lean_agent.prompts import main_goal
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver
from lean_agent.prover.proofs.result import ProofResult
from lean_agent.prover.provers import Prover
from lean_agent.prover.searches.base import Search
from lean_agent.prover.searches.best_step import BestStepSettings
from lean_agent.prover.timing import WorkTimer
from lean_agent.prover.tree.priorities import ValueModel
from lean_agent.tracing.project.sources import find_repositories

PARTS = ("searches", "apart", "savings", "proposals", "processes", "value")
NO_SAVINGS: dict[str, Any] = {
    "twins": False,
    "learn_refusals": False,
    "mend_names": False,
    "tactics_per_round": 8,
    "length_exponent": 1.0,
}
SAVINGS: dict[str, dict[str, Any]] = {
    "twins": {"twins": True},
    "learn_refusals": {"learn_refusals": True},
    "mend_names": {"mend_names": True},
    "two in a round": {"tactics_per_round": 2, "length_exponent": 0.5},
}
"""Settings of `best_step` that save calls, to be measured one by one and together."""
SECOND_TEMPERATURE = 1.4
"""At which every second tactic is drawn, where proposals are to differ."""
WEIGHTS = (0.03, 0.1, 0.3)
"""Of a value model, in nats for a step: each half of the theorems is measured with the best of the other half."""
BUSY = (
    *CLOSING_TACTICS,
    *(
        "intro x",
        "intro h",
        "left",
        "right",
        "cases h",
        "cases x",
        "induction n",
        "funext x",
        "apply Iff.intro",
        "split",
    ),
)
"""Tactics that keep Lean at work until the budget is spent: more states than closing tactics alone would find."""


class Bench:
    """The repositories of repos/, traced, with a checkpoint and the theorems to prove."""

    def __init__(
        self,
        agent: HFAgent,
        model: Path,
        theorems: Sequence[StoredTheorem],
        *,
        lean_calls: int,
        tactics: int,
        rounds: int,
        value: Path | None = None,
        seeds: Sequence[int] = (0, 1, 2),
        arms: Sequence[str] = (),
    ) -> None:
        self.arms = arms
        self.agent = agent
        self.model = model
        self.theorems = theorems
        self.rounds = rounds
        self.value = value
        self.seeds = seeds
        # The baselines ask the policy once for each tactic, so that only Lean calls limit them; and so it is for ours.
        self.budget = SearchBudget(expansions=lean_calls, lean_calls=lean_calls, seconds=600.0)
        # Each theorem by itself: what is remembered of others would be no merit of a search.
        self.ours = SearchConfig(budget=self.budget, tactics_per_node=tactics, resamples=64, remember=False)
        self.console = Console(width=120)

    def policy(self, seed: int = 0, second_temperature: float | None = None) -> HFPolicy:
        """Load the policy, with the same seed every time."""
        sampling = Sampling(max_new_tokens=32, seed=seed, second_temperature=second_temperature)
        return HFPolicy(self.model, sampling=sampling)

    def prove(
        self,
        config: SearchConfig,
        policy: Policy | None = None,
        on_end: Callable[[int, Search], None] | None = None,
        value: ValueModel | None = None,
    ) -> list[ProofResult]:
        """Search for all theorems and have each proof judged."""
        prover = Prover("bench", policy or self.policy(), self.agent.lean, config=config, on_end=on_end, value=value)
        results = list(prover.prove_all(self.theorems))
        self.console.print(f"  {config.search}: {prover.usage} (mark 90 %)", highlight=False)
        return results

    def searches(self) -> None:
        """Compare our searches with one random tactic at a time, depth first, and against whole scripts."""
        plain = partial(SearchConfig, "depth_first", budget=self.budget, and_or=False, remember=False)
        configs = {
            "single steps, the best first": self.ours,
            "states, the best first": replace(self.ours, search="best_first"),
            # LeanDojo-v2: five tactics are drawn, one of them is tried.
            "depth-first, one random tactic": plain(tactics_per_node=5, trials=5),
            # A script is drawn tactic by tactic from the model; where one fails the script has failed.
            "whole scripts": plain(tactics_per_node=1, trials=1),
        }
        results = {name: self.prove(config) for name, config in configs.items()}
        self._table(results)
        first, _, depth_first, scripts = results.values()
        print(f"theorems proved, against depth-first: {against(first, depth_first)}")
        ratio = proofs([first]) / max(1, proofs([depth_first]))
        show(Mark("theorems proved, against depth-first", ratio, 1.5, "times", "at least"))
        print(f"theorems proved, against whole scripts: {against(first, scripts)}")

    def apart(self) -> None:
        """Compare goals apart with goals in a row, on the theorems where either search met two goals or more."""
        several: set[int] = set()
        answers = SharedAnswers(self.policy())

        def watch(index: int, search: Search) -> None:
            nodes = [node for graph in search.graphs for node in graph.nodes]
            if any(len(node.state.goals) > 1 or any(len(e.targets) > 1 for e in node.edges) for node in nodes):
                several.add(index)

        proved = {}
        for name, and_or in (("goals apart", True), ("goals in a row", False)):
            answers.restart()
            proved[name] = self.prove(replace(self.ours, and_or=and_or), answers, watch)
        names = {self.theorems[index].site for index in several}
        print(f"{len(several)} of {len(self.theorems)} theorems led to two goals or more:")
        of_several = {
            search: [result for result in results if result.theorem.site in names] for search, results in proved.items()
        }
        self._table(of_several)
        print(f"theorems proved, goals apart against in a row: {against(*of_several.values())}")

    def savings(self) -> None:
        """Compare what saves Lean calls, one by one and together, with none of it; all hear the same answers.

        A question is known by its goal's text: where a search asks about a state by other names, it is another one.
        """
        together = {name: value for settings in SAVINGS.values() for name, value in settings.items()}
        arms = {"none": NO_SAVINGS, **{name: NO_SAVINGS | settings for name, settings in SAVINGS.items()}}
        arms |= {"by default": {}, "all": together}
        arms = {name: settings for name, settings in arms.items() if not self.arms or name in {"none", *self.arms}}
        results: dict[str, list[list[ProofResult]]] = {name: [] for name in arms}
        for seed in self.seeds:
            answers = SharedAnswers(self.policy(seed))
            for name, settings in arms.items():
                answers.restart()
                config = SearchConfig(
                    budget=self.budget,
                    tactics_per_node=self.ours.tactics_per_node,
                    resamples=self.ours.resamples,
                    remember=False,
                    **settings,
                )
                results[name].append(self.prove(config, answers))
            self._table({name: of_seeds[-1] for name, of_seeds in results.items()})
        for name in arms.keys() - {"none"}:
            print(f"theorems proved, {name} against none: {over_seeds(results[name], results['none'])}")
        none = max(1, proofs(results["none"]))
        show(
            *(
                Mark(
                    f"theorems proved, {name} against no savings",
                    proofs(results[name]) / none,
                    bound,
                    "times",
                    "at least",
                )
                for name, bound in (("twins", 1.08), ("all", 1.25))
                if name in results
            )
        )

    def proposals(self) -> None:
        """Compare proposals that differ with the search as it is by default: fewer of a kind, or two temperatures."""
        results: dict[str, list[list[ProofResult]]] = {}
        for seed in self.seeds:
            plain = SharedAnswers(self.policy(seed))
            two_temperatures = SharedAnswers(self.policy(seed, SECOND_TEMPERATURE))
            arms: dict[str, tuple[SharedAnswers, int | None]] = {
                "by default": (plain, None),
                "four tactics with the same head": (plain, 4),
                "two temperatures": (two_temperatures, None),
            }
            for name, (answers, tactics_per_head) in arms.items():
                answers.restart()
                config = replace(self.ours, settings=BestStepSettings(tactics_per_head=tactics_per_head))
                results.setdefault(name, []).append(self.prove(config, answers))
            self._table({name: of_seeds[-1] for name, of_seeds in results.items()})
        default, *others = results
        for name in others:
            print(f"theorems proved, {name} against {default}: {over_seeds(results[name], results[default])}")

    def with_value(self) -> None:
        """Compare the search with a value model and without, at the weight that the other half of theorems chooses."""
        if self.value is None:
            print("value: no value model (--value PATH, a folder of `lean-agent train --kind progress`)")
            return
        model = ProgressModel(self.value)
        proved: dict[float, list[list[bool]]] = {weight: [[] for _ in self.theorems] for weight in (0.0, *WEIGHTS)}
        for seed in self.seeds:
            answers = SharedAnswers(self.policy(seed))
            for weight, attempts_of in proved.items():
                answers.restart()
                config = replace(self.ours, settings=BestStepSettings(value_weight=weight))
                results = self.prove(config, answers, value=model if weight else None)
                sites = {result.theorem.site for result in results if result.proved}
                for theorem, attempts in zip(self.theorems, attempts_of, strict=True):
                    attempts.append(theorem.site in sites)
        ours = chosen_by_the_other_half(self.theorems, proved)
        for weight, attempts_of in proved.items():
            print(f"weight {weight}: {sum(map(sum, attempts_of))} proofs in {len(self.seeds)} seeds")
        first, second = sum(map(sum, ours)), sum(map(sum, proved[0.0]))
        gain = compare(ours, proved[0.0]).difference
        more = f"{gain.value:.3f} [{gain.low:.3f}, {gain.high:.3f}]"
        print(f"proofs with the value model and without: {first}, {second}; more for each theorem and seed: {more}")
        show(Mark("proofs with the value model against without", first / max(1, second), 1.1, "times", "at least"))

    def processes(self) -> None:
        """Measure tactics a second with two Lean processes and with one, where no model is in the way.

        In rounds of the same searches, one process and two by turns, so that a machine whose speed changes changes it
        for both. In the first round all files are opened and each process optimizes Lean's code for itself; in the next
        ones files that both need are opened in both; the later half is what the rest of a long run is like. Each round
        ends with two processes that share nothing: what two are worth on this machine.
        """
        with LeanPool(1) as single, LeanPool(2) as double, LeanPool(1) as other:
            pools = (single, double, other)
            for lean in pools:
                lean.goal_starts(["True"] * 64 * lean.workers)  # so many that they are shared out
                assert len(lean.pids()) == lean.workers, "a process is not up"
            self._rate(other, "another one, unmeasured")  # in its first round nobody else is at work
            shared: list[float] = []
            apart: list[float] = []
            for number in range(1 + self.rounds):
                when = "from the start" if number == 0 else f"round {number}"
                # by turns: what speeds up or slows down in between favours neither
                order = (single, double) if number % 2 == 0 else (double, single)
                rates = {lean: self._rate(lean, f"{when}, {lean.workers} Lean") for lean in order}
                shared.append(rates[double] / rates[single])
                if number:
                    with ThreadPoolExecutor() as both:
                        alone = sum(both.map(self._rate, (single, other), [f"{when}, two apart"] * 2))
                    apart.append(alone / rates[single])
        show(Mark("two Lean processes against one, from the start", shared[0], 1.75, "times", "at least"))
        if not apart:
            return
        for what, ratios in (
            ("two that share nothing, against one", apart),
            ("two against one", shared[1:]),
        ):
            later = ratios[len(ratios) // 2 :]
            print(f"{what}, afterwards, round by round: {' '.join(f'{ratio:.2f}' for ratio in ratios)}")
            print(f"{what}, median of the last {len(later)}: {median(later):.2f} times")
        show(Mark("two Lean processes against one, later", median(later), 1.75, "times", "at least"))

    def _rate(self, lean: LeanPool, what: str) -> float:
        """Return the Lean calls a second over all theorems."""
        config = replace(self.ours, search="best_first", tactics_per_node=len(BUSY))
        timer = WorkTimer()
        began = time.perf_counter()
        driver = Driver(lean, ScriptedPolicy(BUSY), config, timer=timer)
        calls = sum(result.lean_calls for _, result in driver.run([theorem.site for theorem in self.theorems]))
        rate = calls / (time.perf_counter() - began)
        print(f"{what}: {calls:,} calls, {rate:.1f} a second; {timer.usage()}", flush=True)
        return rate

    def _table(self, proved: dict[str, list[ProofResult]]) -> None:
        table = Table("search", "proved", "theorems", "Lean calls", "expansions", "tokens", "seconds")
        for name, results in proved.items():
            sums = (
                sum(result.proved for result in results),
                len(results),
                sum(result.search.lean_calls for result in results),
                sum(result.search.expansions for result in results),
                sum(result.search.tokens for result in results),
            )
            table.add_row(name, *map("{:,}".format, sums), f"{sum(result.seconds for result in results):.0f}")
        self.console.print(table)


def chosen_by_the_other_half(
    theorems: Sequence[StoredTheorem], proved: dict[float, list[list[bool]]]
) -> list[list[bool]]:
    """Return the attempts at each theorem with the weight that does best on the half of theorems without it.

    Args:
        proved: by weight, the attempts at each theorem. Halves go by a hash of the statement.
    """
    digests = [hashlib.sha256(theorem.theorem.type_hash.encode()).digest() for theorem in theorems]
    halves = [digest[0] % 2 for digest in digests]

    def proofs(weight: float, half: int) -> int:
        return sum(sum(attempts) for attempts, place in zip(proved[weight], halves, strict=True) if place == half)

    best = {half: max(WEIGHTS, key=lambda weight: proofs(weight, 1 - half)) for half in (0, 1)}
    print(f"weights, chosen by the other half: {best}")
    return [proved[best[half]][index] for index, half in enumerate(halves)]


class SharedAnswers:
    """A policy that answers two searches alike: the n-th time that one asks about a goal it hears what the other heard
    the n-th time. So a difference between them is one of the searches, and not of the draws."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._given: dict[tuple[str, int, int], list[Suggestion]] = {}
        self._asked: Counter[str] = Counter()

    @property
    def samples(self) -> bool:
        """Whether the policy draws at random."""
        return self._policy.samples

    def restart(self) -> None:
        """Begin another search: draws start again."""
        self._asked.clear()

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Answer as the policy did when the other search asked for the same time."""
        asked = []
        for goal in goals:
            asked.append((goal, self._asked[goal], k))
            self._asked[goal] += 1
        new = [question for question in asked if question not in self._given]
        self._given |= zip(new, self._policy.suggest([goal for goal, _, _ in new], k), strict=True)
        return [self._given[question] for question in asked]


def against(ours: Sequence[ProofResult], theirs: Sequence[ProofResult]) -> str:
    """Compare what two searches proved of the same theorems."""
    sites = [result.theorem.site for result in ours]
    proved = [{result.theorem.site for result in results if result.proved} for results in (ours, theirs)]
    compared = compare(*([[site in sites_proved] for site in sites] for sites_proved in proved))
    first, second = map(len, proved)
    ratio = f"{first}/{second}" + (f" = {first / second:.2f} times" if second else "")
    alone = f"{compared.only_first} by the first alone, {compared.only_second} by the second alone"
    return f"{ratio} ({alone}, p = {compared.p_value:.2g})"


def proofs(results: Sequence[Sequence[ProofResult]]) -> int:
    """Count what was proved, over all seeds."""
    return sum(result.proved for of_seed in results for result in of_seed)


def repositories(names: Sequence[str]) -> list[Path]:
    """Return the folders of repos/ of these names; of all where none is given."""
    return [path for path in find_repositories(None) if not names or path.name in names]


def over_seeds(ours: Sequence[Sequence[ProofResult]], theirs: Sequence[Sequence[ProofResult]]) -> str:
    """Compare what two searches proved of the same theorems with several seeds, drawing theorems anew."""
    proved = [
        [[results[index].proved for results in of_seeds] for index in range(len(of_seeds[0]))]
        for of_seeds in (ours, theirs)
    ]
    first, second = (sum(map(sum, attempts)) for attempts in proved)
    ratio = f"{first}/{second}" + (f" = {first / second:.2f} times" if second else "")
    difference = compare(*proved).difference
    return f"{ratio} (difference {difference.value:.3f}, {difference.low:.3f} to {difference.high:.3f})"


def trained(agent: HFAgent, folder: Path) -> Path:
    """Train a tiny model by SFT on the repositories, at the demo's settings."""
    from lean_agent.policy.tiny import make_tiny_model
    from lean_agent.trainer.sft_trainer import SFTTrainer

    config = DemoConfig()
    tactics = [
        tactic
        for traced in agent.repositories
        for stored in agent.database.theorems(traced.repository, sorry=False)
        for tactic in stored.theorem.tactics
        if tactic.step
    ]
    texts = [text for tactic in tactics for text in (main_goal(tactic.state_before), tactic.step)]
    make_tiny_model(texts, folder / "tiny", hidden_size=config.hidden_size, seed=config.seed)
    agent.trainer = SFTTrainer(
        folder / "tiny",
        folder / "sft",
        epochs_per_repo=2,
        batch_size=config.sft_batch,
        lr=config.sft_lr,
        seed=config.seed,
    )
    agent.train()
    return Path(agent.trainer.model_path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a checkpoint; by default a tiny model is trained")
    parser.add_argument("--repositories", nargs="+", default=[], help="of repos/, by name; by default all of them")
    parser.add_argument("--benchmark", choices=("lean-core",), help="its test half instead of theorems of repos/")
    parser.add_argument("--arms", nargs="+", default=(), help="of the savings, beside none of them; by default all")
    parser.add_argument("--theorems", type=int, default=64, help="open theorems of repos/, evenly spread")
    parser.add_argument("--lean-calls", type=int, default=256, help="budget for each theorem")
    parser.add_argument("--tactics", type=int, default=16, help="that ours asks for at each state")
    parser.add_argument("--rounds", type=int, default=10, help="of one process against two, after the first")
    parser.add_argument("--seeds", type=int, nargs="+", default=(0, 1, 2), help="of the policy's draws")
    parser.add_argument("--workers", type=int, default=2, help="Lean processes")
    parser.add_argument("--value", type=Path, help="a value model, for the part of that name")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        database = DynamicDatabase(folder / "database.sqlite")
        with HFAgent(database=database, workers=given.workers, runs_dir=folder / "runs") as agent:
            needs_training = given.model is None and set(given.only) != {"processes"}
            for path in repositories(given.repositories) if needs_training or not given.benchmark else ():
                agent.setup_local_repository(path)
            model = trained(agent, folder) if needs_training else given.model
            if given.benchmark:
                benchmark = load_benchmark(given.benchmark, Request(agent.lean, database))
                theorems: Sequence[StoredTheorem] = benchmark.choose(given.theorems, "test").theorems
            else:
                theorems = spread(agent.open_theorems(), given.theorems)
            sizes = {"lean_calls": given.lean_calls, "tactics": given.tactics, "rounds": given.rounds}
            bench = Bench(agent, model, theorems, **sizes, value=given.value, seeds=given.seeds, arms=given.arms)
            print(f"{len(theorems)} theorems, {given.lean_calls} Lean calls each, {given.workers} Lean processes")
            for part in given.only:
                bench.with_value() if part == "value" else getattr(bench, part)()


if __name__ == "__main__":
    main()
