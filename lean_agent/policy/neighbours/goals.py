"""Read a goal as Lean prints it: hypotheses, target, and features by which goals resemble each other.

Local names say nothing of a goal: in features every name of a hypothesis or of a bound variable stands for its type.

This is the one place where printed goals are read in Python. What is misread (notation of one's own, an unusual binder)
makes a ranking worse and nothing else: Lean still decides what a tactic does. Features that Lean computes would be as
long as all else that it sends of a goal, so they are not sent.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

LETTERS = "A-Za-z_À-ÖØ-öø-ſͰ-ΟΡΤ-κμ-Ͽἀ-῾℀-⅏𝒜-𝖟"
IDENTIFIER = re.compile(rf"[{LETTERS}][{LETTERS}\d'!?₀-₉ₐ-ₜᵢ-ᵪⱼ]*(?:✝[⁰¹²³⁴-⁹]*)?")
"""What Lean takes for a name, or a part of one: with a notation ``aⁱ``, that is the name ``a`` and a sign."""
_SIGN = r"[^\w\s()\[\]{}⟨⟩⟦⟧⦃⦄‹›\"'`.,:;·∀∃λ¬]"
_OPERATOR = rf"(?<![^\s(\[{{⟨])(?:{_SIGN}{{2,}}(?=[\s)])|{_SIGN}*[→↔∧∨≤≥<>=~][^\s()\[\]{{}}⟨⟩,]+(?=\s))"
"""An operator that is made of several signs (``!→``, ``==>*``, ``→β``), as Lean prints it: between spaces."""
_TOKEN = re.compile(rf"\.?{IDENTIFIER.pattern}|\d+|:=|::|\+\+|=>|<;>|{_OPERATOR}|\S")
_HYPOTHESIS = re.compile(r"((?:[^\s:()\[\]{}]+ )+): (.*)", re.DOTALL)
_TYPED_BINDERS = re.compile(r"[({\[⦃]((?:[^\W\d][\w'✝]* )+): ([^()\[\]{}]*(?:\([^()]*\)[^()\[\]{}]*)*)[)}\]⦄]")
_BARE_BINDERS = re.compile(r"(?:[∀∃λ]|fun) ((?:[^\W\d][\w'✝]* ?)+)(?:: ([^,]*))?(?:,|=>|↦)")

OPERATORS = (
    ("↔",),
    ("→",),
    ("∨",),
    ("∧",),
    ("=", "≠", "≤", "<", "≥", ">", "∣", "∈", "∉", "⊆"),
    ("++", "::"),
    ("+", "-"),
)
"""Infix operators, the loosest first; inside a level the leftmost is the head."""
LOOSER_THAN_NOT = 4
"""So many levels of these are looser than ``¬``."""
_OPEN, _CLOSE = frozenset("([{⟨⦃⟦"), frozenset(")]}⟩⦄⟧")
_SHAPE_DEPTH = 3


def tokens(text: str) -> list[str]:
    """Return the names, numerals and symbols of a text of Lean; of ``a.b`` the parts, ``a`` and ``.b``."""
    return _TOKEN.findall(text)


@dataclass(frozen=True)
class ParsedGoal:
    """A goal's parts, as texts.

    Attributes:
        types: hypotheses and variables in their order, each with its type; a type is on one line.
        target: what is to be proved, on one line.
    """

    types: Mapping[str, str]
    target: str

    @cached_property
    def kinds(self) -> Mapping[str, tuple[str, ...]]:
        """The type of each hypothesis, its local names replaced by their types."""
        return {name: tuple(self._generic(text)) for name, text in self.types.items()}

    @cached_property
    def generic_target(self) -> tuple[str, ...]:
        """The target's tokens, its local names replaced by their types."""
        return tuple(self._generic(self.target))

    def constants_of(self, text: str) -> tuple[str, ...]:
        """Return the names in a text that are not local, each once: of a dotted one its parts."""
        names = (token.lstrip(".") for token in tokens(text) if token not in self.types)
        return tuple(dict.fromkeys(name for name in names if IDENTIFIER.match(name)))

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """Names in the target and the hypotheses that are not local, each once, the target's first."""
        return self.constants_of("\n".join((self.target, *self.types.values())))

    @cached_property
    def spoken(self) -> frozenset[str]:
        """Local names that the target or the type of a hypothesis speaks of: values, as a rule, and not proofs."""
        return frozenset(token for text in (self.target, *self.types.values()) for token in tokens(text))

    @cached_property
    def contexts(self) -> Mapping[str, frozenset[tuple[str, str]]]:
        """Where each name stands in the target: the tokens before and after it, local names replaced by their types."""
        names = tokens(self.target)
        words = self.generic_target
        around: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        for name, pair in zip(names, zip(("⊢", *words), (*words[1:], ""), strict=False), strict=False):
            around[name if name in self.types else name.lstrip(".")].add(pair)
        return {name: frozenset(pairs) for name, pairs in around.items()}

    def _generic(self, text: str) -> Iterator[str]:
        bound = bound_variables(text)
        for token in tokens(text):
            kind = self.types.get(token, bound.get(token))
            name = token.lstrip(".") or token
            yield name if kind is None else f"‹{next(iter(tokens(kind)), '')}›"

    @property
    def features(self) -> Mapping[str, float]:
        """What the goal is found by, with weights: the target's words, pairs of words and shape, and its hypotheses."""
        target = self.generic_target
        weights = {f"word {word}": 1.0 for word in target}
        weights |= {f"pair {first} {second}": 1.0 for first, second in zip(("⊢", *target), target, strict=False)}
        weights |= dict.fromkeys(_shapes(target, "shape", _SHAPE_DEPTH), 1.0)
        for kind in self.kinds.values():
            if kind not in (("Type",), ("Prop",)):
                weights[f"hypothesis {' '.join(kind)}"] = 1.0
                weights |= {feature: 0.5 for word in kind if (feature := f"given {word}") not in weights}
        return weights


