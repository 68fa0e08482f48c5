"""Theorems of a project that may be used at a goal, by unification, and what Lean says of a goal's names."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import Goal, GoalState, LeanProject, TheoremSite
from tests.lean.traced_project import told, traced_project

pytestmark = pytest.mark.lean

ORDER = """class Ordered (α : Type) where
  below : α → α → Prop
  reflexive : ∀ a : α, below a a
  chained : ∀ {a b c : α}, below a b → below b c → below a c
  same : ∀ {a b : α}, below a b → below b a → a = b

infix:50 " ⊑ " => Ordered.below

class Meets (α : Type) extends Ordered α where
  meet : α → α → α
  left : ∀ a b : α, meet a b ⊑ a
  greatest : ∀ {a b c : α}, c ⊑ a → c ⊑ b → c ⊑ meet a b

inductive Reach (r : Nat → Nat → Prop) : Nat → Nat → Prop
  | here (n) : Reach r n n
  | there {a b c} : r a b → Reach r b c → Reach r a c

theorem elsewhere (a b : Nat) : a + b = b + a := by omega
"""
USES = """import Order

variable {α : Type} [Meets α]

def Meets.all (top : α) : List α → α
  | [] => top
  | x :: xs => Meets.meet x (all top xs)

def find (key limit : Nat) : Nat → List Nat → Bool
  | _, [] => false
  | n, x :: xs => x == key && n < limit || find key limit (n + 1) xs

def after (s : Nat → Prop) : List Nat → Nat → Prop
  | [] => s
  | x :: xs => after (fun n => s (n + x)) xs

def halved (n : Nat) : Nat := if n < 2 then n else halved (n / 2)
termination_by n

theorem after_nothing (s : Nat → Prop) (xs : List Nat) (n : Nat) (h : s n) : after s xs n ∨ True := by sorry
theorem halved_lt (n : Nat) : halved n < 2 := by sorry

abbrev Word := List Nat

def Even (w : Word) : Prop := ∃ n, w.length = 2 * n

private theorem hidden (x : α) (xs : List α) (t : α) : Meets.all t (x :: xs) ⊑ x := Meets.left _ _

theorem all_below (t x : α) (xs : List α) : Meets.all t (x :: xs) ⊑ x := by sorry

theorem meet_self (a : α) : Meets.meet a a = a := by sorry

theorem reached (r : Nat → Nat → Prop) (a b : Nat) (h : r a b) : ∀ c, Reach r b c → Reach r a c := by sorry

theorem even_next (w : Word) (h : Even w) (a b : Nat) : Even (a :: b :: w) := by
  obtain ⟨n, h⟩ := h
  exact ⟨n + 1, by simp [h]; omega⟩

theorem even_of_both (v w : Word) (h : Even v) (g : Even w) (e : v.length = 4) : w.length % 2 = 0 := by
  obtain ⟨n, h⟩ := g
  omega

theorem even_no_more (w : Word) : Even w ∨ True := .inr trivial

def limit : Nat := 2 ^ 5

def cap (n : Nat) : Nat := if n = 0 then limit else 2 * limit

theorem capped (n : Nat) (h : 1 ≤ n) : n < cap n ∨ limit ≤ n := by sorry

def shifted (n : Nat) : Nat := n + limit

inductive Moves : Nat → Nat → Prop
  | step {n m} : m = shifted n → Moves n m
  | more {n m k} : Moves n m → Moves m k → Moves n k

theorem moved (n m : Nat) (h : Moves n m) : n < m := by sorry

theorem found (key limit n : Nat) (xs : List Nat) (w : Word) (h : Even w) :
    find key limit n xs = true → key ∈ xs := by sorry
"""
STORES = """structure Store where
  items : List Nat

def Store.keep (s : Store) (n : Nat) : Store := ⟨(n :: s.items).eraseDups⟩

def Store.filled : Nat → Store
  | 0 => ⟨[]⟩
  | n + 1 => (filled n).keep n

theorem keep_keeps (s : Store) (n : Nat) : ∀ m ∈ s.items, m ∈ (s.keep n).items := by sorry

