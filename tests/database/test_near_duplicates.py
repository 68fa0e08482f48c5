from __future__ import annotations

import random

import pytest

from lean_agent.database import near_duplicates
from lean_agent.database.near_duplicates import (
    THRESHOLD,
    NearDuplicates,
    goal_form,
    near_pairs,
    normal_form,
    outline,
    pieces,
    similarity,
)


@pytest.mark.parametrize(
    ("statement", "form"),
    [
        ("∀ (p q : Prop), p ∧ q → q", "( #0 #1 Prop ) #0 ∧ #1 → #1"),
        ("theorem and_right (a b : Prop) : a ∧ b → b", "( #0 #1 Prop ) #0 ∧ #1 → #1"),
        ("@[simp] protected theorem A.b.{u} {α : Type u} (x : α) : f x = x", "{ #0 Type u } ( #1 #0 ) f #1 = #1"),
        ("∃ y, ∀ (x : Nat), x ≤ y", "∃ #0 ( #1 Nat ) #1 ≤ #0"),
        ("∀ (h : P), h.symm = fun x ↦ «it's» x", "( #0 P ) #0.symm = fun #1 ↦ «it's» #1"),
        ("∀ (x✝ : Nat), List.length [] = 0", "( #0 Nat ) List.length [ ] = 0"),
    ],
)
def test_a_normal_form_forgets_names_and_spelling(statement: str, form: str) -> None:
    assert normal_form(statement) == form


def test_similarity_counts_common_pieces() -> None:
    # Pieces of "a b c d e": abc bcd cde; of "a b c d f": abc bcd cdf. Two of four are common.
    assert pieces("a b c d e") == {"a b c", "b c d", "c d e"}
    assert similarity("a b c d e", "a b c d f") == 2 / 4
    assert similarity("a b", "a b") == 1.0
    assert similarity("a b", "a c") == 0.0


def test_short_statements_that_differ_in_a_symbol_are_no_duplicates() -> None:
    add, mul = (normal_form(f"∀ (a b : Nat), a {op} b = b {op} a") for op in "+*")
    assert similarity(add, mul) < 0.5


def test_the_index_finds_what_comparing_all_pairs_finds() -> None:
    rng = random.Random(3)
    base = [[f"w{rng.randrange(200)}" for _ in range(40)] for _ in range(40)]
    forms = []
    for number, words in enumerate(base):
        for changes in range(6):  # a changed word costs three of 38 pieces
            other = list(words)
            for place in rng.sample(range(40), changes):
                other[place] = f"x{rng.randrange(10_000)}"
            forms.append((f"{number}.{changes}", " ".join(other)))
    expected = [
        (one, other)
        for place, (other, form) in enumerate(forms)
        for one, earlier in forms[:place]
        if similarity(form, earlier) >= THRESHOLD
    ]
    assert 40 < len(expected) < 400
    assert list(near_pairs(forms)) == expected


def test_an_outline_rules_out_no_near_duplicate() -> None:
    rng = random.Random(5)
    ruled_out = 0
    for _ in range(400):
        words = [f"w{rng.randrange(30)}" for _ in range(rng.randrange(1, 60))]
        other = [word if rng.random() < 0.95 else f"x{rng.randrange(9)}" for word in words] + words[: rng.randrange(4)]
        one, two = (outline(" ".join(form)) for form in (words, other))
        assert one.size == len(pieces(" ".join(words)))
        may = one.may_be_near(two.bits, two.size)
        assert may == two.may_be_near(one.bits, one.size)
        assert may or similarity(" ".join(words), " ".join(other)) < THRESHOLD
        ruled_out += not may
    assert ruled_out > 100


def test_of_near_duplicates_that_tell_the_same_the_first_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counted(one: str, other: str) -> float:
        compared.append(other)
        return similarity(one, other)

    monkeypatch.setattr(near_duplicates, "similarity", counted)
    words = " ".join(f"w{n}" for n in range(60))
    index = NearDuplicates()
    for number in range(40):  # three of some 58 pieces differ
        index.insert(str(number), f"{words} x{number}")
    assert not compared
    assert index.add("new", f"{words} y", tells=lambda key: int(key) >= 30) == ["0", "30"]
    assert compared == [f"{words} x0", f"{words} x30"]
    assert len(index.add("all", f"{words} z")) == 41


def test_near_duplicates_come_in_the_order_of_their_adding() -> None:
    index = NearDuplicates()
    assert [index.add(key, "a b c d") for key in "zyx"] == [[], ["z"], ["z", "y"]]


def test_a_goal_is_the_statement_that_its_hypotheses_make() -> None:
    goal = "case inl\np q : Prop\nh : p ∧\n  q\n⊢ q ∧ p"
    assert (
        goal_form(goal) == normal_form("∀ (p q : Prop) (h : p ∧ q), q ∧ p") == "( #0 #1 Prop ) ( #2 #0 ∧ #1 ) #1 ∧ #0"
    )
    assert goal_form("a b : Prop\nboth : a ∧ b\n⊢ b ∧ a") == goal_form(goal)


def test_the_nearest_is_found_and_not_put_in() -> None:
    index = NearDuplicates()
    index.insert("swap", normal_form("∀ (p q : Prop), p ∧ q → q ∧ p"))
    assert index.nearest(normal_form("∀ (a b : Prop), a ∧ b → b ∧ a")) == "swap"
    assert index.nearest(normal_form("∀ (n : Nat), n + 0 = n")) is None
    assert index.nearest(normal_form("∀ (n : Nat), n + 0 = n")) is None
