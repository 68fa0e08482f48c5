"""Best-first search over single steps, over the mock world."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.errors import ConfigError, FailureKind, LeanError, TacticFailure
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import Consequence, Goal, GoalState, LeanProject, TheoremSite, Variable
from lean_agent.policy.base import Policy, Suggestion
from lean_agent.policy.closers.schemes import BY_SIMP, LAWS_REQUEST
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig, SearchResult
from lean_agent.prover.driver import Driver
from lean_agent.prover.searches.base import SearchContext, Success, TrialResult
from lean_agent.prover.searches.best_step import BEFORE_NOTATION, BestStepSearch
from lean_agent.prover.tree.alternatives import tracing
from lean_agent.prover.tree.graph import Node, ProofGraph


class Writing(MockLeanServer):
    """Writes down every tactic, with its state."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.ran: list[tuple[str, str]] = []

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        self.ran += [(state.text, tactic) for state, tactic in pairs]
        return super().goal_tactics(pairs, timeout_s=timeout_s)


def run(server: MockLeanServer, policy: Policy, origin: str, **options: object) -> SearchResult:
    single: dict[str, object] = {} if "search" in options else {"tactics_per_round": 1}
    settings = {"search": "best_step", "nodes_per_round": 1, "length_exponent": 0.0, **single, **options}
    ((_, result),) = Driver(server, policy, SearchConfig(**settings)).run([origin])  # type: ignore[arg-type]
    assert server.live_states == 0
    return result


def test_unlikely_tactics_wait_for_likelier_ones_of_other_states() -> None:
    table = {("⊢ r", "one"): ("⊢ x",), ("⊢ r", "two"): ("⊢ y",), ("⊢ x", "three"): ("⊢ z",), ("⊢ z", "done"): ()}
    says = {
        "⊢ r": [("one", -0.5), ("two", -3.0)],
        "⊢ x": [("three", -1.0), ("four", -2.0)],
        "⊢ y": [("five", -0.1)],
        "⊢ z": [("done", -2.0)],
    }
    server, policy = Writing(table=table), MockPolicy(says)
    result = run(server, policy, "r")
    # Sums of log-probabilities: one -0.5, three -1.5, four -2.5, two -3, five -3.1, done -3.5.
    assert [tactic for _, tactic in server.ran] == ["one", "three", "four", "two", "five", "done"]
    # z is reached at -1.5, and so it is asked about before `four` is run; y at -3, before `done`.
    assert [call[0] for call in policy.calls] == ["⊢ r", "⊢ x", "⊢ z", "⊢ y"]
    assert (result.status, result.script) == ("proved", ("one", "three", "done"))
    # Best-first over states runs all of a state at once.
    plain = Writing(table=table)
    run(plain, MockPolicy(says), "r", search="best_first")
    assert [tactic for _, tactic in plain.ran] == ["one", "two", "three", "four", "done"]


class Lawful(Writing):
    """Answers a request for laws as Lean does: with what stands in its place."""

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        results = super().goal_tactics(pairs, timeout_s=timeout_s)
        said = ("Try this:\nhave law_1 : a = b := by rfl\nhave law_2 : b = c := by rfl",)
        return [
            replace(result, messages=said) if tactic == LAWS_REQUEST and isinstance(result, GoalState) else result
            for (_, tactic), result in zip(pairs, results, strict=True)
        ]


def test_laws_are_asked_for_once_and_stand_in_the_proof_in_the_place_of_the_request() -> None:
    table = {("⊢ r", LAWS_REQUEST): ("⊢ x",), ("⊢ r", "step"): ("⊢ y",), ("⊢ x", "late"): ()}
    says = {
        "⊢ r": [("step", -1.0), (LAWS_REQUEST, -3.0), ("other", -3.5)],
        "⊢ y": [(LAWS_REQUEST, -0.1), ("five", -4.0)],
        "⊢ x": [(LAWS_REQUEST, -0.1), ("late", -3.2)],
    }
    server = Lawful(table=table)
    result = run(server, MockPolicy(says), "r")
    # behind the laws a step is as likely as it would be before them: `late` comes before `other`
    assert [tactic for _, tactic in server.ran] == ["step", LAWS_REQUEST, "late"]
    assert result.script == ("have law_1 : a = b := by rfl", "have law_2 : b = c := by rfl", "late")