theorem in_once (xs : List Nat) (n : Nat) : n ∈ xs.eraseDups ↔ n ∈ xs := by sorry

theorem filled_below (n : Nat) : ∀ m, m < n → m ∈ (Store.filled n).items := by sorry
"""


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return traced_project(lean, tmp_path_factory.mktemp("order"), Order=ORDER, Uses=USES, Stores=STORES)


def started(lean: LeanPool, project: LeanProject, name: str) -> GoalState:
    return lean.goal_start(TheoremSite(project, "Uses.lean", name))


def own(lean: LeanPool, state: GoalState, most: int) -> list[str]:
    (lemmas,) = lean.goal_lemmas([state], most=0, own=most)
    assert not isinstance(lemmas, LeanError)
    assert {lemma.kind for lemma in lemmas} <= {"concluding", "following", "about", "alike"}
    return [lemma.full_name for lemma in lemmas if lemma.kind != "alike"]


@pytest.mark.parametrize(
    ("theorem", "wanted"),
    [
        # behind a notation, private, and transitivity of what the type's class extends
        ("all_below", ["hidden", "Ordered.chained"]),
        # antisymmetry, and what concludes its conditions
        ("meet_self", ["Ordered.same", "Meets.left", "Meets.greatest"]),
        # rules of a predicate, below `∀` and `→`
        ("reached", ["Reach.there"]),
    ],
)
def test_theorems_that_may_conclude_a_target(
    lean: LeanPool, project: LeanProject, theorem: str, wanted: list[str]
) -> None:
    state = started(lean, project, theorem)
    names = own(lean, state, 8)
    assert {*wanted} <= {*names} and len(names) <= 8
    assert not {"elsewhere", theorem, "Nat.add_comm"} & {*names}
    assert own(lean, state, 1) == names[:1] and own(lean, state, 0) == []
    lean.release([state])


def test_theorems_that_follow_from_what_a_goal_knows(lean: LeanPool, project: LeanProject) -> None:
    state = started(lean, project, "found")
    assert own(lean, state, 9) == ["even_next", "even_of_both"], "fewest conditions left; the third has none"
    assert own(lean, state, 3) == ["even_next"], "a third"
    lean.release([state])


def test_theorems_about_what_the_bodies_of_definitions_use(lean: LeanPool, project: LeanProject) -> None:
    """The goal names ``Store.filled`` alone."""
    state = lean.goal_start(TheoremSite(project, "Stores.lean", "filled_below"))
    (lemmas,) = lean.goal_lemmas([state], most=0, own=6)
    assert not isinstance(lemmas, LeanError)
    assert [lemma.full_name for lemma in lemmas if lemma.kind == "about"] == ["keep_keeps", "in_once"]
    lean.release([state])


def test_they_are_asked_for_beside_those_of_the_library(lean: LeanPool, project: LeanProject) -> None:
    state = started(lean, project, "all_below")
    (both,) = lean.goal_lemmas([state], most=2, own=3)
    assert not isinstance(both, LeanError) and [lemma.kind for lemma in both].count("concluding") == 3
    assert next(lemma for lemma in both if lemma.full_name == "hidden").type.endswith("⊑ x")
    lean.release([state])


def goal_of(lean: LeanPool, project: LeanProject, theorem: str, tactic: str, path: str | None = None) -> Goal:
    site = TheoremSite(project, path or "", theorem)
    start = lean.goal_start(site) if path else started(lean, project, theorem)
    state = lean.goal_tactic(start, tactic)
    lean.release([start, state])
    return state.goals[0]


def test_what_a_goal_names_is_told_apart(lean: LeanPool, project: LeanProject) -> None:
    goal = goal_of(lean, project, "found", "intro h")
    assert {"find", "Even", "Word"} <= {*goal.definitions}
    assert goal.predicates == ("Even",), "an abbreviation of a type is none"
    assert goal.unfoldings == ("Even",), "no function that is recursive, and no type"
    assert goal_of(lean, project, "capped", "skip").unfoldings == ("cap", "limit"), "and what these are made of"
    assert goal_of(lean, project, "moved", "skip").unfoldings == ("shifted", "limit"), "what rules speak of"
    assert goal.recursion == ("xs",), "not the key that stays as it is"
    assert goal_of(lean, project, "all_below", "skip").recursion == (), "a term that is no variable is not taken apart"
    assert "Reach" in goal_of(lean, project, "reached", "intro c").predicates


def test_calls_are_of_what_a_definition_names_alone(lean: LeanPool, project: LeanProject) -> None:
    """``fun_induction`` takes no other: the value of ``after s xs`` is a function that is applied in turn."""
    start = started(lean, project, "after_nothing")
    assert start.goals[0].calls == ("after s xs",)
    lean.release([start, lean.goal_tactic(start, "fun_induction after s xs")])
    named = goal_of(lean, project, "halved_lt", "skip")
    assert named.calls == ("halved n",)
    assert goal_of(lean, project, "halved_lt", "revert n; intro _").calls == (), "a variable that has no name"


NAMES = """def insert (x : Nat) : List Nat → List Nat
  | [] => [x]
  | y :: ys => if x ≤ y then x :: y :: ys else y :: insert x ys

