"""What a run learns from the tactics that Lean refuses."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from lean_agent.lean.types import Goal, Variable
from lean_agent.prover.refusals import (
    ENDLESS,
    LEAST,
    TOO_DEEP,
    UNKNOWN_NAME_PENALTY,
    Features,
    Refusals,
    SearchRefusals,
    names_used,
    without_computing,
    without_refused,
    without_simp,
)

GOAL = Goal("0", "size n = n", (Variable("n", "Nat"), Variable("h", "n ≤ m")), text="n : Nat\nh : n ≤ m\n⊢ size n = n")
OTHER = Goal("1", "size n ≤ n", GOAL.variables, text="n : Nat\nh : n ≤ m\n⊢ size n ≤ n")


@pytest.mark.parametrize(
    ("tactic", "names"),
    [
        ("exact h.1", {"exact", "h"}),
        ("intro x hx", set()),
        ("intro x; exact hx", {"exact", "hx"}),
        ("exact fun x y => f x", {"exact", "f"}),
        ("obtain ⟨x, hx⟩ := h", {"h"}),
        ("rcases h with ⟨x, y⟩", {"rcases", "h"}),
        ("have k : p := h", {"p", "h"}),
        ("rw [Nat.add_comm, ih] at h₁", {"Nat", "Nat.add_comm", "ih", "h₁"}),
    ],
)
def test_names_that_a_tactic_binds_are_not_used(tactic: str, names: set[str]) -> None:
    assert names_used(tactic) == names


@pytest.mark.parametrize("learns", [True, False])
def test_names_are_learnt_from_what_lean_says(learns: bool) -> None:
    search = SearchRefusals(Refusals() if learns else None)
    assert search.gain("exact foo", GOAL) == 0.0
    search.failed("rw [foo]", GOAL, "Unknown identifier `foo`")
    search.failed("rw [Nat.bar]", GOAL, "Unknown constant `Nat.bar`")
    search.failed("simp", GOAL, "unsolved goals\nUnknown constant `x`")
    for tactic in ("exact foo", "exact Nat.bar", "exact h₂"):  # the last looks like a hypothesis, and is none
        assert search.gain(tactic, GOAL) <= -UNKNOWN_NAME_PENALTY
    assert search.gain("exact h.2", GOAL) == search.gain("exact x", Goal("0", "p", (Variable("x", "p"),))) == 0.0


def test_without_a_run_nothing_but_names_counts() -> None:
    search = SearchRefusals(None)
    for _ in range(9):
        search.failed("omega", GOAL, "omega could not prove the goal")
        search.worked("simp", GOAL, is_news=True)
    assert search.gain("omega", GOAL) == search.gain("simp", GOAL) == 0.0


def _features(kind: str, *others: str) -> Features:
    return Features(kind, dict.fromkeys((kind, *others), 1.0))


def test_one_step_of_learning() -> None:
    run = Refusals()
    features = _features("omega", "omega at =")
    assert (run.probability(features), run.gain(features)) == (0.5, 0.0)
    run.learn(features, worked=False)
    # The error is -0.5 and so is the root of its square: each weight goes down by the rate of 0.5, z = -1.
    assert run.probability(features) == pytest.approx(1 / (1 + math.e))
    # Of one omega none has worked: (0 + 1) / (1 + 2). 1 / (1 + e) is 0.269, so that is 0.21 nats less than usual.
    assert run.gain(features) == pytest.approx(math.log(0.2689414 * 3), abs=1e-6)
    other = _features("omega", "omega at ≤")
    run.learn(other, worked=True)
    assert run.gain(other) > 0 > run.gain(features)


def test_a_feature_that_counts_half_decides_half_as_much() -> None:
    run = Refusals()
    features = Features("omega", {"omega": 1.0, "name a": 0.5, "name b": 0.5})
    run.learn(features, worked=False)
    # The rate is that of each gradient's own size, so that each weight goes down by 0.5, and z = -0.5 - 0.25 - 0.25.
    assert run.probability(features) == pytest.approx(1 / (1 + math.e))


def test_what_a_search_meets_counts_in_the_next_one() -> None:
    run = Refusals()
    for number in range(20):
        first = SearchRefusals(run)
        first.failed("omega", GOAL, f"omega could not prove the goal {number}")
        first.worked("omega", OTHER, is_news=True)
        first.worked("simp", GOAL, is_news=False)  # known states are no news
        first.worked("simp", OTHER, is_news=True)
    later = SearchRefusals(run)
    for tactic in ("omega", "simp"):
        assert later.gain(tactic, GOAL) < -1 and later.gain(tactic, OTHER) > 0.3


def test_gains_have_limits() -> None:
    run = Refusals()
    search = SearchRefusals(run)
    for _ in range(500):
        search.failed("rw [foo] at h", GOAL, "Unknown identifier `foo`")
        search.worked("rw [size] at h", OTHER, is_news=True)
    assert search.gain("rw [foo] at h", GOAL) == LEAST
    assert search.gain("rw [size] at h", OTHER) <= 1.0
    assert math.isfinite(search.gain("", GOAL))


SUCC = Goal(
    "2",
    "triple (n + 1) = 3 * (n + double n)",
    (Variable("n", "Nat"), Variable("m✝", "Nat", is_inaccessible=True), Variable("ih", "triple n = 3 * n")),
    text="n m✝ : Nat\nih : triple n = 3 * n\n⊢ triple (n + 1) = 3 * (n + double n)",
)


LIFTED = Goal(
    "3",
    "(⇑ f) n = (⇑ g) n",
    (Variable("f", "Nat → Nat"), Variable("ξ", "Renaming"), Variable("h", "f = g"), Variable("n", "Nat")),
    text="f : Nat → Nat\nξ : Renaming\nh : f = g\nn : Nat\n⊢ (⇑ f) n = (⇑ g) n",
    definitions=("Stlc.up", "lift"),
)


@pytest.mark.parametrize(
    "tactic", ["simp_all [up, cons]", "grind [Stlc.up, wp, le_of, up]", "simp [lift, h]", "unfold up"]
)
def test_definitions_with_short_names_stay(tactic: str) -> None:
    """A notation hides ``up`` from the goal's text; what stands in a list is no value in any case."""
    assert SearchRefusals(Refusals()).mend(tactic, LIFTED) == tactic


