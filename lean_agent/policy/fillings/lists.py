"""Definitions and premises of a goal, in lists as tactics take them: ``simp``, ``grind``, ``solve_by_elim``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from lean_agent.policy.fillings.conclusions import is_of_sum, is_rule, may_apply
from lean_agent.policy.fillings.laws import is_growing, sign_for_grind, unary_law
from lean_agent.policy.fillings.reading import (
    BY_FUNCTION,
    BY_TERM,
    MOST_VALUES,
    GoalReading,
    in_brackets,
    is_notation,
)
from lean_agent.policy.neighbours.goals import bound_variables, head_and_parts, tokens

MOST_TYPES = 3
"""Of types of a few values the first ones are looked at, value by value."""
MOST_COMPOUND = 3
"""Laws stand at so many compound terms of a target, in a tactic for each."""
LONGEST_TYPE_VARIABLE = 2
"""So many letters has what stands for any type in a law that does not say so (``α``, ``G``)."""

LAWS_OF_PRODUCTS = ("mul_comm", "mul_assoc", "mul_left_comm", "mul_add", "add_mul")
"""Laws that ``grind`` knows, but not behind a ``fun``."""

_WITH_POSTFIX = re.compile(r"(?<![^\s(])([^\W\d][\w'!?]*)[^\s\w()\[\]{}⟨⟩,.:;'!?✝][^\s()\[\]{}⟨⟩,]*")
_PRODUCT_BEHIND_FUN = re.compile(r"\bfun\b.*\*", re.DOTALL)
_BEFORE_KEYWORD = r"^(?:/--.*?-/ )?(?:@\[[^\]]*\] )?(?:[a-z]+ )*?"
_NO_PROOF = re.compile(rf"{_BEFORE_KEYWORD}(?:abbrev|class|def|inductive|instance|structure)\b")
_DEFINITION = re.compile(rf"{_BEFORE_KEYWORD}(?:abbrev|def)\b")


@dataclass(frozen=True)
class NameLists:
    """Those of one goal.

    Attributes:
        premises: what stands above it, by its name, the best one first.
        are_for_grind: whether names are spelled as ``grind`` takes them.
    """

    goal: GoalReading
    premises: Mapping[str, str]
    are_for_grind: bool = False

    @property
    def definitions(self) -> list[str]:
        """The definitions that the goal names."""
        return self.goal.definitions

    @property
    def lemmas(self) -> list[str]:
        """Definitions and premises; what would be used without end the other way round."""
        if self.are_for_grind:
            return [*self.definitions, *self.premises]
        premises = (f"← {name}" if is_growing(text) else name for name, text in self.premises.items())
        return [*self.definitions, *premises]

    @property
    def proofs(self) -> list[str]:
        """The premises that prove something, and are not just defined."""
        return [name for name, text in self.premises.items() if not _NO_PROOF.match(text)]

    @property
    def for_elim(self) -> list[str]:
        """Those of the premises that prove something, with the rules of ``∨`` and ``∃`` where the target says such, as
        progress of a step does (``Value t ∨ ∃ u, Step t u``)."""
        words = set(tokens(self.goal.target))
        logic = [*(["Or.inl", "Or.inr"] if "∨" in words else []), *(["Exists.intro"] if "∃" in words else [])]
        return [*self.proofs, *logic] if self.proofs else []

    @property
    def concluding(self) -> list[str]:
        """Those of them that may conclude the target, as far as their text tells, and others of which Lean has said
        so."""
        own = [name for name in self.goal.of_lean.own if not name.startswith("→")]
        likely = [name for name in self.proofs if may_apply(name, self.premises[name], self.goal.target)]
        return list(dict.fromkeys([*likely, *own]))

    @cached_property
    def for_grind(self) -> NameLists:
        """These lists as ``grind`` takes them, as far as Lean has said: without the premises and definitions that it
        does not, and with equations called so, too. Rules of a predicate come with that; beside it they make ``grind``
        fail where it would not without."""
        return self._for_grind(lambda name, _: [f"= {name}", name])

    @cached_property
    def as_laws(self) -> NameLists:
        """The same, with equations called so alone, but for those of sums."""
        return self._for_grind(lambda name, text: [f"= {name}", *([name] if is_of_sum(text) else [])])

    @cached_property
    def forward(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, those from their hypotheses on (``→ name``) that can do
        so; nothing where there are no such."""
        forward = self.goal.of_lean.forward
        if not forward:
            return []
        taken = self.as_laws
        begun = [f"→ {name}" if name in forward else name for name in taken.premises]
        unnamed = [f"→ {name}" for name in forward if name not in taken.premises]
        return [*taken.definitions, *unnamed, *begun]

    @property
    def arithmetic(self) -> list[str]:
        """The definitions, with laws of the goal's operations on numbers; nothing where there are no such."""
        laws = self.goal.of_lean.laws
        return [*self.for_grind.definitions, *laws] if laws else []

    @property
    def of_products(self) -> list[str]:
        """The definitions and premises, with laws of products of numbers; nothing where neither the target nor what
        notation means has a product behind a ``fun``."""
        texts = (self.goal.target, *(kind for name, kind in self.goal.types.items() if is_notation(name)))
        if not any(_PRODUCT_BEHIND_FUN.search(text) for text in texts):
            return []
        return [*self.lemmas, *(f"{numbers}.{law}" for numbers in ("Int", "Nat") for law in LAWS_OF_PRODUCTS)]

    @property
    def own(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, with theorems of the project that Lean has found for
        the goal by unification or in the bodies of its definitions; nothing where there are no such beside the
        premises."""
        if self.goal.names is None:
            return []
        candidates = [*self.goal.of_lean.own, *self.goal.of_lean.about]
        taken = [name for name in candidates if name not in self.goal.of_lean.not_for_grind]
        spelled = [f"= {name}" if name in self.goal.of_lean.equations else name for name in taken]
        known = [*self.as_laws.definitions, *self.as_laws.premises]
        return [*known, *spelled] if not set(spelled) <= set(known) else []

    @property
    def alike(self) -> list[str]:
        """Equations of the project about nothing else than the goal, as ``grind`` takes them, with what notation means,
        and without the definitions, which would undo them; nothing where there are no more than premises have."""
        alike = self.goal.of_lean.alike
        names = {name.rpartition(" ")[2] for name in alike}
        return [] if names <= self.premises.keys() else [*self._meanings, *alike]

    def _for_grind(self, spelled: Callable[[str, str], list[str]]) -> NameLists:
        if self.goal.names is None:
            return self
        refused, equations = self.goal.names.not_for_grind, self.goal.names.equations
        definitions = (*(name for name in self.goal.names.definitions if name not in refused), *self._meanings)
        premises = {
            form: text
            for name, text in self.premises.items()
            if name not in refused and not (is_rule(text) and name.rpartition(".")[0] in definitions)
            for form in (self._as_equation(name, text, spelled) if name in equations else [name])
        }
        names = replace(self.goal.names, definitions=definitions)
        return replace(self, goal=replace(self.goal, names=names), premises=premises, are_for_grind=True)

    @staticmethod
    def _as_equation(name: str, text: str, spelled: Callable[[str, str], list[str]]) -> list[str]:
        """Return how ``grind`` takes an equation; as is spelled where it is used from left to right."""
        sign = sign_for_grind(text)
        return spelled(name, text) if sign == "=" else [f"{sign} {name}"]

    @property
    def _meanings(self) -> list[str]:
        """Hypotheses that say what notation means (``LeanAgent/Notations.lean``), as ``grind`` takes them: by itself it
        takes no hypothesis as an equation of ``a + b``."""
        return [
            f"{'' if self.goal.heads[name] != '∀' else '_=_ ' if name.endswith(BY_FUNCTION) else '= '}@{name}"
            for name in self.goal.types
            if name.endswith((BY_FUNCTION, BY_TERM))
        ]

    @cached_property
    def instances(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, with laws of one variable, premises or hypotheses, at
        each of the goal's (``mul_inv a``), too; nothing where there is no such law."""
        at_values = [f"{name} {value}" for name, values in self._laws.items() for value in values]
        return [*self.as_laws.definitions, *self.as_laws.premises, *at_values] if at_values else []

    @cached_property
    def extended(self) -> list[str]:
        """The same, with the laws at a compound term of the target, too (``inv_mul (a * b)``), for each such term: with
        several at once ``grind`` gives up."""
        ways = []
        for term in self._compound_terms:
            inside = set(tokens(term))
            at_term = [f"{name} {term}" for name, values in self._laws.items() if not inside.isdisjoint(values)]
            ways += [", ".join([*self.instances, *at_term])] if at_term else []
        return ways[:MOST_COMPOUND]

    @cached_property
    def _laws(self) -> dict[str, list[str]]:
        """Laws of one variable, premises or hypotheses, each with the variables of the goal that it may be about."""
        refused = self.goal.of_lean.not_for_grind
        texts = {name: text for name, text in self.premises.items() if name not in refused}
        hypotheses = {name: kind for name, kind in self.goal.types.items() if not ("✝" in name or is_notation(name))}
        texts |= {name: f"{name} : {kind}" for name, kind in hypotheses.items()}
        kinds = {name: kind for name, text in texts.items() if (kind := unary_law(text)) is not None}
        laws = {name: self._values_of(kind, texts[name]) for name, kind in kinds.items()}
        return {name: values for name, values in laws.items() if values}

    @property
    def _compound_terms(self) -> list[str]:
        """Terms in brackets of a target that speaks of equality, and variables with something behind them (``a⁻¹``)."""
        target = self.goal.target
        if "=" not in tokens(target):
            return []
        behind = (match for match in _WITH_POSTFIX.finditer(target) if match[1] in self.goal.types)
        return list(dict.fromkeys([*in_brackets(target), *(f"({match[0]})" for match in behind)]))

    def _values_of(self, kind: str, law: str) -> list[str]:
        """Return the variables at which a law about a type may be instantiated: of that type, or of a type with the
        structure that the law is of."""
        first = head_and_parts(tokens(kind))[0]
        is_any = len(first) <= LONGEST_TYPE_VARIABLE or first in bound_variables(law)
        structured = {
            word
            for name, text in self.goal.types.items()
            if name.startswith("inst")
            for word in tokens(text)
            if word in self.goal.types
        }
        suitable = {first, *(structured if is_any else ())}
        return [name for name, head in self.goal.heads.items() if head in suitable and "✝" not in name][:MOST_VALUES]

    @property
    def seen_through(self) -> list[str]:
        """The definitions that the goal, and what follows from its hypotheses, can be unfolded by, without the
        relations, whose derivations ``grind`` would take apart."""
        names = self.goal.of_lean
        return [name for name in dict.fromkeys([*names.unfoldings, *names.behind]) if name not in names.not_for_grind]

    @property
    def enumerated(self) -> str:
        """Return the types of a few values that the goal speaks of, for ``grind`` to look at each value (``Light, cases
        Phase``), with the definitions that it can be unfolded by; nothing where there are no such types."""
        types = ", cases ".join(kind for kind, *_ in self._enumerations)
        return ", ".join([types, *self.for_grind.unfolded_values]) if types else ""

    @property
    def each_value(self) -> str:
        """Return what says, of each type of a few values but ``Bool``, of which ``simp`` knows it, what it is that
        something holds of one of them, and of all: from the type to the last bracket but one of the proof."""
        own = [each for each in self._enumerations if each[0] != "Bool"]
        ways = []
        for kind, *values in own:
            either, both = (sign.join(f"p {value}" for value in values) for sign in (" ∨ ", " ∧ "))
            cases, parts = " | ".join(["h"] * len(values)), ", ".join(["h _"] * len(values))
            ways.append(
                f"{kind} → Prop, ((∃ x, p x) ↔ {either}) ∧ ((∀ x, p x) ↔ {both}) := fun p => "
                f"⟨⟨fun ⟨x, h⟩ => by cases x <;> simp [h], fun h => by rcases h with {cases} <;> exact ⟨_, h⟩⟩, "
                f"⟨fun h => ⟨{parts}⟩, fun h x => by cases x <;> simp [h]⟩"
            )
        return "⟩; have e' : ∀ p : ".join(ways)

    @property
    def unfolded_values(self) -> list[str]:
        """Return the definitions that the goal names, and those that it can be unfolded by."""
        return list(dict.fromkeys([*self.goal.definitions, *self.seen_through]))

    @property
    def _enumerations(self) -> list[list[str]]:
        """Return the types of a few values, each before these, as far as Lean has said it."""
        return [text.split() for text in self.goal.of_lean.enumerations[:MOST_TYPES]]

    @property
    def behind_consequences(self) -> list[str]:
        """These with what else the goal names, and premises, as ``grind`` takes them."""
        laws = self.as_laws
        return list(dict.fromkeys([*laws.definitions, *self.seen_through, *laws.premises]))

    @property
    def unfolded(self) -> list[str]:
        """The definitions, and those among the premises."""
        behind = (name for name, text in self.premises.items() if _DEFINITION.match(text))
        return list(dict.fromkeys([*self.goal.definitions, *behind]))

    @property
    def unfoldings(self) -> list[str]:
        """The definitions that the goal names, and those in the bodies of these, as far as Lean has said them, where
        the goal speaks of numbers; nothing where its target says ``∀`` or ``→`` first."""
        has_numbers = bool(self.goal.numbers) or any(word.isdigit() for word in tokens(self.goal.target))
        is_suited = has_numbers and self.goal.target_head not in ("∀", "→")
        return list(self.goal.of_lean.unfoldings) if is_suited else []

    @property
    def by_rules(self) -> list[str]:
        """The definitions as ``grind`` takes them, with rules in the place of their predicates, with which it takes
        derivations apart that are there already, and these without end."""
        if self.goal.names is None:
            return []
        rules = [rule for rule in self.goal.of_lean.rules if rule not in self.goal.of_lean.not_for_grind]
        predicates = {rule.rpartition(".")[0] for rule in rules}
        return [*(name for name in self.as_laws.definitions if name not in predicates), *rules]

    @property
    def of_steps(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, with definitions in the rules of steps, without these
        rules, which have been used then."""
        if self.goal.names is None:
            return []
        taken, steps = self.as_laws, self.goal.of_lean.steps
        rules = {name for name, text in taken.premises.items() if is_rule(text) and name.rpartition(".")[0] in steps}
        of_steps = [name for name in self.goal.of_lean.of_steps if name not in self.goal.of_lean.not_for_grind]
        return [*taken.definitions, *of_steps, *(name for name in taken.premises if name not in rules)]

    @property
    def with_rules(self) -> list[str]:
        """Rules of the goal's inductive predicates, all of them, and premises that prove something."""
        return list(dict.fromkeys([*self.goal.of_lean.rules, *self.for_elim]))
