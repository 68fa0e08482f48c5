"""``Server`` as code written for PyPantograph uses it, over a session of ours and over a program on a pipe."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import lean_agent.lean
from lean_agent.errors import LeanError
from lean_agent.lean.pantograph import (
    Goal,
    GoalState,
    ParseError,
    Position,
    SearchTarget,
    Server,
    ServerError,
    Severity,
    Site,
    Subsumption,
    TacticDraft,
    TacticExpr,
    TacticFailure,
    TacticHave,
    TacticLet,
    TacticMode,
    Variable,
)
from lean_agent.lean.pool import LeanPool, PoolLimits

pytestmark = pytest.mark.lean

AND_OR = "∀ (p : Prop), p → p ∧ (p ∨ p)"


@pytest.fixture(scope="module", params=["embedded", "program"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "embedded":
        with Server(pool=request.getfixturevalue("lean")) as found:
            yield found
        return
    with Server(repl=[sys.executable, "-m", "lean_agent", "pantograph-repl"], timeout=300) as found:
        yield found


@pytest.fixture
def manual(lean: LeanPool) -> Iterator[Server]:
    with Server(options={"automaticMode": False}, pool=lean) as found:
        yield found


def plain(goal: Goal) -> tuple[str | None, list[Variable], str]:
    return goal.name, goal.variables, goal.target


def targets(state: GoalState) -> list[str]:
    return [goal.target for goal in state.goals]


def test_the_room_offers_it() -> None:
    assert lean_agent.lean.Server is Server


def test_a_proof_from_start_to_end(server: Server) -> None:
    state = server.goal_start("forall (p q: Prop), Or p q -> Or q p")
    assert server.goal_root(state) is None
    state = server.goal_tactic(state, "intro a b h")
    ab = [Variable("Prop", None, "a"), Variable("Prop", None, "b")]
    assert [plain(g) for g in state.goals] == [(None, [*ab, Variable("a ∨ b", None, "h")], "b ∨ a")]
    assert str(state.goals[0]) == "a : Prop\nb : Prop\nh : a ∨ b\n⊢ b ∨ a"
    state = server.goal_tactic(state, "cases h")
    assert [plain(g) for g in state.goals] == [
        ("inl", [*ab, Variable("a", None, "h✝")], "b ∨ a"),
        ("inr", [*ab, Variable("b", None, "h✝")], "b ∨ a"),
    ]
    state = server.goal_tactic(state, "apply Or.inl", site=Site(goal_id=1))
    state = server.goal_tactic(state, "assumption")
    assert [g.name for g in state.goals] == ["inl"]
    assert not state.is_solved
    state = server.goal_tactic(state, TacticExpr("Or.inr ‹_›"))
    assert state.is_solved
    root = server.goal_root(state)
    assert root is not None
    assert "Or" in root


def test_a_closed_branch_with_a_dormant_sibling_is_not_solved(manual: Server) -> None:
    state = manual.goal_tactic(manual.goal_start(AND_OR), "intro p h")
    both = manual.goal_tactic(state, "constructor")
    left = manual.goal_tactic(both, "exact h")
    assert left.goals == []
    assert not left.is_solved
    right = manual.goal_continue(left, both)
    assert targets(right) == ["p ∨ p"]
    assert manual.goal_tactic(right, "exact Or.inl h").is_solved
    with pytest.raises(ServerError, match="unresolved goals"):
        manual.goal_continue(both, state)
    resumed = manual.goal_resume(left, both.goals)
    assert targets(resumed) == ["p ∨ p"]  # what is settled stays away
    with pytest.raises(ServerError, match="not in scope"):
        manual.goal_resume(state, both.goals)


def test_dependent_goals_couple(lean: LeanPool) -> None:
    with Server(options={"printDependentMVars": True}, pool=lean) as server:
        state = server.goal_tactic(server.goal_start("∃ (x : Nat), x = 3"), "apply Exists.intro")
        assert targets(state) == ["?w = 3", "Nat"]
        assert [g.sibling_dep for g in state.goals] == [{1}, set()]
        assert targets(server.goal_tactic(state, "exact 2", Site(1))) == ["2 = 3"]
        assert server.goal_tactic(state, "rfl").is_solved


def test_universes(server: Server) -> None:
    state = server.goal_start("∀ (α : Type u) (β : Sort v) (f : α → β), f = f", levels=["u", "v"])
    assert server.goal_tactic(state, "intro α β f; rfl").is_solved
    with pytest.raises(ServerError, match="universe"):
        server.goal_start("∀ (α : Type u), α = α")


def test_have_and_let(server: Server) -> None:
    start = server.goal_start("1 + 1 = 2")
    state = server.goal_tactic(start, TacticHave("2 = 1 + 1", "h"))
    assert [plain(g) for g in state.goals] == [
        (None, [], "2 = 1 + 1"),
        (None, [Variable("2 = 1 + 1", None, "h")], "1 + 1 = 2"),
    ]
    assert server.goal_tactic(state, "all_goals rfl").is_solved
    state = server.goal_tactic(start, TacticLet("Nat", "n"))
    assert [plain(g) for g in state.goals] == [
        ("n", [], "Nat"),
        (None, [Variable("Nat", "?n", "n")], "1 + 1 = 2"),
    ]
    state = server.goal_tactic(state, "exact 5")
    assert state.goals[0].variables == [Variable("Nat", "5", "n")]


def test_terms_and_drafts(server: Server) -> None:
    start = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    state = server.goal_tactic(start, TacticExpr("⟨_, Or.inl ?x⟩"))
    assert targets(state) == ["p", "p"]
    assert server.goal_tactic(state, "all_goals exact h").is_solved
    state = server.goal_tactic(start, TacticDraft("by\nhave h1 : p ∨ p := sorry\nexact ⟨sorry, h1⟩"))
    assert targets(state) == ["p ∨ p", "p"]
    names = [[v.name for v in g.variables] for g in state.goals]
    assert names == [["p", "h"], ["p", "h", "h1"]]
    assert server.goal_tactic(server.goal_tactic(state, "exact Or.inl h"), "exact h").is_solved


@pytest.mark.parametrize(
    ("tactic", "kind", "words"),
    [
        ("exact nonsense", "error", "nonsense"),
        ("intro )", "parse", "expected"),
        ("sorry", "sorry", "sorry"),
        (TacticExpr("sorry"), "sorry", "sorry"),
        ("native_decide", "error", "not allowed"),
        ("· skip", "error", "unsolved goals"),
    ],
)
def test_failures(server: Server, tactic: str | TacticExpr, kind: str, words: str) -> None:
    state = server.goal_start("1 + 1 = 3")
    with pytest.raises(TacticFailure, match=words) as caught:
        server.goal_tactic(state, tactic)
    assert caught.value.kind == kind


def test_calc_goes_step_by_step(server: Server) -> None:
    start = server.goal_tactic(server.goal_start("∀ (a b c : Nat), b = c → a + b = c + a"), "intro a b c h")
    state = server.goal_tactic(start, TacticMode.CALC)
    assert [(g.mode, g.target) for g in state.goals] == [(TacticMode.CALC, "a + b = c + a")]
    with pytest.raises(TacticFailure, match="where the calculation stands"):
        server.goal_tactic(state, "b + b = a + c")
    state = server.goal_tactic(state, "a + b = a + c")
    assert [(g.name, g.mode, g.target) for g in state.goals] == [
        ("calc", TacticMode.TACTIC, "a + b = a + c"),
        (None, TacticMode.CALC, "a + c = c + a"),
    ]
    state = server.goal_tactic(state, "rw [h]")
    state = server.goal_tactic(state, "_ = c + a")  # ends where the goal does
    assert [(g.mode, g.target) for g in state.goals] == [(TacticMode.TACTIC, "a + c = c + a")]
    assert server.goal_tactic(state, "exact Nat.add_comm a c").is_solved


def test_conv_rewrites_inside_a_target(server: Server) -> None:
    start = server.goal_tactic(server.goal_start("∀ (a b c : Nat), b = c → a + b = c + a"), "intro a b c h")
    state = server.goal_tactic(start, TacticMode.CONV)
    assert [(g.mode, g.target) for g in state.goals] == [(TacticMode.CONV, "a + b = c + a")]
    assert str(state.goals[0]).endswith("| a + b = c + a")
    state = server.goal_tactic(state, "lhs\nrw [Nat.add_comm]")
    assert targets(state) == ["b + a"]
    with pytest.raises(TacticFailure):
        server.goal_tactic(state, "exact h")  # no step of conv
    state = server.goal_tactic(state, TacticMode.TACTIC)
    assert [(g.mode, g.target) for g in state.goals] == [(TacticMode.TACTIC, "b + a = c + a")]
    assert server.goal_tactic(state, "rw [h]").is_solved
    with pytest.raises(ServerError, match="not in a fragment"):
        server.goal_tactic(start, TacticMode.TACTIC)


def test_conv_inside_calc_with_dormant_goals(manual: Server) -> None:
    state = manual.goal_tactic(manual.goal_start("∀ (a b: Nat), (b = 2) -> 1 + a + 1 = a + b"), "intro a b h")
    state = manual.goal_tactic(manual.goal_tactic(state, TacticMode.CALC), "1 + a + 1 = a + 1 + 1")
    assert targets(state) == ["1 + a + 1 = a + 1 + 1", "a + 1 + 1 = a + b"]
    conv = manual.goal_tactic(state, TacticMode.CONV)
    conv = manual.goal_tactic(manual.goal_tactic(conv, "rhs"), "rw [Nat.add_comm]")
    assert targets(conv) == ["1 + (a + 1)"]
    left = manual.goal_tactic(conv, TacticMode.TACTIC)
    assert targets(left) == ["1 + a + 1 = 1 + (a + 1)"]
    left = manual.goal_tactic(left, "rw [Nat.add_assoc]")
    assert (left.goals, left.is_solved) == ([], False)  # the rest of the calculation is dormant
    rest = manual.goal_continue(left, state)
    assert [(g.mode, g.target) for g in rest.goals] == [(TacticMode.CALC, "a + 1 + 1 = a + b")]
    rest = manual.goal_tactic(rest, TacticMode.TACTIC)
    assert manual.goal_tactic(rest, "rw [h]").is_solved


def test_collected_states_are_forgotten(lean: LeanPool) -> None:
    with Server(pool=lean) as server:
        state = server.goal_start("True")
        assert server.to_remove_goal_states == []
        after = server.goal_tactic(state, "skip")
        del state
        assert server.to_remove_goal_states == [0]
        server.gc()
        assert server.to_remove_goal_states == []
        assert server.run("stat", {}) == {"nGoals": 1}
        assert server.goal_tactic(after, "trivial").is_solved


def test_subsumption(server: Server) -> None:
    intro = server.goal_tactic(server.goal_start("∀ (p : Prop), p → p"), "intro p")
    deeper = server.goal_tactic(intro, "intro h")
    back = server.goal_tactic(deeper, "revert h")
    found, following, by = server.goal_subsume(back, back.goals[0], [intro.goals[0], deeper.goals[0]])
    assert (found, following, by) == (Subsumption.CYCLE, None, intro.goals[0])
    twice = server.goal_tactic(server.goal_start("∀ (p : Prop), p → p ∧ p"), "intro p h; constructor")
    first, second = twice.goals
    found, following, by = server.goal_subsume(twice, second, [first])
    assert (found, by) == (Subsumption.SUBSUMED, first)
    assert following is not None
    assert server.goal_tactic(following, "exact h").is_solved
    other = server.goal_tactic(server.goal_start("∀ (p q : Prop), p ∧ q"), "intro p q; constructor")
    assert server.goal_subsume(other, other.goals[1], [other.goals[0]]) == (Subsumption.NONE, None, None)


def test_the_environment(lean: LeanPool) -> None:
    with Server(pool=lean) as server:
        assert server.expr_type("forall (n m: Nat), n + m = m + n") == "Prop"
        with pytest.raises(ServerError):
            server.expr_type("(1 : Bool → Nope)")
        server.env_add("mystery", [], "Nat → Nat", "fun n => n + 1", is_theorem=False)
        inspected = server.env_inspect("mystery", print_value=True, print_dependency=True)
        assert inspected["type"] == {"pp": "Nat → Nat"}
        assert inspected["value"] == {"pp": "fun n => n + 1"}
        assert inspected["typeDependency"] == ["Nat"]
        server.load_definitions("def other (x : Nat) := mystery x + 123")
        assert server.env_inspect("other")["type"] == {"pp": "Nat → Nat"}
        with pytest.raises(ServerError):
            server.env_add("lie", [], "1 = 2", "rfl")
        core = server.env_catalog(module_prefix="Init.Core")
        rest = server.env_catalog(module_prefix="Init.Core", invert_filter=True)
        assert "tNat.add_comm" in rest
        assert "dmystery" in rest
        assert not set(core) & set(rest)
        assert server.env_module_read("Init.Core")["imports"] == ["Init.SizeOf"]
        assert server.env_parse("intro x; apply a") == ("intro x", "; apply a")
        with pytest.raises(ParseError):
            server.env_parse(")")


def test_headers(lean: LeanPool) -> None:
    with Server(imports=[], pool=lean) as server:
        server.load_header("import Init\nopen Nat")
        state = server.goal_tactic(server.goal_start("forall (n : Nat), n + 1 = n.succ"), "intro")
        assert server.goal_tactic(state, "apply add_one").is_solved


def test_compiling(server: Server) -> None:
    (unit,) = server.check_compile("example (p: Prop) : p -> p := id")
    assert unit.messages == []
    source = "def two : Nat := 2\nexample (p: Prop) : p -> p := 1"
    first, second = server.check_compile(source, new_constants=True)
    assert (first.i_begin, first.i_end, second.i_end) == (0, 19, len(source))
    assert first.new_constants is not None
    assert "two" in first.new_constants
    (message,) = second.messages
    assert (message.severity, message.pos) == (Severity.ERROR, Position(2, 30))
    assert "p → p : Prop" in message.data
    (unit,) = server.check_compile("import Init\nexample (p: Prop) : p -> p := id", read_header=True)
    assert unit.messages == []


def test_holes_become_goals(server: Server) -> None:
    source = (
        "example (p : Prop) : p → p := sorry\n"
        "theorem both (n : Nat) : n = n ∧ True := by\n  constructor\n  · sorry\n  · sorry"
    )
    one, two = server.load_sorry(source)
    assert [plain(g) for g in one.goal_state.goals] == [(None, [Variable("Prop", None, "p")], "p → p")]
    assert server.goal_tactic(one.goal_state, "exact id").is_solved
    assert targets(two.goal_state) == ["n = n", "True"]
    state = server.goal_tactic(two.goal_state, "rfl")
    assert targets(state) == ["True"]
    assert server.goal_tactic(state, "trivial").is_solved
    with pytest.raises(TacticFailure):
        server.goal_tactic(two.goal_state, "exact (both n).1")  # not there yet where its own proof stands


def test_statements_as_goals(server: Server) -> None:
    (target,) = server.load_sorry("theorem mystery (p : Prop) : p → p := sorry", ignore_values=True)
    assert [plain(g) for g in target.goal_state.goals] == [(None, [], "∀ (p : Prop), p → p")]
    assert server.goal_tactic(target.goal_state, "intro p h; exact h").is_solved
    text = "def one := 1\ntheorem u.{v} (α : Sort v) (a : α) : a = a := by\n  have : one = 1 := sorry\n  exact sorry"
    (target,) = server.load_sorry(text, ignore_values=True)
    assert targets(target.goal_state) == ["∀ (α : Sort v) (a : α), a = a"]
    with pytest.raises(TacticFailure, match=r"[Uu]nknown"):
        server.goal_tactic(target.goal_state, "exact @u")
    assert server.goal_tactic(target.goal_state, "have : one = 1 := rfl; intro _ _; rfl").is_solved


FAMILY = "def f : Nat → Nat := {}\ndef g : Nat → Nat := fun x => x + 1\ntheorem about (n : Nat) : f n = g n := {}"


def test_a_declaration_and_the_theorems_about_it_are_one_goal(server: Server) -> None:
    (target,) = server.load_sorry(FAMILY.format("sorry", "by sorry"), ignore_values=True)
    assert targets(target.goal_state) == ["{ f // ∀ (n : Nat), f n = g n }"]
    assert server.goal_tactic(target.goal_state, "exact ⟨g, fun _ => rfl⟩").is_solved
    for gone in ("f", "about"):
        with pytest.raises(TacticFailure, match=r"[Uu]nknown"):
            server.goal_tactic(target.goal_state, f"have := @{gone}")
    (target,) = server.load_sorry(FAMILY.format("sorry", "sorry"), binder_name="h", ignore_values=True)
    assert targets(target.goal_state) == ["{ h // ∀ (n : Nat), h n = g n }"]
    two = "def f : Nat → Nat := sorry\ntheorem a : f 1 = 1 := sorry\ntheorem z : True := sorry\n"
    two += "theorem b : f 2 = 2 := sorry"
    for ignore_values in (True, False):  # each value is a hole and nothing else
        family, other = server.load_sorry(two, ignore_values=ignore_values)
        assert targets(family.goal_state) == ["{ f // f 1 = 1 ∧ f 2 = 2 }"]
        assert targets(other.goal_state) == ["True"]
        assert server.goal_tactic(family.goal_state, "exact ⟨id, rfl, rfl⟩").is_solved


def test_the_holes_of_a_family_are_goals_that_speak_of_each_other(server: Server) -> None:
    (target,) = server.load_sorry("def f : Nat → Nat := sorry\ntheorem property (n : Nat) : f n = n := sorry")
    first, second = target.goal_state.goals
    assert (first.name, first.target) == ("f", "Nat → Nat")
    assert plain(second) == (None, [Variable("Nat", None, "n")], "?f n = n")
    state = server.goal_tactic(target.goal_state, "exact fun n => n")
    assert targets(state) == ["n = n"]
    assert server.goal_tactic(state, "rfl").is_solved
    text = "def f : Nat → Nat := fun x => x + sorry\ntheorem a : f 1 = 2 := sorry\ntheorem b : f 2 = 4 := sorry"
    (target,) = server.load_sorry(text)
    assert targets(target.goal_state) == ["Nat", "(fun x => x + ?f) 1 = 2", "(fun x => x + ?f) 2 = 4"]
    assert server.goal_tactic(target.goal_state, "exact x; rfl; rfl").is_solved
    with pytest.raises(TacticFailure):
        server.goal_tactic(target.goal_state, "exact 1; rfl; rfl")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def f : Nat := sorry\ndef g : Nat := f + sorry", "no theorem"),
        ("def f : Nat := sorry\ntheorem a : f = f := sorry\ntheorem b : a = a := sorry", "non-flat"),
        ("def f.{u} : Sort u → Nat := sorry\ntheorem a : f Nat = f Nat := sorry", "universe levels"),
        ("theorem a (h : (sorry : Nat) = 1) : True := sorry\ntheorem b : @a = @a := sorry", "has a hole"),
        (
            "def f : Nat := sorry\ntheorem a : f = f := sorry\ndef g : Nat := sorry\ntheorem b : f = g := sorry",
            "another declaration",
        ),
    ],
)
def test_what_is_no_family_is_refused(server: Server, text: str, reason: str) -> None:
    for act in (server.load_sorry, server.refactor_search_target):
        with pytest.raises(ServerError, match=reason):
            act(text)


def test_holes_are_joined_in_a_text(server: Server) -> None:
    text = """
        def f : Nat -> Nat := sorry
        theorem property (n : Nat) : f n = n := sorry"""
    joined = "\ndef f_composite : { f : Nat → Nat // ∀ (n : Nat), f n = n } :=\n  sorry"
    assert server.refactor_search_target(text) == joined
    text = (
        "namespace A\nopen Nat\n/-- Counts. -/\ndef f.{u} (α : Type u) : List α → Nat := sorry\n"
        "-- kept as it is\ntheorem  other : 1  = 1 := rfl\n/-- Of none. -/\n"
        "theorem nil.{u} (α : Type u) : f α [] = zero := sorry\n"
        "theorem one.{u} (α : Type u) (a : α) : f α [a] = succ zero := sorry\nend A"
    )
    joined = server.refactor_search_target(text, ["pp.unicode.fun=true"])
    assert "-- kept as it is\ntheorem  other : 1  = 1 := rfl" in joined
    assert "/-- Counts.\nOf none. -/\ndef f_composite.{u} :" in joined
    assert (joined.count("sorry"), joined.count("theorem")) == (1, 1)
    *_, target = server.load_sorry(joined)
    proof = "exact ⟨fun _ => List.length, fun _ => rfl, fun _ _ => rfl⟩"
    assert server.goal_tactic(target.goal_state, proof).is_solved
    assert server.refactor_search_target("theorem t : 1 = 1 := sorry") == "\ntheorem t : 1 = 1 := sorry"
    with pytest.raises(ServerError, match="unknown option"):
        server.refactor_search_target("theorem t : 1 = 1 := sorry", ["no.option=1"])


def test_answers_are_parsed_by_the_classes_themselves(server: Server) -> None:
    started = server.run("goal.start", {"expr": "True ∧ 1 = 1"})
    answer = server.run("goal.tactic", {"stateId": started["stateId"], "tactic": "constructor"})
    state = GoalState.parse(answer, answer["messages"], server.to_remove_goal_states)
    assert (state.state_id, targets(state)) == (answer["nextStateId"], ["True", "1 = 1"])
    assert not GoalState.parse({**answer, "goals": []}, [], [], has_dormant=True).is_solved
    distilled = server.run("frontend.distil", {"file": "example : 2 = 2 := sorry", "ignoreValues": False})
    target = SearchTarget.parse(distilled["targets"][0], goal_state_sentinel=server.to_remove_goal_states)
    assert targets(target.goal_state) == ["2 = 2"]
    assert server.goal_tactic(target.goal_state, "rfl").is_solved


def test_tracking(server: Server) -> None:
    sketch = "def two : Nat := 2\ntheorem t : two = 2 := sorry"
    assert server.check_track(sketch, "def two : Nat := 2\ntheorem t : two = 2 := rfl").succeeded
    for done, reason in (
        ("def two : Nat := 3\ntheorem t : two = 2 := sorry", "sorry"),
        ("def two : Nat := 3\ntheorem t : two = 3 := rfl", "clash"),
        ("def two : Nat := 2", "not accounted for"),
        ("def two : Nat := 2\naxiom x : two = 2\ntheorem t : two = 2 := x", "axiom"),
    ):
        result = server.check_track(sketch, done)
        assert not result.succeeded
        assert result.failure is not None
        assert reason in result.failure.lower(), done


@pytest.mark.parametrize(
    ("declared", "other"),
    [
        ("structure Two where\n  a : Nat\n  b : Nat\n  deriving Repr", "structure Two where\n  a : Nat\n  b : Int"),
        ("inductive Two | one | two", "inductive Two | one | two | three"),
        ("class inductive Two (n : Nat) : Prop | mk : n = 2 → Two n", "inductive Two : Nat → Prop | mk : Two 2"),
        ("partial def two (n : Nat) : Nat := two (n + 1)", "partial def two (n : Int) : Nat := two (n + 1)"),
        ("def two : Nat → Nat\n  | 0 => 2\n  | n + 1 => two n", "def two : Nat → Nat\n  | 0 => 3\n  | n + 1 => two n"),
        ("inductive Two | m (c : List Two) | n (c : Array Two)", "inductive Two | m (c : List Two) | n (c : List Two)"),
        (
            "mutual inductive Two | m (c : List Du) inductive Du | m (c : Two) end",
            "mutual inductive Two | m (c : List Two) inductive Du | m (c : Two) end",
        ),
        ("axiom _two : 2 = 2", "axiom _two : 2 = 3"),
        ("def _two : Nat := 2", "def _two : Nat := 3"),
    ],
)
def test_tracking_of_texts_with_declarations_of_every_kind(server: Server, declared: str, other: str) -> None:
    theorem = '\nnotation "zwei" => 2\ntheorem t (p : Prop) : p → p ∧ zwei = 2 := '
    sketch = declared + theorem + "sorry"
    assert server.check_track(sketch, declared + theorem + "fun h => by simp [h]").succeeded
    result = server.check_track(sketch, other + theorem + "fun h => ⟨h, rfl⟩")
    assert not result.hasDstError
    assert re.search("clash|not accounted for", str(result.failure))


def test_invocations_of_a_file(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "Ünits.lean"
    file.write_text("theorem t (p : Prop) (h : p) : p ∧ p := by\n  constructor\n  · exact h\n  · exact h\n", "utf-8")
    (unit,) = server.tactic_invocations(file)
    assert unit.invocations is not None
    assert unit.invocations[0].tactic == "constructor"
    assert unit.invocations[0].before == "p : Prop\nh : p\n⊢ p ∧ p"
    assert [i.after for i in unit.invocations if i.tactic == "exact h"] == ["", ""]


def test_saved_states_come_back(server: Server, tmp_path: Path) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    state = server.goal_tactic(state, "constructor", Site(0))
    server.goal_save(state, tmp_path / "state")
    again = server.goal_load(tmp_path / "state")
    assert again.state_id != state.state_id
    assert again.goals == state.goals
    assert server.goal_tactic(again, "all_goals simp [h]").is_solved
    with pytest.raises(ServerError, match="no saved goal state"):
        server.goal_load(tmp_path / "nothing")


def test_asynchronously(lean: LeanPool) -> None:
    async def prove() -> list[bool]:
        server = await Server.create(pool=lean)
        state = await server.goal_start_async("1 + 1 = 2")
        found = await asyncio.gather(*(server.goal_tactic_async(state, t) for t in ("rfl", "decide", "omega")))
        return [s.is_solved for s in found]

    assert asyncio.run(prove()) == [True, True, True]


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(ServerError) as caught:
        act()
    return str(caught.value)


def test_what_embedded_lean_cannot_give_is_refused_by_name(lean: LeanPool, tmp_path: Path) -> None:
    assert "project_path" in refused(lambda: Server(project_path=tmp_path))
    with Server(pool=lean) as server:
        assert "env.save" in refused(lambda: server.env_save(tmp_path / "env"))
        assert "env.load" in refused(lambda: server.env_load(tmp_path / "env"))


def test_a_time_limit_leaves_the_server_usable(lean: LeanPool) -> None:
    with Server(pool=lean, timeout=1) as server:
        state = server.goal_start("True")
        # Lean stops, or on a crowded machine its process is ended after the grace.
        with pytest.raises(ServerError, match=r"interrupt|ignored its time limit"):
            server.goal_tactic(state, "sleep 5000")
        assert server.goal_tactic(state, "trivial").is_solved


@pytest.mark.long
def test_states_outlive_a_process_that_grew() -> None:
    with LeanPool(1, limits=PoolLimits(max_heap_mb=1)) as pool, Server(pool=pool) as server:
        state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
        (first,) = pool.pids()
        assert targets(server.goal_tactic(state, "constructor")) == ["p", "p ∨ p"]
        assert pool.pids() != [first]


SPOILS = "#eval (Lean.Parser.builtinParserCategoriesRef.set {} : IO Unit)"


def test_a_session_begins_where_no_programs_of_an_earlier_one_ran() -> None:
    with LeanPool(1) as pool:
        with Server(pool=pool, imports=["Lean"]) as earlier:
            assert targets(earlier.goal_start("1 = 1")) == ["1 = 1"]
            pids = pool.pids()
            earlier.check_compile(SPOILS)
            earlier.check_compile("#eval 1")  # its own programs cost it nothing
            assert pool.pids() == pids
        with Server(pool=pool) as later:
            assert later.goal_tactic(later.goal_start("1 = 1"), "rfl").is_solved
            assert pool.pids() != pids
            pids = pool.pids()
        with Server(pool=pool) as after_a_plain_one:
            assert after_a_plain_one.goal_tactic(after_a_plain_one.goal_start("1 = 1"), "rfl").is_solved
        assert pool.pids() == pids


def test_a_session_that_lives_is_not_driven_out() -> None:
    with LeanPool(1) as pool, Server(pool=pool, imports=["Lean"]) as one:
        one.load_definitions('macro "mine" : tactic => `(tactic| rfl)')
        state = one.goal_start("1 = 1")
        pids = pool.pids()
        with Server(pool=pool) as other:
            assert other.goal_tactic(other.goal_start("2 = 2"), "rfl").is_solved
        assert one.goal_tactic(state, "mine").is_solved
        assert pool.pids() == pids


@pytest.mark.long
def test_sessions_that_run_programs_part_where_there_is_room() -> None:
    with LeanPool(2) as pool, Server(pool=pool, imports=["Lean"]) as one:
        one.check_compile(SPOILS)
        assert len(pool.pids()) == 1
        with Server(pool=pool, imports=["Init"]) as other:
            assert other.goal_tactic(other.goal_start("1 = 1"), "rfl").is_solved
        assert len(pool.pids()) == 2


def test_a_program_that_does_not_speak_the_protocol_is_named() -> None:
    for command, words in (
        ("print('hello')", "hello"),
        ("", "ended"),
        ("import time; print('ready.'); time.sleep(60)", ""),
    ):
        with Server(repl=[sys.executable, "-uc", command], imports=[], timeout=1) as server:
            assert words in refused(lambda server=server: server.run("stat", {}))  # type: ignore[misc]
    with Server(repl=["/nowhere/pantograph-repl"]) as server:
        assert "could not be started" in refused(lambda: server.run("stat", {}))


@pytest.mark.parametrize(
    "tactic",
    [
        "intro p; constructor; sorry",
        "intro p; refine ⟨sorry, ?_⟩",
        "intro p\nhave h : p := by sorry\nrefine ⟨h, ?_⟩",
        "intro p; constructor; rotate_left; sorry",
    ],
)
def test_a_hole_is_seen_behind_what_is_still_open(server: Server, tactic: str) -> None:
    state = server.goal_start("∀ p : Prop, p ∧ True")
    with pytest.raises(TacticFailure, match="generated sorry"):
        server.goal_tactic(state, tactic)
    raw = server.run("goal.tactic", {"stateId": state.state_id, "tactic": tactic})
    assert raw["hasSorry"]
    closed = server.run("goal.tactic", {"stateId": raw["nextStateId"], "tactic": "first | trivial | exact sorry"})
    printed = server.run("goal.print", {"stateId": closed["nextStateId"]})
    assert (printed["rootHasSorry"], printed["rootHasMVar"]) == (True, False)


def test_a_state_with_a_hole_is_not_solved(manual: Server) -> None:
    both = manual.goal_tactic(manual.goal_start("True ∧ False"), "constructor")
    raw = manual.run("goal.tactic", {"stateId": both.state_id, "goalId": 1, "tactic": "sorry"})
    with_hole = GoalState(raw["nextStateId"], [], [], manual.to_remove_goal_states)
    rest = manual.goal_continue(with_hole, both)
    assert targets(rest) == ["True"]
    assert not manual.goal_tactic(rest, "trivial").is_solved


def test_all_holes_of_a_text_have_to_be_filled(manual: Server) -> None:
    (target,) = manual.load_sorry("theorem both : True ∧ 1 = 1 := by\n  constructor\n  · sorry\n  · sorry")
    first = manual.goal_tactic(target.goal_state, "trivial")
    assert (first.goals, first.is_solved) == ([], False)
    assert manual.goal_tactic(manual.goal_continue(first, target.goal_state), "rfl").is_solved


def test_a_theorem_that_uses_one_with_a_hole_is_joined_to_it(server: Server) -> None:
    text = "theorem one : 1 = 1 := sorry\ntheorem two : 2 = 2 := by\n  have := one\n  sorry"
    (target,) = server.load_sorry(text)
    first, second = target.goal_state.goals
    assert plain(first) == ("one", [], "1 = 1")
    assert [(v.name, v.t) for v in second.variables] == [("this", "1 = 1")]
    assert second.target == "2 = 2"
    assert server.goal_tactic(target.goal_state, "rfl; rfl").is_solved
    (target,) = server.load_sorry(text, ignore_values=True)
    assert targets(target.goal_state) == ["{ one // 2 = 2 }"]
    apart = server.load_sorry("theorem one : 1 = 1 := sorry\ntheorem two : 2 = 2 := sorry")
    assert [targets(target.goal_state) for target in apart] == [["1 = 1"], ["2 = 2"]]


@pytest.mark.parametrize("again", [Server.restart, lambda server: server.run("reset", {})])
def test_numbers_that_come_again_are_other_states(lean: LeanPool, again: Callable[[Server], object]) -> None:
    with Server(pool=lean) as server:
        old = [server.goal_start("∀ p : Prop, p → p")]
        again(server)
        new = server.goal_start("1 = 1")
        assert new.state_id == old[0].state_id
        with pytest.raises(ServerError, match="is gone"):
            server.goal_tactic(old[0], "intro p")
        old.clear()
        server.gc()
        assert server.goal_tactic(new, "rfl").is_solved


def test_loading_a_state_leaves_nothing_else(lean: LeanPool, tmp_path: Path) -> None:
    with Server(pool=lean) as server:
        state = server.goal_start(AND_OR)
        for tactic in ("intro p", "intro h", "constructor"):
            state = server.goal_tactic(state, tactic)
        resumed = server.run("goal.continue", {"target": state.state_id, "branch": None, "goals": []})
        server.run("goal.save", {"id": resumed["nextStateId"], "path": str(tmp_path / "state")})
        server.run("reset", {})
        loaded = server.goal_load(tmp_path / "state")
        assert targets(loaded) == ["p", "p ∨ p"]
        assert server.run("stat", {}) == {"nGoals": 1}
        for text in ("[" * 100_000, '{"format": "lean_agent goal state 1"}', "[]"):
            (tmp_path / "other").write_text(text)
            with pytest.raises(ServerError, match="no saved goal state"):
                server.goal_load(tmp_path / "other")


def test_a_rebuilt_state_is_of_the_environment_that_it_came_out_of(lean: LeanPool) -> None:
    with Server(pool=lean) as server:
        old = server.goal_start("∀ n : Nat, n = n")
        older = server.goal_tactic(old, "skip")
        server.load_definitions("namespace Foo\nabbrev Nat := Bool")
        new = server.goal_start("∀ n : Nat, n = n")
        server.load_definitions("def later := 1")
        for _ in range(2):  # the second time the first states of the session are gone already
            os.kill(lean.pids()[0], signal.SIGKILL)
            for state, kind, known in ((new, "Foo.Nat", True), (old, "Nat", False), (older, "Nat", False)):
                intro = server.goal_tactic(state, "intro n")
                assert [v.t for v in intro.goals[0].variables] == ["Nat"]
                tried = server.run("goal.tactic", {"stateId": intro.state_id, "tactic": "exact (rfl : (n : Bool) = n)"})
                assert ("goals" in tried) == known, kind
            server.run("goal.delete", {"stateIds": [old.state_id]})
            old = older
        assert server.env_inspect("Foo.later")["type"] == {"pp": "_root_.Nat"}


def test_a_replay_that_comes_out_otherwise_is_named(lean: LeanPool, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(pool=lean) as server:
        state = server.goal_start("True")
        session = server._transport._session  # type: ignore[attr-defined]
        (entry,) = session._journal.script(state.state_id)
        monkeypatch.setitem(entry.payload, "expr", "Tru")
        os.kill(lean.pids()[0], signal.SIGKILL)
        with pytest.raises(ServerError, match=r"`goal\.start` did not come out as it did before"):
            server.goal_tactic(state, "trivial")


def test_a_server_of_its_own_is_closed_at_once() -> None:
    server = Server()
    state = server.goal_start("True")
    failures: list[object] = []

    def slow() -> None:
        try:
            server.goal_tactic(state, "iterate 500 (sleep 100)")
        except LeanError as e:
            failures.append(e)

    thread = threading.Thread(target=slow)
    thread.start()
    began = time.monotonic()
    server.close()
    thread.join()
    assert time.monotonic() - began < 10
    assert len(failures) == 1


def test_what_pypantograph_0_3_15_has_besides(lean: LeanPool, tmp_path: Path) -> None:
    with Server(pool=lean, core_options=["pp.all=false"], buffer_limit=10) as server:
        found = (server.core_options, server.buffer_limit, server.project_path, server.lean_path)
        assert found == (["pp.all=false"], 10, None, None)
        file = tmp_path / "T.lean"
        file.write_text("theorem t : True := by\n  trivial\n")
        (unit,) = server.tactic_invocations(file)
        assert unit.invocations is not None
        (only,) = unit.invocations
        assert (only.goal_ids_before, only.goal_ids_after, only.parent) == (None, None, None)
        (unit,) = server.tactic_invocations(file, tree_info=True)
        (only,) = unit.invocations or []
        assert (len(only.goal_ids_before or []), only.goal_ids_after, only.parent) == (1, [], None)
    assert Goal.sentence("g", "True") == Goal("g", [], "True")