def test_a_policy_that_does_not_draw_is_asked_for_more_where_nothing_is_left() -> None:
    listed = ["a", "b", "c", "d", "e", "f", "last"]
    says = {"⊢ r": [(tactic, -1.0 - place) for place, tactic in enumerate(listed)]}
    server, policy = Writing(table={("⊢ r", "last"): ()}), MockPolicy(says)
    result = run(server, policy, "r", tactics_per_node=2)
    assert result.status == "proved" and [tactic for _, tactic in server.ran] == listed, "none of them twice"
    assert len(policy.calls) == 3, "for two, four and eight"
    # It ends when that brings nothing more, or with the budget.
    hopeless, few = Writing(table={}), MockPolicy({"⊢ r": says["⊢ r"][:3]})
    assert run(hopeless, few, "r", tactics_per_node=2).status == "failed"
    assert [tactic for _, tactic in hopeless.ran] == ["a", "b", "c"] and len(few.calls) == 2, "it gave three of four"
    budget = SearchBudget(lean_calls=4)
    assert run(Writing(table={}), MockPolicy(says), "r", tactics_per_node=2, budget=budget).status == "budget"


class Failing(Writing):
    """Fails at every tactic with a certain word in it, as Lean does."""

    def __init__(self, word: str, failure: tuple[FailureKind, str], table: Mapping[tuple[str, str], tuple[str, ...]]):
        super().__init__(table=table)
        self.word = word
        self.failure = failure

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        results = super().goal_tactics(pairs, timeout_s=timeout_s)
        return [
            TacticFailure(tactic, *self.failure) if self.word in tactic else result
            for (_, tactic), result in zip(pairs, results, strict=True)
        ]


UNKNOWN: tuple[FailureKind, str] = ("error", "Unknown constant `gone`")
NOT_INDUCTIVE: tuple[FailureKind, str] = (
    "error",
    "Tactic `cases` failed: major premise type is not an inductive type",
)
TOO_LATE: tuple[FailureKind, str] = ("timeout", "stopped at the time limit")
TOO_DEEP: tuple[FailureKind, str] = (
    "error",
    "Tactic `simp` failed with a nested error:\nmaximum recursion depth has been reached\nuse `set_option …",
)


@pytest.mark.parametrize("others", [[], [("simp [f]", -3.0), ("later", -4.0)], [("later", -0.5)], [("later", -4)]])
def test_a_tactic_runs_again_without_the_entry_that_is_refused(others: list[tuple[str, float]]) -> None:
    server = Failing("gone", UNKNOWN, {("⊢ r", "simp [f]"): ()})
    policy = MockPolicy({"⊢ r": [("simp [f, gone]", -1.0), *others]})
    assert run(server, policy, "r").script == ("simp [f]",)
    ran = [tactic for _, tactic in server.ran]
    assert len(ran) == len(set(ran)), "once, also where it waited already"
    # Where that fails, too, it is over: neither is run twice.
    hopeless = Failing("gone", UNKNOWN, {})
    assert run(hopeless, policy, "r").status == "failed"
    assert sorted(tactic for _, tactic in hopeless.ran) == sorted({"simp [f, gone]", "simp [f]", *dict(others)})


def test_what_is_hopeless_is_passed_over_and_the_search_ends() -> None:
    goal = "σ : Renaming\n⊢ a"
    says = {"⊢ r": [("intro", -1.0)], goal: [("cases σ", -1.0), ("cases σ <;> simp", -2.0), ("induction σ", -3.0)]}
    server = Failing("cases", NOT_INDUCTIVE, {("⊢ r", "intro"): (goal,)})
    result = run(server, MockPolicy(says), "r", budget=SearchBudget(seconds=60.0))
    assert result.status == "failed" and result.cost.seconds < 30, "it does not wait for its time to be over"
    assert [tactic for _, tactic in server.ran] == ["intro", "cases σ"]


