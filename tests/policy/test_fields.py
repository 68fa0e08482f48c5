"""What fields of structures say, in a corpus."""

from __future__ import annotations

from typing import Any

import pytest

from lean_agent.policy.retrieval.corpus import PremiseCorpus
from lean_agent.policy.retrieval.fields import field_texts

CODE = """\
/-- A monoid. -/
class Mon (α : Type) where
  /-- Its product. -/
  mul : α → α → α
  one : α

  -- axioms
  one_mul (a : α) : mul one a = a
  mul_one : ∀ a,
    mul a one = a
  deriving Repr"""


def premise(name: str, line: int, column: int, code: str = "", kind: str = "theorem") -> dict[str, Any]:
    code = code or name.rpartition(".")[2]
    lines = code.split("\n")
    end = [line + len(lines) - 1, len(lines[-1]) + (column if len(lines) == 1 else 0)]
    return {"full_name": name, "code": code, "start": [line, column], "end": end, "kind": kind}


def premises(first_column: int) -> list[dict[str, Any]]:
    """Positions as Lean has them (columns from 0), or LeanDojo (from 1)."""
    return [
        premise("Mon", 2, first_column, CODE, "inductive"),
        premise("Mon.mk", 3, 6 + first_column, "Mon", "constructor"),
        premise("Mon.mul", 5, 2 + first_column, kind="definition"),
        premise("Mon.one", 6, 2 + first_column, kind="definition"),
        premise("Mon.mul_one", 10, 2 + first_column),
        premise("Mon.one_mul", 9, 2 + first_column),
        premise("Mon.pow", 14, first_column, "def Mon.pow := pow", "definition"),
        premise("Mon.later", 15, first_column),  # of that name alone, but not in the class
    ]


@pytest.mark.parametrize("first_column", [0, 1])
def test_a_field_says_what_follows_its_name(first_column: int) -> None:
    assert field_texts(premises(first_column)) == {
        2: "mul : α → α → α",
        3: "one : α",
        4: "mul_one : ∀ a,\n    mul a one = a",
        5: "one_mul (a : α) : mul one a = a",
    }


def test_a_corpus_shows_axioms_and_offers_no_data_as_facts() -> None:
    corpus = PremiseCorpus([{"path": "Mon.lean", "imports": [], "premises": premises(1)}])
    of = {
        document.full_name: (document.text, bool(is_fact))
        for document, is_fact in zip(corpus.documents, corpus.is_fact, strict=True)
    }
    assert of["Mon.mul_one"] == ("mul_one : ∀ a, mul a one = a", True)
    assert of["Mon.mul"] == ("mul : α → α → α", False)
    assert of["Mon.pow"][1] and not of["Mon"][1] and not of["Mon.mk"][1]
