"""What it is worth to show a model premises, or tactics of similar goals, beside each goal.

For each seed one tiny model is trained from scratch with each kind of prompt: the same tokenizer, first weights, rows
and steps. Then each searches for the same held-out theorems within the same Lean calls, and every proof is judged.
Primary figure: theorems proved with premises, against none, paired by theorem and seed.

    python benchmarks/prompt.py                             # the demo's repositories and settings; half an hour a seed
    python benchmarks/prompt.py --seeds 0 1 2 --keep FOLDER # what is traced, trained and proved stays there
    python benchmarks/prompt.py --arms plain premises
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neighbours import kept_in
from rich.console import Console
from rich.table import Table

from lean_agent.agent.demo import HELD_OUT, DemoConfig, demo_repositories, untrained_model
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import RunFolder
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.evaluation.benchmarks import spread
from lean_agent.evaluation.statistics import compare
from lean_agent.improvement.lessons import Lessons
from lean_agent.improvement.practice import Guard, hold_out
from lean_agent.improvement.practice_data import PracticeData
from lean_agent.policy.base import Sampling
from lean_agent.policy.hf import HFPolicy
from lean_agent.prompts import HelpSettings
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.mixed import ProofSources
from lean_agent.prover.provers import Prover
from lean_agent.trainer.sft_trainer import SFTTrainer

PLAIN = "plain"
ARMS = {
    PLAIN: HelpSettings(),
    "premises": HelpSettings(premises=4),
    "neighbours": HelpSettings(neighbours=4),
    "both": HelpSettings(premises=4, neighbours=4),
}
Proved = dict[str, bool]
"""By theorem."""


def main() -> None:
    """Train and search with each arm and seed; print a row for each arm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=[*ARMS])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--theorems", type=int, default=64, help="held-out ones, evenly spread")
    parser.add_argument("--lean-calls", type=int, default=64, help="budget for each theorem")
    parser.add_argument("--epochs", type=int, default=DemoConfig().epochs)
    parser.add_argument("--keep", type=Path, help="a folder for what is traced, trained and proved; by default none")
    given = parser.parse_args()
    with (
        kept_in(given.keep) as folder,
        DynamicDatabase(folder / "database.sqlite") as database,
        HFAgent(database=database, workers=2, run=RunFolder(folder / "run")) as agent,
    ):
        for path in demo_repositories(DemoConfig(), None):
            agent.setup_local_repository(path)
        bench = Bench(agent, folder, given.theorems, lean_calls=given.lean_calls, epochs=given.epochs)
        outcomes = {arm: [bench.proved(arm, seed) for seed in given.seeds] for arm in given.arms}
    report(outcomes)


class Bench:
    """The demo's repositories, traced, and the theorems that are held out."""

    def __init__(self, agent: HFAgent, folder: Path, theorems: int, *, lean_calls: int, epochs: int) -> None:
        self.agent, self.folder, self.epochs = agent, folder, epochs
        everything = agent.open_theorems()
        held_out = hold_out(everything, HELD_OUT)
        self.theorems: list[StoredTheorem] = spread(held_out, theorems)
        self.data = PracticeData(agent.database, agent.curriculum(), Lessons(), Guard(held_out))
        budget = SearchBudget(expansions=lean_calls, lean_calls=lean_calls, seconds=600.0)
        self.config = SearchConfig(budget=budget, tactics_per_node=DemoConfig().tactics_per_node, remember=False)

    def model(self, arm: str, seed: int) -> Path:
        """Return a model trained with the arm's prompts, from the seed's first weights."""
        demo, out = DemoConfig(), self.folder / f"{arm}-{seed}"
        first = self.folder / f"untrained-{seed}"
        untrained_model(self.agent, first, hidden_size=demo.hidden_size, seed=seed, data=self.data)
        shown = ARMS[arm]
        options: dict[str, Any] = {"epochs": self.epochs, "batch_size": demo.sft_batch, "lr": demo.sft_lr, "seed": seed}
        trainer = SFTTrainer(
            first, out, premises=shown.premises, neighbours_in_prompt=shown.neighbours, progress=False, **options
        )
        trainer.train([self.data.key], self.data, self.agent.run.data)
        return out

    def proved(self, arm: str, seed: int) -> Proved:
        """Return which of the theorems were proved, after training and searching if that was not done before."""
        kept = self.folder / f"{arm}-{seed}.json"
        if not kept.exists():
            policy = HFPolicy(self.model(arm, seed), sampling=Sampling(max_new_tokens=32, seed=seed))
            shown = ProofSources(self.agent.database).shown(ARMS[arm], self.theorems)
            prover = Prover(arm, policy, self.agent.lean, shown=shown, config=self.config)
            results = {result.theorem.full_name: result.proved for result in prover.prove_all(self.theorems)}
            kept.write_text(json.dumps(results), encoding="utf-8")
            print(f"{arm}, seed {seed}: {sum(results.values())} of {len(results)}; {prover.usage}", flush=True)
        outcomes: Proved = json.loads(kept.read_text(encoding="utf-8"))
        return outcomes


def report(outcomes: dict[str, list[Proved]]) -> None:
    """Print what each arm proved, and how that compares with plain goals."""
    names = sorted(outcomes[next(iter(outcomes))][0])
    tries = {arm: [[of_seed[name] for of_seed in seeds] for name in names] for arm, seeds in outcomes.items()}
    table = Table("prompt", "proved, by seed", "against plain goals, 95 %")
    for arm, attempts in tries.items():
        by_seed = ", ".join(str(sum(of_seed)) for of_seed in zip(*attempts, strict=True))
        table.add_row(arm, f"{by_seed} of {len(names)}", "" if arm == PLAIN else _against(attempts, tries.get(PLAIN)))
    Console(width=120).print(table)


def _against(ours: Sequence[Sequence[bool]], plain: Sequence[Sequence[bool]] | None) -> str:
    if plain is None:
        return ""
    difference = compare(ours, plain).difference
    first, second = sum(map(sum, ours)), sum(map(sum, plain))
    ratio = f"{first / second:.2f} times, " if second else ""
    return f"{ratio}{difference.value:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"


if __name__ == "__main__":
    main()