def conclusion(proposition: str) -> tuple[str, ...]:
    """Return the tokens of what is left of a proposition when all it assumes is taken off."""
    words = tokens(proposition)
    while words and words[0] == "∀" and "," in words:
        words = words[words.index(",") + 1 :]
    depth = 0
    start = 0
    for place, word in enumerate(words):
        depth += (word in _OPEN) - (word in _CLOSE)
        if depth == 0 and word == "→":
            start = place + 1
    rest = words[start:]
    if rest[:1] == ["¬"]:
        return ("False",)
    return tuple(rest) if rest[:1] != ["∀"] or start == 0 else conclusion(" ".join(rest))


@lru_cache(maxsize=4096)
def parse_goal(text: str) -> ParsedGoal:
    """Read the first goal of a printed state; what it cannot read it leaves out."""
    lines: list[str] = []
    for line in text.strip().partition("\n\n")[0].split("\n"):
        if line.startswith("  ") and lines:
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    types: dict[str, str] = {}
    target = ""
    for line in lines:
        if line.startswith("⊢"):
            target = line[1:].strip()
        elif match := _HYPOTHESIS.fullmatch(line):
            types |= dict.fromkeys(match[1].split(), match[2].partition(" := ")[0])
    return ParsedGoal(types, target)


def bound_variables(text: str) -> dict[str, str]:
    """Return the variables that a term binds, with their types where the text says them."""
    bound: dict[str, str] = {}
    for pattern in (_BARE_BINDERS, _TYPED_BINDERS):
        for names, kind in pattern.findall(text):
            bound |= dict.fromkeys(names.split(), kind or "_")
    return bound


def _shapes(words: Sequence[str], path: str, depth: int) -> Iterator[str]:
    """Yield the head symbols of a term and, down to a depth, of its parts, each with the way there."""
    head, parts = head_and_parts(words)
    yield f"{path} {head}"
    if depth:
        for number, part in enumerate(parts):
            yield from _shapes(part, f"{path} {head}{number}", depth - 1)


def head_and_parts(words: Sequence[str]) -> tuple[str, list[Sequence[str]]]:
    """Return what a term is made by (an operator, a quantifier, a function) and the operands of an operator: of a
    quantifier, all that follows it."""
    while len(words) > 2 and words[0] == "(" and _closing(words) == len(words) - 1:
        words = words[1:-1]
    if not words:
        return "", []
    if words[0] in ("∀", "∃"):
        return words[0], [words[1:]]
    depth = 0
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        depth += (word in _OPEN) - (word in _CLOSE)
        if depth == 0:
            places.setdefault(word, place)
            if word in ("∀", "∃"):  # takes all that follows
                break
    for level in OPERATORS[:LOOSER_THAN_NOT] if words[0] == "¬" else OPERATORS:
        first = min((places[operator] for operator in level if operator in places), default=None)
        if first is not None:
            return words[first], [words[:first], words[first + 1 :]]
    return words[0], [words[1:]] if words[0] == "¬" else []


def _closing(words: Sequence[str]) -> int:
    """Return where the bracket that opens a term is closed."""
    depth = 0
    for place, word in enumerate(words):
        depth += (word in _OPEN) - (word in _CLOSE)
        if depth == 0:
            return place
    return len(words)