def mapped (f : Nat → Nat) : List Nat → List Nat
  | [] => []
  | x :: xs => f x :: mapped f xs

namespace Inner

def mapped (n : Nat) : Nat := n

theorem inserted (x : Nat) (ys : List Nat) : (insert x ys).length = ys.length + 1 := by sorry

theorem same (xs : List Nat) : _root_.mapped id xs = xs ∧ _root_.mapped (fun n => n + 0) xs = xs := by sorry

theorem of_a_term (f : Nat → Nat) (n : Nat) : _root_.mapped f [n] = [] → mapped n = n := by sorry

end Inner
"""
COMPUTED = """inductive Value | yes | no | maybe

def weaker : Value → Value → Bool
  | .maybe, _ => true
  | .yes, .yes => true
  | .no, .no => true
  | _, _ => false

def both : Value → Value → Value
  | .yes, v => v
  | .no, _ => .no
  | .maybe, _ => .maybe

def likes (v w : Value) : Prop := v = w

inductive Formula
  | atom (n : Nat)
  | and (a b : Formula)

def value (v : Nat → Value) : Formula → Value
  | .atom n => v n
  | .and a b => both (value v a) (value v b)

theorem likes_both (v w : Value) (h : likes v w) : likes (both v v) (both w w) := by rw [show v = w from h]; rfl

theorem weaker_both (a b c d : Value) (h : weaker a c = true) (k : weaker b d = true) :
    weaker (both a b) (both c d) = true := by
  cases a <;> cases b <;> cases c <;> cases d <;> simp_all [weaker, both]

theorem weaker_value (v w : Nat → Value) (h : ∀ n, weaker (v n) (w n) = true) (f : Formula) :
    weaker (value v f) (value w f) = true := by sorry
