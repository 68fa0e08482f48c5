"""Best-first search over the mock world."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.errors import ConfigError, LeanError, LeanTimeout
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState, LeanProject, Origin, TheoremSite
from lean_agent.policy.base import Policy, Suggestion
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig, SearchResult
from lean_agent.prover.driver import Driver
from lean_agent.prover.searches.base import SearchContext, Success, TrialResult
from lean_agent.prover.searches.best_first import BestFirstSearch

SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"
SWAP_POLICY = MockPolicy(
    {},
    default=["exact h.1", "exact h.2", "constructor", "intro p q h", "assumption", "skip"],
)


class CountingServer(MockLeanServer):
    """Writes down every batch."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.batches: list[int] = []

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        self.batches.append(len(pairs))
        return super().goal_tactics(pairs, timeout_s=timeout_s)


def chain(length: int, wrong: int) -> dict[tuple[str, str], tuple[str, ...] | LeanError]:
    """``⊢ 0`` takes ``step`` to ``⊢ 1`` and so on to the end; each state has ``wrong`` blind alleys."""
    table: dict[tuple[str, str], tuple[str, ...] | LeanError] = {}
    for n in range(length):
        table[f"⊢ {n}", "step"] = (f"⊢ {n + 1}",) if n + 1 < length else ()
        for m in range(wrong):
            table[f"⊢ {n}", f"wrong{m}"] = (f"⊢ {n}.{m}",)
    return table


def search(
    server: MockLeanServer,
    policy: Policy,
    origins: Sequence[Origin],
    config: SearchConfig | None = None,
    **options: Any,
) -> Iterator[tuple[int, SearchResult]]:
    config = replace(config or SearchConfig(), search="best_first")
    return Driver(server, policy, config, **options).run(origins)


def one(server: MockLeanServer, policy: object, origin: str, config: SearchConfig | None = None) -> SearchResult:
    ((index, result),) = search(server, policy, [origin], config)  # type: ignore[arg-type]
    assert index == 0
    return result


def test_a_proof_of_four_steps_is_found_and_replays() -> None:
    server = MockLeanServer()
    result = one(server, SWAP_POLICY, SWAP)
    assert result.status == "proved"
    assert result.script == ("intro p q h", "constructor", "· exact h.2", "· exact h.1")
    state = server.goal_start(SWAP)
    for tactic in result.script:
        state = server.goal_tactic(state, tactic)
    assert state.is_solved


def test_nothing_is_left_behind() -> None:
    server = MockLeanServer()
    for config in (SearchConfig(), SearchConfig(budget=SearchBudget(expansions=2))):
        one(server, SWAP_POLICY, SWAP, config)
        assert server.live_states == 0
    abandoned = search(server, SWAP_POLICY, [SWAP, "p → p", SWAP])
    next(abandoned)
    assert server.live_states > 0
    abandoned.close()  # type: ignore[attr-defined]
    assert server.live_states == 0


def test_nothing_is_left_behind_when_the_policy_breaks_down() -> None:
    class Broken:
        samples = False

        def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
            raise RuntimeError("out of order")

    server = MockLeanServer()
    with pytest.raises(RuntimeError, match="out of order"):
        one(server, Broken(), SWAP)
    assert server.live_states == 0