@pytest.mark.parametrize("how", [TOO_LATE, TOO_DEEP])
def test_what_simp_all_does_not_come_to_an_end_in_is_tried_without_it(how: tuple[FailureKind, str]) -> None:
    composite = "{} <;> first | (simp_all!; done) | grind"
    table = {("⊢ r", "right <;> grind"): ()}
    says = {"⊢ r": [(composite.format("left"), -0.1), ("simp_all!", -3.0), (composite.format("right"), -9.0)]}
    server = Failing("simp_all!", how, table)
    assert run(server, MockPolicy(says), "r").script == ("right <;> grind",)
    tried = [tactic for _, tactic in server.ran]
    assert tried == [tracing(composite.format("left")), "simp_all!", "right <;> grind"], (
        "others, and not the same again"
    )
    whole = Failing("simp_all!", how, table)
    run(whole, MockPolicy(says), "r", mend_names=False)
    assert [tactic for _, tactic in whole.ran] == [tracing(tactic) for tactic, _ in says["⊢ r"]]


def test_what_only_introduces_comes_first_where_that_is_wanted() -> None:
    goal, inside = "⊢ ∀ n, p n → q n", "n : N\nh : p n\n⊢ q n"
    intros = [("intro n", -2.0), ("intro n h", -3.0), ("intro n h x", -1.9), ("intro ⟨n⟩ ⟨h⟩", -1.5)]
    said = [("simp", -1.0), *intros, ("intros; rfl", -2.5)]
    says = {"⊢ r": [("begin", -0.1)], goal: said, inside: [("exact h", -1.6)]}
    table = {("⊢ r", "begin"): (goal,), (goal, "intro n h"): (inside,), (inside, "exact h"): ()}
    orders = {}
    for first in (True, None):
        server = Writing(table=table)
        run(server, MockPolicy(says), "r", intro_first=first)
        orders[first] = [tactic for _, tactic in server.ran]
    assert orders[True] == ["begin", "intro n h", "intro ⟨n⟩ ⟨h⟩", "exact h"], "what follows costs no more"
    slow = ["begin", "simp", "intro ⟨n⟩ ⟨h⟩", "intro n h x", "intro n", "intros; rfl", "intro n h", "exact h"]
    assert orders[None] == slow
    # Where the target binds nothing, an `intro` is a tactic like others.
    other = Writing()
    run(other, MockPolicy({"⊢ q": [("simp", -1.0), ("intro h", -2.0)]}), "q", intro_first=True)
    assert [tactic for _, tactic in other.ran] == ["simp", "intro h"]


@pytest.mark.parametrize("tactic", ["simp_all!", BY_SIMP, "grind [f]"])
def test_what_does_the_same_after_an_introduction_waits_for_it(tactic: str) -> None:
    root = GoalState("p", (), (Goal("1", "∀ n, p n", (), text="⊢ ∀ n, p n"),))
    search = BestStepSearch(root, SearchContext(SearchConfig("best_step", intro_first=True)))
    suggestions = [Suggestion(each, -1.0, 0) for each in ("intro n", tactic, "left")]
    assert [each.tactic for each in search.reword(search.graph.root, suggestions)] == ["intro n", "left"]


def test_what_a_definition_says_is_introduced() -> None:
    suggestions = [Suggestion(tactic, -2.0, 0) for tactic in ("intro x", "intros", "rfl", "intros; rfl")]
    injective = Goal("1", "Injective f", (Variable("a", "Nat"),), binders=("a", "b", "h"))
    for goal, tactics in (
        (injective, ["intro a₁ b h", "intro x", "intros", "rfl", "intros; rfl"]),
        (Goal("1", "f = g", ()), ["rfl", "intros; rfl"]),
    ):
        root = GoalState("p", (), (goal,))
        search = BestStepSearch(root, SearchContext(SearchConfig("best_step", intro_first=True)))
        assert [each.tactic for each in search.reword(search.graph.root, suggestions)] == tactics


