"""What the placeholders of schemes stand for at a goal: names of it, and patterns that are made from its text.

Owns this reading of a goal's text; asks Lean nothing, so some of what comes out may not be possible there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, islice, permutations, product

from lean_agent.policy.closers.conclusions import is_of_sum, is_rule, may_apply
from lean_agent.policy.closers.laws import is_associative, unary_law
from lean_agent.policy.neighbours.goals import (
    IDENTIFIER,
    ParsedGoal,
    bound_variables,
    conclusion,
    head_and_parts,
    parse_goal,
    tokens,
)
from lean_agent.prompts import GoalNames, shown_names, shown_premises, without_help

NEGATION = "negation"
"""What the target's negation is called where facts speak of it (``LeanAgent/Products.lean``)."""
BY_FUNCTION, BY_TERM = "_notation", "_means"
"""How hypotheses are called that say what notation means: by a function of the same variables (``a + b = a.add b``), or
by any other term (``LeanAgent/Notations.lean``)."""
TOLD = (BY_FUNCTION, BY_TERM, "_of_representatives", "_of_values")
"""The same, and how those are that say what equality means in a quotient (``LeanAgent/Quotients.lean``), or of
functions behind a definition."""
OPTION_BIND = "Option.bind"

MOST_VALUES = 4
"""Of hypotheses, variables and parts of the target a placeholder stands for so many, the first ones."""

MOST_TYPES = 3
"""Of types of a few values the first ones are looked at, value by value."""

MOST_OPENED = 2
"""So many hypotheses are taken apart for a witness that is made of theirs."""

MOST_FACTORS = 5
"""So many numbers stand beside these witnesses in products."""

MOST_DERIVED = 3
"""Inductions whose cases bring derivations that are taken apart are on so many: of some it cannot be seen that there is
nothing to take apart."""

MOST_INVERTED = 2
"""Derivations of so many predicates are taken apart in each case of an induction."""

MOST_INDUCTIVE = 2
"""Inductions whose cases are closed by rules, or bring steps, are tried on so many derivations."""

MOST_COMPOUND = 3
"""Laws stand at so many compound terms of a target, in a tactic for each."""

LONGEST_TYPE_VARIABLE = 2
"""So many letters has what stands for any type in a law that does not say so (``α``, ``G``)."""

