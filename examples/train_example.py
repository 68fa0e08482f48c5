"""Train on whole proof attempts, with any of the algorithms.

python examples/train_example.py --algorithm grpo
"""

from __future__ import annotations

from starting_point import OUTPUTS, THEOREMS, arguments, tiny_model

from lean_agent import LeanGRPOConfig, LeanGRPOTrainer, LeanInterface
from lean_agent.algorithms import ALGORITHMS


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--algorithm", "-a", default="grpo", choices=sorted(ALGORITHMS))
    parser.add_argument("--steps", type=int, default=6)
    chosen = parser.parse_args()

    config = LeanGRPOConfig(
        base_model=str(tiny_model()),
        output_dir=OUTPUTS / f"train_example-{chosen.algorithm}",
        algorithm=chosen.algorithm,
        reward_type="shaped",
        num_generations=8,
        theorems_per_step=8,
        max_proof_steps=6,
        max_tactic_tokens=32,
        learning_rate=1e-4,
        max_steps=chosen.steps,
    )
    with LeanInterface(workers=1) as lean:
        trainer = LeanGRPOTrainer(config, lean)
        trainer.setup()
        trainer.train(THEOREMS)
        groups = trainer.evaluate(THEOREMS, attempts=8)
    for group in groups:
        proof = next((attempt.script for attempt in group if attempt.is_proved), None)
        print(f"{group.theorem:16} {group.pass_rate:4.0%}  {'; '.join(proof) if proof else ''}")
    print(f"The model: {trainer.model_path}")


if __name__ == "__main__":
    main()