"""


def test_names_are_spelled_as_they_mean_one_thing(lean: LeanPool, tmp_path: Path) -> None:
    project = traced_project(lean, tmp_path, Names=NAMES)
    inserted = goal_of(lean, project, "Inner.inserted", "skip", "Names.lean")
    assert inserted.definitions == ("_root_.insert",), "beside `Insert.insert`"
    assert inserted.calls == ("_root_.insert x ys",)
    same = goal_of(lean, project, "Inner.same", "skip", "Names.lean")
    assert same.definitions == ("_root_.mapped",), "where `mapped` is `Inner.mapped`"
    assert same.calls == ("_root_.mapped id xs", "_root_.mapped (fun n => n + 0) xs"), "functions are passed on"
    other = goal_of(lean, project, "Inner.of_a_term", "skip", "Names.lean")
    assert other.definitions == ("_root_.mapped", "Inner.mapped")
    assert other.calls == (), "no variable"
    for name, proof in {
        "Inner.inserted": "fun_induction _root_.insert x ys <;> grind [_root_.insert]",
        "Inner.same": "constructor\n· fun_induction _root_.mapped id xs <;> simp_all\n"
        "· fun_induction _root_.mapped (fun n => n + 0) xs <;> simp_all",
    }.items():
        start = lean.goal_start(TheoremSite(project, "Names.lean", name))
        assert lean.goal_tactic(start, proof).is_solved
        lean.release([start])


def test_theorems_about_bodies_that_speak_of_nothing_else_come_first(lean: LeanPool, tmp_path: Path) -> None:
    project = traced_project(lean, tmp_path, Computed=COMPUTED)
    state = lean.goal_start(TheoremSite(project, "Computed.lean", "weaker_value"))
    (lemmas,) = lean.goal_lemmas([state], most=0, own=6)
    assert not isinstance(lemmas, LeanError)
    about = [lemma.full_name for lemma in lemmas if lemma.kind == "about"]
    assert about[0] == "weaker_both", "a relation that is computed, of the goal itself"
    proof = f"induction f <;> simp only [value] <;> first | exact h _ | solve_by_elim [{', '.join(about)}]"
    assert lean.goal_tactic(state, proof).is_solved
    lean.release([state])


NUMBERS = """inductive N where
  | zero : N
  | succ : N → N

namespace N
instance : OfNat N 0 := ⟨zero⟩
def add : N → N → N
  | a, zero => a
  | a, succ b => succ (add a b)
instance : Add N := ⟨add⟩
def mul : N → N → N
  | _, zero => zero
  | a, succ b => mul a b + a
instance : Mul N := ⟨mul⟩
def pow : N → N → N
  | _, zero => succ zero
  | a, succ b => pow a b * a
instance : Pow N N := ⟨pow⟩

theorem add_zero (a : N) : a + 0 = a := rfl
theorem add_succ (a b : N) : a + succ b = succ (a + b) := rfl
theorem add_assoc (a b c : N) : a + b + c = a + (b + c) := by sorry
theorem mul_succ (a b : N) : a * succ b = a * b + a := rfl
theorem mul_one (a : N) : a * succ 0 = a := by sorry
theorem mul_assoc (a b c : N) : a * b * c = a * (b * c) := by sorry
theorem mul_comm (a b : N) : a * b = b * a := by sorry
theorem mul_cancel (a b c : N) (h : a * b = a * c) (ha : a ≠ 0) : b = c := by sorry
theorem pow_zero (a : N) : a ^ (0 : N) = succ 0 := rfl
theorem pow_succ (a b : N) : a ^ succ b = a ^ b * a := rfl
def square (a : N) := a * a
theorem square_mul (a b : N) : square (a * b) = square a * square b := by sorry

theorem pow_add (a m n : N) : a ^ (m + n) = a ^ m * a ^ n := by sorry
end N
"""


def test_equations_about_nothing_else_than_a_goal(lean: LeanPool, tmp_path: Path) -> None:
    project = traced_project(lean, tmp_path, Numbers=NUMBERS)
    state = lean.goal_start(TheoremSite(project, "Numbers.lean", "N.pow_add", may_use_open=True))
    (lemmas,) = lean.goal_lemmas([state], most=0, own=6)
    assert not isinstance(lemmas, LeanError)
    alike = {lemma.full_name.removeprefix("N.") for lemma in lemmas if lemma.kind == "alike"}
    known = {
        "pow_zero",
        "pow_succ",
        "mul_one",
        "mul_comm",
        "mul_assoc",
        "mul_succ",
        "add_zero",
        "add_succ",
        "add_assoc",
    }
    assert alike == known, "on no condition, and of nothing that the goal does not name"
    zero = [step for step in told(lean, state, "notation") if "(0 : N) = zero" in step]
    assert zero, "which the goal does not have, and the first case of an induction does"
    listed = ", ".join(f"{'_=_' if name.endswith('assoc') else '='} N.{name}" for name in sorted(known))
    proof = f"{zero[0]}\ninduction n <;> grind (instances := 2000) [{listed}]"
    assert lean.goal_tactic(state, proof, timeout_s=30.0).is_solved
    lean.release([state])
