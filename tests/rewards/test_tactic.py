"""The verified reward: what counts as which level, one run of Lean for each distinct pair, nothing kept for ever."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from lean_agent.errors import ConfigError, LeanError, LeanProcessDied, LeanStartupError, TacticFailure
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import Goal, GoalState, LeanProject, Origin, TheoremSite
from lean_agent.rewards import RewardAdaptor, RewardLevels, VerifiedScorer, get_scorer
from lean_agent.rollout.single_tactics import KnownProofs, VerifiedTacticReward, attempt_at_main_goal

PROJECT = LeanProject(Path("project"), Path("build"))
PROJECTS = {("file:///logic", "c0ffee"): PROJECT}
AND = "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"


class CountingServer(MockLeanServer):
    """Counts what Lean is asked; fails as a whole when told to."""

    def __init__(self) -> None:
        super().__init__(
            positions={("and", 10): [AND], ("two", 20): ["p : Prop\nhp : p\n⊢ p", "q : Prop\n⊢ q"]},
            table={
                (AND, "exact ⟨hp, hq⟩"): [],
                (AND, "skip"): [AND],
                (AND, "dead"): LeanProcessDied("the process died twice"),
                (AND, "slow"): TacticFailure("slow", "timeout", "deterministic timeout"),
            },
        )
        self.started: list[Origin] = []
        self.ran: list[str] = []
        self.calls: list[str] = []
        self.down = False

    def goal_starts(self, origins: Sequence[Origin], *, timeout_s: float | None = None) -> list[GoalState | LeanError]:
        self.started += origins
        self.calls.append("goal_starts")
        if self.down:
            raise LeanStartupError("Lean did not come up")
        return super().goal_starts(origins)

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        self.ran += [tactic for _, tactic in pairs]
        self.calls.append("goal_tactics")
        if self.down:
            raise LeanStartupError("Lean did not come up")
        return super().goal_tactics(pairs)


def score(reward: VerifiedTacticReward, tactics: list[str], *, name: str = "and", position: int = 10) -> list[float]:
    n = len(tactics)
    result = reward(
        tactics,
        url=["file:///logic"] * n,
        commit=["c0ffee"] * n,
        file_path=["Logic.lean"] * n,
        full_name=[name] * n,
        position=[position] * n,
        problem=["not looked at"] * n,
    )
    assert result.shape == (n,)
    values: list[float] = result.tolist()
    return values


def test_every_level() -> None:
    reward = VerifiedTacticReward(CountingServer(), PROJECTS)
    tactics = [
        "exact ⟨hp, hq⟩",
        "constructor",
        "skip",
        "exact hp",
        "nonsense here",
        "slow",
        " ",
        "sorry",
        "native_decide",
    ]
    expected = [1.0, 0.3, 0.0, -0.2, -0.2, -0.2, -0.2, -1.0, -1.0]
    assert score(reward, tactics) == pytest.approx(expected)
    # four errors: a wrong term, no tactic at all, out of time, an empty answer
    assert reward.statistics.levels == {"solved": 1, "progress": 1, "unchanged": 1, "error": 4, "forbidden": 2}
    assert reward.statistics.lean_s > 0


def test_closing_the_main_goal_solves_it_though_others_are_open() -> None:
    reward = VerifiedTacticReward(CountingServer(), PROJECTS)
    assert score(reward, ["exact hp"], name="two", position=20) == [1.0]


def test_a_tactic_that_leaves_what_the_traced_proof_goes_on_to_prove_solves_its_goal() -> None:
    theorem = ("file:///logic", "c0ffee", "Logic.lean", "and")
    left, right = AND.replace("p ∧ q", "p"), AND.replace("p ∧ q", "q")
    steps = [(theorem, 10, AND), (theorem, 20, f"case left\n{left}\n\ncase right\n{right}"), (theorem, 30, right)]
    for known, value in ((steps, 1.0), (steps[:2], 0.3), ([], 0.3)):
        reward = VerifiedTacticReward(CountingServer(), PROJECTS)
        reward.known = KnownProofs(known)
        assert score(reward, ["constructor", "skip", "exact hp"]) == pytest.approx([value, 0.0, -0.2])


def test_only_goals_further_down_the_same_proof_are_known() -> None:
    theorem, other = ("url", "commit", "A.lean", "a"), ("url", "commit", "A.lean", "b")
    known = KnownProofs([(theorem, 10, "⊢ p"), (theorem, 20, "case h\n⊢ q"), (theorem, 30, "⊢ ?m\n\n⊢ r")])

    def proves(position: int, *goals: str, of: tuple[str, str, str, str] = theorem) -> bool:
        return known.prove(of, position, [Goal("", "", text=goal) for goal in goals])

    assert proves(10, "case other\n⊢ q")
    assert not proves(20, "⊢ q"), "a tactic that leads back to its goal is on no proof"
    assert not proves(10, "⊢ p"), "nor is one that leads further back"
    assert not proves(10, "⊢ q", of=other)
    assert not proves(10, "⊢ ?m"), "what a metavariable stands for, its name does not say"
    assert not proves(10, "⊢ r"), "only the main goals of steps were worked on"
    assert not proves(10, "⊢ q", "⊢ s"), "one unknown goal is enough"


def test_what_lean_cannot_judge_is_nan_and_not_zero() -> None:
    reward = VerifiedTacticReward(CountingServer(), PROJECTS)
    dead, solved = score(reward, ["dead", "exact ⟨hp, hq⟩"])
    assert math.isnan(dead)
    assert solved == 1.0
    # No such theorem: its state cannot be restored.
    assert math.isnan(score(reward, ["rfl"], name="unknown", position=1)[0])


def test_a_server_that_is_down_leaves_everything_unscored_and_recovers() -> None:
    server = CountingServer()
    reward = VerifiedTacticReward(server, PROJECTS)
    server.down = True
    assert all(math.isnan(value) for value in score(reward, ["skip", "constructor"]))
    server.down = False
    assert score(reward, ["skip", "constructor"]) == pytest.approx([0.0, 0.3])
    assert reward.statistics.levels == {"unscorable": 2, "unchanged": 1, "progress": 1}


def test_lean_runs_each_distinct_pair_once_and_starts_each_state_once() -> None:
    server = CountingServer()
    reward = VerifiedTacticReward(server, PROJECTS)
    assert score(reward, ["skip", "constructor", "skip", "skip"]) == pytest.approx([0.0, 0.3, 0.0, 0.0])
    assert server.ran == ["skip", "constructor"]
    score(reward, ["skip"])
    assert server.started == [TheoremSite(PROJECT, "Logic.lean", "and", 10)], "the state is kept between batches"


def test_a_step_of_many_tactics_at_several_goals_is_one_batch_for_lean() -> None:
    server = CountingServer()
    reward = VerifiedTacticReward(server, PROJECTS)
    tactics = ["constructor", "skip", "exact ⟨hp, hq⟩", "exact hp", "skip", "rfl"]
    names, positions = ["and"] * 3 + ["two"] * 3, [10] * 3 + [20] * 3
    rewards = reward(
        tactics,
        url=["file:///logic"] * 6,
        commit=["c0ffee"] * 6,
        file_path=["Logic.lean"] * 6,
        full_name=names,
        position=positions,
    )
    assert rewards.tolist() == pytest.approx([0.3, 0.0, 1.0, 1.0, 0.0, -0.2])
    # A pool shares a batch out among its processes: asked one by one, all but one of them would wait.
    assert server.calls == ["goal_starts", "goal_tactics"]
    assert (len(server.started), len(server.ran)) == (2, 6)


def test_states_are_released() -> None:
    server = CountingServer()
    reward = VerifiedTacticReward(server, PROJECTS, max_states=1)
    score(reward, ["constructor", "skip"])
    assert server.live_states == 1, "results go at once, the start stays"
    score(reward, ["exact hp"], name="two", position=20)
    assert server.live_states == 1, "the older start made room"
    score(reward, ["constructor"])
    assert len(server.started) == 3, "it was started again when it was needed again"
    reward.close()
    assert server.live_states == 0


def test_the_share_of_each_level_is_logged() -> None:
    logged: dict[str, float] = {}
    reward = VerifiedTacticReward(CountingServer(), PROJECTS)
    n = 4
    reward(
        ["exact ⟨hp, hq⟩", "sorry", "constructor", "constructor"],
        url=["file:///logic"] * n,
        commit=["c0ffee"] * n,
        file_path=["Logic.lean"] * n,
        full_name=["and"] * n,
        position=[10] * n,
        log_metric=logged.__setitem__,
    )
    assert logged.pop("lean_s") > 0
    assert logged == {
        "verified/solved": 0.25,
        "verified/progress": 0.5,
        "verified/unchanged": 0.0,
        "verified/error": 0.0,
        "verified/forbidden": 0.25,
        "verified/unscorable": 0.0,
        "verified/on_known_proof": 0.0,
    }


def test_a_repository_without_a_project_is_refused_in_words() -> None:
    with pytest.raises(ConfigError, match="no project for file:///logic at commit c0ffee"):
        score(VerifiedTacticReward(CountingServer(), {}), ["skip"])


def test_levels_of_ones_own() -> None:
    levels = RewardLevels(solved=2.0, progress=1.0, unchanged=0.5, error=0.0, forbidden=-5.0)
    reward = VerifiedTacticReward(CountingServer(), PROJECTS, scorer=VerifiedScorer(levels))
    assert score(reward, ["exact ⟨hp, hq⟩", "constructor", "skip", "rfl", "sorry"]) == [2.0, 1.0, 0.5, 0.0, -5.0]


def test_length_and_form_of_an_answer_count_for_single_tactics_too() -> None:
    def scored(scorer: str) -> list[float | None]:
        reward = VerifiedTacticReward(CountingServer(), PROJECTS, scorer=get_scorer(scorer))
        texts = ["exact ⟨hp, hq⟩", "```lean\nexact ⟨hp, hq⟩\n```"]
        columns = {"url": "file:///logic", "commit": "c0ffee", "file_path": "Logic.lean", "full_name": "and"}
        return RewardAdaptor(reward)(
            completions=texts,
            completion_ids=[[1] * 8, [1] * 256],
            **{name: [value] * 2 for name, value in columns.items()},
            position=[10] * 2,
        )

    # 0.6 + 0.4 · (1 + 256 / (256 + tokens)) / 2: no tactic after the first, 8 and 256 tokens.
    assert scored("efficiency") == pytest.approx([0.6 + 0.2 * (1 + 256 / 264), 0.6 + 0.2 * 1.5])
    assert scored("format") == pytest.approx([1.0, 0.6])  # one of them is a tactic and nothing else


def test_levels_that_do_not_fall_are_refused() -> None:
    with pytest.raises(ConfigError, match="must fall"):
        RewardLevels(error=0.0)


@pytest.mark.parametrize(
    ("after", "came_of_it"),
    [
        ("BA", "A"),  # moved
        ("A", "A"),  # the other one was closed in its place
        ("B", ""),
        ("", ""),
        ("CDB", "CD"),
        ("BCD", "CD"),
        ("C", ""),  # closing it has said more of the other one
        ("CAB", "AC"),
    ],
)
def test_what_came_of_the_main_goal_is_told_from_what_stood_beside_it(after: str, came_of_it: str) -> None:
    def state(names: str) -> GoalState:
        return GoalState("True", (), tuple(Goal(id="", target=name, key=name) for name in names))

    site = TheoremSite(next(iter(PROJECTS.values())), "Logic.lean", "both")
    attempt = attempt_at_main_goal(site, "t", state("AB"), state(after))
    assert "".join(goal.key for goal in attempt.end) == came_of_it
    assert attempt.is_proved == (came_of_it == "")
