"""What nearest neighbours and mixtures prove for the same Lean calls, and what they cost, beside their marks.

python benchmarks/neighbours.py                          # all parts; traces repos/ first
python benchmarks/neighbours.py --model PATH             # with a checkpoint as a source of the demo's mixture
python benchmarks/neighbours.py --only repositories      # some of: repositories, demo, speed
python benchmarks/neighbours.py --keep FOLDER            # what is traced and proved stays there, and is not done again
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sqlite3
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from statistics import mean, median
from typing import Any

from marks import Mark, show
from rich.console import Console
from rich.table import Table
from search import SharedAnswers

from lean_agent.agent.demo import DemoConfig
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.near_duplicates import NearDuplicates, normal_form
from lean_agent.evaluation.benchmarks import spread
from lean_agent.evaluation.statistics import compare, share_interval
from lean_agent.policy.base import Policy, Sampling, TacticExample
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.policy.closers.scripted import LearningClosers, ScriptedPolicy
from lean_agent.policy.mixture import MixturePolicy
from lean_agent.policy.neighbours import NeighbourPolicy, tactic_examples
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.mixed import CLOSER_HELP, LEAST_TACTICS, MIXTURE_WEIGHTS, ProofSources, for_policy
from lean_agent.prover.proofs.result import theorem_key
from lean_agent.prover.provers import Prover, ScriptedProver
from lean_agent.prover.searches.base import Search
from lean_agent.tracing.project.sources import find_repositories

PARTS = ("repositories", "demo", "speed")
CLOSERS = "closing tactics"
SCHEMES = "closing tactics and schemes"
LEARNING = "mixture, learning on the way"
ARMS = (
    CLOSERS,
    SCHEMES,
    "neighbours",
    "mixture",
    "neighbours, own proofs alone",
    "neighbours, no near-duplicates",
    LEARNING,
)
SEEDS = (0, 1, 2)
STATES = 100_000
QUERIES = 500
MARK_MS = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one search.

    Attributes:
        theorem: where it stands, and its name.
        calls: of Lean, the verification included.
        refused, unknown: tactics that Lean refused, and those of them that named something unknown.
        bins: how many tactics with a probability in each tenth ran, and how many of these Lean accepted.
    """

    arm: str
    seed: int
    theorem: str
    proved: bool
    calls: int
    refused: int
    unknown: int
    bins: tuple[tuple[int, int], ...]


