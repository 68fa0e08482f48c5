"""Which theorems are practised."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from lean_agent.database import StoredTheorem
from lean_agent.database.records import PassRate
from lean_agent.errors import ConfigError
from lean_agent.improvement.practice import Guard, choose, hold_out, set_up_practice, weight
from lean_agent.prover.proofs.result import theorem_key
from lean_agent.tracing import Repository

Stored = Callable[..., list[StoredTheorem]]


def names(theorems: object) -> list[str]:
    return [theorem.full_name for theorem in theorems]  # type: ignore[attr-defined]


def test_a_guard_refuses_the_same_the_nearly_same_and_their_goals(stored: Stored) -> None:
    goal = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    held, twin, other = stored(
        ("held", "∀ (p q : Prop), p ∧ q → q ∧ p", (goal, "sorry")),
        ("twin", "∀ (a b : Prop), a ∧ b → b ∧ a"),
        ("other", "∀ (n : Nat), n + 0 = n"),
    )
    guard = Guard([held])
    assert [guard.refuses(theorem) for theorem in (held, twin, other)] == [True, True, False]
    assert guard.holds(theorem_key(held)) and not guard.holds(theorem_key(twin))
    assert guard.refuses_goal("a b : Prop\nboth : a ∧ b\n⊢ b ∧ a")
    assert guard.refuses_goal("⊢ ∀ (a b : Prop), a ∧ b → b ∧ a"), "the statement as a goal"
    assert not guard.refuses_goal("p q : Prop\nh : p\n⊢ p ∨ q")


def test_development_theorems_are_set_aside_and_what_is_near_to_them_is_not_practised(stored: Stored) -> None:
    theorems = stored(*((f"t{n}", f"∀ (x : T{n}), P{n} x → Q{n} x") for n in range(8)))
    practice = set_up_practice(theorems[:7], theorems[7:], development=16, seed=0)
    assert len(practice.development) == 1, "a quarter of 7 at most"
    assert len(practice.theorems) == 6 and practice.refused == ()
    assert {*names(practice.theorems), *names(practice.development)} == {f"t{n}" for n in range(7)}
    assert names(practice.hidden) == ["t7", *names(practice.development)]
    again = set_up_practice(theorems[:7], theorems[7:], development=16, seed=0)
    assert names(again.development) == names(practice.development)


def test_what_is_near_to_a_held_out_theorem_is_refused_and_counted(stored: Stored) -> None:
    theorems = stored(("a", "∀ (p q : Prop), p ∧ q → q ∧ p"), ("b", "∀ (n : Nat), n + 0 = n"))
    (held,) = stored(("held", "∀ (r s : Prop), r ∧ s → s ∧ r"))
    practice = set_up_practice(theorems, [held], development=0, seed=0)
    assert (names(practice.theorems), names(practice.refused)) == (["b"], ["a"])


def test_bad_practice_is_refused_in_words(stored: Stored) -> None:
    theorems = stored(("a", "∀ (p q : Prop), p ∧ q → q ∧ p"), ("b", "∀ (n : Nat), n + 0 = n"))
    with pytest.raises(ConfigError, match="these are to be both: b"):
        set_up_practice(theorems, theorems[1:], development=4, seed=0)
    with pytest.raises(ConfigError, match="There is no theorem to practise"):
        set_up_practice([], theorems, development=4, seed=0)
    (near,) = stored(("near", "∀ (r s : Prop), r ∧ s → s ∧ r"))
    with pytest.raises(ConfigError, match="1 are too near"):
        set_up_practice([near], theorems, development=4, seed=0)


def test_weights_fall_with_outcomes_that_are_all_alike() -> None:
    assert weight(PassRate()) == 1
    assert weight(PassRate(1, 1)) == pytest.approx(3 / 4)  # p = 1.5 / 2: 4 · 3/4 · 1/4
    assert weight(PassRate(2, 0)) == pytest.approx(5 / 9)  # p = 0.5 / 3: 4 · 1/6 · 5/6
    assert weight(PassRate(4, 2)) == 1
    assert weight(PassRate(99, 99)) == pytest.approx(0.0199)


def test_theorems_that_are_always_or_never_proved_are_practised_less(stored: Stored) -> None:
    theorems = stored(*((f"t{n}", f"∀ (x : T{n}), P{n} x") for n in range(6)))
    rates = {
        theorem_key(theorem): PassRate(40, proved)
        for theorem, proved in zip(theorems, (40, 40, 0, 0, 20, 20), strict=True)
    }
    drawn = Counter(name for seed in range(200) for name in names(choose(theorems, rates, 2, seed)))
    assert sum(drawn.values()) == 400
    # Weights 0.049 four times and 1 twice: of the first draws the two have 2 / 2.196, 91 %.
    assert drawn["t4"] + drawn["t5"] > 320
    assert min(drawn[f"t{n}"] for n in range(4)) > 0, "less, and not never"
    assert choose(theorems, {}, 99, 0) == theorems
    assert names(choose(theorems, rates, 3, 5)) == names(choose(theorems, rates, 3, 5))


def test_a_share_is_held_out_with_near_duplicates_on_one_side(stored: Stored) -> None:
    theorems = stored(
        *((f"t{n}", f"∀ (x : T{n}), P{n} x → Q{n} x") for n in range(40)),
        *((f"u{n}", f"∀ (y : T{n}), P{n} y → Q{n} y") for n in range(40)),
    )
    held = set(names(hold_out(theorems, 0.5)))
    assert {name[1:] for name in held if name[0] == "t"} == {name[1:] for name in held if name[0] == "u"}
    assert 20 < len(held) < 60
    assert hold_out(theorems, 0.0) == [] and len(hold_out(theorems, 1.0)) == 80
    assert set(names(hold_out(theorems, 0.5, seed=1))) != held


def test_the_development_set_has_theorems_of_every_repository(stored: Stored, tmp_path: object) -> None:
    other = Repository("https://example.org/other", "b" * 40, "other", tmp_path)  # type: ignore[arg-type]
    many = stored(*((f"t{n}", f"∀ (x : T{n}), P{n} x") for n in range(16)))
    few = stored(*((f"u{n}", f"∀ (x : U{n}), R{n} x") for n in range(4)), of=other)
    practice = set_up_practice([*many, *few], [], development=5, seed=0)
    assert Counter(theorem.repository.name for theorem in practice.development) == {"small": 4, "other": 1}