def test_what_closes_a_goal_or_fails_is_tried_in_one_call() -> None:
    says = {"⊢ r": [("omega", -1.0), ("next", -1.5), ("grind", -2.0), ("rfl", -3.0)]}
    says["⊢ x"] = [("decide", -0.5), ("omega", -1.0), ("trivial", -1.5), ("grind", -2.0), ("rfl", -3.0)]
    table = {("⊢ r", "next"): ("⊢ x",), ("⊢ x", "omega"): ()}
    server = Writing(table=table)
    result = run(server, MockPolicy(says), "r", tactics_per_node=8)
    at_once = "first | rfl | omega | trivial | decide | grind"
    assert server.ran == [("⊢ r", tracing("first | rfl | omega | grind")), ("⊢ r", "next"), ("⊢ x", tracing(at_once))]
    assert result.script == ("next", "omega"), "the proof has the one that worked"
    # A state that is asked about again is asked for new ones alone.
    again = Writing(table=table)
    run(again, MockPolicy({"⊢ r": says["⊢ x"]}), "r", tactics_per_node=3)
    twice = ["first | omega | trivial | decide", "first | rfl | grind"]
    assert [tactic for _, tactic in again.ran] == list(map(tracing, twice))
    # Where one of them goes too deep Lean tries none of those that follow.
    all_of_them = tracing("first | rfl | omega | grind")
    too_deep = TacticFailure(all_of_them, *TOO_DEEP)
    deep = Writing(table={("⊢ r", all_of_them): too_deep, ("⊢ r", "grind"): ()})
    assert run(deep, MockPolicy({"⊢ r": says["⊢ r"]}), "r", tactics_per_node=8).script == ("grind",)
    assert [tactic for _, tactic in deep.ran] == [all_of_them, tracing("first | omega | grind")]
    one_by_one = Writing(table=table)
    run(one_by_one, MockPolicy(says), "r", tactics_per_node=8, closers_at_once=False)
    assert [tactic for _, tactic in one_by_one.ran] == ["omega", "next", "grind", "decide", "omega"]


def test_simp_all_is_tried_as_what_closes_a_goal_and_written_as_it_is() -> None:
    says = {"⊢ r": [(BY_SIMP, -1.0), ("next", -2.0), ("grind", -3.0)], "⊢ x": [("grind", -1.0), (BY_SIMP, -2.0)]}
    server = Writing(table={("⊢ r", "next"): ("⊢ x",), ("⊢ x", BY_SIMP): ()})
    result = run(server, MockPolicy(says), "r", tactics_per_node=8)
    at_once = tracing(f"first | {BY_SIMP} | grind")
    assert server.ran == [("⊢ r", at_once), ("⊢ r", "next"), ("⊢ x", at_once)]
    assert result.script == ("next", "simp_all!")


def test_after_some_that_were_stopped_tactics_have_less_time() -> None:
    limits: list[float | None] = []

    class Limited(Failing):
        def goal_tactics(
            self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
        ) -> list[TacticResult]:
            limits.extend([timeout_s] * len(pairs))
            return super().goal_tactics(pairs, timeout_s=timeout_s)

    says = [*(f"late {number}" for number in range(4)), "no", "done"]
    policy = {"⊢ r": [(tactic, -1.0 - place) for place, tactic in enumerate(says)]}
    server = Limited("late", TOO_LATE, {("⊢ r", "done"): ()})
    assert run(server, MockPolicy(policy), "r", patience=3, briefly_s=0.5, tactic_timeout_s=7.0).status == "proved"
    assert limits == [7.0] * 3 + [0.5] * 3
    limits.clear()
    run(Limited("late", TOO_LATE, {("⊢ r", "done"): ()}), MockPolicy(policy), "r", patience=1, tactic_timeout_s=1.0)
    assert set(limits) == {1.0}, "never more than that"


def test_what_exists_is_taken_apart_first() -> None:
    suggestions = [Suggestion(tactic, -2.0, 0) for tactic in ("simp", "cases h", "rfl", "obtain ⟨k, h₁⟩ := h")]
    plain = (Variable("k", "Nat"), Variable("g", "Even n"), Variable("h", "∃ k, n = k + k"))
    spoken_of = (*plain, Variable("e", "f g = 1"))
    even = (Consequence("next g", "∃ k, n + 1 = k"), Consequence("g", "∃ k, n = 2 * k ∧ 0 < k"))
    rest = ["cases h", "rfl", "obtain ⟨k, h₁⟩ := h"]
    for variables, target, consequences, first in (
        (plain, "0 < n", even, "obtain ⟨k₁, h₁, h₂⟩ := g"),
        (plain, "0 < n", (), None),  # `simp_all` and `grind` see what is printed
        (spoken_of, "0 < n", even, None),  # it would be there afterwards, to be taken apart again
        (plain, "∀ m, m < n", even, None),
        (plain, "P ?m", even, None),
    ):
        goal = Goal("1", target, variables, text=f"⊢ {target}", consequences=consequences)
        search = BestStepSearch(GoalState("p", (), (goal,)), SearchContext(SearchConfig("best_step", intro_first=True)))
        tried = search.reword(search.graph.root, suggestions)
        if first is None:
            assert tried == suggestions
        else:
            assert [each.tactic for each in tried] == [first, *rest] and tried[0].logprob == 0.0