@pytest.mark.parametrize(
    ("tactic", "message", "rest"),
    [
        (
            "simp_all [lift, ξ]",
            "Invalid argument: Variable `ξ` is not a proposition or let-declaration",
            "simp_all [lift]",
        ),
        ("grind [a, ← e, b]", "redundant parameter `e`, `grind` uses local hypotheses automatically", "grind [a, b]"),
        ("cases h <;> simp [f, g]", "failed to generate equation theorems for `f`", "cases h <;> simp [g]"),
        ("grind [a, gone]", "Unknown constant `gone`", "grind [a]"),
        ("grind [= a, a, = b, b]", "Unknown constant `a`", "grind [= b, b]"),
        ("grind [Exp.a, = Exp.Eval.b, E.c, Expr.d]", "Unknown identifier `Exp.a`", "grind [E.c, Expr.d]"),  # its file
        ("simp [E.a, E.b]", "failed to generate equation theorems for `E.a`", "simp [E.b]"),
        (
            "induction h generalizing b h₂ <;> grind [h₂]",
            "Unnecessary `generalizing` argument: Variable `h₂` is generalized automatically",
            "induction h generalizing b <;> grind [h₂]",
        ),
        (
            "induction h generalizing h₂ with simp",
            "Unnecessary `generalizing` argument: Variable `h₂` is generalized automatically",
            "induction h with simp",
        ),
        (
            "cases h",
            "Unnecessary `generalizing` argument: Variable `h₂` is generalized automatically",
            None,
        ),
        (
            "intro x <;> first | (simp_all!; done) | simp [f] | grind [a]",
            "the proof rests on A.op, B.po, which is open",
            "intro x <;> first | (simp_all! [-A.op, -B.po]; done) | simp [-A.op, -B.po, f] | grind [a]",
        ),
        ("simp_all! [-A.op]", "the proof rests on A.op, which is open", None),
        ("exact A.op", "the proof rests on A.op, which is open", None),
        (
            "induction h <;> grind [Inv, A.Step.fail, = A.Step.run]",
            "`@[grind .] theorem Step.fail` failed to find patterns, consider using different options",
            "induction h <;> grind [Inv, = A.Step.run]",
        ),
        ("grind [A.Step.fails]", "`@[grind .] theorem Step.fail` failed to find patterns", None),
        ("rw [gone]", "Unknown identifier `gone`", None),
        ("exact gone a", "Unknown identifier `gone`", None),
        ("simp [f, g]", "simp made no progress", None),
    ],
)
def test_a_tactic_goes_on_without_what_lean_refuses_of_it(tactic: str, message: str, rest: str | None) -> None:
    assert without_refused(tactic, message) == rest


