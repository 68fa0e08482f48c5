"""What takes the derivations of a goal apart: those that it has, and those that a case of an induction brings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lean_agent.policy.fillings.reading import GoalReading, is_called
from lean_agent.policy.fillings.witnesses import Witnesses
from lean_agent.policy.neighbours.goals import tokens

OPTION_BIND = "Option.bind"
MOST_INVERTED = 2
"""Derivations of so many predicates are taken apart in each case of an induction."""

MOST_PIECES = 6
"""So many times a part of a term is replaced."""

_OF_LOGIC = ["cases ‹_ = _›", "cases ‹_ ∨ _›", "cases ‹∃ _, _›"]
_OF_ANYTHING = re.compile(r"‹\S+ \.\.›")
"""A derivation of a predicate about whatever: to take it apart makes a case for each rule."""
RULE_BY_RULE = "(repeat' (first | assumption | rfl | constructor)); done"
"""Builds a derivation by the first rule that fits at each place."""
_BY_ONE_SIDE = [
    *(f"({side}; {RULE_BY_RULE})" for side in ("left", "right")),
    *(f"({side}; apply Exists.intro; {RULE_BY_RULE})" for side in ("right", "left")),
]
_NOT_INTRODUCED = frozenset({"=", "∃", "∨", "<", "≤", "False"})


@dataclass(frozen=True)
class Derivations:
    """Those of one goal.

    Attributes:
        witnesses: what may exist in a case.
        binds: whether the goal has ``Option.bind``, by whatever notation. It is none of the definitions: to unfold it
            helps where each of its cases is looked at.
    """

    goal: GoalReading
    witnesses: Witnesses
    binds: bool = False

    @property
    def inversions(self) -> list[str]:
        """Tactics that take apart a derivation of the first of the predicates, as far as Lean has said what the goal
        names: a case of an induction has derivations that have no name. The functions are unfolded, with
        ``Option.bind`` where the goal has that. Where the target says ``∃``, witnesses of the cases, too; and where
        there are theorems about what the bodies of the functions use, these for what unfolding a case leaves."""
        if self.goal.names is None:
            return []
        unfolded = f" [{', '.join(self.goal.functions)}]" if self.goal.functions else ""
        ways = [f"cases ‹{name} ..› <;> simp_all{unfolded}" for name in self.goal.predicates[:MOST_INVERTED]]
        unfolding = [f"simp_all [{', '.join([*self.goal.functions, OPTION_BIND])}] <;> grind"] if self.binds else []
        about, functions = ", ".join(self.goal.of_lean.about), ", ".join(self.goal.functions)
        applying = [f"simp only [{functions}]; solve_by_elim [{about}]"] if about and functions else []
        return [*applying, *unfolding, *ways, *self.witnesses.of_cases]

    @property
    def taken_apart(self) -> str:
        """What takes derivations about terms that are no variables apart, as far as they are there to be taken apart,
        with the equations that come out; nothing where there are no such, or the target is more than ``False``: what
        cannot be has no derivation."""
        compound = {self.goal.heads[name] for name in self.goal.locals if self._is_about_terms(self.goal.types[name])}
        names = [name for name in self.goal.predicates if any(is_called(name, head) for head in compound)]
        if self.goal.target_head != "False" or not names:
            return ""
        return " | ".join(["cases ‹_ = _›", *(f"cases ‹{name} ..›" for name in names), "fail"])

    @property
    def inverted(self) -> str:
        """Return what takes all derivations apart of which Lean has said that they can be, others once, behind what
        introduces them; nothing where the goal has none."""
        names = self.goal.of_lean
        if not names.inverted:
            return ""
        to_introduce = self.goal.target_head not in _NOT_INTRODUCED
        steps = ["(repeat' (first | intro _ | apply And.intro | apply Iff.intro))"] if to_introduce else []
        once = [f"(try cases {each})" for each in names.inverted if each not in names.inversions]
        return " <;> ".join([*steps, *once, self._all_inversions])

    @property
    def _all_inversions(self) -> str:
        names = self.goal.of_lean.inversions
        ways = [*_OF_LOGIC, *(f"cases {each}" for each in names)]
        return f"(repeat' (first | {' | '.join(ways)} | fail))"  # in a file Lean recovers from errors of the last one

    @property
    def steps_apart(self) -> str:
        """Return what takes the steps apart that a case of an induction has, as far as there are any."""
        steps = self.goal.of_lean.steps
        return " <;> ".join(f"(try cases ‹{name} ..›)" for name in steps[:MOST_INVERTED])

    @property
    def inverting(self) -> str:
        """Return what takes all derivations apart in a case of an induction."""
        return f"intros <;> {self._all_inversions}"

    @property
    def by_sides(self) -> str:
        """Return what proves one side of an ``∨`` in a case of an induction, as progress is proved: what exists by a
        derivation, rule by rule, and derivations of a case taken apart until that is possible, those first that can be
        made by few rules, then those of which rules of the others speak (``NumVal`` of ``Value``). What is left is
        closed by any rules: the first that fits need not be the right one."""
        if self.goal.target_head != "∨":
            return ""
        names = self.goal.of_lean
        last = [way for way in names.inversions if _OF_ANYTHING.fullmatch(way)]
        first = [way for way in names.inversions if way not in last]
        further = [f"‹{name} ..›" for name in names.steps[:MOST_INVERTED]]
        ways = [*_OF_LOGIC, *(f"cases {each}" for each in (*first, *further, *last))]
        loop = f"(repeat' (first | {' | '.join(['contradiction', *_BY_ONE_SIDE, *ways])} | fail))"
        words = tokens(self.goal.target)
        spoken = {name for name in self.goal.predicates if any(is_called(name, word) for word in words)}
        rules = ", ".join(rule for rule in names.rules if rule.rpartition(".")[0] in {*spoken, *names.steps})
        by_rules = [f"(right; apply Exists.intro; solve_by_elim [{rules}])", f"(left; solve_by_elim [{rules}])"]
        return f"{loop} <;> try (first | {' | '.join(by_rules)} | (simp_all; done) | grind)"

    @property
    def chained(self) -> str:
        """Return what derives a relation piece by piece, as evaluation in many steps is derived: as long as a part of
        the term can be replaced by what a hypothesis relates it to, that, by transitivity; then rule by rule."""
        of_lean = self.goal.of_lean.chaining
        if not of_lean:
            return ""
        transitive, *congruent = of_lean
        by_hypothesis = [f"(apply {name} <;> assumption)" for name in congruent]
        by_rule = [f"(apply {name} <;> first | assumption | (constructor; done))" for name in congruent]
        step = f"apply {transitive}; first | {' | '.join([*by_hypothesis, *by_rule])}"
        pieces = f"(iterate {MOST_PIECES} (try ({step})))"
        return f"{pieces} <;> first | ({RULE_BY_RULE}) | grind [{', '.join(self.goal.definitions)}]"

    def _is_about_terms(self, proposition: str) -> bool:
        """Return whether a derivation is about more than variables, and of no other relation (``Star Step a b``), of
        which it may have any number of steps."""
        arguments = tokens(proposition)[1:]
        return any(word not in self.goal.types for word in arguments) and not any(
            map(self.goal.is_predicate, arguments)
        )
