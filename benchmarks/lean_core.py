"""How much of lean-core closing tactics prove alone, a tiny model after SFT on repos/, and one after GRPO on lean-core.

    python benchmarks/lean_core.py [--theorems 100] [--grpo-steps 60] [--seeds 1] [--output runs/lean-core]

GRPO sees the training half only; what is measured is the other half, which shares no folder of modules with it. Lean
judges every proof in a file that imports what the theorem's own module imports. Interrupted, it goes on where it was
when it is called again with the same settings. Prints the table; report.html in the folder has the rest.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_agent.agent.demo import untrained_model
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import RunFolder
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.evaluation.benchmarks import Benchmark, Request, load_benchmark
from lean_agent.files import write_atomically
from lean_agent.policy.base import Sampling
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import HFProver, ScriptedProver
from lean_agent.tracing import Repository, lean_project
from lean_agent.tracing.project.sources import find_repositories
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.sft_trainer import SFTTrainer

CLOSERS = "closers alone"
TRAINING = "random/train.json"


@dataclass(frozen=True, slots=True)
class FirstStates:
    """Training rows for GRPO: the state in which each theorem's proof has to begin."""

    theorems: Sequence[StoredTheorem]

    def export_merged_data(self, repos: Sequence[Any], path: Path) -> object:
        """Write them in the layout of LeanDojo Benchmark 4."""
        rows = []
        for theorem in self.theorems:
            hole = theorem.theorem.tactics[0]
            # GRPO asks the model for the tactic; the one that stands here is read by nobody.
            first = {"state_before": hole.state_before, "step": "skip", "position": hole.start}
            where = {"url": theorem.repository.url, "commit": theorem.repository.commit}
            rows.append(
                {**where, "file_path": theorem.file_path, "full_name": theorem.full_name, "traced_tactics": [first]}
            )
        return write_atomically(path / TRAINING, json.dumps(rows).encode())


def train(options: argparse.Namespace, agent: HFAgent, core: Benchmark) -> dict[str, Path]:
    """Train the checkpoints: after SFT on the repositories, and after GRPO on the training half from there."""
    folders = {name: options.output / "checkpoints" / name for name in ("untrained", "sft", "grpo")}
    untrained_model(agent, folders["untrained"], hidden_size=192, seed=options.seed)
    agent.trainer = SFTTrainer(
        folders["untrained"], folders["sft"], epochs_per_repo=2, batch_size=16, lr=1e-3, seed=options.seed
    )
    agent.train()
    half = core.choose(split="train").theorems
    repository: Repository = half[0].repository
    grpo = GRPOTrainer(
        folders["sft"],
        output_dir=folders["grpo"],
        max_steps=options.grpo_steps,
        batch_size=32,
        num_generations=8,
        max_completion_length=32,
        lr=3e-5,
        seed=options.seed,
    )
    grpo.set_server(agent.lean, {(repository.url, repository.commit): lean_project(repository)})
    grpo.train([repository], FirstStates(half), options.output / "data" / "lean-core")
    return folders


def main() -> None:
    """Train, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--theorems", type=int, default=100, help="of the 500 in the test half, evenly spread")
    parser.add_argument("--grpo-steps", type=int, default=60)
    parser.add_argument("--expansions", type=int, default=32)
    parser.add_argument("--lean-calls", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0, help="of the training")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--output", type=Path, default=Path("runs") / "lean-core")
    options = parser.parse_args()

    run = RunFolder(options.output)
    with (
        DynamicDatabase(run.data / "database.sqlite") as database,
        HFAgent(run=run, database=database, workers=options.workers) as agent,
    ):
        for path in find_repositories(None):
            agent.setup_local_repository(path)
        core = load_benchmark("lean-core", Request(agent.lean, database))
        models = train(options, agent, core)
        budget = SearchBudget(options.expansions, options.lean_calls, options.seconds)
        config = SearchConfig(budget=budget, tactics_per_node=16)
        sampling = Sampling(max_new_tokens=32, seed=options.seed)
        provers = [
            ScriptedProver(agent.lean, name=CLOSERS, config=config, **agent.kept(CLOSERS)),
            *(
                HFProver(models[name], agent.lean, name=title, sampling=sampling, config=config, **agent.kept(title))
                for name, title in (("sft", "after SFT"), ("grpo", "after GRPO"))
            ),
        ]
        test = core.choose(options.theorems, "test")
        agent.evaluate(
            test,
            provers=provers,
            budget=budget,
            seeds=range(options.seeds),
            baseline=CLOSERS,
            title=f"lean-core: {len(test.theorems)} theorems of the test half",
            notes=f"SFT on repos/, then {options.grpo_steps} steps of GRPO on the training half.",
        )


if __name__ == "__main__":
    main()
