"""What a model is asked, and what is read from its answer."""

from __future__ import annotations

import pytest

from lean_agent.prompts import (
    MAX_GOAL_CHARS,
    PREMISES_HEADING,
    SYSTEM_INSTRUCTION,
    TACTICS_HEADING,
    completion_messages,
    main_goal,
    prompt_messages,
    shown_premises,
    tactic_from_completion,
    with_help,
    without_help,
)


def test_a_prompt_is_the_instruction_and_the_goal() -> None:
    assert prompt_messages("p : Prop\n⊢ p → p\n") == [
        {"role": "system", "content": SYSTEM_INSTRUCTION},
        {"role": "user", "content": "p : Prop\n⊢ p → p"},
    ]


def test_a_goal_that_is_too_long_keeps_its_target() -> None:
    goal = "h : " + "x" * MAX_GOAL_CHARS + "\n⊢ q"
    content = prompt_messages(goal)[1]["content"]
    assert len(content) == MAX_GOAL_CHARS
    assert content.endswith("x\n⊢ q")


def test_premises_and_tactics_stand_above_the_goal_the_best_nearest() -> None:
    goal = "h : p\n⊢ q"
    cases = "cases h with\n| inl a => ?_\n\n| inr b => ?_"
    both = with_help(goal, ["one : a", "two : b"], [cases, "simp"])
    tactics = f"{TACTICS_HEADING}\nsimp\ncases h with\n| inl a => ?_\n| inr b => ?_\n\n{goal}"
    assert both == f"{PREMISES_HEADING}\ntwo : b\none : a\n\n{tactics}"
    assert with_help(goal, tactics=["simp", cases]).startswith(f"{TACTICS_HEADING}\ncases h with\n")
    assert without_help(both) == without_help(tactics) == without_help(goal) == goal
    assert shown_premises(both) == ["one : a", "two : b"]
    assert shown_premises(tactics) == []


def test_the_main_goal_is_the_first_block() -> None:
    assert main_goal("case left\np q : Prop\n⊢ p\n\ncase right\np q : Prop\n⊢ q") == "case left\np q : Prop\n⊢ p"
    assert main_goal("⊢ True") == "⊢ True"


@pytest.mark.parametrize(
    ("text", "tactic"),
    [
        ("simp", "simp"),
        ("  simp [h]  \n\n", "simp [h]"),
        ("by simp", "simp"),
        (":= by\n  intro h\n  exact h", "intro h\nexact h"),
        ("by_cases h : p", "by_cases h : p"),
        ("by", ""),
        ("", ""),
        ("```lean4\nsimp\n```", "simp"),
        ("The goal holds by definition.\n```lean\nby\n  rfl\n```\nDone.", "rfl"),
        ("First try:\n```\nsimp\n```\nBetter:\n```lean\nomega\n```", "omega"),
        ("```lean\nconstructor", "constructor"),
        ("`simp`", "simp"),
        ("```omega```", "omega"),
        ("<think>\n\n</think>\n\nsimp", "simp"),
        ("<think>\nLet me try\n```lean\nomega\n```\n</think>\nby simp", "simp"),
        ("It is easy.\n</think>\n\nrfl", "rfl"),  # where the template has begun the thought
        (
            "induction n with\n| zero => rfl  \n| succ n ih =>\n  simp [ih]\n",
            "induction n with\n| zero => rfl\n| succ n ih =>\n  simp [ih]",
        ),
        (
            "  cases h with\n  | inl a => exact a\n  | inr b => exact b",
            "cases h with\n| inl a => exact a\n| inr b => exact b",
        ),
    ],
)
def test_a_tactic_is_read_from_an_answer(text: str, tactic: str) -> None:
    assert tactic_from_completion(text) == tactic


@pytest.mark.parametrize("tactic", ["simp", "cases h with\n| inl a => ?_\n| inr b => ?_", "calc a\n    _ = b := h"])
def test_what_is_trained_is_what_is_read_back(tactic: str) -> None:
    (message,) = completion_messages(tactic)
    assert tactic_from_completion(message["content"]) == tactic
