"""Offline GRPO: attempts are made and scored once, written to a file, and learnt from without Lean.

python examples/offline_grpo.py
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from starting_point import OUTPUTS, THEOREMS, arguments, tiny_model

from lean_agent import HFPolicy, LeanInterface, OfflineGRPOConfig, OfflineGRPOTrainer, ProofRolloutGenerator, get_scorer
from lean_agent.policy.base import Sampling
from lean_agent.rollout import RolloutConfig, TheoremFiles, load_theorems


def write_scored(path: Path, model: Path) -> None:
    """Write first tactics for each theorem, with the reward of what they did, in the layout that the trainer reads."""
    tasks = TheoremFiles(OUTPUTS / "theorems").tasks(load_theorems(THEOREMS))
    policy = HFPolicy(model, sampling=Sampling(max_new_tokens=32))
    with LeanInterface(workers=1) as lean:
        generator = ProofRolloutGenerator(
            lean, policy, scorer=get_scorer("verified"), config=RolloutConfig(max_proof_steps=1)
        )
        groups = asyncio.run(generator.generate_groups(tasks, 8, seed=0))
    with path.open("w", encoding="utf-8") as file:
        for group in groups:
            scores = {t.steps[0].tactic: t.reward for t in group if t.steps and t.steps[0].tactic}
            if len(scores) > 1:
                completions = [{"text": text, "score": score} for text, score in scores.items()]
                prompt = group.trajectories[0].start[0].text
                file.write(json.dumps({"prompt": prompt, "completions": completions}, ensure_ascii=False) + "\n")


def main() -> None:
    arguments(__doc__).parse_args()
    model = tiny_model()
    scored = OUTPUTS / "scored.jsonl"
    write_scored(scored, model)
    config = OfflineGRPOConfig(
        model_path=str(model),
        dataset_path=str(scored),
        output_dir=str(OUTPUTS / "offline_grpo"),
        num_epochs=2,
        batch_size=4,
        learning_rate=1e-4,
    )
    trainer = OfflineGRPOTrainer(config)
    print(f"before: {trainer.evaluate()}")
    trainer.train()
    print(f"after: {trainer.evaluate()}")


if __name__ == "__main__":
    main()
