"""Rewards: by name, put together, and one of your own.

python examples/train_with_rewards.py
"""

from __future__ import annotations

from typing import Any

from starting_point import OUTPUTS, THEOREMS, arguments, tiny_model

from lean_agent import (
    BaseRewardScorer,
    LeanGRPOConfig,
    LeanGRPOTrainer,
    LeanInterface,
    ProofTrajectory,
    create_composite_scorer,
    get_scorer,
)


class NoAutomation(BaseRewardScorer):
    """Pays for proofs that do without tactics that decide everything by themselves."""

    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, dict[str, float]]:
        words = {word for tactic in trajectory.script for word in tactic.split()}
        automation = words & {"simp", "simp_all", "omega", "grind", "decide"}
        reward = self.graded(trajectory, 0.0 if automation else 1.0)
        return self.normalize_reward(reward), {"automation": float(len(automation))}


def main() -> None:
    arguments(__doc__).parse_args()
    scorers = {
        "verified": get_scorer("verified"),
        "composite": create_composite_scorer("shaped", "efficiency", weights={"shaped": 0.7, "efficiency": 0.3}),
        "no_automation": NoAutomation(),
    }
    start = str(tiny_model())
    with LeanInterface(workers=1) as lean:
        for name, scorer in scorers.items():
            config = LeanGRPOConfig(
                base_model=start,
                output_dir=OUTPUTS / f"train_with_rewards-{name}",
                theorems_per_step=8,
                max_proof_steps=6,
                max_tactic_tokens=32,
                learning_rate=1e-4,
                max_steps=2,
            )
            trainer = LeanGRPOTrainer(config, lean, scorer=scorer)
            trainer.setup()
            trainer.train(THEOREMS)
            print(f"{name}: metrics in {trainer.metrics_file}")


if __name__ == "__main__":
    main()