def test_what_cannot_be_taken_apart_is_tried_once() -> None:
    search = SearchRefusals(Refusals())
    assert not search.is_hopeless("induction ξ <;> simp", LIFTED)
    search.failed("cases h <;> simp", LIFTED, "Tactic `simp` failed: major premise type is not an inductive type")
    assert not search.is_hopeless("cases h", LIFTED)
    search.failed(
        "induction ξ", LIFTED, "Tactic `induction` failed: major premise type is not an inductive type \n  Nat → Nat"
    )
    assert search.is_hopeless("cases ξ with simp", LIFTED)
    search.failed("induction n", LIFTED, "The `induction` tactic does not support the type `Nat` because it is nested")
    assert search.is_hopeless("induction n <;> simp", LIFTED) and not search.is_hopeless("cases n", LIFTED)
    other = SearchRefusals(Refusals())
    assert not other.is_hopeless("induction n", LIFTED)


@pytest.mark.parametrize(
    ("tactic", "mended"),
    [
        ("exact h₁", "exact ih"),  # called like a proof: nothing else speaks of ih
        ("cases k", "cases n"),  # called like a value
        ("rw [ih, h]", "rw [ih, h]"),  # ih is there already, and no other hypothesis
        ("simp only [rev, h]", "simp only [triple, ih]"),
        ("simp [rev, app, len]", "simp [triple, double, len]"),  # the goal has no third definition
        ("simp [triple, rev]", "simp [triple, double]"),
        ("simp [rev] <;> omega", "simp [triple] <;> omega"),  # nor another tactic
        ("simp only [triple, rev] at *; omega", "simp only [triple, double] at *; omega"),
        ("simp [rev_rev, Nat.add_comm, ih]", "simp [rev_rev, Nat.add_comm, ih]"),  # lemmas stand in no goal
        ("unfold rev", "unfold triple"),
        ("rw [gone]", "rw [triple]"),  # Lean has called it unknown
        ("rw [rev]", "rw [rev]"),  # it may be a lemma
        ("intro h k", "intro h k"),  # bound, not used
        ("omega", "omega"),
    ],
)
def test_names_that_are_of_no_use_are_mended(tactic: str, mended: str) -> None:
    search = SearchRefusals(Refusals())
    search.failed("exact gone", SUCC, "Unknown identifier `gone`")
    assert search.mend(tactic, SUCC) == mended


def test_a_long_list_makes_nothing_certain() -> None:
    search = SearchRefusals(Refusals())
    goal = Goal("g", "x = y", tuple(Variable(f"H{number}", f"p{number} = q{number}") for number in range(13)))
    names = ", ".join(f"H{number}" for number in range(13))
    for tactic in (f"simp [{names}]", f"simp [{names}] at *") * 50:
        search.worked(tactic, goal, is_news=True)
    assert all(math.isfinite(search.gain(tactic, goal)) for tactic in (f"simp [{names}]", "rfl"))
    certain = Refusals()
    for _ in range(3):
        certain.learn(_features("simp", *[f"feature {number}" for number in range(5_000)]), worked=True)
    assert math.isfinite(certain.gain(_features("simp", "feature 1", "new")))


def test_a_long_list_that_has_failed_is_not_the_end_of_its_names() -> None:
    """Of a transition system all inductions close their cases with the same definitions, and most are on what has
    nothing to do with it."""
    search = SearchRefusals(Refusals())
    ways = "first | rfl | (simp_all! [Reachable, Invariant]; done) | grind [Reachable, Invariant, Reachable.step, init]"
    assert names_used(ways) >= {"Reachable", "Invariant", "Reachable.step", "init"}
    for name in ("n", "h"):
        search.failed(f"induction {name} <;> {ways}", GOAL, "unsolved goals")
        search.worked(f"induction {name}", GOAL, is_news=True)  # which nearly always works, and says nothing of those
    again = Goal(
        "4", "safe s", (Variable("s", "State"), Variable("r", "Reachable s")), text="r : Reachable s\n⊢ safe s"
    )
    assert search.gain(f"induction r <;> {ways}", again) > -1.0
    assert search.gain(f"induction n <;> {ways}", GOAL) < search.gain(f"induction r <;> {ways}", again)


