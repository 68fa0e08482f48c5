"""verifiers loads the taskset by its name, and scores answers with its own machinery."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

NAME = "lean-proofs"
FOLDER = Path(__file__).resolve().parents[2] / "examples" / "verifiers"
THEOREMS = [
    {"name": "swap", "statement": "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"},
    {"name": "wrong", "statement": "theorem wrong (n : Nat) : n = n + 1"},
]

pytestmark = [pytest.mark.verifiers, pytest.mark.lean]


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    import verifiers.v1 as vf

    sys.path.append(str(FOLDER))
    path: Path = tmp_path_factory.mktemp("theorems") / "theorems.jsonl"
    path.write_text("\n".join(map(json.dumps, THEOREMS)), encoding="utf-8")
    config = vf.taskset_config_type(NAME)(id=NAME, theorems=path)
    return list(vf.load_taskset(config))


def scored(task: Any, answer: str) -> dict[str, float]:
    import verifiers.v1 as vf
    from verifiers.v1.graph import MessageNode

    trace = vf.Trace(
        task=vf.TraceTask(type=type(task).__name__, data=task.data),
        agent=vf.AgentInfo(config=vf.AgentConfig()),
        nodes=[
            MessageNode(message=vf.UserMessage(content=task.data.prompt)),
            MessageNode(message=vf.AssistantMessage(content=answer), parent=0, sampled=True),
        ],
    )
    asyncio.run(task.score(trace))
    return {name: reward.score for name, reward in trace.rewards.items()}


def test_tasks_show_goals(tasks: list[Any]) -> None:
    assert [task.data.name for task in tasks] == ["swap", "wrong"]
    assert tasks[0].data.prompt == "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    assert "Lean 4" in tasks[0].data.system_prompt


@pytest.mark.parametrize(
    ("number", "answer", "reward"),
    [
        (0, "```lean\nexact ⟨h.2, h.1⟩\n```", 1.0),
        (0, "constructor\nexact h.2\nexact h.1", 1.0),
        (0, "sorry", 0.0),
        (0, "exact h", 0.0),
        (1, "native_decide", 0.0),
        (1, "", 0.0),
    ],
)
def test_the_reward_is_the_judge_s(tasks: list[Any], number: int, answer: str, reward: float) -> None:
    assert scored(tasks[number], answer) == {"proved": reward}
