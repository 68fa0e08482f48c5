"""What the laws among a goal's premises say of variables, as far as their texts tell: which of them may be instantiated
at one variable, and which say that brackets do not matter.

Owns this reading of statements as they stand in a file; what it cannot read is no such law. ``grind`` matches a law
(``a * a⁻¹ = 1``) where its terms stand already: for ``a * c = b * c → a = b`` nobody has multiplied by ``c⁻¹`` yet.
With the law at ``c`` the product is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from lean_agent.policy.fillings.conclusions import parts_of
from lean_agent.policy.neighbours.goals import IDENTIFIER, OPERATORS, head_and_parts, tokens

_OPEN, _CLOSE = frozenset("([{⦃⟨"), frozenset(")]}⦄⟩")
_BRACKETS = _OPEN | _CLOSE
_OPERATORS = frozenset(chain(*OPERATORS, "¬∀∃"))
"""What a condition is made by, or a function, at which no law of one variable is."""


@lru_cache(maxsize=100_000)
def unary_law(text: str) -> str | None:
    """Return the type of the one explicit variable that an equation, or several with ``∧`` between them, are about;
    empty where the text does not give it, ``None`` where the text is no equation, or about none, several, or on a
    condition.

    Args:
        text: a theorem's statement as it stands in its file (``theorem mul_inv (a : G) : a * inv a = one``), or the
            source of a field (``mul_inv : ∀ a : G, a * inv a = one``).
    """
    law = _law(text)
    if law is None or len(law[0]) != 1 or not _are_equations(law[1]):
        return None
    ((_, kind),) = law[0]
    return None if head_and_parts(tokens(kind))[0] in _OPERATORS else kind


@lru_cache(maxsize=100_000)
def is_associative(text: str) -> bool:
    """Return whether a text is an equation whose sides differ in brackets, or in where they apply an operation, alone:
    both have the same variables in the same order."""
    law = _law(text)
    head, parts = head_and_parts(law[1] if law else ())
    if law is None or head != "=":
        return False
    variables = {name for name, _ in law[0]}
    sides = [[word for word in side if word not in _BRACKETS] for side in parts]
    left, right = ([word for word in side if word in variables] for side in sides)
    return left == right and len(left) > 1 and sorted(sides[0]) == sorted(sides[1])


@lru_cache(maxsize=100_000)
def is_growing(text: str) -> bool:
    """Return whether a text is an equation whose left side is a function of variables that its right side has, too
    (``eval s e = eval s (simplified e)``): from left to right it can be used without end."""
    law = _law(text)
    head, parts = head_and_parts(law[1] if law else ())
    if law is None or head != "=":
        return False
    (function, *arguments), right = (list(parts[0]) or [""]), parts[1]
    are_variables = len(set(arguments)) == len(arguments) > 0 and all(map(IDENTIFIER.fullmatch, arguments))
    return bool(are_variables and function in right and len(right) > len(parts[0]))


def sign_for_grind(text: str) -> str:
    """Return what stands before an equation in a list for ``grind``: associativity is used from both sides, what would
    be used without end from right to left."""
    return "=_" if is_growing(text) else "_=_" if is_associative(text) else "="


def _are_equations(words: Sequence[str]) -> bool:
    head, parts = head_and_parts(words)
    return head == "=" or (head == "∧" and all(map(_are_equations, parts)))


def _law(text: str) -> tuple[list[tuple[str, str]], Sequence[str]] | None:
    """Return the explicit variables of a statement, each with its type, and what it says of them; ``None`` where there
    is no colon behind its name."""
    parts = parts_of(text)
    if parts is None:
        return None
    variables, rest = list(_of_binders(parts[0])), parts[1]
    while rest[:1] == ["∀"] and "," in rest:
        end = rest.index(",")
        variables += _of_binders(rest[1:end]) if _OPEN & set(rest[1:end]) else _bare(rest[1:end])
        rest = rest[end + 1 :]
    return variables, rest


def _of_binders(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the variables of ``(a b : G) {c : G} [Group G]`` that are explicit, each with its type."""
    variables: list[tuple[str, str]] = []
    depth, start = 0, 0
    for place, word in enumerate(words):
        depth += (word in _OPEN) - (word in _CLOSE)
        if word == "(" and depth == 1:
            start = place + 1
        elif word == ")" and depth == 0:
            variables += _bare(words[start:place])
    return variables


def _bare(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the variables of ``a b : G``, or of ``a b``, each with its type."""
    end = words.index(":") if ":" in words else len(words)
    return [(name, " ".join(words[end + 1 :])) for name in words[:end] if IDENTIFIER.fullmatch(name)]
