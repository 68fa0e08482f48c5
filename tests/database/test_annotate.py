from __future__ import annotations

import pytest

from lean_agent.database.annotate import annotate
from lean_agent.lean.types import Premise, TracedTactic

START = 100


def tactic(source: str, text: str, uses: list[str]) -> TracedTactic:
    """A tactic at byte 100 whose span reads ``source`` and whose dedented text is ``text``."""
    raw = source.encode()
    premises = []
    for name in uses:
        at = START + raw.index(name.encode())
        premises.append(Premise(f"P.{name}", "P", at, at + len(name.encode())))
    return TracedTactic(text, text, START, START + len(raw), "", "", 1, 0, tuple(premises))


@pytest.mark.parametrize(
    ("source", "uses", "expected"),
    [
        ("rw [add_comm, mul_comm]", ["mul_comm", "add_comm"], "rw [<a>add_comm</a>, <a>mul_comm</a>]"),
        ("exact h.symm", ["symm"], "exact h.<a>symm</a>"),
        ("exact ⟨α, foo, «a b»⟩", ["foo", "«a b»"], "exact ⟨α, <a>foo</a>, <a>«a b»</a>⟩"),
        ("simp", [], "simp"),
    ],
)
def test_one_line(source: str, uses: list[str], expected: str) -> None:
    text, premises = annotate(tactic(source, source, uses))
    assert text == expected
    assert len(premises) == expected.count("<a>")


def test_continuation_lines_are_placed_after_their_dedent() -> None:
    source = "cases h with\n    | inl α => exact left\n\n    | inr b =>\n      exact right"
    text = "cases h with\n| inl α => exact left\n\n| inr b =>\n  exact right"
    annotated, premises = annotate(tactic(source, text, ["right", "left"]))
    assert annotated == "cases h with\n| inl α => exact <a>left</a>\n\n| inr b =>\n  exact <a>right</a>"
    assert [premise.full_name for premise in premises] == ["P.left", "P.right"]


def test_uneven_dedent_marks_nothing() -> None:
    source, text = "foo\n    bar\n   baz", "foo\nbar\nbaz"  # 7 bytes lost on 2 lines
    assert annotate(tactic(source, text, ["bar"])) == (text, ())


def test_what_lies_outside_or_inside_another_mark_is_left_out() -> None:
    outer = Premise("P.outer", "P", START + 6, START + 13)
    inner = Premise("P.inner", "P", START + 8, START + 10)
    outside = Premise("P.outside", "P", START - 5, START + 2)
    found = annotate(TracedTactic("exact a.b.c.d", "", START, START + 13, "", "", 1, 0, (inner, outside, outer)))
    assert found == ("exact <a>a.b.c.d</a>", (outer,))
