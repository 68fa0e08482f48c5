"""All that the placeholders of schemes can be filled in with at one goal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from lean_agent.policy.fillings.consequences import Consequences
from lean_agent.policy.fillings.derivations import OPTION_BIND, Derivations
from lean_agent.policy.fillings.inductions import Inductions
from lean_agent.policy.fillings.instances import Instances
from lean_agent.policy.fillings.lists import NameLists
from lean_agent.policy.fillings.reading import NOTHING_INSIDE, NUMBERS, GoalReading
from lean_agent.policy.fillings.witnesses import Witnesses
from lean_agent.policy.neighbours.goals import parse_goal, tokens
from lean_agent.prompts import shown_names, shown_premises, without_help

_NOT_EXTENSIONAL = NUMBERS | frozenset({"Bool", "Fin", "Char", "String"})
_NEVER_BY_RFL = frozenset({"∃", "∧", "∨", "¬", "≠", "False"})
_AFTER_INTRO = ("apply {", "funext ", "rfl", "simp only [{cased}]")
"""How schemes begin that do nothing for a ``∀`` or a ``→`` that they could not do after ``intro``."""


@dataclass(frozen=True)
class Fillings:
    """What a goal has for placeholders, part by part.

    Attributes:
        goal: its names.
        lists: definitions and premises, as tactics take them.
        binds: whether the goal has ``Option.bind``, which is none of its definitions (:class:`Derivations`).
    """

    goal: GoalReading
    lists: NameLists
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
        reading = GoalReading(parse_goal(without_help(goal)), names)
        return cls(reading, NameLists(reading, premises), binds)

    @cached_property
    def inductions(self) -> Inductions:
        """What inductions and case distinctions may be on."""
        return Inductions(self.goal)

    @cached_property
    def consequences(self) -> Consequences:
        """What follows from the hypotheses."""
        return Consequences(self.goal)

    @cached_property
    def witnesses(self) -> Witnesses:
        """What may exist."""
        return Witnesses(self.goal, self.lists)

    @cached_property
    def instances(self) -> Instances:
        """What it says of all values, at its own."""
        return Instances(self.goal, self.witnesses)

    @cached_property
    def derivations(self) -> Derivations:
        """What takes derivations apart."""
        return Derivations(self.goal, self.witnesses, self.binds)

    @cached_property
    def for_grind(self) -> Fillings:
        """All this with lists as ``grind`` takes them."""
        return replace(self, lists=self.lists.for_grind)

    @cached_property
    def as_laws(self) -> Fillings:
        """All this with lists as ``grind`` takes them, equations as such alone."""
        return replace(self, lists=self.lists.as_laws)

    def suits(self, tactic: str) -> bool:
        """Return whether a tactic can do more than fail, or than the same without ``intros``, as far as its first word
        tells."""
        goal = self.goal
        target, head = goal.target, goal.target_head
        first = tactic.removeprefix("(repeat' ").partition(" ")[0].rstrip(")")
        if head in ("∀", "→") and tactic.startswith(_AFTER_INTRO):
            return False
        possible = {
            "intros;": bool(goal.binders),
            "split": "if " in target or "match " in target,
            "constructor": head not in NOTHING_INSIDE and head not in goal.types and head != "False",
            "decide": goal.types.keys().isdisjoint(tokens(target)),
            "exists": head == "∃",
            "apply": head == "∃" or not tactic.startswith("apply Exists.intro"),
            "funext": bool(goal.arguments),
            "congr;": goal.passes_functions,
            "ext1": head == "=" and any(goal.heads[name] not in _NOT_EXTENSIONAL for name in goal.in_target),
            "rfl": head not in _NEVER_BY_RFL,
            "laws?": head == "=" and bool(goal.functions),
        }
        return possible.get(first, True)
