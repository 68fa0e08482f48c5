"""What a premise concludes, read off its text."""

from __future__ import annotations

import pytest

from lean_agent.policy.fillings.conclusions import is_of_sum, makes_witnesses, may_apply, may_conclude


@pytest.mark.parametrize(
    ("premise", "target", "may"),
    [
        ("theorem len_app : len xs = n → len (app xs ys) = n + len ys", "f a = b", True),
        ("theorem le (h : a = b) : a ≤ b", "f a = b", False),
        ("| two : Even 2", "f a = b", False),
        ("| head {t : Term} : t ⟶ u -> u ⟶* v -> t ⟶* v", "t₁ = t₂", False),
        ("theorem ind {p : Nat → Prop} (h : p 0) : ∀ n, p n", "f a = b", True),  # of any proposition
        ("theorem ex (n : Nat) : ∃ m, m = n", "f a = b", False),
        ("theorem ex (n : Nat) : ∃ m, m = n", "∃ k, k = 2", True),
        ("theorem no (h : a < a) : False", "¬a < a", True),
        ("theorem ne : a ≠ b", "False", True),
        ("theorem both : a = b ∧ b = c", "a = b", False),
        ("/-- Says: a = b. -/ theorem both : -- so\n  p ∧ q", "a = b", False),
        # Predicates, notations and orders may unfold to one another, and of an unfinished text nothing is known.
        ("theorem even : Even 2", "Odd 3", True),
        ("theorem eq : f a = b", "Commute a b", True),
        ("| step : Le n m → Le n (m + 1)", "n ≤ m + 1", True),
        ("theorem long (h : a", "f a = b", True),
        ("theorem eta : f = g", "(fun x => x ∧ y) = g", True),
    ],
)
def test_whether_a_premise_may_conclude_a_target(premise: str, target: str, may: bool) -> None:
    assert may_conclude(premise, target) is may


def test_an_equation_concludes_no_order() -> None:
    assert not may_conclude("theorem a (n : Nat) : choose n 0 = 1", "S f n ≤ S g n")
    assert may_conclude("theorem a (n : Nat) : n ≤ n", "S f n ≤ S g n")


def test_a_constructor_is_applied_where_its_type_is_wanted() -> None:
    rule = "| /- = -/ skip (h : s = t) : Exec s t"
    assert may_apply("Lang.Exec.skip", rule, "Exec s t") and may_apply("Lang.Exec.skip", rule, "Lang.Exec s t")
    assert not may_apply("Lang.Exec.skip", rule, "Step s t") and not may_apply("Lang.Exec.skip", rule, "s = t")
    assert may_apply("Lang.Exec.skip", rule, "s ⇓ t"), "of a notation nothing is known"
    assert may_apply("Lang.sound", "theorem sound (h : Exec s t) : Step s t", "Exec s t"), (
        "a definition may stand for it"
    )


@pytest.mark.parametrize(
    ("premise", "is_sum"),
    [
        ("theorem counted (n : Nat) : count (up n) + 1 = count n := by omega", True),
        ("theorem less (n : Nat) (h : 0 < n) : count n - 1 = n := by omega", True),
        ("theorem scaled (n : Nat) : 2 * total n = n * (n + 1) := by omega", False),
        ("theorem total_succ (n : Nat) : total (n + 1) = total n + n := rfl", False),
        ("theorem bounded (n : Nat) : count n + 1 ≤ n := by omega", False),
        ("def count (n : Nat) : Nat := n + 1", False),
    ],
)
def test_equations_of_sums(premise: str, is_sum: bool) -> None:
    assert is_of_sum(premise) is is_sum


@pytest.mark.parametrize(
    ("premise", "makes"),
    [
        ("theorem some_iff : ∀ {o : Option α}, o.bind f = some b ↔ ∃ a, o = some a ∧ f a = some b", True),
        ("theorem app_iff : (l ++ m).Pairwise R ↔ l.Pairwise R ∧ m.Pairwise R ∧ ∀ a ∈ l, ∀ b ∈ m, R a b", False),
        ("theorem has : ∃ n, f n = 0 := by simp", False),
        ("theorem eq (a : Nat) : f a = a := rfl", False),
    ],
)
def test_an_equivalence_with_a_witness_behind_it(premise: str, makes: bool) -> None:
    assert makes_witnesses(premise) is makes