_DOTTED = re.compile(r"[^\W\d][\w.'!?✝]*")
_APPLICATION = re.compile(r"(?<![\w.'!?✝])([^\W\d][\w.'!?]*)((?: [^\W\d][\w'!?]*(?![\w.'!?✝]))*)")
_WITH_POSTFIX = re.compile(r"(?<![^\s(])([^\W\d][\w'!?]*)[^\s\w()\[\]{}⟨⟩,.:;'!?✝][^\s()\[\]{}⟨⟩,]*")
_MULTIPLE = re.compile(
    r"∃ (?P<of>\w+)[^,]*, (?:[^,=]*, )?(?P<number>\w+) = "
    r"(?:(?P<by>\d+) \* (?P=of)\b|(?P=of) \+ (?P=of)\b|(?P=of) \* 2\b)"
)
_NOTHING_TO_TAKE_APART = re.compile(r"^(?:Type|Sort|Prop|String|Char|Float)\b")
_A_TYPE = re.compile(r"^(?:Type|Sort|Prop)\b")
_NOTHING_INSIDE = frozenset("=≠≤<≥>∣∈∉⊆→∀¬")
_PROPOSITIONS = _NOTHING_INSIDE - {"→"} | frozenset("↔∨∧∃")
_NUMBERS = frozenset({"Nat", "Int"})
_NOT_EXTENSIONAL = _NUMBERS | frozenset({"Bool", "Fin", "Char", "String"})
_OF_TWO_FORMS = frozenset({"Option", "Except", "Sum"})
_MACHINE_NUMBERS = frozenset(
    {"UInt8", "UInt16", "UInt32", "UInt64", "USize", "Int8", "Int16", "Int32", "Int64", "ISize"}
)
_NOT_RECURSIVE = frozenset(
    {*_OF_TWO_FORMS, "Bool", "Fin", "Unit", "Prod", "Subtype", "Rat", "BitVec", "Char", "Array", "Ordering"}
    | _MACHINE_NUMBERS
)
_NOT_INTRODUCED = frozenset({"=", "∃", "∨", "<", "≤", "False"})
_NEVER_BY_RFL = frozenset({"∃", "∧", "∨", "¬", "≠", "False"})
_NOT_UNFOLDED = frozenset(
    {"fun", "if", "then", "else", "let", "have", "match", "with", "do", "Type", "Sort", "Prop"}
    | {"True", "False", "Nat", "Int", "List", "Bool", "Option", "some", "none", "true", "false"}
)
_ORDERS = frozenset("≤<≥>∣")
_OF_LEAN = _MACHINE_NUMBERS | frozenset(
    {"Nat", "Int", "Rat", "Fin", "List", "Array", "Char", "String", "Bool", "Float"}
)
_BEFORE_KEYWORD = r"^(?:/--.*?-/ )?(?:@\[[^\]]*\] )?(?:[a-z]+ )*?"
_NO_PROOF = re.compile(rf"{_BEFORE_KEYWORD}(?:abbrev|class|def|inductive|instance|structure)\b")
_DEFINITION = re.compile(rf"{_BEFORE_KEYWORD}(?:abbrev|def)\b")
_AFTER_INTRO = ("apply {", "funext ", "rfl")
"""How schemes begin that do nothing for a ``∀`` or a ``→`` that they could not do after ``intro``."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True)
class Fillings:
    """What placeholders stand for at one goal.

    Attributes:
        goal: its parts.
        premises: what stands above it, by its name, the best one first.
        names: definitions and calls, if Lean has said them; otherwise they are read off the goal's text.
        binds: whether the goal has ``Option.bind``, by whatever notation. It is none of the definitions: to unfold it
            helps where each of its cases is looked at.
    """

    goal: ParsedGoal
    premises: Mapping[str, str]
    names: GoalNames | None = None
    binds: bool = False

    @classmethod
    def at(cls, goal: str) -> Fillings:
        """Read a goal as Lean prints it, with or without premises above it (:func:`lean_agent.prompts.with_help`)."""
        shown = [line.partition(": ")[::2] for line in shown_premises(goal)]
        premises = {name: text for name, text in shown if "«" not in name}  # of a notation there is nothing to use
        names = shown_names(goal)
        binds = names is not None and OPTION_BIND in names.definitions
        if names is not None and binds:
            names = replace(names, definitions=tuple(name for name in names.definitions if name != OPTION_BIND))
        return cls(parse_goal(without_help(goal)), premises, names, binds)

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
        own = [name for name in self.names.own if not name.startswith("→")] if self.names else []
        likely = [name for name in self.proofs if may_apply(name, self.premises[name], self.goal.target)]
        return list(dict.fromkeys([*likely, *own]))

    @cached_property
    def for_grind(self) -> Fillings:
        """The same as ``grind`` takes it, as far as Lean has said: without the premises and definitions that it does
        not, and with equations called so, too. Rules of a predicate come with it; beside it they make ``grind`` fail
        where it would not without."""
        return self._for_grind(lambda name, _: [f"= {name}", name])

    @cached_property
    def as_laws(self) -> Fillings:
        """The same, with equations called so alone, but for those of sums."""
        return self._for_grind(lambda name, text: [f"= {name}", *([name] if is_of_sum(text) else [])])

    @cached_property
    def forward(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, those from their hypotheses on (``→ name``) that can do
        so; nothing where there are no such."""
        if self.names is None or not self.names.forward:
            return []
        taken = self.as_laws
        begun = [f"→ {name}" if name in self.names.forward else name for name in taken.premises]
        unnamed = [f"→ {name}" for name in self.names.forward if name not in taken.premises]
        return [*taken.definitions, *unnamed, *begun]

    @property
    def arithmetic(self) -> list[str]:
        """The definitions, with laws of the goal's operations on numbers; nothing where there are no such."""
        laws = self.names.laws if self.names else ()
        return [*self.for_grind.definitions, *laws] if laws else []

    @property
    def own(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, with theorems of the project that Lean has found for
        the goal by unification or in the bodies of its definitions; nothing where there are no such beside the
        premises."""
        if self.names is None:
            return []
        candidates = [*self.names.own, *self.names.about]
        taken = [name for name in candidates if name not in self.names.not_for_grind]
        spelled = [f"= {name}" if name in self.names.equations else name for name in taken]
        known = [*self.as_laws.definitions, *self.as_laws.premises]
        return [*known, *spelled] if not set(spelled) <= set(known) else []

    def _for_grind(self, spelled: Callable[[str, str], list[str]]) -> Fillings:
        if self.names is None:
            return self
        refused, equations = self.names.not_for_grind, self.names.equations
        definitions = (*(name for name in self.names.definitions if name not in refused), *self._meanings)
        premises = {
            form: text
            for name, text in self.premises.items()
            if name not in refused and not (is_rule(text) and name.rpartition(".")[0] in definitions)
            for form in (spelled(name, text) if name in equations else [name])
        }
        return replace(self, premises=premises, names=replace(self.names, definitions=definitions))

    @property
    def _meanings(self) -> list[str]:
        """Hypotheses that say what notation means (``LeanAgent/Notations.lean``), as ``grind`` takes them: by itself it
        takes no hypothesis as an equation of ``a + b``."""
        return [
            f"{'' if self._heads[name] != '∀' else '_=_ ' if name.endswith(BY_FUNCTION) else '= '}@{name}"
            for name in self.goal.types
            if name.endswith((BY_FUNCTION, BY_TERM))
        ]

    @cached_property
    def instances(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, with laws of one variable, premises or hypotheses, at
        each of the goal's (``mul_inv a``), too, and associativity from both sides; nothing where there is no such
        law."""
        at_values = [f"{name} {value}" for name, values in self._laws.items() for value in values]
        return [*self._beside_laws, *at_values] if at_values else []

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
        refused = self.names.not_for_grind if self.names else ()
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
        return list(dict.fromkeys([*_in_brackets(target), *(f"({match[0]})" for match in behind)]))

    @property
    def _beside_laws(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, associativity from both sides."""
        associative = {f"= {name}": f"_=_ {name}" for name, text in self.premises.items() if is_associative(text)}
        taken = [*self.as_laws.definitions, *self.as_laws.premises]
        return [associative.get(name, name) for name in taken]

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
        return [name for name, head in self._heads.items() if head in suitable and "✝" not in name][:MOST_VALUES]

    def suits(self, tactic: str) -> bool:
        """Return whether a tactic can do more than fail, or than the same without ``intros``, as far as its first word
        tells."""
        target, head = self.goal.target, self._target_head
        first = tactic.partition(" ")[0]
        if head in ("∀", "→") and tactic.startswith(_AFTER_INTRO):
            return False
        possible = {
            "intros;": bool(self.binders),
            "split": "if " in target or "match " in target,
            "constructor": head not in _NOTHING_INSIDE and head not in self.goal.types and head != "False",
            "decide": self.goal.types.keys().isdisjoint(tokens(target)),
            "exists": head == "∃",
            "funext": head == "=" and self._equates_functions,
            "ext1": head == "=" and any(self._heads[name] not in _NOT_EXTENSIONAL for name in self._in_target),
            "rfl": head not in _NEVER_BY_RFL,
        }
        return possible.get(first, True)

    @cached_property
    def locals(self) -> list[str]:
        """Hypotheses and variables that may be taken apart: no types, instances, functions, equations, nothing of a
        type that is a variable, or a variable applied (``h : p x``), and nothing of which Lean says that it is none of
        these behind the names that the project gives them."""
        return [
            name
            for name, kind in self.goal.types.items()
            if not ("✝" in name or name.startswith("inst") or name in self._whole or self._is_of_variable(kind))
            and not _NOTHING_TO_TAKE_APART.match(kind)
            and self._heads[name] not in _NOTHING_INSIDE
        ]

    def _is_of_variable(self, kind: str) -> bool:
        first, *arguments = tokens(kind) or [""]
        is_applied = all(IDENTIFIER.match(word) or word.isdigit() or word in "()" for word in arguments)
        return first in self.goal.types and is_applied  # ``r.Steps a b`` and ``a ⟶ b`` are something else

    @cached_property
    def derived_first(self) -> list[str]:
        """The same, those first that speak of others of them: an induction on ``h : Step t u`` says what becomes of
        ``t``, and one on ``t`` leaves ``h`` as it is. Then what recursive functions take apart, as far as Lean has said
        it: of ``take n xs`` it is ``n`` or ``xs`` that says what comes next."""
        names = set(self.locals)
        recursion = list(self.names.recursion) if self.names else []
        places = {name: place for place, name in enumerate(recursion)}
        return sorted(
            self.locals, key=lambda name: (names.isdisjoint(self._rests_on[name]), places.get(name, len(places)))
        )

    @cached_property
    def for_induction(self) -> list[str]:
        """The same, those last that are about what is no variable, as indices are for an induction; nothing of a type
        of Lean's own that has nothing of its kind inside: of that ``cases`` says as much."""
        kinds = self.goal.types
        names = [name for name in self.derived_first if kinds[name].partition(" ")[0] not in _NOT_RECURSIVE]
        return sorted(names, key=lambda name: bool(_in_brackets(kinds[name])))

    @property
    def with_hypothesis(self) -> list[str]:
        """The same without integers, whose cases have no induction hypothesis that could be more general."""
        return [name for name in self.for_induction if self._heads[name] != "Int"]

    @property
    def finite(self) -> list[str]:
        """The variables of ``Bool``, of types of the project without arguments, and of ``Option`` and the like, two to
        :data:`MOST_VALUES` of them: where each has but a few forms, what is said of them can be computed in each
        case."""
        kinds = self.goal.types
        few = [
            name
            for name in self.locals
            if (IDENTIFIER.fullmatch(kinds[name]) and kinds[name] not in _OF_LEAN - {"Bool"})
            or kinds[name].partition(" ")[0] in _OF_TWO_FORMS
        ]
        names = [name for name in few if name in self._mentioned]
        return names if 1 < len(names) <= MOST_VALUES else []

    def others(self, local: str) -> list[str]:
        """Return the other ones that an induction on ``local`` may generalize: not what its type speaks of, and not
        what speaks of it, which is generalized anyway; nor is a fact (``h₂ : Step t b`` beside ``h₁ : Step t a``) that
        speaks of the same variables. With one of these the tactic would fail."""
        rests_on = self._rests_on
        spoken_of = rests_on[local]
        varied = {name for name in spoken_of if not _NOTHING_TO_TAKE_APART.match(self.goal.types[name])}
        varying = {*self.locals, *self._passed_on}
        if varied:  # what a derivation is about may be related to others in each case (``hy : step x y``)
            varying |= {name for name, kind in self.goal.types.items() if kind in self.goal.types}
            varying |= {name for name in self._related(varied) if name in self._whole}
        return [
            name
            for name in self.goal.types
            if name in varying
            and name != local
            and name not in spoken_of
            and local not in rests_on[name]
            and (name in self._mentioned or varied.isdisjoint(rests_on[name]))
        ]

    def _related(self, variables: Collection[str]) -> set[str]:
        """Return the variables that a hypothesis speaks of together with one of these."""
        return set().union(*(spoken for spoken in self._rests_on.values() if not spoken.isdisjoint(variables)))

    @property
    def _whole(self) -> Collection[str]:
        """What cannot be taken apart, as Lean has said: functions behind a name (``State := String → Nat``), too."""
        return self.names.whole if self.names else ()

    @cached_property
    def _passed_on(self) -> set[str]:
        """Strings, and values of a type that is a variable, that a recursive function of the target takes: an
        accumulator may be one."""
        taken = {word for call in self.calls for word in tokens(call)[1:]} & self.goal.types.keys()
        kinds = {name: self.goal.types[name] for name in taken}
        return {name for name, kind in kinds.items() if kind == "String" or kind in self.goal.types}

    def other(self, local: str) -> str:
        """Return what else may be taken apart in each case of an induction on ``local``; empty for nothing.

        Beside a hypothesis of a relation it is the first one that speaks of the same variables (``h₂ : Step t b``
        beside ``h₁ : Step t a``): the variables themselves are gone in each case.
        """
        rests_on = self._rests_on
        spoken_of = rests_on[local]
        left = [name for name in self.locals if name != local and name not in spoken_of]
        return next((name for name in left if spoken_of & rests_on[name]), next(iter(left), ""))

    @cached_property
    def pairs(self) -> list[str]:
        """Hypotheses that say ``∧``, ``∨`` or ``∃``, each behind a pattern that takes it apart: ``⟨x, h⟩ := h``; and
        those that may say so by the definition of an order (``n ≤ m`` for ``∃ k, n + k = m``)."""
        known = {name: head for name, head in self._heads.items() if "✝" not in name}
        says = [
            f"{_pattern(tokens(self.goal.types[name]), set(self.goal.types) - {name})} := {name}"
            for name, head in known.items()
            if head in ("∧", "∨", "∃")
        ]
        taken = set(self.goal.types)
        parts = f"⟨{_fresh('k', taken)}, {_fresh('h', taken)}⟩"
        orders = [f"{parts} := {name}" for name in known if self._is_own_order(self.goal.types[name])]
        return [*says, *orders, *self._nameless]

    @property
    def _nameless(self) -> list[str]:
        """The last hypothesis without a name that says ``∃``, as those of inductions do, behind a pattern."""
        says = [name for name, head in self._heads.items() if head == "∃" and "✝" in name]
        kinds = [tokens(self.goal.types[name]) for name in says[-1:]]
        return [f"{_pattern(words, set(self.goal.types))} := ‹∃ _, _›" for words in kinds]

    @cached_property
    def rules(self) -> list[str]:
        """Hypotheses that say ``→`` or ``∀``; no functions and relations, of which others speak."""
        says = [name for name, head in self._heads.items() if head in ("→", "∀") and "✝" not in name]
        facts = [name for name in says if not (name in self._mentioned or is_notation(name))]
        return [name for name in facts if conclusion(self.goal.types[name]) != ("Prop",)]

    @property
    def rule_inductions(self) -> list[str]:
        """The only hypothesis that concludes the target's predicate, which is a variable, so that nothing else can,
        with an induction on a variable of the target behind it: ``safe; induction n``."""
        predicate = self._target_head
        says = (name for name in self.goal.types if name not in self._mentioned and "✝" not in name)
        ways = [name for name in says if head_and_parts(conclusion(self.goal.types[name]))[0] == predicate]
        if predicate not in self.goal.types or len(ways) != 1 or ways[0] not in self.rules:
            return []
        return [f"{ways[0]}; induction {name}" for name in self.for_induction if name in self._in_target]

    @cached_property
    def conclusions(self) -> list[str]:
        """What says ``∧``, ``∨`` or ``∃`` by what Lean has said to follow, behind a pattern: ``⟨d, h, h₁⟩ :=
        confluent _ _ _ hb hc``; and hypotheses that conclude such, applied to others, as the goal's text tells."""
        follows = ((proof, tokens(kind)) for proof, kind in self._follows)
        opened = [
            f"{_pattern(words, set(self.goal.types))} := {proof}"
            for proof, words in follows
            if head_and_parts(words)[0] in ("∧", "∨", "∃")
        ]
        return list(dict.fromkeys([*opened, *self._concluded]))

    @property
    def consequences(self) -> list[str]:
        """Proofs of anything else that follows from the hypotheses, each behind a name: ``h₁ := trans _ _ _ h h₂``."""
        taken = set(self.goal.types)
        follows = ((proof, head_and_parts(tokens(kind))[0]) for proof, kind in self._follows)
        return [f"{_fresh('h', taken)} := {proof}" for proof, head in follows if head not in ("∧", "∨", "∃")]

    @property
    def all_consequences(self) -> list[str]:
        """Proofs of all that follows, each behind a name; no hypotheses."""
        taken = set(self.goal.types)
        return [f"{_fresh('h', taken)} := {proof}" for proof, _ in self._follows if proof not in self.goal.types]

    @property
    def facts(self) -> str:
        """Return what makes the facts known that Lean has named, each if it can be, behind the target's negation where
        they speak of it; nothing where it has named none."""
        proofs = self.names.facts if self.names else ()
        is_negated = any(re.search(rf"\b{NEGATION}\b", proof) for proof in proofs)
        negated = [f"refine Classical.byContradiction fun {NEGATION} => ?_"] if is_negated else []
        return "; ".join([*negated, *(f"(try have := {proof})" for proof in proofs)]) if proofs else ""

    @cached_property
    def solutions(self) -> dict[str, str]:
        """What the target says to exist, as Lean has solved its equation, with a proof of that, each with what takes
        apart the hypotheses that it speaks of (``LeanAgent/Witnesses.lean``)."""
        parts = (tactic.rpartition("exact ⟨") for tactic in (self.names.witnesses if self.names else ()))
        return {solution.removesuffix("⟩"): openings for openings, _, solution in parts}

    @property
    def seen_through(self) -> list[str]:
        """The definitions that the goal and all this can be unfolded by, without the relations, whose derivations
        ``grind`` would take apart."""
        if self.names is None:
            return []
        names = dict.fromkeys([*self.names.unfoldings, *self.names.behind])
        return [name for name in names if name not in self.names.not_for_grind]

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
        return list(dict.fromkeys([*self.definitions, *self.seen_through]))

    @property
    def _enumerations(self) -> list[list[str]]:
        """Return the types of a few values, each before these, as far as Lean has said it."""
        return [text.split() for text in self.names.enumerations[:MOST_TYPES]] if self.names else []

    @property
    def behind_consequences(self) -> list[str]:
        """The same with what else the goal names, and premises, as ``grind`` takes them."""
        laws = self.as_laws
        return list(dict.fromkeys([*laws.definitions, *self.seen_through, *laws.premises]))

    @property
    def _follows(self) -> list[tuple[str, str]]:
        """What follows from the hypotheses, as far as Lean has said it: proofs, and what they say."""
        consequences = self.names.consequences if self.names else ()
        return [(proof, kind) for proof, _, kind in (text.partition(" : ") for text in consequences)]

    @property
    def _concluded(self) -> list[str]:
        """Hypotheses that conclude ``∧``, ``∨`` or ``∃`` from others, each applied to others that say such, behind a
        pattern."""
        ways: list[str] = []
        for rule in self.rules:
            arguments, rest = self._arguments_of(tokens(self.goal.types[rule]))
            if head_and_parts(rest)[0] not in ("∧", "∨", "∃") or not any(each != ["_"] for each in arguments):
                continue
            applied = [" ".join((rule, *each)) for each in islice(product(*arguments), MOST_VALUES)]
            pattern = _pattern(rest, set(self.goal.types))
            ways += [f"{pattern} := {each}" for each in sorted(applied, key=_repeats)]
        return ways

    def _arguments_of(self, words: Sequence[str]) -> tuple[list[list[str]], Sequence[str]]:
        """Return what each explicit argument of a rule may be, ``_`` for a variable, and what it concludes."""
        arguments: list[list[str]] = []
        while True:
            head, parts = head_and_parts(words)
            if head == "∀":
                names, words = _binders(parts[0])
                is_explicit = parts[0][:1] not in (["{"], ["⦃"], ["["])
                arguments += [["_"]] * len(names) if is_explicit else []
            elif head == "→":
                relation = head_and_parts(parts[0])[0]
                arguments.append([name for name, of in self._heads.items() if of == relation and "✝" not in name])
                words = parts[1]
            else:
                return arguments, words

    @cached_property
    def equations(self) -> list[str]:
        """Hypotheses that say ``=``."""
        return [name for name, head in self._heads.items() if head == "=" and not ("✝" in name or is_notation(name))]

    @cached_property
    def binders(self) -> str:
        """Names for all that the target says ``∀``, ``→``, ``¬`` or ``≠`` of first, with a space between them."""
        names: list[str] = []
        taken = set(self.goal.types)
        words: Sequence[str] = tokens(self.goal.target)
        while words:
            head, parts = head_and_parts(words)
            if head == "∀":
                bound, words = _binders(parts[0])
                names += [_fresh(name, taken) for name in bound]
            elif head == "→":
                names.append(_fresh("h", taken))
                words = parts[1]
            else:
                names += [_fresh("h", taken)] if head in ("¬", "≠") else []
                break
        return " ".join(names)

    @cached_property
    def bound(self) -> list[str]:
        """A name for what the target says ``∀`` of first: an induction on it keeps all that is said of the others."""
        head, parts = head_and_parts(tokens(self.goal.target))
        names = _binders(parts[0])[0] if head == "∀" else []
        return [_fresh(name, set(self.goal.types)) for name in names[:1] if name != "_"]

    @cached_property
    def indexed(self) -> list[str]:
        """Derivations about what is no variable (``h : Exec (loop b c) s t``), each behind what gives it a name, as an
        induction needs it: ``e : (loop b c) = i at h; induction h``. What a pair holds varies with it."""
        ways = []
        for name in (name for name in self.locals if name not in self._mentioned):
            terms = _in_brackets(self.goal.types[name])
            taken = set(self.goal.types)
            steps = [f"{_fresh('e', taken)} : {term} = {_fresh('i', taken)} at {name}" for term in terms]
            pairs = [word for term in terms if "," in term for word in tokens(term)]
            varied = [word for word in dict.fromkeys(pairs) if word in self.goal.types]
            ways += ["; generalize ".join(steps) + f"; induction {name}{_generalizing(varied)}"] if steps else []
        return ways

    @cached_property
    def witnesses(self) -> list[str]:
        """Values where the target says that something exists; nothing that is called like a proof, and that nothing
        speaks of."""
        proofs = {name for name in self.goal.types if name.startswith("h") and name not in self._mentioned}
        return [name for name in self.values if name not in proofs] if self._target_head == "∃" else []

    @property
    def _quotients(self) -> list[str]:
        """``a / 2`` where the target says that a number is twice another, and a remainder (``∃ k, a = 2 * k + 1``)."""
        divided = (match.group("number", "by") for match in _MULTIPLE.finditer(self.goal.target))
        return [f"{number} / {by or 2}" for number, by in divided if number in self.goal.types]

    @cached_property
    def values(self) -> list[str]:
        """Variables, 0, and one more than the last number, where the target says that something exists, or may say so
        by a definition; variables come last that may be proofs."""
        if not self._may_exist:
            return []
        facts = self._facts()
        values = [
            name
            for name, kind in self.goal.types.items()
            if not ("✝" in name or name.startswith("inst") or _NOTHING_TO_TAKE_APART.match(kind))
            and self._heads[name] not in _PROPOSITIONS
        ]
        values = [*self._quotients, *values][: MOST_VALUES - 1]
        one_more = [f"{name} + 1" for name in self._numbers[-1:]]
        return [*sorted([*values, "0"], key=lambda name: self.goal.types.get(name) in facts), *one_more]

    @cached_property
    def terms(self) -> list[str]:
        """Integers with a minus, and sums of two numbers, where the target may say that something exists."""
        if not self._may_exist:
            return []
        numbers = self._numbers
        negated = [f"-{name}" for name in numbers if self._heads[name] == "Int"]
        return [*negated[:MOST_VALUES], *(f"{a} + {b}" for a, b in combinations(numbers[:3], 2))]

    @cached_property
    def opened(self) -> list[str]:
        """Hypotheses that say ``∃``, or may by a definition, behind patterns, and what is made of their witnesses as
        one for the target (``⟨k, h⟩ := h₁; obtain ⟨k₁, h₃⟩ := h₂ <;> first | exact ⟨k + k₁, by grind⟩ | …``). Products
        with numbers, of which there are many, are left to ``grobner``, which fails in a fifth of the time."""
        if not (self._may_exist or self._target_head == "∣"):
            return []
        taken = set(self.goal.types)
        ways = ((name, *self._opened(name, taken)) for name in self._existing)
        usable = [(f"{pattern} := {name}", witness) for name, pattern, witness in ways if witness][:MOST_OPENED]
        match [witness for _, witness in usable]:
            case [k]:
                by_closer = {"grind": [f"-{k}", f"{k} + 1", f"{k} - 1", *self._beside(k)]}
            case [k, m]:
                terms = [f"{k} + {m}", f"{k} - {m}", f"{m} - {k}", f"{k} * {m}", f"{k} ++ {m}", f"max {k} {m}"]
                factors = list(permutations(self._numbers[:MOST_FACTORS], 2))
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
        return [f"{name} {sign} {witness}" for sign in "*+" for name in self._numbers[:3]]

    @property
    def _numbers(self) -> list[str]:
        return [name for name, head in self._heads.items() if head in _NUMBERS and "✝" not in name]

    @property
    def _existing(self) -> list[str]:
        """Hypotheses that say ``∃``, as ``∣`` does, or may by the definition that they begin with."""
        return [
            name
            for name, head in self._heads.items()
            if "✝" not in name and (head in ("∃", "∣") or self._is_predicate(head))
        ]

    def _opened(self, name: str, taken: set[str]) -> tuple[str, str]:
        """Return a pattern for a hypothesis that may say ``∃``, and the witness in it; none where it has several."""
        if self._heads[name] != "∃":
            witness = _fresh("k", taken)
            return f"⟨{witness}, {_fresh('h', taken)}⟩", witness
        words = tokens(self.goal.types[name])
        (bound, _), pattern = _binders(head_and_parts(words)[1][0]), _pattern(words, taken)
        return pattern, pattern[1:].partition(",")[0] if len(bound) == 1 else ""

    @cached_property
    def sides(self) -> list[str]:
        """``left`` and ``right`` where the target says ``∨``."""
        return ["left", "right"] if self._target_head == "∨" else []

    @cached_property
    def calls(self) -> list[str]:
        """Functions that the target applies to variables alone: ``app xs ys``; where it applies none, those that
        hypotheses do."""
        calls = self._calls_in(self.goal.target) if self.names is None else list(self.names.calls)
        calls = [call for call in calls if _repeats(call) == 0]  # an induction on ``f k k`` cannot be
        if calls:
            return calls
        in_facts = self._calls_in(" ".join(self._facts()))
        if self.names is None:
            return in_facts
        own = {name.rpartition(".")[2] for name in self.names.definitions if name not in self.names.predicates}
        return [call for call in in_facts if _called(call) in own]

    @cached_property
    def call_inductions(self) -> list[str]:
        """Return the calls, each with the variables that a hypothesis equates it with (``h : unify t c s = some r``):
        in the cases of an induction by them it is equal to something else (``unify t c s generalizing r``). Then the
        same with the other variables of the target: in its cases an accumulator is another one."""
        results = {call: self._results_of(call) for call in self.calls}
        others = {call: self._generalizable(call) & self._in_target - {*results[call]} for call in self.calls}
        return [
            *(call + _generalizing(names) for call, names in results.items()),
            *(
                call + _generalizing([*results[call], *(name for name in self.goal.types if name in names)])
                for call, names in others.items()
                if names
            ),
        ]

    def _generalizable(self, call: str) -> set[str]:
        """Return the variables on which the arguments of a call do not rest; no functions, types and instances."""
        function, *arguments = call.split()
        arguments.append(function.partition(".")[0])  # ``xs.map f``
        kept = {*arguments, *chain.from_iterable(self._rests_on.get(name, ()) for name in arguments)}
        return {
            name
            for name, kind in self.goal.types.items()
            if not (name in kept or "→" in kind or _A_TYPE.match(kind) or "✝" in name or name.startswith("inst"))
        }

    def _results_of(self, call: str) -> list[str]:
        """Return the variables beside a call in equations with it, as far as they can be generalized."""
        function, *arguments = call.split()
        applied = rf"(?:[\w.']+\.)?{re.escape(function.rpartition('.')[2])} {re.escape(' '.join(arguments))}"
        equation = re.compile(rf"(?:{applied} = (.+)|(.+) = {applied})", re.DOTALL)
        words = (
            word for match in map(equation.fullmatch, self._facts()) if match for word in tokens(match[1] or match[2])
        )
        values = self._generalizable(call)
        return [word for word in dict.fromkeys(words) if word in values]

    def _calls_in(self, propositions: str) -> list[str]:
        calls: dict[str, None] = {}
        for function, text in _APPLICATION.findall(propositions):
            first, _, rest = function.partition(".")
            arguments = text.split()
            known = next((n for n, name in enumerate(arguments) if name not in self.goal.types), len(arguments))
            is_local = first in self.goal.types
            if _is_lower(function) and function not in _NOT_UNFOLDED and (rest if is_local else known):
                calls[" ".join([function, *arguments[:known]])] = None
        return list(calls)

    @cached_property
    def functions(self) -> list[str]:
        """Functions that the target names, and hypotheses where Lean has said what these name."""
        if self.names is not None:
            return [name for name in self.names.definitions if _is_lower(name)]
        return [name for name in self._named([self.goal.target]) if _is_lower(name)]

    @cached_property
    def definitions(self) -> list[str]:
        """The same with what is written with a capital (``Injective``), and of hypotheses, too."""
        if self.names is not None:
            return list(self.names.definitions)
        return self._named([self.goal.target, *self._facts()])

    @cached_property
    def predicates(self) -> list[str]:
        """Those of the definitions that stand for a proposition. Where Lean has not said it: what is written with a
        capital, and what the target or a fact begins with (``hoare P c Q``)."""
        if self.names is not None:
            return list(self.names.predicates)
        heads = {head_and_parts(tokens(text))[0] for text in (self.goal.target, *self._facts())}
        first = {name for name in self.definitions if any(_is_called(name, head) for head in heads)}
        return [name for name in self.definitions if name in first or not _is_lower(name)]

    @property
    def unfolded(self) -> list[str]:
        """The definitions, and those among the premises."""
        behind = (name for name, text in self.premises.items() if _DEFINITION.match(text))
        return list(dict.fromkeys([*self.definitions, *behind]))

    @property
    def unfoldings(self) -> list[str]:
        """The definitions that the goal names, and those in the bodies of these, as far as Lean has said them, where
        the goal speaks of numbers; nothing where its target says ``∀`` or ``→`` first."""
        has_numbers = bool(self._numbers) or any(word.isdigit() for word in tokens(self.goal.target))
        if self.names is None or self._target_head in ("∀", "→") or not has_numbers:
            return []
        return list(self.names.unfoldings)

    @property
    def inversions(self) -> list[str]:
        """Tactics that take apart a derivation of the first of the predicates, as far as Lean has said what the goal
        names: a case of an induction has derivations that have no name. The functions are unfolded, with
        ``Option.bind`` where the goal has that. Where the target says ``∃``, witnesses of the cases, too."""
        if self.names is None:
            return []
        unfolded = f" [{', '.join(self.functions)}]" if self.functions else ""
        ways = [f"cases ‹{name} ..› <;> simp_all{unfolded}" for name in self.predicates[:MOST_INVERTED]]
        unfolding = [f"simp_all [{', '.join([*self.functions, OPTION_BIND])}] <;> grind"] if self.binds else []
        return [*unfolding, *ways, *self._of_cases]

    @property
    def _of_cases(self) -> list[str]:
        """Witnesses in the cases of an induction: 0, and what the hypothesis has that says so, or one more."""
        if self._target_head != "∃":
            return []
        closed = f"by grind [{', '.join(self.for_grind.definitions)}]".replace(" []", "")
        opened = "obtain ⟨k, _⟩ := ‹∃ _, _›; exact "
        return [f"exact ⟨0, {closed}⟩", *(f"{opened}⟨{witness}, {closed}⟩" for witness in ("k", "k + 1"))]

    @property
    def derivation(self) -> str:
        """What builds a derivation rule by rule, the first that fits, which also says what a witness is; ``grind``
        closes what is no derivation. Nothing where the target is none."""
        if not (self._target_head == "∃" or self._is_predicate(self._target_head)):
            return ""
        known = f" [{', '.join(self.for_grind.unfolded_values)}]".removesuffix(" []")
        return f"(repeat' (first | rfl | assumption | constructor)) <;> grind{known}"

    @property
    def taken_apart(self) -> str:
        """What takes derivations about terms that are no variables apart, as far as they are there to be taken apart,
        with the equations that come out; nothing where there are no such, or the target is more than ``False``: what
        cannot be has no derivation."""
        compound = {self._heads[name] for name in self.locals if self._is_about_terms(self.goal.types[name])}
        names = [name for name in self.predicates if any(_is_called(name, head) for head in compound)]
        if self._target_head != "False" or not names:
            return ""
        return " | ".join(["cases ‹_ = _›", *(f"cases ‹{name} ..›" for name in names), "fail"])

    @property
    def inverted(self) -> str:
        """Return what takes all derivations apart of which Lean has said that they can be, others once, behind what
        introduces them; nothing where the goal has none."""
        names = self.names
        if names is None or not names.inverted:
            return ""
        to_introduce = self._target_head not in _NOT_INTRODUCED
        steps = ["(repeat' (first | intro _ | apply And.intro | apply Iff.intro))"] if to_introduce else []
        once = [f"(try cases {each})" for each in names.inverted if each not in names.inversions]
        return " <;> ".join([*steps, *once, self._all_inversions])

    @property
    def _all_inversions(self) -> str:
        names = self.names.inversions if self.names else ()
        ways = ["cases ‹_ = _›", "cases ‹_ ∨ _›", "cases ‹∃ _, _›", *(f"cases {each}" for each in names)]
        return f"(repeat' (first | {' | '.join(ways)} | fail))"  # in a file Lean recovers from errors of the last one

    @property
    def derived(self) -> list[str]:
        """Return what an induction may be on whose cases bring derivations that can be taken apart, as far as Lean has
        said that there are any: derivations first."""
        return self.for_induction[:MOST_DERIVED] if self.names is not None and self.names.inversions else []

    def generalizing(self, local: str) -> str:
        """Return the end of an induction that generalizes all that it may; nothing where that is nothing."""
        return _generalizing(self.others(local) if local in self.with_hypothesis else [])

    @property
    def stepped(self) -> list[str]:
        """Derivations by steps (``h : Reachable s``), for an induction whose cases bring steps, by which invariants are
        proved. Nothing where Lean has not said that rules of the goal's predicates speak of others."""
        if self.names is None or not self.names.steps:
            return []
        return [name for name in self.for_induction if self._is_predicate(self._heads[name])][:MOST_INDUCTIVE]

    @property
    def inductive(self) -> list[str]:
        """Derivations by rules that Lean has said, for an induction whose cases are closed by these."""
        predicates = {rule.rpartition(".")[0] for rule in self.names.rules} if self.names else set()
        names = self.for_induction
        ruled = [name for name in names if any(_is_called(each, self._heads[name]) for each in predicates)]
        return ruled[:MOST_INDUCTIVE]

    @property
    def by_rules(self) -> list[str]:
        """The definitions as ``grind`` takes them, with rules in the place of their predicates, with which it takes
        derivations apart that are there already, and these without end."""
        if self.names is None:
            return []
        rules = [rule for rule in self.names.rules if rule not in self.names.not_for_grind]
        predicates = {rule.rpartition(".")[0] for rule in rules}
        return [*(name for name in self.as_laws.definitions if name not in predicates), *rules]

    @property
    def steps_apart(self) -> str:
        """Return what takes the steps of such a case apart, as far as there are any."""
        steps = self.names.steps if self.names else ()
        return " <;> ".join(f"(try cases ‹{name} ..›)" for name in steps[:MOST_INVERTED])

    @property
    def of_steps(self) -> list[str]:
        """The definitions and premises as ``grind`` takes them, with definitions in the rules of steps, without these
        rules, which have been used then."""
        if self.names is None:
            return []
        taken, steps = self.as_laws, self.names.steps
        rules = {name for name, text in taken.premises.items() if is_rule(text) and name.rpartition(".")[0] in steps}
        of_steps = [name for name in self.names.of_steps if name not in self.names.not_for_grind]
        return [*taken.definitions, *of_steps, *(name for name in taken.premises if name not in rules)]

    @property
    def with_rules(self) -> list[str]:
        """Rules of the goal's inductive predicates, all of them, and premises that prove something."""
        return list(dict.fromkeys([*(self.names.rules if self.names else ()), *self.for_elim]))

    @property
    def inverting(self) -> str:
        """Return what takes such derivations apart in a case of an induction."""
        return f"intros <;> {self._all_inversions}"

    def _is_about_terms(self, proposition: str) -> bool:
        """Return whether a derivation is about more than variables, and of no other relation (``Star Step a b``), of
        which it may have any number of steps."""
        arguments = tokens(proposition)[1:]
        return any(word not in self.goal.types for word in arguments) and not any(map(self._is_predicate, arguments))

    @cached_property
    def _may_exist(self) -> bool:
        """Whether the target says ``∃``, or a predicate or an order may that it begins with."""
        return self._target_head == "∃" or self._is_predicate(self._target_head) or self._is_own_order(self.goal.target)

    def _is_predicate(self, head: str) -> bool:
        """Return whether what a proposition begins with is one of the predicates, as its namespace may call it."""
        return any(_is_called(name, head) for name in self.predicates)

    def _is_own_order(self, proposition: str) -> bool:
        """Return whether a proposition is about the order of a type that the project may have defined."""
        words = tokens(proposition)
        compared = next((self.goal.types[word] for word in words if word in self.goal.types), "Nat")
        first = compared.partition(" ")[0]
        return head_and_parts(words)[0] in _ORDERS and not (first in _OF_LEAN or first in self.goal.types)

    @cached_property
    def _in_target(self) -> set[str]:
        """The variables that the target names."""
        return self.goal.types.keys() & {word.partition(".")[0] for word in tokens(self.goal.target)}

    @property
    def _equates_functions(self) -> bool:
        """Return whether the target's text shows that a side is a function."""
        _, sides = head_and_parts(tokens(self.goal.target))
        return any("∘" in side or side[:1] == ["fun"] for side in sides)

    @cached_property
    def _target_head(self) -> str:
        return self._behind_notation.get("⊢") or head_and_parts(tokens(self.goal.target))[0]

    @cached_property
    def _heads(self) -> dict[str, str]:
        read = {name: head_and_parts(tokens(kind))[0] for name, kind in self.goal.types.items()}
        return read | {name: head for name, head in self._behind_notation.items() if name in read}

    @property
    def _behind_notation(self) -> dict[str, str]:
        """The predicates of hypotheses, and of the target, that are printed by a notation, as Lean has said."""
        derivations = self.names.derivations if self.names else ()
        return {name: predicate for name, _, predicate in (each.partition(" ") for each in derivations)}

    @cached_property
    def _rests_on(self) -> dict[str, set[str]]:
        """The variables that the type of each variable speaks of, and those that the types of these do in turn."""
        rests_on: dict[str, set[str]] = {}
        for name, kind in self.goal.types.items():  # a type speaks of variables before it alone
            spoken = {word.partition(".")[0] for word in tokens(kind)} & rests_on.keys()
            rests_on[name] = spoken.union(*(rests_on[other] for other in spoken))
        return rests_on

    @cached_property
    def _mentioned(self) -> set[str]:
        """The names that the target or the type of a hypothesis mentions."""
        texts = (self.goal.target, *self.goal.types.values())
        return {token.partition(".")[0] for text in texts for token in tokens(text)}

    def _facts(self) -> list[str]:
        """Return the types of hypotheses that nothing else mentions: propositions, as a rule."""
        known = self._mentioned
        return [kind for name, kind in self.goal.types.items() if name not in known and not name.startswith("inst")]

    def _named(self, texts: Sequence[str]) -> list[str]:
        """Return the constants that texts name: by their own names, or by a dot after a variable (``xs.map``)."""
        names: dict[str, None] = {}
        bound = {name for text in texts for name in bound_variables(text)}
        for name in (name for text in texts for name in _DOTTED.findall(text)):
            first, _, fields = name.partition(".")
            kind = next(iter(_DOTTED.findall(self.goal.types.get(first, ""))), "")
            if kind and fields:  # of `p.scale.eval` it is not known what `p.scale` is, nor so whose `eval`
                names[f"{kind}.{fields.partition('.')[0]}"] = None
            elif not (first in self.goal.types or first in bound or len(name) == 1 or name in _NOT_UNFOLDED):
                names[name] = None
        return list(names)


def is_notation(hypothesis: str) -> bool:
    """Return whether a hypothesis is called like those that say what notation means."""
    return hypothesis.endswith(TOLD)


def opening(proposition: str, taken: Collection[str]) -> str:
    """Return a pattern of ``obtain`` for what a proposition says, with names that are not taken."""
    return _pattern(tokens(proposition), set(taken))


def _pattern(words: Sequence[str], taken: set[str], *, outermost: bool = True) -> str:
    """Return a pattern of ``obtain`` for a proposition; its names are added to those that are taken."""
    head, parts = head_and_parts(words)
    if head == "∃":
        bound, rest = _binders(parts[0])
        names = [_fresh(name, taken) for name in bound]
        return f"⟨{', '.join([*names, _inside(rest, taken)])}⟩"
    if head == "∧":
        return f"⟨{_pattern(parts[0], taken, outermost=False)}, {_inside(parts[1], taken)}⟩"
    if head == "∨":
        sides = " | ".join(_pattern(part, set(taken), outermost=False) for part in parts)
        return sides if outermost else f"({sides})"
    return _fresh("h", taken)


def _inside(words: Sequence[str], taken: set[str]) -> str:
    """Return the pattern of a last component: brackets of its own are not needed there."""
    pattern = _pattern(words, taken, outermost=False)
    return pattern[1:-1] if pattern.startswith("⟨") else pattern


def _generalizing(names: Sequence[str]) -> str:
    """Return the end of an induction that generalizes these variables; nothing for none."""
    return f" generalizing {' '.join(names)}" if names else ""


def _repeats(applied: str) -> int:
    """Return how many hypotheses an application is given twice."""
    given = [word for word in applied.split() if word != "_"]
    return len(given) - len(set(given))


def _binders(words: Sequence[str]) -> tuple[list[str], Sequence[str]]:
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
    return [_fresh(name, known) for name in names]


def _fresh(name: str, taken: set[str]) -> str:
    """Return the name, or one like it that is not taken; it is taken from now on."""
    if name == "_":
        return name
    number, fresh = 0, name
    while fresh in taken:
        number += 1
        fresh = f"{name}{str(number).translate(_SUBSCRIPTS)}"
    taken.add(fresh)
    return fresh


def _in_brackets(text: str) -> list[str]:
    """Return the terms in brackets of an application to such, the outermost, each once; no functions among them."""
    terms, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "(" and depth == 1:
            start = place
        elif letter == ")" and depth == 0:
            terms.append(text[start : place + 1])
    return [term for term in dict.fromkeys(terms) if not re.search(r"\bfun\b|λ|: ", term)]


def _is_called(name: str, word: str) -> bool:
    """Return whether a word may stand for a full name where namespaces are open."""
    return f".{name}".endswith(f".{word}")


def _called(call: str) -> str:
    """Return the function of a call, without what stands before it (``xs.app ys``)."""
    return call.partition(" ")[0].rpartition(".")[2]


def _is_lower(name: str) -> bool:
    return name.rpartition(".")[2][:1].islower()
