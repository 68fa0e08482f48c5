"""What follows from the hypotheses of a goal, as tactics that make it known: patterns of ``obtain``, and ``have``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product

from lean_agent.policy.fillings.openings import binders_of, fresh, fresh_names, pattern_of
from lean_agent.policy.fillings.reading import MOST_VALUES, GoalReading, repeats
from lean_agent.policy.neighbours.goals import head_and_parts, tokens

NEGATION = "negation"
"""What the target's negation is called where facts speak of it (``LeanAgent/Products.lean``)."""


@dataclass(frozen=True)
class Consequences:
    """Those of one goal."""

    goal: GoalReading

    @cached_property
    def pairs(self) -> list[str]:
        """Hypotheses that say ``∧``, ``∨`` or ``∃``, each behind a pattern that takes it apart: ``⟨x, h⟩ := h``; and
        those that may say so by the definition of an order (``n ≤ m`` for ``∃ k, n + k = m``)."""
        known = {name: head for name, head in self.goal.heads.items() if "✝" not in name}
        says = [
            f"{pattern_of(tokens(self.goal.types[name]), set(self.goal.types) - {name})} := {name}"
            for name, head in known.items()
            if head in ("∧", "∨", "∃")
        ]
        taken = set(self.goal.types)
        parts = f"⟨{fresh('k', taken)}, {fresh('h', taken)}⟩"
        orders = [f"{parts} := {name}" for name in known if self.goal.is_own_order(self.goal.types[name])]
        return [*says, *orders, *self._nameless]

    @property
    def fields(self) -> list[str]:
        """Structures with something recursive inside, each behind a pattern with names for its fields: what ``cases``
        leaves of them has none, and no induction can be on it."""
        parts = (each.split() for each in self.goal.of_lean.structures)
        taken = self.goal.types
        return [f"⟨{', '.join(fresh_names(fields, taken.keys() - {name}))}⟩ := {name}" for name, *fields in parts]

    @property
    def _nameless(self) -> list[str]:
        """The last hypothesis without a name that says ``∃``, as those of inductions do, behind a pattern."""
        says = [name for name, head in self.goal.heads.items() if head == "∃" and "✝" in name]
        kinds = [tokens(self.goal.types[name]) for name in says[-1:]]
        return [f"{pattern_of(words, set(self.goal.types))} := ‹∃ _, _›" for words in kinds]

    @cached_property
    def opened(self) -> list[str]:
        """What says ``∧``, ``∨`` or ``∃`` by what Lean has said to follow, behind a pattern: ``⟨d, h, h₁⟩ :=
        confluent _ _ _ hb hc``; and hypotheses that conclude such, applied to others, as the goal's text tells."""
        follows = ((proof, tokens(kind)) for proof, kind in self._follows)
        opened = [
            f"{pattern_of(words, set(self.goal.types))} := {proof}"
            for proof, words in follows
            if head_and_parts(words)[0] in ("∧", "∨", "∃")
        ]
        return list(dict.fromkeys([*opened, *self._concluded]))

    @property
    def named(self) -> list[str]:
        """Proofs of what else Lean has said to follow, each behind a name: ``h₁ := trans _ _ _ h h₂``."""
        taken = set(self.goal.types)
        follows = ((proof, head_and_parts(tokens(kind))[0]) for proof, kind in self._follows)
        return [f"{fresh('h', taken)} := {proof}" for proof, head in follows if head not in ("∧", "∨", "∃")]

    @property
    def all_named(self) -> list[str]:
        """Proofs of all that follows, each behind a name; no hypotheses."""
        taken = set(self.goal.types)
        return [f"{fresh('h', taken)} := {proof}" for proof, _ in self._follows if proof not in self.goal.types]

    @property
    def facts(self) -> str:
        """Return what makes the facts known that Lean has named, each if it can be, behind the target's negation where
        they speak of it; nothing where it has named none."""
        proofs = self.goal.of_lean.facts
        is_negated = any(re.search(rf"\b{NEGATION}\b", proof) for proof in proofs)
        negated = [f"refine Classical.byContradiction fun {NEGATION} => ?_"] if is_negated else []
        return "; ".join([*negated, *(f"(try have := {proof})" for proof in proofs)]) if proofs else ""

    @property
    def _follows(self) -> list[tuple[str, str]]:
        """What follows from the hypotheses, as far as Lean has said it: proofs, and what they say."""
        parts = (text.partition(" : ") for text in self.goal.of_lean.consequences)
        return [(proof, kind) for proof, _, kind in parts]

    @property
    def _concluded(self) -> list[str]:
        """Hypotheses that conclude ``∧``, ``∨`` or ``∃`` from others, each applied to others that say such, behind a
        pattern."""
        ways: list[str] = []
        for rule in self.goal.rules:
            arguments, rest = self._arguments_of(tokens(self.goal.types[rule]))
            if head_and_parts(rest)[0] not in ("∧", "∨", "∃") or not any(each != ["_"] for each in arguments):
                continue
            applied = [" ".join((rule, *each)) for each in islice(product(*arguments), MOST_VALUES)]
            pattern = pattern_of(rest, set(self.goal.types))
            ways += [f"{pattern} := {each}" for each in sorted(applied, key=repeats)]
        return ways

    def _arguments_of(self, words: Sequence[str]) -> tuple[list[list[str]], Sequence[str]]:
        """Return what each explicit argument of a rule may be, ``_`` for a variable, and what it concludes."""
        arguments: list[list[str]] = []
        while True:
            head, parts = head_and_parts(words)
            if head == "∀":
                names, words = binders_of(parts[0])
                is_explicit = parts[0][:1] not in (["{"], ["⦃"], ["["])
                arguments += [["_"]] * len(names) if is_explicit else []
            elif head == "→":
                relation = head_and_parts(parts[0])[0]
                arguments.append([name for name, of in self.goal.heads.items() if of == relation and "✝" not in name])
                words = parts[1]
            else:
                return arguments, words
