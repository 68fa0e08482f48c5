"""Read what a text states, without Lean; and make visible what it says."""

from __future__ import annotations

import pytest

from lean_agent.cli.commands.verify import indented
from lean_agent.lean.source import stated_theorems
from lean_agent.wording import visible


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("theorem a : True := trivial\n  lemma b.c : 1 = 1 := rfl", [("a", 1), ("b.c", 2)]),
        (
            "theorem a.b.{u, v} (α : Sort u) : True := trivial\nlemma «c.».{u} : True := trivial",
            [("a.b", 1), ("c.", 2)],
        ),
        ("@[simp]\nprivate theorem «a b».c(n : Nat) : n = n := rfl", [("a b.c", 2)]),
        ("@[simp, grind] protected theorem _root_.A.b : True := trivial", [("A.b", 1)]),
        ("open Nat in theorem a : True := trivial\nset_option x true in\nexample : 1 = 1 := rfl", [("a", 1), ("", 3)]),
        (
            "/- theorem a /- nested -/ theorem b -/\n-- theorem c\n/-- theorem d -/ \ntheorem e : True := trivial",
            [("e", 4)],
        ),
        (
            'def s := "\ntheorem a : False := sorry"\ndef r := r#"\ntheorem b "# \ntheorem c : True := trivial',
            [("c", 5)],
        ),
        (
            "def c := '\"'\ntheorem a : True := trivial\ndef d := '\\\"'\ntheorem b : f' '\"' := rfl",
            [("a", 2), ("b", 4)],
        ),
        ('macro "m" : command => `(\ntheorem inner : (1 = 1) := rfl)\ntheorem a : True := trivial', [("a", 3)]),
        ("theorem $n : True := trivial\ntheorems\nexamples\ntheoremx y", []),
        ("/- theorem a : False := sorry", []),
    ],
)
def test_theorems_and_examples_of_a_text(text: str, claims: list[tuple[str, int]]) -> None:
    assert [(claim.name, claim.line) for claim in stated_theorems(text)] == claims


def test_what_shows_nothing_is_written_out() -> None:
    assert visible("a\nb\r\x1b[2J\u202e\u200b\u2028\t∀ x") == "a\\nb\\r\\u{1b}[2J\\u{202e}\\u{200b}\\u{2028}\\t∀ x"
    assert indented("x\ntarget: accepted\r\n") == "x\n    target: accepted\\r"
