"""What a goal says of all values, at its own ones.

``grind`` takes a hypothesis at a value where its pattern stands in the goal already: of ``h : ∀ x, r a x ↔ ¬r x x`` it
never asks what ``h a`` says. The same goes for what it makes of a target with ``∃``, that nothing is a witness.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, product

from lean_agent.policy.fillings.openings import binders_of
from lean_agent.policy.fillings.reading import MOST_VALUES, NUMBERS, GoalReading
from lean_agent.policy.fillings.witnesses import Witnesses
from lean_agent.policy.neighbours.goals import bound_variables, head_and_parts, tokens

MOST_INSTANCES = 6
"""So many instances of hypotheses, the first ones: each may make ``grind`` look at more."""
NO_WITNESS = "no_witness"
"""What is called so that says that nothing is what the target says to exist."""


@dataclass(frozen=True)
class Instances:
    """Those of one goal.

    Attributes:
        witnesses: what the target may say to exist.
    """

    goal: GoalReading
    witnesses: Witnesses

    @property
    def at_values(self) -> str:
        """What makes them known: hypotheses at values, and that none of its values is a witness where the target says
        ``∃``; nothing where there are no such."""
        known = [f"have := {instance}" for instance in islice(self._of_hypotheses(), MOST_INSTANCES)]
        return "; ".join([*self._refuted, *known])

    @property
    def _refuted(self) -> list[str]:
        """What assumes that nothing is a witness, and says so of each value, if it can be one by its type."""
        values = self.witnesses.witnesses[:MOST_VALUES]
        if not values:
            return []
        each = (f"(try have := not_exists.mp {NO_WITNESS} {value})" for value in values)
        return [f"refine Classical.byContradiction fun {NO_WITNESS} => ?_", *each]

    def _of_hypotheses(self) -> Iterator[str]:
        """Yield hypotheses at values of the type that they begin with ``∀`` of; those that the target names first. What
        is said of all propositions is taken at ``True`` and ``False``."""
        for rule in self.goal.rules:
            kind = self.goal.types[rule]
            head, parts = head_and_parts(tokens(kind))
            if head != "∀" or parts[0][:1] != ["("]:
                continue
            names, _ = binders_of(parts[0])
            of_type = bound_variables(kind).get(names[0], "") if names else ""
            if of_type == "Prop":
                count = sum(bound_variables(kind).get(name) == "Prop" for name in names)
                yield from (f"{rule} {' '.join(each)}" for each in product(("True", "False"), repeat=min(count, 2)))
            yield from (f"{rule} {value}" for value in self._values_of(of_type))

    def _values_of(self, kind: str) -> list[str]:
        alike = [name for name, of_type in self.goal.types.items() if of_type == kind and "✝" not in name]
        alike.sort(key=lambda name: name not in self.goal.in_target)
        numerals = ("0", "1") if kind in NUMBERS else ()
        return list(islice(chain(alike, numerals), MOST_VALUES))