def test_after_what_took_all_its_time_lists_are_short() -> None:
    goal = replace(GOAL, definitions=("f", "g", "k"))
    by_cases = "induction n <;> first | rfl | grind [f, g, k, = a, a, b, c, d, e, i, l, o, p, q, = j]"
    shorter = "induction n <;> first | rfl | grind [f, g, = a, a, b, c, d, e, i, l, o, p, q]"
    shortest = "induction n <;> first | rfl | grind [f, g, = a, a, b, c]"
    of_library = by_cases.replace("= j]", "= Option.map_map]")
    search = SearchRefusals(Refusals())
    for _ in range(ENDLESS):
        assert search.shorter(by_cases, goal) == by_cases
        search.failed("simp_all!", SUCC, f"simp: {TOO_DEEP}", is_endless=True)
        search.failed("grind [f, a, b, c, d]", SUCC, "stopped at the time limit", is_endless=True)
        search.failed(by_cases, SUCC, "stopped at the time limit", is_endless=True)
    assert search.shorter("induction m <;> first | (simp_all!; done) | grind [f, g, k, a, b]", goal) == (
        "induction m <;> grind [f, g, a, b]"
    )
    assert search.shorter("grind [f, g, k, a]", goal) == "grind [f, g, k, a]", "it stands by itself"
    assert search.shorter(by_cases, goal) == shorter
    with_library = shorter.replace(" q]", " q, = Option.map_map]")
    assert search.shorter(of_library, goal) == with_library, "what is Lean's own stays"
    for _ in range(ENDLESS):
        search.failed(by_cases, SUCC, "stopped at the time limit", is_endless=True)
    assert search.shorter(by_cases, goal) == shortest


def test_where_one_goes_too_deep_those_that_compute_are_left_out() -> None:
    assert without_computing("first | rfl | omega | trivial | decide | grind") == "first | omega | grind"
    assert without_computing("first | rfl | grind") == "grind"
    for tactic in ("first | rfl | decide", "first | omega | grind", "rfl", "cases h <;> first | rfl | grind"):
        assert without_computing(tactic) is None


def test_where_simp_all_does_not_end_the_rest_of_an_alternative_is_tried_without_it() -> None:
    by_cases = "induction n <;> first | (simp_all!; done) | grind [f] | (simp_all!; omega)"
    assert without_simp(by_cases) == "induction n <;> grind [f]"
    assert without_simp("first | rfl | (simp_all!; done) | omega") == "first | rfl | omega"
    assert not any(map(without_simp, ("simp_all!", "grind [f]", "first | a | b", "first | (simp_all!; done)")))
    search = SearchRefusals(Refusals())
    search.failed("simp_all!", GOAL, "simp_all made no progress")
    assert search.shorter(by_cases, GOAL) == by_cases
    search.failed("simp_all!", GOAL, "stopped at the time limit", is_endless=True)
    assert search.shorter(by_cases, GOAL) == "induction n <;> grind [f]"
    assert search.shorter("simp_all!", GOAL) == "simp_all!"
    too_deep = "maximum recursion depth has been reached"
    for at_once, message, ended_by_simp in (
        ("first | omega | (simp_all!; done) | grind", "stopped at the time limit", True),
        ("first | omega | (simp_all!; done) | grind", too_deep, True),
        ("first | rfl | (simp_all!; done) | grind", too_deep, False),  # `rfl` goes too deep more often
        ("first | rfl | grind", "stopped at the time limit", False),
    ):
        other = SearchRefusals(Refusals())
        other.failed(at_once, GOAL, message, is_endless=True)
        assert (other.shorter(by_cases, GOAL) != by_cases) is ended_by_simp, (at_once, message)


def test_alternatives_that_are_all_of_a_tactic_are_compared_by_the_first() -> None:
    refusals = Refusals()
    for number in range(20):
        SearchRefusals(refusals).failed(f"first | rfl | decide | exact {number}", GOAL, "no")
    search = SearchRefusals(refusals)
    assert search.gain("first | rfl | omega", GOAL) < search.gain("first | exact n | exact size n", GOAL) == 0