def test_what_notation_means_is_said_first() -> None:
    elsewhere = "have add_notation' : ∀ x : M, x + x = x := fun _ => rfl"
    suggestions = [Suggestion(tactic, -1.0, 0) for tactic in ("grind [N.add]", elsewhere, "induction n")]
    add = "have add_notation : ∀ (x y : N), x + y = x.add y := fun _ _ => rfl"
    zero = "have zero_means : (0 : N) = zero := rfl"
    meanings = tuple(Consequence(meaning, "", kind="notation") for meaning in (add, zero))
    for target, consequences, tried in (
        ("n + 0 = n", meanings, [(f"{add}; {zero}", 0.0), ("induction n", -1.0 - BEFORE_NOTATION)]),
        ("n + 0 = n", (), [("grind [N.add]", -1.0), ("induction n", -1.0)]),
        ("∀ m : N, n + m = m", meanings, [("grind [N.add]", -1.0), ("induction n", -1.0)]),  # `m` comes first
    ):
        goal = Goal("1", target, (Variable("n", "N"),), text=f"n : N\n⊢ {target}", consequences=consequences)
        search = BestStepSearch(GoalState("p", (), (goal,)), SearchContext(SearchConfig("best_step", intro_first=True)))
        answers = search.reword(search.graph.root, suggestions)
        assert [(each.tactic, each.logprob) for each in answers] == tried


def test_a_tactic_that_names_the_theorem_itself_is_left_out(tmp_path: Path) -> None:
    site = TheoremSite(LeanProject(tmp_path, tmp_path), "A.lean", "_private.A.0.Lists.rev_rev")
    says = (
        "rw [rev_rev]",
        "exact Lists.rev_rev xs",
        "simp [rev_rev_cons]",
        "rw [List.rev_rev]",
        "exact rev_rev.symm xs",
    )
    suggestions = [Suggestion(tactic, -1.0, 0) for tactic in says]
    root = GoalState(site, (), (Goal("1", "rev (rev xs) = xs", ()),))
    for mend, left in ((True, says[2:]), (False, says)):
        search = BestStepSearch(root, SearchContext(SearchConfig("best_step", mend_names=mend)))
        assert [each.tactic for each in search.reword(search.graph.root, suggestions)] == list(left)


def test_length_is_normalised() -> None:
    # x is one step of -2 away, y two of -1.5 each: its sum is less, its mean is more.
    table = {("⊢ r", "b"): ("⊢ b",)}
    says = {"⊢ r": [("b", -1.5), ("a", -2.0)], "⊢ b": [("c", -1.5)]}
    orders = {}
    for exponent in (0.0, 1.0):
        server = Writing(table=table)
        run(server, MockPolicy(says), "r", length_exponent=exponent)
        orders[exponent] = [tactic for _, tactic in server.ran]
    assert orders == {0.0: ["b", "a", "c"], 1.0: ["b", "c", "a"]}


