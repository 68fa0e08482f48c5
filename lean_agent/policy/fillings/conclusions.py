"""Which premises may conclude a target, as far as their texts tell: each of the others would cost a Lean call.

Owns this reading of a statement as it stands in a file; where it is not sure, a premise may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from lean_agent.policy.neighbours.goals import IDENTIFIER, bound_variables, conclusion, head_and_parts, tokens

_RELATIONS = {"=": "=", "≠": "¬", "¬": "¬", "False": "¬", "∧": "∧", "∨": "∨", "∃": "∃"}
"""What a proposition may be made by that nobody gives a meaning of his own (as ``≤`` has); those that are the same."""
_ORDERS = frozenset("≤<≥>")
_RULE = re.compile(r"^(?:/--.*?-/ )?(?:@\[[^\]]*\] )?\|")
_APPLIED = re.compile(r"([^\W\d][\w.'!?]*)(?: |$)")
_WORD = re.compile(rf"\.?{IDENTIFIER.pattern}|\d+")
_COMMENT = re.compile(r"/-.*?-/|--[^\n]*", re.DOTALL)


def may_conclude(premise: str, target: str) -> bool:
    """Return whether a premise, as it stands in a file, may conclude a target as Lean prints it.

    A target that is made by a relation of Lean's own (``=``, ``∧``) is concluded by the same relation, or by a premise
    about any proposition (``p n``), as induction principles are. Of predicates and notations nothing is known, but that
    an equation concludes no order.
    """
    head = _head(tokens(target))
    if head in _ORDERS:
        return _relation(premise) != "="
    relation = _RELATIONS.get(head)
    return relation is None or _concluded(premise) in (relation, None)


def is_rule(premise: str) -> bool:
    """Return whether a premise is a constructor, as it stands in a file."""
    return _RULE.match(premise) is not None


def may_apply(name: str, premise: str, target: str) -> bool:
    """Return whether a premise may conclude a target by ``apply``: a constructor, where its type is what the target
    applies to something, or the target says so by a notation."""
    applied = _APPLIED.match(target)
    is_other = applied is not None and applied[1].rpartition(".")[2] != name.rpartition(".")[0].rpartition(".")[2]
    if is_rule(premise) and is_other and all(map(_WORD.fullmatch, _outside_brackets(target))):
        return False
    return may_conclude(premise, target)


def _outside_brackets(text: str) -> list[str]:
    words = tokens(text)
    return [word for word, depth in zip(words, depths(words), strict=True) if depth == 0 and word not in ")]}⦄⟩"]


def depths(words: Sequence[str]) -> Iterator[int]:
    """Yield in how many brackets each word, or each letter of a text, stands; an opening one is inside."""
    return accumulate((word in "([{⦃⟨") - (word in ")]}⦄⟩") for word in words)


@lru_cache(maxsize=100_000)
def is_of_sum(premise: str) -> bool:
    """Return whether a premise, as it stands in a file, equates a sum or a difference with something: of numbers
    ``grind`` computes with these, and matches none."""
    parts = parts_of(premise)
    head, sides = head_and_parts(conclusion(" ".join(parts[1] if parts else ())))
    return head == "=" and head_and_parts(sides[0])[0] in ("+", "-")


def makes_witnesses(premise: str) -> bool:
    """Return whether a premise, as it stands in a file, is an equivalence with an ``∃`` behind it: as an equation
    (``= name``) ``grind`` makes witnesses of each instance, of these the next instances, and so on."""
    parts = parts_of(premise)
    head, sides = head_and_parts(conclusion(" ".join(parts[1] if parts else ())))
    return head == "↔" and len(sides) == 2 and head_and_parts(sides[1])[0] == "∃"


def _head(words: Sequence[str]) -> str:
    end = next((place for place, word in enumerate(words) if word in ("fun", "λ")), len(words))
    return head_and_parts(words[:end])[0]


def _concluded(premise: str) -> str | None:
    """Return the relation of Lean's own that the conclusion of a statement is made by; ``None`` where it may be any,
    and nothing for a predicate or a notation."""
    head = _relation(premise)
    return None if head is None else _RELATIONS.get(head, "")


def parts_of(premise: str) -> tuple[list[str], list[str]] | None:
    """Return the tokens of a statement as it stands in a file, up to the colon behind its name and variables and after
    it; ``None`` where there is no colon."""
    words = tokens(_COMMENT.sub(" ", premise).replace("->", "→"))
    colon = next((place for place, depth in enumerate(depths(words)) if depth == 0 and words[place] == ":"), None)
    return None if colon is None else (words[:colon], words[colon + 1 :])


@lru_cache(maxsize=100_000)
def _relation(premise: str) -> str | None:
    """Return what the conclusion of a statement is made by; ``None`` where it may be anything."""
    parts = parts_of(premise)
    if parts is None:
        return None
    concluded = conclusion(" ".join(parts[1]))
    head = _head(concluded)
    is_any = head in bound_variables(premise) and all(map(IDENTIFIER.match, concluded))
    return None if is_any else head
