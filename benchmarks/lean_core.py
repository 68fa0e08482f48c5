"""What practice on one half of lean-core is worth on the other: the mixture before and after it, without a model.

    python benchmarks/lean_core.py --output FOLDER                  # 192 theorems practised, all 500 of the test half
    python benchmarks/lean_core.py --output FOLDER --theorems 100   # of these, evenly spread
    python benchmarks/lean_core.py --output FOLDER --arms "closing tactics" "mixture after practice"
    python benchmarks/lean_core.py --output FOLDER --model PATH     # beside a checkpoint, which practice does not train

The halves share no folder of modules. Lean judges every proof in a file that imports what the theorem's own module
imports. Interrupted, it goes on where it was when it is called again with the same settings. Prints the table and the
marks; report.html in the folder has the rest.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from marks import Mark, show
from neighbours import copy_database

from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.practising import PractisingAgent
from lean_agent.agent.run_folder import RunFolder
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.database.library import read_library
from lean_agent.evaluation.benchmarks import Request, load_benchmark
from lean_agent.improvement import ImproveConfig
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.base import Policy
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import ScriptedProver
from lean_agent.tracing.project.sources import find_repositories

CLOSERS, BEFORE, AFTER = "closing tactics", "mixture", "mixture after practice"
ARMS = (CLOSERS, BEFORE, AFTER)
DATABASE = "database.sqlite"
PROVED, BEYOND = 130, 40
"""Marks: theorems of the 500 within 128 calls, and of those that no single tactic closes."""


def agent_of(options: argparse.Namespace, lean: LeanPool, database: DynamicDatabase, folder: Path) -> PractisingAgent:
    """Return an agent with or without a model that has all of repos/ traced."""
    agent: PractisingAgent
    if options.model:
        agent = HFAgent(model=options.model, lean=lean, database=database, run=RunFolder(folder))
    else:
        agent = ScriptedAgent(lean=lean, database=database, run=RunFolder(folder))
    for path in find_repositories(None):
        agent.setup_local_repository(path)
    return agent


def main() -> None:
    """Practise, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="a folder for what is traced, found and proved")
    parser.add_argument("--theorems", type=int, default=0, help="of the 500 in the test half, evenly spread; 0: all")
    parser.add_argument("--practised", type=int, default=192, help="of the training half, evenly spread")
    parser.add_argument("--rounds", type=int, default=1, help="of practice")
    parser.add_argument("--lean-calls", type=int, default=128, help="budget for each theorem")
    parser.add_argument("--practice-calls", type=int, default=32, help="the same in practice")
    parser.add_argument("--model", default="", help="a checkpoint")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=ARMS, help="by default all of them")
    parser.add_argument("--workers", type=int, default=2, help="Lean processes")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    with LeanPool(workers=options.workers) as lean, DynamicDatabase(options.output / DATABASE) as plain:
        agent = agent_of(options, lean, plain, options.output)
        if plain.library() is None:
            plain.store_library(lean.version, read_library(lean))  # premises
        core = load_benchmark("lean-core", Request(lean, plain))
        practised = copy_database(options.output / DATABASE, options.output / "practice" / DATABASE)
        with DynamicDatabase(practised) as database:
            learner = agent_of(options, lean, database, practised.parent)
            practice = ImproveConfig(theorems=options.practised, policy="mixture", strategies=(), temperatures=(1.0,))
            learner.improve(
                rounds=options.rounds,
                practice=core.choose(options.practised, "train").theorems,
                held_out=core.choose(None, "test").theorems,
                config=replace(practice, search=searching(options.practice_calls)),
            )
            test = core.choose(options.theorems or None, "test")
            config = searching(options.lean_calls)
            own: Policy | None = agent.prover().policy if options.model else None
            provers = [
                ScriptedProver(lean, tactics=CLOSING_TACTICS, name=CLOSERS, config=config),
                agent.mixed_prover("mixture", test.theorems, own, name=BEFORE, config=config),
                learner.mixed_prover("mixture", test.theorems, own, name=AFTER, config=config),
            ]
            report = agent.evaluate(
                test,
                provers=[prover for prover in provers if prover.name in options.arms],
                budget=config.budget,
                baseline=options.arms[0],
                title=f"lean-core: {len(test.theorems)} theorems of the test half",
            )
    if not options.theorems and options.lean_calls == 128 and {CLOSERS, AFTER} <= set(options.arms):
        proved = {attempt.key for attempt in report.of(AFTER) if attempt.proved}
        show(
            Mark("theorems of the test half", len(proved), PROVED, "of 500", "at least"),
            Mark("of these, beyond a single tactic", len(proved & report.hard), BEYOND, "of 500", "at least"),
        )


def searching(calls: int) -> SearchConfig:
    """Return how to search where Lean calls alone are limited."""
    return SearchConfig(budget=SearchBudget(expansions=calls, lean_calls=calls, seconds=6000.0))


if __name__ == "__main__":
    main()
