"""Goals and tactics in other names: what is local is renamed alike in both, so that a model has to copy names.

Hypotheses, bound variables and what a tactic binds are renamed, by one injective map for the whole row; so what shadows
what stays as it was. Inaccessible names (``a✝``), tags of cases, fields, named arguments and constants stay. A name
that is not known to be local stays too, and no new name is one that stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from random import Random
from typing import TypeVar

from lean_agent.policy.neighbours.binders import binders
from lean_agent.policy.neighbours.goals import IDENTIFIER, LETTERS, bound_variables, parse_goal

Row = TypeVar("Row")

_NAME = re.compile(rf"«[^»]*»|\"(?:[^\"\\]|\\.)*\"|(?<![{LETTERS}\d'!?₀-₉ₐ-ₜᵢ-ᵪ.✝«]){IDENTIFIER.pattern}")
_FIXED = re.compile(
    rf"""\bcase'?\ +[\w.'✝]+                              # the tag of a case
    |\|\s*@?[\w.']+(?=[^|\n]*=>)                         # the constructor of a branch
    |(?:[({{,]|\bwith)\s*{IDENTIFIER.pattern}(?=\s*:=)           # a named argument, or a field of a structure""",
    re.VERBOSE,
)
_TERM_BINDERS = re.compile(rf"(?:[∀∃λ]|\bfun)\s+({IDENTIFIER.pattern}(?:\s+{IDENTIFIER.pattern})*)\s*(?=[:,↦∈]|=>)")
_KEPT = frozenset({"this", "rfl", "left", "right", "symm", "trans", "ext", "next", "only", "using", "λ", "Σ", "Π"})
"""Words of tactics that hypotheses may be called, too, and such as are no names."""

_POOLS = {
    "ih": "ih ih1 ih2 ih' ihl ihr ihn ihm ihx ihs iht ihxs ihp IH IH1 hrec hi",
    "h": (
        "h h1 h2 h3 h4 h5 h6 h₁ h₂ h₃ h' h'' hx hy hz ha hb hc hd he hf hg hi hj hk hl hm hn hp hq hr hs ht hu hv hw "
        "hab hbc hac hxy hyz hxs hys hle hlt heq hne hmem hpos hnot H H1 H2 H'"
    ),
    "Greek": "α β γ δ ι κ μ ν ρ σ τ υ α1 β1 γ1 α' β' α₁ α₂",
    "capital": "A B C D E F G I J K L M N O P Q R S T U V W X Y Z A' B' P' Q' S' T' P1 Q1 R1 S1 T1",
    "small": (
        "a b c d e f g i j k l m n o p q r s t u v w x y z a1 b1 c1 f1 g1 k1 m1 n1 p1 q1 s1 t1 x1 y1 a' b' c' k' m' n' "
        "p' q' s' t' x' y' xs ys zs ws us vs ts ps qs ls ks ms ns cs bs ds x₁ x₂ y₁ y₂ a₁ a₂ b₁ n₁ n₂ m₁ acc init"
    ),
}
_NEW_NAMES = {kind: names.split() for kind, names in _POOLS.items()}
"""New names by what is called so: induction hypotheses, proofs, types, what is written with a capital, and others."""


def with_copies(
    rows: Callable[[], Iterable[Row]], copies: int, seed: int, rename: Callable[[Row, Random], Row]
) -> Iterator[Row]:
    """Yield the rows and, after them, so many copies of each that ``rename`` makes; the seed decides all names.

    Args:
        rows: reads them anew each time it is called.
    """
    yield from rows()
    for copy in range(copies):
        for place, row in enumerate(rows()):
            yield rename(row, Random(f"{seed} {copy} {place}"))


def renamed(goal: str, tactics: Sequence[str], random: Random) -> tuple[str, tuple[str, ...]]:
    """Return a goal as Lean prints it, and tactics at it, with other names for all that is local to them."""
    texts = (goal, *tactics)
    names = list(dict.fromkeys((*_local_names(goal), *(name for tactic in tactics for name in _bound_by(tactic)))))
    staying = {name for text in texts for name in _names(text)}.difference(names)
    taken = staying.union(_KEPT)
    others: dict[str, str] = {}
    for name in names:
        free = [other for other in _NEW_NAMES[_kind(name)] if other not in taken]
        others[name] = random.choice(free) if free else _numbered(name, taken)
        taken.add(others[name])
    return _written(goal, others), tuple(_written(tactic, others) for tactic in tactics)


def _local_names(goal: str) -> Iterator[str]:
    """Yield hypotheses, and variables that their types or the target bind."""
    parsed = parse_goal(goal)
    yield from filter(_may_change, parsed.types)
    for text in (*parsed.types.values(), parsed.target):
        yield from filter(_may_change, bound_variables(text))


def _bound_by(tactic: str) -> Iterator[str]:
    """Yield the names that a tactic binds, as far as that can be read: in a pattern with types, none."""
    head = re.split(r":=|=>", tactic, maxsplit=1)[0]
    if ":" not in head or head.startswith(("have ", "let ", "suffices ", "by_cases ")):
        yield from filter(_may_change, binders(tactic).names)
    for names in _TERM_BINDERS.findall(tactic):
        yield from filter(_may_change, names.split())


def _may_change(name: str) -> bool:
    return "✝" not in name and name not in _KEPT and name != "_" and _NAME.fullmatch(name) is not None


def _names(text: str) -> Iterator[str]:
    """Yield all names of a text; of a dotted one the first part."""
    return (match[0] for match in _NAME.finditer(text) if not match[0].startswith(('"', "«")))


def _written(text: str, others: Mapping[str, str]) -> str:
    """Return the text with its names exchanged, but where they are of nothing local."""
    fixed = [match.span() for match in _FIXED.finditer(text)]

    def other(match: re.Match[str]) -> str:
        is_fixed = any(start <= match.start() < end for start, end in fixed)
        return match[0] if is_fixed else others.get(match[0], match[0])

    return _NAME.sub(other, text)


def _kind(name: str) -> str:
    """Return the pool that a name like this comes from."""
    if name.lower().startswith("ih"):
        return "ih"
    if name.startswith("h") or re.fullmatch(r"H\d*'*", name):
        return "h"
    if "α" <= name[0] <= "ω":
        return "Greek"
    return "capital" if name[0].isupper() else "small"


def _numbered(name: str, taken: set[str]) -> str:
    """Return the name with the first number that makes it one that is not taken."""
    return next(other for number in count(1) if (other := f"{name}_{number}") not in taken)