def test_a_goal_waits_for_the_one_before_it() -> None:
    table = {("⊢ r", "split"): ("⊢ a", "⊢ b"), ("⊢ r", "other"): ("⊢ c",), ("⊢ c", "end_c"): ()}
    says = {
        "⊢ r": [("split", -0.1), ("other", -2.0)],
        "⊢ a": [("end_a", -1.0)],
        "⊢ b": [("end_b", -1.0)],
        "⊢ c": [("end_c", -1.0)],
    }
    # a is never proved: nothing is asked of b, for all that it is likelier than c.
    server, policy = Writing(table=table), MockPolicy(says)
    assert run(server, policy, "r").script == ("other", "end_c")
    assert [call[0] for call in policy.calls] == ["⊢ r", "⊢ a", "⊢ c"]
    # Once a is proved, b has its turn.
    server, policy = Writing(table={**table, ("⊢ a", "end_a"): (), ("⊢ b", "end_b"): ()}), MockPolicy(says)
    assert run(server, policy, "r").status == "proved"
    assert [call[0] for call in policy.calls] == ["⊢ r", "⊢ a", "⊢ b"]


def test_a_goal_that_waits_has_its_turn_where_it_comes_alone() -> None:
    table = {("⊢ r", "split"): ("⊢ a", "⊢ b"), ("⊢ r", "other"): ("⊢ b",), ("⊢ b", "end_b"): ()}
    says = {
        "⊢ r": [("split", -0.1), ("other", -1.5), ("late", -3.0)],
        "⊢ a": [("end_a", -1.0)],
        "⊢ b": [("end_b", -1.0)],
    }
    server, policy = Writing(table=table), MockPolicy(says)
    assert run(server, policy, "r").script == ("other", "end_b")
    assert "late" not in [tactic for _, tactic in server.ran]  # b is as likely as it was when it was met


def test_what_a_lean_call_costs_does_not_grow_with_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0
    plain = ProofGraph.is_relevant

    def counted(graph: ProofGraph, node: Node, *, in_turn: bool = False) -> bool:
        nonlocal looks
        looks += 1
        return plain(graph, node, in_turn=in_turn)

    monkeypatch.setattr(ProofGraph, "is_relevant", counted)
    # A tree without end: five tactics at every state, each of which leads to a new one; one leads to two.
    world = {
        (f"⊢ {n}", f"t{m}"): (f"⊢ {6 * n + m + 1}", *([f"⊢ {6 * n + 6}"] if m == 4 else []))
        for n in range(1_000)
        for m in range(5)
    }
    policy = MockPolicy({}, default=[f"t{m}" for m in range(5)])
    for calls in (400, 800):
        looks = 0
        budget = SearchBudget(expansions=10**6, lean_calls=calls)
        result = run(MockLeanServer(table=world), policy, "0", budget=budget, nodes_per_round=4, tactics_per_round=8)
        assert result.lean_calls == calls
        assert looks < 4 * calls  # some for each tactic, some for each state


class Drawing(MockPolicy):
    """Draws at random, as it were: each call has the next of ``answers``, and the last one from then on."""

    samples = True

    def __init__(self, *answers: Sequence[tuple[str, float]]) -> None:
        super().__init__({})
        self._answers = answers

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        answer = self._answers[min(len(self.calls), len(self._answers) - 1)]
        self.calls.append(tuple(goals))
        return [[Suggestion(tactic, math.log(p), 1) for tactic, p in answer] for _ in goals]


def test_a_state_is_asked_about_again_when_what_is_left_comes_first() -> None:
    server = Writing(table={("⊢ r", "done"): ()})
    policy = Drawing([("a", 0.4), ("b", 0.05)], [("a", 0.4), ("done", 0.2)])
    result = run(server, policy, "r")
    # After the first answer 0.55 is left; once asked, it counts e times less, 0.2: after a, before b.
    assert [tactic for _, tactic in server.ran] == ["a", "done"]
    assert (result.status, result.expansions, result.lean_calls) == ("proved", 2, 3)


def test_of_tactics_with_one_head_some_are_tried_and_others_passed_over() -> None:
    server = Writing(table={("⊢ r", "rw [c]"): ()})
    policy = MockPolicy({}, default=["simp", "rw [a]", "rw [b]", "rw [c]", "omega"])
    assert run(server, policy, "r").status == "proved"
    server.ran.clear()
    assert run(server, policy, "r", tactics_per_head=2).status == "failed"
    assert {tactic for _, tactic in server.ran} == {"simp", "rw [a]", "rw [b]", "omega"}
    with pytest.raises(ConfigError, match="tactics_per_head must be a whole number from 1 on"):
        SearchConfig(tactics_per_head=0)


