"""What nearest neighbours and mixtures prove for the same Lean calls, and what they cost, beside their marks.

python benchmarks/neighbours.py                          # all parts; traces repos/ first
python benchmarks/neighbours.py --model PATH             # with a checkpoint for the demo's theorems
python benchmarks/neighbours.py --only repositories      # some of: repositories, demo, calibration, speed
python benchmarks/neighbours.py --database PATH          # keeps what it traces, and begins with what is there
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, median

from rich.console import Console
from rich.table import Table

from search import SharedAnswers

from lean_agent.agent.base import LEAST_TACTICS, MIXTURE_WEIGHTS, ScriptedAgent
from lean_agent.agent.demo import DemoConfig
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.near_duplicates import NearDuplicates, normal_form
from lean_agent.evaluation.benchmarks import spread
from lean_agent.evaluation.statistics import compare, share_interval
from lean_agent.policy.base import Policy, Sampling, TacticExample
from lean_agent.policy.mixture import MixturePolicy
from lean_agent.policy.neighbours import NeighbourPolicy, tactic_examples
from lean_agent.policy.scripted import CLOSING_TACTICS, ScriptedPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import ProofResult, Prover, ScriptedProver, theorem_key
from lean_agent.prover.searches.base import Search
from lean_agent.tracing.project.sources import find_repositories

PARTS = ("repositories", "demo", "calibration", "speed")
SEEDS = (0, 1, 2)
STATES = 100_000
MARK_MS = 5.0

Proved = Mapping[str, Sequence[Sequence[bool]]]
"""For each arm and theorem, which of its attempts proved it."""


class Bench:
    """The repositories of repos/, traced, with their open theorems."""

    def __init__(
        self, agent: ScriptedAgent, *, lean_calls: int, tactics: int, model: Path | None, theorems: int
    ) -> None:
        self.agent = agent
        self.model = model
        self.of_each = theorems
        # Only Lean calls limit a search; and each theorem is by itself, but where a row says otherwise.
        budget = SearchBudget(expansions=lean_calls, lean_calls=lean_calls, seconds=600.0)
        self.config = SearchConfig(budget=budget, tactics_per_node=tactics, remember=False)
        self.calibrated: Counter[tuple[int, bool]] = Counter()
        self.console = Console(width=140)

    def closed(self, *names: str) -> list[StoredTheorem]:
        """Return the theorems with proofs of repositories, of all without names."""
        return [
            stored
            for traced in self.agent.repositories
            if not names or traced.repository.name in names
            for stored in self.agent.database.theorems(traced.repository, sorry=False)
        ]

    def neighbours(self, theorems: Iterable[StoredTheorem]) -> NeighbourPolicy:
        """Return a policy that has seen these theorems' proofs."""
        return NeighbourPolicy(tactic_examples(theorems), names=self.agent.database.theorem_names())

    def prove(
        self, arm: str, theorems: Sequence[StoredTheorem], policy: Policy | None = None, *, remember: bool = False
    ) -> list[ProofResult]:
        """Search for all theorems, by closing tactics where no policy is given, and have each proof judged."""
        config = replace(self.config, remember=remember)
        failures: Counter[str] = Counter()

        def watch(_: int, search: Search) -> None:
            for graph in search.graphs:
                for node in graph.nodes:
                    failures.update(_kind(failure.message) for failure in node.failures)

        if policy is None:
            prover: Prover = ScriptedProver(self.agent.lean, config=config, on_end=watch)
        else:
            prover = Prover(arm, policy, self.agent.lean, config=config, on_end=watch)
        results = {theorem_key(result.theorem): result for result in prover.prove_all(theorems)}
        ordered = [results[theorem_key(theorem)] for theorem in theorems]
        calls = sum(result.lean_calls for result in ordered)
        proved = sum(result.proved for result in ordered)
        weights = f"; weights {policy}" if isinstance(policy, MixturePolicy) else ""
        print(f"  {arm}: {proved} of {len(ordered)}, {calls:,} calls, refused {dict(failures)}{weights}", flush=True)
        return ordered

    # -- parts

    def repositories(self) -> None:
        """Compare neighbours and mixtures with closing tactics, on the open theorems of each repository."""
        arms: dict[str, list[ProofResult]] = {}
        for traced in self.agent.repositories:
            name = traced.repository.name
            theorems = spread(self.agent.database.sorry_theorems([traced.repository]), self.of_each or None)
            print(f"{name}: {len(theorems)} open theorems", flush=True)
            apart = without_near_duplicates(self.closed(), theorems)
            of_repository = {
                "closing tactics": self.prove("closing tactics", theorems),
                "neighbours": self.prove("neighbours", theorems, self.neighbours(self.closed())),
                "neighbours, its own proofs alone": self.prove(
                    "neighbours, its own proofs alone", theorems, self.neighbours(self.closed(name))
                ),
                f"neighbours, no near-duplicates ({len(self.closed()) - len(apart)})": self.prove(
                    "neighbours, no near-duplicates", theorems, self.neighbours(apart)
                ),
                "mixture": self.prove("mixture", theorems, self.mixture()),
                "mixture, learning on the way": self.prove(
                    "mixture, learning on the way", theorems, self.mixture(), remember=True
                ),
            }
            for arm, results in of_repository.items():
                arms.setdefault(arm.partition(" (")[0], []).extend(results)
        proved = {arm: [[result.proved] for result in results] for arm, results in arms.items()}
        self._table(proved, "closing tactics")
        print("marks: neighbours 1.5 times closing tactics, mixture 2 times and above every part")

    def demo(self) -> None:
        """Compare them on the demo's theorems, with a checkpoint as a further source where one is given."""
        theorems = spread(self.agent.open_theorems(), DemoConfig().theorems)
        arms = {
            "closing tactics": [self.prove("closing tactics", theorems)],
            "neighbours": [self.prove("neighbours", theorems, self.neighbours(self.closed()))],
            "mixture without a model": [self.prove("mixture without a model", theorems, self.mixture())],
        }
        if self.model is not None:
            for seed in SEEDS:
                own = self._model(seed)
                for arm, policy in (("model", own), ("mixture", self.mixture(own))):
                    own.restart()
                    arms.setdefault(arm, []).append(self.prove(f"{arm}, seed {seed}", theorems, policy))
            own.restart()
            arms["mixture, learning on the way"] = [
                self.prove("mixture, learning on the way", theorems, self.mixture(own), remember=True)
            ]
        proved = {
            arm: [[attempt.proved for attempt in of_theorem] for of_theorem in zip(*runs, strict=True)]
            for arm, runs in arms.items()
        }
        self._table(proved, "closing tactics")
        print("marks: neighbours 42, mixture 46")

    def mixture(self, own: Policy | None = None) -> MixturePolicy:
        """Return a fresh mixture, as ``prove`` makes it."""
        sources: dict[str, Policy] = {"neighbours": self.neighbours(self.closed()), "closers": ScriptedPolicy()}
        if own is not None:
            sources["own"] = own
        return MixturePolicy(sources, {name: MIXTURE_WEIGHTS[name] for name in sources})

    def calibration(self) -> None:
        """Say how often the likeliest tactics are those that stand in proofs which the neighbours have not seen."""
        raise NotImplementedError

    def speed(self) -> None:
        """Measure a query and the taking in of a step, among many states."""
        steps = list(tactic_examples(self.closed()))
        policy = NeighbourPolicy(varied(steps, STATES), names=self.agent.database.theorem_names())
        queries = [step.goal for step in varied(steps, 2 * STATES)][-500:]
        asking = [_milliseconds(lambda goal=goal: policy.suggest([goal], 32)) for goal in queries]
        adding = [_milliseconds(lambda goal=goal: policy.add([TacticExample(goal, "simp")])) for goal in queries]
        for what, times in (("a query", asking), ("taking in a step", adding)):
            print(
                f"{what} in {len(policy):,} states: median {median(times):.2f} ms, mean {mean(times):.2f} ms (mark {MARK_MS} ms)"
            )

    def _model(self, seed: int) -> SharedAnswers:
        from lean_agent.policy.hf import HFPolicy

        assert self.model is not None
        return SharedAnswers(HFPolicy(self.model, sampling=Sampling(max_new_tokens=32, seed=seed)))

    def _table(self, proved: Proved, baseline: str) -> None:
        table = Table("arm", "proved", "of", "share", "times closers", "against closers")
        theirs = _mean(proved[baseline])
        for arm, attempts in proved.items():
            share = share_interval([sum(tries) / len(tries) for tries in attempts])
            compared = compare(attempts, proved[baseline])
            difference = compared.difference
            table.add_row(
                arm,
                f"{_mean(attempts) * len(attempts):.1f}",
                str(len(attempts)),
                f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]",
                f"{_mean(attempts) / theirs:.2f}" if theirs else "",
                f"{difference.value:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}], "
                f"{compared.only_first}:{compared.only_second}, p = {compared.p_value:.2g}",
            )
        self.console.print(table)


