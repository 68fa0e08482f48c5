"""Lists of tactics and schemes: what a scheme stands for at a goal, and how likely each tactic is."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.errors import ConfigError
from lean_agent.policy import ScriptedPolicy
from lean_agent.policy.base import LearnsAtOnce, ProofRequest, TacticExample
from lean_agent.policy.closers.placeholders import PLACEHOLDERS
from lean_agent.policy.closers.schemes import (
    BY_SIMP,
    CLOSING_SCHEMES,
    CLOSING_TACTICS,
    alternatives,
    scheme_of,
    tactics_of,
)
from lean_agent.policy.closers.scripted import PRIOR_VOTES, VALUE_DISCOUNT, LearningClosers
from lean_agent.policy.fillings.reading import MOST_VALUES
from lean_agent.prompts import GoalNames, shown_names, with_help, without_help

INDUCTION = next(scheme for scheme in CLOSING_SCHEMES if scheme.startswith("induction {local}{varying} <;>"))
BY_PRINCIPLE = next(scheme for scheme in CLOSING_SCHEMES if " using {principle} <;>" in scheme)
GOAL = """\
α β : Type u
inst✝ : DecidableEq α
instance_of : Inhabited α
g : α → β
x : α
xs ys : List α
h : Even n
h1 : Inj g
h2 : xs.length = 1
⊢ xs.map g ++ Lists.app ys xs = foo n"""


def test_the_script_is_the_same_for_every_goal() -> None:
    policy = ScriptedPolicy(["rfl", "simp", "omega"])
    first, second = policy.suggest(["⊢ p", "⊢ q"], k=2)
    assert first == second
    assert [s.tactic for s in first] == ["rfl", "simp"]
    # as 1 : 1/2 : 1/3, the third of which was not asked for
    assert [math.exp(s.logprob) for s in first] == pytest.approx([6 / 11, 3 / 11])
    assert [s.tokens for s in first] == [0, 0]


@pytest.mark.parametrize("tactics", [[], ["simp", "simp"]])
def test_a_script_that_is_none_is_refused(tactics: list[str]) -> None:
    with pytest.raises(ConfigError, match="list of different tactics"):
        ScriptedPolicy(tactics)


def test_the_probabilities_of_a_list_sum_up_to_1_however_long_it_is() -> None:
    (suggestions,) = ScriptedPolicy([f"exact t{number}" for number in range(99)]).suggest(["⊢ p"], k=99)
    assert math.fsum(math.exp(s.logprob) for s in suggestions) == pytest.approx(1.0)
    assert suggestions[0].logprob - suggestions[98].logprob == pytest.approx(math.log(99))


@pytest.mark.parametrize(
    ("scheme", "tactics"),
    [
        ("simp", ["simp"]),
        ("rcases h with ⟨x, {y}⟩", ["rcases h with ⟨x, {y}⟩"]),  # a brace of Lean's own
        # no types, instances, functions, equations, and nothing of a type that is a variable
        ("cases {local} <;> rfl", ["cases xs <;> rfl", "cases ys <;> rfl", "cases h <;> rfl", "cases h1 <;> rfl"]),
        (
            "induction {local} generalizing {others}",
            [
                "induction xs generalizing ys h h1",
                "induction ys generalizing xs h h1",
                "induction h generalizing xs ys h1",
                "induction h1 generalizing x xs ys h",
            ],
        ),
        ("simp_all [{functions}]", ["simp_all [List.map, Lists.app, foo]"]),
        ("grind [{definitions}]", ["grind [List.map, Lists.app, foo, Even, Inj, List.length]"]),
        ("exact {premise} ..", []),
        ("grind [{premises}]", []),
        ("exists {witness}", []),
        ("{side}", []),
        ("intro {binders}", []),
        (
            "fun_induction {call}",
            ["fun_induction xs.map g", "fun_induction Lists.app ys xs", "fun_induction xs.map g generalizing ys"],
        ),
    ],
)
def test_what_a_scheme_stands_for(scheme: str, tactics: list[str]) -> None:
    assert tactics_of(scheme, GOAL) == tactics


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("∀ (n m : Nat), n = m → n + n = m + m", "n m h₁"),
        ("∀ {α : Type u_1} [inst : Add α] (f : α → α) (x : α), f x = x", "α inst f x₁"),
        ("p ∧ (∀ x, q x) → ¬(p → q) → ¬p", "h₁ h₂ h₃"),
        ("¬p → p", "h₁"),  # of which the negation is the first part
        ("¬p = q", "h₁"),
        ("∀ n < 5, n ≠ 7", "n h₁ h₂"),
        ("∀ xs✝ : Nat, True", "_"),
        ("(∀ x, p x)", "x₁"),
        ("∃ k, p k → q", ""),
        ("p ↔ q → r", ""),
    ],
)
def test_names_for_what_a_target_binds(target: str, names: str) -> None:
    goal = f"x : Nat\nh : p x\n⊢ {target}"
    assert tactics_of("intro {binders}", goal) == ([f"intro {names}"] if names else [])


@pytest.mark.parametrize(
    ("said", "pattern"),
    [
        ("p ∧ q", "⟨h, h₁⟩"),
        ("p ∧ q ∧ r", "⟨h, h₁, h₂⟩"),
        ("(p ∧ q) ∧ r", "⟨⟨h, h₁⟩, h₂⟩"),
        ("∃ x, f x = y ∧ p", "⟨x₁, h, h₁⟩"),
        ("∃ k ∈ xs, p k", "⟨k, h, h₁⟩"),
        ("p ∨ q", "h | h"),
        ("p ∧ (q ∨ r ∧ s)", "⟨h, (h₁ | ⟨h₁, h₂⟩)⟩"),
        ("p ∧ q → r", None),
        ("∀ x, p ∧ q", None),
        ("a = b", None),
    ],
)
def test_a_pattern_for_a_hypothesis(said: str, pattern: str | None) -> None:
    assert tactics_of("obtain {pair}", f"x : Nat\nh : {said}\n⊢ r") == ([f"obtain {pattern} := h"] if pattern else [])


@pytest.mark.parametrize(
    ("tactic", "target", "suits"),
    [
        ("intros; omega", "∀ n, n = n", True),
        ("intros; omega", "n = n", False),
        ("split <;> simp_all", "(if p then a else b) = c", True),
        ("split <;> simp_all", "a = c", False),
        ("constructor", "a = c", False),
        ("constructor", "Even n", True),
        ("rfl", "∃ x, x = a", False),
        ("rfl", "a ∧ b ↔ b ∧ a", True),
        ("constructor", "False", False),
        ("funext x", "f ∘ g = g", True),
        ("funext x", "f = fun x => x", True),
        ("funext x", "f n = g n", False),
        ("funext x", "f n ≤ g n", False),
        ("decide", "2 ∣ 4", True),
    ],
)
def test_what_could_do_nothing_is_not_proposed(tactic: str, target: str, suits: bool) -> None:
    assert tactics_of(tactic, f"⊢ {target}") == ([tactic] if suits else [])


def test_what_a_variable_is_rules_some_out() -> None:
    goal = "P : State → Prop\nf : Nat → Nat\ns : State\nh : ∀ t, P t\nk : f 0 = 0\n⊢ P s"
    assert tactics_of("apply {rule}", goal) == ["apply h"], "a relation and a function prove nothing"
    assert not tactics_of("constructor", goal) and not tactics_of("decide", goal)
    assert tactics_of("obtain {pair}", "h : ⦃I⦄ c ⦃fun s => I s ∧ b s⦄\n⊢ q") == [], "these are brackets"


def test_a_hypothesis_is_applied_to_others_and_taken_apart() -> None:
    goal = "r : α → α → Prop\nh : ∀ a b c, r a b → r a c → ∃ d, r b d ∧ r c d\na b c : α\nhb : r a b\nhc : r a c\n⊢ q"
    first, second, *others = tactics_of("obtain {conclusion}", goal)
    assert first == "obtain ⟨d, h₁, h₂⟩ := h _ _ _ hb hc" and second == "obtain ⟨d, h₁, h₂⟩ := h _ _ _ hc hb"
    assert len(others) == 2
    assert tactics_of("obtain {conclusion}", "h : ∀ ⦃n⦄, p n → q n ∨ s n\nk : p 0\n⊢ r") == ["obtain h₁ | h₁ := h k"]
    for said in ("∀ n, ∃ m, p n m", "∀ n, p n → q n", "∀ n, s n → q n ∧ q n"):
        assert tactics_of("obtain {conclusion}", f"h : {said}\nk : p 0\n⊢ r") == []


def test_what_a_goal_offers_by_its_shape() -> None:
    goal = "α : Type\nx y : α\nn : Nat\nh : p x\nr : ∀ a, p a → q a\ne : x = y\n⊢ ∃ a, q a"
    assert tactics_of("exists {witness}", goal) == ["exists x", "exists y", "exists 0", "exists n"]
    assert tactics_of("apply {rule}", goal) == ["apply r"]
    assert tactics_of("rw [{equation}]", goal) == ["rw [e]"]
    assert tactics_of("{side}", "⊢ p ∨ q") == ["left", "right"]
    assert tactics_of("fun_induction {call}", "xs ys : List Nat\n⊢ f (xs.app ys) (some xs) = g ys 1 + xs.length") == [
        "fun_induction xs.app ys",
        "fun_induction g ys",
        "fun_induction xs.length",
        "fun_induction g ys generalizing xs",
    ]


def test_premises_come_from_above_the_goal_the_best_one_first() -> None:
    shown = [
        "Lists.app: @[simp] def app : …",
        "Lists.len_app: theorem len_app : len xs = n → len (app xs ys) = n + len ys",
        "Lists.Even.two: | two : Even 2",
        "Lists.of: private noncomputable instance of : …",
        "Lists.le: /-- = -/ theorem le (h : a = b) : a ≤ b",
        "Lists.same: theorem same : a = b → a ≤ b",
    ]
    goal = with_help(GOAL, shown)
    proofs = ["Lists.len_app", "Lists.Even.two", "Lists.le", "Lists.same"]
    assert tactics_of("apply {premise}", goal) == ["apply Lists.len_app"], "the others conclude no equation"
    assert tactics_of("solve_by_elim [{proofs}]", goal) == [f"solve_by_elim [{', '.join(proofs)}]"]
    names = [line.partition(":")[0] for line in shown]
    assert tactics_of("grind [{premises}]", goal) == [f"grind [{', '.join(names)}]"]
    assert tactics_of("cases {local}", goal) == tactics_of("cases {local}", GOAL)


def test_what_has_to_be_introduced_comes_before_what_cannot_work() -> None:
    goal = with_help("⊢ ∀ (n m : Nat), double n = double m → n = m", ["a: theorem a : double n = n + n"])
    tactics = [tactic for scheme in CLOSING_SCHEMES for tactic in tactics_of(scheme, goal)]
    assert "intro n m h" in tactics and "grind [a]" in tactics and len(tactics) <= 24
    assert not any(tactic.startswith(("rw", "exact", "first", "apply", "funext")) for tactic in tactics)
    assert tactics_of("exact fun n => h n", goal) and tactics_of("assumption", goal), "which may be right as they are"
    assert "omega" in tactics and tactics_of("exact {premise} ..", with_help("⊢ ¬p", ["a: theorem a"]))


def test_names_that_lean_has_said_take_the_place_of_those_in_the_text() -> None:
    names = GoalNames(("SF.eqb", "SF.Even"), ("SF.eqb n m",))
    goal = with_help("n m : Nat\n⊢ (n =? m my&& gone) = true", ["SF.refl: theorem"], names=names)
    assert tactics_of("simp_all [{functions}]", goal) == ["simp_all [SF.eqb]"]
    assert tactics_of("grind [{lemmas}]", goal) == ["grind [SF.eqb, SF.Even, SF.refl]"]
    assert tactics_of("fun_induction {call}", goal) == ["fun_induction SF.eqb n m"]
    nothing = with_help("⊢ (n =? m) = true", names=GoalNames())
    assert tactics_of("fun_induction {call}", nothing) == tactics_of("simp [{definitions}]", nothing) == []
    assert shown_names(nothing) == GoalNames() and without_help(goal).startswith("n m")


def test_an_induction_generalizes_what_it_may() -> None:
    goal = "n m : Nat\nv : Vec m\nh : n ≤ m\nk : m = 0 → Even n\np : Even m\n⊢ n + m = m + n"
    scheme = "induction {local} generalizing {others}"
    first, *_, of_n, _ = tactics_of(scheme, goal)
    assert first == "induction v generalizing n", "what speaks of others comes before them"
    assert of_n == "induction n generalizing m v p", "what speaks of n goes with it"
    of_proof = next(tactic for tactic in tactics_of(scheme, goal) if tactic.startswith("induction p "))
    assert of_proof == "induction p generalizing n", "what it speaks of stays, and v goes with that"
    for relation in ("Step {} {}", "{} ⟶ {}", "r.Steps {} {}"):
        one, other = relation.format("a", "b"), relation.format("a", "c")
        steps = f"a b c : Term\nh₁ : {one}\nh₂ : {other}\nh₃ : r a b\n⊢ b = c"
        first, *_ = tactics_of(scheme, f"r : Rel\n{steps}")
        assert first.startswith("induction h₁ ") and "c" in first.split() and "h₂" not in first, "it speaks of a, too"
        assert "cases h₃" not in tactics_of("cases {local}", f"r : Rel\n{steps}"), "r is a variable"


def test_an_induction_generalizes_what_a_function_takes_beside() -> None:
    goal = "α : Type\nacc : α\nxs : List α\ns t : String\nf : α → Nat\n⊢ fold xs acc f s = t"
    (tactic,) = tactics_of("induction {local} generalizing {others}", goal)
    assert tactic == "induction xs generalizing acc s", "neither functions nor what is passed to none"


def test_a_predicate_may_say_that_something_exists() -> None:
    goal = "a b : Nat\nh : a = b\n⊢ Divides a 0"
    scheme = "first | exact ⟨{value}, by grind [{lemmas}]⟩"
    values = ["a", "b", "0", "b + 1"]
    tactic = "first | " + " | ".join(f"exact ⟨{value}, by grind [Divides]⟩" for value in values)
    assert tactics_of(scheme, goal) == [tactic]
    assert tactics_of("simp only [{predicates}] at *", goal) == ["simp only [Divides] at *"]
    assert tactics_of("exact ⟨_, rfl⟩", goal) == ["exact ⟨_, rfl⟩"] and not tactics_of("exists {witness}", goal)
    assert tactics_of(scheme, "a : Nat\n⊢ half a = Divides") == []
    assert tactics_of("simp only [{predicates}] at *", "h : hoare p c\n⊢ half 2 = 1") == ["simp only [hoare] at *"]


def test_a_witness_is_made_of_those_of_hypotheses() -> None:
    goal = "m a b c : Int\nh1 : ModEq m a b\nh2 : ModEq m b c\n⊢ ModEq m a c"
    simple, products = tactics_of("obtain {opened}", goal)
    assert simple.startswith(
        "obtain ⟨k, h⟩ := h1; obtain ⟨k₁, h₁⟩ := h2 <;> first | exact ⟨k + k₁, by grind⟩ | exact ⟨k - "
    )
    assert "exact ⟨k * m + k₁ * a, by grobner⟩" in products and "exact ⟨k * c - k₁ * b, by grobner⟩" in products
    (simple,) = tactics_of("obtain {opened}", "a : Int\nh : ∃ d, a = 2 * d ∧ 0 ≤ d\n⊢ ∃ e, -a = 2 * e")
    assert simple.startswith("obtain ⟨d, h₁, h₂⟩ := h <;> first | exact ⟨-d, by grind⟩ | exact ⟨d + 1, by grind⟩")
    assert not tactics_of("obtain {opened}", "a : Nat\nh : ∃ c d, a = c * d\n⊢ ∃ e, a = e"), "of which of the two"
    assert not tactics_of("obtain {opened}", "a : Nat\nh : ∃ c, a = c + c\n⊢ a = 0")
    assert tactics_of("first | exact ⟨{term}, by grind⟩", "a b : Int\n⊢ ∃ e, a + e = b") == [
        "first | exact ⟨-a, by grind⟩ | exact ⟨-b, by grind⟩ | exact ⟨a + b, by grind⟩"
    ]


def test_extensionality_is_for_what_is_no_number() -> None:
    scheme = "ext1 <;> (simp_all [{functions}] <;> grind)"
    assert tactics_of(scheme, "xs : List Nat\n⊢ move xs 0 = xs") == ["ext1 <;> (simp_all [move] <;> grind)"]
    assert not tactics_of(scheme, "xs : List Nat\n⊢ Sorted xs") and not tactics_of(scheme, "n : Nat\n⊢ double n = n")


def test_an_order_of_the_projects_own_may_be_an_existence() -> None:
    goal = "x y : MyNat\nk : Nat\nh : x.succ ≤ y\nh' : k ≤ 3\n⊢ x < y"
    assert tactics_of("obtain {pair}", goal) == ["obtain ⟨k₁, h₁⟩ := h"]
    (exists,) = tactics_of("first | exact ⟨{value}, by grind [{lemmas}]⟩", goal)
    assert exists.startswith("first | exact ⟨x, by grind [MyNat.succ]⟩ | exact ⟨y, by grind [MyNat.succ]⟩")
    of_lean = "α : Type\na b : α\nn : Nat\nh : a ≤ b\nh' : n ≤ 3\n⊢ n < 3"
    assert not tactics_of("obtain {pair}", of_lean) and not tactics_of("first | exact ⟨{value}, by simp⟩", of_lean)


def test_what_a_dot_after_another_means_is_not_known() -> None:
    goal = "p : Poly\n⊢ p.deriv.eval 1 = p.eval 0"
    assert tactics_of("simp_all [{functions}]", goal) == ["simp_all [Poly.deriv, Poly.eval]"]


def test_a_goal_with_many_hypotheses_does_not_make_a_scheme_endless() -> None:
    goal = "\n".join([*(f"x{number} : Tree" for number in range(20)), "⊢ p"])
    assert len(tactics_of("cases {local}", goal)) == MOST_VALUES


def test_two_schemes_that_say_the_same_are_proposed_once() -> None:
    policy = ScriptedPolicy(["simp [{functions}]", "simp [{definitions}]", "simp", "exact {premise}"])
    (suggestions,) = policy.suggest(["⊢ foo 1 = 1"], k=8)
    assert [s.tactic for s in suggestions] == ["simp [foo]", "simp"]


def test_scripts_are_offered_once() -> None:
    first, again = ScriptedPolicy(["simp"]).write_proofs([ProofRequest("⊢ p"), ProofRequest("⊢ p", "simp", "no")], k=2)
    assert [s.tactic for s in first] == ["simp"] and again == []


def test_an_induction_on_what_is_no_variable_gives_it_a_name_first() -> None:
    goal = "b : Body\ns t : State\nh : Exec (loop b) s t\n⊢ s = t"
    assert tactics_of("generalize {indexed}", goal) == ["generalize e : (loop b) = i at h; induction h"]
    assert tactics_of("induction {local}", goal)[-1] == "induction h", "Lean refuses it"
    assert tactics_of("cases {local}", goal)[0] == "cases h"
    of_pairs = "s t s' t' : State\nh : Exec b (s, t) (s', t')\n⊢ s = t"
    assert tactics_of("generalize {indexed}", of_pairs) == [
        "generalize e : (s, t) = i at h; generalize e₁ : (s', t') = i₁ at h; induction h generalizing s t s' t'"
    ]
    assert tactics_of("generalize {indexed}", "p : Nat → Prop\nh : All (fun x => p x) xs\n⊢ q") == []
    assert tactics_of("generalize {indexed}", "h : Exec b s t\n⊢ q") == []
    assert tactics_of("cases {local}", "x : String\nc : Char\nn : Nat\n⊢ p") == ["cases n"]


def test_an_induction_on_what_is_bound_first() -> None:
    scheme = "intro {bound}; induction {bound}"
    assert tactics_of(scheme, "n : Nat\n⊢ ∀ (n m : Nat), n = m") == ["intro n₁; induction n₁"]
    assert tactics_of(scheme, "n : Nat\n⊢ n = n") == []


def test_premises_whose_hypotheses_grind_may_begin_with() -> None:
    premises = [
        "Boxes.inside: theorem inside (h : Full b) : Inv b",
        "Inv: def Inv b := b.size = 3",
        "e: theorem e : f x = x",
    ]
    names = GoalNames(("Full",), equations=("e",), forward=("Boxes.inside",))
    goal = with_help("b : Box\nh : Full b\n⊢ b.size = 3", premises, names=names)
    assert tactics_of("grind [{forward}]", goal) == ["grind [Full, → Boxes.inside, Inv, = e]"]
    assert tactics_of("grind [{forward}]", with_help("⊢ p", premises, names=GoalNames(("Full",)))) == []
    assert scheme_of("grind [Full, → Boxes.inside]", goal, CLOSING_SCHEMES) == "grind [{forward}]"


def test_derivations_that_are_printed_by_a_notation() -> None:
    """By its text ``s =[c]=> t`` would be an equation, which nothing takes apart."""
    goal = "c : Com\ns t u : State\nh : s =[c]=> t\nk : s =[c]=> u\n⊢ t = u"
    named = with_help(goal, names=GoalNames(("Step",), predicates=("Step",), derivations=("h Step", "k Step")))
    assert "induction h" not in tactics_of("induction {local}", goal)
    assert tactics_of("induction {local}", named)[:2] == ["induction h", "induction k"]
    assert shown_names(named) == GoalNames(("Step",), predicates=("Step",), derivations=("h Step", "k Step"))


def test_a_derivation_is_generalized_for_functions_that_others_relate_to_what_it_is_about() -> None:
    """A state is a function behind a name, which nothing takes apart."""
    names = GoalNames(("Step",), predicates=("Step",), whole=("s", "t", "u", "v"))
    goal = with_help("c : Com\ns t u v : State\nh : Step c s t\nk : Step c s u\n⊢ t = u", names=names)
    assert tactics_of("induction {local} generalizing {others}", goal)[0] == "induction h generalizing u"


def test_what_is_bound_is_looked_at_case_by_case() -> None:
    names = GoalNames(("exec", "Option.bind"))
    goal = with_help("p : List Op\n⊢ exec p = (f p).bind g", names=names)
    (tactic,) = tactics_of(INDUCTION, goal)
    assert " | (simp_all [exec, Option.bind] <;> grind; done)" in tactic
    assert tactics_of("grind [{lemmas}]", goal) == ["grind [exec]"], "elsewhere it is not unfolded"
    assert scheme_of(tactic, goal, CLOSING_SCHEMES) == INDUCTION


@pytest.mark.parametrize(
    ("target", "introduced"), [("Closed a ↔ Closed b", True), ("¬ Small x", True), ("Closed a", True), ("x = y", False)]
)
def test_derivations_are_taken_apart_behind_what_introduces_them(target: str, introduced: bool) -> None:
    names = GoalNames(("Small",), predicates=("Small",), inversions=("‹Small (f ..)›",), inverted=("‹Small (f ..)›",))
    scheme = next(scheme for scheme in CLOSING_SCHEMES if scheme.startswith("{inverted}"))
    (tactic,) = tactics_of(scheme, with_help(f"h : Small (f x)\n⊢ {target}", names=names))
    assert tactic.startswith("(repeat' (first | intro _ | apply And.intro | apply Iff.intro)) <;> ") == introduced


def test_a_number_that_lean_has_solved_for() -> None:
    opened, alone = "obtain ⟨k, h⟩ := ha; exact ⟨k + 1, by grind⟩", "exact ⟨n / 2, by omega⟩"
    goal = with_help("n : Nat\nha : Even n\n⊢ Even (n + 2)", names=GoalNames(("Even",), witnesses=(opened, alone)))
    scheme = "{openings}exact ⟨{solution}⟩"
    assert tactics_of(scheme, goal) == [opened, alone]
    assert tactics_of(scheme, "⊢ ∃ k, n = 2 * k") == [], "nobody has solved it"
    assert [scheme_of(tactic, goal, CLOSING_SCHEMES) for tactic in (opened, alone)] == [scheme, scheme]
    assert scheme_of("exact h", goal, CLOSING_SCHEMES) is None


def test_what_notation_means_is_in_lists_for_grind() -> None:
    meanings = ["add_notation : ∀ (x y : N), x + y = x.add y", "zero_means : 0 = zero", "neg_means : ∀ (x : N), -x = x"]
    text = "\n".join(["n : N", *meanings, "⊢ 0 + n = n"])
    goal = with_help(
        text, ["N.add_zero: theorem add_zero (n : N) : n + 0 = n"], names=GoalNames(definitions=("N.add",))
    )
    told = "_=_ @add_notation, @zero_means, = @neg_means"
    assert tactics_of("grind [{lemmas}]", goal) == [f"grind [N.add, {told}, N.add_zero]"]
    assert tactics_of("simp_all [{functions}]", goal) == ["simp_all [N.add]"], "`simp_all` has them as hypotheses"
    assert tactics_of("apply {rule}", goal) == []
    assert tactics_of("grind [{instances}]", goal) == [f"grind [N.add, {told}, N.add_zero, N.add_zero n]"]
    assert scheme_of(f"grind [N.add, {told}]", text, CLOSING_SCHEMES) == "grind [{lemmas}]", "no laws at terms"


def test_inductions_by_steps() -> None:
    premises = [
        "Inv.le: le : ∀ o, s.tx = some o → o.done ≤ 3",
        "Step.run: | run (s : Sys) : s.done < 3 → Step s (next s)",
        "old: theorem old : p",
    ]
    names = GoalNames(
        ("Inv", "Reachable"),
        predicates=("Inv", "Reachable"),
        not_for_grind=("hidden",),
        steps=("Step", "Lock"),
        of_steps=("next", "hidden"),
    )
    text = "s : Sys\nn : Nat\nh : Reachable s\n⊢ Inv s"
    goal = with_help(text, premises, names=names)
    scheme = next(each for each in CLOSING_SCHEMES if "{stepped}" in each)
    by = "grind [Inv, Reachable, next, Inv.le, old]"
    apart = "(try cases ‹Step ..›) <;> (try cases ‹Lock ..›)"
    (tactic,) = tactics_of(scheme, goal)
    assert tactic == f"induction h <;> {apart} <;> first | {by} | (constructor <;> {by}; done)"
    assert scheme_of(tactic, goal, CLOSING_SCHEMES) == scheme_of(tactic, text, CLOSING_SCHEMES) == scheme
    assert tactics_of(scheme, with_help(text, premises, names=replace(names, steps=()))) == []


def test_inductions_by_rules() -> None:
    premises = ["old: theorem old : p"]
    names = GoalNames(
        ("Diamond", "StepN"),
        predicates=("Diamond", "StepN"),
        not_for_grind=("StepN.none",),
        rules=("StepN.refl", "StepN.cons", "StepN.none"),
    )
    text = (
        "α : Type\nr : α → α → Prop\nx y z : α\nd : Diamond r\nh : r x y\nk : StepN r x z\n⊢ ∃ w, StepN r y w ∧ r z w"
    )
    goal = with_help(text, premises, names=names)
    scheme = "induction {inductive}{generalizing} <;> intros <;> grind [{by_rules}]"
    by = "grind [Diamond, StepN.refl, StepN.cons]"
    assert tactics_of(scheme, goal) == [f"induction k generalizing y <;> intros <;> {by}"]
    assert tactics_of(scheme, with_help(text, premises, names=replace(names, rules=()))) == []


def test_laws_of_the_operations_of_a_goal() -> None:
    names = GoalNames(("divides",), laws=("Nat.add_mod", "Nat.mul_mod"))
    goal = with_help("a b n : Nat\n⊢ a % n = b % n", ["c: theorem c"], names=names)
    assert tactics_of("grind [{arithmetic}]", goal) == ["grind [divides, Nat.add_mod, Nat.mul_mod]"]
    assert tactics_of("grind [{arithmetic}]", with_help("⊢ a % n = b % n", names=GoalNames(("divides",)))) == []


@pytest.mark.parametrize("listed", ["upto, → upto_lt", "upto, Nat.mod_lt"])
def test_premises_to_begin_with_and_laws_in_cases(listed: str) -> None:
    names = GoalNames(("upto",), ("upto n",), forward=("upto_lt",), laws=("Nat.mod_lt",))
    goal = with_help("n : Nat\n⊢ Distinct (upto n)", ["upto_lt: theorem upto_lt : x < n"], names=names)
    schemes = [scheme for scheme in CLOSING_SCHEMES if scheme.startswith("induction {local}{varying} <;> grind (")]
    named = f"induction n <;> grind (instances := 200) [{listed}]"
    assert named in [tactic for scheme in schemes for tactic in tactics_of(scheme, goal)]
    assert str(scheme_of(named, goal, CLOSING_SCHEMES)) in schemes
    assert not any(tactics_of(scheme, "n : Nat\n⊢ Distinct (upto n)") for scheme in schemes)
    shorter = "induction n <;> grind [upto]"
    assert str(scheme_of(shorter, goal, CLOSING_SCHEMES)).startswith("induction {local}{varying} <;> first | rfl")


def test_divisors_have_witnesses() -> None:
    simple, products = tactics_of("obtain {opened}", "a b c : Int\nh : c ∣ a\nh₁ : c ∣ b\n⊢ c ∣ a * b")
    assert simple.startswith("obtain ⟨k, h₂⟩ := h; obtain ⟨k₁, h₃⟩ := h₁ <;> first | exact ⟨k + k₁, by grind⟩ |")
    assert "exact ⟨k * b + k₁ * a, by grobner⟩" in products


def test_calls_of_hypotheses_where_the_target_has_none() -> None:
    names = GoalNames(("Store.lookup", "hit"))
    text = "k : Nat\nl : List Nat\nh : lookup k l = some v\n⊢ k ∈ l"
    assert tactics_of("fun_induction {call}", with_help(text, names=names)) == ["fun_induction lookup k l"]
    assert tactics_of("fun_induction {call}", with_help(text, names=GoalNames(("hit",), ("length l",)))) == [
        "fun_induction length l",
        "fun_induction length l generalizing k",
    ]
    assert not tactics_of("fun_induction {call}", with_help(text, names=GoalNames(("hit",)))), "no definition of theirs"


def test_half_of_a_number_is_tried_where_another_is_to_be_twice_as_large() -> None:
    for text in ("a = 2 * k", "a = k * 2", "a = k + k", "a = 2 * k + 1"):
        values = tactics_of("exists {witness}", f"a b : Nat\n⊢ ∃ k, {text}")
        assert values[0] == "exists a / 2" and "exists a" in values, text
    assert tactics_of("exists {witness}", "a : Nat\n⊢ ∃ k, a = 3 * k")[0] == "exists a / 3"
    assert not [each for each in tactics_of("exists {witness}", "a : Nat\n⊢ ∃ k, a = 2 * b") if "/" in each]


def test_derivations_that_a_case_has_brought_are_taken_apart_whatever_their_names() -> None:
    text = "h : t ⟶ u\n⊢ step t = some u"
    goal = with_help(text, names=GoalNames(("Lang.Step", "step"), predicates=("Lang.Step",)))
    (tactic,) = [each for each in tactics_of(INDUCTION, goal) if "induction h" in each]
    assert " | (cases ‹Lang.Step ..› <;> simp_all [step]; done) | " in tactic and "‹step" not in tactic
    scheme = scheme_of(tactic, text, CLOSING_SCHEMES)
    assert scheme is not None and scheme.startswith("induction {local}{varying} <;> first | ")
    shorter = "induction h <;> first | rfl | (cases ‹Lang.Step ..› <;> simp_all [step]; done)"
    assert scheme_of(shorter, text, CLOSING_SCHEMES) == scheme
    without = [each for each in tactics_of(INDUCTION, text) if "induction h" in each]
    assert not any("‹" in each for each in without), "it is not known which of the names are predicates"


def test_what_a_function_takes_apart_comes_first() -> None:
    text = "key limit n : Nat\nxs : List Nat\n⊢ find key limit n xs = true"
    goal = with_help(text, names=GoalNames(("find",), ("find key limit n xs",), recursion=("xs",)))
    first, second, *_ = tactics_of("induction {local}", goal)
    assert (first, second) == ("induction xs", "induction key")
    assert tactics_of("induction {local}", text)[0] == "induction key", "where Lean has not said it"
    assert tactics_of("cases {local}", goal)[0] == "cases xs"
    derived = with_help(f"h : Sorted xs\n{text}", names=GoalNames(("find",), recursion=("xs",)))
    assert tactics_of("induction {local}", derived)[0] == "induction xs", "h stands above what it speaks of here"
    of_variable = text.replace("⊢", "h : Sorted xs\n⊢")
    derived = with_help(of_variable, names=GoalNames(("find",), recursion=("xs",)))
    assert tactics_of("induction {local}", derived)[:2] == ["induction h", "induction xs"]
    head = "fun_induction find key limit n xs <;> first | "
    (by_cases,) = [way for scheme in CLOSING_SCHEMES for way in tactics_of(scheme, goal) if way.startswith(head)]
    assert " | (simp_all [find] <;> grind; done) | grind [find] | " in by_cases
    for way in (by_cases, f"{head}rfl | (simp_all [find] <;> grind; done)"):
        found = scheme_of(way, without_help(goal), CLOSING_SCHEMES)
        assert found is not None and found.startswith("fun_induction {call} <;> ")


def test_rules_of_logic_stand_beside_those_of_a_predicate() -> None:
    premises = ["Step.app: | app : Step (app (lam t) u) (subst t u)"]
    progress = with_help("t : Term\nh : Typed t\n⊢ Value t ∨ ∃ u, Step t u", premises)
    assert tactics_of("solve_by_elim [{proofs}]", progress) == [
        "solve_by_elim [Step.app, Or.inl, Or.inr, Exists.intro]"
    ]
    assert tactics_of("solve_by_elim [{proofs}]", with_help("t : Term\n⊢ Step t t", premises)) == [
        "solve_by_elim [Step.app]"
    ]
    assert tactics_of("solve_by_elim [{proofs}]", "p q : Prop\n⊢ p ∨ q") == ["solve_by_elim"]


def test_no_induction_is_tried_on_a_call_with_one_variable_twice() -> None:
    names = GoalNames(("binom", "sum"), ("binom n n", "sum n"))
    assert tactics_of("fun_induction {call}", with_help("n : Nat\n⊢ binom n n = 1 + sum n", names=names)) == [
        "fun_induction sum n"
    ]


def test_an_induction_hypothesis_that_has_no_name_is_opened() -> None:
    goal = "n : Nat\na_ih✝ : ∃ k, iter k n\n⊢ ∃ k, iter k (n + 1)"
    assert tactics_of("obtain {pair}", goal) == ["obtain ⟨k, h⟩ := ‹∃ _, _›"]
    assert scheme_of("obtain ⟨k, h⟩ := ‹∃ _, _›", goal, CLOSING_SCHEMES) == "obtain {pair}"
    of_cases = with_help(f"h : star n m\n{goal}", names=GoalNames(("iter",), predicates=("iter",)))
    tactics = [way for scheme in CLOSING_SCHEMES for way in tactics_of(scheme, of_cases)]
    (ways,) = [way for way in tactics if way.startswith("induction h <;> first | rfl | (simp_all!")]
    assert (
        " | (exact ⟨0, by grind [iter]⟩; done)"
        " | (obtain ⟨k, _⟩ := (by assumption : ∃ _, _); exact ⟨k, by grind [iter]⟩; done) | " in ways
    )
    opened = "n k : Nat\nh : iter k n\n⊢ ∃ k, iter k (n + 1)"
    assert "exact ⟨k + 1, by grind" in tactics_of("first | exact ⟨{value}, by grind [{lemmas}]⟩", opened)[0]


def test_an_induction_by_a_function_generalizes_what_it_may_be_equal_to() -> None:
    context = "α : Type\nf : Nat → Nat\nt c : Term\ns r : Subst\nx : α\nn : Nat\n"
    for fact, generalizing in (
        ("h : unify t c s = some r", " generalizing r"),
        ("h : some (r, x) = M.unify t c s", " generalizing r x"),
        ("h : unify t c s = none", ""),
        ("h : unify t c s = s", ""),
        ("h : unify t c s = g f", ""),  # a function is the same in all cases
        ("h : n ∈ unify t c s", ""),
        ("h : unify t c r = n", ""),
    ):
        goal = with_help(
            f"{context}{fact}\n⊢ look r n = look s n", names=GoalNames(("M.unify",), calls=("M.unify t c s",))
        )
        assert tactics_of("fun_induction {call}", goal)[0] == f"fun_induction M.unify t c s{generalizing}", fact
    goal = with_help("a : Nat\nv : Vec a\nh : len v = a\n⊢ p v", names=GoalNames(("len",), calls=("len v",)))
    assert tactics_of("fun_induction {call}", goal) == ["fun_induction len v"], "its argument rests on the other side"


def test_an_accumulator_is_another_one_in_each_case() -> None:
    text = (
        "P : Nat → Prop\nout : Bytes\nbs : Bytes\nst : Option Nat\nh : run out = st\n⊢ run (go bs st) out = out ++ bs"
    )
    goal = with_help(text, names=GoalNames(("go",), calls=("go bs st",)))
    assert tactics_of("fun_induction {call}", goal) == [
        "fun_induction go bs st",
        "fun_induction go bs st generalizing out",
    ]


def test_types_of_a_few_values_are_looked_at_value_by_value() -> None:
    enumerations = ("N.Light N.Light.red N.Light.green", "Bool false true")
    names = GoalNames(("Inv",), predicates=("Inv",), unfoldings=("Inv", "step"), enumerations=enumerations)
    goal = with_help("s t : State\nh : Inv s\n⊢ Inv t", names=names)
    assert tactics_of("grind [cases {enumerated}]", goal) == ["grind [cases N.Light, cases Bool, Inv, step]"]
    scheme = "have e : ∀ p : {each_value}⟩; simp_all [{unfolded_values}] <;> grind [cases {enumerated}]"
    (tactic,) = tactics_of(scheme, goal)
    of_light, rest = tactic.split("; ")
    assert of_light == (
        "have e : ∀ p : N.Light → Prop, ((∃ x, p x) ↔ p N.Light.red ∨ p N.Light.green) ∧ "
        "((∀ x, p x) ↔ p N.Light.red ∧ p N.Light.green) := fun p => ⟨⟨fun ⟨x, h⟩ => by cases x <;> simp [h], "
        "fun h => by rcases h with h | h <;> exact ⟨_, h⟩⟩, ⟨fun h => ⟨h _, h _⟩, fun h x => by cases x <;> simp [h]⟩⟩"
    )
    assert rest == "simp_all [Inv, step] <;> grind [cases N.Light, cases Bool, Inv, step]"
    of_two = with_help("s t : State\n⊢ Inv t", names=replace(names, enumerations=(enumerations[0], "T a b c")))
    assert "⟩⟩; have e' : ∀ p : T → Prop, ((∃ x, p x) ↔ p a ∨ p b ∨ p c) ∧ " in tactics_of(scheme, of_two)[0]
    of_bool = with_help("s t : State\n⊢ Inv t", names=replace(names, enumerations=("Bool false true",)))
    assert tactics_of(scheme, of_bool) == []
    assert tactics_of("grind [cases {enumerated}]", with_help("n : Nat\n⊢ n = n", names=GoalNames(("f",)))) == []
    for tactic in ("grind [cases N.Light, Inv, step]", "induction h <;> grind (instances := 200) [cases N.Light, Inv]"):
        assert str(scheme_of(tactic, "h : Inv s\n⊢ Inv t", CLOSING_SCHEMES)).endswith("[cases {enumerated}]")


def test_what_lean_says_is_a_function_is_not_taken_apart() -> None:
    goal = "s : State\nn : Nat\nh : hoare P c Q\n⊢ f s n = 0"
    assert tactics_of("cases {local}", goal) == ["cases s", "cases n", "cases h"]
    assert tactics_of("cases {local}", with_help(goal, names=GoalNames(whole=("s", "h")))) == ["cases n"]


def test_cases_are_made_of_all_variables_of_types_without_arguments() -> None:
    scheme = "cases {finite} <;> first | rfl | (simp_all [{unfolded}]; done)"
    context = "last c : Client\nr : Reqs\nn : Nat\nw : Client\nv : Stack Client\nh : Small last\n⊢ "
    goal = with_help(
        context + "grant last r = some c", ["order: def order", "a: theorem a : p"], names=GoalNames(("grant",))
    )
    (tactic,) = tactics_of(scheme, goal)
    assert tactic == "cases last <;> cases c <;> cases r <;> first | rfl | (simp_all [grant, order]; done)"
    for one in ("c : Client\n⊢ f c = 0", "n m : Nat\n⊢ n = m", "a b c d e : Client\n⊢ f a b c d e = 0"):
        assert tactics_of(scheme, with_help(one, names=GoalNames(("f",)))) == []
    (tactic,) = tactics_of(scheme, with_help("a b : Bool\nn : Nat\n⊢ f a b = n", names=GoalNames(("f",))))
    assert tactic == "cases a <;> cases b <;> first | rfl | (simp_all [f]; done)"
    (tactic,) = tactics_of(scheme, "x : Option Bool\ny : Except String Nat\nz : List Nat\n⊢ x = none ↔ y = z")
    assert tactic == "cases x <;> cases y <;> first | rfl | (simp_all; done)", "without definitions, too"


def test_nothing_that_is_no_tree_is_for_induction() -> None:
    goal = "n : UInt8\nm : Nat\nx : Option Nat\no : Ordering\n⊢ f n m x o = 0"
    assert tactics_of("induction {local}", goal) == ["induction m"]
    assert tactics_of("cases {local}", goal) == ["cases n", "cases m", "cases x", "cases o"]


def test_the_only_rule_for_a_predicate_that_is_a_variable_is_applied_before_an_induction() -> None:
    safe = "safe : ∀ (s : State), Reachable m s → p s"
    context = f"p : State → Prop\nrun : Nat → State\n{safe}\nh : Execution m run\nn : Nat"
    assert tactics_of("apply {by_rule}", f"{context}\n⊢ p (run n)") == ["apply safe; induction n"]
    assert tactics_of("apply {by_rule}", f"{context}\n⊢ Reachable m (run n)") == []
    assert tactics_of("apply {by_rule}", f"{context}\nother : p (run 0)\n⊢ p (run n)") == []


def test_entries_are_as_likely_as_the_list_says_and_each_further_tactic_of_one_less() -> None:
    goal = "xs ys zs : Tree\n⊢ P xs ys zs"
    policy = ScriptedPolicy({"rfl": 0.1, "cases {local}": 0.3, "simp": 0.05})
    of_one = [0.3, 0.3 * VALUE_DISCOUNT, 0.3 * VALUE_DISCOUNT**2]
    worth = {**dict(zip(["cases xs", "cases ys", "cases zs"], of_one, strict=True)), "rfl": 0.1, "simp": 0.05}
    total = sum(worth.values())
    assert probabilities(policy, goal) == pytest.approx({tactic: each / total for tactic, each in worth.items()})
    assert list(probabilities(policy, goal)) == ["cases xs", "cases ys", "rfl", "simp", "cases zs"]
    with pytest.raises(ConfigError, match="likely to some degree"):
        ScriptedPolicy({"rfl": 0.0})
    assert ScriptedPolicy({"rfl": 0.1}).identity != ScriptedPolicy({"rfl": 0.2}).identity


def test_the_lists_have_no_placeholder_that_nothing_fills() -> None:
    facts = (
        GOAL.partition("\n⊢")[0]
        + "\nr : p → q\ns : p ∧ q\nt : x = x\nw : Small (x + 1)\nu : Small x\nv : Small x → p ∨ q\nz : Int\n⊢ "
    )
    targets = ["f ∘ g = g", "f (g x) = x", "total (fun i => g i * x) = x", "total (fun i => i) = total fun i => i"]
    targets.append("total (if n = 0 then xs else foo xs) = n")
    targets += ["foo xs = n", "∃ y, y = x", "p ∨ q", "p → q", "if p then q else r", "p ∧ q", "∀ y, y = x"]
    goals = [with_help("c d : Colour\n⊢ mix c d = mix d c", names=GoalNames(("mix",)))]
    goals.append("p : Nat → Prop\nr : ∀ k, q k → p k\nn : Nat\n⊢ p n")
    goals += [with_help(facts + target, ["a: theorem a (x : G) : f x = y"]) for target in targets]
    names = GoalNames(("Small",), ("foo xs",), forward=("a",), laws=("Nat.add_mod",), own=("b",), alike=("= b",))
    names = replace(names, predicates=("Small",), unfoldings=("Small", "limit"), consequences=("r h : q",))
    names = replace(names, enumerations=("Light red green",), steps=("Step",), rules=("Small.mk",))
    names = replace(names, inversions=("‹Small (f ..)›",), inverted=("‹Small (f ..)›",), facts=("Nat.le_refl n",))
    names = replace(names, witnesses=("obtain ⟨k, h⟩ := s; exact ⟨k + 1, by grind⟩",))
    names = replace(names, descents=("n using Nat.strongRecOn; rename_i n ih",))
    unfolded = replace(names, definitions=("total",), unfoldings=("total",), functions=("total",))
    unfolded = replace(unfolded, structures=("xs entries",))
    goals.append(with_help(facts + "total xs = n", names=unfolded))
    names = replace(names, chaining=("small_trans", "small_succ"))
    for target in ("Small x", "False", "Small x ∨ q"):
        goals.append(with_help(facts + target, ["a: theorem a (h : Small x) : p"], names=names))
    for scheme in CLOSING_SCHEMES:
        tactics = [tactic for goal in goals for tactic in tactics_of(scheme, goal)]
        assert tactics and not any("{" in tactic for tactic in tactics), scheme
    assert not any("{" in tactic for tactic in CLOSING_TACTICS)


def test_several_principles_may_be_on_the_same_number() -> None:
    descents = ("n using Nat.strongRecOn; rename_i n ih", "n using by_twos")
    goal = with_help("n : Nat\n⊢ Even (n * n)", names=GoalNames(("Even",), descents=descents))
    assert tactics_of("induction {descent} using {principle}", goal) == [f"induction {each}" for each in descents]


def test_each_placeholder_is_explained_where_people_look() -> None:
    page = (Path(__file__).parents[2] / "docs" / "search.md").read_text(encoding="utf-8")
    assert [name for name in PLACEHOLDERS if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("tactic", "scheme"),
    [
        ("rfl", "rfl"),
        (
            "induction xs <;> first | (simp_all!; done) | grind [Lists.len] | (simp_all!; omega)",
            INDUCTION,
        ),
        (
            "induction xs <;> first | (simp_all!; done) | grind | (simp_all!; omega)",  # where there are no lemmas
            INDUCTION,
        ),
        ("induction ys generalizing xs h h1", "induction {local} generalizing {others}"),
        ("simp_all!", BY_SIMP),
        ("simp_all [List.map, Lists.app, foo]", "simp_all [{functions}]"),
        ("grind [Lists.len, Lists.app_nil]", "grind [{lemmas}]"),  # the goal names none of them
        ("grind [= Lists.len, Lists.len]", "grind [{lemmas}]"),
        ("grind [Lists.len, Lists.app_nil xs]", "grind [{instances}]"),
        ("grind [_=_ Lists.assoc]", "grind [{lemmas}]"),
        ("grind [_=_ Lists.assoc, Lists.app_nil xs]", "grind [{instances}]"),
        ("induction n using by_twos <;> grind [Lists.len]", BY_PRINCIPLE),
        ("induction n using Nat.strongRecOn; rename_i n ih", "induction {descent} using {principle}"),
        ("grind [Lists.app_nil xs, Lists.app_nil (Lists.app xs)]", "grind [{extended}]"),
        *(
            (
                f"induction xs <;> {way}",  # what is left of it when it is made shorter
                INDUCTION,
            )
            for way in ("simp_all!", "grind [Lists.len,\n Lists.app]", "grind", "(simp_all!; omega)")
        ),
        ("simp [Lists.app]", None),
        ("induction α <;> simp_all!", None),  # nothing to take apart
        ("induction xs <;> simp", None),  # no way of the scheme's
    ],
)
def test_which_scheme_a_tactic_comes_from(tactic: str, scheme: str | None) -> None:
    assert scheme_of(tactic, GOAL, CLOSING_SCHEMES) == scheme
    assert scheme_of(tactic, with_help(GOAL, ["Lists.len: def len"]), CLOSING_SCHEMES) == scheme


def test_what_has_worked_at_a_goal_comes_first_there() -> None:
    closers = LearningClosers(["rfl", "simp", "omega"])
    assert isinstance(closers, LearnsAtOnce)
    goal = "n : Nat\n⊢ n < n + 1"
    listed = [6 / 11, 3 / 11, 2 / 11]
    assert probabilities(closers, goal) == pytest.approx(dict(zip(["rfl", "simp", "omega"], listed, strict=True)))
    unlearnt = closers.identity
    closers.add([TacticExample(goal, "omega"), TacticExample(goal, "omega"), TacticExample(goal, "exact h")])
    assert len(closers) == 1
    assert closers.identity != unlearnt
    votes = PRIOR_VOTES + 1
    learnt = [PRIOR_VOTES * share / votes for share in listed[:2]] + [(PRIOR_VOTES * listed[2] + 1) / votes]
    assert probabilities(closers, goal) == pytest.approx(dict(zip(["rfl", "simp", "omega"], learnt, strict=True)))
    closers.add(TacticExample(f"n : Nat\n⊢ n < n + {number}", "omega") for number in range(2, 9))
    assert next(iter(probabilities(closers, goal))) == "omega"
    assert next(iter(probabilities(closers, "p q : Prop\n⊢ p ↔ q"))) == "rfl", "nothing like it is known"


def test_a_scheme_s_share_is_that_of_all_its_tactics() -> None:
    closers = LearningClosers(["rfl", "cases {local}"])
    closers.add([TacticExample("a : Foo\n⊢ P a", "cases a")])
    two = probabilities(closers, "a b : Foo\n⊢ Q a b")
    assert math.fsum(two.values()) == pytest.approx(1.0)
    assert two["cases a"] / two["cases b"] == pytest.approx(1 / VALUE_DISCOUNT)


def probabilities(policy: ScriptedPolicy, goal: str) -> dict[str, float]:
    (suggestions,) = policy.suggest([goal], k=9)
    return {suggestion.tactic: math.exp(suggestion.logprob) for suggestion in suggestions}


def test_derivations_are_built_and_taken_apart() -> None:
    names = GoalNames(("Lang.Typed", "Lang.size"), predicates=("Lang.Typed",))
    built, apart = (scheme for scheme in CLOSING_SCHEMES if "{derivation}" in scheme or "{taken_apart}" in scheme)
    if "{taken_apart}" in built:
        built, apart = apart, built
    rules = "(repeat' (first | rfl | assumption | constructor)) <;> grind [Lang.Typed, Lang.size]"
    for target in ("∃ t, Typed (app a b) t", "Typed (app a b) int"):
        (tactic,) = tactics_of(built, with_help(f"⊢ {target}", names=names))
        assert tactic == f"first | exact ⟨_, by {rules}⟩ | ({rules}; done)"
        assert alternatives(tactic) == ("", [f"exact ⟨_, by {rules}⟩", f"({rules}; done)"])
    assert tactics_of(built, with_help("⊢ size a = 1", names=names)) == []
    (tactic,) = tactics_of(apart, with_help("h : Typed (app a b) t\n⊢ False", names=names))
    assert tactic == "(repeat' (first | cases ‹_ = _› | cases ‹Lang.Typed ..› | fail)) <;> grind"
    apart_never = ("h : Typed (app a b) t\n⊢ size t = 1", "a t : Term\nh : Typed a t\n⊢ False")
    for goal in (*apart_never, "h : Typed Typed (app a b)\n⊢ False"):
        assert tactics_of(apart, with_help(goal, names=names)) == []


def test_what_speaks_of_numbers_is_unfolded_to_the_bottom() -> None:
    names = GoalNames(("fee",), unfoldings=("fee", "limit"))
    scheme = "simp only [{unfoldings}] at *; omega"
    for goal in ("n : Nat\n⊢ fee n < n", "⊢ fee x < 7"):
        assert tactics_of(scheme, with_help(goal, names=names)) == ["simp only [fee, limit] at *; omega"]
    for goal in ("⊢ ∀ n : Nat, fee n < 7", "x : Color\n⊢ fee x = fee x"):
        assert tactics_of(scheme, with_help(goal, names=names)) == []
    assert scheme_of("simp only [fee] at *; omega", "⊢ fee x < 7", CLOSING_SCHEMES) == scheme


def test_what_could_be_used_without_end_is_used_the_other_way_round() -> None:
    goal = with_help(
        "e : Exp\n⊢ eval e = eval (folded e)",
        ["eval_simplified: theorem eval_simplified (e : Exp) : eval e = eval (simplified e)"],
        names=GoalNames(("eval", "folded"), equations=("eval_simplified",)),
    )
    assert tactics_of("grind [{lemmas}]", goal) == ["grind [eval, folded, =_ eval_simplified]"]
    assert tactics_of("simp_all [{lemmas}]", goal) == ["simp_all [eval, folded, ← eval_simplified]"]
    assert tactics_of("solve_by_elim [{proofs}]", goal) == ["solve_by_elim [eval_simplified]"]


@pytest.mark.parametrize(
    ("fact", "instances"),
    [
        ("∀ (p q : Prop), p ∨ q → p ∧ q", ["h True True", "h True False", "h False True", "h False False"]),
        ("∀ (p : Prop) (n : Nat), p", ["h True", "h False"]),
    ],
)
def test_what_is_said_of_all_propositions_is_taken_at_two(fact: str, instances: list[str]) -> None:
    (tactic,) = tactics_of("{at_values}; grind", f"h : {fact}\n⊢ False")
    assert tactic == "; ".join([*(f"have := {each}" for each in instances), "grind"])
