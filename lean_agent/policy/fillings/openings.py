"""Patterns of ``obtain`` for what propositions say, and names that are not taken.

Owns this reading of ``∃``, ``∧`` and ``∨`` in a text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from lean_agent.policy.neighbours.goals import IDENTIFIER, head_and_parts, tokens

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def opening(proposition: str, taken: Collection[str]) -> str:
    """Return a pattern of ``obtain`` for what a proposition says, with names that are not taken."""
    return pattern_of(tokens(proposition), set(taken))


def pattern_of(words: Sequence[str], taken: set[str], *, outermost: bool = True) -> str:
    """Return a pattern of ``obtain`` for a proposition; its names are added to those that are taken."""
    head, parts = head_and_parts(words)
    if head == "∃":
        bound, rest = binders_of(parts[0])
        names = [fresh(name, taken) for name in bound]
        return f"⟨{', '.join([*names, _inside(rest, taken)])}⟩"
    if head == "∧":
        return f"⟨{pattern_of(parts[0], taken, outermost=False)}, {_inside(parts[1], taken)}⟩"
    if head == "∨":
        sides = " | ".join(pattern_of(part, set(taken), outermost=False) for part in parts)
        return sides if outermost else f"({sides})"
    return fresh("h", taken)


def _inside(words: Sequence[str], taken: set[str]) -> str:
    """Return the pattern of a last component: brackets of its own are not needed there."""
    pattern = pattern_of(words, taken, outermost=False)
    return pattern[1:-1] if pattern.startswith("⟨") else pattern


def binders_of(words: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    """Return the names that a quantifier binds, given all that follows it, and what it says of them."""
    end = next((place for place, word in enumerate(words) if word == ","), len(words))
    return list(_bound(words[:end])), words[end + 1 :]


def _bound(words: Sequence[str]) -> Iterator[str]:
    """Yield the names that stand before colons; what is said of one (``x ∈ s``) has a name of its own."""
    depth, is_name = 0, True
    for word in words:
        if word in "([{⦃":
            depth += 1
            is_name = is_name or depth == 1
        elif word in ")]}⦄":
            depth -= 1
            is_name = depth == 0
        elif word == ":":
            is_name = False
        elif is_name and (IDENTIFIER.fullmatch(word) or word == "_"):
            yield "_" if "✝" in word else word
        elif is_name and depth == 0:
            yield "h"
            break


def fresh_names(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """Return names like these that are not taken, each another."""
    known = set(taken)
    return [fresh(name, known) for name in names]


def fresh(name: str, taken: set[str]) -> str:
    """Return the name, or one like it that is not taken; it is taken from now on."""
    if name == "_":
        return name
    number, fresh = 0, name
    while fresh in taken:
        number += 1
        fresh = f"{name}{str(number).translate(_SUBSCRIPTS)}"
    taken.add(fresh)
    return fresh