def without_near_duplicates(proofs: Sequence[StoredTheorem], measured: Sequence[StoredTheorem]) -> list[StoredTheorem]:
    """Return the theorems with proofs that say something else than all that are measured."""
    index = NearDuplicates()
    for theorem in measured:
        index.insert(theorem.full_name, normal_form(theorem.theorem.statement))
    return [proof for proof in proofs if not any(index.add("", normal_form(proof.theorem.statement)))]


def varied(steps: Sequence[TacticExample], count: int) -> Iterator[TacticExample]:
    """Yield ``count`` steps: as many as there are, then the same in which some words are others."""
    generator = random.Random(0)
    for number in range(count):
        step = steps[number % len(steps)]
        words = step.goal.split(" ")
        if number >= len(steps):
            words = [f"{word}{generator.randrange(10)}" if generator.random() < 0.1 else word for word in words]
        yield TacticExample(" ".join(words), step.tactic)


def _milliseconds(run: Callable[[], object]) -> float:
    """Return the processor's time, so that a busy machine makes no difference."""
    began = time.process_time()
    run()
    return 1000 * (time.process_time() - began)


def _mean(attempts: Sequence[Sequence[bool]]) -> float:
    return sum(sum(tries) / len(tries) for tries in attempts) / len(attempts) if attempts else 0.0


