"""What closing tactics and schemes prove, alone and beside a model, for the same Lean calls.

python benchmarks/closers.py                              # the open theorems of repos/, 64 Lean calls each
python benchmarks/closers.py --model PATH                 # and with a checkpoint: alone, and with closers
python benchmarks/closers.py --benchmark lean-core --lean-calls 128

Every arm searches each theorem by itself. Arms that run the same tactic at the same state share Lean's answer, which
saves time and changes no count; a model's draws are shared too. What is done is kept in --output, and not done again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from search import SharedAnswers
from typing_extensions import override

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.evaluation.benchmarks import Request, load_benchmark, spread
from lean_agent.evaluation.statistics import RESAMPLES, compare, share_interval
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import Policy, Sampling
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, CLOSING_TACTICS
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.policy.mixture import MixturePolicy
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval import PremiseCorpus
from lean_agent.prompts import HelpSettings
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import Prover, ScriptedProver
from lean_agent.tracing.project.sources import find_repositories

AT_ONCE = 8
"""Theorems that all arms search before the next ones: their files are open then."""


class RememberingPool(LeanPool):
    """A pool that runs a tactic at a state once, and answers from memory afterwards."""

    _answers: dict[tuple[str, str], TacticResult]

    @override
    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        self._answers = getattr(self, "_answers", {})
        new = list({(state.key, tactic): (state, tactic) for state, tactic in pairs}.items())
        new = [(key, pair) for key, pair in new if key not in self._answers]
        results = await super().goal_tactics_async([pair for _, pair in new], timeout_s=timeout_s) if new else []
        self._answers.update((key, result) for (key, _), result in zip(new, results, strict=True))
        return [self._answers[state.key, tactic] for state, tactic in pairs]


class Bench:
    """The theorems, and what each arm proves of them."""

    def __init__(self, lean: LeanPool, options: argparse.Namespace, premises: PromptHelp | None) -> None:
        self.lean = lean
        self.options = options
        self.premises = premises
        calls = options.lean_calls
        budget = SearchBudget(expansions=calls, lean_calls=calls, seconds=6000.0)
        self.config = SearchConfig(
            budget=budget, tactics_per_node=options.tactics, resamples=64, tactic_timeout_s=20.0, remember=False
        )
        self.outcomes: dict[tuple[str, str], tuple[bool, int]] = {}
        if options.output.exists():
            for line in options.output.read_text(encoding="utf-8").splitlines():
                self._take_in(**json.loads(line))

    def arms(self) -> dict[str, Callable[[], Prover]]:
        """Return what makes the prover of each arm, by its name."""

        def scripted(
            name: str,
            tactics: Sequence[str] | Mapping[str, float],
            premises: PromptHelp | None = None,
            search: str = "best_step",
        ) -> Prover:
            config = self.config.with_search(search)
            return ScriptedProver(self.lean, tactics=tactics, name=name, config=config, shown=premises)

        arms: dict[str, Callable[[], Prover]] = {
            "closing tactics": lambda: scripted("closing tactics", CLOSING_TACTICS, search="best_first"),
            "schemes": lambda: scripted("schemes", CLOSING_SCHEMES),
            "schemes, state by state": lambda: scripted("by state", CLOSING_SCHEMES, search="best_first"),
        }
        if self.premises is not None:
            arms["schemes with premises"] = lambda: scripted("schemes with premises", CLOSING_SCHEMES, self.premises)
        if self.options.model is None:
            return arms
        from lean_agent.policy.hf import HFPolicy

        model = SharedAnswers(HFPolicy(self.options.model, sampling=Sampling(max_new_tokens=32, seed=0)))

        def with_model(name: str, weight: float = 0.0, closers: Sequence[str] = ()) -> Prover:
            model.restart()
            sources: dict[str, Policy] = {"model": model, "closers": ScriptedPolicy()}
            policy: Policy = MixturePolicy(sources, {"model": 1 - weight, "closers": weight}) if weight else model
            config = replace(self.config, closers=tuple(closers))
            return Prover(name, policy, self.lean, config=config, shown=self.premises if weight else None)

        arms["model"] = lambda: with_model("model")
        arms["model, closing tactics first"] = lambda: with_model("first", closers=CLOSING_TACTICS)
        for weight in self.options.weights:
            arms[f"model and schemes, {weight:.0%} schemes"] = partial(with_model, "mixture", weight)
        return arms

    def run(self, theorems: Sequence[StoredTheorem]) -> None:
        """Search with all arms, a few theorems at a time."""
        arms = {arm: make for arm, make in self.arms().items() if not self.options.only or arm in self.options.only}
        for at in range(0, len(theorems), AT_ONCE):
            for arm, make in arms.items():
                missing = [
                    stored for stored in theorems[at : at + AT_ONCE] if (arm, stored.full_name) not in self.outcomes
                ]
                for result in make().prove_all(missing) if missing else ():
                    outcome: dict[str, Any] = {
                        "arm": arm,
                        "theorem": result.theorem.full_name,
                        "proved": result.proved,
                        "calls": result.lean_calls,
                        "proof": result.proof if result.proved else "",
                    }
                    with self.options.output.open("a", encoding="utf-8") as kept:
                        kept.write(json.dumps(outcome, ensure_ascii=False) + "\n")
                    self._take_in(**outcome)
            self.table([stored.full_name for stored in theorems[: at + AT_ONCE]], arms)

    def _take_in(self, arm: str, theorem: str, proved: bool, calls: int, proof: str) -> None:
        self.outcomes[arm, theorem] = (proved, calls)

    def table(self, names: Sequence[str], arms: Iterable[str]) -> None:
        """Print what each arm has proved of these theorems, and how that compares with the first arm."""
        table = Table("arm", "proved", "theorems", "share", "Lean calls", "against the first")
        first: list[bool] = []
        for arm in arms:
            outcomes = [self.outcomes[arm, name] for name in names]
            proved = [outcome[0] for outcome in outcomes]
            first = first or proved
            share = share_interval([float(value) for value in proved])
            table.add_row(
                arm,
                str(sum(proved)),
                str(len(names)),
                f"{share.value:.1%} [{share.low:.1%}, {share.high:.1%}]",
                f"{sum(outcome[1] for outcome in outcomes):,}",
                against(proved, first),
            )
        Console(width=150).print(table)


def against(ours: Sequence[bool], theirs: Sequence[bool]) -> str:
    """Say how many times as many theorems were proved, with a 95 % bootstrap interval, and McNemar's test."""
    pairs = np.array([ours, theirs], dtype=float)
    rng = np.random.default_rng(0)
    draws = rng.integers(pairs.shape[1], size=(RESAMPLES, pairs.shape[1]))
    first, second = pairs[:, draws].sum(axis=2)
    low, high = np.percentile(first[second > 0] / second[second > 0], [2.5, 97.5]) if second.any() else (0.0, 0.0)
    ratio = sum(ours) / max(1, sum(theirs))
    compared = compare([[value] for value in ours], [[value] for value in theirs])
    alone = f"{compared.only_first} alone, {compared.only_second} lost"
    return f"{ratio:.2f} times [{low:.2f}, {high:.2f}], {alone}, p = {compared.p_value:.2g}"


