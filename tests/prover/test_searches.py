"""Every search by its name, over the mock world: what it finds, what it costs, what it leaves behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from lean_agent.errors import ConfigError, LeanError, LeanProcessDied, TacticFailure
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import ProofRequest, Suggestion
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig, SearchResult, total_budget
from lean_agent.prover.driver import Driver
from lean_agent.prover.searches.base import Search
from lean_agent.prover.searches.mcts import MonteCarloTreeSearch
from lean_agent.prover.timing import WorkTimer, covered
from lean_agent.prover.tree.proof_cache import ProvedGoals
from lean_agent.registry import SEARCHES

SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"
TACTICS = ("exact h.1", "exact h.2", "constructor", "intro p q h", "assumption", "skip")
STATES = [name for name in SEARCHES if name != "whole_proof"]


class Sampler(MockPolicy):
    """The same answers whenever it is asked, but it says that it draws at random; and it writes whole scripts."""

    samples = True

    def __init__(self, *scripts: str, tactics: Sequence[str] = TACTICS, repair: str = "") -> None:
        super().__init__({}, default=tactics)
        self.requests: list[ProofRequest] = []
        self._scripts = scripts
        self._repair = repair

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        self.requests += requests
        scripts = [(self._repair,) if one.attempt else self._scripts for one in requests]
        return [[Suggestion(text, -1.0 - i, 5) for i, text in enumerate(some) if text][:k] for some in scripts]


def run(server: MockLeanServer, policy: MockPolicy, origin: str, config: SearchConfig) -> SearchResult:
    ((_, result),) = Driver(server, policy, config).run([origin])
    assert server.live_states == 0
    return result


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("and_or", [True, False])
def test_every_search_finds_a_proof_that_replays(name: str, and_or: bool) -> None:
    server = MockLeanServer()
    own: dict[str, Any] = {"trials": 20} if name == "depth_first" else {}
    config = SearchConfig(search=name, and_or=and_or, budget=SearchBudget(expansions=400, lean_calls=3000), **own)
    result = run(server, Sampler(), SWAP, config)
    assert result.status == "proved"
    state = server.goal_start(SWAP)
    for tactic in result.script:
        state = server.goal_tactic(state, tactic)
    assert state.is_solved


@pytest.mark.parametrize("name", list(SEARCHES))
def test_every_search_keeps_to_its_budget(name: str) -> None:
    server = MockLeanServer(table={("⊢ p", f"t{n}"): TacticFailure(f"t{n}", "error", "no") for n in range(5)})
    limits = (
        SearchBudget(expansions=1),
        SearchBudget(expansions=3),
        SearchBudget(lean_calls=4),
        SearchBudget(tokens=3),
    )
    for budget in limits:
        config = SearchConfig(search=name, budget=budget)
        result = run(server, Sampler("t0", "t1", tactics=[f"t{n}" for n in range(5)]), "p", config)
        assert result.expansions <= budget.expansions
        assert result.lean_calls <= budget.lean_calls
        assert result.status in ("budget", "failed")
        if budget.tokens:  # the first round takes more, and a policy that draws at random could be asked again
            assert (result.status, result.expansions) == ("budget", 1)


@pytest.mark.parametrize("name", list(SEARCHES))
def test_every_search_ends_where_nothing_works(name: str) -> None:
    policy = Sampler("bad", tactics=["bad"])
    result = run(MockLeanServer(), policy, "p", SearchConfig(search=name, resamples=2, budget=SearchBudget(300, 300)))
    assert result.status in ("failed", "budget") and result.steps == ()
    assert result.expansions <= 300


def test_goals_apart_cost_less_than_goals_in_a_row() -> None:
    # Each of the two goals has three blind alleys of three steps, likelier than its one proof; in a row, the second
    # goal waits behind every state of the first.
    table: dict[tuple[str, str], tuple[str, ...]] = {("⊢ r", "split"): ("⊢ a", "⊢ b")}
    for goal in "ab":
        for n in range(3):
            table[f"⊢ {goal}", f"alley{n}"] = (f"⊢ {goal}{n}.0",)
            table[f"⊢ {goal}{n}.0", "on"] = (f"⊢ {goal}{n}.1",)
            table[f"⊢ {goal}{n}.1", "on"] = (f"⊢ {goal}{n}.2",)
        table[f"⊢ {goal}", "done"] = ()
    policy = MockPolicy({}, default=["split", "alley0", "alley1", "alley2", "on", "done"])
    config = SearchConfig(nodes_per_round=1, tactics_per_round=8, length_exponent=1.0)
    apart, row = (
        run(MockLeanServer(table=table), policy, "r", replace(config, and_or=and_or)) for and_or in (True, False)
    )
    assert (apart.status, row.status) == ("proved", "proved")
    assert apart.steps == ("split", ("done",), ("done",))
    assert row.steps == ("split", "done", "done")
    # Apart: r, a and b are expanded. In a row the states of a's alleys come before b.
    assert apart.expansions == 3 < row.expansions


def test_closers_come_first_and_count() -> None:
    server = MockLeanServer()
    policy = MockPolicy({}, default=["intro p q h", "constructor"])
    closers = ("exact h.1", "exact h.2")
    result = run(server, policy, SWAP, SearchConfig(closers=closers, nodes_per_round=1))
    assert result.status == "proved"
    # The start; 2 closers at the root and 2 tactics; the same in the next state; 2 closers at each of two goals; the
    # proof in one piece. The policy is never asked about what a closer closes.
    assert result.lean_calls == 1 + 4 + 4 + 4 + 1
    assert [len(call) for call in policy.calls] == [1, 1]


def test_closers_may_be_schemes() -> None:
    policy = MockPolicy({}, default=["intro p q h", "constructor"])
    config = SearchConfig(closers=("exact {local}.1", "exact {local}.2", "exact {premise}"), nodes_per_round=1)
    result = run(MockLeanServer(), policy, SWAP, config)
    assert result.status == "proved"
    # As above, but for the closers at the root: nothing has a name there; and nowhere is there a premise.
    assert result.lean_calls == 1 + 2 + 4 + 4 + 1


def test_what_was_proved_is_remembered_by_statement() -> None:
    server = MockLeanServer()
    policy = MockPolicy({}, default=TACTICS)
    memory = ProvedGoals()
    config = SearchConfig(parallel_theorems=1)
    first, second = (result for _, result in Driver(server, policy, config, memory=memory).run([SWAP, SWAP]))
    assert second.steps == first.steps and second.expansions == 0
    assert second.lean_calls == 1 + 1  # the start, and the remembered proof as one tactic
    assert len(memory) == 4
    (alone,) = (result for _, result in Driver(server, policy, SearchConfig(remember=False), memory=memory).run([SWAP]))
    assert alone.expansions == first.expansions
    # A memory that does not hold costs a call and nothing more.
    wrong = ProvedGoals()
    wrong.add(("⊢ ∀ (p : Prop), p → p",), ("exact h.1",))
    ((_, result),) = Driver(server, MockPolicy({}, default=["intro p h", "assumption"]), memory=wrong).run(
        ["∀ (p : Prop), p → p"]
    )
    assert result.script == ("intro p h", "assumption")


class Slow(MockLeanServer):
    """Each line of a script takes six seconds, as it were; what takes longer than the limit is stopped."""

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        assert timeout_s is not None
        results = super().goal_tactics(pairs)
        late = [6.0 * len(tactic.splitlines()) > timeout_s for _, tactic in pairs]
        self.release(
            [one for one, is_late in zip(results, late, strict=True) if is_late and isinstance(one, GoalState)]
        )
        return [
            TacticFailure(tactic, "timeout", "stopped at the time limit") if is_late else one
            for one, is_late, (_, tactic) in zip(results, late, pairs, strict=True)
        ]


def test_a_proof_in_one_piece_has_the_time_of_its_tactics() -> None:
    policy = MockPolicy({}, default=TACTICS)
    memory = ProvedGoals()
    config = SearchConfig(parallel_theorems=1, tactic_timeout_s=10.0)
    # Four lines of six seconds: more than a tactic may take, less than four may; so for what is remembered.
    first, second = (result for _, result in Driver(Slow(), policy, config, memory=memory).run([SWAP, SWAP]))
    assert first.script == ("intro p q h", "constructor", "· exact h.2", "· exact h.1")
    assert (second.script, second.lean_calls) == (first.script, 2)


@pytest.mark.parametrize(
    ("said", "broken"),
    [
        (TacticFailure("", "timeout", "stopped at the time limit"), []),
        (LeanProcessDied("gone"), []),
        (TacticFailure("", "error", "no"), ["constructor"]),
    ],
)
def test_only_a_refuted_proof_is_taken_apart(said: LeanError, broken: list[str]) -> None:
    script = ("intro p q h", "constructor", "· exact h.2", "· exact h.1")
    root = MockLeanServer().goal_start(SWAP).text
    server = MockLeanServer(table={(root, "\n".join(script)): said})
    searches: list[Search] = []
    policy = MockPolicy({}, default=TACTICS)
    ((_, result),) = Driver(server, policy, on_end=lambda _, search: searches.append(search)).run([SWAP])
    edges = [edge for node in searches[0].graphs[0].nodes for edge in node.edges]
    assert [edge.tactic for edge in edges if edge.broken] == broken
    assert (result.script == script) == (not broken)  # the judge comes after that


def test_a_budget_for_all_ends_the_run() -> None:
    server = MockLeanServer()
    policy = MockPolicy({}, default=TACTICS)
    total = total_budget(lean_calls=35)
    config = SearchConfig(parallel_theorems=1, total=total, remember=False, tactics_per_round=8)
    results = dict(Driver(server, policy, config).run([SWAP] * 4))
    one = results[0].lean_calls
    assert one < 35 < 2 * one  # checked between rounds
    assert [results[i].status for i in range(4)] == ["proved", "budget", "budget", "budget"]
    assert [results[i].lean_calls for i in (2, 3)] == [0, 0]
    assert server.live_states == 0


@pytest.mark.parametrize("limit", ["expansions", "lean_calls", "tokens", "seconds"])
def test_each_limit_for_all_ends_the_run(limit: str) -> None:
    seconds = 0.0

    def clock() -> float:  # every look at it takes a second
        nonlocal seconds
        seconds += 1.0
        return seconds

    def search(**total: Any) -> list[SearchResult]:
        config = SearchConfig(parallel_theorems=1, total=total_budget(**total), remember=False)
        found = dict(Driver(MockLeanServer(), MockPolicy({}, default=TACTICS), config, clock=clock).run([SWAP] * 4))
        return [found[index] for index in range(4)]

    free = search()
    assert [one.status for one in free] == ["proved"] * 4
    one = getattr(free[0], limit)
    total = int(1.6 * one)
    bounded = search(**{limit: total})
    assert [each.status for each in bounded] == ["proved", "budget", "budget", "budget"]
    assert getattr(bounded[0], limit) == one
    # What the second has spent is the rest of the total, and at most the round in which it was reached besides.
    assert total <= one + getattr(bounded[1], limit) < 2 * one
    assert [getattr(each, limit) for each in bounded[2:]] == [0, 0]


def test_what_searches_have_spent_is_told_while_they_run() -> None:
    policy = MockPolicy({}, default=TACTICS)
    told: list[int] = []
    driver = Driver(MockLeanServer(), policy, on_round=lambda spent: told.append(spent.lean_calls))
    calls = [0]
    for _, result in driver.run([SWAP, SWAP, SWAP]):
        calls.append(calls[-1] + result.lean_calls)
    assert told == sorted(told) and told[-1] == calls[-1]
    # The first search ends after several rounds; each of them was told.
    assert len([count for count in told if count < calls[1]]) > 2


def test_a_script_that_fails_is_handed_back_with_what_lean_said() -> None:
    good = "intro p q h\nconstructor\n· exact h.2\n· exact h.1"
    policy = Sampler("intro p q h\nexact h.1", "sorry", repair=good)
    result = run(MockLeanServer(), policy, SWAP, SearchConfig(search="whole_proof"))
    assert (result.status, result.script) == ("proved", (good,))
    first, second = policy.requests
    assert (first.attempt, second.attempt) == (None, "intro p q h\nexact h.1")
    assert second.error and "Type mismatch" in second.error
    # Holes are nothing to repair, and a repair of a repair is one more than is allowed.
    hopeless = Sampler("sorry", "intro p q h\nexact h.1", repair="intro p q h\nexact h.2")
    result = run(MockLeanServer(), hopeless, SWAP, SearchConfig(search="whole_proof", resamples=0))
    assert [one.attempt for one in hopeless.requests] == [None, "intro p q h\nexact h.1"]


def test_whole_proofs_need_a_policy_that_writes_them() -> None:
    with pytest.raises(ConfigError, match="write_proofs"):
        run(MockLeanServer(), MockPolicy({}, default=["skip"]), SWAP, SearchConfig(search="whole_proof"))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"search": "best_frist"}, r"no search 'best_frist'. Did you mean 'best_first'\? There are beam, "),
        ({"search": "portfolio", "portfolio": ("mtcs",)}, r"no search 'mtcs'. Did you mean 'mcts'\?"),
        ({"priority": "logprop"}, r"no priority 'logprop'. Did you mean 'logprob'\? There are goals, "),
        ({"search": "best_first", "priority": "x"}, "no priority 'x'. There are goals, logprob, value"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        SearchConfig(**settings)


class Values:
    """Says what it was given a table for."""

    def __init__(self, table: dict[str, float]) -> None:
        self._table = table

    def values(self, goals: Sequence[str]) -> list[float]:
        return [self._table.get(goal, -1.0) for goal in goals]


def test_priorities_by_value_and_by_goals() -> None:
    table = {("⊢ r", "x"): ("⊢ long long",), ("⊢ r", "y"): ("⊢ s",), ("⊢ s", "z"): ("⊢ t", "⊢ u")}
    policy = MockPolicy({}, default=["x", "y", "z"])
    by_value = SearchConfig(search="best_first", priority="value", nodes_per_round=1)
    values = Values({"⊢ long long": -0.5, "⊢ s": -0.7})
    list(Driver(MockLeanServer(table=table), policy, by_value, value=values).run(["r"]))
    assert [call[0] for call in policy.calls][:3] == ["⊢ r", "⊢ long long", "⊢ s"]
    policy.calls.clear()
    by_goals = SearchConfig("best_first", priority="goals", nodes_per_round=1, and_or=False)
    run(MockLeanServer(table=table), policy, "r", by_goals)
    assert [call[0] for call in policy.calls] == ["⊢ r", "⊢ s", "⊢ long long", "⊢ t"]
    with pytest.raises(ConfigError, match="value model"):
        run(MockLeanServer(table=table), policy, "r", by_value)


@pytest.mark.parametrize(("priority", "kept"), [("logprob", "⊢ long long"), ("goals", "⊢ s"), ("value", "⊢ s")])
def test_a_beam_keeps_what_ranks_first(priority: str, kept: str) -> None:
    table = {("⊢ r", "likely"): ("⊢ long long",), ("⊢ r", "other"): ("⊢ s",)}
    policy = MockPolicy({}, default=["likely", "other"])
    config = SearchConfig(search="beam", beam_width=1, priority=priority)
    values = Values({"⊢ long long": -0.7, "⊢ s": -0.5})
    list(Driver(MockLeanServer(table=table), policy, config, value=values).run(["r"]))
    assert [call[0] for call in policy.calls] == ["⊢ r", kept]


@pytest.mark.parametrize(("exploration", "third"), [(0.0, "⊢ a1"), (1.0, "⊢ b")])
def test_what_was_seldom_visited_weighs_as_exploration_says(exploration: float, third: str) -> None:
    table = {("⊢ r", "a"): ("⊢ a",), ("⊢ r", "b"): ("⊢ b",), ("⊢ a", "on"): ("⊢ a1",), ("⊢ b", "on"): ("⊢ b1",)}
    policy = MockPolicy({"⊢ r": [("a", -0.1), ("b", -0.2)]}, default=["on"])
    config = SearchConfig(search="mcts", exploration=exploration, nodes_per_round=1, budget=SearchBudget(expansions=3))
    run(MockLeanServer(table=table), policy, "r", config)
    # Every state is worth 1/2, so without the term the first edge is followed on and on. With it, after one visit of a
    # and two of r: 0.52 * sqrt(2) / 2 = 0.37 for a, 0.48 * sqrt(2) = 0.67 for b.
    assert [call[0] for call in policy.calls] == ["⊢ r", "⊢ a", third]


def test_a_portfolio_may_rank_by_value() -> None:
    config = SearchConfig(search="portfolio", portfolio=("best_first", "beam"), priority="value")
    values = Values({"⊢ r": -0.5})
    server = MockLeanServer(table={("⊢ r", "x"): ("⊢ s",)})
    driver = Driver(server, MockPolicy({}, default=["x"]), config, value=values)
    ((_, result),) = driver.run(["r"])
    # Both searches expand r and s.
    assert (result.status, result.expansions) == ("failed", 4)
    assert server.live_states == 0


def test_a_value_goes_up_multiplied_by_the_goals_beside_its_way() -> None:
    table = {("⊢ r", "split"): ("⊢ a", "⊢ b"), ("⊢ a", "on"): ("⊢ c",), ("⊢ b", "on"): ("⊢ d",)}
    policy = MockPolicy({"⊢ r": [("split", -0.1)]}, default=["on"])
    config = SearchConfig(search="mcts", nodes_per_round=1, budget=SearchBudget(expansions=3))
    searches: list[Search] = []
    driver = Driver(MockLeanServer(table=table), policy, config, on_end=lambda _, search: searches.append(search))
    list(driver.run(["r"]))
    (search,) = searches
    assert isinstance(search, MonteCarloTreeSearch)
    # A state of one goal is worth 1/2. r: 1/2 of a times 1/2 of b. a: 1/2, at r times 1/2 of b, not visited yet.
    # b: 1/2, at r times the mean of a, 1/2.
    assert [call[0] for call in policy.calls] == ["⊢ r", "⊢ a", "⊢ b"]
    assert [search._sums[node] for node in range(3)] == [0.25 + 0.25 + 0.25, 0.5, 0.5]


@pytest.mark.parametrize(
    ("widening", "asked"),
    [
        (0.5, [1, 3, 6, 11]),  # k tactics are too few after k² + 1 visits
        (1.0, [1, *range(3, 12)]),  # after k + 1
    ],
)
def test_a_state_gets_more_tactics_as_its_visits_grow(widening: float, asked: list[int]) -> None:
    """Every descent visits the root, and each time the root is asked about it gets one tactic more, which works."""

    class Inventive(MockPolicy):
        samples = True

        def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
            super().suggest(goals, k)
            return [[Suggestion(f"t{len(self.calls)}", -1.0, 1)] for _ in goals]

    table = {("⊢ r", f"t{n}"): (f"⊢ s{n}",) for n in range(12)}
    table |= {(f"⊢ s{m}", f"t{n}"): (f"⊢ s{m}.{n}",) for m in range(12) for n in range(12)}
    policy = Inventive({})
    config = SearchConfig(
        search="mcts", widening=widening, nodes_per_round=1, resamples=20, budget=SearchBudget(expansions=11)
    )
    result = run(MockLeanServer(table=table), policy, "r", config)
    assert result.expansions == 11
    assert [at for at, call in enumerate(policy.calls, 1) if call[0] == "⊢ r"] == asked


def test_a_portfolio_hands_on_what_is_left() -> None:
    # Depth-first gives up at once: nothing works at the root but what it does not draw; best-first finds it.
    server = MockLeanServer()
    config = SearchConfig(
        search="portfolio", portfolio=("beam", "best_first"), beam_width=1, budget=SearchBudget(40, 200), remember=False
    )
    table = {("⊢ r", "likely"): ("⊢ dead",), ("⊢ r", "other"): ("⊢ good",), ("⊢ good", "done"): ()}
    policy = MockPolicy({}, default=["likely", "other", "done"])
    result = run(MockLeanServer(table=table), policy, "r", config)
    assert (result.status, result.script) == ("proved", ("other", "done"))
    # Beam: r and dead. Best-first: r, then dead and good in one round. The first state counts once.
    assert result.expansions == 2 + 3
    assert result.lean_calls == 1 + (3 + 3) + (3 + 3 + 3)
    assert server.live_states == 0


def test_busy_time_is_the_union_of_spans() -> None:
    assert covered([(0, 2), (1, 3), (5, 6), (5.5, 5.7)]) == 4.0
    timer = WorkTimer()
    timer.ran(0.0, 10.0)
    timer.add("policy", 0.0, 4.0)
    timer.add("lean", 3.0, 9.0)
    assert timer.usage().busy == 9.0
    assert str(timer.usage()) == "policy or Lean at work 90 % of 10.0 s (policy 40 %, Lean 60 %)"
