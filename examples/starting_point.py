"""What the examples start from: a model of two million parameters that has read the proofs of one small repository.

It is made once, in outputs/examples/, in about a minute on a CPU: nothing is downloaded.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # Lean's processes and torch share the cores

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent / "repos" / "logic"
THEOREMS = HERE / "example_theorems.jsonl"
OUTPUTS = Path("outputs") / "examples"


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of an example's arguments, whose ``--help`` is the example's docstring."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)


def tiny_model() -> Path:
    """Return the folder of the model, and train it if it is not there."""
    from lean_agent import DynamicDatabase, HFAgent, SFTTrainer
    from lean_agent.policy.tiny import make_tiny_model

    untrained, trained = OUTPUTS / "untrained", OUTPUTS / "start"
    if (trained / "config.json").is_file():
        return trained
    if not (untrained / "config.json").is_file():
        lines = [line for file in REPOSITORY.rglob("*.lean") for line in file.read_text("utf-8").splitlines()]
        make_tiny_model(lines, untrained, hidden_size=192)
    with (
        DynamicDatabase(OUTPUTS / "database.sqlite") as database,
        HFAgent(database=database, workers=1, runs_dir=OUTPUTS / "runs") as agent,
    ):
        agent.setup_local_repository(REPOSITORY)
        agent.trainer = SFTTrainer(untrained, trained, epochs_per_repo=3, batch_size=16, lr=1e-3)
        agent.train()
    return trained
