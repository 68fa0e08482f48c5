"""What each scorer pays, by numbers worked by hand; and what none may ever pay, over random trajectories."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_agent import registry
from lean_agent.errors import ConfigError, TrainingError
from lean_agent.lean.types import Goal
from lean_agent.policy.base import Completion
from lean_agent.rewards import (
    BaseRewardScorer,
    EfficiencyScorer,
    NoveltyScorer,
    RewardLevels,
    VerifiedScorer,
    available_scorers,
    create_composite_scorer,
    get_scorer,
    register_scorer,
    score_group,
)
from lean_agent.rewards.base import load_scorer_state, scorer_state
from lean_agent.rewards.goals import closed_share
from lean_agent.trajectory import ProofStep, ProofTrajectory, TrajectoryGroup

from .trajectories import attempt, goal, trajectories

WEIGHTS = {"verified": 1.0, "algebra": 0.6, "efficiency": 0.4, "novelty": 0.1}
SCORERS: dict[str, Callable[[], BaseRewardScorer]] = {
    **{name: lambda name=name: get_scorer(name) for name in available_scorers()},  # type: ignore[misc]
    "composite": lambda: create_composite_scorer("verified", "algebra", "efficiency", "novelty", weights=WEIGHTS),
}

AND = goal("p ∧ q", hp="p", hq="q")
P, Q = goal("p", hp="p", hq="q"), goal("q", hp="p", hq="q")
TOLD, TOLD_TWICE = goal("p ∧ q", this="True"), goal("p ∧ q", this="True", that="True")


@pytest.mark.parametrize("name", SCORERS)
@settings(max_examples=40)  # of each scorer
@given(data=st.data())
def test_an_unproved_theorem_never_pays_more_than_a_proved_one(name: str, data: st.DataObject) -> None:
    scorer = SCORERS[name]()
    # As trainers call it: on whole attempts with their group's rate, on tactics with neither.
    rate = data.draw(
        st.fixed_dictionaries({"pass_rate": st.none() | st.floats(0, 1)}) | st.just({"single_tactic": True})
    )
    # Novelty counts what it has seen: a proof that was found often is still worth more than any failure.
    proved = [scorer.score(data.draw(trajectories("proved")), **rate)[0] for _ in range(2)]
    unproved = [scorer.score(data.draw(trajectories(outcome)), **rate)[0] for outcome in ("open", "rejected")]
    assert max(unproved) < min(proved)
    assert all(-1 <= reward <= 1 for reward in (*proved, *unproved))


@pytest.mark.parametrize("name", SCORERS)
@settings(max_examples=40)  # of each scorer
@given(trajectory=trajectories("open") | trajectories("rejected"))
def test_a_cheat_pays_the_least_there_is(name: str, trajectory: ProofTrajectory) -> None:
    reward, _ = SCORERS[name]().score(trajectory)
    assert (reward == pytest.approx(-1)) == trajectory.cheats


def test_proved_pays_for_proofs_alone() -> None:
    scorer = get_scorer("proved")
    assert scorer.score(attempt([AND], [], proved=True))[0] == pytest.approx(1.0)
    assert scorer.score(attempt([AND], [P, Q], [Q]))[0] == 0.0
    assert scorer.score(attempt([AND], [AND]))[0] == 0.0


def test_verified_pays_by_level() -> None:
    levels = RewardLevels()
    scorer = VerifiedScorer()
    refused = ProofStep("x", (AND,), failure="error")
    solved = attempt([AND], [], proved=True)
    assert scorer.score(solved)[0] == levels.solved
    # a whole attempt is worth what it closed: nothing, one half, nothing for a goal of its own
    assert scorer.score(attempt([AND], [P, Q]))[0] == levels.unchanged
    assert scorer.score(attempt([AND], [P, Q], [Q])) == (pytest.approx(0.5 * levels.progress), {"closed": 0.5})
    assert scorer.score(attempt([AND], [goal("True"), TOLD], [TOLD]))[0] == levels.unchanged
    # … between the levels, whatever they are: -0.1 + 0.5 * (0.4 - -0.1)
    others = VerifiedScorer(RewardLevels(progress=0.4, unchanged=-0.1))
    assert others.score(attempt([AND], [P, Q], [Q]))[0] == pytest.approx(0.15)
    # a single tactic by whether it changed its goal
    assert scorer.score(attempt([AND], [P, Q]), single_tactic=True) == (levels.progress, {})
    assert scorer.score(attempt([AND], [AND]))[0] == levels.unchanged
    # neither are the same goals in another order, and a goal without its tag (`apply ?_`) is none either
    assert scorer.score(attempt([P, Q], [Q, P]))[0] == levels.unchanged
    tagged = replace(AND, name="left", text=f"case left\n{AND.text}", key="k")
    assert scorer.score(attempt([tagged], [replace(AND, key="k")]))[0] == levels.unchanged
    # there and back is no progress
    assert scorer.score(attempt([AND], [P, Q], [AND]))[0] == levels.unchanged
    assert scorer.score(replace(solved, outcome="open", steps=(refused,)))[0] == levels.error
    # closed, but the judge refused it: worse than an error
    assert scorer.score(replace(solved, outcome="rejected"))[0] == levels.forbidden
    # one hole spoils what came before it
    hole = ProofStep("sorry", (P, Q), failure="sorry")
    halfway = attempt([AND], [P, Q])
    assert scorer.score(replace(halfway, steps=(*halfway.steps, hole)))[0] == levels.forbidden


def test_shaped_counts_goals_and_hypotheses() -> None:
    # constructor makes two halves of the goal, `exact hp` closes one of them; hp used of hp, hq; both changed.
    reward, details = get_scorer("shaped").score(attempt([AND], [P, Q], [Q], tactics=["constructor", "exact hp"]))
    assert reward == pytest.approx(0.5 * (0.7 * 0.5 + 0.2 * 0.5 + 0.1 * 1.0))
    assert details["goals_opened"] == 1 and details["closed"] == 0.5 and details["goals_left"] == 1
    assert details["hypotheses_used"] == 0.5
    # what stands in a comment is not used
    for tactic in ("intro x -- hp hq", "intro x /- hp\nhq -/", "intro x /- hp hq"):
        (before,) = [AND]
        _, said = get_scorer("shaped").score(
            attempt([before], [replace(before, target="p", key="k")], tactics=[tactic])
        )
        assert said["hypotheses_used"] == 0.0
    # goals that are opened and left open lower the share: 1 of 4
    more = attempt([AND], [P, Q, goal("r"), goal("s")], [Q, goal("r"), goal("s")], tactics=["constructor", "exact hp"])
    assert get_scorer("shaped").score(more)[0] == pytest.approx(0.5 * (0.7 * 0.25 + 0.2 * 0.5 + 0.1))
    assert get_scorer("shaped").score(attempt([AND], [], proved=True))[0] == 1.0


@pytest.mark.parametrize(
    ("name", "target", "weight"),
    [
        ("logic", "∀ (p q : Prop), p ∧ q → q ∧ p", 4),  # ∀ ∧ → ∧
        ("algebra", "(a + b) * c = a * c + b * c", 5),  # + * * + *
        ("number_theory", "n.gcd m ∣ Nat.gcd n m % 3", 4),  # gcd ∣ gcd %
        ("lists_and_sets", "x ∈ xs ++ ys.reverse", 3),  # ∈ ++ reverse
        ("order", "a ≤ max a b ∧ a < b", 3),  # ≤ max <
    ],
)
def test_domains_weigh_goals_by_their_symbols(name: str, target: str, weight: int) -> None:
    scorer = get_scorer(name)
    ours, other = goal(target), goal("f x = y")
    assert scorer.score(attempt([ours], [ours]))[1]["weight_at_start"] == weight
    # a proof in the domain pays 1, one outside of it 0.6
    assert scorer.score(attempt([ours], [], proved=True))[0] == 1.0
    assert scorer.score(attempt([other], [], proved=True))[0] == 0.6
    # one goal of two closed: by weight, weight / (weight + 0) and weight / (weight + weight)
    assert scorer.score(attempt([ours, other], [other]))[0] == 0.5
    assert scorer.score(attempt([ours, ours], [ours]))[0] == 0.25
    assert scorer.score(attempt([other, ours], [ours]))[0] == 0.0


def test_a_goal_that_only_looks_different_earns_nothing_in_a_domain() -> None:
    false = goal("False", h="p ∧ q")
    assert get_scorer("logic").score(attempt([goal("q ∧ p", h="p ∧ q")], [false]))[0] == 0.0


def test_difficulty_is_the_datas_own_or_that_of_the_group_or_a_guess() -> None:
    scorer = get_scorer("difficulty")
    proved = attempt([AND], [], proved=True)
    assert scorer.score(replace(proved, difficulty=0.5), pass_rate=0.9)[0] == pytest.approx(0.6 + 0.4 * 0.5)
    assert scorer.score(proved, pass_rate=0.9)[0] == pytest.approx(0.6 + 0.4 * 0.1)
    symbols = 5  # p ∧ q, and the types p and q
    assert scorer.score(proved)[0] == pytest.approx(0.6 + 0.4 * (1 - math.exp(-symbols / 20)))
    half = replace(attempt([AND], [P, Q], [Q]), difficulty=1.0)
    assert scorer.score(half)[0] == pytest.approx(0.5 * 1.0 * 0.5)


CLOSED: list[tuple[str, list[list[Goal]], float]] = [
    ("constructor, then one half", [[AND], [P, Q], [Q]], 1 / 2),
    # the second half is itself two, of which one is closed: 1/2 + 1/2 * 1/2
    (
        "a half of a half",
        [[goal("p ∧ q ∧ r")], [P, goal("q ∧ r")], [goal("q ∧ r")], [Q, goal("r")], [goal("r")]],
        3 / 4,
    ),
    # have : True, proved, the goal itself is as it was; any number of times
    ("a goal of its own", [[AND], [goal("True"), TOLD], [TOLD]], 0.0),
    ("two goals of its own", [[AND], [goal("True"), TOLD], [TOLD], [goal("True"), TOLD_TWICE], [TOLD_TWICE]], 0.0),
    # suffices True ∧ (p ∧ q), then constructor: True is closed, p ∧ q is what there was at the beginning
    ("a detour", [[AND], [goal("True ∧ p ∧ q")], [goal("True"), AND], [AND]], 0.0),
    # by_cases True: both cases have the target, one of them is closed by contradiction
    ("a case of its own", [[P], [goal("p", h="True"), goal("p", h="¬True")], [goal("p", h="True")]], 0.0),
    # … but a case split on the way to a half keeps the other half
    ("a split within a half", [[AND], [P, Q], [Q], [goal("q", h="p"), goal("q", h="¬p")], [goal("q", h="¬p")]], 1 / 2),
    # a tactic on all goals at once: two became one, which is open
    ("all goals at once", [[AND], [P, Q], [goal("r")]], 0.0),
    ("the other way round", [[AND], [P, Q], [Q, P], [P]], 1 / 2),
    ("there and back", [[AND], [P, Q], [AND]], 0.0),
]


@pytest.mark.parametrize(("states", "share"), [case[1:] for case in CLOSED], ids=[case[0] for case in CLOSED])
def test_what_is_closed_of_a_goal(states: list[list[Goal]], share: float) -> None:
    assert closed_share(attempt(*states), lambda goal: 1.0) == pytest.approx(share)


@given(trajectory=trajectories("open"))
def test_a_share_is_a_share(trajectory: ProofTrajectory) -> None:
    assert 0 <= closed_share(trajectory, lambda goal: 1.0) <= 1
    assert closed_share(trajectory, lambda goal: float(len(goal.target))) <= 1


def test_efficiency_halves_at_its_halves() -> None:
    step = ProofStep("t", (AND,), (), completion=Completion("t", -1.0, tokens=30), seconds=1.5)
    proved = ProofTrajectory("t", "True", (AND,), (replace(step, after=(AND,)), step), "proved")
    slower = replace(proved, steps=tuple(replace(step, seconds=40.0) for step in proved.steps))
    scorer = EfficiencyScorer(half_steps=1, half_seconds=3, half_tokens=20)
    # one step after the first: 1/2; 3 s: 1/2; 60 tokens: 20/80
    reward, details = scorer.score(proved)
    # where seconds are left out, as by default, two runs of the same attempts end alike
    assert get_scorer("efficiency").score(proved) == get_scorer("efficiency").score(slower)
    assert details == pytest.approx({"length": 0.5, "time": 0.5, "tokens": 0.25})
    assert reward == pytest.approx(0.6 + 0.4 * (0.5 + 0.5 + 0.25) / 3)
    assert scorer.score(replace(proved, outcome="open"))[0] == 0.0


def test_novelty_fades_and_survives_a_restart() -> None:
    scorer = NoveltyScorer()
    proved = attempt([AND], [], tactics=["exact  ⟨hp,\n hq⟩"], proved=True)
    assert scorer.score(proved)[0] == 1.0
    again = NoveltyScorer()
    load_scorer_state(again, scorer_state(scorer))
    assert again.score(attempt([AND], [], tactics=["exact ⟨hp, hq⟩"], proved=True))[0] == pytest.approx(0.6 + 0.4 / 2)
    assert again.score(replace(proved, theorem="other"))[0] == 1.0


def test_a_composite_keeps_what_its_parts_keep() -> None:
    first = create_composite_scorer("novelty", "verified")
    first.score(attempt([AND], [], proved=True))
    second = create_composite_scorer("novelty", "verified")
    load_scorer_state(second, scorer_state(first))
    # novelty 0.6 + 0.4 / 2 = 0.8, verified 1: their mean
    assert second.score(attempt([AND], [], proved=True))[0] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("answer", "tactic", "good"),
    [
        (Completion("simp", -1, 2), "simp", True),
        (Completion("simp\n", -1, 2), "simp", True),
        (Completion("```lean\nsimp\n```", -1, 9), "simp", False),
        (Completion("by simp", -1, 3), "simp", False),
        (Completion("simp", -1, 2, finished=False), "simp", False),
    ],
)
def test_format_wants_the_tactic_alone(answer: Completion, tactic: str, good: bool) -> None:
    step = ProofStep(tactic, (AND,), (), completion=answer)
    proved = ProofTrajectory("t", "True", (AND,), (step,), "proved")
    assert get_scorer("format").score(proved)[0] == (1.0 if good else 0.6)
    assert get_scorer("format").score(replace(proved, outcome="open"))[0] == (0.0 if good else -0.1)


def test_a_composite_is_the_weighted_mean() -> None:
    scorer = create_composite_scorer("algebra", "efficiency", weights={"algebra": 0.6, "efficiency": 0.4})
    reward, details = scorer.score(attempt([goal("a + b = b + a")], [], proved=True))
    # algebra: 1; efficiency: nothing spent beyond one step, 1
    assert reward == pytest.approx(1.0)
    assert details["algebra"] == 1.0 and details["efficiency/length"] == 1.0
    # outside the domain: 0.6 * 0.6 + 0.4 * 1
    assert scorer.score(attempt([AND], [], proved=True))[0] == pytest.approx(0.6 * 0.6 + 0.4)


def test_a_single_attempt_says_nothing_of_its_difficulty() -> None:
    scorer = get_scorer("difficulty")
    proved = attempt([AND], [], proved=True)
    alone = scorer.score(proved)
    for group in ((proved,), (proved, replace(proved, outcome="unknown"))):
        assert score_group(scorer, TrajectoryGroup("t", group))[0] == alone
    # of two attempts one proves it: 0.6 + 0.4 * 1/2
    two = score_group(scorer, TrajectoryGroup("t", (proved, attempt([AND], [AND]))))
    assert two[0] is not None and two[0][0] == pytest.approx(0.8)


def test_unknown_is_not_zero() -> None:
    known = attempt([AND], [], proved=True)
    group = TrajectoryGroup("t", (known, replace(known, outcome="unknown")))
    scores = score_group(get_scorer("verified"), group)
    assert scores[0] is not None and scores[0][0] == 1.0
    assert scores[1] is None
    assert group.pass_rate == 1.0


class Mine(BaseRewardScorer):
    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, dict[str, float]]:
        return self.normalize_reward(kwargs["raw"]), {}


@pytest.mark.parametrize(("raw", "held"), [(0.5, 0.5), (7.0, 1.0), (-7.0, -1.0), (math.inf, 1.0)])
def test_a_scorer_of_ones_own_is_held_in_range(raw: float, held: float) -> None:
    assert Mine().score(attempt([AND]), raw=raw) == (held, {})
    with pytest.raises(TrainingError, match="NaN"):
        Mine().score(attempt([AND]), raw=math.nan)


def test_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.SCORERS, "_registered", {})
    register_scorer("mine", Mine)
    assert isinstance(get_scorer("mine"), Mine)
    with pytest.raises(ConfigError, match="is taken"):
        register_scorer("algebra", Mine)
    with pytest.raises(ConfigError, match="Did you mean 'algebra'"):
        get_scorer("algebr")
    with pytest.raises(ConfigError, match="half_step"):
        get_scorer("efficiency", half_step=3)
    entry = EntryPoint("theirs", f"{__name__}:nothing", registry.SCORERS.group)
    monkeypatch.setattr(registry, "entry_points", lambda **_: EntryPoints([entry]))
    assert "theirs" in available_scorers()
    with pytest.raises(ConfigError, match="does not load"):
        get_scorer("theirs")


def test_a_scorer_of_another_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As pip leaves one on the path: a module, and the metadata of its distribution."""
    (tmp_path / "their_scorers.py").write_text(
        "from lean_agent.rewards import VerifiedScorer\n\n\n"
        'class Theirs(VerifiedScorer):\n    """Pays half. For a test."""\n\n'
        "    def __init__(self, half=0.5):\n        super().__init__()\n        self.half = half\n\n"
        "    def score(self, trajectory, **kwargs):\n"
        "        return self.half * super().score(trajectory, **kwargs)[0], {}\n"
    )
    metadata = tmp_path / "their_scorers-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: their-scorers\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[lean_agent.rewards]\ntheirs = their_scorers:Theirs\n")
    assert "theirs" not in available_scorers()
    monkeypatch.syspath_prepend(tmp_path)
    assert "theirs" in available_scorers()
    assert registry.SCORERS.summary("theirs") == "Pays half."
    proved = attempt([AND], [], proved=True)
    assert get_scorer("theirs").score(proved)[0] == 0.5
    # a half, and 1: their mean
    mixed = create_composite_scorer("theirs", "proved")
    assert mixed.score(proved)[0] == pytest.approx(0.75)
    assert get_scorer("theirs", half=0.25).score(proved)[0] == 0.25
    with pytest.raises(ConfigError, match="quarter"):
        get_scorer("theirs", quarter=1)


@pytest.mark.parametrize(
    ("names", "weights"),
    [
        (("algebra",), {"efficiency": 1.0}),
        (("algebra", "algebra"), None),
        (("algebra",), {"algebra": 0.0}),
        (("algebra",), {"algebra": math.nan}),
        ((), None),
    ],
)
def test_weights_that_make_no_sense_are_refused(names: tuple[str, ...], weights: dict[str, float] | None) -> None:
    with pytest.raises(ConfigError):
        create_composite_scorer(*names, weights=weights)


def test_a_weight_of_no_part_is_named() -> None:
    with pytest.raises(ConfigError, match=r"'efficency' has a weight .* Did you mean 'efficiency'\?"):
        create_composite_scorer("algebra", "efficiency", weights={"algebra": 0.6, "efficency": 0.4})
    with pytest.raises(ConfigError, match=r"no scorer 'lists'. Did you mean 'lists_and_sets'\?"):
        get_scorer("lists")
