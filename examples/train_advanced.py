"""The whole pipeline from a YAML file: an algorithm as published, a LoRA adapter, measured before and after.

python examples/train_advanced.py
"""

from __future__ import annotations

from starting_point import HERE, OUTPUTS, THEOREMS, arguments, tiny_model

from lean_agent import LeanGRPOConfig, LeanGRPOPipeline

CONFIGS = HERE.parent / "configs"


def main() -> None:
    arguments(__doc__).parse_args()
    config = LeanGRPOConfig.load(
        CONFIGS / "tiny_cpu.yaml",
        base_model=str(tiny_model()),
        output_dir=OUTPUTS / "train_advanced",
        algorithm="dapo",
        algorithm_preset="published",
        algorithm_config={"dynamic_sampling": 1},
        lora_rank=8,
        learning_rate=1e-3,
        max_steps=4,
    )
    result = LeanGRPOPipeline(config, workers=1).run(THEOREMS, attempts=4)
    print(f"Pass rate: {result.before:.1%} before, {result.after:.1%} after")
    print(f"Proved: {', '.join(result.proved_after)}")
    print(f"The adapter: {result.model_path}")


if __name__ == "__main__":
    main()
