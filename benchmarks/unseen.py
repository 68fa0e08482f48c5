"""What practice on a repository that is new is worth there: the mixture without a model, before and after.

python benchmarks/unseen.py --output FOLDER                          # seeds 0, 1 and 2, all of repos/
python benchmarks/unseen.py --output FOLDER --seeds 0 --repositories order sets
python benchmarks/unseen.py --output FOLDER --only report            # the table of what is there

Each repository is the new one in turn. Its own traced proofs and those of all others are there, as for a user who has
traced it. Half of its open theorems, by the hash of their statements and near-duplicates together, are held out and
only measured on; the other half is practised by an agent without a model, in `--rounds` rounds. A seed is another such
division; nothing else is drawn. Arms: the mixture as it is; after practice on the others, on the new one alone, and on
both; and closing tactics alone. What stands in FOLDER is not done again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
from closers import RememberingPool
from learning import ratio_interval
from marks import Mark, show
from neighbours import Bench, copy_database, read_outcomes
from rich.console import Console
from rich.table import Table
from search import repositories

from lean_agent.agent.learnt_steps import STEPS
from lean_agent.agent.run_folder import RunFolder
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.improvement import ImproveConfig
from lean_agent.improvement.practice import Guard, hold_out
from lean_agent.policy.base import TacticExample
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.prover.mixed import LEAST_TACTICS
from lean_agent.prover.proofs.result import theorem_key

CLOSERS, BEFORE = "closing tactics and schemes", "mixture"
ELSEWHERE, HERE, BOTH = "after practice elsewhere", "after practice here", "after practice here and elsewhere"
ARMS = (CLOSERS, BEFORE, ELSEWHERE, HERE, BOTH)
BUDGETS = (16, 32, 64)
MARK = 1.25
DATABASE = "database.sqlite"


class Division:
    """The theorems of one seed, practised and held out, and what is found in practice."""

    def __init__(self, bench: Bench, folder: Path, seed: int, *, rounds: int, variants: int) -> None:
        self.bench = bench
        self.seed = seed
        self.rounds = rounds
        self.variants = variants
        self.held_out: dict[str, list[StoredTheorem]] = {}
        self.practised: dict[str, list[StoredTheorem]] = {}
        for traced in bench.agent.repositories:
            theorems = bench.agent.database.sorry_theorems([traced.repository])
            held_out = hold_out(theorems, 0.5, seed)
            keys = set(map(theorem_key, held_out))
            self.held_out[traced.repository.name] = held_out
            self.practised[traced.repository.name] = [each for each in theorems if theorem_key(each) not in keys]
        self._folder = folder

    def practice(self, name: str) -> list[TacticExample]:
        """Return the steps of all sub-goals that practice on a repository solves, of those before it none."""
        folder = self._folder / f"practice-{self.seed}" / name
        if not (folder / STEPS).exists():
            knows_proofs = copy_database(self._folder / DATABASE, folder / DATABASE)
            practised = self.practised[name]
            config = ImproveConfig(
                theorems=len(practised),
                variants=self.variants,
                policy="mixture",
                search=replace(self.bench.config, remember=True),
            )
            with ScriptedAgent(
                lean=self.bench.agent.lean, database=knows_proofs, run=RunFolder(folder), progress=False
            ) as agent:
                agent.repositories = self.bench.agent.repositories
                report = agent.improve(
                    rounds=self.rounds, practice=practised, held_out=self.held_out[name], config=config
                )
            proved = sum(entry.proved for entry in report.rounds)
            of = f"{len(practised)}{' and variants' if self.variants else ''}"
            print(f"seed {self.seed}, {name}: practice proves {proved} of {of}", flush=True)
        lines = (folder / STEPS).read_text(encoding="utf-8").splitlines()
        return [TacticExample(step["goal"], step["tactic"]) for step in map(json.loads, lines)]

    def measure(self, name: str, arms: Sequence[str]) -> None:
        """Search for the held-out theorems of a repository with each arm. Goals near to these have taught nothing."""
        guard = Guard(self.held_out[name])
        for arm in arms:
            if arm == CLOSERS:
                self.bench.prove(arm, self.held_out[name], ScriptedPolicy(), seed=self.seed)
            else:
                others = [other for other in self.practised if other != name] if arm in (ELSEWHERE, BOTH) else []
                practised = [*others, *([name] if arm in (HERE, BOTH) else [])]
                mixture = self.bench.mixture()
                mixture.add(not_near(chain.from_iterable(map(self.practice, practised)), guard))
                self.bench.prove(arm, self.held_out[name], mixture, seed=self.seed)


def not_near(steps: Iterable[TacticExample], guard: Guard) -> Iterator[TacticExample]:
    """Yield the steps at goals that are not near to those of held-out theorems."""
    return (step for step in steps if not guard.refuses_goal(step.goal))


def report(folder: Path) -> None:
    """Print how many theorems each arm proves, and how many times as many as the mixture before practice."""
    proved: dict[str, dict[int, dict[str, int]]] = {arm: {} for arm in ARMS}
    for outcome in read_outcomes(folder / "outcomes.jsonl"):
        of_seed = proved[outcome.arm].setdefault(outcome.seed, {})
        of_seed[outcome.theorem] = outcome.calls if outcome.proved else 10**9
    base = proved[BEFORE]
    table = Table("arm", "seeds", "theorems", *(f"{calls} calls" for calls in BUDGETS), f"times {BEFORE}")
    marks: list[Mark] = []
    for arm, of_arm in proved.items():
        # Held-out theorems are others with each seed: each counts as one more theorem of a single table.
        cells = [(seed, name) for seed, names in of_arm.items() for name in names if name in base.get(seed, {})]
        if not cells:
            continue
        calls = np.array([of_arm[seed][name] for seed, name in cells])
        theirs = np.array([base[seed][name] for seed, name in cells])
        value, low, high = ratio_interval((calls <= BUDGETS[-1])[None], (theirs <= BUDGETS[-1])[None])
        if arm not in (BEFORE, CLOSERS):
            marks.append(Mark(f"theorems proved, {arm} against {BEFORE}", value, MARK, "times", "at least"))
        counts = (f"{np.mean(calls <= most) * len(cells) / len(of_arm):.1f}" for most in BUDGETS)
        table.add_row(
            arm, str(len(of_arm)), f"{len(cells) / len(of_arm):.0f}", *counts, f"{value:.2f} [{low:.2f}, {high:.2f}]"
        )
    Console(width=150).print(table)
    show(*marks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="a folder for what is traced, found and proved")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--repositories", nargs="+", default=[], help="that are new in turn; by default all of repos/")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS)
    parser.add_argument("--lean-calls", type=int, default=64, help="budget for each theorem")
    parser.add_argument("--rounds", type=int, default=2, help="of practice on a repository")
    parser.add_argument("--variants", type=int, default=0, help="that are practised beside the theorems, a round")
    parser.add_argument("--workers", type=int, default=2, help="Lean processes")
    parser.add_argument("--only", choices=["report"])
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    if given.only == "report":
        return report(given.output)
    with (
        DynamicDatabase(given.output / DATABASE) as database,
        RememberingPool(given.workers) as lean,
        ScriptedAgent(database=database, lean=lean, runs_dir=given.output / "runs") as agent,
    ):
        for path in repositories([]):
            agent.setup_local_repository(path)
        bench = Bench(agent, given.output, lean_calls=given.lean_calls, tactics=LEAST_TACTICS, model=None, theorems=0)
        for seed in given.seeds:
            division = Division(bench, given.output, seed, rounds=given.rounds, variants=given.variants)
            for name in given.repositories or division.held_out:
                division.measure(name, given.arms)
    report(given.output)


if __name__ == "__main__":
    main()
