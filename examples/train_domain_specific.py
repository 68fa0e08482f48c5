"""Training for one branch of mathematics: proofs of logic pay more than others.

python examples/train_domain_specific.py
"""

from __future__ import annotations

from starting_point import OUTPUTS, THEOREMS, arguments, tiny_model

from lean_agent import LeanGRPOConfig, LeanGRPOTrainer, LeanInterface


def main() -> None:
    arguments(__doc__).parse_args()
    config = LeanGRPOConfig(
        base_model=str(tiny_model()),
        output_dir=OUTPUTS / "train_domain_specific",
        reward_type="composite",
        reward_weights={"logic": 0.7, "verified": 0.3},
        theorems_per_step=8,
        max_proof_steps=6,
        max_tactic_tokens=32,
        learning_rate=1e-4,
        max_steps=4,
    )
    with LeanInterface(workers=1) as lean:
        trainer = LeanGRPOTrainer(config, lean)
        trainer.setup()
        trainer.train(THEOREMS)
        for group in trainer.evaluate(THEOREMS, attempts=1):
            (attempt,) = group
            if attempt.outcome == "unknown":  # Lean could not say
                continue
            reward, details = trainer.scorer.score(attempt)
            print(f"{group.theorem:16} {attempt.outcome:8} reward {reward:5.2f}, logic {details['logic']:5.2f}")


if __name__ == "__main__":
    main()