def _kind(message: str) -> str:
    """Return what kind of refusal a message of Lean is."""
    return "unknown name" if message.startswith(("Unknown identifier", "Unknown constant")) else "other"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a checkpoint, for the demo's theorems")
    parser.add_argument("--repos", type=Path, help="a folder of Lean projects; by default repos/")
    parser.add_argument("--database", type=Path, help="where what is traced is kept; by default nowhere")
    parser.add_argument("--theorems", type=int, default=0, help="of each repository, evenly spread; 0 is all")
    parser.add_argument("--lean-calls", type=int, default=64, help="budget for each theorem")
    parser.add_argument("--tactics", type=int, default=LEAST_TACTICS, help="that are asked for at each state")
    parser.add_argument("--workers", type=int, default=2, help="Lean processes")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        with (
            DynamicDatabase(given.database or folder / "database.sqlite") as database,
            ScriptedAgent(database=database, workers=given.workers, runs_dir=folder / "runs") as agent,
        ):
            for path in find_repositories(given.repos):
                agent.setup_local_repository(path)
            bench = Bench(
                agent,
                lean_calls=given.lean_calls,
                tactics=given.tactics,
                model=given.model,
                theorems=given.theorems,
            )
            for part in given.only:
                getattr(bench, part)()


if __name__ == "__main__":
    main()
