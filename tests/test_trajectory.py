"""What a trajectory says of itself."""

from __future__ import annotations

from lean_agent.lean.types import Goal, Verdict
from lean_agent.policy.base import Completion
from lean_agent.trajectory import ProofStep, ProofTrajectory, TrajectoryGroup

A, B = Goal("a", "p", text="⊢ p"), Goal("b", "q", text="⊢ q")


def test_an_attempt_ends_where_lean_last_agreed() -> None:
    steps = (
        ProofStep("constructor", (A,), (A, B), completion=Completion("constructor", -1.0, tokens=3), seconds=0.5),
        ProofStep("nonsense", (A, B), failure="parse", completion=Completion("nonsense", -2.0, tokens=4), seconds=0.25),
    )
    attempt = ProofTrajectory("t", "p", (A,), steps)
    assert attempt.end == (A, B)
    assert attempt.script == ("constructor",)
    assert attempt.tokens == 7 and attempt.seconds == 0.75
    assert [step.goal_delta for step in steps] == [1, 0]
    assert [step.changed for step in steps] == [True, False]
    assert not attempt.is_proved and not attempt.cheats
    assert ProofTrajectory("t", "p", (A,)).end == (A,)


def test_a_hole_and_a_refusal_by_the_judge_are_cheats() -> None:
    hole = ProofStep("sorry", (A,), failure="sorry")
    assert ProofTrajectory("t", "p", (A,), (hole,)).cheats
    closed = ProofStep("exact h", (A,), ())
    assert ProofTrajectory("t", "p", (A,), (closed,), "rejected", Verdict("axiom", "rests on lies")).cheats
    assert not ProofTrajectory("t", "p", (A,), (closed,), "rejected", Verdict("error", "does not replay")).cheats
    assert not ProofTrajectory("t", "p", (A,), (closed,), "proved").cheats


def test_a_group_speaks_of_what_is_known() -> None:
    def one(outcome: str, reward: float | None) -> ProofTrajectory:
        return ProofTrajectory("t", "p", (A,), outcome=outcome, reward=reward)  # type: ignore[arg-type]

    group = TrajectoryGroup("t", (one("proved", 1.0), one("open", 0.5), one("unknown", None)))
    assert group.rewards == [1.0, 0.5, None]
    assert group.mean_reward == 0.75
    assert group.reward_spread == 0.25  # both 0.25 from their mean
    assert group.pass_rate == 0.5
    nothing = TrajectoryGroup("t", (one("unknown", None),))
    assert nothing.mean_reward is None and nothing.pass_rate == 0.0 and nothing.reward_spread == 0.0