def read_outcomes(path: Path) -> list[Outcome]:
    """Return what searches before have come to; nothing where there were none."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Outcome(**json.loads(line)) for line in lines]


def copy_database(path: Path, to: Path) -> Path:
    """Copy a database that may be in use; return the copy. One that is there already stays: a run that was interrupted
    has put its proofs there."""
    if not to.exists():
        to.parent.mkdir(parents=True, exist_ok=True)
        part = to.with_suffix(".part")
        with closing(sqlite3.connect(path)) as used, closing(sqlite3.connect(part)) as own:
            used.backup(own)
        part.rename(to)
    return to


class Bench:
    """The repositories of repos/, traced, with their open theorems."""

    def __init__(
        self,
        agent: ScriptedAgent,
        folder: Path,
        *,
        lean_calls: int,
        tactics: int,
        model: Path | None,
        theorems: int,
        arms: Collection[str] = ARMS,
    ) -> None:
        self.agent = agent
        self.model = model
        self.of_each = theorems
        self.arms = arms
        # Only Lean calls limit a search; and each theorem is by itself, but where a row says otherwise.
        budget = SearchBudget(expansions=lean_calls, lean_calls=lean_calls, seconds=6000.0)
        self.config = SearchConfig(budget=budget, tactics_per_node=tactics, remember=False)
        self.console = Console(width=150)
        self.trees = folder / "trees"
        self._kept = folder / "outcomes.jsonl"
        self.outcomes: dict[tuple[str, int, str], Outcome] = {}
        for outcome in read_outcomes(self._kept):
            self.outcomes[outcome.arm, outcome.seed, outcome.theorem] = outcome

    def closed(self, repository: str = "") -> list[StoredTheorem]:
        """Return the theorems with proofs, of one repository or of all."""
        return [
            stored
            for traced in self.agent.repositories
            if repository in ("", traced.repository.name)
            for stored in self.agent.database.theorems(traced.repository, sorry=False)
        ]

    def neighbours(self, theorems: Iterable[StoredTheorem]) -> NeighbourPolicy:
        """Return a policy that has seen these theorems' proofs."""
        return NeighbourPolicy(tactic_examples(theorems), names=self.agent.database.theorem_names())

    def mixture(self, own: Policy | None = None, *, is_filled: bool = False) -> MixturePolicy:
        """Return a fresh mixture: closing tactics are shown premises, the rest goals alone.

        Args:
            is_filled: whether the model writes schemes.
        """
        sources: dict[str, Policy] = {"neighbours": self.neighbours(self.closed()), "closers": LearningClosers()}
        if own is not None:
            sources["own"] = own
        weights = {name: MIXTURE_WEIGHTS[name] for name in sources}
        alone = {"neighbours"} if is_filled else {"neighbours", "own"}
        return MixturePolicy(sources, weights, goals_alone=alone & sources.keys())

    @cached_property
    def premises(self) -> PromptHelp:
        """Return what schemes are filled in with, for the open theorems of all repositories."""
        shown = ProofSources(self.agent.database).shown(CLOSER_HELP, self.agent.open_theorems())
        assert shown is not None
        return shown

    def prove(
        self,
        arm: str,
        theorems: Sequence[StoredTheorem],
        policy: Policy | None = None,
        *,
        seed: int = 0,
        remember: bool = False,
        is_filled: bool = False,
    ) -> None:
        """Search for the theorems, by closing tactics where no policy is given, and have each proof judged.

        Args:
            is_filled: whether it is a model that writes schemes, to be filled in with premises.

        What was searched for before is left out.
        """
        missing = [theorem for theorem in theorems if (arm, seed, _name(theorem)) not in self.outcomes]
        searches: dict[int, Search] = {}
        config = replace(self.config, remember=remember)
        options: dict[str, Any] = {"config": config, "on_end": searches.__setitem__, "trees_dir": self.trees / arm}
        if is_filled or isinstance(policy, (MixturePolicy, ScriptedPolicy, LearningClosers)):
            options["shown"] = self.premises
        if isinstance(policy, (MixturePolicy, LearningClosers)):
            options["config"] = for_policy(config, "mixture")
        prover = (
            ScriptedProver(self.agent.lean, tactics=CLOSING_TACTICS, **options)
            if policy is None
            else Prover(arm, policy, self.agent.lean, **options)
        )
        if not remember:
            prover = prover.with_budget(config.budget)  # as `evaluate` measures it: without calls for shorter proofs
        places = {theorem_key(theorem): place for place, theorem in enumerate(missing)}
        for result in prover.prove_all(missing):
            search = searches.pop(places[theorem_key(result.theorem)], None)
            outcome = Outcome(
                arm,
                seed,
                _name(result.theorem),
                result.proved,
                result.lean_calls,
                *(_account(search) if search else _NO),
            )
            self.outcomes[arm, seed, outcome.theorem] = outcome
            with self._kept.open("a", encoding="utf-8") as kept:
                kept.write(json.dumps(asdict(outcome)) + "\n")
        of_arm = [self.outcomes[arm, seed, _name(theorem)] for theorem in theorems]
        proved = sum(outcome.proved for outcome in of_arm)
        calls, refused, unknown = (sum(map(get, of_arm)) for get in (_calls, _refused, _unknown))
        weights = f"; weights {policy}" if isinstance(policy, MixturePolicy) and missing else ""
        print(
            f"  {arm}, seed {seed}: {proved} of {len(of_arm)} with {calls:,} calls; {refused:,} tactics were refused, "
            f"{unknown:,} for an unknown name{weights}",
            flush=True,
        )

    # -- parts

    def repositories(self) -> None:
        """Compare neighbours and mixtures with closing tactics, on the open theorems of each repository."""
        everything: list[StoredTheorem] = []
        closed = self.closed()
        for traced in self.agent.repositories:
            name = traced.repository.name
            theorems = spread(self.agent.database.sorry_theorems([traced.repository]), self.of_each or None)
            everything += theorems
            apart = without_near_duplicates(closed, theorems)
            print(f"{name}: {len(theorems)} theorems, {len(closed) - len(apart)} proofs of near-duplicates", flush=True)
            for arm, (policy, remember) in self._arms(name, closed, apart).items():
                if arm in self.arms:
                    self.prove(arm, theorems, policy() if policy else None, remember=remember)
        self._report(everything, "neighbours 1.5 times closing tactics, mixture 2 times and above every part")

    def _arms(
        self, name: str, closed: Sequence[StoredTheorem], apart: Sequence[StoredTheorem]
    ) -> dict[str, tuple[Callable[[], Policy] | None, bool]]:
        """Return how to make the policy of each arm for a repository, and whether it remembers what was proved."""
        return {
            CLOSERS: (None, False),
            SCHEMES: (ScriptedPolicy, False),
            "neighbours": (lambda: self.neighbours(closed), False),
            "mixture": (self.mixture, False),
            "neighbours, own proofs alone": (lambda: self.neighbours(self.closed(name)), False),
            "neighbours, no near-duplicates": (lambda: self.neighbours(apart), False),
            LEARNING: (self.mixture, True),
        }

    def demo(self) -> None:
        """Compare them on the demo's theorems, with a checkpoint as a further source where one is given."""
        theorems = spread(self.agent.open_theorems(), DemoConfig().theorems)
        self.prove("neighbours", theorems, self.neighbours(self.closed()))
        for seed in SEEDS if self.model else ():
            own = self._model(seed)
            self.prove("mixture with a model", theorems, self.mixture(own), seed=seed)
            own.restart()
            self.prove("model", theorems, own, seed=seed)
        self.prove(CLOSERS, theorems)
        self.prove(SCHEMES, theorems, ScriptedPolicy())
        self.prove("mixture", theorems, self.mixture())
        self.prove(LEARNING, theorems, self.mixture(), remember=True)
        self._report(theorems, "neighbours 42, mixture with a model 46")

    def speed(self) -> None:
        """Measure a query and the taking in of a step, among many states."""
        steps = list(tactic_examples(self.closed()))
        policy = NeighbourPolicy(varied(steps, STATES), names=self.agent.database.theorem_names())
        queries = [step.goal for step in varied(steps, STATES + QUERIES)][-QUERIES:]
        asking = [_milliseconds(partial(policy.suggest, [goal], LEAST_TACTICS)) for goal in queries]
        adding = [_milliseconds(partial(policy.add, [TacticExample(goal, "simp")])) for goal in queries]
        for what, times in (("a query", asking), ("taking in a step", adding)):
            figures = f"median {median(times):.2f} ms, mean {mean(times):.2f} ms"
            print(f"{what} in {len(policy):,} states: {figures} of the processor's time")
            show(Mark(f"{what} of neighbours, median", median(times), MARK_MS, "ms"))

    def _model(self, seed: int) -> SharedAnswers:
        from lean_agent.policy.hf import HFPolicy

        assert self.model is not None
        return SharedAnswers(HFPolicy(self.model, sampling=Sampling(max_new_tokens=32, seed=seed)))

    def _report(self, theorems: Sequence[StoredTheorem], marks: str) -> None:
        names = {_name(theorem) for theorem in theorems}
        attempts: defaultdict[str, defaultdict[str, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
        for (arm, _, name), outcome in sorted(self.outcomes.items(), key=lambda item: item[0][1]):
            if name in names:
                attempts[arm][name].append(outcome)
        whole = {arm: of_arm for arm, of_arm in attempts.items() if len(of_arm) == len(names)}
        if CLOSERS not in whole:
            print(f"There is nothing to compare with: `--arms` leaves {CLOSERS!r} out.")
            return
        table = Table("arm", "seeds", "proved", "of", "share", "times closers", "against closers")
        for arm, of_arm in whole.items():
            proved, theirs = (
                [[o.proved for o in of[name]] for name in sorted(names)] for of in (of_arm, whole[CLOSERS])
            )
            share, base = (share_interval([mean(tries) for tries in arms]) for arms in (proved, theirs))
            compared = compare(proved, theirs)
            difference = compared.difference
            table.add_row(
                arm,
                str(len(proved[0])),
                f"{share.value * len(names):.1f}",
                str(len(names)),
                f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]",
                f"{share.value / base.value:.2f}" if base.value else "",
                f"{difference.value:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}], "
                f"{compared.only_first}:{compared.only_second}, p = {compared.p_value:.2g}",
            )
            self._calibration(arm, [outcome for outcomes in of_arm.values() for outcome in outcomes])
        self.console.print(table)
        print(f"marks: {marks}")

    def _calibration(self, arm: str, outcomes: Sequence[Outcome]) -> None:
        """Print how often Lean accepted tactics, by their probabilities."""
        tenths = []
        for place in range(10):
            ran, accepted = (sum(outcome.bins[place][part] for outcome in outcomes) for part in (0, 1))
            tenths.append(f"{accepted / ran:.2f} ({ran:,})" if ran else "-")
        print(f"  {arm}: accepted of the tactics that ran, by tenths of probability: {', '.join(tenths)}")


_NO = (0, 0, ((0, 0),) * 10)


def _account(search: Search) -> tuple[int, int, tuple[tuple[int, int], ...]]:
    """Return what Lean refused, for unknown names too, and what it accepted by tenths of probability."""
    nodes = [node for graph in search.graphs for node in graph.nodes]
    failures = [failure for node in nodes for failure in node.failures if failure.proposed_by == "policy"]
    accepted = Counter(_tenth(edge.logprob) for node in nodes for edge in node.edges if edge.proposed_by == "policy")
    refused = Counter(_tenth(failure.logprob) for failure in failures)
    unknown = sum(failure.message.startswith(("Unknown identifier", "Unknown constant")) for failure in failures)
    bins = tuple((accepted[place] + refused[place], accepted[place]) for place in range(10))
    return len(failures), unknown, bins


def _tenth(logprob: float) -> int:
    return min(9, int(10 * math.exp(logprob)))


def _name(theorem: StoredTheorem) -> str:
    return "/".join((theorem.repository.name, theorem.file_path, theorem.full_name))


def _calls(outcome: Outcome) -> int:
    return outcome.calls


def _refused(outcome: Outcome) -> int:
    return outcome.refused


def _unknown(outcome: Outcome) -> int:
    return outcome.unknown


def without_near_duplicates(proofs: Sequence[StoredTheorem], measured: Sequence[StoredTheorem]) -> list[StoredTheorem]:
    """Return the theorems with proofs that say something else than all that are measured."""
    index = NearDuplicates()
    for theorem in measured:
        index.insert(theorem.full_name, normal_form(theorem.theorem.type or theorem.theorem.statement))
    # what is asked about is put in, too, under no name
    forms = (normal_form(proof.theorem.type or proof.theorem.statement) for proof in proofs)
    return [proof for proof, form in zip(proofs, forms, strict=True) if not any(index.add("", form))]


def varied(steps: Sequence[TacticExample], count: int) -> Iterator[TacticExample]:
    """Yield ``count`` steps: as many as there are, then the same in which some words are others."""
    generator = random.Random(0)
    for number in range(count):
        step = steps[number % len(steps)]
        words = step.goal.split(" ")
        if number >= len(steps):
            words = [f"{word}{generator.randrange(10)}" if generator.random() < 0.3 else word for word in words]
        yield TacticExample(" ".join(words), step.tactic)


def _milliseconds(run: Callable[[], object]) -> float:
    """Return the processor's time, so that a busy machine makes no difference."""
    began = time.process_time()
    run()
    return 1000 * (time.process_time() - began)


@contextmanager
def kept_in(folder: Path | None) -> Iterator[Path]:
    """Yield a folder to keep things in; without one, another that goes in the end."""
    with tempfile.TemporaryDirectory() as scratch:
        place = folder or Path(scratch)
        place.mkdir(parents=True, exist_ok=True)
        yield place


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a checkpoint, for the demo's theorems")
    parser.add_argument("--repos", type=Path, help="a folder of Lean projects; by default repos/")
    parser.add_argument("--keep", type=Path, help="a folder for what is traced and proved; by default none")
    parser.add_argument("--theorems", type=int, default=0, help="of each repository, evenly spread; 0 is all")
    parser.add_argument("--lean-calls", type=int, default=64, help="budget for each theorem")
    parser.add_argument("--tactics", type=int, default=LEAST_TACTICS, help="that are asked for at each state")
    parser.add_argument("--workers", type=int, default=2, help="Lean processes")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS, help="of the part of repositories")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    with (
        kept_in(given.keep) as folder,
        DynamicDatabase(folder / "database.sqlite") as database,
        ScriptedAgent(database=database, workers=given.workers, runs_dir=folder / "runs") as agent,
    ):
        for path in find_repositories(given.repos):
            agent.setup_local_repository(path)
        bench = Bench(
            agent,
            folder,
            lean_calls=given.lean_calls,
            tactics=given.tactics,
            model=given.model,
            theorems=given.theorems,
            arms=given.arms,
        )
        for part in given.only:
            getattr(bench, part)()


if __name__ == "__main__":
    main()
