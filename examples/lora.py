"""GRPO on single tactics that trains a LoRA adapter; the reward is the verified one.

python examples/lora.py
"""

from __future__ import annotations

from peft import LoraConfig
from starting_point import OUTPUTS, REPOSITORY, arguments, tiny_model

from lean_agent import DynamicDatabase, GRPOTrainer, HFAgent


def main() -> None:
    arguments(__doc__).parse_args()
    lora = LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj", "k_proj", "o_proj"], lora_dropout=0.0)
    trainer = GRPOTrainer(
        tiny_model(),
        output_dir=OUTPUTS / "lora",
        batch_size=32,
        max_steps=8,
        max_completion_length=32,
        lr=3e-4,
        lora_config=lora,
    )
    with (
        DynamicDatabase(OUTPUTS / "database.sqlite") as database,
        HFAgent(trainer=trainer, database=database, workers=1, runs_dir=OUTPUTS / "runs") as agent,
    ):
        agent.setup_local_repository(REPOSITORY)
        agent.train()
    print(f"The adapter: {trainer.model_path}")


if __name__ == "__main__":
    main()
