"""trl's own GRPOTrainer over Lean: a model calls tools, several times in an attempt; its reward is the judge's verdict.

The model is tiny and made here. It is shown by examples how tools are called, with good and bad tactics alike; which of
them prove something is left to the rewards.

python examples/trl_environment.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starting_point import OUTPUTS, THEOREMS, arguments

from lean_agent import LeanPool
from lean_agent.environments import ProofEnvironment
from lean_agent.environments.trl import ProofTools, proof_tools, tool_rows
from lean_agent.rollout import Theorem, load_theorems

TOOLS = ("run_tactic", "search_library", "submit", "undo")
CALLS = (("run_tactic", {"tactic": "simp_all"}), ("run_tactic", {"tactic": "rfl"}), ("submit", {"proof": "by sorry"}))
STEPS = 8


def conversations(lean: LeanPool, theorems: list[Theorem]) -> list[dict[str, Any]]:
    """Return each theorem with each of the calls, as rows that trl's SFTTrainer reads."""
    from transformers.utils.chat_template_utils import get_json_schema

    tools = [get_json_schema(getattr(ProofTools, name)) for name in TOOLS]
    environment = ProofEnvironment(lean)
    rows = []
    for row, theorem in zip(tool_rows(theorems), theorems, strict=True):
        system, user = row["prompt"]
        asked = [system, {**user, "content": user["content"] + environment.reset(theorem)}]
        for name, values in CALLS:
            call = {"type": "function", "function": {"name": name, "arguments": json.dumps(values)}}
            answer = [{"role": "assistant", "content": "", "tool_calls": [call]}]
            rows.append({"prompt": asked, "completion": answer, "tools": json.dumps(tools)})
    environment.close()
    return rows


def main() -> None:
    arguments(__doc__).parse_args()
    import trl
    from datasets import Dataset
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    from lean_agent.policy.tiny import make_tiny_model

    of_both: dict[str, Any] = {
        "use_cpu": True, "bf16": False, "report_to": "none", "save_strategy": "no", "disable_tqdm": True,
        "gradient_checkpointing": None, "activation_checkpointing": False, "logging_steps": 1,
    }  # fmt: skip
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3_instruct_2507.jinja"
    theorems = load_theorems(THEOREMS)[:4]
    with LeanPool(workers=1) as lean:
        rows = conversations(lean, theorems)
        texts = [json.dumps(rows, ensure_ascii=False)]
        folder = make_tiny_model(
            texts, OUTPUTS / "tools", hidden_size=64, layers=2, chatml=template.read_text(encoding="utf-8")
        )
        sft = SFTConfig(
            str(OUTPUTS / "tools-sft"),
            max_steps=60,
            per_device_train_batch_size=6,
            learning_rate=3e-3,
            lr_scheduler_type="constant",
            **of_both,
        )
        first: Any = SFTTrainer(str(folder), sft, train_dataset=Dataset.from_list(rows))
        first.train()
        grpo = GRPOConfig(
            str(OUTPUTS / "tools-grpo"), max_steps=STEPS, per_device_train_batch_size=8, num_generations=4,
            learning_rate=2e-4, temperature=0.8, max_completion_length=160, max_tool_calling_iterations=2, **of_both,
        )  # fmt: skip
        trainer = GRPOTrainer(
            first.model,
            args=grpo,
            train_dataset=Dataset.from_list(tool_rows(theorems)),
            processing_class=first.processing_class,
            environment_factory=proof_tools(lean),
        )
        trainer.train()
    for entry in trainer.state.log_history:
        if "reward" in entry:
            print(f"step {entry['step']}: mean reward {entry['reward']:.2f}, calls {entry['tools/call_frequency']:.2f}")


if __name__ == "__main__":
    main()
