"""Strings in, a tensor out, a list for trl; refusals in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from lean_agent.errors import TrainingError
from lean_agent.rewards import RewardAdaptor


def conversation(*answers: str) -> list[list[dict[str, str]]]:
    return [[{"role": "assistant", "content": answer}] for answer in answers]


def test_a_reward_function_sees_tactics_and_columns() -> None:
    seen: dict[str, Any] = {}

    def reward_func(completions: list[str], **kwargs: Any) -> torch.Tensor:
        seen.update(kwargs, completions=completions)
        return torch.tensor([float(len(tactic)) for tactic in completions])

    rewards = RewardAdaptor(reward_func)(
        completions=conversation("simp", "```lean\nby\n  rfl\n```"),
        completion_ids=[[1], [2]],
        prompts=["a", "b"],
        problem=["⊢ p", "⊢ q"],
    )
    assert rewards == [4.0, 3.0]
    answers = seen.pop("answers")
    assert [(answer.text, answer.tokens, answer.finished) for answer in answers] == [
        ("simp", 1, True),
        ("```lean\nby\n  rfl\n```", 1, True),
    ]
    assert seen == {"completions": ["simp", "rfl"], "prompts": ["a", "b"], "problem": ["⊢ p", "⊢ q"]}


def test_plain_text_completions_work_as_well() -> None:
    adaptor = RewardAdaptor(lambda completions, **_: torch.tensor([1.0 if c == "simp" else 0.0 for c in completions]))
    assert adaptor(completions=["simp", "rfl"]) == [1.0, 0.0]


def test_a_completion_that_was_cut_off_holds_no_tactic() -> None:
    seen: list[str] = []

    def reward_func(completions: list[str], **_: Any) -> torch.Tensor:
        seen.extend(completions)
        return torch.zeros(len(completions))

    adaptor = RewardAdaptor(reward_func, end_ids={0, 9})
    adaptor(completions=conversation("simp", "simp", "rfl", ""), completion_ids=[[5, 9], [5, 6], [7, 0], []])
    assert seen == ["simp", "", "rfl", ""]


def test_nan_is_none() -> None:
    adaptor = RewardAdaptor(lambda completions, **_: torch.tensor([0.0, float("nan")]))
    assert adaptor(completions=["a", "b"]) == [0.0, None]


@pytest.mark.parametrize(
    "result",
    [
        [0.5, None],
        (0.5, None),
        np.array([0.5, None]),
        [torch.tensor(0.5), None],
        [np.float32(0.5), None],
        torch.tensor([0.5, float("nan")]),
    ],
)
def test_a_list_or_an_array_is_taken_too(result: Any) -> None:
    assert RewardAdaptor(lambda completions, **_: result)(completions=["a", "b"]) == [0.5, None]


def test_whole_numbers_and_truth_values_are_numbers() -> None:
    assert RewardAdaptor(lambda completions, **_: [1, True])(completions=["a", "b"]) == [1.0, 1.0]
    assert RewardAdaptor(lambda completions, **_: np.array([1, 0]))(completions=["a", "b"]) == [1.0, 0.0]


def test_the_metrics_bear_the_name_of_the_function() -> None:
    def length(completions: list[str], **_: Any) -> torch.Tensor:
        return torch.zeros(len(completions))

    assert RewardAdaptor(length).__name__ == "length"


@pytest.mark.parametrize(
    ("result", "complaint"),
    [
        ([1.0], r"shape \(1,\) for 2"),
        ([1.0, float("nan")], "NaN in a list; return None"),
        (np.array([1.0, float("nan")]), "NaN in a ndarray; return None"),
        (np.array([[1.0, 2.0]]), r"shape \(1, 2\) for 2"),
        ([1.0, float("inf")], "infinite"),
        (["good", "bad"], "what are no numbers"),
        ([1.0, [2.0]], "what are no numbers"),
        ({"a": 1.0}, "returned a dict"),
        (None, "returned a NoneType"),
        (torch.tensor([1.0]), r"shape \(1,\) for 2"),
        (torch.tensor([[1.0], [2.0]]), r"shape \(2, 1\) for 2"),
        (torch.tensor(1.0), r"shape \(\) for 2"),
        (torch.tensor([1.0, float("inf")]), "infinite"),
    ],
)
def test_a_result_that_is_none_is_refused(result: object, complaint: str) -> None:
    def broken(completions: list[str], **_: Any) -> Any:
        return result

    with pytest.raises(TrainingError, match=f"broken .*{complaint}"):
        RewardAdaptor(broken)(completions=["a", "b"])


def test_batches_that_cannot_be_scored_end_the_training() -> None:
    nan = float("nan")
    batches = iter([[nan, nan], [nan, 1.0], [nan, nan], [nan, nan]])
    adaptor = RewardAdaptor(lambda completions, **_: torch.tensor(next(batches)), give_up_after=2)
    assert adaptor(completions=["a", "b"]) == [None, None]
    assert adaptor(completions=["a", "b"]) == [None, 1.0]  # a score begins the count anew
    assert adaptor(completions=["a", "b"]) == [None, None]
    with pytest.raises(TrainingError, match="last 2 batches"):
        adaptor(completions=["a", "b"])