def test_asking_again_ends() -> None:
    for resamples in (0, 3):
        policy = Drawing([("a", 0.4)])
        result = run(Writing(), policy, "r", resamples=resamples)
        assert (result.status, result.expansions, result.lean_calls) == ("failed", 1 + resamples, 2)
    # Where all seems said, as where an endpoint tells no probabilities but shares of its answers, it is asked last.
    server = Writing(table={("⊢ r", "done"): ()})
    shares = Drawing([("a", 0.5), ("b", 0.5)], [("b", 0.5), ("done", 0.5)])
    assert run(server, shares, "r", resamples=2).status == "proved"
    assert [tactic for _, tactic in server.ran] == ["a", "b", "done"]


def test_what_waits_is_run_when_nobody_may_be_asked_any_more() -> None:
    server = Writing(table={("⊢ r", "c"): ()})
    result = run(server, Drawing([("a", 0.4), ("b", 0.01), ("c", 0.01)]), "r", budget=SearchBudget(expansions=1))
    assert [tactic for _, tactic in server.ran] == ["a", "b", "c"]
    assert (result.status, result.expansions) == ("proved", 1)
    assert run(Writing(), Drawing([("a", 0.4)]), "r", budget=SearchBudget(expansions=1)).status == "budget"


def test_tactics_with_names_that_are_not_there_come_later() -> None:
    failure = TacticFailure("exact List.sum_nil", "error", "Unknown identifier `List.sum_nil`")
    says = [("exact List.sum_nil", -0.5), ("exact hq", -0.6), ("rw [List.sum_nil]", -1.0), ("simp", -3.0)]
    server = Writing(table={("⊢ r", "exact List.sum_nil"): failure})
    run(server, MockPolicy({"⊢ r": says}), "r")
    # hq looks like a hypothesis and is none: -3.6. List.sum_nil is unknown once that has been said: -4.
    assert [tactic for _, tactic in server.ran] == ["exact List.sum_nil", "simp", "exact hq", "rw [List.sum_nil]"]


def test_invariants_hold_after_every_round_of_a_random_search() -> None:
    rng = math.pi
    table: dict[tuple[str, str], tuple[str, ...]] = {}
    for n in range(30):
        for m in range(4):
            rng = (rng * 997.13) % 1.0
            table[f"⊢ {n}", f"t{m}"] = (f"⊢ {int(rng * 30)}",)
    server = MockLeanServer(table=table)
    policy = Drawing([("t2", 0.3), ("t0", 0.1)], [("t1", 0.1), ("t3", 0.1)])
    config = SearchConfig(nodes_per_round=3, tactics_per_round=5)
    machine = BestStepSearch(server.goal_start("0"), SearchContext(config, samples=True))
    rounds = 0
    while not machine.is_over:
        questions = machine.ask()
        trials = machine.propose(policy.suggest([question.goal for question in questions], 4), tokens=0)
        assert questions or trials
        results = server.goal_tactics([(trial.state, trial.tactic) for trial in trials])
        outcomes: list[TrialResult] = [one if isinstance(one, LeanError) else Success(one, (one,)) for one in results]
        server.release(machine.absorb(outcomes))
        machine.graph.check_invariants()
        rounds += 1
        assert server.live_states == len(machine.live_states())
    assert len(machine.graph.nodes) > 10 and rounds < 400


def test_mended_tactics_that_are_the_same_run_once_with_the_probabilities_of_all() -> None:
    says = [("other", 0.3), ("exact h1", 0.2), ("exact h2", 0.2), ("simp", 0.1)]
    policy = MockPolicy(
        {"⊢ r": [("intro h", -0.1)], "h : p\n⊢ p": [(tactic, math.log(chance)) for tactic, chance in says]}
    )
    ran = {}
    for mend in (True, False):
        server = Writing(table={("⊢ r", "intro h"): ("h : p\n⊢ p",)})
        run(server, policy, "r", mend_names=mend, learn_refusals=False)
        ran[mend] = [tactic for _, tactic in server.ran[1:]]
    # Both become `exact h`, which 0.2 + 0.2 puts before `other`, and which proves the goal.
    assert ran == {True: ["exact h"], False: ["other", "simp", "exact h1", "exact h2"]}