@pytest.mark.parametrize("expansions", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("nodes_per_round", [1, 2, 4])
def test_the_budget_of_expansions_is_kept_exactly(expansions: int, nodes_per_round: int) -> None:
    server = CountingServer(table=chain(length=20, wrong=2))
    policy = MockPolicy({}, default=["wrong0", "wrong1", "step"])
    config = SearchConfig(budget=SearchBudget(expansions=expansions), nodes_per_round=nodes_per_round)
    result = one(server, policy, "0", config)
    assert (result.status, result.expansions) == ("budget", expansions)
    assert sum(len(call) for call in policy.calls) == expansions
    assert max(len(call) for call in policy.calls) <= nodes_per_round


@pytest.mark.parametrize("lean_calls", [1, 2, 4, 5, 10, 11])
def test_the_budget_of_lean_calls_is_kept_exactly(lean_calls: int) -> None:
    server = CountingServer(table=chain(length=20, wrong=2))
    policy = MockPolicy({}, default=["wrong0", "wrong1", "step"])
    result = one(server, policy, "0", SearchConfig(budget=SearchBudget(lean_calls=lean_calls), nodes_per_round=2))
    assert (result.status, result.lean_calls) == ("budget", lean_calls)
    assert 1 + sum(server.batches) == lean_calls  # the start counts as one


@pytest.mark.parametrize(("tokens", "expansions"), [(1, 1), (3, 1), (4, 2), (9, 3), (10, 4)])
def test_the_budget_of_tokens_is_left_by_less_than_a_round(tokens: int, expansions: int) -> None:
    policy = MockPolicy({}, default=["wrong0", "wrong1", "step"])
    config = SearchConfig(budget=SearchBudget(tokens=tokens), nodes_per_round=1)
    result = one(MockLeanServer(table=chain(length=20, wrong=2)), policy, "0", config)
    # Three tactics of one token each in every round.
    assert (result.status, result.expansions, result.tokens) == ("budget", expansions, 3 * expansions)


def test_the_last_proof_within_the_budget_counts() -> None:
    # 3 states of one tactic each: the start and 3 tactics.
    server = MockLeanServer(table=chain(length=3, wrong=0))
    policy = MockPolicy({}, default=["step"])
    enough = one(server, policy, "0", SearchConfig(budget=SearchBudget(expansions=3, lean_calls=4)))
    assert (enough.status, enough.script) == ("proved", ("step",) * 3)
    for short in (SearchBudget(expansions=2), SearchBudget(lean_calls=3)):
        assert one(server, policy, "0", SearchConfig(budget=short)).status == "budget"


def test_a_search_cut_short_has_not_failed() -> None:
    server = MockLeanServer({}, table={("⊢ 0", "good"): ()})
    policy = MockPolicy({}, default=["bad", "good"])
    assert one(server, policy, "0", SearchConfig(budget=SearchBudget(lean_calls=2))).status == "budget"
    assert one(server, policy, "0", SearchConfig(budget=SearchBudget(lean_calls=3))).status == "proved"
    assert one(server, policy, "1").status == "failed"


def test_time_is_counted_in_rounds() -> None:
    server = CountingServer(table=chain(length=20, wrong=0))
    policy = MockPolicy({}, default=["step"])
    config = SearchConfig(budget=SearchBudget(seconds=5.0))
    ((_, result),) = search(server, policy, ["0"], config, clock=lambda: float(len(server.batches)))
    # The clock moves by one second with each batch.
    assert (result.status, result.expansions, result.seconds) == ("budget", 5, 5.0)


class TimedServer(CountingServer):
    """A server whose clock moves by eight seconds with each start of proofs, and by one with each batch."""

    starts = 0

    def goal_starts(self, origins: Sequence[Origin], *, timeout_s: float | None = None) -> list[GoalState | LeanError]:
        self.starts += 1
        return super().goal_starts(origins, timeout_s=timeout_s)

    def clock(self) -> float:
        return 8.0 * self.starts + len(self.batches)


@pytest.mark.parametrize("parallel", [1, 4])
def test_the_seconds_of_all_searches_are_the_time_of_the_run(parallel: int) -> None:
    server = TimedServer()
    missing = TheoremSite(LeanProject(Path("nowhere")), "A.lean", "missing")
    policy = MockPolicy({}, default=["trivial"])
    config = SearchConfig(parallel_theorems=parallel)
    found = dict(search(server, policy, ["True", "True", missing, "p", "p"], config, clock=server.clock))
    assert [found[index].status for index in range(5)] == ["proved", "proved", "error", "failed", "failed"]
    assert sum(one.seconds for one in found.values()) == pytest.approx(server.clock())
    if parallel == 1:  # eight for the start, one for the only tactic
        assert [found[index].seconds for index in range(5)] == [9.0, 9.0, 8.0, 9.0, 9.0]


def test_it_stops_at_once_when_proved() -> None:
    server = CountingServer(table=chain(length=2, wrong=3))
    policy = MockPolicy({}, default=["step", "wrong0", "wrong1", "wrong2"])
    result = one(server, policy, "0", SearchConfig(nodes_per_round=1))
    assert (result.expansions, result.lean_calls, server.batches) == (2, 9, [4, 4])


def test_likelier_states_come_first_and_length_is_normalised() -> None:
    # After `a` (-1) the state x has logprob -1 at depth 1; after `b`, `c` (-0.8 each) y2 has -1.6 at depth 2.
    table = {("⊢ r", "a"): ("⊢ x",), ("⊢ r", "b"): ("⊢ y1",), ("⊢ y1", "c"): ("⊢ y2",)}
    policy = MockPolicy({"⊢ r": [("b", -0.8), ("a", -1.0)], "⊢ y1": [("c", -0.8)]})
    orders = {}
    for exponent in (0.0, 1.0):
        policy.calls.clear()
        one(MockLeanServer(table=table), policy, "r", SearchConfig(nodes_per_round=1, length_exponent=exponent))
        orders[exponent] = [call[0] for call in policy.calls]
    assert orders[0.0] == ["⊢ r", "⊢ y1", "⊢ x", "⊢ y2"]  # -1.0 before -1.6
    assert orders[1.0] == ["⊢ r", "⊢ y1", "⊢ y2", "⊢ x"]  # -1.6 / 2 = -0.8 before -1.0


def test_a_state_is_expanded_once_however_often_it_is_reached() -> None:
    table = {
        ("⊢ r", "left"): ("⊢ a",),
        ("⊢ r", "right"): ("⊢ b",),
        ("⊢ a", "down"): ("⊢ c",),
        ("⊢ b", "down"): ("⊢ c",),
        ("⊢ c", "up"): ("⊢ r",),
    }
    policy = MockPolicy({}, default=["left", "right", "down", "up"])
    result = one(MockLeanServer(table=table), policy, "r", SearchConfig(nodes_per_round=2))
    assert (result.status, result.states, result.expansions) == ("failed", 4, 4)
    assert sorted(goal for call in policy.calls for goal in call) == ["⊢ a", "⊢ b", "⊢ c", "⊢ r"]
    # 4 tactics for each of 4 states and the start; 5 of them work.
    assert (result.lean_calls, result.failures, result.tokens) == (17, 11, 16)


def test_a_state_reached_by_a_likelier_way_moves_up() -> None:
    # c costs -4 from r directly, -0.6 through a. It comes before z (-1).
    table = {("⊢ r", "far"): ("⊢ c",), ("⊢ r", "a"): ("⊢ a",), ("⊢ r", "z"): ("⊢ z",), ("⊢ a", "near"): ("⊢ c",)}
    policy = MockPolicy({"⊢ r": [("a", -0.3), ("z", -1.0), ("far", -4.0)], "⊢ a": [("near", -0.3)]})
    one(MockLeanServer(table=table), policy, "r", SearchConfig(nodes_per_round=1, length_exponent=0.0))
    assert [call[0] for call in policy.calls] == ["⊢ r", "⊢ a", "⊢ c", "⊢ z"]


def test_a_state_that_could_not_help_is_looked_at_again_when_it_can() -> None:
    # n comes first beside d, which dies; then it is reached alone, when it has been passed over.
    table = {
        ("⊢ r", "split"): ("⊢ d", "⊢ n"),
        ("⊢ r", "other"): ("⊢ p",),
        ("⊢ p", "on"): ("⊢ n",),
        ("⊢ n", "close"): (),
    }
    says = {
        "⊢ r": [("split", -0.1), ("other", -0.5)],
        "⊢ d": [("bad", -0.1)],
        "⊢ p": [("on", -0.5)],
        "⊢ n": [("close", -0.1)],
    }
    for nodes_per_round in (1, 4):
        config = SearchConfig(nodes_per_round=nodes_per_round)
        result = one(MockLeanServer(table=table), MockPolicy(says), "r", config)
        # Each of the four states is asked about once: the start and their five tactics, and the check of the joint.
        assert (result.status, result.script) == ("proved", ("other", "on", "close"))
        assert (result.expansions, result.lean_calls) == (4, 1 + 5 + 1)


def test_invariants_hold_after_every_round_of_a_random_search() -> None:
    rng = math.pi
    table: dict[tuple[str, str], tuple[str, ...]] = {}
    for n in range(30):
        for m in range(4):
            rng = (rng * 997.13) % 1.0
            table[f"⊢ {n}", f"t{m}"] = (f"⊢ {int(rng * 30)}",)
    server = MockLeanServer(table=table)
    policy = MockPolicy({}, default=["t2", "t0", "t1", "t3"])
    machine = BestFirstSearch(server.goal_start("0"), SearchContext(SearchConfig(nodes_per_round=3)))
    while not machine.is_over:
        questions = machine.ask()
        trials = machine.propose(policy.suggest([question.goal for question in questions], 4), tokens=0)
        results = server.goal_tactics([(trial.state, trial.tactic) for trial in trials])
        outcomes: list[TrialResult] = [one if isinstance(one, LeanError) else Success(one, (one,)) for one in results]
        server.release(machine.absorb(outcomes))
        machine.graph.check_invariants()
        assert server.live_states == len(machine.live_states())
    assert len(machine.graph.nodes) > 10


def test_theorems_share_policy_calls_and_batches() -> None:
    server = CountingServer(table=chain(length=3, wrong=0))
    policy = MockPolicy({}, default=["step"])
    config = SearchConfig(parallel_theorems=4, remember=False)
    results = dict(search(server, policy, ["0", "1", "2", "nothing here"], config))
    assert [results[i].status for i in range(4)] == ["proved", "proved", "proved", "failed"]
    # Two lanes of two, in turn: 0 and 1, then 2 and the last; 1 is done after two rounds, the other two after one.
    assert policy.calls == [("⊢ 0", "⊢ 1"), ("⊢ 2", "⊢ nothing here"), ("⊢ 1", "⊢ 2"), ("⊢ 2",)]
    assert server.batches == [2, 2, 2, 1]


def test_results_do_not_depend_on_who_shares_the_rounds() -> None:
    server = MockLeanServer(table=chain(length=6, wrong=2))
    policy = MockPolicy({}, default=["wrong1", "step", "wrong0"])
    config = SearchConfig(remember=False)
    alone = [one(server, policy, origin, config) for origin in ("0", "2", "4")]
    together = dict(search(server, policy, ["0", "2", "4"], config))
    assert [(a.status, a.script, a.lean_calls) for a in alone] == [
        (together[i].status, together[i].script, together[i].lean_calls) for i in range(3)
    ]


def test_what_cannot_start_is_an_error_and_a_dying_lean_is_a_failed_tactic() -> None:
    server = MockLeanServer(table={("⊢ p", "boom"): LeanTimeout("killed"), ("⊢ p", "done"): ()})
    broken, fine = (
        result for _, result in sorted(search(server, MockPolicy({}, default=["boom", "done"]), ["(", "p"]))
    )
    assert (broken.status, broken.lean_calls) == ("error", 1)
    assert "does not elaborate" in broken.message
    assert (fine.status, fine.failures) == ("proved", 1)


def test_tokens_of_dropped_candidates_count() -> None:
    class Sampler(MockPolicy):
        tokens_generated = 0

        samples = False

        def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
            self.tokens_generated += 10 * len(goals) + 1
            return super().suggest(goals, k)

    results = dict(search(MockLeanServer(), Sampler({}, default=["skip"]), ["p", "q"]))
    assert [results[0].tokens, results[1].tokens] == [11, 10]  # 21 for two goals


class Fickle(MockPolicy):
    """Draws at random, as it were: each call has the next of ``answers``, and the last one from then on."""

    samples = True

    def __init__(self, *answers: Sequence[str]) -> None:
        super().__init__({})
        self._answers = answers

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        tactics = self._answers[min(len(self.calls), len(self._answers) - 1)]
        self.calls.append(tuple(goals))
        return [[Suggestion(tactic, -1.0 - rank, 1) for rank, tactic in enumerate(tactics)] for _ in goals]


def test_a_policy_that_draws_at_random_is_asked_again_while_the_budget_lasts() -> None:
    server = CountingServer(table=chain(length=2, wrong=1))
    policy = Fickle(["bad"], ["bad", "wrong0"], ["bad"], ["bad", "step"])
    result = one(server, policy, "0")
    assert (result.status, result.script) == ("proved", ("step", "step"))
    # The root; the root again, and what came of it; both again; the end. No tactic runs twice in the same state.
    assert policy.calls == [("⊢ 0",), ("⊢ 0",), ("⊢ 0.0",), ("⊢ 0", "⊢ 0.0"), ("⊢ 1",)]
    assert result.lean_calls == 1 + 1 + 1 + 1 + (1 + 1) + 2
    assert server.live_states == 0


def test_asking_again_ends() -> None:
    server = MockLeanServer()
    policy = Fickle(["bad"])
    result = one(server, policy, "p", SearchConfig(resamples=3))
    assert (result.status, result.expansions, result.lean_calls) == ("failed", 4, 2)
    assert one(server, Fickle(["bad"]), "p", SearchConfig(resamples=0)).expansions == 1
    spent = one(server, Fickle(["bad"]), "p", SearchConfig(budget=SearchBudget(expansions=2)))
    assert (spent.status, spent.expansions) == ("budget", 2)
    assert server.live_states == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: SearchConfig(resamples=-1),
        lambda: SearchBudget(expansions=0),
        lambda: SearchBudget(lean_calls=0),
        lambda: SearchBudget(seconds=0.0),
        lambda: SearchConfig(tactics_per_node=0),
        lambda: SearchConfig(length_exponent=-1.0),
        lambda: SearchConfig(tactic_timeout_s=0.0),
        lambda: SearchConfig(priority="goals"),  # best_step has none
        lambda: SearchConfig(tactics_per_round=0),
    ],
)
def test_settings_that_cannot_work_are_refused(make: object) -> None:
    with pytest.raises(ConfigError):
        make()  # type: ignore[operator]
