"""What inductions and case distinctions of a goal may be on, and what they generalize."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from lean_agent.policy.fillings.openings import fresh
from lean_agent.policy.fillings.reading import (
    MACHINE_NUMBERS,
    MOST_VALUES,
    NOTHING_TO_TAKE_APART,
    OF_LEAN,
    GoalReading,
    in_brackets,
    is_called,
)
from lean_agent.policy.neighbours.goals import IDENTIFIER, conclusion, head_and_parts, tokens

MOST_DERIVED = 3
"""Inductions whose cases bring derivations that are taken apart are on so many: of some it cannot be seen that there is
nothing to take apart."""
MOST_INDUCTIVE = 2
"""Inductions whose cases are closed by rules, or bring steps, are tried on so many derivations."""

_NOTHING = {"[]": "List.nil", "∅": "∅"}
"""Nothing as it is printed, and as a tactic says it: an empty list would be taken for a list of no names."""
_A_TYPE = re.compile(r"^(?:Type|Sort|Prop)\b")
_OF_TWO_FORMS = frozenset({"Option", "Except", "Sum"})
_NOT_RECURSIVE = frozenset(
    {*_OF_TWO_FORMS, "Bool", "Fin", "Unit", "Prod", "Subtype", "Rat", "BitVec", "Char", "Array", "Ordering"}
    | MACHINE_NUMBERS
)


@dataclass(frozen=True)
class Inductions:
    """Those of one goal."""

    goal: GoalReading

    @cached_property
    def derived_first(self) -> list[str]:
        """Hypotheses and variables that may be taken apart, those first that speak of others of them: an induction on
        ``h : Step t u`` says what becomes of ``t``, and one on ``t`` leaves ``h`` as it is. Then what recursive
        functions take apart, as far as Lean has said it: of ``take n xs`` it is ``n`` or ``xs`` that says what comes
        next."""
        names = set(self.goal.locals)
        places = {name: place for place, name in enumerate(self.goal.of_lean.recursion)}
        return sorted(
            self.goal.locals,
            key=lambda name: (names.isdisjoint(self.goal.rests_on[name]), places.get(name, len(places))),
        )

    @cached_property
    def for_induction(self) -> list[str]:
        """The same, those last that are about what is no variable, as indices are for an induction; nothing of a type
        of Lean's own that has nothing of its kind inside: of that ``cases`` says as much."""
        kinds = self.goal.types
        names = [name for name in self.derived_first if kinds[name].partition(" ")[0] not in _NOT_RECURSIVE]
        return sorted(names, key=lambda name: bool(in_brackets(kinds[name])))

    @property
    def with_hypothesis(self) -> list[str]:
        """The same without integers, whose cases have no induction hypothesis that could be more general."""
        return [name for name in self.for_induction if self.goal.heads[name] != "Int"]

    @property
    def finite(self) -> list[str]:
        """The variables of ``Bool``, of types of the project without arguments, and of ``Option`` and the like, two to
        :data:`MOST_VALUES` of them: where each has but a few forms, what is said of them can be computed in each
        case."""
        kinds = self.goal.types
        few = [
            name
            for name in self.goal.locals
            if (IDENTIFIER.fullmatch(kinds[name]) and kinds[name] not in OF_LEAN - {"Bool"})
            or kinds[name].partition(" ")[0] in _OF_TWO_FORMS
        ]
        names = [name for name in few if name in self.goal.mentioned]
        return names if 1 < len(names) <= MOST_VALUES else []

    def others(self, local: str) -> list[str]:
        """Return the other variables that an induction on ``local`` may generalize: not what its type speaks of, and
        not what speaks of it, which is generalized anyway; nor is a fact (``h₂ : Step t b`` beside ``h₁ : Step t a``)
        that speaks of the same variables. With one of these the tactic would fail."""
        rests_on = self.goal.rests_on
        spoken_of = rests_on[local]
        varied = {name for name in spoken_of if not NOTHING_TO_TAKE_APART.match(self.goal.types[name])}
        varying = {*self.goal.locals, *self._passed_on, *self.goal.of_lean.varied}
        if varied:  # what a derivation is about may be related to others in each case (``hy : step x y``)
            varying |= {name for name, kind in self.goal.types.items() if kind in self.goal.types}
            varying |= {name for name in self._related(varied) if name in self.goal.whole}
        return [
            name
            for name in self.goal.types
            if name in varying
            and name != local
            and name not in spoken_of
            and local not in rests_on[name]
            and (name in self.goal.mentioned or varied.isdisjoint(rests_on[name]))
        ]

    def varying(self, local: str) -> str:
        """Return the end of an induction that generalizes the functions that recursive calls change, without which its
        hypothesis says nothing of these; nothing where there are none, or it is on one of what they speak of."""
        others = self.others(local) if self.goal.of_lean.varied else []
        return _generalizing([name for name in others if name in self.goal.of_lean.varied])

    def _related(self, variables: Collection[str]) -> set[str]:
        """Return the variables that a hypothesis speaks of together with one of these."""
        return set().union(*(spoken for spoken in self.goal.rests_on.values() if not spoken.isdisjoint(variables)))

    @cached_property
    def _passed_on(self) -> set[str]:
        """Strings, and values of a type that is a variable, that a recursive function of the target takes: an
        accumulator may be one."""
        taken = {word for call in self.goal.calls for word in tokens(call)[1:]} & self.goal.types.keys()
        kinds = {name: self.goal.types[name] for name in taken}
        return {name for name, kind in kinds.items() if kind == "String" or kind in self.goal.types}

    def other(self, local: str) -> str:
        """Return what else may be taken apart in each case of an induction on ``local``; empty for nothing.

        Beside a hypothesis of a relation it is the first one that speaks of the same variables (``h₂ : Step t b``
        beside ``h₁ : Step t a``): the variables themselves are gone in each case.
        """
        rests_on = self.goal.rests_on
        spoken_of = rests_on[local]
        left = [name for name in self.goal.locals if name != local and name not in spoken_of]
        return next((name for name in left if spoken_of & rests_on[name]), next(iter(left), ""))

    @property
    def rule_inductions(self) -> list[str]:
        """The only hypothesis that concludes the target's predicate, which is a variable, so that nothing else can,
        with an induction on a variable of the target behind it: ``safe; induction n``."""
        predicate = self.goal.target_head
        says = (name for name in self.goal.types if name not in self.goal.mentioned and "✝" not in name)
        ways = [name for name in says if head_and_parts(conclusion(self.goal.types[name]))[0] == predicate]
        if predicate not in self.goal.types or len(ways) != 1 or ways[0] not in self.goal.rules:
            return []
        return [f"{ways[0]}; induction {name}" for name in self.for_induction if name in self.goal.in_target]

    @cached_property
    def indexed(self) -> list[str]:
        """Derivations about what is no variable (``h : Exec (loop b c) s t``), each behind what gives it a name, as an
        induction needs it: ``e : (loop b c) = i at h; induction h``. What a pair holds varies with it."""
        ways = []
        for name in (name for name in self.goal.locals if name not in self.goal.mentioned):
            terms = [*in_brackets(self.goal.types[name]), *self._constants_of(name)]
            taken = set(self.goal.types)
            steps = [f"{fresh('e', taken)} : {term} = {fresh('i', taken)} at {name}" for term in terms]
            pairs = [word for term in terms if "," in term for word in tokens(term)]
            varied = [word for word in dict.fromkeys(pairs) if word in self.goal.types]
            ways += ["; generalize ".join(steps) + f"; induction {name}{_generalizing(varied)}"] if steps else []
        return ways

    def _constants_of(self, derivation: str) -> list[str]:
        """Return what a derivation of an inductive predicate is about that is neither a variable nor in brackets, as
        the empty context of ``HasType [] t A``."""
        kind = self.goal.types[derivation]
        words = kind.split(" ")[1:] if self.goal.is_predicate(self.goal.heads[derivation]) else []
        named = [word for word in words if any(is_called(name, word) for name in self.goal.functions)]
        constants = [_NOTHING.get(word, word) for word in words if word in named or word in _NOTHING]
        return [word for word in dict.fromkeys(constants) if word not in self.goal.types] if "(" not in kind else []

    @cached_property
    def call_inductions(self) -> list[str]:
        """Return the calls, each with the variables that a hypothesis equates it with (``h : unify t c s = some r``):
        in the cases of an induction by them it is equal to something else (``unify t c s generalizing r``). Then the
        same with the other variables of the target: in its cases an accumulator is another one."""
        results = {call: self._results_of(call) for call in self.goal.calls}
        others = {call: self._generalizable(call) & self.goal.in_target - {*results[call]} for call in self.goal.calls}
        return [
            *(call + _generalizing(names) for call, names in results.items()),
            *(
                call + _generalizing([*results[call], *(name for name in self.goal.types if name in names)])
                for call, names in others.items()
                if names
            ),
        ]

    def _generalizable(self, call: str) -> set[str]:
        """Return the variables on which the arguments of a call do not rest; no types, instances and functions, but for
        those that recursive calls change."""
        function, *arguments = call.split()
        arguments.append(function.partition(".")[0])  # ``xs.map f``
        kept = {*arguments, *chain.from_iterable(self.goal.rests_on.get(name, ()) for name in arguments)}
        return {
            name
            for name, kind in self.goal.types.items()
            if not (name in kept or _A_TYPE.match(kind) or "✝" in name or name.startswith("inst"))
            and ("→" not in kind or name in self.goal.of_lean.varied)
        }

    def _results_of(self, call: str) -> list[str]:
        """Return the variables beside a call in equations with it, as far as they can be generalized."""
        function, *arguments = call.split()
        applied = rf"(?:[\w.']+\.)?{re.escape(function.rpartition('.')[2])} {re.escape(' '.join(arguments))}"
        equation = re.compile(rf"(?:{applied} = (.+)|(.+) = {applied})", re.DOTALL)
        words = (
            word
            for match in map(equation.fullmatch, self.goal.facts())
            if match
            for word in tokens(match[1] or match[2])
        )
        values = self._generalizable(call)
        return [word for word in dict.fromkeys(words) if word in values]

    @cached_property
    def descents(self) -> dict[str, str]:
        """Principles of induction that no structure suggests, as Lean has said, with what stands behind them, each with
        what the induction is on (``LeanAgent/Descents.lean``)."""
        parts = (text.partition(" using ") for text in self.goal.of_lean.descents)
        return {principle: descent for descent, _, principle in parts}

    @property
    def derived(self) -> list[str]:
        """Return what an induction may be on whose cases bring derivations that can be taken apart, as far as Lean has
        said that there are any: derivations first."""
        return self.for_induction[:MOST_DERIVED] if self.goal.of_lean.inversions else []

    def generalizing(self, local: str) -> str:
        """Return the end of an induction that generalizes all that it may; nothing where that is nothing."""
        return _generalizing(self.others(local) if local in self.with_hypothesis else [])

    @property
    def stepped(self) -> list[str]:
        """Derivations by steps (``h : Reachable s``), for an induction whose cases bring steps, by which invariants are
        proved. Nothing where Lean has not said that rules of the goal's predicates speak of others."""
        names = self.for_induction if self.goal.of_lean.steps else []
        return [name for name in names if self.goal.is_predicate(self.goal.heads[name])][:MOST_INDUCTIVE]

    @property
    def inductive(self) -> list[str]:
        """Derivations by rules that Lean has said, for an induction whose cases are closed by these."""
        predicates = {rule.rpartition(".")[0] for rule in self.goal.of_lean.rules}
        names = self.for_induction
        ruled = [name for name in names if any(is_called(each, self.goal.heads[name]) for each in predicates)]
        return ruled[:MOST_INDUCTIVE]


def _generalizing(names: Sequence[str]) -> str:
    """Return the end of an induction that generalizes these variables; nothing for none."""
    return f" generalizing {' '.join(names)}" if names else ""
