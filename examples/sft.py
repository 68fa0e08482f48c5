"""Supervised training on the traced proofs of a repository, then a search with what was learnt.

python examples/sft.py
"""

from __future__ import annotations

from starting_point import OUTPUTS, REPOSITORY, arguments, tiny_model

from lean_agent import DynamicDatabase, HFAgent, SearchBudget, SearchConfig, SFTTrainer


def main() -> None:
    arguments(__doc__).parse_args()
    trainer = SFTTrainer(tiny_model(), OUTPUTS / "sft", epochs_per_repo=1, batch_size=16, lr=3e-4)
    with (
        DynamicDatabase(OUTPUTS / "database.sqlite") as database,
        HFAgent(trainer=trainer, database=database, workers=1, runs_dir=OUTPUTS / "runs") as agent,
    ):
        agent.setup_local_repository(REPOSITORY)
        agent.train()
        agent.prove(theorems=agent.open_theorems()[:4], config=SearchConfig(budget=SearchBudget(8, 64, 10.0)))


if __name__ == "__main__":
    main()