def theorems_of(options: argparse.Namespace, agent: ScriptedAgent) -> list[StoredTheorem]:
    """Return the theorems to prove, in an order in which the first ones are evenly spread, too."""
    rng = np.random.default_rng(0)
    if options.benchmark == "lean-core":
        request = Request(agent.lean, agent.database, count=options.theorems, split=options.split)
        theorems = list(load_benchmark("lean-core", request).theorems)
    else:
        if not agent.database.repositories():
            for path in find_repositories(None):
                agent.setup_local_repository(path)
        theorems = [
            stored
            for repository in agent.database.repositories()
            for stored in agent.database.theorems(repository, sorry=options.split == "test")
            if options.split == "test" or stored.theorem.tactics
        ]
        files = sorted({(stored.repository.name, stored.file_path) for stored in theorems})
        order = {files[index]: place for place, index in enumerate(rng.permutation(len(files)))}
        places = [order[stored.repository.name, stored.file_path] for stored in theorems]
        if options.files:  # in the order of the files: each is opened once
            kept = sorted(zip(places, range(len(theorems)), strict=True))
            return [theorems[index] for place, index in kept if place < options.files][: options.theorems]
        theorems = spread(theorems, options.theorems)
    return [theorems[index] for index in rng.permutation(len(theorems))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmark", choices=("repos", "lean-core"), default="repos")
    parser.add_argument(
        "--split", choices=("train", "test"), default="test", help="train, on repos/: those with proofs"
    )
    parser.add_argument("--model", type=Path, help="a checkpoint")
    parser.add_argument("--theorems", type=int, help="evenly spread; by default all")
    parser.add_argument(
        "--files", type=int, help="of repos/, drawn at random: opening many takes longer than searching"
    )
    parser.add_argument("--lean-calls", type=int, default=64, help="budget for each theorem")
    parser.add_argument("--tactics", type=int, default=16, help="that a model is asked for at each state")
    parser.add_argument("--weights", type=float, nargs="*", default=[0.5], help="of the schemes beside a model")
    parser.add_argument("--only", nargs="+", default=(), help="arms, by their names; by default all")
    parser.add_argument("--premises", type=int, default=8, help="that schemes are shown on repos/; 0: none")
    parser.add_argument("--workers", type=int, default=1, help="Lean processes")
    parser.add_argument(
        "--database",
        type=Path,
        help="with traced repositories, or to keep them in; by default those of repos/ are traced",
    )
    parser.add_argument("--output", type=Path, default=Path("closers.jsonl"))
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as scratch,
        RememberingPool(options.workers) as lean,
        DynamicDatabase(options.database or Path(scratch) / "database.sqlite") as database,
        ScriptedAgent(lean=lean, database=database, runs_dir=Path(scratch) / "runs") as agent,
    ):
        theorems = theorems_of(options, agent)
        premises = None
        if options.premises:
            corpus = PremiseCorpus(database.corpus(dict.fromkeys(stored.repository for stored in theorems)))
            premises = PromptHelp.of(HelpSettings(premises=options.premises), corpus)
        Bench(lean, options, premises).run(theorems)


if __name__ == "__main__":
    main()
