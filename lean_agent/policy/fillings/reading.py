"""What the names of a goal are: what may be taken apart, what is applied, what speaks of what.

Owns this reading of a goal's text, with what Lean has said of it in the place of the text wherever it has; asks Lean
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lean_agent.policy.fillings.openings import binders_of, fresh, fresh_names
from lean_agent.policy.neighbours.goals import (
    IDENTIFIER,
    ParsedGoal,
    bound_variables,
    conclusion,
    head_and_parts,
    tokens,
)
from lean_agent.prompts import GoalNames

BY_FUNCTION, BY_TERM = "_notation", "_means"
"""How hypotheses are called that say what notation means: by a function of the same variables (``a + b = a.add b``), or
by any other term (``LeanAgent/Notations.lean``)."""
TOLD = (BY_FUNCTION, BY_TERM, "_of_representatives", "_of_values")
"""The same, and how those are that say what equality means in a quotient (``LeanAgent/Quotients.lean``), or of
functions behind a definition."""
MOST_VALUES = 4
"""Of hypotheses, variables and parts of the target a placeholder stands for so many, the first ones."""

_DOTTED = re.compile(r"[^\W\d][\w.'!?✝]*")
_APPLICATION = re.compile(r"(?<![\w.'!?✝])([^\W\d][\w.'!?]*)((?: [^\W\d][\w'!?]*(?![\w.'!?✝]))*)")
NOTHING_TO_TAKE_APART = re.compile(r"^(?:Type|Sort|Prop|String|Char|Float)\b")
NOTHING_INSIDE = frozenset("=≠≤<≥>∣∈∉⊆→∀¬")
NUMBERS = frozenset({"Nat", "Int"})
MACHINE_NUMBERS = frozenset(
    {"UInt8", "UInt16", "UInt32", "UInt64", "USize", "Int8", "Int16", "Int32", "Int64", "ISize"}
)
OF_LEAN = MACHINE_NUMBERS | frozenset({"Nat", "Int", "Rat", "Fin", "List", "Array", "Char", "String", "Bool", "Float"})
_NOT_UNFOLDED = frozenset(
    {"fun", "if", "then", "else", "let", "have", "match", "with", "do", "Type", "Sort", "Prop"}
    | {"True", "False", "Nat", "Int", "List", "Bool", "Option", "some", "none", "true", "false"}
)
_ORDERS = frozenset("≤<≥>∣")
_NOTHING_SAID = GoalNames()


@dataclass(frozen=True)
class GoalReading:
    """One goal.

    Attributes:
        parsed: its parts.
        names: definitions and calls, if Lean has said them; otherwise they are read off the goal's text.
    """

    parsed: ParsedGoal
    names: GoalNames | None = None

    @property
    def types(self) -> Mapping[str, str]:
        """Hypotheses and variables, each with its type."""
        return self.parsed.types

    @property
    def target(self) -> str:
        """What is to be proved."""
        return self.parsed.target

    @property
    def of_lean(self) -> GoalNames:
        """What Lean has said of its names; nothing of each kind where it has said nothing."""
        return self.names or _NOTHING_SAID

    @cached_property
    def locals(self) -> list[str]:
        """Hypotheses and variables that may be taken apart: no types, instances, functions, equations, nothing of a
        type that is a variable, or a variable applied (``h : p x``), and nothing of which Lean says that it is none of
        these behind the names that the project gives them."""
        return [
            name
            for name, kind in self.types.items()
            if not ("✝" in name or name.startswith("inst") or name in self.whole or self._is_of_variable(kind))
            and not NOTHING_TO_TAKE_APART.match(kind)
            and self.heads[name] not in NOTHING_INSIDE
        ]

    def _is_of_variable(self, kind: str) -> bool:
        first, *arguments = tokens(kind) or [""]
        is_applied = all(IDENTIFIER.match(word) or word.isdigit() or word in "()" for word in arguments)
        return first in self.types and is_applied  # ``r.Steps a b`` and ``a ⟶ b`` are something else

    @property
    def whole(self) -> Collection[str]:
        """What cannot be taken apart, as Lean has said: functions behind a name (``State := String → Nat``), too."""
        return self.of_lean.whole

    @cached_property
    def rules(self) -> list[str]:
        """Hypotheses that say ``→`` or ``∀``; no functions and relations, of which others speak."""
        says = [name for name, head in self.heads.items() if head in ("→", "∀") and "✝" not in name]
        facts = [name for name in says if not (name in self.mentioned or is_notation(name))]
        return [name for name in facts if conclusion(self.types[name]) != ("Prop",)]

    @cached_property
    def equations(self) -> list[str]:
        """Hypotheses that say ``=``."""
        return [name for name, head in self.heads.items() if head == "=" and not ("✝" in name or is_notation(name))]

    @cached_property
    def binders(self) -> str:
        """Names for all that the target says ``∀``, ``→``, ``¬`` or ``≠`` of first, with a space between them."""
        names: list[str] = []
        taken = set(self.types)
        words: Sequence[str] = tokens(self.target)
        while words:
            head, parts = head_and_parts(words)
            if head == "∀":
                bound, words = binders_of(parts[0])
                names += [fresh(name, taken) for name in bound]
            elif head == "→":
                names.append(fresh("h", taken))
                words = parts[1]
            else:
                names += [fresh("h", taken)] if head in ("¬", "≠") else []
                break
        return " ".join(names)

    @cached_property
    def bound(self) -> list[str]:
        """A name for what the target says ``∀`` of first: an induction on it keeps all that is said of the others."""
        head, parts = head_and_parts(tokens(self.target))
        names = binders_of(parts[0])[0] if head == "∀" else []
        return [fresh(name, set(self.types)) for name in names[:1] if name != "_"]

    @property
    def numbers(self) -> list[str]:
        """The variables that are natural numbers, or integers."""
        return [name for name, head in self.heads.items() if head in NUMBERS and "✝" not in name]

    @cached_property
    def sides(self) -> list[str]:
        """``left`` and ``right`` where the target says ``∨``."""
        return ["left", "right"] if self.target_head == "∨" else []

    @cached_property
    def calls(self) -> list[str]:
        """Functions that the target applies to variables alone: ``app xs ys``; where it applies none, those that
        hypotheses do."""
        calls = self._calls_in(self.target) if self.names is None else list(self.names.calls)
        calls = [call for call in calls if repeats(call) == 0]  # an induction on ``f k k`` cannot be
        if calls:
            return calls
        in_facts = self._calls_in(" ".join(self.facts()))
        if self.names is None:
            return in_facts
        own = {name.rpartition(".")[2] for name in self.names.definitions if name not in self.names.predicates}
        return [call for call in in_facts if _called(call) in own]

    def _calls_in(self, propositions: str) -> list[str]:
        calls: dict[str, None] = {}
        for function, text in _APPLICATION.findall(propositions):
            first, _, rest = function.partition(".")
            arguments = text.split()
            known = next((n for n, name in enumerate(arguments) if name not in self.types), len(arguments))
            is_local = first in self.types
            if _is_lower(function) and function not in _NOT_UNFOLDED and (rest if is_local else known):
                calls[" ".join([function, *arguments[:known]])] = None
        return list(calls)

    @cached_property
    def functions(self) -> list[str]:
        """Functions that the target names, and hypotheses where Lean has said what these name; predicates that are
        written like functions are among them."""
        if self.names is not None:
            return [name for name in self.names.definitions if _is_lower(name) or name in self.names.functions]
        return [name for name in self._named([self.target]) if _is_lower(name)]

    @property
    def cased(self) -> list[str]:
        """Functions that the target names and that are no recursion, as far as Lean has said it: unfolded they are what
        they distinguish."""
        return [name for name in self.of_lean.unfoldings if name in self.functions and name not in self.predicates]

    @cached_property
    def definitions(self) -> list[str]:
        """The same with what is written with a capital (``Injective``), and of hypotheses, too."""
        if self.names is not None:
            return list(self.names.definitions)
        return self._named([self.target, *self.facts()])

    @cached_property
    def predicates(self) -> list[str]:
        """Those of the definitions that stand for a proposition. Where Lean has not said it: what is written with a
        capital, and what the target or a fact begins with (``hoare P c Q``)."""
        if self.names is not None:
            return list(self.names.predicates)
        heads = {head_and_parts(tokens(text))[0] for text in (self.target, *self.facts())}
        first = {name for name in self.definitions if any(is_called(name, head) for head in heads)}
        return [name for name in self.definitions if name in first or not _is_lower(name)]

    @cached_property
    def may_exist(self) -> bool:
        """Whether the target says ``∃``, or a predicate or an order may that it begins with."""
        return self.target_head == "∃" or self.is_predicate(self.target_head) or self.is_own_order(self.target)

    def is_predicate(self, head: str) -> bool:
        """Return whether what a proposition begins with is one of the predicates, as its namespace may call it."""
        return any(is_called(name, head) for name in self.predicates)

    def is_own_order(self, proposition: str) -> bool:
        """Return whether a proposition is about the order of a type that the project may have defined."""
        words = tokens(proposition)
        compared = next((self.types[word] for word in words if word in self.types), "Nat")
        first = compared.partition(" ")[0]
        return head_and_parts(words)[0] in _ORDERS and not (first in OF_LEAN or first in self.types)

    @cached_property
    def in_target(self) -> set[str]:
        """The variables that the target names."""
        return self.types.keys() & {word.partition(".")[0] for word in tokens(self.target)}

    @cached_property
    def arguments(self) -> list[str]:
        """Names for the arguments of functions that the target equates; where Lean has not said them, one if its text
        shows that a side is a function."""
        if self.target_head != "=":
            return []
        if self.names is not None:
            return fresh_names([name if name != "h" else "x" for name in self.names.arguments], self.types)
        _, sides = head_and_parts(tokens(self.target))
        is_shown = any("∘" in side or side[:1] == ["fun"] for side in sides)
        return fresh_names(["x"], self.types) if is_shown else []

    @property
    def passes_functions(self) -> bool:
        """Return whether both sides of the target's equation speak of a ``fun``."""
        head, sides = head_and_parts(tokens(self.target))
        return head == "=" and all("fun" in side for side in sides)

    @cached_property
    def target_head(self) -> str:
        """What the target is made by: an operator, a quantifier, or what it applies to the rest."""
        return self._behind_notation.get("⊢") or head_and_parts(tokens(self.target))[0]

    @cached_property
    def heads(self) -> dict[str, str]:
        """What the type of each hypothesis and variable is made by."""
        read = {name: head_and_parts(tokens(kind))[0] for name, kind in self.types.items()}
        return read | {name: head for name, head in self._behind_notation.items() if name in read}

    @property
    def _behind_notation(self) -> dict[str, str]:
        """The predicates of hypotheses, and of the target, that are printed by a notation, as Lean has said."""
        parts = (each.partition(" ") for each in self.of_lean.derivations)
        return {name: predicate for name, _, predicate in parts}

    @cached_property
    def rests_on(self) -> dict[str, set[str]]:
        """The variables that the type of each variable speaks of, and those that the types of these do in turn."""
        rests_on: dict[str, set[str]] = {}
        for name, kind in self.types.items():  # a type speaks of variables before it alone
            spoken = {word.partition(".")[0] for word in tokens(kind)} & rests_on.keys()
            rests_on[name] = spoken.union(*(rests_on[other] for other in spoken))
        return rests_on

    @cached_property
    def mentioned(self) -> set[str]:
        """The names that the target or the type of a hypothesis mentions."""
        texts = (self.target, *self.types.values())
        return {token.partition(".")[0] for text in texts for token in tokens(text)}

    def facts(self) -> list[str]:
        """Return the types of hypotheses that nothing else mentions: propositions, as a rule."""
        known = self.mentioned
        return [kind for name, kind in self.types.items() if name not in known and not name.startswith("inst")]

    def _named(self, texts: Sequence[str]) -> list[str]:
        """Return the constants that texts name: by their own names, or by a dot after a variable (``xs.map``)."""
        names: dict[str, None] = {}
        bound = {name for text in texts for name in bound_variables(text)}
        for name in (name for text in texts for name in _DOTTED.findall(text)):
            first, _, fields = name.partition(".")
            kind = next(iter(_DOTTED.findall(self.types.get(first, ""))), "")
            if kind and fields:  # of `p.scale.eval` it is not known what `p.scale` is, nor so whose `eval`
                names[f"{kind}.{fields.partition('.')[0]}"] = None
            elif not (first in self.types or first in bound or len(name) == 1 or name in _NOT_UNFOLDED):
                names[name] = None
        return list(names)


def is_notation(hypothesis: str) -> bool:
    """Return whether a hypothesis is called like those that say what notation means."""
    return hypothesis.endswith(TOLD)


def repeats(applied: str) -> int:
    """Return how many hypotheses an application is given twice."""
    given = [word for word in applied.split() if word != "_"]
    return len(given) - len(set(given))


def is_called(name: str, word: str) -> bool:
    """Return whether a word may stand for a full name where namespaces are open."""
    return f".{name}".endswith(f".{word}")


def _called(call: str) -> str:
    """Return the function of a call, without what stands before it (``xs.app ys``)."""
    return call.partition(" ")[0].rpartition(".")[2]


def _is_lower(name: str) -> bool:
    return name.rpartition(".")[2][:1].islower()


def in_brackets(text: str) -> list[str]:
    """Return the terms in brackets of an application to such, the outermost, each once; no functions among them."""
    terms, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "(" and depth == 1:
            start = place
        elif letter == ")" and depth == 0:
            terms.append(text[start : place + 1])
    return [term for term in dict.fromkeys(terms) if not re.search(r"\bfun\b|λ|: ", term)]
