"""trl's own trainer over embedded Lean: a model that has learnt by heart what to do is paid by the judge's verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lean_agent.environments.trl import ProofReward, ProofTools, proof_tools, tool_rows
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.prompts import tool_messages
from lean_agent.rollout import Theorem, TheoremFiles

HONEST = Theorem("honest", "theorem honest (p : Prop) (h : p) : p")
HOPELESS = Theorem("hopeless", "theorem hopeless (q : Prop) : q")
CALLS = {
    "p : Prop\nh : p\n⊢ p": ("run_tactic", {"tactic": "exact h"}),
    "q : Prop\n⊢ q": ("submit", {"proof": "by sorry"}),
}


def conversation(goal: str) -> list[dict[str, Any]]:
    name, arguments = CALLS[goal]
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    asked = tool_messages()
    return [
        asked[0],
        {"role": "user", "content": asked[1]["content"] + goal},
        {"role": "assistant", "content": "", "tool_calls": [call]},
    ]


@pytest.fixture
def settings(tmp_path: Path) -> Any:
    from trl.trainer.grpo_config import GRPOConfig

    renamed: Any = None  # transformers warns of the name of old, which trl still sets
    return GRPOConfig(
        output_dir=str(tmp_path / "run"),
        max_steps=1,
        per_device_train_batch_size=4,
        num_generations=2,
        max_completion_length=160,
        max_tool_calling_iterations=1,
        temperature=0.01,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=renamed,
        activation_checkpointing=False,
        disable_tqdm=True,
    )


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, teach: Callable[..., tuple[Any, Any]]) -> tuple[Any, Any]:
    """A model that calls the tools as :data:`CALLS` says."""
    import trl
    from transformers.utils.chat_template_utils import get_json_schema

    from lean_agent.policy.tiny import make_tiny_model

    template = Path(trl.__file__).parent / "chat_templates" / "qwen3_instruct_2507.jinja"
    tools = [get_json_schema(getattr(ProofTools, name)) for name in sorted(CALLED)]
    turns = [conversation(goal) for goal in CALLS]
    texts = [json.dumps([tools, turns], ensure_ascii=False)]
    folder = make_tiny_model(
        texts,
        tmp_path_factory.mktemp("model") / "tiny",
        hidden_size=64,
        layers=2,
        vocab_size=800,
        chatml=template.read_text(encoding="utf-8"),
    )
    return teach(folder, turns, tools)


# trl asks transformers for settings by names of old.
RENAMED = pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
CALLED = ("run_tactic", "undo", "search_library", "submit")


@pytest.mark.lean
@pytest.mark.slow
@RENAMED
@pytest.mark.filterwarnings("ignore:You are using 'environment_factory':UserWarning")
def test_trl_trains_with_the_tools(lean: LeanPool, taught: tuple[Any, Any], settings: Any, tmp_path: Path) -> None:
    from datasets import Dataset
    from trl.trainer.grpo_trainer import GRPOTrainer

    model, tokenizer = taught
    rows = Dataset.from_list(tool_rows([HONEST, HOPELESS]))
    environments: list[ProofTools] = []

    def factory() -> ProofTools:
        environments.append(proof_tools(lean, files=TheoremFiles(tmp_path))())
        return environments[-1]

    trainer = GRPOTrainer(
        model, args=settings, train_dataset=rows, processing_class=tokenizer, environment_factory=factory
    )
    assert sorted(tool.__name__ for tool in trainer.tools) == sorted(CALLED)
    trainer.train()
    log = next(entry for entry in trainer.state.log_history if "reward" in entry)
    assert log["tools/call_frequency"] == 1.0, "each attempt has called its tool"
    assert log["rewards/ProofTools/mean"] == 0.5, "exact h: 1, sorry: 0, two attempts at each"
    kinds = sorted(str(e._environment.verdict and e._environment.verdict.kind) for e in environments)
    assert kinds == ["accepted", "accepted", "sorry", "sorry"]


@pytest.mark.lean
@pytest.mark.slow
@RENAMED
def test_trl_trains_on_whole_proofs(lean: LeanPool, taught: tuple[Any, Any], settings: Any, tmp_path: Path) -> None:
    from datasets import Dataset
    from trl.trainer.grpo_trainer import GRPOTrainer

    model, tokenizer = taught
    reward = ProofReward(lean, files=TheoremFiles(tmp_path))
    rows = reward.rows([HONEST, HOPELESS])
    assert [row["prompt"][-1]["content"] for row in rows] == list(CALLS)
    columns = {name: [row[name] for row in rows] for name in ("name", "statement", "context", "imports")}
    fenced = [{"role": "assistant", "content": "```lean4\nby\n  exact h\n```"}]
    assert reward([fenced, "sorry"], **columns, trainer_state=None) == [1.0, 0.0]
    assert reward(["exact h.elim", ""], **columns) == [0.0, 0.0]
    trainer = GRPOTrainer(
        model, reward, args=settings, train_dataset=Dataset.from_list(rows), processing_class=tokenizer
    )
    trainer.train()
    log = next(entry for entry in trainer.state.log_history if "reward" in entry)
    assert log["rewards/proof_reward/mean"] == 0.0, "a call of a tool is no proof"


def test_a_theorem_that_cannot_be_stated_has_no_reward(tmp_path: Path) -> None:
    tools = proof_tools(MockLeanServer({"honest": "p → p"}), files=TheoremFiles(tmp_path))()
    assert "cannot be stated" in tools.reset(statement="theorem unknown : p")
    assert tools.get_reward() is None
    assert tools.reset(**tool_rows([HONEST])[0]).endswith("⊢ p → p")
    assert tools.get_reward() == 0.0
