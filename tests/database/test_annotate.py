from __future__ import annotations

import pytest

from lean_agent.database.exports.entries import annotate
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


def used(text: str, *uses: tuple[str, str]) -> TracedTactic:
    """A tactic in whose text each of ``uses`` is a name and the part that it is used by."""
    raw = text.encode()
    places = [(name, START + raw.index(part.encode()), len(part.encode())) for name, part in uses]
    premises = tuple(Premise(name, "P", at, at + size) for name, at, size in places)
    return TracedTactic(text, text, START, START + len(raw), "", "", 1, 0, premises)


@pytest.mark.parametrize(
    ("given", "expected", "names"),
    [
        (
            used("exact ⟨_, f h, e⟩", ("Exists.intro", "⟨_, f h, e⟩"), ("f", "f")),
            "exact <a>⟨</a>_, <a>f</a> h, e⟩",
            ["Exists.intro", "f"],
        ),
        (
            used("exact foo.symm", ("Eq.symm", "foo.symm"), ("foo", "foo")),
            "exact <a>foo</a><a>.symm</a>",
            ["foo", "Eq.symm"],
        ),
        (
            used("show ⟨⟨a, b⟩, c⟩", ("And.intro", "⟨⟨a, b⟩, c⟩"), ("Or.inl", "⟨a, b⟩"), ("b", "b")),
            "show <a>⟨</a><a>⟨</a>a, <a>b</a>⟩, c⟩",
            ["And.intro", "Or.inl", "b"],
        ),
        (
            used("exact ⟨a,\n  b⟩", ("And.intro", "⟨a,\n  b⟩"), ("b", "b")),
            "exact <a>⟨</a>a,\n  <a>b</a>⟩",
            ["And.intro", "b"],
        ),
        (used("rw a.b", ("x", "a.b"), ("y", "a"), ("z", ".b")), "rw <a>a</a><a>.b</a>", ["y", "z"]),
    ],
)
def test_marks_do_not_nest_and_none_is_lost(given: TracedTactic, expected: str, names: list[str]) -> None:
    """But one that has no word of its own, as the last."""
    text, premises = annotate(given)
    assert text == expected
    assert [premise.full_name for premise in premises] == names


def test_what_lies_outside_is_left_out() -> None:
    outside = Premise("P.outside", "P", START - 5, START + 2)
    assert annotate(TracedTactic("exact a", "", START, START + 7, "", "", 1, 0, (outside,))) == ("exact a", ())
