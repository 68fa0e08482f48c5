"""Attempts on the mock server: rounds, batches, outcomes. tests/rollout/test_on_lean.py does it on real Lean."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.errors import (
    ConfigError,
    LeanProcessDied,
    LeanRequestError,
    LeanStartupError,
    PolicyError,
    TacticFailure,
)
from lean_agent.lean.interface import MockLeanInterface, goal_text
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite, Verdict
from lean_agent.policy.base import Completion
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.rewards import get_scorer
from lean_agent.rollout import BatchRolloutManager, ProofRolloutGenerator, ProofTask, RolloutConfig
from lean_agent.trajectory import TrajectoryGroup

PROJECT = LeanProject(Path("project"), Path("build"))
AND = "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"
LEFT, RIGHT = AND.replace("p ∧ q", "p"), AND.replace("p ∧ q", "q")
EASY = "p : Prop\nh : p\n⊢ p"


class Server(MockLeanInterface):
    """Counts the batches that it is asked for."""

    def __init__(self) -> None:
        super().__init__(
            {"and": AND, "easy": EASY, "dead": "⊢ dead", "late": "⊢ late"},
            table={
                (AND, "constructor"): [LEFT, RIGHT],
                (LEFT, "exact hp"): [],
                (RIGHT, "exact hq"): [],
                (EASY, "exact h"): [],
                ("⊢ dead", "die"): LeanProcessDied("died twice"),
                ("⊢ late", "finish"): [],
            },
        )
        self.batches: list[list[str]] = []
        self.judged: list[str] = []

    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        self.batches.append([tactic for _, tactic in pairs])
        return await super().goal_tactics_async(pairs, timeout_s=timeout_s)

    async def verify_async(self, site: TheoremSite, proof: str, **options: object) -> Verdict:
        self.judged.append(proof)
        if site.full_name == "late":
            return Verdict("timeout", "too slow")
        return self.verify(site, proof)


def task(name: str) -> ProofTask:
    return ProofTask(name, TheoremSite(PROJECT, "A.lean", name))


def roll(
    server: Server, policy: MockInferenceClient, *names: str, attempts: int = 1, **options: int
) -> list[TrajectoryGroup]:
    generator = ProofRolloutGenerator(server, policy, scorer=get_scorer("verified"), config=RolloutConfig(**options))
    return asyncio.run(generator.generate_groups([task(name) for name in names], attempts, seed=0))


GOOD = {AND: ["constructor"], LEFT: ["exact hp"], RIGHT: ["exact hq"], EASY: ["exact h"]}


def test_attempts_advance_together_and_share_what_is_the_same() -> None:
    server, policy = Server(), MockInferenceClient(GOOD, default=["nonsense"])
    both, easy = roll(server, policy, "and", "easy", attempts=3)
    assert [t.script for t in both] == [("constructor", "exact hp", "exact hq")] * 3
    assert [t.script for t in easy] == [("exact h",)] * 3
    assert all(t.is_proved and t.reward == 1.0 for t in (*both, *easy))
    # a call of the policy and a batch for Lean in each round; six attempts, but each tactic runs once on a state
    assert policy.calls == [((AND, EASY), 3), ((LEFT,), 3), ((RIGHT,), 3)]
    assert server.batches == [["constructor", "exact h"], ["exact hp"], ["exact hq"]]
    assert server.judged == ["by\n  constructor\n  exact hp\n  exact hq", "by\n  exact h"]
    assert server.live_states == 0
    first = both.trajectories[0].steps[0]
    assert first.completion is not None and first.completion.text == "constructor"
    assert [g.text for g in first.before] == [AND] and first.after is not None and len(first.after) == 2


def test_a_proof_that_was_judged_keeps_its_verdict() -> None:
    server, policy = Server(), MockInferenceClient({**GOOD, "⊢ late": ["finish"]})
    generator = ProofRolloutGenerator(server, policy)
    for _ in range(3):
        easy, late = asyncio.run(generator.generate_groups([task("easy"), task("late")], 2))
        assert [t.outcome for t in (*easy, *late)] == ["proved", "proved", "unknown", "unknown"]
    # a judge who ran out of time is asked again
    assert server.judged == ["by\n  exact h", "by\n  finish", "by\n  finish", "by\n  finish"]
    # two states, one tactic each, three times over
    assert generator.times.lean_calls == 6


def test_a_proof_stands_to_the_right_of_its_theorem() -> None:
    server = Server()
    generator = ProofRolloutGenerator(server, MockInferenceClient(GOOD))
    (easy,) = asyncio.run(generator.generate_groups([replace(task("easy"), column=4)], 1))
    assert [t.outcome for t in easy] == ["proved"]
    assert server.judged == ["by\n      exact h"]


def test_an_attempt_ends_with_its_failures_or_its_steps() -> None:
    policy = MockInferenceClient({**GOOD, LEFT: ["nonsense"]})
    ((attempt,),) = roll(Server(), policy, "and")
    assert [step.failure for step in attempt.steps] == [None, "parse"]
    assert attempt.outcome == "open" and attempt.reward == 0.0  # changed, and nothing closed
    ((attempt,),) = roll(Server(), policy, "and", max_failures=3)
    assert [step.tactic for step in attempt.steps] == ["constructor", "nonsense", "nonsense", "nonsense"]
    ((attempt,),) = roll(Server(), policy, "and", max_failures=9, max_proof_steps=3)
    assert len(attempt.steps) == 3
    server = Server()
    ((attempt,),) = roll(server, MockInferenceClient(GOOD), "and", max_proof_steps=2)
    assert attempt.script == ("constructor", "exact hp") and not attempt.is_proved
    assert server.live_states == 0 and server.judged == []


def test_holes_and_answers_without_a_tactic() -> None:
    ((attempt,),) = roll(Server(), MockInferenceClient(default=["sorry"]), "and")
    assert attempt.cheats and attempt.reward == -1.0
    server = Server()
    ((attempt,),) = roll(server, MockInferenceClient(default=["```lean\n```"]), "and")
    assert attempt.steps[0].failure == "parse" and attempt.reward == -0.2
    assert server.batches == [[]]


class Cut(MockInferenceClient):
    def complete(self, goals: Sequence[str], k: int, *, seed: int | None = None) -> list[list[Completion]]:
        return [[Completion("exact h", -1.0, 9, finished=False)] * k for _ in goals]


def test_an_answer_that_was_cut_off_is_no_tactic() -> None:
    ((attempt,),) = roll(Server(), Cut(), "easy")
    assert attempt.steps[0].tactic == "" and not attempt.is_proved
    assert attempt.steps[0].completion is not None and attempt.steps[0].completion.tokens == 9


def test_what_is_not_known_is_no_failure() -> None:
    policy = MockInferenceClient({"⊢ dead": ["die"], "⊢ late": ["finish"]})
    dead, late, missing = roll(Server(), policy, "dead", "late", "missing", attempts=2)
    for group in (dead, late, missing):
        assert [t.outcome for t in group] == ["unknown"] * 2
        assert group.rewards == [None, None]


class Down(Server):
    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        raise LeanStartupError("Lean did not come up")


def test_lean_that_is_down_gives_no_rewards() -> None:
    (group,) = roll(Down(), MockInferenceClient(GOOD), "and", attempts=2)
    assert group.rewards == [None, None]


def test_batches_in_flight_change_nothing() -> None:
    wild = {AND: ["constructor", "nonsense", "sorry"], LEFT: ["exact hp", "nonsense"], RIGHT: ["exact hq"]}
    names = ["and", "easy", "and", "missing", "and"]

    def outcomes(size: int, flying: int) -> list[list[tuple[str, ...]]]:
        generator = ProofRolloutGenerator(Server(), MockInferenceClient(wild), scorer=get_scorer("shaped"))
        manager = BatchRolloutManager(generator, theorems_per_batch=size, batches_in_flight=flying)
        groups = asyncio.run(manager.generate([task(name) for name in names], 4, seed=5))
        assert [group.theorem for group in groups] == names
        return [[t.script for t in group] for group in groups]

    assert outcomes(2, 1) == outcomes(2, 3)


class Broken(MockInferenceClient):
    def complete(self, goals: Sequence[str], k: int, *, seed: int | None = None) -> list[list[Completion]]:
        raise PolicyError("the endpoint is gone")


def test_a_policy_that_fails_is_told_as_it_is() -> None:
    server = Server()
    manager = BatchRolloutManager(ProofRolloutGenerator(server, Broken()), theorems_per_batch=1)
    with pytest.raises(PolicyError, match="is gone"):
        asyncio.run(manager.generate([task("and"), task("easy")], 2))
    assert server.live_states == 0


def test_one_attempt() -> None:
    generator = ProofRolloutGenerator(Server(), MockInferenceClient(GOOD))
    attempt = asyncio.run(generator.generate_rollout(task("and")))
    assert attempt.is_proved and attempt.reward is None
    assert generator.times.lean_s > 0 and generator.times.policy_s > 0


@pytest.mark.parametrize("options", [{"max_proof_steps": 0}, {"max_failures": 0}, {"tactic_timeout_s": 0}])
def test_settings_that_cannot_work_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        RolloutConfig(**options)


def test_the_mock_interface_reads_statements_and_executes_tactics(tmp_path: Path) -> None:
    assert goal_text(" (p q : Prop) {h : p ∧ (q)} : q ∧ p ") == "p q : Prop\nh : p ∧ (q)\n⊢ q ∧ p"
    (tmp_path / "A.lean").write_text("theorem a (p : Prop) (h : p) : p := by\n  sorry\n", encoding="utf-8")
    lean = MockLeanInterface()
    site = TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "A.lean", "a")
    state = lean.goal_start(site)
    assert state.text == "p : Prop\nh : p\n⊢ p"
    result = asyncio.run(lean.execute_tactic(state, "exact h"))
    assert isinstance(result, GoalState) and result.is_solved
    assert not isinstance(asyncio.run(lean.execute_tactic(state, "nonsense")), GoalState)
    assert lean.verify(site, "by\n  exact h").accepted


@pytest.mark.parametrize(
    ("statement", "understood"),
    [
        ("theorem Nat.a.b' (p : Prop) (h : p) : p", True),
        ("theorem b' (p : Prop) (h : p) : p", True),
        ("theorem a.b'.{u, v} (p : Prop) (h : p) : p", True),
        ("theorem b' (p : Prop) (h : p) (all : ∀ n, p) : p", False),
        ("theorem b (p : Prop) (h : p) : p", None),
        ("theorem b'' (p : Prop) (h : p) : p", None),
    ],
)
def test_the_mock_interface_finds_dotted_names_and_says_what_it_does_not_understand(
    statement: str, understood: bool | None, tmp_path: Path
) -> None:
    (tmp_path / "A.lean").write_text(f"namespace N\n{statement} := by\n  sorry\n", encoding="utf-8")
    lean = MockLeanInterface()
    site = TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "A.lean", "Nat.a.b'")
    if understood is None:
        with pytest.raises(LeanRequestError, match="There is no theorem"):
            lean.goal_start(site)
    else:
        state = lean.goal_start(site)
        assert state.text.startswith("p : Prop\nh : p\n") and state.goals[0].target == "p"
        assert isinstance(lean.goal_tactics([(state, "exact all")])[0], TacticFailure)  # whatever it says
    assert lean.not_understood == (set() if understood else {"Nat.a.b'"})
