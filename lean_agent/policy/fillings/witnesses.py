"""What the target of a goal may say to exist: values, terms of the witnesses of hypotheses, and solutions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

from lean_agent.policy.fillings.lists import NameLists
from lean_agent.policy.fillings.openings import binders_of, fresh, pattern_of
from lean_agent.policy.fillings.reading import MOST_VALUES, NOTHING_INSIDE, NOTHING_TO_TAKE_APART, GoalReading
from lean_agent.policy.neighbours.goals import head_and_parts, tokens

MOST_OPENED = 2
"""So many hypotheses are taken apart for a witness that is made of theirs."""
MOST_FACTORS = 5
"""So many numbers stand beside these witnesses in products."""

_MULTIPLE = re.compile(
    r"∃ (?P<of>\w+)[^,]*, (?:[^,=]*, )?(?P<number>\w+) = "
    r"(?:(?P<by>\d+) \* (?P=of)\b|(?P=of) \+ (?P=of)\b|(?P=of) \* 2\b)"
)
_PROPOSITIONS = NOTHING_INSIDE - {"→"} | frozenset("↔∨∧∃")


@dataclass(frozen=True)
class Witnesses:
    """Those of one goal.

    Attributes:
        lists: what proofs that something is a witness may name.
    """

    goal: GoalReading
    lists: NameLists

    @cached_property
    def solutions(self) -> dict[str, str]:
        """What the target says to exist, as Lean has solved its equation, with a proof of that, each with what takes
        apart the hypotheses that it speaks of (``LeanAgent/Witnesses.lean``)."""
        parts = (tactic.rpartition("exact ⟨") for tactic in self.goal.of_lean.witnesses)
        return {solution.removesuffix("⟩"): openings for openings, _, solution in parts}

    @cached_property
    def witnesses(self) -> list[str]:
        """Values where the target says that something exists; nothing that is called like a proof, and that nothing
        speaks of."""
        proofs = {name for name in self.goal.types if name.startswith("h") and name not in self.goal.mentioned}
        return [name for name in self.values if name not in proofs] if self.goal.target_head == "∃" else []

    @property
    def _quotients(self) -> list[str]:
        """``a / 2`` where the target says that a number is twice another, and a remainder (``∃ k, a = 2 * k + 1``)."""
        divided = (match.group("number", "by") for match in _MULTIPLE.finditer(self.goal.target))
        return [f"{number} / {by or 2}" for number, by in divided if number in self.goal.types]

    @cached_property
    def values(self) -> list[str]:
        """Variables, 0, and one more than the last number, where the target says that something exists, or may say so
        by a definition; variables come last that may be proofs."""
        if not self.goal.may_exist:
            return []
        facts = self.goal.facts()
        values = [
            name
            for name, kind in self.goal.types.items()
            if not ("✝" in name or name.startswith("inst") or NOTHING_TO_TAKE_APART.match(kind))
            and self.goal.heads[name] not in _PROPOSITIONS
        ]
        values = [*self._quotients, *values][: MOST_VALUES - 1]
        one_more = [f"{name} + 1" for name in self.goal.numbers[-1:]]
        return [*sorted([*values, "0"], key=lambda name: self.goal.types.get(name) in facts), *one_more]

    @cached_property
    def terms(self) -> list[str]:
        """Integers with a minus, and sums of two numbers, where the target may say that something exists."""
        if not self.goal.may_exist:
            return []
        numbers = self.goal.numbers
        negated = [f"-{name}" for name in numbers if self.goal.heads[name] == "Int"]
        return [*negated[:MOST_VALUES], *(f"{a} + {b}" for a, b in combinations(numbers[:3], 2))]

    @cached_property
    def opened(self) -> list[str]:
        """Hypotheses that say ``∃``, or may by a definition, behind patterns, and what is made of their witnesses as
        one for the target (``⟨k, h⟩ := h₁; obtain ⟨k₁, h₃⟩ := h₂ <;> first | exact ⟨k + k₁, by grind⟩ | …``). Products
        with numbers, of which there are many, are left to ``grobner``, which fails in a fifth of the time."""
        if not (self.goal.may_exist or self.goal.target_head == "∣"):
            return []
        taken = set(self.goal.types)
        ways = ((name, *self._opened(name, taken)) for name in self._existing)
        usable = [(f"{pattern} := {name}", witness) for name, pattern, witness in ways if witness][:MOST_OPENED]
        match [witness for _, witness in usable]:
            case [k]:
                by_closer = {"grind": [f"-{k}", f"{k} + 1", f"{k} - 1", *self._beside(k)]}
            case [k, m]:
                terms = [f"{k} + {m}", f"{k} - {m}", f"{m} - {k}", f"{k} * {m}", f"{k} ++ {m}", f"max {k} {m}"]
                factors = list(permutations(self.goal.numbers[:MOST_FACTORS], 2))
                products = [f"{k} * {a} {sign} {m} * {b}" for sign in "+-" for a, b in factors]
                by_closer = {"grind": terms, "grobner": products}
            case _:
                return []
        head = "; obtain ".join(step for step, _ in usable)
        return [
            f"{head} <;> first | {' | '.join(f'exact ⟨{term}, by {closer}⟩' for term in terms)}"
            for closer, terms in by_closer.items()
            if terms
        ]

    def _beside(self, witness: str) -> list[str]:
        """Return a witness times a number, and beside one."""
        return [f"{name} {sign} {witness}" for sign in "*+" for name in self.goal.numbers[:3]]

    @property
    def _existing(self) -> list[str]:
        """Hypotheses that say ``∃``, as ``∣`` does, or may by the definition that they begin with."""
        return [
            name
            for name, head in self.goal.heads.items()
            if "✝" not in name and (head in ("∃", "∣") or self.goal.is_predicate(head))
        ]

    def _opened(self, name: str, taken: set[str]) -> tuple[str, str]:
        """Return a pattern for a hypothesis that may say ``∃``, and the witness in it; none where it has several."""
        if self.goal.heads[name] != "∃":
            witness = fresh("k", taken)
            return f"⟨{witness}, {fresh('h', taken)}⟩", witness
        words = tokens(self.goal.types[name])
        (bound, _), pattern = binders_of(head_and_parts(words)[1][0]), pattern_of(words, taken)
        return pattern, pattern[1:].partition(",")[0] if len(bound) == 1 else ""

    @property
    def of_cases(self) -> list[str]:
        """Witnesses in the cases of an induction: 0 or nothing, and what the hypothesis has that says so, or one
        more."""
        if self.goal.target_head != "∃":
            return []
        closed = f"by grind [{', '.join(self.lists.for_grind.definitions)}]".replace(" []", "")
        laws = self.lists.as_laws
        closed_by_all = f"by grind [{', '.join([*laws.definitions, *laws.premises])}]".replace(" []", "")
        opened = "obtain ⟨k, _⟩ := (by assumption : ∃ _, _); exact "  # in a file Lean goes on after `‹∃ _, _›` fails
        numbers = [f"exact ⟨0, {closed}⟩", *(f"{opened}⟨{witness}, {closed}⟩" for witness in ("k", "k + 1"))]
        longer = ("(by assumption) :: k", "k ++ [by assumption]")
        lists = [f"exact ⟨[], {closed}⟩", *(f"{opened}⟨{witness}, {closed_by_all}⟩" for witness in longer)]
        return [*numbers, *lists]

    @property
    def derivation(self) -> str:
        """What builds a derivation rule by rule, the first that fits, which also says what a witness is; ``grind``
        closes what is no derivation. Nothing where the target is none."""
        if not (self.goal.target_head == "∃" or self.goal.is_predicate(self.goal.target_head)):
            return ""
        known = f" [{', '.join(self.lists.for_grind.unfolded_values)}]".removesuffix(" []")
        return f"(repeat' (first | rfl | assumption | constructor)) <;> grind{known}"
