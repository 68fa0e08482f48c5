"""GRPO on single tactics, with a reward function of one's own beside Lean's verdict.

python examples/grpo.py
"""

from __future__ import annotations

from typing import Any

import torch
from starting_point import OUTPUTS, REPOSITORY, arguments, tiny_model

from lean_agent import DynamicDatabase, GRPOTrainer, HFAgent, VerifiedTacticReward
from lean_agent.tracing import lean_project


def main() -> None:
    arguments(__doc__).parse_args()
    model = tiny_model()
    with (
        DynamicDatabase(OUTPUTS / "database.sqlite") as database,
        HFAgent(database=database, workers=1, runs_dir=OUTPUTS / "runs") as agent,
    ):
        agent.setup_local_repository(REPOSITORY)
        projects = {(repo.url, repo.commit): lean_project(repo) for repo in agent.curriculum()}
        verified = VerifiedTacticReward(agent.lean, projects)

        def reward_func(completions: list[str], **kwargs: Any) -> torch.Tensor:
            """Score by Lean's verdict, and a little for short tactics."""
            lengths = torch.tensor([float(len(tactic)) for tactic in completions])
            return verified(completions, **kwargs) - 0.001 * lengths.clamp(max=100)

        agent.trainer = GRPOTrainer(
            model,
            reward_func=reward_func,
            output_dir=OUTPUTS / "grpo",
            batch_size=32,
            max_steps=8,
            max_completion_length=32,
            lr=3e-5,
        )
        agent.train()
        print(f"The model: {agent.trainer.model_path}")


if __name__ == "__main__":
    main()
