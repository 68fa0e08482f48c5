"""What a policy is told to follow at a goal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from typing_extensions import override

from lean_agent.errors import LeanError, LeanTimeout
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import Consequence, Goal, GoalState, Variable
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, scheme_of, tactics_of
from lean_agent.policy.prompt_help import PromptHelp, names_of
from lean_agent.policy.retrieval.consequences import ToldConsequences
from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus
from lean_agent.prompts import HelpSettings, shown_names

LATE = Place("u", "c", "B.lean", (9, 1))
GOAL = Goal(
    "1",
    "P c",
    (Variable("h", "P a"), Variable("k", "R a b")),
    text="h : P a\nk : R a b\n⊢ P c",
    definitions=("P",),
)
FOLLOWS = (
    Consequence("k", "∃ x, S x", (), ("S",)),
    Consequence("step _ _ k h", "P b", ("A.step",), ("P",)),
    Consequence("guess h", "Q a, b", ("A.guess",), ("Q", "Short")),
)


class Telling(MockLeanServer):
    """Says of each state that the same follows; none of what is called ``late``."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.asked: list[str] = []

    @override
    async def goal_consequences_async(
        self, states: Sequence[GoalState], *, most: int = 8
    ) -> list[tuple[Consequence, ...] | LeanError]:
        self.asked += [state.text for state in states]
        return [LeanTimeout("late") if "late" in state.text else FOLLOWS[:most] for state in states]


def corpus() -> PremiseCorpus:
    def premise(name: str, code: str, line: int) -> dict[str, Any]:
        return {
            "full_name": name,
            "code": code,
            "start": [line, 1],
            "end": [line, 9],
            "kind": "theorem",
        }

    premises = [
        premise("A.step", "theorem step : R x y → P x → P y := by simp", 1),
        premise("A.guess", "theorem guess : P x → Q x := by sorry", 3),
    ]
    return PremiseCorpus(
        [{"url": "u", "commit": "c", "path": "B.lean", "imports": [], "premises": premises}], with_open=False
    )


def test_each_goal_is_asked_about_once_and_open_theorems_are_of_no_use() -> None:
    server, premises = Telling(), corpus()
    consequences = ToldConsequences(server, premises, 3)
    root, late = GoalState("p", (), (GOAL,)), GoalState("q", (), (replace(GOAL, text="late"),))
    first, without = asyncio.run(consequences.tell([(LATE, root), (LATE, late)]))
    assert first.goals[0].consequences == FOLLOWS[:2] and without == late
    (again,) = asyncio.run(consequences.tell([(LATE, root)]))
    assert again.goals[0].consequences == FOLLOWS[:2] and server.asked == [GOAL.text, "late"]
    premises.admit("A.guess", LATE)
    (admitted,) = asyncio.run(consequences.tell([(LATE, root)]))
    assert admitted.goals[0].consequences == FOLLOWS
    assert admitted == root, "what is told beside a goal makes it no other one"


def test_it_is_shown_above_the_goal_and_filled_in() -> None:
    shown = PromptHelp(HelpSettings(names=True, consequences=3), corpus())
    names = names_of(replace(GOAL, consequences=FOLLOWS))
    text = shown.goal(GOAL.text, LATE, names)
    kept = shown_names(text)
    assert kept is not None and kept.consequences == names.consequences and kept.behind == ("S", "P", "Q", "Short")
    assert tactics_of("obtain {conclusion}", text) == ["obtain ⟨x, h₁⟩ := k"]
    assert tactics_of("have {consequence}", text) == ["have h₁ := step _ _ k h", "have h₂ := guess h"]
    together = next(each for each in CLOSING_SCHEMES if each.startswith("have {consequences}; first | "))
    (closing,) = tactics_of(together, text)
    known = "first | grind [S, P, Q, Short] | (simp_all [S, P, Q, Short]; done) | grind [P, S, Q, Short]"
    assert closing == f"have h₁ := step _ _ k h; have h₂ := guess h; {known}"
    assert tactics_of(together, shown.goal(GOAL.text, LATE, names_of(GOAL))) == []
    assert scheme_of(closing, GOAL.text, CLOSING_SCHEMES) == together, "whatever follows now"
    assert scheme_of("have h₂ := guess h", GOAL.text, CLOSING_SCHEMES) == "have {consequence}"
